package wire

import (
	"context"
	"testing"
	"time"

	"weft/unit"
)

// TestCompanyIsWaitedForAsItComes: longer where it comes, and not at all for a while where it does not.
func TestCompanyIsWaitedForAsItComes(t *testing.T) {
	c := company{putOff: unit.Forever}
	now := unit.Time(0)
	for i := range 100 {
		now += unit.Millisecond
		if !c.waits(now) {
			t.Fatalf("%d: nothing waits", i)
		}
		if want := shortest << min(i/often, mostDoublings); c.putOff != now+want {
			t.Fatalf("%d: it waits for %v, want %v", i, c.putOff-now, want)
		}
		if again := c.putOff; !c.waits(now+shortest/2) || c.putOff != again {
			t.Fatalf("%d: what comes later makes it wait longer", i)
		}
		c.came()
		if c.putOff != unit.Forever {
			t.Fatal("it still waits")
		}
	}
	for _, want := range []int{1, 3, 7, 15, 31, 63, mostVain, mostVain} {
		if !c.waits(now) || c.putOff > now+shortest<<mostDoublings {
			t.Fatal("nothing waits, or for too long")
		}
		c.stayedAway()
		without := 0
		for !c.waits(now) {
			without++
		}
		if without != want {
			t.Errorf("nothing waits for %d arrivals, want %d", without, want)
		}
		if c.putOff != now+shortest {
			t.Errorf("it waits for %v", c.putOff-now)
		}
		c.putOff = unit.Forever
	}
	c.waits(now)
	c.came()
	c.waits(now)
	c.stayedAway()
	if c.without != 1 {
		t.Errorf("after company came, nothing waits for %d arrivals", c.without)
	}
}

// TestNobodyWaitsForConfirmationsInVain: a handler's reply is confirmed when the client makes no further call, and also when
// it closes at once.
func TestNobodyWaitsForConfirmationsInVain(t *testing.T) {
	for _, closes := range []bool{false, true} {
		replied := make(chan error, 1)
		server, err := Listen("127.0.0.1:0", Config{Handler: func(ctx context.Context, m *Message) {
			time.Sleep(2 * time.Millisecond) // so that its own confirmation leaves before
			replied <- m.Reply(ctx, m.Body)
		}})
		if err != nil {
			t.Fatal(err)
		}
		client, err := Listen("127.0.0.1:0", Config{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := client.Dial(t.Context(), server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Call(t.Context(), []byte("x")); err != nil {
			t.Fatal(err)
		}
		if closes {
			if err := client.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if err := <-replied; err != nil {
			t.Errorf("closed %v: the reply ended with %v", closes, err)
		}
		_ = client.Close(t.Context())
		_ = server.Close(t.Context())
	}
}

package wire

import (
	"context"
	"testing"
	"time"

	"weft/unit"
)

// TestConfirmDelay: delays grow while something else is sent in time, and pause for a while if not.
func TestConfirmDelay(t *testing.T) {
	c := confirmDelay{deadline: unit.Forever}
	now := unit.Time(0)
	for i := range 100 {
		now += unit.Millisecond
		if !c.mayDelay(now) {
			t.Fatalf("%d: nothing waits", i)
		}
		if want := shortest << min(i/often, mostDoublings); c.deadline != now+want {
			t.Fatalf("%d: it waits for %v, want %v", i, c.deadline-now, want)
		}
		if again := c.deadline; !c.mayDelay(now+shortest/2) || c.deadline != again {
			t.Fatalf("%d: what comes later makes it wait longer", i)
		}
		c.sentInTime()
		if c.deadline != unit.Forever {
			t.Fatal("it still waits")
		}
	}
	for _, want := range []int{1, 3, 7, 15, 31, 63, mostHoldoff, mostHoldoff} {
		if !c.mayDelay(now) || c.deadline > now+shortest<<mostDoublings {
			t.Fatal("nothing waits, or for too long")
		}
		c.sentLate()
		without := 0
		for !c.mayDelay(now) {
			without++
		}
		if without != want {
			t.Errorf("nothing waits for %d arrivals, want %d", without, want)
		}
		if c.deadline != now+shortest {
			t.Errorf("it waits for %v", c.deadline-now)
		}
		c.deadline = unit.Forever
	}
	c.mayDelay(now)
	c.sentInTime()
	c.mayDelay(now)
	c.sentLate()
	if c.holdoffLeft != 1 {
		t.Errorf("after a success, nothing waits for %d arrivals", c.holdoffLeft)
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

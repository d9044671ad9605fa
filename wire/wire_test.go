package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"weft/unit"
	"weft/wire"
)

func open(t testing.TB, c wire.Config) *wire.Endpoint {
	t.Helper()
	e, err := wire.Listen("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := e.Close(ctx); err != nil && !errors.Is(err, wire.ErrClosed) && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	return e
}

func echo(t testing.TB, c wire.Config) *wire.Endpoint {
	c.Handler = func(ctx context.Context, m *wire.Message) {
		if !m.IsRequest() {
			return
		}
		if err := m.Reply(ctx, m.Body); err != nil && ctx.Err() == nil {
			t.Errorf("reply: %v", err)
		}
	}
	return open(t, c)
}

// TestCalls sends requests of all sizes, many at once, plain and sealed.
func TestCalls(t *testing.T) {
	for _, secret := range []string{"", "what both know"} {
		t.Run("secret "+secret, func(t *testing.T) {
			c := wire.Config{Secret: []byte(secret)}
			server, client := echo(t, c), open(t, c)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			p, err := client.Dial(ctx, server.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if p.ID() != server.ID() {
				t.Errorf("the peer is %v, not %v", p.ID(), server.ID())
			}
			var all sync.WaitGroup
			for i, n := range []int{0, 1, 100, 1300, 1400, 10_000, 100_000, 1_000_000, 10_000_000} {
				all.Go(func() {
					for range 3 {
						body := bytes.Repeat([]byte{byte(i + 1)}, n)
						reply, err := p.Call(ctx, body)
						if err != nil || !bytes.Equal(reply, body) {
							t.Errorf("%d B: %d came back, %v", n, len(reply), err)
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// TestMoreMessagesThanHandlers has messages wait for their turn.
func TestMoreMessagesThanHandlers(t *testing.T) {
	server, client := echo(t, wire.Config{Handlers: 2}), open(t, wire.Config{})
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			for range 4 {
				reply, err := p.Call(t.Context(), []byte{byte(i)})
				if err != nil || !bytes.Equal(reply, []byte{byte(i)}) {
					t.Errorf("%d: %v came back, %v", i, reply, err)
				}
			}
		})
	}
	all.Wait()
}

// TestErrors has messages end with the errors that the documentation names.
func TestErrors(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client := open(t, wire.Config{Silence: 2 * time.Second})
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := client.Dial(short, "127.0.0.1:9"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a dial that is given up: %v", err)
	}
	if _, err := client.Dial(ctx, "127.0.0.1:9"); !errors.Is(err, wire.ErrSilent) {
		t.Errorf("a dial of nobody: %v", err)
	}

	deaf := open(t, wire.Config{})
	p, err := client.Dial(ctx, deaf.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Send(ctx, []byte("x")); !errors.Is(err, wire.ErrRefused) {
		t.Errorf("a message to who takes none: %v", err)
	}
	small := echo(t, wire.Config{Largest: unit.KB, Memory: unit.MB})
	if p, err = client.Dial(ctx, small.Addr().String()); err != nil {
		t.Fatal(err)
	}
	var refused *wire.RefusedError
	if err := p.Send(ctx, make([]byte, 2000)); !errors.As(err, &refused) || !errors.Is(err, wire.ErrRefused) {
		t.Errorf("a message that is too large: %v", err)
	}
	if _, err := p.Call(ctx, make([]byte, 1000)); err != nil {
		t.Errorf("and one that is not: %v", err)
	}
	if err := small.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := p.Send(ctx, []byte("x")); !errors.Is(err, wire.ErrSilent) {
		t.Errorf("a message to who is gone: %v", err)
	}

	other := open(t, wire.Config{Secret: []byte("another"), Silence: 2 * time.Second})
	if _, err := other.Dial(ctx, deaf.Addr().String()); !errors.Is(err, wire.ErrSilent) {
		t.Errorf("a dial with a secret of who has none: %v", err)
	}
	large := open(t, wire.Config{Datagram: 9000})
	if _, err := large.Dial(ctx, deaf.Addr().String()); !errors.Is(err, wire.ErrMismatch) {
		t.Errorf("a dial of who has datagrams of another size: %v", err)
	}
	if _, err := wire.Listen("127.0.0.1:0", wire.Config{Datagram: 3}); err == nil {
		t.Error("datagrams of 3 B are taken")
	}
}

// TestLargeDatagrams finds out that the loopback takes large datagrams, and sends them.
func TestLargeDatagrams(t *testing.T) {
	c := wire.Config{Datagram: 30_000, Secret: []byte("what both know")}
	server, client := echo(t, c), open(t, c)
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); p.Datagram() < c.Datagram; {
		if _, err := p.Call(t.Context(), make([]byte, 100_000)); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) > 30*time.Second {
			t.Fatalf("datagrams of %v are sent", p.Datagram())
		}
	}
	if client.Stats().Split == 0 {
		t.Error("nothing went in pieces before")
	}
}

// TestCancel gives up a message in the middle: the call returns at once, and others go on.
func TestCancel(t *testing.T) {
	server := echo(t, wire.Config{Rate: unit.Gbps, Largest: 500 * unit.MB, Memory: unit.GB})
	client := open(t, wire.Config{Rate: unit.Gbps, Largest: 500 * unit.MB, Memory: unit.GB})
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.Send(ctx, make([]byte, 400_000_000)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a message that is given up: %v", err)
	}
	if _, err := p.Call(t.Context(), []byte("x")); err != nil {
		t.Error(err)
	}
}

// TestDeadHandler has a peer die while it works on a request: the call ends. One that works for long is waited for.
func TestDeadHandler(t *testing.T) {
	t.Parallel()
	quick := wire.Config{Silence: 2 * time.Second}
	slow := quick
	slow.Handler = func(ctx context.Context, m *wire.Message) {
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Second):
			_ = m.Reply(ctx, m.Body)
		}
	}
	server, client := open(t, slow), open(t, quick)
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Call(t.Context(), []byte("x")); err != nil {
		t.Errorf("a reply that takes two silences: %v", err)
	}
	hasty, cancel := context.WithCancel(t.Context())
	cancel()
	time.AfterFunc(100*time.Millisecond, func() { _ = server.Close(hasty) })
	if _, err := p.Call(t.Context(), []byte("x")); !errors.Is(err, wire.ErrSilent) && !errors.Is(err, wire.ErrRestarted) {
		t.Errorf("a call of who dies: %v", err)
	}
}

func Example() {
	ctx := context.Background()
	server, err := wire.Listen("127.0.0.1:0", wire.Config{Handler: func(ctx context.Context, m *wire.Message) {
		_ = m.Reply(ctx, append([]byte("hello, "), m.Body...))
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close(ctx)
	client, err := wire.Listen("127.0.0.1:0", wire.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close(ctx)
	peer, err := client.Dial(ctx, server.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := peer.Call(ctx, []byte("world"))
	fmt.Println(string(reply), err)
	// Output: hello, world <nil>
}

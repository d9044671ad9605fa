package wire_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weft/wire"
)

// lazy returns an endpoint with one handler that takes a while for each message, and answers requests, and counts what it
// handled.
func lazy(t *testing.T, each time.Duration) (*wire.Endpoint, *atomic.Int64) {
	handled := new(atomic.Int64)
	return open(t, wire.Config{Handlers: 1, Handler: func(ctx context.Context, m *wire.Message) {
		select {
		case <-time.After(each):
		case <-ctx.Done():
		}
		if m.IsRequest() {
			_ = m.Reply(ctx, m.Body)
		}
		handled.Add(1)
	}}), handled
}

// TestCloseHandles closes an endpoint whose handler is behind: what it confirmed is handled, requests get their replies, and what
// begins after is refused.
func TestCloseHandles(t *testing.T) {
	server, handled := lazy(t, 10*time.Millisecond)
	client := open(t, wire.Config{})
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	const messages, calls = 20, 5
	var calling sync.WaitGroup
	for range calls {
		calling.Go(func() {
			if _, err := p.Call(t.Context(), []byte("x")); err != nil {
				t.Errorf("a call: %v", err)
			}
		})
	}
	for range messages {
		if err := p.Send(t.Context(), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for server.Stats().Delivered < messages+calls {
		time.Sleep(time.Millisecond)
	}
	var late error
	calling.Go(func() {
		time.Sleep(20 * time.Millisecond)
		late = p.Send(t.Context(), []byte("late"))
	})
	if err := server.Close(t.Context()); err != nil {
		t.Errorf("close: %v", err)
	}
	if n := handled.Load(); n != messages+calls {
		t.Errorf("%d messages were handled", n)
	}
	calling.Wait()
	var refused *wire.RefusedError
	if !errors.As(late, &refused) || refused.Reason != wire.NobodyListens {
		t.Errorf("what begins after: %v", late)
	}
}

// TestCloseHastily does not wait: what was confirmed is handled all the same, with a context that has ended.
func TestCloseHastily(t *testing.T) {
	server, handled := lazy(t, time.Hour)
	client := open(t, wire.Config{})
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	const messages = 20
	for range messages {
		if err := p.Send(t.Context(), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := server.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	if n := handled.Load(); n != messages {
		t.Errorf("%d messages were handled", n)
	}
}

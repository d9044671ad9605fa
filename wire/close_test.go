package wire_test

import (
	"context"
	"errors"
	"strings"
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
	if !errors.As(late, &refused) || refused.Reason != wire.Leaving {
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

// TestCloseIsTold has a server close while it is sent to and while it owes a reply, and another one, of another ID, begin at
// its address: clients hear of it at once, and the next message goes to the new one.
func TestCloseIsTold(t *testing.T) {
	for _, secret := range []string{"", "what both know"} {
		began := make(chan struct{})
		first := open(t, wire.Config{Secret: []byte(secret), Handler: func(ctx context.Context, m *wire.Message) {
			close(began)
			<-ctx.Done()
		}})
		client := open(t, wire.Config{Secret: []byte(secret), Silence: 20 * time.Second})
		p, err := client.Dial(t.Context(), first.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := p.Call(t.Context(), []byte("x"))
			ended <- err
		}()
		<-began
		hasty, cancel := context.WithCancel(t.Context())
		cancel()
		if err := first.Close(hasty); !errors.Is(err, context.Canceled) {
			t.Errorf("close: %v", err)
		}
		at := time.Now()
		if err := <-ended; !errors.Is(err, wire.ErrRestarted) || time.Since(at) > 5*time.Second {
			t.Errorf("a call of who closes ended after %v with: %v", time.Since(at), err)
		}
		second, err := wire.Listen(first.Addr().String(), wire.Config{Secret: []byte(secret), Handler: func(context.Context, *wire.Message) {}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = second.Close(t.Context()) })
		if err := p.Send(t.Context(), []byte("x")); err != nil {
			t.Errorf("a message to who came after: %v", err)
		}
	}
}

// TestCallerGivesUp has a caller give up while its request is handled: the handler's context ends, and its reply says why it is for
// nobody. A second reply is refused.
func TestCallerGivesUp(t *testing.T) {
	replies := make(chan error, 2)
	server := open(t, wire.Config{Handler: func(ctx context.Context, m *wire.Message) {
		if len(m.Body) > 0 {
			<-ctx.Done()
		}
		for range 2 {
			replies <- m.Reply(context.Background(), nil)
		}
	}})
	client := open(t, wire.Config{})
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Call(short, []byte("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that is given up: %v", err)
	}
	for range 2 {
		if err := <-replies; err == nil || !strings.Contains(err.Error(), "no longer waits") {
			t.Errorf("a reply that nobody waits for: %v", err)
		}
	}
	if _, err := p.Call(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if err := <-replies; err != nil {
		t.Errorf("a reply: %v", err)
	}
	if err := <-replies; err == nil || !strings.Contains(err.Error(), "has a reply already") {
		t.Errorf("another reply: %v", err)
	}
}

// TestReplyTooLarge has a reply be larger than the caller takes: both sides hear of it.
func TestReplyTooLarge(t *testing.T) {
	replied := make(chan error, 1)
	server := open(t, wire.Config{Handler: func(ctx context.Context, m *wire.Message) {
		replied <- m.Reply(ctx, make([]byte, 100_000))
	}})
	client := open(t, wire.Config{Largest: 10_000})
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var refused *wire.RefusedError
	if _, err := p.Call(t.Context(), nil); !errors.As(err, &refused) || refused.Reason != wire.TooLarge || !refused.Reply {
		t.Errorf("the call: %v", err)
	}
	if err := <-replied; !errors.As(err, &refused) || refused.Reply {
		t.Errorf("the reply: %v", err)
	}
	if n := client.Stats().Refused; n != 1 {
		t.Errorf("%d messages were refused", n)
	}
}

// TestDialSelf dials an endpoint's own address.
func TestDialSelf(t *testing.T) {
	for _, secret := range []string{"", "what both know"} {
		e := open(t, wire.Config{Secret: []byte(secret)})
		if _, err := e.Dial(t.Context(), e.Addr().String()); err == nil || !strings.Contains(err.Error(), "of this endpoint") {
			t.Errorf("dial: %v", err)
		}
	}
}

// TestCloseIsToldToAll has more peers than datagrams that leave in one go: each hears that the server closes.
func TestCloseIsToldToAll(t *testing.T) {
	const clients = 80
	began := make(chan struct{}, clients)
	server := open(t, wire.Config{Handlers: clients, Handler: func(ctx context.Context, m *wire.Message) {
		began <- struct{}{}
		<-ctx.Done()
	}})
	ended := make(chan error, clients)
	for range clients {
		client := open(t, wire.Config{Ports: 1, Silence: time.Minute})
		p, err := client.Dial(t.Context(), server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := p.Call(t.Context(), []byte("x"))
			ended <- err
		}()
		<-began
	}
	hasty, cancel := context.WithCancel(t.Context())
	cancel()
	_ = server.Close(hasty)
	for i := range clients {
		select {
		case err := <-ended:
			if !errors.Is(err, wire.ErrRestarted) {
				t.Errorf("a call ended with: %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("only %d of %d clients heard of it", i, clients)
		}
	}
}

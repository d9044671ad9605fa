package wire

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"

	"weft/unit"
	"weft/wire/internal/carrier"
)

// Peer is another endpoint at an address. It stays usable if that endpoint restarts: the next
// message connects to whichever endpoint is there then. For an endpoint to keep its ID, set
// Config.ID.
type Peer struct {
	e *Endpoint

	mu   sync.Mutex // serializes reconnecting
	core *carrier.Peer
}

// ID returns the peer's ID.
func (p *Peer) ID() ID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return ID(p.core.ID)
}

// Datagram returns the size of the largest datagram currently sent to the peer. It is below
// Config.Datagram if the path takes only smaller ones, and until that is known.
func (p *Peer) Datagram() unit.Bytes {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.e.mu.Lock()
	defer p.e.mu.Unlock()
	return p.core.Datagram()
}

// Send sends a one-way message. It returns nil once the peer has confirmed it, or an error that
// says why it failed. It waits for room while too much is under way. The body must not change
// until Send returns.
func (p *Peer) Send(ctx context.Context, body []byte) error {
	_, err := p.send(ctx, carrier.OneWay, 0, body)
	if err != nil {
		return fmt.Errorf("wire: send: %w", err)
	}
	return nil
}

// Call sends a request and returns the reply.
func (p *Peer) Call(ctx context.Context, body []byte) ([]byte, error) {
	reply, err := p.send(ctx, carrier.Request, 0, body)
	if err != nil {
		return nil, fmt.Errorf("wire: call: %w", err)
	}
	return reply, nil
}

// send sends a message and waits for its end, and for a request also for the reply.
func (p *Peer) send(ctx context.Context, kind carrier.Kind, number uint64, body []byte) (reply []byte, err error) {
	e := p.e
	cost := int64(len(body)) + int64(carrier.Overhead)
	if cost > int64(e.cfg.Memory) {
		return nil, fmt.Errorf("a message of %d B is larger than Config.Memory, %v", len(body), e.cfg.Memory)
	}
	if err := e.room.Acquire(ctx, cost); err != nil {
		return nil, fmt.Errorf("no room in Config.Memory: %w", err)
	}
	defer e.room.Release(cost)
	core, err := p.connected(ctx)
	if err != nil {
		return nil, err
	}
	w, err := e.submit(core, kind, number, body)
	if err != nil {
		return nil, err
	}
	return e.await(ctx, w)
}

// submit hands a message to the carrier and returns what waits for its end.
func (e *Endpoint) submit(to *carrier.Peer, kind carrier.Kind, number uint64, body []byte) (*wait, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.closing && kind != carrier.Reply {
		return nil, ErrClosed
	}
	h, err := e.carrier.Submit(e.now(), to, kind, number, body)
	if err != nil {
		return nil, err
	}
	w := e.newWait(h)
	if kind == carrier.Request {
		e.replied(w, to)
	}
	e.handleEvents()
	e.pump()
	return w, nil
}

// connected returns the carrier's peer. If the carrier has dropped it, connected dials the
// address again.
func (p *Peer) connected(ctx context.Context) (*carrier.Peer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.e.mu.Lock()
	gone, to := p.core.Gone(), p.core.Addr()
	p.e.mu.Unlock()
	if !gone {
		return p.core, nil
	}
	if to == (netip.AddrPort{}) {
		return nil, ErrSilent
	}
	q, err := p.e.dial(ctx, to)
	if err != nil {
		return nil, err
	}
	p.core = q.core
	return p.core, nil
}

// Message is an arrived message. Its body belongs to the handler.
type Message struct {
	Body []byte

	e       *Endpoint
	from    *carrier.Peer
	number  uint64
	request bool
	replied atomic.Bool
	ctx     context.Context // of its handler
	end     context.CancelCauseFunc
}

// Peer returns the sender.
func (m *Message) Peer() *Peer {
	m.e.mu.Lock()
	defer m.e.mu.Unlock()
	return m.e.peer(m.from)
}

// IsRequest reports whether the sender waits for a reply.
func (m *Message) IsRequest() bool { return m.request }

// errUnawaited ends the context of a handler whose caller no longer waits.
var errUnawaited = errors.New("the caller no longer waits for the reply")

// Reply answers a request, once. It returns nil once the reply is confirmed, or an error that
// says why it failed. It may be called after the handler has returned. The body must not change
// until Reply returns. A caller that gets no reply waits until its context ends.
func (m *Message) Reply(ctx context.Context, body []byte) error {
	if !m.request {
		return fmt.Errorf("wire: reply: the message is no request")
	}
	if err := context.Cause(m.ctx); errors.Is(err, errUnawaited) {
		return fmt.Errorf("wire: reply: %w", err)
	}
	if m.gone() { // the caller has lost its state
		return fmt.Errorf("wire: reply: %w", ErrRestarted)
	}
	if !m.replied.CompareAndSwap(false, true) {
		return fmt.Errorf("wire: reply: the request has a reply already")
	}
	p := &Peer{e: m.e, core: m.from}
	if _, err := p.send(ctx, carrier.Reply, m.number, body); err != nil {
		m.replied.Store(false)
		return fmt.Errorf("wire: reply: %w", err)
	}
	return nil
}

func (m *Message) gone() bool {
	m.e.mu.Lock()
	defer m.e.mu.Unlock()
	return m.from.Gone()
}

package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"weft/unit"
	"weft/wire/internal/burst"
	"weft/wire/internal/carrier"
	"weft/wire/internal/pcapng"
	"weft/wire/internal/socket"
)

// Endpoint sends and receives messages at one UDP address.
type Endpoint struct {
	cfg   Config
	bank  *socket.Bank
	began time.Time
	room  *semaphore.Weighted // for messages to send, in bytes
	pcap  *pcapng.Writer      // nil without capture

	ctx    context.Context // parent of handlers' contexts
	cancel context.CancelFunc
	done   sync.WaitGroup // all goroutines
	spare  sync.Pool      // of *wait
	waiter *socket.Waiter // the pacer's

	mu      sync.Mutex
	carrier *carrier.Carrier
	out     *burst.Sender
	schedule
	late    lateness
	closing bool // only replies may begin
	closed  bool
	waiting map[uint64]*wait // for the end of messages, by handle
	dialing map[uint64]chan dialed
	calls   map[call]*wait
	asked   map[call]*Message // requests of peers that are handled or wait for a handler
	peers   map[*carrier.Peer]*Peer
	paths   map[*carrier.Peer]*burst.Path
	lately  lately
	handlers
	drained *sync.Cond // signalled, while closing, when nothing is under way
}

type dialed struct {
	peer *Peer
	err  error
}

// Listen opens an endpoint at a UDP address in the syntax of net.ListenPacket: ":4000", or ":0"
// for any port.
func Listen(addr string, c Config) (*Endpoint, error) {
	return listen(addr, c, func(b *socket.Bank) burst.Link { return b })
}

// listen is Listen with a link of the caller's for outgoing datagrams.
func listen(addr string, c Config, by func(*socket.Bank) burst.Link) (*Endpoint, error) {
	c = c.filled()
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	bank, err := socket.Listen(addr, socket.Options{Ports: c.Ports, ECN: true, Merge: true})
	if err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	alone := c.Burst == 1 || bank.Offload().SendOff != ""
	carried, err := c.carried(alone)
	if err != nil {
		_ = bank.Close()
		return nil, fmt.Errorf("wire: %w", err)
	}
	core, err := carrier.New(carried)
	if err != nil {
		_ = bank.Close()
		return nil, fmt.Errorf("wire: %w", err)
	}
	c.ID = ID(carried.ID)
	e := &Endpoint{
		cfg: c, bank: bank, began: time.Now(), room: semaphore.NewWeighted(int64(c.Memory)), carrier: core, waiter: socket.NewWaiter(),
		waiting: map[uint64]*wait{}, dialing: map[uint64]chan dialed{}, calls: map[call]*wait{}, asked: map[call]*Message{}, peers: map[*carrier.Peer]*Peer{},
		paths: map[*carrier.Peer]*burst.Path{}, out: burst.NewSender(by(bank), int(c.Datagram), picoseconds(c.RTT), alone),
		schedule: schedule{confirmDelay: confirmDelay{deadline: unit.Forever}},
	}
	e.capture()
	e.drained = sync.NewCond(&e.mu)
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.done.Add(2)
	go e.receive()
	go e.pace()
	if c.Handler != nil {
		e.done.Add(c.Handlers)
		for range c.Handlers {
			go e.handle()
		}
	}
	return e, nil
}

// ID returns the endpoint's ID.
func (e *Endpoint) ID() ID { return e.cfg.ID }

// Addr returns the address at which the endpoint listens.
func (e *Endpoint) Addr() netip.AddrPort { return e.bank.LocalAddr() }

// now returns the time of the carrier's clock.
func (e *Endpoint) now() unit.Time { return picoseconds(time.Since(e.began)) }

// handleEvents handles the carrier's events.
func (e *Endpoint) handleEvents() {
	for _, v := range e.carrier.Events() {
		switch v.Kind {
		case carrier.Connected:
			p := e.peer(v.Peer)
			if ch := e.dialing[v.Handle]; ch != nil {
				delete(e.dialing, v.Handle)
				ch <- dialed{peer: p}
			}
		case carrier.DialFailed:
			if ch := e.dialing[v.Handle]; ch != nil {
				delete(e.dialing, v.Handle)
				ch <- dialed{err: v.Err}
			}
		case carrier.Ended:
			e.confirmed++
			if w := e.waiting[v.Handle]; w != nil {
				e.ended(w, refusal(v.Err))
			}
		case carrier.Arrived:
			e.deliver(&v.Message)
		case carrier.Unawaited:
			if m := e.asked[call{v.Peer, v.Message.Number}]; m != nil {
				m.end(errUnawaited)
			}
		case carrier.ReplyRefused:
			e.answer(call{v.Peer, v.Message.Number}, nil, refusal(v.Err))
		case carrier.Parted:
			for key := range e.calls {
				if key.peer == v.Peer {
					e.answer(key, nil, v.Err)
				}
			}
			for key, m := range e.asked {
				if key.peer == v.Peer {
					m.end(v.Err)
				}
			}
			delete(e.peers, v.Peer)
			e.part(v.Peer)
		}
	}
}

// deliver hands an arrived message to its handler, or a reply to its caller.
func (e *Endpoint) deliver(m *carrier.Message) {
	e.answers(m)
	if m.Kind == carrier.Reply {
		e.carrier.Read(len(m.Body))
		e.answer(call{m.Peer, m.Number}, m.Body, nil)
		return
	}
	in := &Message{Body: m.Body, e: e, from: m.Peer, number: m.Number, request: m.Kind == carrier.Request, ctx: e.ctx}
	if in.request {
		in.ctx, in.end = context.WithCancelCause(e.ctx)
		e.asked[call{m.Peer, m.Number}] = in
	}
	e.hand(in)
}

// peer returns the Peer for a carrier's peer.
func (e *Endpoint) peer(p *carrier.Peer) *Peer {
	if q := e.peers[p]; q != nil {
		return q
	}
	q := &Peer{e: e, core: p}
	e.peers[p] = q
	return q
}

// Dial connects to an endpoint at an address host:port. Its errors include ErrSilent, ErrMismatch
// and the context's.
func (e *Endpoint) Dial(ctx context.Context, addr string) (*Peer, error) {
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("wire: dial: %w", err) // the error names the address
	}
	to, err := net.DefaultResolver.LookupNetIP(ctx, "ip", cmp.Or(host, "localhost"))
	if err != nil {
		return nil, fmt.Errorf("wire: dial %s: %w", addr, err)
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "udp", service)
	if err != nil {
		return nil, fmt.Errorf("wire: dial %s: %w", addr, err)
	}
	last := error(nil)
	for _, ip := range to {
		if e.Addr().Addr().Is4() && !ip.Unmap().Is4() {
			continue
		}
		p, err := e.dial(ctx, netip.AddrPortFrom(ip.Unmap(), uint16(port)))
		if err == nil {
			return p, nil
		}
		last = err
	}
	if last == nil {
		last = errors.New("no address of a family that this endpoint has")
	}
	return nil, fmt.Errorf("wire: dial %s: %w", addr, last)
}

func (e *Endpoint) dial(ctx context.Context, to netip.AddrPort) (*Peer, error) {
	if a := to.Addr(); to.Port() == 0 || a.IsMulticast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return nil, fmt.Errorf("nobody can stand at %v", to)
	}
	ch := make(chan dialed, 1)
	e.mu.Lock()
	if e.closing {
		e.mu.Unlock()
		return nil, ErrClosed
	}
	h := e.carrier.Dial(e.now(), to)
	e.dialing[h] = ch
	e.pump()
	e.mu.Unlock()
	select {
	case d := <-ch:
		return d.peer, d.err
	case <-ctx.Done():
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dialing[h] == nil { // it ended meanwhile
		d := <-ch
		return d.peer, d.err
	}
	delete(e.dialing, h)
	e.carrier.Hang(h)
	return nil, ctx.Err()
}

// notifyDrained wakes Close when nothing is under way any more.
func (e *Endpoint) notifyDrained() {
	if e.closing && !e.busy() {
		e.drained.Broadcast()
	}
}

// busy reports whether anything is under way: sending, waiting for a reply, or handling.
func (e *Endpoint) busy() bool {
	return len(e.waiting)+len(e.calls) > 0 || !e.inbox.Empty() || e.cfg.Handler != nil && len(e.idle) < e.cfg.Handlers
}

// Close shuts the endpoint down. It waits until everything being sent and handled has ended. If
// the context ends first, Close gives up messages under way, ends the contexts of handlers, and
// returns the context's error. Meanwhile new messages from peers are refused. Messages already
// confirmed to a peer are handled in any case. Close returns when the last handler has.
func (e *Endpoint) Close(ctx context.Context) (err error) {
	stop := context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.drained.Broadcast()
	})
	defer stop()
	e.mu.Lock()
	if e.closing {
		e.mu.Unlock()
		return ErrClosed
	}
	e.closing = true
	e.carrier.Leave()
	for e.busy() && ctx.Err() == nil && e.carrier.Err() == nil {
		e.drained.Wait()
	}
	if e.busy() {
		err = ctx.Err()
	}
	e.closed = true
	if e.deadline < unit.Forever {
		e.pump()
	}
	e.carrier.Close(e.now())
	e.handleEvents()
	for e.carrier.Wake(e.now()) < unit.Forever { // until all peers are told or the kernel has no room
		e.pump()
	}
	for key := range e.calls {
		e.answer(key, nil, ErrClosed)
	}
	e.cancel()
	e.dismiss()
	e.waiter.Wake()
	bug := errors.Join(e.carrier.Err(), e.carrier.RecordErr())
	e.mu.Unlock()
	_ = e.bank.Close()
	e.done.Wait()
	e.waiter.Close()
	return errors.Join(err, bug, e.captured())
}

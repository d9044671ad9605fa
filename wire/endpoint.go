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

	"weft/internal/fifo"
	"weft/unit"
	"weft/wire/internal/carrier"
	"weft/wire/internal/socket"
)

// Why a message or a dial ended otherwise than well. Contexts add their own.
var (
	ErrSilent    = carrier.ErrSilent
	ErrRestarted = carrier.ErrRestarted
	ErrRefused   = carrier.ErrRefused
	ErrMismatch  = carrier.ErrMismatch
	ErrClosed    = carrier.ErrClosed
)

// RefusedError says why a peer refused a message. It wraps ErrRefused.
type RefusedError = carrier.RefusedError

// Reason is why.
type Reason = carrier.Reason

// Reasons.
const (
	TooLarge      = carrier.TooLarge
	NoMemory      = carrier.NoMemory
	NobodyListens = carrier.NobodyListens
)

// Endpoint sends and takes messages at one UDP address.
type Endpoint struct {
	cfg   Config
	bank  *socket.Bank
	began time.Time
	room  *semaphore.Weighted // for messages to send, in bytes

	ctx    context.Context // of handlers
	cancel context.CancelFunc
	done   sync.WaitGroup // goroutines
	waiter *socket.Waiter // of the pacer

	mu        sync.Mutex
	carrier   *carrier.Carrier
	paced     unit.Time // when the pacer looks next
	oversized uint64
	closing   bool
	waiting   map[uint64]chan error // for ends of messages
	dialing   map[uint64]chan dialed
	calls     map[call]chan answer
	peers     map[*carrier.Peer]*Peer
	inbox     fifo.Queue[*Message] // that wait for a handler
	some      *sync.Cond           // there is something in inbox, or the endpoint closes
	drained   *sync.Cond           // nothing of this endpoint is under way
	buffer    []byte
}

type dialed struct {
	peer *Peer
	err  error
}

// call names a request that waits for its reply.
type call struct {
	peer   *carrier.Peer
	number uint64
}

type answer struct {
	body []byte
	err  error
}

// Listen opens an endpoint at a UDP address, as net.ListenPacket takes it: ":4000", or ":0" for any port.
func Listen(addr string, c Config) (*Endpoint, error) {
	c = c.filled()
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	carried, err := c.carried()
	if err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	core, err := carrier.New(carried)
	if err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	bank, err := socket.Listen(addr, socket.Options{Ports: c.Ports, ECN: true})
	if err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	c.ID = ID(carried.ID)
	e := &Endpoint{
		cfg: c, bank: bank, began: time.Now(), room: semaphore.NewWeighted(int64(c.Memory)), carrier: core, waiter: socket.NewWaiter(),
		waiting: map[uint64]chan error{}, dialing: map[uint64]chan dialed{}, calls: map[call]chan answer{}, peers: map[*carrier.Peer]*Peer{},
		buffer: make([]byte, 1<<16),
	}
	e.some, e.drained = sync.NewCond(&e.mu), sync.NewCond(&e.mu)
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

// ID returns the endpoint's.
func (e *Endpoint) ID() ID { return e.cfg.ID }

// Addr returns where the endpoint listens.
func (e *Endpoint) Addr() netip.AddrPort { return e.bank.LocalAddr() }

// now is the time of the carrier's clock.
func (e *Endpoint) now() unit.Time { return picoseconds(time.Since(e.began)) }

// receive hands datagrams that arrive to the carrier.
func (e *Endpoint) receive() {
	defer e.done.Done()
	const batch, size = 32, 1 << 16
	buffer := make([]byte, batch*size)
	list := make([]socket.Datagram, batch)
	for {
		for i := range list {
			list[i].Data = buffer[i*size : i*size : (i+1)*size]
		}
		n, err := e.bank.Receive(list)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil && n == 0 { // it may last
			time.Sleep(time.Millisecond)
			continue
		}
		e.mu.Lock()
		now := e.now()
		for _, d := range list[:n] {
			e.carrier.Arrive(now, d.From, d.Data, d.Marked)
			e.heed()
		}
		e.pump()
		e.mu.Unlock()
	}
}

// mostAtOnce is how many datagrams are sent before others may have the lock.
const mostAtOnce = 64

// pump sends what may be sent now, and has the pacer send what may be later.
func (e *Endpoint) pump() {
	for range mostAtOnce {
		d, ok := e.carrier.Next(e.now(), e.buffer)
		e.heed()
		if !ok {
			break
		}
		// What the kernel or the path does not take is lost, as in any queue.
		var size *socket.SizeError
		if err := e.bank.Send(d.Port, d.To, e.buffer[:d.Size]); errors.As(err, &size) {
			e.oversized++
		}
	}
	if at := e.carrier.Wake(e.now()); at < e.paced {
		e.paced = at
		e.waiter.Wake()
	}
}

// pace calls the carrier when time has passed.
func (e *Endpoint) pace() {
	defer e.done.Done()
	for e.ctx.Err() == nil {
		e.mu.Lock()
		e.carrier.Expire(e.now())
		e.heed()
		e.paced = 0 // it looks itself
		e.pump()
		at := e.carrier.Wake(e.now())
		e.paced = at
		e.mu.Unlock()
		if at <= e.now() {
			continue
		}
		until := e.began.Add(longest)
		if at < unit.Forever {
			until = e.began.Add(time.Duration(at/unit.Nanosecond) + 1)
		}
		e.waiter.Until(until, nil)
	}
}

// longest is how long an endpoint lives.
const longest = 100 * 365 * 24 * time.Hour

// heed acts on what the carrier reports.
func (e *Endpoint) heed() {
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
			if ch := e.waiting[v.Handle]; ch != nil {
				delete(e.waiting, v.Handle)
				ch <- v.Err
			}
			if len(e.waiting) == 0 {
				e.drained.Broadcast()
			}
		case carrier.Arrived:
			e.take(&v.Message)
		case carrier.Parted:
			for key, ch := range e.calls {
				if key.peer == v.Peer {
					e.settle(key)
					ch <- answer{err: v.Err}
				}
			}
			delete(e.peers, v.Peer)
		}
	}
}

// take hands a message to who waits for it.
func (e *Endpoint) take(m *carrier.Message) {
	if m.Kind == carrier.Reply {
		e.carrier.Read(len(m.Body))
		key := call{m.Peer, m.Number}
		if ch := e.settle(key); ch != nil {
			ch <- answer{body: m.Body}
		}
		return
	}
	e.inbox.Push(&Message{Body: m.Body, e: e, from: m.Peer, number: m.Number, request: m.Kind == carrier.Request})
	e.some.Signal()
}

// handle calls the handler for one message after another.
func (e *Endpoint) handle() {
	defer e.done.Done()
	for {
		e.mu.Lock()
		for e.inbox.Empty() && e.ctx.Err() == nil {
			e.some.Wait()
		}
		if e.ctx.Err() != nil {
			e.mu.Unlock()
			return
		}
		m := e.inbox.First()
		*e.inbox.At(0) = nil // the ring is kept
		e.inbox.Pop()
		size := len(m.Body)
		e.mu.Unlock()
		e.cfg.Handler(e.ctx, m)
		e.mu.Lock()
		e.carrier.Read(size)
		e.mu.Unlock()
	}
}

// peer returns a peer that stands for the carrier's.
func (e *Endpoint) peer(p *carrier.Peer) *Peer {
	if q := e.peers[p]; q != nil {
		return q
	}
	q := &Peer{e: e, core: p}
	e.peers[p] = q
	return q
}

// Dial connects to an endpoint at an address, host:port. Its errors are ErrSilent, ErrMismatch and the context's, among others.
func (e *Endpoint) Dial(ctx context.Context, addr string) (*Peer, error) {
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("wire: dial: %w", err) // which names the address
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

// Close ends the endpoint once all that it sends has ended, or the context has. Messages that arrive meanwhile are still handled; contexts of handlers
// end then. The error is that of the context if messages were given up.
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
	for len(e.waiting) > 0 && ctx.Err() == nil && e.carrier.Err() == nil {
		e.drained.Wait()
	}
	if len(e.waiting) > 0 {
		err = ctx.Err()
	}
	e.carrier.Close()
	e.heed()
	for key, ch := range e.calls {
		e.settle(key)
		ch <- answer{err: ErrClosed}
	}
	e.cancel()
	e.some.Broadcast()
	e.waiter.Wake()
	bug := errors.Join(e.carrier.Err(), e.carrier.RecordErr())
	e.mu.Unlock()
	_ = e.bank.Close()
	e.done.Wait()
	e.waiter.Close()
	return errors.Join(err, bug)
}

package fleet

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"weft/transport"
	"weft/unit"
	"weft/wire"
)

// Config describes a fleet.
type Config struct {
	// Hosts are the hosts' names, Addr returns their addresses, and Rate the rates of their links.
	Hosts []string
	Addr  func(host int) netip.Addr
	Rate  func(host int) unit.Rate
	// Port is where endpoints listen; 0 means any free port.
	Port int
	// In runs a function so that the sockets it opens belong to a host.
	In func(host int, f func() error) error
	// Transport is the transport of all endpoints, RTT the base round trip for which
	// it is set, and Datagram the largest datagram.
	Transport wire.Custom
	RTT       time.Duration
	Datagram  unit.Bytes
	// Convergence has the window in which receivers measure how long senders take to
	// notice others; nil if they do not measure.
	Convergence *transport.Convergence
	// Memory is the memory of each endpoint for outgoing messages. A message that has
	// to wait for memory is sent later than the scenario says: see Blocked.
	Memory unit.Bytes
}

// Fleet is the endpoints of all hosts.
type Fleet struct {
	config  Config
	memory  unit.Bytes
	members []*member
	ctx     context.Context // of messages
	cancel  context.CancelFunc
	senders sync.WaitGroup
	blocked atomic.Bool

	clock atomic.Pointer[clock] // set by Begin, read by handlers of endpoints

	convergence convergence

	mu    sync.Mutex // guards notes
	noted atomic.Bool
	notes []note
	spare []note

	told told

	bodying sync.Mutex
	bodies  map[unit.Bytes][][]byte // free message bodies, by size
}

// member is the endpoint of a host.
type member struct {
	*wire.Endpoint
	host   int
	peers  []*wire.Peer
	held   atomic.Int64
	credit credit
}

// note is an event of a message.
type note struct {
	m       transport.Carried
	at      unit.Time
	arrived bool
	err     error
}

const (
	// head is how many bytes at the start of a message identify it.
	head = 8
	// sockets is the number of source ports of each endpoint, as long as all endpoints together
	// have at most mostSockets. With fewer ports, hashing divides some next hops poorly.
	sockets, mostSockets = 256, 4096
	// MostHosts limits the number of hosts, since each pair of hosts has a session.
	MostHosts = 64
	// memory is the default memory of an endpoint.
	memory = unit.GiB
	// silence is how long a peer may be silent, for example while its links are down.
	silence = time.Hour
	// handlers is how many messages an endpoint records concurrently.
	handlers = 4
)

// Sizes returns the payload of a host's full packet, and what the packet adds to it
// on the wire. Its error comes from wire.Config.Sizes.
func Sizes(c *Config, host int) (payload, header unit.Bytes, err error) {
	return c.endpoint(host).Sizes()
}

// Ports returns how many source ports each endpoint has, given the number of hosts.
func Ports(hosts int) int { return min(sockets, mostSockets/hosts) }

// endpoint returns the configuration of a host's endpoint.
func (c *Config) endpoint(host int) wire.Config {
	mem := cmp.Or(c.Memory, memory)
	return wire.Config{
		Rate: c.Rate(host), RTT: c.RTT, Datagram: c.Datagram, Fits: true, Peers: len(c.Hosts) + 1, Largest: mem, Memory: mem,
		Silence: silence, Ports: Ports(len(c.Hosts)), Handlers: handlers, Burst: 1, Custom: &c.Transport,
	}
}

// Open opens the endpoints. Their packets are lost until the fabric runs.
func Open(c Config) (*Fleet, error) {
	f := &Fleet{config: c, memory: c.endpoint(0).Memory, bodies: map[unit.Bytes][][]byte{}}
	if c.Convergence != nil {
		f.convergence.clock, f.convergence.sum = &f.clock, c.Convergence.Anew()
	}
	f.Begin(func() unit.Time { return 0 }, func() {})
	f.ctx, f.cancel = context.WithCancel(context.Background())
	for h := range c.Hosts {
		m := &member{host: h, peers: make([]*wire.Peer, len(c.Hosts))}
		cfg := c.endpoint(h)
		custom := *cfg.Custom
		custom.Control = f.watchConvergence(m.credit.watch(custom.Control))
		cfg.Custom, cfg.Handler = &custom, func(_ context.Context, in *wire.Message) { f.arrived(m, in) }
		err := c.In(h, func() (err error) {
			m.Endpoint, err = wire.Listen(net.JoinHostPort(c.Addr(h).String(), strconv.Itoa(c.Port)), cfg)
			return err
		})
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("open the endpoint of %s: %w", c.Hosts[h], err)
		}
		f.members = append(f.members, m)
	}
	return f, nil
}

// Connect connects all endpoints with each other. The fabric must run meanwhile.
func (f *Fleet) Connect(ctx context.Context) error {
	for _, later := range []bool{false, true} {
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(16)
		for i, m := range f.members {
			for j := range f.members {
				if i == j || (i > j) != later {
					continue
				}
				g.Go(func() (err error) {
					if m.peers[j], err = m.Dial(ctx, f.members[j].Endpoint.Addr().String()); err != nil {
						return fmt.Errorf("connect %s with %s: %w", f.config.Hosts[i], f.config.Hosts[j], err)
					}
					return nil
				})
			}
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// Begin sets the clock for events from now on, and the function to call when there
// is a note to collect. Counts of endpoints before Begin are not reported.
func (f *Fleet) Begin(now func() unit.Time, wake func()) {
	f.clock.Store(&clock{now, wake})
	f.told.begun = f.Stats()
}

// clock is the fabric's clock, and the function to call after an event.
type clock struct {
	now  func() unit.Time
	wake func()
}

// Start implements transport.Outside.
func (f *Fleet) Start(_ unit.Time, c transport.Carried) {
	m := f.members[c.Src]
	size := max(head, c.Size)
	if unit.Bytes(m.held.Add(int64(size))) > f.memory/8*7 { // messages have some overhead
		f.blocked.Store(true)
	}
	f.senders.Go(func() {
		body := f.body(size)
		write(body, &c)
		err := m.peers[c.Dst].Send(f.ctx, body)
		at := f.clock.Load().now()
		m.held.Add(-int64(size))
		if err == nil {
			f.free(body)
		} else { // somebody may still read the body
			err = fmt.Errorf("message %d from %s to %s: %w", c.Ordinal, f.config.Hosts[c.Src], f.config.Hosts[c.Dst], err)
		}
		f.note(note{m: c, at: at, err: err})
	})
}

// mostSpare is how many free bodies of one size are kept.
const mostSpare = 16

// body returns a body of a size, with undefined content.
func (f *Fleet) body(size unit.Bytes) []byte {
	if b := f.spareBody(size); b != nil {
		return b
	}
	return make([]byte, size) // this takes long, so the lock is not held
}

func (f *Fleet) spareBody(size unit.Bytes) []byte {
	f.bodying.Lock()
	defer f.bodying.Unlock()
	spare := f.bodies[size]
	if len(spare) == 0 {
		return nil
	}
	f.bodies[size] = spare[:len(spare)-1]
	return spare[len(spare)-1]
}

func (f *Fleet) free(body []byte) {
	size := unit.Bytes(len(body))
	f.bodying.Lock()
	defer f.bodying.Unlock()
	if len(f.bodies[size]) < mostSpare {
		f.bodies[size] = append(f.bodies[size], body)
	}
}

// write writes a message's identification into its first bytes.
func write(body []byte, c *transport.Carried) {
	body[0] = uint8(c.Group)
	binary.BigEndian.PutUint16(body[1:], uint16(c.Src))
	binary.BigEndian.PutUint32(body[4:], uint32(c.Ordinal))
}

// arrived notes the arrival of a message at its receiver.
func (f *Fleet) arrived(to *member, in *wire.Message) {
	at := f.clock.Load().now()
	if len(in.Body) < head {
		f.note(note{at: at, err: fmt.Errorf("a message of %d B came to %s, which nobody sent", len(in.Body), f.config.Hosts[to.host])})
		return
	}
	f.note(note{at: at, arrived: true, m: transport.Carried{
		Group: int(in.Body[0]), Src: int32(binary.BigEndian.Uint16(in.Body[1:])), Dst: int32(to.host),
		Ordinal: uint64(binary.BigEndian.Uint32(in.Body[4:])),
	}})
}

func (f *Fleet) note(n note) {
	f.mu.Lock()
	f.notes = append(f.notes, n)
	f.noted.Store(true)
	f.mu.Unlock()
	f.clock.Load().wake()
}

// Settle passes the notes since the last call to happened, in order, and returns
// the first failure of a message. A message that was never sent, or that arrives
// twice, is a failure, too: happened returns false for it.
func (f *Fleet) Settle(happened func(m transport.Carried, at unit.Time, arrived bool) bool) (err error) {
	if !f.noted.Load() { // the usual case, without waiting for a lock
		return nil
	}
	f.mu.Lock()
	f.notes, f.spare = f.spare[:0], f.notes
	f.noted.Store(false)
	f.mu.Unlock()
	for i := range f.spare {
		n := &f.spare[i]
		if err == nil && n.err != nil && f.ctx.Err() == nil {
			err = n.err
		}
		if n.err == nil && !happened(n.m, n.at, n.arrived) && err == nil {
			err = f.strange(n)
		}
	}
	return err
}

// strange returns the error for a message that nobody knows.
func (f *Fleet) strange(n *note) error {
	if n.arrived {
		return fmt.Errorf("message %d of group %d came to %s as if from host %d, which did not send it, or it came before", n.m.Ordinal, n.m.Group, f.config.Hosts[n.m.Dst], n.m.Src)
	}
	return fmt.Errorf("message %d from %s to %s was confirmed twice", n.m.Ordinal, f.config.Hosts[n.m.Src], f.config.Hosts[n.m.Dst])
}

// Blocked reports whether an endpoint came near its Memory, so that messages may
// have waited for it.
func (f *Fleet) Blocked() bool { return f.blocked.Load() }

// Credit implements transport.Outside.
func (f *Fleet) Credit() (sum transport.CreditPlaces, ok bool) {
	for _, m := range f.members {
		c, keeps := m.credit.places()
		if !keeps {
			return sum, false
		}
		sum.AtReceivers += max(0, c.Limit-c.Outstanding)
		sum.AtSenders += c.Held
		sum.InFlight += c.Outstanding - c.Held
	}
	return sum, len(f.members) > 0
}

// Stats returns the counts of all endpoints, by host.
func (f *Fleet) Stats() []wire.Stats {
	list := make([]wire.Stats, len(f.members))
	for i, m := range f.members {
		list[i] = m.Endpoint.Stats()
	}
	return list
}

// Close abandons messages under way and closes all endpoints.
func (f *Fleet) Close() error {
	f.cancel()
	f.senders.Wait()
	var errs []error
	for _, m := range f.members {
		for _, err := range parts(m.Endpoint.Close(f.ctx)) {
			if !errors.Is(err, context.Canceled) && !errors.Is(err, wire.ErrClosed) { // these are expected
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// parts returns the errors that err joins.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

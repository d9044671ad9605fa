package carrier

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"net/netip"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
	"weft/wire/internal/tape"
)

// Carrier is an endpoint without I/O.
type Carrier struct {
	cfg    Config
	rng    *rand.ChaCha8
	secret codec.Secret
	sealed bool     // there is a secret
	pcg    rand.PCG // the transport's
	jar    *codec.CookieJar
	host   protocol.HostTransport
	tape   *tape.Recorder // equals host if calls are recorded, else nil
	out    protocol.HostOutput
	packet protocol.Packet
	more   protocol.More // of the packet that arrived
	env    protocol.HostEnv

	free            unit.Time // when the wire becomes free
	due             unit.Time // when a packet that waits for the wire may leave; 0 if none is known to wait
	roused          unit.Time // when a packet last left without waiting
	ready           unit.Time // when the transport wants to send, as of its last answer; Forever for never
	nothingToSend   bool      // the transport had nothing to send, and nothing has happened since
	asks            bool      // the next packet without payload responds to a silence
	leaving, closed bool
	fault           error // a bug in the transport or this package, which ends all service

	peers    []*Peer // by number; nil entries are free
	byID     map[ID]*Peer
	sessions map[uint64]*session
	dials    []*session // those that wait for an answer
	outbox
	nextCheck unit.Time   // when to check peers for silence; Forever if none owes anything
	probing   unit.Time   // when to continue path probes; Forever if there are none
	token     uint32      // of the latest probe
	parts     splitting   // the packet being sent in pieces
	blanks    []*gathered // for reuse of their memory

	next     uint64 // last message handle
	outgoing map[outKey]*outgoing
	byHandle map[uint64]outKey
	incoming map[inKey]*incoming
	held     unit.Bytes // memory of arriving messages, until the driver calls Read

	scratch []byte
	events  []Event
	// Counts may be read between calls.
	Counts Counts
}

// New returns a carrier without peers.
func New(cfg Config) (*Carrier, error) {
	cfg.limits = cfg.limits.filled()
	if cfg.Transport.NewHost == nil {
		return nil, fmt.Errorf("the control is no transport of hosts")
	}
	c := &Carrier{
		cfg: cfg, rng: rand.NewChaCha8(cfg.Seed), nextCheck: unit.Forever, probing: unit.Forever,
		ready: unit.Forever, peers: make([]*Peer, cfg.Peers+1), byID: map[ID]*Peer{}, sessions: map[uint64]*session{},
		outgoing: map[outKey]*outgoing{}, byHandle: map[uint64]outKey{}, incoming: map[inKey]*incoming{}, scratch: make([]byte, 0, 1<<16),
	}
	seed := [2]uint64{c.rng.Uint64(), c.rng.Uint64()}
	c.pcg.Seed(seed[0], seed[1])
	var err error
	if c.jar, err = codec.NewCookieJar(c.rng); err != nil {
		return nil, err
	}
	if len(cfg.Secret) > 0 {
		c.sealed = true
		if c.secret, err = codec.NewSecret(cfg.Secret); err != nil {
			return nil, err
		}
	}
	payload, header, err := cfg.Sizes()
	if err != nil {
		return nil, err
	}
	if cfg.Largest > mostMessage || cfg.Largest/payload >= mostPackets {
		return nil, fmt.Errorf("messages of %v have too many packets of %v", cfg.Largest, payload)
	}
	c.env = protocol.HostEnv{
		Rand: &c.pcg, Out: &c.out, LineRate: cfg.Rate, BaseRTT: cfg.RTT, BDP: max(cfg.Rate.In(cfg.RTT), payload+header),
		Packet: payload + header, Payload: payload, Header: header, Control: header,
		Host: 0, Hosts: int32(cfg.Peers + 1), Largest: cfg.Largest, Classes: max(2, cfg.Transport.Needs.Classes),
		Paths: uint16(min(max(1, cfg.Ports), math.MaxUint16)),
	}
	if !cfg.Balancer.Oblivious {
		c.env.Echo = 1
	}
	c.host = cfg.Transport.NewHost(c.env)
	if cfg.Record != nil {
		c.tape = tape.Record(cfg.Record, cfg.Name, seed, &c.env, c.host)
		c.host = c.tape
	}
	return c, nil
}

// Arrive handles a datagram. It does not keep b.
func (c *Carrier) Arrive(now unit.Time, from netip.AddrPort, b []byte, marked bool) {
	c.Counts.Received++
	c.Counts.ReceivedBytes += uint64(len(b))
	if c.closed {
		return
	}
	whole := b
	if !codec.Sealable(typeOf(b)) {
		if whole = checked(b); whole == nil {
			c.Counts.Malformed++
			return
		}
	}
	h, body, err := codec.ParseHead(whole)
	if err != nil {
		c.Counts.Malformed++
		return
	}
	switch h.Type {
	case codec.Hello:
		c.onHello(now, from, body)
		return
	case codec.Challenge:
		c.onChallenge(now, from, h, body)
		return
	case codec.Accept:
		c.onAccept(now, from, h, body)
		return
	case codec.Reset:
		c.onReset(now, from, h)
		return
	}
	s := c.sessions[h.Session]
	if s == nil {
		c.Counts.Strange++
		c.reset(from, h, len(b))
		return
	}
	if s.keys != nil {
		body = c.open(now, s, b, h)
	} else if whole = checked(b); whole != nil {
		body = whole[codec.HeadSize:]
	} else {
		c.Counts.Malformed++
		return
	}
	if body == nil {
		return
	}
	if s.peer == nil && !c.commit(now, s) {
		return
	}
	p := s.peer
	p.heard, s.accept = now, nil
	if s == p.session && from.Addr() != s.to.Addr() {
		s.to = netip.AddrPortFrom(from.Addr(), s.to.Port())
		p.path = c.newPath()
	}
	switch {
	case h.Type == codec.Refusal:
		c.onRefusal(now, p, body)
	case h.Type == codec.Ping:
		c.onPing(now, s, body)
	case h.Type == codec.Pong:
		c.onPong(now, s, body)
	case h.Type == codec.Piece:
		c.onPiece(now, s, body, marked)
	case h.Type == codec.Closed && len(body) == 0:
		c.forget(now, p, ErrRestarted)
	case h.Type == codec.Unawaited:
		c.onUnawaited(p, body)
	case h.Type == codec.Packet && len(body) > 0:
		c.onPacket(now, p, body, marked)
	}
}

// Next writes the next datagram into b now that the wire is free. It returns false if there is
// none to send now.
func (c *Carrier) Next(now unit.Time, b []byte) (d Datagram, ok bool) {
	if d, ok = c.nextOrder(now, b); ok {
		return d, true
	}
	for c.parts.left() {
		if d, ok = c.piece(now, b); ok {
			return c.count(d), true
		}
	}
	if c.closed || c.nothingToSend || now < c.sendsFrom() {
		return c.nextAnswer(now, b)
	}
	for {
		p := &c.packet
		*p = protocol.Packet{}
		if !c.host.Next(now, p) {
			c.nothingToSend, c.asks, c.due = true, false, 0
			if c.demand(); c.ready <= now {
				c.ready = unit.Forever
			}
			c.handleEvents(now)
			return c.nextAnswer(now, b)
		}
		c.spend(now, p.Wire)
		d, ok = c.write(now, p, b)
		if ok && p.Payload > 0 && p.Flags&protocol.Resent != 0 {
			c.Counts.Resent++
		}
		c.handleEvents(now)
		if ok { // otherwise its peer has no session, and it is lost
			c.answersNext = true
			d = c.count(d)
			if d.Due = c.due; d.Due == 0 {
				c.roused = now
			}
			c.demand()
			c.due = c.nextDue()
			return d, true
		}
	}
}

// demand updates when the transport wants to send.
func (c *Carrier) demand() {
	at, ok := c.host.Ready()
	if c.ready = at; !ok {
		c.ready = unit.Forever
	}
}

// nextDue returns when the next packet may leave. It is 0 if the transport has none, or if the
// packet need not wait for the wire.
func (c *Carrier) nextDue() unit.Time {
	if at := max(c.ready, c.free); at < unit.Forever && at > c.roused {
		return at
	}
	return 0
}

// spend occupies the wire for some bytes. Time lost because the driver was late can be made up,
// by at most one burst. Time with nothing to send cannot.
func (c *Carrier) spend(now unit.Time, wire unit.Bytes) {
	c.free = max(c.free, min(now, c.ready), now-c.cfg.Rate.Transmit(c.cfg.Burst)) + c.cfg.Rate.Transmit(wire)
}

// count counts a sent datagram.
func (c *Carrier) count(d Datagram) Datagram {
	c.Counts.Sent++
	c.Counts.SentBytes += uint64(d.Size)
	return d
}

// sendsFrom returns when the transport may next be asked. The wire may count as free half a
// packet early.
func (c *Carrier) sendsFrom() unit.Time {
	return c.free - min(c.free, c.cfg.Rate.Transmit(c.env.Packet)/2)
}

// Wake returns when to call Expire and then ask Next again, if nothing arrives before. Forever
// means never; a past time means now.
func (c *Carrier) Wake(now unit.Time) unit.Time {
	if c.waits() || c.parts.left() {
		return now
	}
	at := min(c.nextCheck, c.probing)
	for _, s := range c.dials {
		at = min(at, s.again)
	}
	if c.closed {
		return at
	}
	if due, ok := c.host.Deadline(); ok {
		at = min(at, due)
	}
	if ready, ok := c.host.Ready(); ok && !(c.nothingToSend && ready <= now) {
		at = min(at, max(ready, c.sendsFrom()))
	}
	return at
}

// Expire handles everything that is due.
func (c *Carrier) Expire(now unit.Time) {
	c.expireDials(now)
	if c.closed {
		return
	}
	if c.nextCheck <= now {
		c.watchPeers(now)
	}
	if c.probing <= now {
		c.expireProbes(now)
	}
	if at, ok := c.host.Deadline(); ok && at <= now {
		ready, ok := c.host.Ready()
		idle := c.nothingToSend || !ok || ready > now
		c.host.Expire(now)
		c.nothingToSend, c.asks = false, idle
		c.handleEvents(now)
	}
	if at, ok := c.host.Ready(); ok && at <= now {
		c.nothingToSend = false
	}
}

// Events returns what happened since the last call. The result is valid until the next call of
// any method.
func (c *Carrier) Events() []Event {
	list := c.events
	c.events = c.events[:0]
	return list
}

// RTTs yields the round-trip times that the transport measured, with the number of packets for
// each. It is nil if the transport measures none.
func (c *Carrier) RTTs() iter.Seq2[unit.Time, uint64] { return protocol.RTTsOf(c.host) }

// Err returns the bug that ended the carrier, or nil.
func (c *Carrier) Err() error { return c.fault }

// RecordErr returns the error that ended recording, or nil.
func (c *Carrier) RecordErr() error {
	if c.tape == nil {
		return nil
	}
	return c.tape.Err()
}

// broke reports a bug and ends all messages.
func (c *Carrier) broke(err error) {
	if c.fault == nil {
		c.fault = fmt.Errorf("carrier: %w", err)
		c.finish()
	}
}

// Close ends all messages. From then on, Next writes only the datagrams that tell peers.
func (c *Carrier) Close(now unit.Time) {
	if c.closed {
		return
	}
	c.finish()
	for range farewells {
		for _, p := range c.peers {
			if p == nil || p.session == nil {
				continue
			}
			if b, ok := c.encode(now, nil, p.session, codec.Closed, nil); ok {
				c.orders.Push(order{to: p.session.to, data: b}) // may exceed mostOrders, since peers are limited
			}
		}
	}
}

// farewells is how often each peer is told that this endpoint closes. The peer does not confirm
// it.
const farewells = 2

// finish ends all messages and dials.
func (c *Carrier) finish() {
	c.closed = true
	for key, m := range c.outgoing {
		c.end(key, m, ErrClosed)
	}
	for _, s := range c.dials {
		c.events = append(c.events, Event{Kind: DialFailed, Handle: s.handle, Err: ErrClosed})
	}
	c.dials, c.nextCheck, c.probing = nil, unit.Forever, unit.Forever
	c.outbox, c.parts.next = outbox{}, codec.Fragment{}
}

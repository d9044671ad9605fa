package carrier

import (
	"math/rand/v2"
	"net/netip"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
)

// Peer is another endpoint, as long as both know each other.
type Peer struct {
	ID     ID
	number int32
	life   uint64
	// pairing counts how often both began anew within their lives.
	pairing uint32
	// session is what is sent by; older ones are still heard.
	session  *session
	sessions []*session
	heard    unit.Time
	active   int // messages to it that have not ended
	// awaited counts what else it is to send, as replies. It owes something since a time.
	awaited int
	since   unit.Time
	gone    bool
	answers uint64 // to pings

	path     path
	pieces   []*gathered // in the order in which they began
	gathered int         // bytes that these take

	paths  protocol.Runs
	runs   [2]run // of data, and of what has no payload
	bursts uint32 // numbered so far
	rng    rand.PCG
	acked  protocol.Ack
	lost   protocol.Loss
}

// Addr returns where the peer was last, not valid if it never said.
func (p *Peer) Addr() netip.AddrPort {
	if p.session == nil {
		return netip.AddrPort{}
	}
	return p.session.to
}

// Gone tells that the peer was given up: another dial is needed.
func (p *Peer) Gone() bool { return p.gone }

// replacedAt tells whether who answers where a session was asked for is there in the place of the peer, of which nothing was heard since.
func (p *Peer) replacedAt(s *session) bool {
	return !p.gone && p.session.to == s.to && p.heard <= s.began
}

// patrols is how often, within the silence that is allowed, peers are looked at.
const patrols = 8

// idle returns the peer that may make room for another one, nil if there is none: one with which nothing is under way, and that has been
// silent for the longest time, at least as long as peers that owe an answer may be.
func (c *Carrier) idle(now unit.Time) (idle *Peer) {
	for _, p := range c.peers {
		if p != nil && p.active == 0 && p.awaited == 0 && now-p.heard >= c.cfg.Silence && (idle == nil || p.heard < idle.heard) {
			idle = p
		}
	}
	return idle
}

// meet makes a new peer, if need be in the place of an idle one; nil if there is no room.
func (c *Carrier) meet(now unit.Time, id ID, life uint64, pairing uint32) *Peer {
	if len(c.byID) >= c.cfg.Peers {
		if p := c.idle(now); p != nil {
			c.forget(now, p, ErrSilent)
		}
	}
	for i := 1; i < len(c.peers); i++ {
		if c.peers[i] != nil {
			continue
		}
		p := &Peer{ID: id, number: int32(i), life: life, pairing: pairing, heard: now}
		p.rng.Seed(c.rng.Uint64(), c.rng.Uint64())
		p.paths.Entropy = c.cfg.Balancer.New(protocol.Env{
			Rand: &p.rng, Payload: c.env.Payload, Packet: c.env.Packet, BDP: c.env.BDP, BDPPackets: int((c.env.BDP-1)/c.env.Packet) + 1,
			BaseRTT: c.env.BaseRTT, RTO: c.cfg.Silence / patrols, Untimed: true, LineRate: c.cfg.Rate,
		})
		p.paths.Start(now)
		c.peers[i], c.byID[id] = p, p
		return p
	}
	return nil
}

// forget ends all that has to do with a peer.
func (c *Carrier) forget(now unit.Time, p *Peer, err error) {
	for key, m := range c.outgoing {
		if key.peer == p.number {
			c.end(key, m, err)
		}
	}
	for key, m := range c.incoming {
		if key.peer == p.number {
			c.held -= unit.Bytes(len(m.body)) + Overhead
			delete(c.incoming, key)
		}
	}
	for _, s := range p.sessions {
		delete(c.sessions, s.own)
	}
	p.gone = true
	delete(c.byID, p.ID)
	c.peers[p.number] = nil
	if t, ok := c.host.(protocol.Forgetter); ok {
		t.Forget(now, p.number)
	}
	c.vain = false
	c.out.Events = c.out.Events[:0]
	c.events = append(c.events, Event{Kind: Parted, Peer: p, Err: err})
}

// Await tells that a peer is to send one thing more, as the reply to a request, or if not more, one less. While it is to, it is asked now and then
// whether it is there.
func (c *Carrier) Await(now unit.Time, p *Peer, more bool) {
	if !more {
		p.awaited--
		return
	}
	if p.awaited++; p.awaited == 1 {
		p.since = now
		c.patrol = min(c.patrol, now+c.cfg.Silence/patrols)
	}
}

// Forgo tells a peer that the reply to a request is no longer waited for.
func (c *Carrier) Forgo(now unit.Time, p *Peer, number uint64) {
	if !c.closed && !p.gone {
		c.say(now, p.session, codec.Unawaited, codec.AppendUnawaited(nil, number))
	}
}

// onUnawaited tells that nobody waits for a reply.
func (c *Carrier) onUnawaited(p *Peer, body []byte) {
	number, err := codec.ParseUnawaited(body)
	if err != nil {
		c.Counts.Malformed++
		return
	}
	c.events = append(c.events, Event{Kind: Unawaited, Peer: p, Message: Message{Peer: p, Number: number}})
}

// watchPeers gives up peers that owe an answer and are silent.
func (c *Carrier) watchPeers(now unit.Time) {
	c.patrol = unit.Forever
	for _, p := range c.peers {
		if p == nil || p.active == 0 && p.awaited == 0 {
			continue
		}
		silent := now - max(p.heard, p.since)
		if silent >= c.cfg.Silence || p.session.spent() { // a new session was asked for long before
			c.forget(now, p, ErrSilent)
			continue
		}
		if silent >= c.cfg.Silence/patrols { // the transport may wait longer before it asks
			c.ping(now, p.session, 0)
		}
		c.patrol = now + c.cfg.Silence/patrols
	}
}

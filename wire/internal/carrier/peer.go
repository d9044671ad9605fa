package carrier

import (
	"math/rand/v2"
	"net/netip"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
)

// Peer is another endpoint, for as long as both know each other.
type Peer struct {
	ID     ID
	number int32
	life   uint64
	// pairing counts how often the two began anew within their lives.
	pairing uint32
	// session is the one used to send. sessions also has older ones, whose datagrams are still
	// accepted.
	session  *session
	sessions []*session
	heard    unit.Time
	active   int // messages to it that have not ended
	// awaited counts other things that it owes, such as replies. since is when it began to owe
	// something.
	awaited int
	since   unit.Time
	gone    bool
	answers uint64 // to pings that test bursts

	path     path
	pieces   []*gathered // in the order in which they began
	gathered int         // their size in bytes

	paths  protocol.Runs
	runs   [2]run // of data, and of packets without payload
	bursts uint32 // numbered so far
	rng    rand.PCG
	acked  protocol.Ack
	lost   protocol.Loss
}

// Addr returns the peer's last address. It is invalid if the peer has no session.
func (p *Peer) Addr() netip.AddrPort {
	if p.session == nil {
		return netip.AddrPort{}
	}
	return p.session.to
}

// Gone reports that the peer was given up. To reach it again, dial.
func (p *Peer) Gone() bool { return p.gone }

// replacedAt reports whether another endpoint, which answered at the peer's address, has replaced
// the peer. It has if nothing was heard from the peer since that session was requested.
func (p *Peer) replacedAt(s *session) bool {
	return !p.gone && p.session.to == s.to && p.heard <= s.began
}

// patrols is how often peers are checked within the allowed silence.
const patrols = 8

// idle returns a peer that can make room for another one, or nil. It is the one silent for
// longest among those with nothing under way that have been silent for at least Config.Silence.
func (c *Carrier) idle(now unit.Time) (idle *Peer) {
	for _, p := range c.peers {
		if p != nil && p.active == 0 && p.awaited == 0 && now-p.heard >= c.cfg.Silence && (idle == nil || p.heard < idle.heard) {
			idle = p
		}
	}
	return idle
}

// addPeer creates a peer, if necessary by replacing an idle one. It returns nil if there is no room.
func (c *Carrier) addPeer(now unit.Time, id ID, life uint64, pairing uint32) *Peer {
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

// forget ends everything that concerns a peer.
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
	c.nothingToSend = false
	c.out.Events = c.out.Events[:0]
	c.events = append(c.events, Event{Kind: Parted, Peer: p, Err: err})
}

// Await counts the things that a peer owes, such as the reply to a request: one more, or one less
// if more is false. While it owes any, it is pinged occasionally.
func (c *Carrier) Await(now unit.Time, p *Peer, more bool) {
	if !more {
		p.awaited--
		return
	}
	if p.awaited++; p.awaited == 1 {
		p.since = now
		c.nextCheck = min(c.nextCheck, now+c.cfg.Silence/patrols)
	}
}

// Forgo tells a peer that the reply to a request is no longer awaited.
func (c *Carrier) Forgo(now unit.Time, p *Peer, number uint64) {
	if !c.closed && !p.gone {
		c.sendControl(now, p.session, codec.Unawaited, codec.AppendUnawaited(nil, number))
	}
}

// onUnawaited reports that a peer no longer awaits a reply.
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
	c.nextCheck = unit.Forever
	for _, p := range c.peers {
		if p == nil || p.active == 0 && p.awaited == 0 {
			continue
		}
		silent := now - max(p.heard, p.since)
		if silent >= c.cfg.Silence || p.session.spent() { // a new session was requested long before
			c.forget(now, p, ErrSilent)
			continue
		}
		if silent >= c.cfg.Silence/patrols { // the transport may wait longer before it asks
			c.ping(now, p.session, 0)
		}
		c.nextCheck = now + c.cfg.Silence/patrols
	}
}

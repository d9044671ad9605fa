package carrier

import (
	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
)

// run is a sequence of packets to a peer that leave at one instant with one entropy.
type run struct {
	entropy uint16
	left    int // number of packets that may still join
	at      unit.Time
	burst   uint32 // its number, if the balancer has runs
}

// open reports whether another packet may join now.
func (r *run) open(now unit.Time) bool { return r.left > 0 && r.at == now }

// address gives a packet to a peer its entropy, unless the transport pinned one. It returns the
// number of the packet's burst (Datagram.Burst).
func (c *Carrier) address(now unit.Time, to *Peer, p *protocol.Packet) (burst uint32) {
	if c.cfg.Balancer.Run > 1 {
		return c.addressInRun(now, to, p)
	}
	if p.Flags&protocol.Pinned == 0 {
		p.Entropy = c.entropyOf(now, to, p.Payload > 0)
	}
	return 0
}

// entropyOf returns the entropy of the next packet to a peer, for balancers without runs. Packets
// that leave at the same instant share it, up to Config.Run of them, so that they can leave as a
// burst from one port. A balancer that learns is asked for data packets only.
func (c *Carrier) entropyOf(now unit.Time, to *Peer, data bool) uint16 {
	r, chosen := &to.runs[0], data || c.cfg.Run > 1 && c.cfg.Balancer.Oblivious
	if !chosen {
		r = &to.runs[1]
	}
	if !r.open(now) {
		*r = run{left: max(1, c.cfg.Run), at: now}
		if chosen {
			r.entropy = to.paths.Next(now)
		} else {
			r.entropy = uint16(c.rng.Uint64())
		}
	}
	r.left--
	return r.entropy
}

// addressInRun is address for a balancer with runs. The balancer is asked only for data packets,
// once per run, whenever these leave. A burst ends where the entropy changes, and after
// Config.Run packets.
func (c *Carrier) addressInRun(now unit.Time, to *Peer, p *protocol.Packet) (burst uint32) {
	r := &to.runs[0]
	if p.Payload == 0 {
		r = &to.runs[1]
	}
	open := r.open(now)
	switch {
	case p.Flags&protocol.Pinned != 0:
	case p.Payload > 0:
		p.Entropy = to.paths.Choose(now, c.cfg.Balancer.Run)
	case open:
		p.Entropy = r.entropy
	default:
		p.Entropy = uint16(c.rng.Uint64())
	}
	if !open || p.Entropy != r.entropy {
		to.bursts++
		*r = run{entropy: p.Entropy, left: max(1, c.cfg.Run), at: now, burst: to.bursts}
	}
	r.left--
	return r.burst
}

// Probe writes a datagram of the given size that the peer will answer. It returns false if
// nothing can be sent to the peer.
func (c *Carrier) Probe(now unit.Time, p *Peer, size int, b []byte) (d Datagram, ok bool) {
	s := p.session
	if c.closed || p.gone || s == nil {
		return d, false
	}
	body := codec.Pad(codec.AppendToken(nil, burstPing), size-codec.HeadSize-s.trailer())
	out, ok := c.encode(now, b[:0], s, codec.Ping, body)
	if !ok {
		return d, false
	}
	c.spend(now, unit.Bytes(len(out))+c.cfg.Overhead)
	return c.count(Datagram{To: s.to, Port: int(c.rng.Uint64() % uint64(max(1, c.cfg.Ports))), Size: len(out), Peer: p}), true
}

// Answers returns the number of Probes that the peer has answered.
func (p *Peer) Answers() uint64 { return p.answers }

// Heard returns when something last arrived from the peer.
func (p *Peer) Heard() unit.Time { return p.heard }

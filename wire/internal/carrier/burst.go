package carrier

import (
	"weft/unit"
	"weft/wire/internal/codec"
)

// run is packets to a peer in a row that leave at one instant and have one entropy.
type run struct {
	entropy uint16
	left    int
	at      unit.Time
}

// entropyOf returns the entropy of the next packet to a peer. Packets that leave at one instant share it, up to Config.Run
// of them, so that they can leave as a burst from one port. Data packets share it as the balancer's Run says, whenever they leave.
func (c *Carrier) entropyOf(now unit.Time, to *Peer, data bool) uint16 {
	r := &to.runs[0]
	// A balancer that learns is asked for data alone.
	shared := c.cfg.Run > 1 && c.cfg.Balancer.Oblivious
	if !data && !shared {
		r = &to.runs[1]
	}
	if r.left == 0 || r.at != now {
		*r = run{left: max(1, c.cfg.Run), at: now}
		if data || shared {
			r.entropy = to.paths.Choose(now, c.cfg.Balancer.Run)
		} else {
			r.entropy = uint16(c.rng.Uint64())
		}
	}
	r.left--
	return r.entropy
}

// Probe writes a datagram of a size that a peer answers; false if it cannot be sent to.
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

// Answers returns how many such probes the peer has answered.
func (p *Peer) Answers() uint64 { return p.answers }

// Heard returns when something came of the peer.
func (p *Peer) Heard() unit.Time { return p.heard }

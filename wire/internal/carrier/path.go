package carrier

import (
	"weft/unit"
	"weft/wire/internal/codec"
)

// This file finds the largest datagram size that a path takes, with pings of that size (RFC
// 8899). A probe is a pair of pings, one large and one small, and goes to each port in turn. If
// the small one is answered and the large one is not, a few times in a row, the size is rejected.
// The search begins when there is something large to send.

const (
	// usual is what most networks take; it is used until more is known. base is what almost all
	// take. All sizes exclude UDP and IP headers.
	usual = 1472 * unit.Byte
	base  = 1200 * unit.Byte
	least = 512 * unit.Byte
	// mostTries is how many times in a row a port may fail to answer the large ping before the
	// size is rejected. If a tenth of all datagrams is lost, one port in 4000 rejects a size that
	// its path takes.
	mostTries = 5
	// raiseAfter is when rejected sizes are tried again, since the path may have changed (RFC
	// 8899, section 5.1.1).
	raiseAfter = 600 * unit.Second
	// recheckAfter is how long after a check a loss may cause another one.
	recheckAfter = 500 * unit.Millisecond
	// probeEvery is the interval between answered probes, in round trips of an unloaded network.
	probeEvery = 2
)

// path is what is known about the size of datagrams to a peer.
type path struct {
	// size is the largest size that is sent. The path is known to take good and known to reject
	// bad; both are 0 if unknown.
	size, good, bad unit.Bytes
	raise           unit.Time // when bad is forgotten
	checked         unit.Time // when the last search ended

	// target is the size being probed, 0 if none. Ports below port have answered.
	target    unit.Bytes
	port      int
	tries     int // in a row with only the small ping answered
	token     uint32
	small     bool      // the small ping was answered
	answered  bool      // the large ping was answered
	next, gap unit.Time // when to continue, and how long to wait for answers
}

// newPath returns the assumptions about an untried path.
func (c *Carrier) newPath() path {
	if c.cfg.Carried {
		return path{size: c.cfg.Datagram, good: c.cfg.Datagram, raise: unit.Forever}
	}
	return path{size: min(c.cfg.Datagram, usual), raise: unit.Forever}
}

// Datagram returns the size of the largest datagram currently sent to the peer.
func (p *Peer) Datagram() unit.Bytes { return p.path.size }

// TooLarge reports that a datagram could not be sent, and the largest size that could; 0 if
// unknown.
func (c *Carrier) TooLarge(now unit.Time, d *Datagram, limit unit.Bytes) {
	if d.Peer == nil || d.Peer.gone {
		return
	}
	p, was := &d.Peer.path, d.Peer.path.size
	if limit <= 0 || limit >= unit.Bytes(d.Size) {
		p.refuse(now, unit.Bytes(d.Size))
	} else if p.refuse(now, limit+1); p.size < was {
		p.size = max(least, limit)
	}
	p.target = 0
}

// refuse notes that the path rejects a size.
func (p *path) refuse(now unit.Time, size unit.Bytes) {
	if p.bad == 0 || size < p.bad {
		p.bad = size
	}
	p.raise = now + raiseAfter
	if p.good >= size {
		p.good = 0
	}
	switch {
	case p.size < size:
	case p.good > 0:
		p.size = p.good
	case size > base:
		p.size = base
	default:
		p.size = min(p.size, least)
	}
}

// want returns the next size to try, 0 if enough is known. It bisects until the remaining range
// is not worth a probe.
func (p *path) want(most unit.Bytes) unit.Bytes {
	switch {
	case p.good < p.size:
		return p.size
	case p.bad == 0 && p.size < most:
		return most
	case p.bad-p.good > max(16, p.good/64):
		return p.good + (p.bad-p.good)/2
	}
	return 0
}

// suspect makes the path's size be checked again, after a loss.
func (c *Carrier) suspect(now unit.Time, p *path) {
	if !c.cfg.Carried && p.target == 0 && now-p.checked >= recheckAfter {
		p.good = 0
	}
}

// explore begins the search for a path's size when something large is sent, unless the size is
// known or being searched.
func (c *Carrier) explore(now unit.Time, to *Peer) {
	p := &to.path
	if p.target != 0 {
		return
	}
	if p.raise <= now {
		p.bad, p.raise = 0, unit.Forever
	}
	if want := p.want(c.cfg.Datagram); want != 0 {
		p.target, p.port, p.tries, p.gap, p.answered = want, 0, 0, c.firstWait(), false
		c.probe(now, to)
	}
}

// probe sends a pair of pings.
func (c *Carrier) probe(now unit.Time, to *Peer) {
	p, s := &to.path, to.session
	c.token = (c.token + 2) &^ (keyPing | burstPing)
	p.token, p.small, p.answered = max(2, c.token), false, false
	p.next = now + p.gap
	c.probing = min(c.probing, p.next)
	around := codec.HeadSize + s.trailer()
	for i, size := range []int{int(p.target) - around, 0} { // the large one first
		body := codec.Pad(codec.AppendToken(nil, p.token+uint32(i)), size)
		if b, ok := c.encode(now, nil, s, codec.Ping, body); ok {
			c.orders.Push(order{to: s.to, data: b, port: p.port, peer: to})
		}
	}
}

// onProbePong handles the answer to a ping of a probe.
func (c *Carrier) onProbePong(now unit.Time, from *Peer, token uint32) {
	p := &from.path
	switch {
	case p.target == 0 || token&^1 != p.token:
	case token&1 == 1:
		p.small = true
	case !p.answered:
		p.answered = true
		p.next = min(p.next, now+probeEvery*c.cfg.RTT)
		c.probing = min(c.probing, p.next)
	}
}

// expireProbes continues the searches whose probe was answered or has timed out.
func (c *Carrier) expireProbes(now unit.Time) {
	c.probing = unit.Forever
	for _, to := range c.peers {
		if to == nil || to.path.target == 0 {
			continue
		}
		if to.path.next <= now {
			c.continueProbe(now, to)
		}
		if to.path.target != 0 {
			c.probing = min(c.probing, to.path.next)
		}
	}
}

// continueProbe evaluates a peer's last probe and sends the next one.
func (c *Carrier) continueProbe(now unit.Time, to *Peer) {
	p := &to.path
	switch {
	case p.answered:
		p.tries, p.gap = 0, c.firstWait()
		p.port++
	case p.small:
		p.tries++
		p.gap = c.firstWait()
	case to.active == 0: // nothing is sent, and the peer may be gone: keep what is known
		p.target = 0
		return
	default: // neither answer came, which says nothing about sizes
		p.gap = min(2*p.gap, unit.Second)
	}
	if p.tries < mostTries && p.port < max(1, c.cfg.Ports) {
		c.probe(now, to)
		return
	}
	if p.tries < mostTries {
		p.good = p.target
		p.size = max(p.size, p.target)
	} else {
		p.refuse(now, p.target)
	}
	p.target, p.checked = 0, now
	if p.size > least || p.good == p.size { // otherwise the path takes nothing at all
		c.explore(now, to)
	}
}

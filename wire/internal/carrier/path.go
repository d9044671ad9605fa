package carrier

import (
	"weft/unit"
	"weft/wire/internal/codec"
)

// This file finds out how large datagrams to a peer may be, by pings that are as large as that (RFC 8899). Two go to each port in turn, a
// large and a small one: where the small one is answered and the large one is not, a few times in a row, the size is refused. Sizes
// begin to be looked for when there is something that large to send.

const (
	// usual is what the paths of most networks take, which is sent before it is known, and base what almost all take.
	usual = 1472 * unit.Byte
	base  = 1200 * unit.Byte
	least = 512 * unit.Byte
	// mostTries is how many large pings in a row remain unanswered on a port until their size is refused: with a tenth of all
	// datagrams lost, one port in 4000 refuses a size that its path takes.
	mostTries = 5
	// raiseAfter is when sizes that were refused are tried again: the path may be another one (RFC 8899, section 5.1.1).
	raiseAfter = 600 * unit.Second
	// recheckAfter is how long after a check a loss may cause another one.
	recheckAfter = 500 * unit.Millisecond
	// probeEvery is after how many round trips of an unloaded network a probe follows one that was answered.
	probeEvery = 2
)

// path is what is known of how large datagrams to a peer may be.
type path struct {
	// size is that of the largest which are sent. The path is known to take good, and not to take bad; both are 0 if nothing is known.
	size, good, bad unit.Bytes
	raise           unit.Time // when bad is forgotten
	checked         unit.Time // when it was found out last

	// A probe is under way if target, the size that it asks for, is not 0. Ports below port have answered to it.
	target    unit.Bytes
	port      int
	tries     int // in a row of which only the small one was answered
	token     uint32
	small     bool      // the small one was answered
	answered  bool      // the large one was
	next, gap unit.Time // when to go on, and how long answers are waited for
}

// newPath is what is taken for granted of a path before it is tried.
func (c *Carrier) newPath() path {
	if c.cfg.Carried {
		return path{size: c.cfg.Datagram, good: c.cfg.Datagram, raise: unit.Forever}
	}
	return path{size: min(c.cfg.Datagram, usual), raise: unit.Forever}
}

// Datagram returns the size of the largest datagram that is sent to the peer now.
func (p *Peer) Datagram() unit.Bytes { return p.path.size }

// TooLarge tells that a datagram could not be sent, and how large one might be; 0 if that is not known.
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

// refuse notes that a size is not taken.
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

// want returns which size to try next, 0 if enough is known. It halves what is not known until that is not worth a probe.
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

// suspect has what is known of a path checked again, after a loss.
func (c *Carrier) suspect(now unit.Time, p *path) {
	if !c.cfg.Carried && p.target == 0 && now-p.checked >= recheckAfter {
		p.good = 0
	}
}

// explore begins to look for the size of a path to which something large is sent, unless it is known or looked for.
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

// onProbePong takes the answer to a probe.
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

// expireProbes goes on where a probe was answered, or was not for too long.
func (c *Carrier) expireProbes(now unit.Time) {
	c.probing = unit.Forever
	for _, to := range c.peers {
		if to == nil || to.path.target == 0 {
			continue
		}
		if to.path.next <= now {
			c.goOn(now, to)
		}
		if to.path.target != 0 {
			c.probing = min(c.probing, to.path.next)
		}
	}
}

// goOn draws conclusions from the last probe of a peer, and sends the next one.
func (c *Carrier) goOn(now unit.Time, to *Peer) {
	p := &to.path
	switch {
	case p.answered:
		p.tries, p.gap = 0, c.firstWait()
		p.port++
	case p.small:
		p.tries++
		p.gap = c.firstWait()
	case to.active == 0: // nobody may be there, and nothing is sent: what is known stays
		p.target = 0
		return
	default: // neither came, which tells nothing of sizes
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
	if p.size > least || p.good == p.size { // else it takes nothing at all
		c.explore(now, to)
	}
}

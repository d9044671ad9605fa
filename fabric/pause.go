package fabric

import (
	"math"
	"weft/sim"
	"weft/topo"
)

// pauseTime returns how long a pause takes at least from its decision to the sending end of a directed link.
func (n *Network) pauseTime(id topo.PortID) sim.Time {
	_, _, _, cold := n.at(id.Reverse())
	return cold.flight + cold.rate.Transmit(PauseFrame)
}

// placeNotices makes room for notices, and shortens windows to the least time of one.
func (n *Network) placeNotices() {
	for _, d := range n.domains {
		d.notices = make([]heedful, len(d.ports))
		for i := range d.notices {
			d.notices[i].host = -1
		}
		for h := range d.nics {
			d.notices[d.nics[h].port].host = int32(h)
		}
	}
	for id := range topo.PortID(len(n.ports)) {
		n.Lookahead = min(n.Lookahead, n.pauseTime(id))
	}
}

// heed acts on the notices of port i that are due.
func (d *Domain) heed(i int32, now sim.Time) {
	h := &d.notices[i]
	due := 0
	for ; due < len(h.coming) && h.coming[due].at <= now; due++ {
		switch n := h.coming[due]; n.what {
		case aLook:
			d.look(i, n.class, now)
		case aLapse:
			d.lapse(i, h, n.class, now)
		default:
			d.obey(i, h, n.class, n.what == aPause, now)
			if h.lapses > 0 && n.what == aPause {
				h.tally.expires[n.class] = now + h.lapses
				d.hear(i, notice{now + h.lapses, n.class, aLapse})
			}
		}
	}
	h.coming = h.coming[:copy(h.coming, h.coming[due:])]
	if len(h.coming) > 0 && (h.host >= 0 || !d.sweeping) {
		d.sched.Schedule(d.firstNotice+sim.Entity(i), h.coming[0].at)
	}
	if h.host >= 0 { // which may look ahead to the next one
		d.tellPauses(h, now)
	}
}

// tellPauses tells a host what it must not send.
func (d *Domain) tellPauses(h *heedful, now sim.Time) {
	if d.endpoint.Paused(now, h.host, d.nics[h.host].pauses) {
		d.kick(h.host, now)
	}
}

// obey pauses or resumes a class of port i.
func (d *Domain) obey(i int32, h *heedful, k uint8, pause bool, now sim.Time) {
	p := &d.ports[i]
	bit := uint8(1) << k
	var pauses *uint8
	if h.host >= 0 {
		pauses = &d.nics[h.host].pauses
	} else {
		d.drain(p, i, now) // up to the instant the class may send
		pauses = &p.disc.pauses
	}
	if *pauses&bit != 0 == pause {
		return
	}
	*pauses ^= bit
	tally := h.counted()
	d.notePause(i, *pauses^bit, now)
	if pause {
		tally.heard[k]++
		tally.since[k] = now
	} else {
		tally.total[k] += now - tally.since[k]
		tally.ended[k] = now
	}
	if d.follow != nil {
		d.follow.follower.Paused(now, topo.PortID(d.cold[i].id), k, pause)
	}
	if h.host >= 0 {
		return
	}
	if d.network.watchdog.on() {
		pause = d.heardOf(i, k, pause, now)
	}
	if pause {
		p.disc.blocked |= bit
		return
	}
	p.disc.blocked &^= bit
	d.resume(i, k, now)
}

// sweepNotices adds the notices of switches' ports that are due before the end of a window to its batch.
func (d *Domain) sweepNotices(b *batch, from, to sim.Time) {
	b.noticed = b.noticed[:0]
	rest := d.noticing[:0]
	for _, i := range d.noticing {
		h := &d.notices[i]
		last := sim.Time(-1)
		later := false
		for k := range h.coming {
			at := h.coming[k].at
			if later = at >= to; later {
				d.sched.Expect(at)
				break
			}
			if at != last {
				b.Add(at-from, uint32(d.network.wires[topo.PortID(d.cold[i].id).Reverse()].index)<<1)
				b.noticed = append(b.noticed, i)
			}
			last = at
		}
		if h.listed = later; later {
			rest = append(rest, i)
		}
	}
	d.noticing = rest
}

// resumePaused finds what resumes before the end of a window, at the switches that have paused
// somebody, and has the next window begin no later than something leaves one of them.
func (d *Domain) resumePaused(end sim.Time) (next sim.Time) {
	next = sim.Forever
	rest := d.pausing[:0]
	for _, l := range d.pausing {
		l.advance(end)
		if l.paused == 0 {
			l.listed = false
			continue
		}
		rest = append(rest, l)
		if len(l.left)+len(l.deferred) > 0 {
			next = min(next, end)
		}
		_, t := l.queue.first()
		next = min(next, max(t, end))
	}
	d.pausing = rest
	return next
}

// liftPauses takes back all pauses of a link that fails, in both directions.
func (n *Network) liftPauses(id topo.PortID, now sim.Time) {
	for _, id := range [2]topo.PortID{id, id.Reverse()} {
		d, i, _, _ := n.at(id)
		h := &d.notices[i]
		for k := range uint8(8) {
			d.obey(i, h, k, false, now)
		}
		h.coming, h.watched = h.coming[:0], nil
		if q := d.ports[i].disc; q != nil {
			q.fired = 0
		}
		d.sched.Cancel(d.firstNotice + sim.Entity(i))
		if h.host >= 0 {
			d.tellPauses(h, now)
			d.expectSend(h.host)
		}
		_, to := n.graph.Ends(id)
		if n.graph.Nodes[to].Kind != topo.Switch {
			at := n.nodes[to]
			if slow := n.domains[at.domain].slow; slow != nil && slow[at.index] != nil && slow[at.index].paused {
				n.domains[at.domain].countRepeats(slow[at.index], now)
				slow[at.index].paused = false
			}
			continue
		}
		l, link := n.accountOf(id)
		for lane := range l.classes {
			if l.links[link].accounts[lane].holders > 0 {
				l.countRepeats(link, int32(lane), now)
				l.forgive(link, int8(lane))
				l.paused--
			}
		}
	}
}

// holdOf returns that of a directed link.
func (n *Network) holdOf(q *Quanta, id topo.PortID) (h hold) {
	switch took := q.Time(n.graph.Links[id.Link()].Rate); {
	case q.lapses():
		h.lapses = took
	case q.Count > 0:
		h.refresh = max(1, sim.Time(float64(took)*q.Refresh))
	}
	return h
}

// placeHolds tells all sending ends for how long pauses hold, and shortens windows to the least time of that.
func (n *Network) placeHolds(q *Quanta) {
	n.lapses = q.lapses()
	for id := range topo.PortID(len(n.ports)) {
		h := n.holdOf(q, id)
		d, i, _, _ := n.at(id)
		d.notices[i].lapses = h.lapses
		if h.lapses > 0 {
			n.Lookahead = min(n.Lookahead, h.lapses)
		}
	}
}

// lapse resumes a class of port i, unless a pause came since the one that expires now.
func (d *Domain) lapse(i int32, h *heedful, k uint8, now sim.Time) {
	if h.counted().expires[k] == now {
		d.obey(i, h, k, false, now)
	}
}

// openAccounts makes the accounts of all switches.
func (n *Network) openAccounts(c *PauseConfig) {
	for _, d := range n.domains {
		d.ingress = make([]int32, len(d.wires))
	}
	for id := range topo.PortID(len(n.ports)) {
		_, to := n.graph.Ends(id)
		if n.graph.Nodes[to].Kind != topo.Switch {
			continue
		}
		d, reverse, _, cold := n.at(id.Reverse())
		l := cold.pool
		if l.ingresses == nil {
			l.ingresses = newIngresses(c, len(l.ports))
		}
		for _, p := range l.ports { // pauses take the place of limits
			l.d.ports[p].disc.accounts = true
			for _, k := range l.classes {
				l.d.ports[p].disc.classes[k].limit = math.MaxUint32
			}
		}
		d.ingress[n.wires[id].index] = int32(len(l.links))
		limits := c.Limits(id)
		in := ingress{
			id: id, reverse: reverse, delay: n.pauseTime(id), reserve: clamp(limits.Reserve), headroom: clamp(limits.Headroom),
			hold: n.holdOf(&c.Quanta, id), off: clamp(limits.Off), gap: clamp(limits.Gap), alpha: uint64(min(limits.Alpha, mostAlpha) * (1 << 16)),
			accounts: make([]account, len(l.classes)),
		}
		kept := uint64(len(l.classes)) * (in.reserve + in.headroom)
		l.size -= min(l.size, kept)
		l.links = append(l.links, in)
	}
}

func newIngresses(c *PauseConfig, ports int) *ingresses {
	l := &ingresses{scope: c.Of, poolFirst: c.PoolFirst}
	for k := range l.lanes {
		l.lanes[k] = -1
		if c.Classes>>k&1 != 0 {
			l.lanes[k] = int8(len(l.classes))
			l.classes = append(l.classes, uint8(k))
		}
	}
	if l.scope == OfEgress {
		l.queues = make([]egress, ports*len(l.classes))
	}
	return l
}

// pausesOf returns the paused classes of port i.
func (d *Domain) pausesOf(i int32) uint8 {
	if host := d.notices[i].host; host >= 0 {
		return d.nics[host].pauses
	}
	return d.ports[i].disc.pauses
}

// notePause adds to the series of port i, if it has one, for how long any class was paused before its pauses
// change, or the run ends.
func (d *Domain) notePause(i int32, before uint8, now sim.Time) {
	s, t := d.cold[i].series, d.notices[i].tally
	if s == nil || t == nil {
		return
	}
	if before != 0 && t.noted < now {
		s.hold(t.last[0], t.last[1])
		t.last = [2]sim.Time{t.noted, now}
	}
	t.noted = now
}

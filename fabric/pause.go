package fabric

import (
	"math"

	"weft/sim"
	"weft/topo"
)

// pauseTime returns the least time from the decision to pause until the pause
// reaches the sending end of a directed link.
func (n *Network) pauseTime(id topo.PortID) sim.Time {
	_, _, _, cold := n.at(id.Reverse())
	return cold.flight + cold.rate.Transmit(PauseFrame)
}

// pauses returns the pause state of a domain; nil without pauses.
func (d *Domain) pauses() *pausing {
	b, _ := d.hooks.notices.(*pausing)
	return b
}

// placePauses prepares notices and the accounts of switches. It shortens windows to
// the least time that a pause takes.
func (n *Network) placePauses(c *PauseConfig) {
	for _, d := range n.domains {
		b := &pausing{d: d, ends: make([]pauseEnd, len(d.ports)), classes: c.Classes, expires: c.Quanta.expires()}
		for i := range b.ends {
			b.ends[i].host = -1
		}
		b.first = d.addEvents(others{events: b, count: int32(len(d.ports)), kind: Notice, ports: true})
		for h := range d.nics {
			nic := &d.nics[h]
			b.ends[nic.port].host = int32(h)
			nic.notices = b.first + sim.Entity(nic.port)
		}
		d.hooks.notices = b
		d.hooks.served = append(d.hooks.served, b.resumePaused)
	}
	for id := range topo.PortID(len(n.ports)) {
		n.Lookahead = min(n.Lookahead, n.pauseTime(id))
	}
	n.placeHolds(&c.Quanta)
	n.openAccounts(c)
	n.keepsWindows = true
	n.hooks.cut = append(n.hooks.cut, n.liftPauses)
	n.hooks.change = append(n.hooks.change, n.mayResume)
	n.hooks.finish = append(n.hooks.finish, n.finishPauses)
}

// rank implements events: a notice comes just before a frame that arrives over the
// same link at the same instant.
func (b *pausing) rank(i int32, ranks [][]uint32) uint32 {
	over := b.d.network.wires[topo.PortID(b.d.cold[i].id).Reverse()]
	return ranks[over.domain][over.index] - 1
}

// event implements events.
func (b *pausing) event(i int32, now sim.Time) { b.handle(i, now) }

// handleSwept implements notices.
func (b *pausing) handleSwept(i int32, now sim.Time) {
	b.d.enter(b.first + sim.Entity(i))
	b.handle(i, now)
}

// mayResume makes the engine check soon, after a change, which paused links may resume.
func (n *Network) mayResume(now sim.Time) {
	for _, d := range n.domains {
		if len(d.pauses().pools) > 0 { // frames that left a queue may let a link resume
			n.engine.Expect(now)
			d.sched.Expect(now)
		}
	}
}

// finishPauses completes the series of pauses at the end of the run.
func (n *Network) finishPauses(now sim.Time) {
	for _, d := range n.domains {
		b := d.pauses()
		for i := range d.ports {
			b.notePause(int32(i), b.of(int32(i)), now)
			if s, t := d.cold[i].series, b.ends[i].tally; s != nil && t != nil {
				s.hold(t.last[0], min(t.last[1], now))
				t.last = [2]sim.Time{}
			}
		}
	}
}

// handle acts on the notices of port i that are due.
func (b *pausing) handle(i int32, now sim.Time) {
	d, h := b.d, &b.ends[i]
	due := 0
	for ; due < len(h.coming) && h.coming[due].at <= now; due++ {
		switch n := h.coming[due]; n.what {
		case noticeCheck:
			b.guard.check(i, n.class, now)
		case noticeExpiry:
			b.expire(i, h, n.class, now)
		default:
			b.setPaused(i, h, n.class, n.what == noticePause, now)
			if h.expiry > 0 && n.what == noticePause {
				h.tally.expires[n.class] = now + h.expiry
				b.addNotice(i, notice{now + h.expiry, n.class, noticeExpiry})
			}
		}
	}
	h.coming = h.coming[:copy(h.coming, h.coming[due:])]
	if len(h.coming) > 0 && (h.host >= 0 || !d.swept.sweeping) {
		d.sched.Schedule(b.first+sim.Entity(i), h.coming[0].at)
	}
	if h.host >= 0 { // the host may look ahead to the next notice
		b.tell(h, now)
	}
}

// tell informs a host which classes it must not send.
func (b *pausing) tell(h *pauseEnd, now sim.Time) {
	d := b.d
	if d.endpoint.Paused(now, h.host, d.nics[h.host].pauses) {
		d.kick(h.host, now)
	}
}

// setPaused pauses or resumes a class of port i.
func (b *pausing) setPaused(i int32, h *pauseEnd, k uint8, pause bool, now sim.Time) {
	d := b.d
	p := &d.ports[i]
	bit := uint8(1) << k
	var pauses *uint8
	if h.host >= 0 {
		pauses = &d.nics[h.host].pauses
	} else {
		d.drain(p, i, now) // the class may send up to this instant
		pauses = &p.disc.pauses
	}
	if *pauses&bit != 0 == pause {
		return
	}
	*pauses ^= bit
	tally := h.counted()
	b.notePause(i, *pauses^bit, now)
	if pause {
		tally.heard[k]++
		tally.since[k] = now
	} else {
		tally.total[k] += now - tally.since[k]
		tally.ended[k] = now
	}
	if d.follow != nil {
		d.follow.Paused(now, topo.PortID(d.cold[i].id), k, pause)
	}
	if h.host >= 0 {
		return
	}
	if b.guard != nil {
		pause = b.guard.heard(i, k, pause, now)
	}
	if pause {
		p.disc.blocked |= bit
		return
	}
	p.disc.blocked &^= bit
	d.resume(i, k, now)
}

// gather implements notices.
func (b *pausing) gather(list *batch, from, to sim.Time) {
	if len(b.noticing) == 0 {
		return
	}
	d := b.d
	list.noticed = list.noticed[:0]
	rest := b.noticing[:0]
	for _, i := range b.noticing {
		h := &b.ends[i]
		last := sim.Time(-1)
		later := false
		for k := range h.coming {
			at := h.coming[k].at
			if later = at >= to; later {
				d.sched.Expect(at)
				break
			}
			if at != last {
				list.Add(at-from, uint32(d.network.wires[topo.PortID(d.cold[i].id).Reverse()].index)<<1)
				list.noticed = append(list.noticed, i)
			}
			last = at
		}
		if h.listed = later; later {
			rest = append(rest, i)
		}
	}
	b.noticing = rest
}

// resumePaused finds the links that resume before the end of a window, at switches that have paused
// a link. The next window must begin no later than the next departure from one of these switches.
func (b *pausing) resumePaused(end sim.Time) (next sim.Time) {
	next = sim.Forever
	rest := b.pools[:0]
	for _, l := range b.pools {
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
	b.pools = rest
	return next
}

// liftPauses cancels all pauses of a link that fails, in both directions.
func (n *Network) liftPauses(id topo.PortID, now sim.Time) {
	for _, id := range [2]topo.PortID{id, id.Reverse()} {
		d, i, _, _ := n.at(id)
		b := d.pauses()
		h := &b.ends[i]
		for k := range uint8(8) {
			b.setPaused(i, h, k, false, now)
		}
		h.coming = h.coming[:0]
		if b.guard != nil {
			b.guard.forget(i)
		}
		d.sched.Cancel(b.first + sim.Entity(i))
		if h.host >= 0 {
			b.tell(h, now)
			d.expectSend(h.host)
		}
		_, to := n.graph.Ends(id)
		if n.graph.Nodes[to].Kind != topo.Switch {
			continue
		}
		l, link := n.accountOf(id)
		for slot := range l.classes {
			if l.links[link].accounts[slot].holders > 0 {
				l.countRepeats(link, int32(slot), now)
				l.forgive(link, int8(slot))
				l.paused--
			}
		}
	}
}

// holdOf returns how long pauses of a directed link hold.
func (n *Network) holdOf(q *Quanta, id topo.PortID) (h hold) {
	switch took := q.Time(n.graph.Links[id.Link()].Rate); {
	case q.expires():
		h.expiry = took
	case q.Count > 0:
		h.refresh = max(1, sim.Time(float64(took)*q.Refresh))
	}
	return h
}

// placeHolds sets at all sending ends how long pauses hold, and limits windows to
// the shortest such time.
func (n *Network) placeHolds(q *Quanta) {
	for id := range topo.PortID(len(n.ports)) {
		h := n.holdOf(q, id)
		d, i, _, _ := n.at(id)
		d.pauses().ends[i].expiry = h.expiry
		if h.expiry > 0 {
			n.Lookahead = min(n.Lookahead, h.expiry)
		}
	}
}

// expire resumes a class of port i when its pause expires, unless a later pause has renewed it.
func (b *pausing) expire(i int32, h *pauseEnd, k uint8, now sim.Time) {
	if h.counted().expires[k] == now {
		b.setPaused(i, h, k, false, now)
	}
}

// openAccounts makes the accounts of all switches.
func (n *Network) openAccounts(c *PauseConfig) {
	places := make([][]int32, len(n.domains)) // per wire, its index among those into its switch
	for i, d := range n.domains {
		places[i] = make([]int32, len(d.wires))
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
			l.by, l.ingress = d.pauses(), places[d.mail.self]
		}
		for _, p := range l.ports { // pauses replace limits
			l.d.ports[p].disc.accounts = true
			for _, k := range l.classes {
				l.d.ports[p].disc.classes[k].limit = math.MaxUint32
			}
		}
		l.ingress[n.wires[id].index] = int32(len(l.links))
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
	for k := range l.slots {
		l.slots[k] = -1
		if c.Classes>>k&1 != 0 {
			l.slots[k] = int8(len(l.classes))
			l.classes = append(l.classes, uint8(k))
		}
	}
	if l.scope == OfEgress {
		l.queues = make([]egress, ports*len(l.classes))
	}
	return l
}

// of returns the paused classes of port i.
func (b *pausing) of(i int32) uint8 {
	if host := b.ends[i].host; host >= 0 {
		return b.d.nics[host].pauses
	}
	return b.d.ports[i].disc.pauses
}

// notePause adds to the series of port i, if any, the time during which some class was
// paused. It is called before the pauses of the port change, and at the end of the run.
func (b *pausing) notePause(i int32, before uint8, now sim.Time) {
	s, t := b.d.cold[i].series, b.ends[i].tally
	if s == nil || t == nil {
		return
	}
	if before != 0 && t.noted < now {
		s.hold(t.last[0], t.last[1])
		t.last = [2]sim.Time{t.noted, now}
	}
	t.noted = now
}

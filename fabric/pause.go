package fabric

import (
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// notice is what a sending end hears from the far end of its link.
type notice struct {
	at    sim.Time
	class uint8
	what  uint8
}

// heedful is what of a sending end has to do with pauses.
type heedful struct {
	coming []notice // in order
	host   int32    // whose NIC it is, or -1
	listed bool     // among Domain.noticing
	lapses sim.Time // for how long a pause holds; 0 for ever
	tally  *pauseTally
	// watched is nil as long as the watchdog has nothing to do.
	watched *watched
}

// pauseTally counts the pauses of a port.
type pauseTally struct {
	since, total [8]sim.Time // of each class from when on it was paused last, and for how long before it is
	ended        [8]sim.Time // when the last pause of each class did that is over
	heard        [8]uint64   // pauses
	sent         [8]uint64   // pauses for the reverse direction of the link
	resumes      [8]uint64   // that took those back
	noted        sim.Time    // when the pauses changed last, of a port with a series
	last         [2]sim.Time // the paused time that the series does not have yet: the run may have ended before it did
	expires      [8]sim.Time // when the last pause of each class does, if pauses do
}

func (h *heedful) counted() *pauseTally {
	if h.tally == nil {
		h.tally = new(pauseTally)
	}
	return h.tally
}

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

// signal has the far end of a link pause a class, or resume it, as decided at time t. It fails if the link
// that leads there is down.
func (l *pool) signal(in *ingress, k uint8, pause bool, t sim.Time) bool {
	if !l.send(in, k, pause, t) {
		return false
	}
	if !pause {
		l.paused--
		return true
	}
	l.paused++
	if !l.listed {
		l.listed = true
		l.d.pausing = append(l.d.pausing, l)
	}
	return true
}

// send sends a pause, which may be another one, or a resume to the far end of a link.
func (l *pool) send(in *ingress, k uint8, pause bool, t sim.Time) bool {
	d := l.d
	p := &d.ports[in.reverse]
	if p.special&down != 0 {
		return false
	}
	leaves := t
	if p.drained != p.tail {
		if f := p.at(p.drained); f.departs > t && d.began(p, in.reverse, f) < t {
			leaves = f.departs
		}
	}
	at := max(in.last, leaves+in.delay)
	in.last = at
	tally := d.notices[in.reverse].counted()
	if pause {
		tally.sent[k]++
	} else {
		tally.resumes[k]++
	}
	d.notify(d.network.ports[in.id], notice{at, k, about(pause)})
	return true
}

// began returns when the transmission of a frame began.
func (d *Domain) began(p *port, i int32, f *transit) sim.Time {
	if c := d.cold[i].faults; c != nil && f.departs <= c.begun { // it kept the rate it began with
		return f.departs - c.begunRate.Transmit(unit.Bytes(f.bytes))
	}
	return f.departs - d.serialise(p, i, f.bytes)
}

// posted is a notice for a port of another domain.
type posted struct {
	port int32
	notice
}

// about returns what a notice is about that pauses, or resumes.
func about(pause bool) uint8 {
	if pause {
		return aPause
	}
	return aResume
}

// notify sends a notice to a port. Between two calls of Run it takes no mail, which a failure could not
// find.
func (d *Domain) notify(to place, n notice) {
	if to.domain == d.self || !d.network.running {
		d.network.domains[to.domain].hear(to.index, n)
		return
	}
	box := &d.out[to.domain]
	box.notices = append(box.notices, posted{to.index, n})
	d.exported = min(d.exported, n.at)
}

// hear has a port heed a notice at its time.
func (d *Domain) hear(i int32, n notice) {
	h := &d.notices[i]
	k := len(h.coming)
	h.coming = append(h.coming, n)
	for ; k > 0 && h.coming[k-1].at > n.at; k-- {
		h.coming[k] = h.coming[k-1]
	}
	h.coming[k] = n
	switch {
	case d.sweeping && h.host < 0:
		d.sched.Expect(n.at)
		if !h.listed {
			h.listed = true
			d.noticing = append(d.noticing, i)
		}
	case k == 0:
		d.sched.Schedule(d.firstNotice+sim.Entity(i), n.at)
		d.stir(h.host, n.at)
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

// resume has a port decide anew that may serve a class again, if that is what it waits for.
func (d *Domain) resume(i int32, k uint8, now sim.Time) {
	p := &d.ports[i]
	if q := p.disc; !q.asleep || q.occupied>>k&1 == 0 {
		return
	}
	p.busyUntil = max(p.busyUntil, now)
	d.rouse(p, i)
	d.await(p, i, now)
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

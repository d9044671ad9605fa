package fabric

import "weft/sim"

// conclude resumes the links that may resume, once the instants before now are complete.
func (l *pool) conclude(now sim.Time) {
	if len(l.left) == 0 || l.leftAt >= now {
		return
	}
	classes := int32(len(l.classes))
	for _, what := range l.left {
		switch l.scope {
		case OfIngress:
			in := &l.links[what/classes]
			if a := &in.accounts[what%classes]; a.holders > 0 && in.relieved(a, l.free()) {
				l.unhold(what/classes, what%classes)
			}
		case OfEgress:
			q := &l.queues[what]
			c := &l.d.ports[l.ports[what/classes]].disc.classes[l.classes[what%classes]]
			kept := q.links[:0]
			for _, link := range q.links {
				if in := &l.links[link]; uint64(c.bytes) <= in.on() {
					l.unhold(link, what%classes)
				} else {
					kept = append(kept, link)
				}
			}
			q.links = kept
		case OfSwitch:
			l.resumeAll()
		}
	}
	l.left = l.left[:0]
}

func (l *pool) resumeAll() {
	for link := range l.links {
		in := &l.links[link]
		for slot := range in.accounts {
			if in.accounts[slot].holders > 0 && l.held <= in.on() {
				l.unhold(int32(link), int32(slot))
			}
		}
	}
}

// countRepeats counts the refreshes of a link's and class's pause that ends at time t.
func (l *pool) countRepeats(link, slot int32, t sim.Time) {
	in := &l.links[link]
	if n := in.accounts[slot].repeats(&in.hold, t); n > 0 {
		l.by.ends[in.reverse].counted().sent[l.classes[slot]] += n
	}
}

// unhold removes one reason to pause a link and class, and resumes it if that was the last.
func (l *pool) unhold(link, slot int32) {
	in := &l.links[link]
	a := &in.accounts[slot]
	if a.holders--; a.holders == 0 {
		l.countRepeats(link, slot, l.leftAt)
		l.signal(in, l.classes[slot], false, l.leftAt)
	}
}

// forgive removes all reasons to pause a link and class, without resuming it.
func (l *pool) forgive(link int32, slot int8) {
	in := &l.links[link]
	if in.accounts[slot].holders == 0 {
		return
	}
	in.accounts[slot].holders = 0
	for j := range l.queues {
		if int(slot) != j%len(l.classes) {
			continue
		}
		q := &l.queues[j]
		for i, other := range q.links {
			if other == link {
				q.links = append(q.links[:i], q.links[i+1:]...)
				break
			}
		}
	}
}

// notice is a message to a sending end from the far end of its link.
type notice struct {
	at    sim.Time
	class uint8
	what  uint8
}

// posted is a notice for a port of another domain.
type posted struct {
	port int32
	notice
}

// pausing is the pause state of a domain. It implements notices.
type pausing struct {
	d        *Domain
	first    sim.Entity // first entity of the notices; one per port
	ends     []pauseEnd // one per port
	noticing []int32    // switch ports with pending notices, if windows are swept
	pools    []*pool    // pools of switches that have paused a link
	classes  uint8      // mask of the lossless classes
	expires  bool       // pauses expire
	guard    guard      // or nil
}

// A guard ends pauses that last too long.
type guard interface {
	// heard is called when a class of port i is paused or resumed. It reports whether
	// to block the class.
	heard(i int32, k uint8, pause bool, now sim.Time) bool
	// check is called when a notice to check a class is due.
	check(i int32, k uint8, now sim.Time)
	// forget is called when the link of port i fails.
	forget(i int32)
}

// pauseEnd is the pause state of a sending end.
type pauseEnd struct {
	coming []notice // in order of time
	host   int32    // host of the NIC, or -1 at a switch
	listed bool     // listed in pausing.noticing
	expiry sim.Time // how long a pause holds; 0 means for ever
	tally  *pauseTally
}

// pauseTally counts the pauses of a port.
type pauseTally struct {
	since, total [8]sim.Time // per class: when it was last paused, and how long it was paused before that
	ended        [8]sim.Time // when the last completed pause of each class ended
	heard        [8]uint64   // pauses received
	sent         [8]uint64   // pauses sent for the reverse direction of the link
	resumes      [8]uint64   // resumes sent
	noted        sim.Time    // when the pauses of a port with a series last changed
	last         [2]sim.Time // paused time not yet in the series, since the run may have ended before it did
	expires      [8]sim.Time // when the last pause of each class expires, if pauses expire
}

func (h *pauseEnd) counted() *pauseTally {
	if h.tally == nil {
		h.tally = new(pauseTally)
	}
	return h.tally
}

// signal pauses or resumes a class at the far end of a link, as decided at time t.
// It returns false if the link that leads there is down.
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
		l.by.pools = append(l.by.pools, l)
	}
	return true
}

// send sends a pause, a repeated pause or a resume to the far end of a link.
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
	tally := l.by.ends[in.reverse].counted()
	if pause {
		tally.sent[k]++
	} else {
		tally.resumes[k]++
	}
	l.by.notify(d.network.ports[in.id], notice{at, k, about(pause)})
	return true
}

// about returns the kind of a notice that pauses or resumes.
func about(pause bool) uint8 {
	if pause {
		return noticePause
	}
	return noticeResume
}

// notify sends a notice to a port. Between two calls of Run it bypasses the mail,
// where a link failure could not find the notice.
func (b *pausing) notify(to place, n notice) {
	d := b.d
	if to.domain == d.mail.self || !d.network.running {
		d.network.domains[to.domain].hooks.notices.addNotice(to.index, n)
		return
	}
	box := &d.mail.out[to.domain]
	box.notices = append(box.notices, posted{to.index, n})
	d.mail.exported = min(d.mail.exported, n.at)
}

// addNotice implements notices.
func (b *pausing) addNotice(i int32, n notice) {
	d, h := b.d, &b.ends[i]
	k := len(h.coming)
	h.coming = append(h.coming, n)
	for ; k > 0 && h.coming[k-1].at > n.at; k-- {
		h.coming[k] = h.coming[k-1]
	}
	h.coming[k] = n
	switch {
	case d.swept.sweeping && h.host < 0:
		d.sched.Expect(n.at)
		if !h.listed {
			h.listed = true
			b.noticing = append(b.noticing, i)
		}
	case k == 0:
		d.sched.Schedule(b.first+sim.Entity(i), n.at)
		d.stir(h.host, n.at)
	}
}

// Kinds of notice.
const (
	noticePause uint8 = iota
	noticeResume
	noticeCheck  // the watchdog checks a class
	noticeExpiry // a pause expires that nobody ended
)

package fabric

import "weft/sim"

// conclude resumes what may be, now that the instants before a time are over.
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
		for lane := range in.accounts {
			if in.accounts[lane].holders > 0 && l.held <= in.on() {
				l.unhold(int32(link), int32(lane))
			}
		}
	}
}

// countRepeats counts how often the pause of a link and class was refreshed that ends at time t.
func (l *pool) countRepeats(link, lane int32, t sim.Time) {
	in := &l.links[link]
	if n := in.accounts[lane].repeats(&in.hold, t); n > 0 {
		l.d.notices[in.reverse].counted().sent[l.classes[lane]] += n
	}
}

// unhold ends one reason to pause a link and class, and resumes it if that was the last.
func (l *pool) unhold(link, lane int32) {
	in := &l.links[link]
	a := &in.accounts[lane]
	if a.holders--; a.holders == 0 {
		l.countRepeats(link, lane, l.leftAt)
		l.signal(in, l.classes[lane], false, l.leftAt)
	}
}

// forgive forgets all reasons for which a link and class is paused.
func (l *pool) forgive(link int32, lane int8) {
	in := &l.links[link]
	if in.accounts[lane].holders == 0 {
		return
	}
	in.accounts[lane].holders = 0
	for j := range l.queues {
		if int(lane) != j%len(l.classes) {
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

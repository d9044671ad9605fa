package fabric

import (
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Since returns the counts since an earlier reading. Most, Headroom and Paused are
// no sums and stay as they are.
func (s Pauses) Since(o Pauses) Pauses {
	for k := range s.Heard {
		s.Heard[k] -= o.Heard[k]
		s.Time[k] -= o.Time[k]
		s.Sent[k] -= o.Sent[k]
		s.Resumes[k] -= o.Resumes[k]
	}
	return s
}

// ResetHeldMax restarts the search for the most bytes held of each link.
func (n *Network) ResetHeldMax(now sim.Time) {
	for l := range n.pausers {
		l.advance(now)
		for j := range l.links {
			for slot := range l.links[j].accounts {
				a := &l.links[j].accounts[slot]
				a.most = a.total()
			}
		}
	}
}

// Pauses counts the pauses of a directed link up to a time, by class.
type Pauses struct {
	// Heard counts the pauses that its sending end obeyed. Time is how long it was paused.
	Heard [8]uint64
	Time  [8]sim.Time
	// Sent counts the pauses that its receiving end sent, including refreshes.
	// Resumes counts those that ended a pause.
	Sent    [8]uint64
	Resumes [8]uint64
	// Most is the most bytes that the switch at the receiving end held from the link.
	// Headroom is how many of the bytes held now are in headroom.
	Most, Headroom [8]unit.Bytes
	// Paused has a bit for every class that is paused now.
	Paused uint8
}

// Pauses returns the counts of a directed link up to now; the zero value without pauses.
func (n *Network) Pauses(id topo.PortID, now sim.Time) (s Pauses) {
	d, i, _, _ := n.at(id)
	b := d.pauses()
	if b == nil {
		return s
	}
	still := b.of(i)
	s.Paused = still
	if t := b.ends[i].tally; t != nil {
		s.Heard = t.heard
		for k := range s.Time {
			if t.ended[k] > now && t.since[k] <= now { // it was resumed only after the run had ended
				s.Paused |= 1 << k
			}
			s.Time[k] = t.paused(k, still>>k&1 != 0, now)
		}
	}
	rx, reverse, _, cold := n.at(id.Reverse())
	if t := rx.pauses().ends[reverse].tally; t != nil {
		s.Sent, s.Resumes = t.sent, t.resumes
	}
	if cold.pool != nil {
		l, link := n.accountOf(id)
		l.advance(now)
		for slot, k := range l.classes {
			in := &l.links[link]
			a := &in.accounts[slot]
			s.Most[k], s.Headroom[k] = unit.Bytes(a.most), unit.Bytes(a.headroom)
			if a.holders > 0 {
				s.Sent[k] += a.repeats(&in.hold, now)
			}
		}
	} else if slow := rx.slow(); slow != nil {
		slow.add(&s, reverse, now)
	}
	return s
}

// heeded returns when the last pause or resume reached its port. It excludes
// resumes that slow hosts decided after the given time.
func (n *Network) heeded(decided sim.Time) (t sim.Time) {
	for _, d := range n.domains {
		for i := range d.ports {
			tally := d.pauses().ends[i].tally
			if tally == nil {
				continue
			}
			late := n.resumedBy(topo.PortID(d.cold[i].id), decided)
			for k := range tally.since {
				t = max(t, tally.since[k])
				if tally.ended[k] != late {
					t = max(t, tally.ended[k])
				}
			}
		}
	}
	return t
}

// checkAccounts compares the accounts of every link with the frames that switches hold.
func (n *Network) checkAccounts() error {
	for l := range n.pausers {
		if err := l.check(); err != nil {
			return err
		}
	}
	return nil
}

// paused returns how long a class had been paused by a time. still reports that it is paused.
func (t *pauseTally) paused(k int, still bool, at sim.Time) sim.Time {
	switch {
	case still:
		return t.total[k] + max(0, at-t.since[k])
	case t.ended[k] > at:
		return t.total[k] - (t.ended[k] - max(at, t.since[k]))
	}
	return t.total[k]
}

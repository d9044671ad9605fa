package fabric

import "weft/sim"

// Since returns what happened since an earlier reading. Most, Headroom and Paused are no sums and stay.
func (s Pauses) Since(o Pauses) Pauses {
	for k := range s.Heard {
		s.Heard[k] -= o.Heard[k]
		s.Time[k] -= o.Time[k]
		s.Sent[k] -= o.Sent[k]
		s.Resumes[k] -= o.Resumes[k]
	}
	return s
}

// ResetHeldMax starts the search for the most that is held of each link anew.
func (n *Network) ResetHeldMax(now sim.Time) {
	for l := range n.pausers {
		l.advance(now)
		for j := range l.links {
			for lane := range l.links[j].accounts {
				a := &l.links[j].accounts[lane]
				a.most = a.total()
			}
		}
	}
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

// hold adds the paused time [from, to) to its buckets.
func (s *Series) hold(from, to sim.Time) {
	for from < to {
		b := int64(from / s.Interval)
		end := min(to, sim.Time(b+1)*s.Interval)
		s.Paused.add(b, int64(end-from))
		if len(s.Paused) == MostBuckets {
			return
		}
		from = end
	}
}

// FollowedClass returns the class of a frame in a network that is followed.
func (n *Network) FollowedClass(id FrameID) uint8 { return n.domains[0].Packets[id].Priority() }

// FollowedDeflections returns how often a frame was deflected in a network that is followed.
func (n *Network) FollowedDeflections(id FrameID) int {
	d := n.domains[0]
	tokens, ok := d.Packets[id].Tokens()
	if d.deflecting == nil || !ok {
		return 0
	}
	return d.deflecting.Tokens - tokens
}

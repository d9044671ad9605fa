package fabric

import (
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// PausedClass is a class of a directed link that the far end has paused.
type PausedClass struct {
	Port  topo.PortID
	Class uint8
	// Waiting is what waits for it at its port; hosts keep theirs and say nothing.
	Waiting unit.Bytes
}

// Deadlock returns the largest set of paused classes of links each of which can resume only after frames
// leave that wait in the set; nil if there is none. They stay paused for ever. It is asked between two calls
// of Run.
//
// The set is found by taking out what can resume: begin with all that is paused, and take out each class of a
// link whose far end would resume it if it held only frames that wait at ports of the set.
func (n *Network) Deadlock() (set []PausedClass) {
	in := n.pausedQueues()
	for changed := len(in) > 0; changed; {
		changed = false
		for k := range in {
			if !n.isStuck(k, in) {
				delete(in, k)
				changed = true
			}
		}
	}
	for id := range topo.PortID(len(n.ports)) {
		for k := range uint8(8) {
			if bytes, ok := in[queueID{id, k}]; ok {
				set = append(set, PausedClass{id, k, bytes})
			}
		}
	}
	return set
}

// queueID names a class of a directed link.
type queueID struct {
	port  topo.PortID
	class uint8
}

// pausedQueues returns all classes of links that are paused, or about to be, and what waits there.
func (n *Network) pausedQueues() map[queueID]unit.Bytes {
	in := map[queueID]unit.Bytes{}
	for _, d := range n.domains {
		for _, l := range d.pausing {
			for i := range l.links {
				link := &l.links[i]
				for lane := range link.accounts {
					if link.accounts[lane].holders == 0 {
						continue
					}
					k := l.classes[lane]
					bytes := unit.Bytes(0)
					if tx, _, p, _ := n.at(link.id); p.disc != nil {
						bytes = unit.Bytes(tx.waitingBytes(p, k))
					}
					in[queueID{link.id, k}] = bytes
				}
			}
		}
	}
	return in
}

func (d *Domain) waitingBytes(p *port, k uint8) (sum uint64) {
	c := &p.disc.classes[k]
	for j := c.head; j != c.tail; j++ {
		sum += uint64(d.frames[c.at(j).frame].Size)
	}
	return sum
}

// isStuck tells whether a class of a link stays paused if only what waits in a set stays.
func (n *Network) isStuck(of queueID, set map[queueID]unit.Bytes) bool {
	rx, _, _, cold := n.at(of.port.Reverse())
	l := cold.pool
	rest := l.rest(n, set)
	switch l.scope {
	case OfIngress:
		link := rx.ingress[n.wires[of.port].index]
		in := &l.links[link]
		a := rest.accounts[int(link)*len(l.classes)+int(l.lanes[of.class])]
		threshold := in.off
		if threshold == 0 {
			threshold = (l.size - min(l.size, rest.shared)) * in.alpha >> 16
		}
		over := in.over(&a)
		return a.headroom > 0 || over > 0 && over+in.gap > threshold
	case OfEgress:
		for j := range l.queues {
			if int(l.lanes[of.class]) != j%len(l.classes) {
				continue
			}
			for _, link := range l.queues[j].links {
				in := &l.links[link]
				if in.id == of.port && rest.queues[j] > in.off-min(in.off, in.gap) {
					return true
				}
			}
		}
		return false
	}
	in := &l.links[rx.ingress[n.wires[of.port].index]]
	return rest.total > in.off-min(in.off, in.gap)
}

// rest is what a switch would hold if only what waits in a set stayed.
type rest struct {
	accounts []account // by link and lane
	queues   []uint64  // by port and lane
	shared   uint64    // beyond reserves, without headroom
	total    uint64
}

func (l *pool) rest(n *Network, set map[queueID]unit.Bytes) (r rest) {
	lanes := len(l.classes)
	r.accounts = make([]account, len(l.links)*lanes)
	r.queues = make([]uint64, len(l.ports)*lanes)
	for place, i := range l.ports {
		for lane, k := range l.classes {
			if _, stays := set[queueID{topo.PortID(l.d.cold[i].id), k}]; !stays {
				continue
			}
			c := &l.d.ports[i].disc.classes[k]
			for j := c.head; j != c.tail; j++ {
				w := c.at(j)
				size := uint64(l.d.frames[w.frame].Size)
				if w.ingress == noIngress {
					r.shared += size
				} else {
					r.accounts[int(l.d.ingress[w.ingress])*lanes+lane].held += size
				}
				r.queues[place*lanes+lane] += size
				r.total += size
			}
		}
	}
	for j := range r.accounts {
		in := &l.links[j/lanes]
		now, a := &in.accounts[j%lanes], &r.accounts[j]
		a.headroom = a.held - min(a.held, now.held) // headroom is freed first
		a.held -= a.headroom
		r.shared += in.over(a)
	}
	return r
}

// Pauses is what a directed link had to do with pauses up to a time, by class.
type Pauses struct {
	// Heard counts the pauses that its sending end obeyed, and Time is for how long it did.
	Heard [8]uint64
	Time  [8]sim.Time
	// Sent counts the pauses that its receiving end sent back, and Resumes all that took one back.
	Sent    [8]uint64
	Resumes [8]uint64
	// Most is the most that the receiving end, a switch, held of what came over the link, and Headroom
	// what of it lies in headroom now.
	Most, Headroom [8]unit.Bytes
	// Paused has a bit for every class that is paused now.
	Paused uint8
}

// Pauses returns those of a directed link by now; the zero value without pauses.
func (n *Network) Pauses(id topo.PortID, now sim.Time) (s Pauses) {
	d, i, _, _ := n.at(id)
	if d.notices == nil {
		return s
	}
	s.Paused = d.pausesOf(i)
	if t := d.notices[i].tally; t != nil {
		s.Heard, s.Time = t.heard, t.total
		for k := range s.Time {
			if s.Paused>>k&1 != 0 {
				s.Time[k] += now - t.since[k]
			}
		}
	}
	rx, reverse, _, cold := n.at(id.Reverse())
	if t := rx.notices[reverse].tally; t != nil {
		s.Sent, s.Resumes = t.sent, t.resumes
	}
	if l := cold.pool; l != nil {
		l.advance(now)
		in := &l.links[rx.ingress[n.wires[id].index]]
		for lane, k := range l.classes {
			s.Most[k], s.Headroom[k] = unit.Bytes(in.accounts[lane].most), unit.Bytes(in.accounts[lane].headroom)
		}
	}
	return s
}

// checkAccounts compares the accounts of every link with the frames that switches hold.
func (n *Network) checkAccounts() error {
	for _, d := range n.domains {
		seen := map[*pool]bool{}
		for i := range d.ports {
			if l := d.cold[i].pool; l != nil && l.ingresses != nil && !seen[l] {
				seen[l] = true
				if err := l.check(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

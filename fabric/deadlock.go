package fabric

import (
	"slices"

	"weft/topo"
	"weft/unit"
)

// PausedClass is a class of a directed link that the far end has paused.
type PausedClass struct {
	Port  topo.PortID
	Class uint8
	// Waiting is the backlog of the class at its port; 0 for hosts, which keep their backlog.
	Waiting unit.Bytes
}

// Deadlock returns the largest set of paused classes of links in which each class
// can resume only after frames that wait in the set have left; nil if there is
// none. These classes stay paused for ever. Call it between two calls of Run.
//
// It starts with all paused classes and removes those that can resume: a class whose
// far end would resume it if that switch held only frames waiting at ports of the set.
//
// Pauses that expire cause no deadlock: the frames go on, and are lost where there is no room.
func (n *Network) Deadlock() (set []PausedClass) {
	if b := n.domains[0].pauses(); b == nil || b.expires {
		return nil
	}
	in := n.pausedQueues()
	for changed := len(in) > 0; changed; {
		changed = false
		rests := map[*pool]*rest{} // of the current set; removals of this round count in the next
		for k := range in {
			if !n.isStuck(k, in, rests) {
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

// Held returns the paused classes of switch ports in which frames wait. Call it
// between two calls of Run.
func (n *Network) Held() (list []PausedClass) {
	for id := range topo.PortID(len(n.ports)) {
		d, i, p, _ := n.at(id)
		b := d.pauses()
		if b == nil || p.disc == nil {
			continue
		}
		for k, paused := uint8(0), b.of(i)&p.disc.occupied; paused != 0; k, paused = k+1, paused>>1 {
			if paused&1 != 0 {
				list = append(list, PausedClass{id, k, unit.Bytes(d.waitingBytes(p, k))})
			}
		}
	}
	return list
}

// queueID names a class of a directed link.
type queueID struct {
	port  topo.PortID
	class uint8
}

// pausedQueues returns the classes of links that are paused, or about to be, and
// the bytes that wait in each.
func (n *Network) pausedQueues() map[queueID]unit.Bytes {
	in := map[queueID]unit.Bytes{}
	for _, d := range n.domains {
		for _, l := range d.pauses().pools {
			for i := range l.links {
				link := &l.links[i]
				for slot := range link.accounts {
					if link.accounts[slot].holders == 0 {
						continue
					}
					k := l.classes[slot]
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
		sum += uint64(d.Packets[c.at(j).frame].Size)
	}
	return sum
}

// isStuck reports whether a class of a link stays paused if only the frames waiting
// in a set remain. rests caches, per switch, what it would then hold.
func (n *Network) isStuck(of queueID, set map[queueID]unit.Bytes, rests map[*pool]*rest) bool {
	l, link := n.accountOf(of.port)
	r := rests[l]
	if r == nil {
		r = l.rest(set)
		rests[l] = r
	}
	in := &l.links[link]
	switch l.scope {
	case OfIngress:
		a := &r.accounts[int(link)*len(l.classes)+int(l.slots[of.class])]
		return !in.relieved(a, l.size-min(l.size, r.shared))
	case OfEgress:
		for j := range l.queues {
			if int(l.slots[of.class]) == j%len(l.classes) && r.queues[j] > in.on() && slices.Contains(l.queues[j].links, link) {
				return true
			}
		}
		return false
	}
	return r.total > in.on()
}

// rest is what a switch would hold if only the frames waiting in a set remained.
type rest struct {
	accounts []account // by link and slot
	queues   []uint64  // by port and slot
	shared   uint64    // bytes in the shared buffer: beyond reserves, without headroom
	total    uint64
}

func (l *pool) rest(set map[queueID]unit.Bytes) *rest {
	slots := len(l.classes)
	r := &rest{}
	r.accounts = make([]account, len(l.links)*slots)
	r.queues = make([]uint64, len(l.ports)*slots)
	for place, i := range l.ports {
		for slot, k := range l.classes {
			if _, stays := set[queueID{topo.PortID(l.d.cold[i].id), k}]; !stays {
				continue
			}
			c := &l.d.ports[i].disc.classes[k]
			for j := c.head; j != c.tail; j++ {
				w := c.at(j)
				size := uint64(l.d.Packets[w.frame].Size)
				if w.ingress == noIngress {
					r.shared += size
				} else {
					r.accounts[int(l.ingress[w.ingress.wire()])*slots+int(l.slots[w.ingress.class(k)])].held += size
				}
				r.queues[place*slots+slot] += size
				r.total += size
			}
		}
	}
	for j := range r.accounts {
		in := &l.links[j/slots]
		now, a := &in.accounts[j%slots], &r.accounts[j]
		a.headroom = a.held - min(a.held, now.held) // headroom is freed first
		a.held -= a.headroom
		r.shared += in.over(a.held)
	}
	return r
}

package fabric

import (
	"weft/sim"
	"weft/topo"
)

// Acted counts what rules of switches did that no port counts, from the beginning of the run on.
type Acted struct {
	// Unshared are frames for which shared buffers had no room, or for which a queue had no share left; Unadmitted those
	// that rules of admission refused.
	Unshared, Unadmitted uint64
	// Watchdogs is how often pauses were ended for lasting too long.
	Watchdogs uint64
}

// Acted returns these counts.
func (n *Network) Acted() (a Acted) {
	seen := map[*pool]bool{}
	for _, d := range n.domains {
		a.Watchdogs += d.watchdogs
		for i := range d.ports {
			if l := d.cold[i].pool; l != nil && !seen[l] {
				seen[l] = true
				a.Unshared += l.refused
			}
			if q := d.ports[i].disc; q != nil {
				for k := range q.rules {
					a.Unadmitted += q.rules[k].refused
				}
			}
		}
	}
	return a
}

// Met counts what a directed link had to do with frames by now: those that came to its port, waited there or were on
// the way. It is the same at two times only if there were none between them.
func (n *Network) Met(id topo.PortID, now sim.Time) uint64 {
	c := n.Counters(id, now)
	return c.Frames + c.SentFrames + c.RefusedFrames + c.FlushedFrames + c.Drops[LinkDown] + c.Drops[Loss]
}

// QueueMax returns the largest queue of a port in bytes, since ResetQueueMax.
func (n *Network) QueueMax(id topo.PortID, now sim.Time) uint32 {
	d, i, p, _ := n.at(id)
	d.drain(p, i, now)
	return p.queuedMax
}

package fabric

// Acted counts what rules of switches did that no port counts, from the beginning of the run on.
type Acted struct {
	// Unshared are frames for which shared buffers had no room, or for which a queue had no share left; Unadmitted those
	// that rules of admission refused.
	Unshared, Unadmitted uint64
	// Scheduled are decisions of schedulers for another class than the first that could go, and Misscheduled those for one that could
	// not, in place of which the first went.
	Scheduled, Misscheduled uint64
	// Watchdogs is how often pauses were ended for lasting too long.
	Watchdogs uint64
}

// Acted returns these counts.
func (n *Network) Acted() (a Acted) {
	seen := map[*pool]bool{}
	for _, d := range n.domains {
		if b := d.pauses(); b != nil && b.guard != nil {
			a.Watchdogs += b.guard.(*watchdog).fires
		}
		for i := range d.ports {
			if l := d.cold[i].pool; l != nil && !seen[l] {
				seen[l] = true
				a.Unshared += l.refused
			}
			if q := d.ports[i].disc; q != nil {
				if q.scheduler != nil {
					a.Scheduled += q.scheduler.others
					a.Misscheduled += q.scheduler.wrong
				}
				for k := range q.rules {
					a.Unadmitted += q.rules[k].refused
				}
			}
		}
	}
	return a
}

package fabric

// Acted counts actions of switch rules that no port counts, over the whole run.
type Acted struct {
	// Unshared counts frames that found the shared buffer full or the share of their
	// queue used up. Unadmitted counts frames that admission rules refused.
	Unshared, Unadmitted uint64
	// Scheduled counts decisions of schedulers that differ from strict priority. Misscheduled
	// counts decisions for a class that was not open; the first open class went instead.
	Scheduled, Misscheduled uint64
	// Watchdogs counts how often a pause watchdog fired.
	Watchdogs uint64
}

// Acted returns the counts so far.
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

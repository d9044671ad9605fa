package fabric

import "weft/sim"

// Hosts take their turns at the end of a swept window, in the order of their numbers. Most have
// nothing to do in it on a large fabric with little traffic, and looking at each would take longer
// than the window itself. So hosts are in groups, and a group knows a time that none of its events
// precedes.

// groupBits is the logarithm of the hosts of a group.
const groupBits = 4

// newGroups returns the bounds of groups of so many hosts, which have no events yet.
func newGroups(hosts int) []sim.Time {
	soon := make([]sim.Time, (hosts+1<<groupBits-1)>>groupBits)
	for i := range soon {
		soon[i] = sim.Forever
	}
	return soon
}

// stir notes that a host has an event at a time. Whoever schedules one outside of the host's own
// turn does so, since the turn ends with a look at all of them. A number that is no host's, or any
// without swept windows, is beyond d.soon.
func (d *Domain) stir(h int32, at sim.Time) {
	if g := uint32(h) >> groupBits; g < uint32(len(d.soon)) {
		d.soon[g] = min(d.soon[g], at)
	}
}

// expectSend notes when a host that was told something outside of its turn sends next.
func (d *Domain) expectSend(h int32) {
	if at, ok := d.sched.Pending(d.nics[h].wake); ok {
		d.stir(h, at)
	}
}

// scheduleArrival has the first frame of a wire arrive at a time.
func (d *Domain) scheduleArrival(wire int32, at sim.Time) {
	if d.passages != nil {
		at = d.goesOn(sim.Entity(wire), at)
	}
	d.sched.Schedule(sim.Entity(wire), at)
	d.stir(wire-d.hostWires, at)
}

// hostTurns lets the hosts handle their events before to.
func (d *Domain) hostTurns(to sim.Time) (events uint64) {
	for g, at := range d.soon {
		if at >= to {
			d.sched.Expect(at)
			continue
		}
		d.soon[g] = sim.Forever // what comes up while hosts take their turns counts
		next := sim.Forever
		last := min(int32(g+1)<<groupBits, int32(len(d.nics)))
		for h := int32(g) << groupBits; h < last; h++ {
			n, at := d.host(h, to)
			events += n
			next = min(next, at)
		}
		d.soon[g] = min(d.soon[g], next)
		d.sched.Expect(next)
	}
	return events
}

// host handles the events of a host before to, and returns how many there were, and when the
// next one is.
func (d *Domain) host(h int32, to sim.Time) (events uint64, next sim.Time) {
	n := &d.nics[h]
	for {
		e, at := d.sched.First(n.in, n.wake, n.wake+1)
		if d.notices != nil {
			e, at = d.sched.Earlier(e, at, d.firstNotice+sim.Entity(n.port))
		}
		if at >= to {
			return events, at
		}
		events++
		d.sched.Take(e)
		d.Handle(e, at)
	}
}

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
// without swept windows, is beyond d.swept.soon.
func (d *Domain) stir(h int32, at sim.Time) {
	if g := uint32(h) >> groupBits; g < uint32(len(d.swept.soon)) {
		d.swept.soon[g] = min(d.swept.soon[g], at)
	}
}

// scheduleArrival has the first frame of a wire arrive at a time.
func (d *Domain) scheduleArrival(wire int32, at sim.Time) {
	if d.late.passages != nil {
		at = d.goesOn(sim.Entity(wire), at)
	}
	d.sched.Schedule(sim.Entity(wire), at)
	d.stir(wire-d.numbers.hostWires, at)
}

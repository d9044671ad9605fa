package fabric

import "weft/sim"

// Hosts act at the end of a swept window, in the order of their numbers. On a large fabric with
// little traffic, most have nothing to do, and checking each one would take longer than the window
// itself. So hosts form groups, and each group keeps a time that none of its events precedes.

// groupBits is the binary logarithm of the number of hosts in a group.
const groupBits = 4

// newGroups returns the bounds of the groups of a number of hosts without events.
func newGroups(hosts int) []sim.Time {
	soon := make([]sim.Time, (hosts+1<<groupBits-1)>>groupBits)
	for i := range soon {
		soon[i] = sim.Forever
	}
	return soon
}

// stir notes that a host has an event at a time. Whoever schedules an event outside
// the host's own turn must call it, because a turn ends with a check of all events.
// Without swept windows, or if h is no host, the index lies outside d.swept.soon.
func (d *Domain) stir(h int32, at sim.Time) {
	if g := uint32(h) >> groupBits; g < uint32(len(d.swept.soon)) {
		d.swept.soon[g] = min(d.swept.soon[g], at)
	}
}

// scheduleArrival schedules the arrival of the first frame of a wire.
func (d *Domain) scheduleArrival(wire int32, at sim.Time) {
	if d.late.passages != nil {
		at = d.goesOn(sim.Entity(wire), at)
	}
	d.sched.Schedule(sim.Entity(wire), at)
	d.stir(wire-d.numbers.hostWires, at)
}

package fabric

import "weft/sim"

// order is a domain's schedule, and where in it the domain stands: what happens at the instant of the event under
// way comes before it or after it by rank.
type order struct {
	sched *sim.Scheduler
	turn  sim.Entity // of the event under way, or noTurn
}

// noTurn stands for what is done between events, and comes before those of its instant.
const noTurn sim.Entity = -1

// enter begins the turn of an entity, and returns whose turn it was.
func (o *order) enter(e sim.Entity) (was sim.Entity) {
	was, o.turn = o.turn, e
	return was
}

// passed tells whether an entity, were it due at this instant, would have had its turn.
func (o *order) passed(e sim.Entity) bool { return o.turn != noTurn && o.sched.Precedes(e, o.turn) }

// comes tells whether an entity that is due at this instant has its turn after the event under way.
func (o *order) comes(e sim.Entity) bool { return o.turn == noTurn || o.sched.Precedes(o.turn, e) }

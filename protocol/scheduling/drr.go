package scheduling

import (
	"weft/protocol"
	"weft/unit"
)

// drr is deficit round robin (Shreedhar and Varghese, SIGCOMM 1995, §3). A class whose turn it is may send as many
// bytes as its deficit holds, which grows by the class's quantum per turn. What it does not use up is kept while frames wait.
//
// Classes have turns in the order of their numbers, not in the order in which they became busy. A class that the far end of the link
// holds up is passed over, and loses what is left of its turn but for less than a frame: a class that kept more would get two turns in
// one round later.
type drr struct {
	shares
	quantum [protocol.MaxClasses]unit.Bytes
	deficit [protocol.MaxClasses]unit.Bytes
	frame   unit.Bytes // of full size
	turn    int        // the class whose turn it is
	granted bool       // whether it has been given its quantum
}

// newDRR makes the scheduler of a port. The least weight has a quantum of one full frame, so that each turn
// sends something.
func newDRR(s shares, env protocol.SchedulerEnv) protocol.Scheduler {
	d := &drr{shares: s, frame: env.Frame, turn: s.strict}
	least := maxWeight
	for k := s.strict; k < s.classes; k++ {
		least = min(least, s.weight[k])
	}
	for k := s.strict; k < s.classes; k++ {
		d.quantum[k] = max(1, env.Frame*unit.Bytes(s.weight[k])/unit.Bytes(least))
	}
	return d
}

// Queued has a class that was empty begin without a deficit, and without the rest of a turn.
func (d *drr) Queued(class int, _ unit.Bytes, first bool) {
	if !first || class < d.strict {
		return
	}
	d.deficit[class] = 0
	if class == d.turn && d.granted {
		d.pass()
	}
}

func (d *drr) Next(r *protocol.Ready) int {
	if k, ok := d.first(r.Open); ok {
		return k
	}
	for {
		k := d.turn
		switch {
		case r.Waiting>>k&1 == 0:
			d.deficit[k] = 0
		case r.Open>>k&1 != 0:
			if !d.granted {
				d.deficit[k] += d.quantum[k]
				d.granted = true
			}
			if size := r.Heads[k]; size <= d.deficit[k] {
				d.deficit[k] -= size
				return k
			}
		default: // held up
			d.deficit[k] = min(d.deficit[k], d.frame-1)
		}
		d.pass()
	}
}

// pass gives the turn to the next class.
func (d *drr) pass() {
	d.granted = false
	if d.turn++; d.turn == d.classes {
		d.turn = d.strict
	}
}

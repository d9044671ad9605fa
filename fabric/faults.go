package fabric

import (
	"math/rand/v2"

	"weft/sim"
	"weft/unit"
)

// faults is what only a port has whose link changed.
type faults struct {
	loss   rand.PCG
	lossIn uint64 // loss probability in 2⁻⁶⁴
	// lossSeeded tells that the stream of losses was begun.
	lossSeeded bool
	// begun is the departure of the last frame that had begun transmission when
	// the rate last changed, and begunRate the rate at which it is sent.
	begun     sim.Time
	begunRate unit.Rate
	// phantom is when the link would have sent what was offered while it is down.
	phantom sim.Time
	outage  outage
}

// loses draws whether a frame is lost.
func (f *faults) loses() bool { return f.loss.Uint64() < f.lossIn }

// outage is what was sent to a port since its link failed.
type outage struct {
	last   sim.Time // when the last frame was, or never
	before sim.Time // the same of the last frame before the first pause, or never
	quiet  sim.Time // how long a pause is at least; 0 finds none
}

// never stands for an instant that has not come.
const never sim.Time = -1

// refuse notes that a frame was sent to the port while its link was down.
func (o *outage) refuse(now sim.Time) {
	if o.before == never && o.last != never && o.quiet > 0 && now-o.last >= o.quiet {
		o.before = o.last
	}
	o.last = now
}

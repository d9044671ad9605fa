package fabric

import (
	"math/rand/v2"

	"weft/sim"
	"weft/unit"
)

// faults is the state of a port whose link has changed.
type faults struct {
	loss   rand.PCG
	lossIn uint64 // loss probability in 2⁻⁶⁴
	// lossSeeded reports that the random stream of losses has been seeded.
	lossSeeded bool
	// begun is the departure of the last frame whose transmission had begun when the
	// rate last changed. begunRate is the rate of that frame.
	begun     sim.Time
	begunRate unit.Rate
	// phantom is when the link would have sent everything offered while it is down.
	phantom sim.Time
	outage  outage
}

// loses draws whether a frame is lost.
func (f *faults) loses() bool { return f.loss.Uint64() < f.lossIn }

// outage records the frames sent to a port since its link failed.
type outage struct {
	last   sim.Time // when the last frame was sent, or never
	before sim.Time // the last frame before the first quiet period, or never
	quiet  sim.Time // shortest quiet period; 0 detects none
}

// never stands for a time that has not come.
const never sim.Time = -1

// refuse notes that a frame was sent to the port while its link was down.
func (o *outage) refuse(now sim.Time) {
	if o.before == never && o.last != never && o.quiet > 0 && now-o.last >= o.quiet {
		o.before = o.last
	}
	o.last = now
}

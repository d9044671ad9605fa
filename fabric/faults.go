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

// faults returns what port i of a domain has of its link's changes.
func (n *Network) faults(d *Domain, i int32) *faults {
	c := &d.cold[i]
	if c.faults == nil {
		c.faults = &faults{outage: outage{last: never, before: never, quiet: n.quiet}}
	}
	return c.faults
}

// loses draws whether a frame is lost.
func (f *faults) loses() bool { return f.loss.Uint64() < f.lossIn }

// counted returns what the port counts of frames that it drops or cuts.
func (c *portCold) counted() *PortCounters {
	if c.stats == nil {
		c.stats = new(PortCounters)
	}
	return c.stats
}

// Package fault describes what goes wrong in a network and when: links and
// switches that fail, recover, flap, slow down or lose frames. Faults expand to
// episodes of single ports, and a timeline merges them into the changes that a
// fabric carries out. It knows nothing of packets.
package fault

import (
	"fmt"
	"math/rand/v2"

	"weft/topo"
	"weft/unit"
)

// Effect is what happens to a port.
type Effect uint8

// Effects on a port.
const (
	// Down means that frames on the wire and in service are lost and nothing is
	// sent any more.
	Down Effect = iota
	// Up ends Down.
	Up
	// SetRate gives the port another rate.
	SetRate
	// SetLoss loses each frame with a probability.
	SetLoss
	// Missing means that there is no such link, from the start and for good: no Up
	// ends it, and routes know.
	Missing
)

// String returns a word for the effect.
func (e Effect) String() string {
	switch e {
	case Down:
		return "down"
	case Up:
		return "up"
	case SetRate:
		return "rate"
	case SetLoss:
		return "loss"
	case Missing:
		return "missing"
	}
	return fmt.Sprintf("effect %d", uint8(e))
}

// Change is what a fabric does to one directed link at one time.
type Change struct {
	At   unit.Time
	Port topo.PortID
	What Effect
	// Rate is the new rate of SetRate.
	Rate unit.Rate
	// Loss is the new probability of SetLoss; 0 loses nothing.
	Loss unit.Ratio
}

// Episode is a stay of one directed link in an abnormal state.
type Episode struct {
	// From is the first instant of the episode and To the first after it;
	// unit.Forever means it never ends. An Up has no duration, and To is ignored.
	From, To unit.Time
	Port     topo.PortID
	// What is the effect. An Up ends all downs of the port that are in force,
	// whatever caused them. Missing is of both directions, and From is 0.
	What Effect
	// Rate is for SetRate, and more than 0.
	Rate unit.Rate
	// Loss is for SetLoss.
	Loss unit.Ratio
}

// takesDown tells whether nothing gets through during the episode.
func (e *Episode) takesDown() bool {
	return e.What == Down || e.What == Missing || e.What == SetLoss && e.Loss >= 1
}

// Mark is a moment that a figure shows.
type Mark struct {
	At   unit.Time
	What string
}

// Site is where a fault strikes.
type Site struct {
	Graph *topo.Graph
	// Rand is the fault's own stream.
	Rand *rand.PCG
	// Broken tells which links the faults declared before this one take down at some
	// time, or lack, by LinkID; nil is none.
	Broken []bool
	// Follow tells that routes change when links fail, so that any path that is left will do.
	Follow bool
	// Drew, if not nil, is told what chance chose.
	Drew func(Drawn)
}

// Fault is something that goes wrong. It may cut hosts off only if it has a
// method AllowsCutoff that returns true.
type Fault interface {
	// Expand says what the fault does to which ports of a graph, and what a figure
	// shows of it.
	Expand(s Site) ([]Episode, []Mark, error)
}

// allowsCutoff tells whether a fault may cut hosts off.
func allowsCutoff(f Fault) bool {
	a, ok := f.(interface{ AllowsCutoff() bool })
	return ok && a.AllowsCutoff()
}

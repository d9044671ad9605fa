// Package fault describes what goes wrong in a network and when: links and switches
// that fail, recover, flap, slow down or lose frames. Each fault expands to
// episodes of single ports. A timeline merges the episodes into the changes that a
// fabric carries out. The package knows nothing of packets.
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
	// Down loses the frames on the wire and in service, and stops sending.
	Down Effect = iota
	// Up ends Down.
	Up
	// SetRate changes the rate of the port.
	SetRate
	// SetLoss loses each frame with a probability.
	SetLoss
	// Missing marks a link as permanently absent. No Up ends it, and routing avoids it.
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

// Change is one effect on one directed link at one time.
type Change struct {
	At   unit.Time
	Port topo.PortID
	What Effect
	// Rate is the new rate of SetRate.
	Rate unit.Rate
	// Loss is the new probability of SetLoss; 0 loses nothing.
	Loss unit.Ratio
}

// Episode is a period during which one directed link is in an abnormal state.
type Episode struct {
	// From is the first instant of the episode and To the first instant after it. To is
	// unit.Forever if the episode never ends. An Up has no duration: its To is ignored.
	From, To unit.Time
	Port     topo.PortID
	// What is the effect. An Up ends every Down of the port that is in force,
	// whatever caused it. Missing applies to both directions, with a From of 0.
	What Effect
	// Rate is the new rate for SetRate, above 0.
	Rate unit.Rate
	// Loss is the probability for SetLoss.
	Loss unit.Ratio
}

// takesDown reports whether nothing passes the port during the episode.
func (e *Episode) takesDown() bool {
	return e.What == Down || e.What == Missing || e.What == SetLoss && e.Loss >= 1
}

// Mark is a moment that figures show.
type Mark struct {
	At   unit.Time
	What string
}

// Site is the network that a fault strikes.
type Site struct {
	Graph *topo.Graph
	// Rand is the fault's own random stream.
	Rand *rand.PCG
	// Broken reports, by LinkID, which links earlier faults take down at some time or
	// remove. Nil means none.
	Broken []bool
	// Follow reports that routes follow failures, so that any remaining path is good enough.
	Follow bool
	// Drew, if not nil, receives what chance chose.
	Drew func(Drawn)
}

// Fault is something that goes wrong. It may cut hosts off only if it has a method
// AllowsCutoff that returns true.
type Fault interface {
	// Expand returns what the fault does to which ports of a graph, and the marks that figures show.
	Expand(s Site) ([]Episode, []Mark, error)
}

// allowsCutoff reports whether a fault may cut hosts off.
func allowsCutoff(f Fault) bool {
	a, ok := f.(interface{ AllowsCutoff() bool })
	return ok && a.AllowsCutoff()
}

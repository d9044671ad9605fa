package fault

import (
	"maps"
	"slices"

	"weft/topo"
	"weft/unit"
)

// Struck lists the directed links that a fault strikes, in order, and the time from
// its first beginning to its last end.
type Struck struct {
	Ports    []topo.PortID
	From, To unit.Time
	// Lifts reports that the fault only ends other faults.
	Lifts bool
}

// strike summarises the episodes of a fault.
func strike(episodes []Episode) Struck {
	s := Struck{From: unit.Forever, Lifts: true}
	hit := map[topo.PortID]bool{}
	for i := range episodes {
		e := &episodes[i]
		hit[e.Port] = true
		s.From = min(s.From, e.From)
		if e.What == Up {
			s.To = unit.Forever
		} else {
			s.Lifts = false
		}
		s.To = max(s.To, e.To)
	}
	s.Ports = slices.Sorted(maps.Keys(hit))
	return s
}

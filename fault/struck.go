package fault

import (
	"weft/topo"
	"weft/unit"
)

// Struck is the directed links that a fault strikes, in order, and the time from its first beginning to its last end.
type Struck struct {
	Ports    []topo.PortID
	From, To unit.Time
	// Lifts tells that the fault only ends others.
	Lifts bool
}

// strike gathers the episodes of a fault.
func strike(g *topo.Graph, episodes []Episode) Struck {
	s := Struck{From: unit.Forever, Lifts: true}
	hit := make([]bool, 2*len(g.Links))
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
	for p, is := range hit {
		if is {
			s.Ports = append(s.Ports, topo.PortID(p))
		}
	}
	return s
}

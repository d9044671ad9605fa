package fabric

import (
	"math/rand/v2"
)

// switchState is what a switch knows: for each edge switch a set of next hops.
type switchState struct {
	edge    int32 // its own number among the edge switches, or -1
	first   int32 // any port of it: where frames without a route are counted
	salt    uint64
	index   []uint16 // set of each edge switch; empty with layers and explicit paths
	offsets []uint32 // where each set begins in ports; one more at the end
	ports   []int32  // local ports
	random  rand.PCG
	*sprayState
	*layered
	*explicit
}

// hashed is pick for a frame that is hashed, from one edge switch to another.
func (s *switchState) hashed(f *Frame, from, to int32) int32 {
	ports, _ := s.choices(from, to, f.Entropy)
	if len(ports) == 0 {
		return -1
	}
	return among(ports, pathHash(f, s.salt))
}

// choices returns the ports by which a frame may leave a switch on its way from one edge switch to another, and the number of their
// set if there are several.
func (s *switchState) choices(from, to int32, entropy uint16) (ports []int32, set uint16) {
	if s.explicit != nil {
		if ports = s.explicit.next(from, to, entropy); ports != nil {
			return ports, 0
		}
	}
	set = s.setOf(int(to), entropy)
	return s.ports[s.offsets[set]:s.offsets[set+1]], set
}

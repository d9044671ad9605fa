package fabric

import (
	"weft/route"
)

// explicit is the state of a switch where packets follow explicit paths (route.Paths):
// its row in the paths, its ports to other switches as paths number them, and minimal
// next-hop sets. Packets without a path through the switch use the minimal sets.
type explicit struct {
	paths   *route.Paths
	row     uint32
	out     []int32 // local ports
	minimal []uint16
}

// next returns the port by which a frame leaves the switch on its path; nil if its
// path does not pass the switch.
func (e *explicit) next(from, to int32, entropy uint16) []int32 {
	if at := e.paths.Next(from, to, entropy, e.row); at >= 0 {
		return e.out[at : at+1]
	}
	return nil
}

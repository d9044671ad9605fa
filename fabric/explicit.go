package fabric

import (
	"weft/route"
)

// explicit is what a switch knows where packets follow explicit paths (route.Paths): its number among switches, its ports
// to others as paths count them, and the minimal sets for packets whose path does not pass it, or that have none.
type explicit struct {
	paths   *route.Paths
	row     uint32
	out     []int32 // local ports
	minimal []uint16
}

// next returns the port by which a frame leaves the switch on its path; nil if it has none there.
func (e *explicit) next(from, to int32, entropy uint16) []int32 {
	if at := e.paths.Next(from, to, entropy, e.row); at >= 0 {
		return e.out[at : at+1]
	}
	return nil
}

package fabric

import (
	"math/bits"
	"math/rand/v2"

	"weft/sim"
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

// forward sends a frame on from a switch; see accept. While its fate is decided, d.turn is its
// ingress, the wire over which it came.
func (d *Domain) forward(s *switchState, f *Frame, id FrameID, now sim.Time) {
	if d.detouring != nil {
		d.travel(s, f, id, now)
		return
	}
	port := d.nextHop(s, f, now)
	if port < 0 {
		d.drop(s.first, d.Keep(f, id), NoRoute, now)
		return
	}
	if d.deflecting != nil && f.Deflectable() {
		d.accept(d.deflect(s, port, f, now), f, id, now)
		d.laneChange = 0
		return
	}
	d.accept(port, f, id, now)
}

// nextHop returns the port by which a frame goes on, or a negative number if there is none.
// It decides in this order: an explicit path says it all; else the table of the frame's layer has a set of next hops, and the way to spray picks one of
// the set. What depends on the frame alone route has decided already. A deflection may put another port in its
// place (deflect.go).
func (d *Domain) nextHop(s *switchState, f *Frame, now sim.Time) (port int32) {
	port, set := d.route(s, f)
	if port >= 0 {
		return port
	}
	lo := s.offsets[set]
	n := s.offsets[set+1] - lo
	if n == 0 {
		if s.explicit != nil {
			return d.pick(s, d.attached[f.Dst()].edge, f, now)
		}
		return -1
	}
	return s.ports[lo+d.spray(s, set, n, f, now)]
}

// route returns the port by which a frame goes on, if that depends on the frame alone. Else
// it returns a negative number, and the set of next hops, which may be empty, and is so with explicit paths.
func (d *Domain) route(s *switchState, f *Frame) (port int32, set uint16) {
	at := d.attached[f.Dst()]
	if at.edge == s.edge {
		return at.port, 0
	}
	if edge := int(at.edge); uint(edge) < uint(len(s.index)) {
		set = s.index[edge]
	} else if s.layered != nil { // instead of a check of bounds, so that minimal routes do not pay for layers and paths
		set = s.layered.set(edge, f.Entropy)
	} else {
		return -1, 0
	}
	lo := s.offsets[set]
	n := s.offsets[set+1] - lo
	switch {
	case n == 1:
	case n == 0 || f.Sprayed():
		return -1, set
	default:
		lo += uint32(pathHash(f, s.salt) * uint64(n) >> 32)
	}
	return s.ports[lo], set
}

// pathHash returns 32 well mixed bits of what a switch hashes, by multiplication; FatPaths (SC 2020, §VII-A6) has Fowler-Noll-Vo.
func pathHash(f *Frame, salt uint64) (h uint64) {
	hi, lo := bits.Mul64((uint64(uint32(f.Src()))<<32|uint64(uint32(f.Dst())))^salt, uint64(f.Entropy)^0x9e3779b97f4a7c15^salt>>7)
	h = hi ^ lo
	return (h ^ h>>32) * 0xd6e8feb86659fd93 >> 32
}

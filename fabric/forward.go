package fabric

import "weft/sim"

// forward sends a frame on from the switch that it reached: see accept. The router, if
// any, chooses the port; otherwise the tables do. Then the diverter may choose another.
func (d *Domain) forward(s *switchState, f *Frame, id FrameID, from via, now sim.Time) {
	var port int32
	if d.hooks.router != nil {
		port, from = d.hooks.router.next(s, f, from, now)
	} else {
		port = d.nextHop(s, f, now)
	}
	if port < 0 {
		d.drop(s.first, d.Keep(f, id), NoRoute, now)
		return
	}
	if d.hooks.diverter != nil && d.hooks.diverter.diverts(f) {
		port, from = d.hooks.diverter.divert(s, port, f, from, now)
	}
	d.accept(port, f, id, from, now)
}

// nextHop returns the port by which a frame goes on, or a negative number if there
// is none. An explicit path determines the port. Otherwise the table of the frame's
// layer has a set of next hops, and the spraying policy picks one of the set.
// Whatever depends on the frame alone is decided by route.
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

// pick returns the next hop of a frame towards an edge switch, not necessarily
// its destination's. It is negative if there is none.
func (d *Domain) pick(s *switchState, edge int32, f *Frame, now sim.Time) int32 {
	ports, set := s.choices(d.attached[f.Src()].edge, edge, f.Entropy)
	switch n := uint32(len(ports)); {
	case n == 0:
		return -1
	case n == 1:
		return ports[0]
	case f.Sprayed():
		return ports[d.spray(s, set, n, f, now)]
	}
	return among(ports, pathHash(f, s.salt))
}

// route returns the port by which a frame goes on, if that depends on the frame
// alone. Otherwise it returns a negative port and the set of next hops. The set may
// be empty, and always is with explicit paths.
func (d *Domain) route(s *switchState, f *Frame) (port int32, set uint16) {
	at := d.attached[f.Dst()]
	if at.edge == s.edge {
		return at.port, 0
	}
	if edge := int(at.edge); uint(edge) < uint(len(s.index)) {
		set = s.index[edge]
	} else if s.layered != nil { // replaces a bounds check, so that minimal routes do not pay for layers and paths
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

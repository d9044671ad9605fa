package packet

import (
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// Ways in which a packet with a trail is stamped, in two bits of its flags.
const (
	// Forward: by each port of a switch that sends it, when its transmission begins (HPCC).
	Forward Flags = (1 + iota) << stampShift
	// Backward: by each switch at which it arrives, with the port back to where it came from (FNCC).
	Backward
	// Carried: by none any more.
	Carried

	stampWays Flags = 3 << stampShift
)

// Trail is what a packet carries for switches to write: stamps, or a field, or both.
type Trail struct {
	path uint32
	// Grow is by how many bytes the packet grows with each stamp.
	Grow uint16
	n    uint8
	// fielded tells that it has a field, unstamped that it has nothing else.
	fielded, unstamped bool
	field              protocol.Field
	hops               [protocol.MostStamps]Stamp
}

// Stamp is a protocol.Stamp in little room.
type Stamp struct {
	At    unit.Time
	Sent  uint64
	Queue uint32
	// Mbps is the rate in Mb/s, rounded down.
	Mbps uint32
}

// Way returns the way in which a packet is stamped, 0 if it has no trail.
func (p *Packet) Way() Flags { return p.Flags & stampWays }

// Tracked tells whether a packet has a trail.
func (p *Packet) Tracked() bool { return p.Flags&stampWays != 0 }

// Track gives a packet a trail without stamps, in the way that it is to be stamped. By each stamp the packet grows by
// so many bytes. A field that it may have already stays.
func (s *Store) Track(id ID, way Flags, grow uint16) {
	p := &s.Packets[id]
	tracked := p.Tracked()
	t := in(&s.trails, s.give(p, hasTrail))
	if !tracked {
		t.fielded = false
	}
	p.Flags = p.Flags&^stampWays | way
	t.path, t.Grow, t.n, t.unstamped = 0, grow, 0, false
}

// PutField gives a packet a field, for the controllers of the queues that it joins, in the trail that it may have
// already. It goes forward until the packet Returns.
func (s *Store) PutField(id ID, field protocol.Field) {
	if !s.Packets[id].Tracked() {
		s.Track(id, Forward, 0)
		s.Trail(id).unstamped = true
	}
	t := s.Trail(id)
	t.field, t.fielded = field, true
}

// Return has a tracked packet bring its trail back: with another Aux, without marks and other views but a time, and
// stamped no more.
func (s *Store) Return(id ID, aux uint32) {
	p := &s.Packets[id]
	p.Flags = Extended | Carried
	h := &s.heads[p.Aux]
	h.aux, h.has = aux, h.has&(hasTrail|hasTime)
}

// Trail returns that of a tracked packet. The pointer is good until the next Track.
func (s *Store) Trail(id ID) *Trail { return &s.trails[s.Packets[id].Aux] }

// TrailOf is Trail of a packet that need not be in the store.
func (s *Store) TrailOf(p *Packet) *Trail { return &s.trails[p.Aux] }

// Carries returns the field that a packet carries to queues, nil if it has none.
func (s *Store) Carries(p *Packet) *protocol.Field {
	if p.Flags&stampWays != Forward {
		return nil
	}
	if t := &s.trails[p.Aux]; t.fielded {
		return &t.field
	}
	return nil
}

// Stamped tells whether switches stamp the trail; others have a field alone.
func (t *Trail) Stamped() bool { return !t.unstamped }

// Add adds a stamp of a port, if there is room.
func (t *Trail) Add(port int32, s Stamp) {
	t.path = uint32(sim.Mix(uint64(t.path)<<32|uint64(uint32(port))) | 1)
	if int(t.n) < len(t.hops) {
		t.hops[t.n] = s
		t.n++
	}
}

// Stamps copies the stamps of a trail, in the order in which they were made, and returns how many there are.
func (t *Trail) Stamps(to *[protocol.MostStamps]protocol.Stamp) (n int, path uint32) {
	for i := range t.hops[:t.n] {
		s := &t.hops[i]
		to[i] = protocol.Stamp{At: s.At, Queue: unit.Bytes(s.Queue), Sent: unit.Bytes(s.Sent), Rate: unit.Rate(s.Mbps) * unit.Mbps}
	}
	return int(t.n), t.path
}

// Field returns the field of a trail, if it has one.
func (t *Trail) Field() (field protocol.Field, ok bool) { return t.field, t.fielded }

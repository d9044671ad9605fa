package packet

import (
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// Stamping modes of a packet with a trail, in two bits of its flags.
const (
	// Forward: each switch port that sends the packet stamps it when transmission begins (HPCC).
	Forward Flags = (1 + iota) << stampShift
	// Backward: each switch that the packet arrives at stamps it with the state of the port in
	// the opposite direction (FNCC).
	Backward
	// Carried: no switch stamps it any more.
	Carried

	stampWays Flags = 3 << stampShift
)

// Trail is the part of a packet that switches write: stamps, or a field, or both.
type Trail struct {
	path uint32
	// Grow is the number of bytes that each stamp adds to the packet.
	Grow uint16
	n    uint8
	// fielded is set if it has a field, unstamped if it has only that.
	fielded, unstamped bool
	field              protocol.Field
	hops               [protocol.MostStamps]Stamp
}

// Stamp is a compact protocol.Stamp.
type Stamp struct {
	At    unit.Time
	Sent  uint64
	Queue uint32
	// Mbps is the rate in Mb/s, rounded down.
	Mbps uint32
}

// Way returns a packet's stamping mode, 0 if it has no trail.
func (p *Packet) Way() Flags { return p.Flags & stampWays }

// Tracked reports whether a packet has a trail.
func (p *Packet) Tracked() bool { return p.Flags&stampWays != 0 }

// Track gives a packet a trail without stamps, in a stamping mode. Each stamp makes the packet
// grow by grow bytes. A field that the packet already has stays.
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

// PutField gives a packet a field for the controllers of the queues that it joins. It adds a
// trail if there is none. The field is active until Return.
func (s *Store) PutField(id ID, field protocol.Field) {
	if !s.Packets[id].Tracked() {
		s.Track(id, Forward, 0)
		s.Trail(id).unstamped = true
	}
	t := s.Trail(id)
	t.field, t.fielded = field, true
}

// Return makes a tracked packet bring its trail back, with a new Aux. It clears marks and all
// views except trail and time, and ends stamping.
func (s *Store) Return(id ID, aux uint32) {
	p := &s.Packets[id]
	p.Flags = Extended | Carried
	h := &s.heads[p.Aux]
	h.aux, h.has = aux, h.has&(hasTrail|hasTime)
}

// Trail returns the trail of a tracked packet. The pointer is valid until the next Track.
func (s *Store) Trail(id ID) *Trail { return &s.trails[s.Packets[id].Aux] }

// TrailOf is Trail for a packet that need not be in the store.
func (s *Store) TrailOf(p *Packet) *Trail { return &s.trails[p.Aux] }

// Carries returns the field that a packet carries to queues, or nil.
func (s *Store) Carries(p *Packet) *protocol.Field {
	if p.Flags&stampWays != Forward {
		return nil
	}
	if t := &s.trails[p.Aux]; t.fielded {
		return &t.field
	}
	return nil
}

// Stamped reports whether switches stamp the trail. Otherwise it has only a field.
func (t *Trail) Stamped() bool { return !t.unstamped }

// Add adds a port's stamp if there is room.
func (t *Trail) Add(port int32, s Stamp) {
	t.path = uint32(sim.Mix(uint64(t.path)<<32|uint64(uint32(port))) | 1)
	if int(t.n) < len(t.hops) {
		t.hops[t.n] = s
		t.n++
	}
}

// Stamps copies a trail's stamps, in the order in which they were made. It returns their number
// and a hash of the ports.
func (t *Trail) Stamps(to *[protocol.MostStamps]protocol.Stamp) (n int, path uint32) {
	for i := range t.hops[:t.n] {
		s := &t.hops[i]
		to[i] = protocol.Stamp{At: s.At, Queue: unit.Bytes(s.Queue), Sent: unit.Bytes(s.Sent), Rate: unit.Rate(s.Mbps) * unit.Mbps}
	}
	return int(t.n), t.path
}

// Field returns the field of a trail, if it has one.
func (t *Trail) Field() (field protocol.Field, ok bool) { return t.field, t.fielded }

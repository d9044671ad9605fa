package fabric

import (
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Telemetry is whether switches can stamp frames with the state of their ports. In the zero value they cannot. Ports
// of switches that can have a discipline, which knows when a transmission begins.
type Telemetry struct {
	On bool
	// Quantised rounds stamps as 64-bit INT does: times to nanoseconds, queues to 80 B and what was sent
	// to 128 B, both times the rate in units of 25 Gb/s (HPCC's simulator). Values do not wrap.
	Quantised bool
	// Refresh, if positive, is how often the table is written from which frames are stamped backward (FNCC's All_INT_Table); all ports
	// write theirs at multiples of it. 0 stamps present values.
	Refresh sim.Time
}

// Ways in which a frame with a trail is stamped, in two bits of its flags.
const (
	// Forward: by each port of a switch that sends it, when its transmission begins (HPCC).
	Forward Flags = (1 + iota) << stampShift
	// Backward: by each switch at which it arrives, with the port back to where it came from (FNCC).
	Backward
	// Carried: by none any more.
	Carried

	stampWays Flags = 3 << stampShift
)

// Trail is what a frame carries for switches to write: stamps, or a field, or both. The frame's Aux is kept in it.
type Trail struct {
	Aux  uint32
	path uint32
	grow uint16
	n    uint8
	// fielded tells that it has a field, unstamped that it has nothing else.
	fielded, unstamped bool
	field              protocol.Field
	hops               [protocol.MostStamps]stamp
}

// stamp is a protocol.Stamp in little room. Its rate is in Mb/s, rounded down.
type stamp struct {
	at    sim.Time
	sent  uint64
	queue uint32
	mbps  uint32
}

// Stamps copies the stamps of a trail, in the order in which they were made, and returns how many there are.
func (t *Trail) Stamps(to *[protocol.MostStamps]protocol.Stamp) (n int, path uint32) {
	for i := range t.hops[:t.n] {
		s := &t.hops[i]
		to[i] = protocol.Stamp{At: s.at, Queue: unit.Bytes(s.queue), Sent: unit.Bytes(s.sent), Rate: unit.Rate(s.mbps) * unit.Mbps}
	}
	return int(t.n), t.path
}

// Tracked tells whether a frame has a trail.
func (f *Frame) Tracked() bool { return f.Flags&stampWays != 0 }

// Track gives a frame a trail without stamps, in the way that it is to be stamped, in the extension that it
// may have already. By each stamp the frame grows by so many bytes.
func (d *Domain) Track(id FrameID, way Flags, grow uint16) {
	f := &d.frames[id]
	aux := f.Aux
	if f.Flags&Extended == 0 {
		d.extend(f)
	}
	t := d.trailOf(f)
	if f.Tracked() {
		aux = t.Aux
	} else {
		t.fielded = false
	}
	f.Flags = f.Flags&^stampWays | way
	t.Aux, t.path, t.grow, t.n, t.unstamped = aux, 0, grow, 0, false
}

// PutField gives a frame a field, for the controllers of the queues that it joins, in the trail that it may have
// already. It goes forward until the frame is Carried.
func (d *Domain) PutField(id FrameID, field protocol.Field) {
	if !d.frames[id].Tracked() {
		d.Track(id, Forward, 0)
		d.Trail(id).unstamped = true
	}
	t := d.Trail(id)
	t.field, t.fielded = field, true
}

// Field returns the field of a trail, if it has one.
func (t *Trail) Field() (field protocol.Field, ok bool) { return t.field, t.fielded }

// field returns the field that a frame carries to queues, nil if it has none.
func (d *Domain) field(f *Frame) *protocol.Field {
	if f.Flags&stampWays != Forward {
		return nil
	}
	if t := &d.trails[f.Aux]; t.fielded {
		return &t.field
	}
	return nil
}

// trailOf returns the room for that of a frame with an extension.
func (s *slab) trailOf(f *Frame) *Trail {
	for len(s.trails) < len(s.exts) {
		s.trails = append(s.trails, Trail{})
	}
	return &s.trails[f.Aux]
}

// Trail returns that of a tracked frame. The pointer is good until the next Track.
func (d *Domain) Trail(id FrameID) *Trail { return &d.trails[d.frames[id].Aux] }

// Aux returns what the transport put there in a frame, or the extension without a trail that has taken its place.
func (d *Domain) Aux(f *Frame) (aux uint32, instead *Extension) {
	switch {
	case f.Flags&Extended == 0:
		return f.Aux, nil
	case f.Tracked():
		return d.trails[f.Aux].Aux, nil
	}
	return 0, &d.exts[f.Aux]
}

// Carry has a tracked frame keep its trail, with another Aux, and be stamped no more.
func (d *Domain) Carry(id FrameID, aux uint32) {
	f := &d.frames[id]
	f.Flags = f.Flags&^stampWays | Carried
	d.trails[f.Aux].Aux = aux
}

// add adds a stamp to a trail, if there is room.
func (t *Trail) add(port int32, s stamp) {
	t.path = uint32(sim.Mix(uint64(t.path)<<32|uint64(uint32(port))) | 1)
	if int(t.n) < len(t.hops) {
		t.hops[t.n] = s
		t.n++
	}
}

// stampForward stamps a frame whose transmission begins at port i. It is queued still.
func (d *Domain) stampForward(p *port, i int32, f *Frame, now sim.Time) {
	if d.trails[f.Aux].unstamped {
		return
	}
	waits := p.queued - uint32(f.Size)
	d.trails[f.Aux].add(d.cold[i].id, d.stamp(i, now, waits, d.sentInFull(p, i)))
}

// stampBackward stamps a frame that arrives over a wire, with the port back. Of a frame in service that part
// counts as sent which is on the wire already.
func (d *Domain) stampBackward(f *Frame, wire int32, now sim.Time) {
	i := d.reverse[wire]
	p := &d.ports[i]
	d.drain(p, i, now)
	s := stamp{}
	if table := d.cold[i].table; table != nil {
		d.renew(p, i, now)
		s = table.stamp
	} else {
		s = d.present(p, i, now)
	}
	t := &d.trails[f.Aux]
	t.add(d.cold[i].id, s)
	grow := min(t.grow, MaxFrame-f.Size) // on a way that a failure made longer than was planned
	f.Size += grow
	d.totals.StampedBytes += uint64(grow)
}

// present returns the stamp of a port at a time since when nothing happened to it.
func (d *Domain) present(p *port, i int32, now sim.Time) stamp {
	waits, sent := p.queued, d.sentInFull(p, i)
	if p.drained != p.tail {
		s := p.at(p.drained)
		begin := d.began(p, i, s)
		waits -= uint32(s.bytes)
		sent += uint64(s.bytes) * uint64(max(0, now-begin)) / uint64(s.departs-begin)
	}
	return d.stamp(i, now, waits, sent)
}

// stampTable is what a port wrote last of itself.
type stampTable struct {
	stamp
	next sim.Time // when it writes again
}

// renew writes the table of a port, if it has one, as of the last time that it had to. It is called before anything happens to
// the port at a time.
func (d *Domain) renew(p *port, i int32, now sim.Time) {
	table := d.cold[i].table
	if table == nil || now < table.next {
		return
	}
	every := d.network.refreshed
	at := now - now%every
	table.stamp, table.next = d.present(p, i, at), at+every
}

// sentInFull returns the bytes that port i serialised: all that it took but what it holds and what a failure of
// its link had it lose.
func (d *Domain) sentInFull(p *port, i int32) uint64 {
	sent := p.bytes - uint64(p.queued)
	if c := d.cold[i].stats; c != nil {
		sent -= c.FlushedBytes
	}
	return sent
}

// stamp makes a stamp of port i.
func (d *Domain) stamp(i int32, now sim.Time, queue uint32, sent uint64) stamp {
	rate := d.cold[i].rate
	s := stamp{now, sent, queue, uint32(rate / unit.Mbps)}
	if d.network.quantised {
		multi := max(1, uint64(rate/(25*unit.Gbps)))
		s.at -= s.at % sim.Time(unit.Nanosecond)
		s.queue -= s.queue % uint32(80*multi)
		s.sent -= s.sent % (128 * multi)
	}
	return s
}

// placeStamps finds the port back of every wire into a switch, and has disciplines stamp.
func (n *Network) placeStamps(c *Telemetry) {
	n.quantised, n.refreshed = c.Quantised, c.Refresh
	for _, d := range n.domains {
		d.reverse = make([]int32, len(d.wires))
		for i := range d.ports {
			if q := d.ports[i].disc; q != nil {
				q.stamps, q.more = true, true
				if c.Refresh > 0 {
					d.cold[i].table = &stampTable{}
				}
			}
		}
	}
	for id := range topo.PortID(len(n.ports)) {
		at := n.wires[id]
		n.domains[at.domain].reverse[at.index] = n.ports[id.Reverse()].index
	}
}

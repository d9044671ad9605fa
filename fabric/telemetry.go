package fabric

import (
	"weft/internal/packet"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Telemetry configures whether switches stamp frames with the state of their ports.
// The zero value has no stamps. With telemetry, all switch ports have a discipline,
// which knows when a transmission begins.
type Telemetry struct {
	On bool
	// Quantised rounds stamps as 64-bit INT does: times to nanoseconds, queues to 80 B and bytes sent
	// to 128 B, both times the rate in units of 25 Gb/s (HPCC's simulator). Values do not wrap.
	Quantised bool
	// Refresh, if positive, is the interval at which ports write the table from which
	// frames are stamped backward (FNCC's All_INT_Table). All ports write at
	// multiples of it. If it is 0, stamps have current values.
	Refresh sim.Time
}

// stamping stamps the frames at a domain's switches. It is a tap of all their ports.
type stamping struct {
	Telemetry
	d       *Domain
	reverse []int32      // per wire into a switch, the port of the reverse direction
	tables  []stampTable // per port; nil unless stamps come from tables
}

// onArrival implements tap.
func (t *stamping) onArrival(_ *port, _ int32, f *Frame, _ FrameID, _ uint8, from via, now sim.Time) bool {
	if f.Way() == packet.Backward {
		t.stampBackward(f, from.wire(), now)
	}
	return true
}

// onStart implements tap.
func (t *stamping) onStart(p *port, i int32, f *Frame, _ uint8, now sim.Time) {
	if f.Way() != packet.Forward {
		return
	}
	trail := t.d.TrailOf(f)
	if !trail.Stamped() {
		return
	}
	waits := p.queued - uint32(f.Size)
	trail.Add(t.d.cold[i].id, t.stamp(i, now, waits, t.d.sentInFull(p, i)))
}

// onHeld implements tap.
func (t *stamping) onHeld(int32, uint8, sim.Time) {}

// stampBackward stamps a frame that arrives over a wire with the state of the port of the
// reverse direction. Of a frame in service, the part already on the wire counts as sent.
func (t *stamping) stampBackward(f *Frame, wire int32, now sim.Time) {
	d, i := t.d, t.reverse[wire]
	p := &d.ports[i]
	d.drain(p, i, now)
	s := packet.Stamp{}
	if t.tables != nil {
		t.before(p, i, now)
		s = t.tables[i].Stamp
	} else {
		s = t.present(p, i, now)
	}
	trail := d.TrailOf(f)
	trail.Add(d.cold[i].id, s)
	grow := min(trail.Grow, MaxFrame-f.Size) // a failure may have made the path longer than planned
	f.Size += grow
	d.tally.totals.StampedBytes += uint64(grow)
}

// present returns the stamp of a port at a time up to which its state has not changed.
func (t *stamping) present(p *port, i int32, now sim.Time) packet.Stamp {
	waits, sent := p.queued, t.d.sentInFull(p, i)
	if p.drained != p.tail {
		s := p.at(p.drained)
		begin := t.d.began(p, i, s)
		waits -= uint32(s.bytes)
		sent += uint64(s.bytes) * uint64(max(0, now-begin)) / uint64(s.departs-begin)
	}
	return t.stamp(i, now, waits, sent)
}

// stampTable is a port's last entry in the table.
type stampTable struct {
	packet.Stamp
	next sim.Time // time of the next entry
}

// before implements witness. It writes the port's table entry as of the last multiple of Refresh.
func (t *stamping) before(p *port, i int32, now sim.Time) {
	table := &t.tables[i]
	if now < table.next {
		return
	}
	at := now - now%t.Refresh
	table.Stamp, table.next = t.present(p, i, at), at+t.Refresh
}

// stamp makes a stamp of port i.
func (t *stamping) stamp(i int32, now sim.Time, queue uint32, sent uint64) packet.Stamp {
	rate := t.d.cold[i].rate
	s := packet.Stamp{At: now, Sent: sent, Queue: queue, Mbps: uint32(rate / unit.Mbps)}
	if t.Quantised {
		multi := max(1, uint64(rate/(25*unit.Gbps)))
		s.At -= s.At % sim.Time(unit.Nanosecond)
		s.Queue -= s.Queue % uint32(80*multi)
		s.Sent -= s.Sent % (128 * multi)
	}
	return s
}

// placeStamps finds the reverse port of every wire into a switch, and adds the tap
// to all disciplines.
func (n *Network) placeStamps(c *Telemetry) {
	if !c.On {
		return
	}
	at := make([]*stamping, len(n.domains))
	for k, d := range n.domains {
		t := &stamping{Telemetry: *c, d: d, reverse: make([]int32, len(d.wires))}
		if c.Refresh > 0 {
			t.tables = make([]stampTable, len(d.ports))
		}
		for i := range d.ports {
			q := d.ports[i].disc
			if q == nil {
				continue
			}
			if q.addTap(t); t.tables != nil {
				q.witness = t
			}
		}
		at[k] = t
	}
	for id := range topo.PortID(len(n.ports)) {
		w := n.wires[id]
		at[w.domain].reverse[w.index] = n.ports[id.Reverse()].index
	}
}

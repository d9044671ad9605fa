package fabric

import (
	"weft/internal/packet"
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

// stampForward stamps a frame whose transmission begins at port i. It is queued still.
func (d *Domain) stampForward(p *port, i int32, f *Frame, now sim.Time) {
	if !d.TrailOf(f).Stamped() {
		return
	}
	waits := p.queued - uint32(f.Size)
	d.TrailOf(f).Add(d.cold[i].id, d.stamp(i, now, waits, d.sentInFull(p, i)))
}

// stampBackward stamps a frame that arrives over a wire, with the port back. Of a frame in service that part
// counts as sent which is on the wire already.
func (d *Domain) stampBackward(f *Frame, wire int32, now sim.Time) {
	i := d.reverse[wire]
	p := &d.ports[i]
	d.drain(p, i, now)
	s := packet.Stamp{}
	if table := d.cold[i].table; table != nil {
		d.renew(p, i, now)
		s = table.Stamp
	} else {
		s = d.present(p, i, now)
	}
	t := d.TrailOf(f)
	t.Add(d.cold[i].id, s)
	grow := min(t.Grow, MaxFrame-f.Size) // on a way that a failure made longer than was planned
	f.Size += grow
	d.totals.StampedBytes += uint64(grow)
}

// present returns the stamp of a port at a time since when nothing happened to it.
func (d *Domain) present(p *port, i int32, now sim.Time) packet.Stamp {
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
	packet.Stamp
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
	table.Stamp, table.next = d.present(p, i, at), at+every
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
func (d *Domain) stamp(i int32, now sim.Time, queue uint32, sent uint64) packet.Stamp {
	rate := d.cold[i].rate
	s := packet.Stamp{At: now, Sent: sent, Queue: queue, Mbps: uint32(rate / unit.Mbps)}
	if d.network.quantised {
		multi := max(1, uint64(rate/(25*unit.Gbps)))
		s.At -= s.At % sim.Time(unit.Nanosecond)
		s.Queue -= s.Queue % uint32(80*multi)
		s.Sent -= s.Sent % (128 * multi)
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

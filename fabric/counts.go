package fabric

import (
	"fmt"

	"weft/sim"
	"weft/topo"
)

// Record starts a series of a port. Call it before the first call of Run.
func (n *Network) Record(id topo.PortID, interval sim.Time) *Series {
	_, _, p, cold := n.at(id)
	cold.series = &Series{Interval: interval}
	p.special |= recorded
	return cold.series
}

// Finish brings all queues and series up to the end of the run.
func (n *Network) Finish(now sim.Time) {
	for _, d := range n.domains {
		for i := range d.ports {
			d.drain(&d.ports[i], int32(i), now)
		}
	}
	for _, finish := range n.hooks.finish {
		finish(now)
	}
}

// Counters returns the counts of a port up to now. The integral of the queue covers
// the time up to now exactly.
func (n *Network) Counters(id topo.PortID, now sim.Time) PortCounters {
	d, i, p, cold := n.at(id)
	d.drain(p, i, now)
	c := PortCounters{}
	if cold.stats != nil {
		c = *cold.stats
	}
	c.Marks = cold.marks
	c.Frames, c.Bytes = p.frames, p.bytes
	c.SentFrames, c.SentBytes = p.frames-c.FlushedFrames, p.bytes-c.FlushedBytes
	c.QueueMax = p.queuedMax
	if p.disc != nil {
		frames, bytes := d.settle(p, now)
		c.SentFrames -= frames
		c.SentBytes -= bytes
	}
	c.QueueByteTime = p.residence
	for k := p.drained; k != p.tail; k++ {
		t := p.at(k)
		c.QueueByteTime -= float64(t.bytes) * float64(t.departs-now)
		c.SentFrames--
		c.SentBytes -= uint64(t.bytes)
	}
	return c
}

// Served returns the counts of a port with priorities up to now, and zeros for other ports.
func (n *Network) Served(id topo.PortID, now sim.Time) (s Served) {
	d, i, p, _ := n.at(id)
	q := p.disc
	if q == nil || q.limiter != nil {
		return s
	}
	d.drain(p, i, now)
	for k := range q.classes {
		if k == 0 {
			s.First = q.classes[0].head
		} else {
			s.Others += q.classes[k].head
		}
	}
	s.Waits = q.occupied&^first != 0
	return s
}

// ResetQueueMax restarts the search for the largest queue of every port.
func (n *Network) ResetQueueMax(now sim.Time) {
	for _, d := range n.domains {
		for i := range d.ports {
			p := &d.ports[i]
			d.drain(p, int32(i), now)
			p.queuedMax = p.queued
			p.suffice()
		}
	}
}

// Totals returns the sums over the network, and the number of link crossings (hops).
func (n *Network) Totals() (t Totals, hops uint64) {
	for _, d := range n.domains {
		t.add(d.tally.totals)
		hops += d.tally.hops
	}
	return t, hops
}

// Check counts the frames and bytes in the network one by one. It compares them
// with the totals injected, delivered, dropped and trimmed.
func (n *Network) Check() error {
	t, _ := n.Totals()
	var frames, bytes uint64
	for _, d := range n.domains {
		count := func(id FrameID) {
			if id >= 0 {
				frames++
				bytes += uint64(d.Packets[id].Size)
			}
		}
		for i := range d.wires {
			w := &d.wires[i]
			if w.ring == nil {
				continue
			}
			for k := w.head; k != w.tail; k++ {
				count(w.at(k).frame)
			}
		}
		for f := range d.swept.wheel.all {
			frames++
			bytes += uint64(f.frame.Size)
		}
		for i := range d.ports {
			if q := d.ports[i].disc; q != nil {
				q.visit(func(w *waiting) { count(w.frame) })
			}
		}
	}
	if t.Injected+t.Originated != t.Delivered+t.Dropped+frames {
		return fmt.Errorf("fabric: %d frames injected and %d originated, but %d delivered, %d dropped and %d in flight", t.Injected, t.Originated, t.Delivered, t.Dropped, frames)
	}
	if t.InjectedBytes+t.OriginatedBytes+t.StampedBytes != t.DeliveredBytes+t.DroppedBytes+t.TrimmedBytes+bytes {
		return fmt.Errorf("fabric: %d bytes injected and %d originated, but %d delivered, %d dropped, %d trimmed and %d in flight", t.InjectedBytes, t.OriginatedBytes, t.DeliveredBytes, t.DroppedBytes, t.TrimmedBytes, bytes)
	}
	for _, check := range n.hooks.check {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// settle counts the waiting at a discipline up to now and returns the frames and bytes that wait.
func (d *Domain) settle(p *port, now sim.Time) (frames, bytes uint64) {
	p.disc.visit(func(w *waiting) {
		size := d.Packets[w.frame].Size
		p.residence += float64(size) * float64(now-w.since)
		w.since = now
		frames++
		bytes += uint64(size)
	})
	return frames, bytes
}

// Met counts the events of a directed link up to now: frames that came to its port,
// left it or were lost. Two equal readings mean that no frame used the link in between.
func (n *Network) Met(id topo.PortID, now sim.Time) uint64 {
	c := n.Counters(id, now)
	return c.Frames + c.SentFrames + c.RefusedFrames + c.FlushedFrames + c.Drops[LinkDown] + c.Drops[Loss]
}

// QueueMax returns the largest queue of a port, in bytes, since ResetQueueMax.
func (n *Network) QueueMax(id topo.PortID, now sim.Time) uint32 {
	d, i, p, _ := n.at(id)
	d.drain(p, i, now)
	return p.queuedMax
}

// Waiting reports whether any frame is in the network, on a wire or in a queue.
func (n *Network) Waiting() bool {
	t, _ := n.Totals()
	return t.Injected+t.Originated != t.Delivered+t.Dropped
}

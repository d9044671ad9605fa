package fabric

import (
	"math/bits"

	"weft/internal/histogram"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Buffer measures what a switch buffers, the sum over the queues of its ports, from
// Open to Close: exactly, as the sum changes only when frames come and go. It costs
// nothing at other switches, and at other times.
//
// A port's departures are known before they come, or are made up for, and are looked at
// when something happens at the switch. So the measurement sees them in the order of
// their times, and does not depend on how the network is cut: a switch lies in one domain.
type Buffer struct {
	d *Domain
	// ports of the switch, each with the first frame of its ring that still counts and
	// when that one will count no more; or, if there is none, when the port is to begin
	// a transmission.
	ports   []int32
	first   []uint32
	next    []sim.Time
	soonest sim.Time // of next, or earlier
	// waiting leaves the frames in service out.
	waiting bool

	held     uint64   // bytes
	at       sim.Time // up to which it was measured
	began    sim.Time
	interval sim.Time
	due      sim.Time // the end of the interval under way
	part     area     // of that interval
	whole    area
	max      uint64
	weights  histogram.Histogram // of bytes, in picoseconds
	means    []uint64
}

// area is bytes times picoseconds.
type area struct{ hi, lo uint64 }

func (a *area) add(held uint64, d sim.Time) {
	hi, lo := bits.Mul64(held, uint64(d))
	var carry uint64
	a.lo, carry = bits.Add64(a.lo, lo, 0)
	a.hi += hi + carry
}

// over returns the mean over a time, rounded down.
func (a *area) over(d sim.Time) uint64 {
	if d <= 0 {
		return 0
	}
	q, _ := bits.Div64(a.hi, a.lo, uint64(d))
	return q
}

// Buffering is what a Buffer measured.
type Buffering struct {
	// Time is how long was measured.
	Time sim.Time
	// Mean is over time, rounded down; Max the largest sum that lasted.
	Mean, Max unit.Bytes
	// Weights counts the picoseconds of each sum in bytes.
	Weights *histogram.Histogram
	// Means are those of each whole interval.
	Means []uint64
}

// Buffer makes a measurement of a switch, before the first call of Run. The frames in
// service count unless only waiting ones are to.
func (n *Network) Buffer(node topo.NodeID, interval sim.Time, waiting bool) *Buffer {
	b := &Buffer{soonest: sim.Forever, interval: interval, waiting: waiting}
	for i := range n.ports {
		if from, _ := n.graph.Ends(topo.PortID(i)); from != node {
			continue
		}
		d, local, _, cold := n.at(topo.PortID(i))
		b.d = d
		cold.buffer, cold.place = b, int32(len(b.ports))
		b.ports = append(b.ports, local)
		b.first = append(b.first, 0)
		b.next = append(b.next, sim.Forever)
	}
	return b
}

// Open begins the measurement, between two calls of Run.
func (b *Buffer) Open(now sim.Time) {
	b.began, b.at, b.due = now, now, now+b.interval
	for _, i := range b.ports {
		p := &b.d.ports[i]
		b.d.drain(p, i, now)
		p.special |= metered
	}
	b.resync(now)
}

// Close ends it.
func (b *Buffer) Close(now sim.Time) Buffering {
	b.advance(now)
	b.pass(now)
	for _, i := range b.ports {
		b.d.ports[i].special &^= metered
	}
	took := now - b.began
	return Buffering{
		Time: took, Mean: unit.Bytes(b.whole.over(took)), Max: unit.Bytes(b.max),
		Weights: &b.weights, Means: b.means,
	}
}

// pass measures up to a time, with what is held.
func (b *Buffer) pass(t sim.Time) {
	if t <= b.at {
		return
	}
	b.max = max(b.max, b.held)
	b.weights.AddMany(int64(b.held), uint64(t-b.at))
	b.whole.add(b.held, t-b.at)
	for t >= b.due {
		b.part.add(b.held, b.due-b.at)
		b.means = append(b.means, b.part.over(b.interval))
		b.part = area{}
		b.at = b.due
		b.due += b.interval
	}
	b.part.add(b.held, t-b.at)
	b.at = t
}

// advance takes off what counts no more by now.
func (b *Buffer) advance(now sim.Time) {
	for b.soonest <= now {
		t, soonest := b.soonest, sim.Forever
		for k, next := range b.next {
			if next == t {
				b.step(k, t, now)
				next = b.next[k]
			}
			soonest = min(soonest, next)
		}
		b.soonest = soonest
	}
}

// step takes off the frame of a port that counts no more from t on, or lets the port
// begin its next transmission.
func (b *Buffer) step(k int, t, now sim.Time) {
	i := b.ports[k]
	p := &b.d.ports[i]
	if b.first[k] != p.tail {
		b.pass(t)
		b.held -= uint64(p.at(b.first[k]).bytes)
		b.first[k]++
		b.next[k] = b.ends(k)
		return
	}
	b.d.serveLate(p, i, min(t+1, now))
	b.next[k] = b.ends(k)
	if b.first[k] == p.tail && p.backlog { // its turn comes after the event under way
		b.next[k] = t + 1
	}
}

// ends returns when the first frame of a port that still counts will count no more, or
// when the port is to begin a transmission if there is none.
func (b *Buffer) ends(k int) sim.Time {
	i := b.ports[k]
	p := &b.d.ports[i]
	if b.first[k] == p.tail {
		if p.backlog {
			return b.d.decision(p)
		}
		return sim.Forever
	}
	t := p.at(b.first[k])
	if !b.waiting {
		return t.departs
	}
	return t.departs - b.d.serialise(p, i, t.bytes)
}

// admit counts a frame that a port accepted.
func (b *Buffer) admit(size uint32, now sim.Time) {
	b.advance(now)
	b.pass(now)
	b.held += uint64(size)
}

// remove takes off a frame that left a queue without being sent.
func (b *Buffer) remove(size uint32, now sim.Time) {
	b.advance(now)
	b.pass(now)
	b.held -= uint64(size)
}

// changed tells that a port pushed a frame to its ring, or began to have one wait.
func (b *Buffer) changed(k int32) {
	if p := &b.d.ports[b.ports[k]]; p.tail-b.first[k] <= 1 {
		b.next[k] = b.ends(int(k))
		b.soonest = min(b.soonest, b.next[k])
	}
}

// resync looks at the ports anew: at the begin, and after a fault, which may have rewritten
// a ring. What was to happen up to now was taken off when the port was drained before.
func (b *Buffer) resync(now sim.Time) {
	b.pass(now)
	b.held, b.soonest = 0, sim.Forever
	for k, i := range b.ports {
		p := &b.d.ports[i]
		b.held += uint64(p.queued)
		b.first[k] = p.drained
		for b.first[k] != p.tail && b.ends(k) <= now {
			b.held -= uint64(p.at(b.first[k]).bytes)
			b.first[k]++
		}
		b.next[k] = b.ends(k)
		b.soonest = min(b.soonest, b.next[k])
	}
}

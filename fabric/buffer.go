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
// The pool of the switch sees departures in the order of their times. So the measurement
// does not depend on how the network is cut: a switch lies in one domain.
type Buffer struct {
	pool *pool
	// waiting leaves the frames in service out.
	waiting bool

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
	b := &Buffer{interval: interval, waiting: waiting}
	for i := range n.ports {
		if from, _ := n.graph.Ends(topo.PortID(i)); from == node {
			_, _, _, cold := n.at(topo.PortID(i))
			b.pool = cold.pool
			break
		}
	}
	if b.pool == nil {
		b.pool = n.newPool(node)
	}
	return b
}

// Buckets returns of how many intervals there is a mean, and whether there is no room for more.
func (b *Buffer) Buckets() (n int, full bool) { return len(b.means), len(b.means) == MostBuckets }

// Open begins the measurement, between two calls of Run.
func (b *Buffer) Open(now sim.Time) {
	b.began, b.at, b.due = now, now, now+b.interval
	l := b.pool
	for k, i := range l.ports {
		p := &l.d.ports[i]
		l.d.drain(p, i, now)
		p.special |= pooled
		l.resync(int32(k), now)
	}
	l.meter = b
}

// Close ends it.
func (b *Buffer) Close(now sim.Time) Buffering {
	l := b.pool
	if l.d != nil {
		l.advance(now)
	}
	b.pass(now)
	l.meter = nil
	if !l.shared {
		for _, i := range l.ports {
			l.d.ports[i].special &^= pooled
		}
	}
	took := now - b.began
	return Buffering{
		Time: took, Mean: unit.Bytes(b.whole.over(took)), Max: unit.Bytes(b.max),
		Weights: &b.weights, Means: b.means,
	}
}

// held returns the bytes that count.
func (b *Buffer) held() uint64 {
	if b.waiting {
		return b.pool.held - b.pool.serving
	}
	return b.pool.held
}

// pass measures up to a time, with what is held.
func (b *Buffer) pass(t sim.Time) {
	if t <= b.at {
		return
	}
	held := b.held()
	b.max = max(b.max, held)
	b.weights.AddMany(int64(held), uint64(t-b.at))
	b.whole.add(held, t-b.at)
	for t >= b.due {
		if len(b.means) == MostBuckets {
			b.due += (t-b.due)/b.interval*b.interval + b.interval
			b.part, b.at = area{}, b.due-b.interval
			break
		}
		b.part.add(held, b.due-b.at)
		b.means = append(b.means, b.part.over(b.interval))
		b.part = area{}
		b.at = b.due
		b.due += b.interval
	}
	b.part.add(held, t-b.at)
	b.at = t
}

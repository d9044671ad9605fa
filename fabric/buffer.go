package fabric

import (
	"math/bits"

	"weft/internal/histogram"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Buffer measures the bytes that a switch buffers, summed over the queues of its
// ports, from Open to Close. It is exact, since the sum changes only when frames
// come and go. Other switches, and other times, cost nothing.
//
// The pool of the switch sees departures in order of time. A switch lies in one
// domain, so the measurement does not depend on how the network is partitioned.
type Buffer struct {
	pool *pool
	// waiting excludes the frames in service.
	waiting bool

	at       sim.Time // time up to which it has measured
	began    sim.Time
	interval sim.Time
	due      sim.Time // end of the current interval
	part     area     // integral over the current interval
	whole    area
	max      uint64
	weights  histogram.Histogram // picoseconds per number of bytes held
	means    []uint64
}

// area is an integral of bytes over time, in byte-picoseconds, as 128 bits.
type area struct{ hi, lo uint64 }

func (a *area) add(held uint64, d sim.Time) {
	hi, lo := bits.Mul64(held, uint64(d))
	var carry uint64
	a.lo, carry = bits.Add64(a.lo, lo, 0)
	a.hi += hi + carry
}

// over returns the mean over a duration, rounded down.
func (a *area) over(d sim.Time) uint64 {
	if d <= 0 {
		return 0
	}
	q, _ := bits.Div64(a.hi, a.lo, uint64(d))
	return q
}

// Buffering is the result of a Buffer.
type Buffering struct {
	// Time is the measured duration.
	Time sim.Time
	// Mean is the mean over time, rounded down. Max is the largest sum that lasted
	// longer than an instant.
	Mean, Max unit.Bytes
	// Weights counts, for each sum in bytes, the picoseconds that it lasted.
	Weights *histogram.Histogram
	// Means has the mean of each complete interval.
	Means []uint64
}

// Buffer prepares a measurement of a switch. Call it before the first call of Run.
// Frames in service count unless waiting is true.
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

// Buckets returns the number of interval means, and whether the limit MostBuckets is reached.
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

// Close ends the measurement and returns its result.
func (b *Buffer) Close(now sim.Time) Buffering {
	l := b.pool
	if l.d != nil {
		l.advance(now)
	}
	b.measure(now)
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

// held returns the bytes that count now.
func (b *Buffer) held() uint64 {
	if b.waiting {
		return b.pool.held - b.pool.serving
	}
	return b.pool.held
}

// measure adds the time up to t, during which the bytes held did not change.
func (b *Buffer) measure(t sim.Time) {
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

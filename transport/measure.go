package transport

import (
	"math/bits"

	"weft/internal/histogram"
	"weft/sim"
	"weft/unit"
)

// RTTs returns the round-trip times of packets acknowledged since the last call of
// ResetRTTs, in picoseconds, by group: from the NIC taking the packet to its
// acknowledgement being received. Packets that were sent again do not count, since it
// is not known which copy was acknowledged, and of packets that are acknowledged
// together only the one does that the acknowledgement answers. Of ExpressPass it is from
// the receiver making a credit, before it waits at the NIC, to the data that it brings.
func (t *Transport) RTTs() []*histogram.Histogram {
	sum := make([]*histogram.Histogram, len(t.groups))
	for g := range sum {
		sum[g] = new(histogram.Histogram)
		for _, e := range t.endpoints {
			if own := e.rtts[g]; own != nil {
				sum[g].Merge(own)
			}
		}
	}
	return sum
}

// ResetRTTs forgets the round-trip times so far.
func (t *Transport) ResetRTTs() {
	for _, e := range t.endpoints {
		for g := range e.rtts {
			if own := e.rtts[g]; own != nil {
				own.Reset()
			}
		}
	}
}

// rttsOf returns what counts the round-trip times of a group. Most domains of a large network have none.
func (e *Endpoint) rttsOf(group int32) *histogram.Histogram {
	if own := e.rtts[group]; own != nil {
		return own
	}
	return e.beginRTTs(group)
}

func (e *Endpoint) beginRTTs(group int32) *histogram.Histogram {
	e.rtts[group] = new(histogram.Histogram)
	return e.rtts[group]
}

// MaxGauged is the number of sets of hosts that a gauge tells apart.
const MaxGauged = 16

// Gauge describes a measurement of payload over time, in buckets of equal length:
// what arrives for the first time from or at one of a set of hosts, but for what
// stays below one switch.
type Gauge struct {
	// Start is the begin of the first bucket, Bucket the length of each, and Most
	// their number.
	Start, Bucket unit.Time
	Most          int
	// Sets is the number of sets, at most MaxGauged, and In has a bit for each set
	// that a host is in.
	Sets int
	In   []uint16
	// Edge is the number of each host's switch.
	Edge []int32
}

// gauge is the part of a Gauge that a domain's hosts receive. Hosts may take their turns
// one after another through a window, so that times come in no order.
type gauge struct {
	*Gauge
	sums []uint64 // by bucket and set, of the buckets begun
}

func newGauge(g *Gauge) *gauge {
	if g == nil {
		return nil
	}
	return &gauge{Gauge: g}
}

// deliver counts a packet.
func (g *gauge) deliver(now sim.Time, src, dst int32, payload unit.Bytes) {
	if now < g.Start || g.Edge[src] == g.Edge[dst] {
		return
	}
	b := int((now - g.Start) / g.Bucket)
	if b >= g.Most {
		return
	}
	if need := (b + 1) * g.Sets; need > len(g.sums) {
		g.sums = append(g.sums, make([]uint64, need-len(g.sums))...)
	}
	for in := g.In[src] | g.In[dst]; in != 0; in &= in - 1 {
		g.sums[b*g.Sets+bits.TrailingZeros16(in)] += uint64(payload)
	}
}

// ended returns how many buckets have ended by now.
func (g *Gauge) ended(now sim.Time) int {
	if now < g.Start {
		return 0
	}
	return int(min((now-g.Start)/g.Bucket, sim.Time(g.Most)))
}

// Gauged returns the payload of each set in each bucket that has ended by now, by
// bucket and set. It is called once, after the run.
func (t *Transport) Gauged(now sim.Time) [][]uint64 {
	if t.gauge == nil || t.gauge.ended(now) == 0 {
		return nil
	}
	sums := make([][]uint64, t.gauge.ended(now))
	for b := range sums {
		sums[b] = make([]uint64, t.gauge.Sets)
		for _, e := range t.endpoints {
			if at := b * t.gauge.Sets; at < len(e.gauge.sums) {
				for s, n := range e.gauge.sums[at:][:t.gauge.Sets] {
					sums[b][s] += n
				}
			}
		}
	}
	return sums
}

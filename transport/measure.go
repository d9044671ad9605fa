package transport

import (
	"math/bits"

	"weft/sim"
	"weft/unit"
)

// MaxGauged is the largest number of sets of hosts in a Gauge.
const MaxGauged = 16

// Gauge describes a measurement of payload over time, in buckets of equal length.
// It counts payload that arrives for the first time from or at a host of a set,
// except traffic that stays below one switch.
type Gauge struct {
	// Start is the begin of the first bucket, Bucket the length of each, and Most the
	// number of buckets.
	Start, Bucket unit.Time
	Most          int
	// Sets is the number of sets, at most MaxGauged. In has, per host, a bit for each
	// set that contains the host.
	Sets int
	In   []uint16
	// Edge is the number of each host's edge switch.
	Edge []int32
}

// gauge is the part of a Gauge that a domain's hosts receive. In a swept window
// hosts act one after another, so times arrive in no order.
type gauge struct {
	*Gauge
	sums []uint64 // by bucket and set, for the buckets begun
}

func newGauge(g *Gauge) *gauge {
	if g == nil {
		return nil
	}
	return &gauge{Gauge: g}
}

// Deliver implements receiving.Gauge.
func (g *gauge) Deliver(now sim.Time, src, dst int32, payload unit.Bytes) {
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
// bucket and set. Call it once, after the run.
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

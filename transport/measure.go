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
			sum[g].Merge(&e.rtts[g])
		}
	}
	return sum
}

// ResetRTTs forgets the round-trip times so far.
func (t *Transport) ResetRTTs() {
	for _, e := range t.endpoints {
		for g := range e.rtts {
			e.rtts[g].Reset()
		}
	}
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

// gauge is the part of a Gauge that a domain's hosts receive.
type gauge struct {
	*Gauge
	due  sim.Time // the end of the bucket under way
	now  [MaxGauged]uint64
	past []uint64 // of all buckets that have ended, by bucket and set
}

func newGauge(g *Gauge) *gauge {
	if g == nil {
		return nil
	}
	return &gauge{Gauge: g, due: g.Start}
}

// deliver counts a packet.
func (g *gauge) deliver(now sim.Time, src, dst int32, payload unit.Bytes) {
	if now >= g.due {
		g.roll(now)
	}
	if g.Edge[src] == g.Edge[dst] {
		return
	}
	for in := g.In[src] | g.In[dst]; in != 0; in &= in - 1 {
		g.now[bits.TrailingZeros16(in)] += uint64(payload)
	}
}

// roll ends the buckets that are over.
func (g *gauge) roll(now sim.Time) {
	if g.due == g.Start && g.past == nil {
		g.now = [MaxGauged]uint64{} // what came before the first
		g.past = make([]uint64, 0, 64*g.Sets)
		g.due += g.Bucket
	}
	for now >= g.due && len(g.past) < g.Most*g.Sets {
		g.past = append(g.past, g.now[:g.Sets]...)
		g.now = [MaxGauged]uint64{}
		g.due += g.Bucket
	}
	if now >= g.due {
		g.due = unit.Forever
	}
}

// Gauged returns the payload of each set in each bucket that has ended by now, by
// bucket and set. It is called once, after the run.
func (t *Transport) Gauged(now sim.Time) [][]uint64 {
	var sums [][]uint64
	for _, e := range t.endpoints {
		g := e.gauge
		if g == nil {
			return nil
		}
		if now >= g.due {
			g.roll(now)
		}
		for b := range len(g.past) / g.Sets {
			if b == len(sums) {
				sums = append(sums, make([]uint64, g.Sets))
			}
			for s, n := range g.past[b*g.Sets:][:g.Sets] {
				sums[b][s] += n
			}
		}
	}
	return sums
}

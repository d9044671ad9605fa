package wire

import (
	"iter"
	"time"

	"weft/internal/histogram"
	"weft/unit"
)

// RoundTrips is a histogram of round-trip times. Its percentiles are within 0.4 % of the true
// ones, or within 0.5 ns below 131 ns. A nil *RoundTrips is empty.
type RoundTrips struct{ all histogram.Histogram }

// roundTrips collects a transport's measurements, or returns nil if it measures none.
func roundTrips(of iter.Seq2[unit.Time, uint64]) *RoundTrips {
	if of == nil {
		return nil
	}
	r := new(RoundTrips)
	for rtt, n := range of {
		r.all.AddMany(int64(rtt), n)
	}
	return r
}

// Count returns the number of round-trip times.
func (r *RoundTrips) Count() uint64 {
	if r == nil {
		return 0
	}
	return r.all.Count()
}

// PerMille returns the time that p thousandths of all do not exceed: 500 is the median, and 1000
// the maximum. It is 0 if there are none.
func (r *RoundTrips) PerMille(p uint64) time.Duration {
	if r == nil {
		return 0
	}
	return time.Duration(unit.Time(r.all.PerMille(p)) / unit.Nanosecond)
}

// Sum returns the sum of all, to within 0.4 %. It never decreases.
func (r *RoundTrips) Sum() time.Duration {
	if r == nil {
		return 0
	}
	return time.Duration(r.all.Sum() / float64(unit.Nanosecond))
}

// Since returns the round-trip times added since earlier Stats of the same endpoint. It is nil if
// none are measured.
func (r *RoundTrips) Since(before *RoundTrips) *RoundTrips {
	if r == nil || before == nil {
		return r
	}
	return &RoundTrips{all: r.all.Since(&before.all)}
}

// Add adds another endpoint's round-trip times.
func (r *RoundTrips) Add(o *RoundTrips) {
	if o != nil {
		r.all.Merge(&o.all)
	}
}

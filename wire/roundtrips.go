package wire

import (
	"iter"
	"time"

	"weft/internal/histogram"
	"weft/unit"
)

// RoundTrips counts round-trip times. Their percentiles are within 0.4 % of the true ones, and 0.5 ns below 131 ns. A nil one is empty.
type RoundTrips struct{ all histogram.Histogram }

// roundTrips counts what a transport measured, nil if it measures nothing.
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

// Count returns how many there are.
func (r *RoundTrips) Count() uint64 {
	if r == nil {
		return 0
	}
	return r.all.Count()
}

// PerMille returns the time that so many thousandths of them do not exceed: 500 is the median, and 1000 the longest. It is 0 if there are none.
func (r *RoundTrips) PerMille(p uint64) time.Duration {
	if r == nil {
		return 0
	}
	return time.Duration(unit.Time(r.all.PerMille(p)) / unit.Nanosecond)
}

// Sum returns all of them together, to 0.4 %. It never falls.
func (r *RoundTrips) Sum() time.Duration {
	if r == nil {
		return 0
	}
	return time.Duration(r.all.Sum() / float64(unit.Nanosecond))
}

// Since returns those that were not yet counted in Stats of an earlier time, of the same endpoint; nil if none are measured.
func (r *RoundTrips) Since(before *RoundTrips) *RoundTrips {
	if r == nil || before == nil {
		return r
	}
	return &RoundTrips{all: r.all.Since(&before.all)}
}

// Add counts those of another endpoint, too.
func (r *RoundTrips) Add(o *RoundTrips) {
	if o != nil {
		r.all.Merge(&o.all)
	}
}

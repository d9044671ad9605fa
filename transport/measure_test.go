package transport

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/unit"
)

// TestGauge counts payload in the bucket in which it arrives, for every set that the
// sender or the receiver is in, but not below one switch.
func TestGauge(t *testing.T) {
	g := &Gauge{
		Start: 100, Bucket: 10, Most: 5, Sets: 2,
		// Hosts 0 and 1 hang on a switch and feel the first; 3 feels both.
		In: []uint16{1, 1, 0, 3, 0}, Edge: []int32{0, 0, 1, 2, 3},
	}
	at := func(deliveries ...[4]int) *Endpoint {
		e := &Endpoint{gauge: newGauge(g)}
		for _, d := range deliveries {
			e.gauge.Deliver(unit.Time(d[0]), int32(d[1]), int32(d[2]), unit.Bytes(d[3]))
		}
		return e
	}
	net := &Transport{gauge: g, endpoints: []*Endpoint{
		at([4]int{50, 0, 2, 1}, // before the first bucket
			[4]int{100, 0, 2, 2}, [4]int{109, 2, 0, 4}, // in the first
			[4]int{110, 0, 1, 8}, // below a switch
			[4]int{129, 1, 3, 32},
			[4]int{128, 2, 4, 16},  // who feels nothing, and earlier
			[4]int{160, 0, 2, 64}), // after the last
		at([4]int{105, 3, 2, 128}, [4]int{149, 4, 3, 256}),
		at(),
	}}
	want := [][]uint64{{2 + 4 + 128, 128}, {0, 0}, {32, 32}, {0, 0}, {256, 256}}
	if diff := cmp.Diff(want, net.Gauged(155)); diff != "" {
		t.Error(diff)
	}
	// Buckets that have not ended are left out.
	net = &Transport{gauge: g, endpoints: []*Endpoint{at([4]int{105, 0, 2, 1}, [4]int{112, 0, 2, 2}), at()}}
	if diff := cmp.Diff([][]uint64{{1, 0}}, net.Gauged(119)); diff != "" {
		t.Error(diff)
	}
	net = &Transport{gauge: g, endpoints: []*Endpoint{at([4]int{50, 0, 2, 1})}}
	if got := net.Gauged(99); got != nil {
		t.Errorf("%v before the first bucket", got)
	}
	if got := (&Transport{endpoints: []*Endpoint{{}}}).Gauged(1000); got != nil {
		t.Errorf("%v without a gauge", got)
	}
}

package record

import (
	"math"
	"testing"

	"weft/unit"
)

// What a link can carry follows its rate through faults, and is nothing while it is down, whether
// or not its rate changes meanwhile.
func TestCapacity(t *testing.T) {
	const us = unit.Microsecond
	r := Result{
		Ports: []Port{{Name: "a->b", Rate: 8 * unit.Gbps}, {Name: "b->a", Rate: 8 * unit.Gbps}, {Name: "c->d", Rate: 8 * unit.Gbps}, {Name: "e->f", Rate: 8 * unit.Gbps}},
		Faults: []Fault{
			{Port: "a->b", Kind: FaultRate, From: 10 * us, To: 30 * us, Rate: 2 * unit.Gbps},
			{Port: "a->b", Kind: FaultDown, From: 20 * us, To: 40 * us},
			{Port: "a->b", Kind: FaultLoss, From: 0, To: Unfinished, Probability: 0.1},
			{Port: "a->b", Kind: FaultRate, From: 50 * us, To: Unfinished, Rate: 4 * unit.Gbps},
			{Port: "c->d", Kind: FaultMissing, From: 0, To: Unfinished},
			{Port: "e->f", Kind: FaultRate, From: 0, To: Unfinished, Rate: 4 * unit.Gbps},
		},
	}
	c := r.Capacity()
	for _, test := range []struct {
		port     string
		from, to unit.Time
		bytes    float64 // 8 Gb/s carry 1000 B in 1 µs
		up       unit.Time
	}{
		{"b->a", 0, 100 * us, 100_000, 100 * us},
		{"a->b", 0, 10 * us, 10_000, 10 * us},
		{"a->b", 10 * us, 20 * us, 2_500, 10 * us},
		{"a->b", 20 * us, 40 * us, 0, 0},
		{"a->b", 0, 60 * us, 10_000 + 2_500 + 10_000 + 5_000, 40 * us},
		{"a->b", 35 * us, 35 * us, 0, 0},
		{"c->d", 0, 100 * us, 0, 0},
		{"e->f", 0, 100 * us, 50_000, 100 * us},
		{"x->y", 0, 100 * us, 0, 100 * us},
	} {
		bytes, up := c.Bytes(test.port, test.from, test.to)
		if math.Abs(bytes-test.bytes) > 1e-6 || up != test.up {
			t.Errorf("%s from %v to %v carries %v B, up for %v; want %v B and %v", test.port, test.from, test.to, bytes, up, test.bytes, test.up)
		}
	}
	if got := c.Share("e->f", 46_500, 0, 100*us); math.Abs(got-0.93) > 1e-9 {
		t.Errorf("a slow link that was busy for 93 %% of the time has the share %v", got)
	}
	if got := c.Share("c->d", 0, 0, 100*us); !math.IsNaN(got) {
		t.Errorf("a missing link has the share %v", got)
	}
}

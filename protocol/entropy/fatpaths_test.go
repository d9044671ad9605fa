package entropy_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"weft/protocol"
	"weft/protocol/entropy"
	"weft/unit"
)

// onLayers starts a connection at 0 on routes with so many layers.
func onLayers(t testing.TB, o entropy.FatPaths, layers int, seed uint64) protocol.Entropy {
	t.Helper()
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	e := env(rand.NewPCG(seed, 1))
	e.Layers = layers
	c := b.New(e)
	c.Start(0)
	return c
}

// TestFatPathsMoves has a connection keep its layer while packets follow each other and leave it after
// a pause, a trimmed packet of the layer, or a timeout; and heed nothing else.
func TestFatPathsMoves(t *testing.T) {
	const layers, gap = 9, 50 * us
	for _, tt := range []struct {
		name    string
		options func(*entropy.FatPaths)
		happens func(c protocol.Entropy, now *unit.Time, entropy uint16)
		moves   bool
	}{
		{"packets within the gap", nil, func(c protocol.Entropy, now *unit.Time, _ uint16) {
			for range 10 {
				*now += gap
				c.Next(*now)
			}
		}, false},
		{"a pause", nil, func(_ protocol.Entropy, now *unit.Time, _ uint16) { *now += gap + 1 }, true},
		{"a trimmed packet", nil, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Lost(&protocol.Loss{Now: *now, Entropy: e, Cause: protocol.Trimmed})
		}, true},
		{"a trimmed packet of a former layer", nil, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Lost(&protocol.Loss{Now: *now, Entropy: e + 1, Cause: protocol.Trimmed})
		}, false},
		{"a trimmed packet without requests", func(o *entropy.FatPaths) { o.OnTrim = false }, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Lost(&protocol.Loss{Now: *now, Entropy: e, Cause: protocol.Trimmed})
		}, false},
		{"a timeout", func(o *entropy.FatPaths) { o.OnTrim = false }, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Lost(&protocol.Loss{Now: *now, Entropy: e, Cause: protocol.Timeout})
		}, true},
		{"an acknowledgement with a mark", nil, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Acked(&protocol.Ack{Now: *now, Entropy: e, Marked: true, Packets: 1, MarkedPackets: 1})
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := defaults[entropy.FatPaths](t, "fatpaths")
			if tt.options != nil {
				tt.options(&o)
			}
			for seed := range uint64(50) {
				c, now := onLayers(t, o, layers, seed), unit.Time(0)
				first := c.Next(now)
				tt.happens(c, &now, first)
				next := c.Next(now)
				if moved := next%layers != first%layers; moved != tt.moves || !moved && next != first {
					t.Fatalf("entropy %d, and then %d: layers %d and %d", first, next, first%layers, next%layers)
				}
			}
		})
	}
}

// TestFatPathsTakesAllLayers counts layers at the start and after moves, within 5 standard deviations
// of fair draws.
func TestFatPathsTakesAllLayers(t *testing.T) {
	const layers, total, mean, tolerance = 5, 5000, 1000, 142
	for _, first := range []string{"random", "minimal"} {
		o := defaults[entropy.FatPaths](t, "fatpaths")
		o.First = first
		var starts, moves [layers]int
		c := onLayers(t, o, layers, 3)
		for range total {
			c.Start(0)
			starts[c.Next(0)%layers]++
			moves[c.Next(unit.Second)%layers]++
		}
		if first == "minimal" {
			if starts[0] != total || moves[0] != 0 {
				t.Errorf("with first: minimal, connections began on layers %v and went on to %v", starts, moves)
			}
			continue
		}
		for layer := range layers {
			for _, n := range []int{starts[layer], moves[layer]} {
				if n < mean-tolerance || n > mean+tolerance {
					t.Errorf("layer %d was taken %d times, want %d ± %d", layer, n, mean, tolerance)
				}
			}
		}
	}
}

func TestFatPathsRefusals(t *testing.T) {
	if _, err := (entropy.FatPaths{}).Build(); err == nil || !strings.Contains(err.Error(), "gap is 0s, shorter than any pause") {
		t.Errorf("error %v", err)
	}
}

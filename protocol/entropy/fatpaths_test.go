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

// The options of FatPaths over TCP, and for low latency.
func overTCP(o *entropy.FatPaths)    { o.First, o.Change = "minimal", []string{"cut", "loss", "timeout"} }
func forLatency(o *entropy.FatPaths) { o.First, o.Change = "minimal", []string{"timeout"} }

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
		{"a packet that others overtook", nil, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Lost(&protocol.Loss{Now: *now, Entropy: e, Cause: protocol.Missing})
		}, true},
		{"a smaller window, over NDP", nil, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Acked(&protocol.Ack{Now: *now, Entropy: e, Packets: 1, Cut: true})
		}, false},
		{"a smaller window, over TCP", overTCP, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Acked(&protocol.Ack{Now: *now, Entropy: e, Packets: 1, Cut: true})
		}, true},
		{"that of a packet of another layer", overTCP, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Lost(&protocol.Loss{Now: *now, Entropy: e + 1, Cause: protocol.Missing, Cut: true})
		}, true},
		{"a lost packet of a former layer, over TCP", overTCP, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Lost(&protocol.Loss{Now: *now, Entropy: e + 1, Cause: protocol.Missing})
		}, false},
		{"pauses and trimmed packets, over TCP", overTCP, func(c protocol.Entropy, now *unit.Time, e uint16) {
			*now += unit.Second
			c.Lost(&protocol.Loss{Now: *now, Entropy: e, Cause: protocol.Trimmed})
		}, false},
		{"what is not a timeout, for latency", forLatency, func(c protocol.Entropy, now *unit.Time, e uint16) {
			*now += unit.Second
			c.Lost(&protocol.Loss{Now: *now, Entropy: e, Cause: protocol.Missing, Cut: true})
			c.Acked(&protocol.Ack{Now: *now, Entropy: e, Packets: 1, Cut: true})
		}, false},
		{"a timeout, for latency", forLatency, func(c protocol.Entropy, now *unit.Time, e uint16) {
			c.Lost(&protocol.Loss{Now: *now, Entropy: e, Cause: protocol.Timeout})
		}, true},
		{"anything, with an empty list", func(o *entropy.FatPaths) { o.Change = nil }, func(c protocol.Entropy, now *unit.Time, e uint16) {
			*now += unit.Second
			for cause := range protocol.Missing + 1 {
				c.Lost(&protocol.Loss{Now: *now, Entropy: e, Cause: cause, Cut: true})
			}
		}, false},
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
	o := defaults[entropy.FatPaths](t, "fatpaths")
	for word, want := range map[string]string{
		"cuts": `change has "cuts"; did you mean "cut"? Use cut, gap, loss, timeout, trim, as in [cut, loss, timeout]`,
		"mood": `change has "mood"; use cut, gap, loss, timeout, trim`,
	} {
		o.Change = []string{"gap", word}
		if _, err := o.Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestFatPathsNeeds: what a connection does without trimmed headers follows from when it changes its layer, and cuts are of
// windows.
func TestFatPathsNeeds(t *testing.T) {
	for _, tt := range []struct {
		change  []string
		without string
		clocked bool
	}{
		{[]string{"gap", "trim", "loss", "timeout"}, "leaves a layer only after pauses, losses and timeouts", false},
		{[]string{"trim", "gap"}, "leaves a layer only after pauses", false},
		{[]string{"trim"}, "never leaves a layer", false},
		{[]string{"cut", "timeout"}, "", true},
		{nil, "", false},
	} {
		o := defaults[entropy.FatPaths](t, "fatpaths")
		o.Change = tt.change
		b, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		without := ""
		for _, w := range b.Needs.Wants {
			without += w.Without
		}
		if without != tt.without || b.Needs.Must.Has(protocol.AckClock) != tt.clocked {
			t.Errorf("%v: needs %+v", tt.change, b.Needs)
		}
	}
}

// TestSubflowsApart: subflows of a message take one layer after another, from one that is as likely as others.
func TestSubflowsApart(t *testing.T) {
	const layers, subflows = 9, 8
	o := defaults[entropy.MPTCP](t, "mptcp")
	o.Apart = true
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	var firsts [layers]int
	for message := range uint64(900) {
		taken := map[uint16]bool{}
		for i := range subflows {
			e := env(rand.NewPCG(message, uint64(i)))
			e.Layers = layers
			c := b.New(e)
			c.Start(0)
			c.(protocol.Sibling).SetSubflow(i, message)
			layer := c.Next(0) % layers
			taken[layer] = true
			if i == 0 {
				firsts[layer]++
			}
			if again := c.Next(unit.Second); again%layers != layer {
				t.Fatalf("a subflow goes from layer %d to %d", layer, again%layers)
			}
		}
		if len(taken) != subflows {
			t.Fatalf("%d subflows are in %d layers", subflows, len(taken))
		}
	}
	for layer, n := range firsts {
		if n != 100 {
			t.Errorf("layer %d is the first of %d messages of 900 in a row", layer, n)
		}
	}
}

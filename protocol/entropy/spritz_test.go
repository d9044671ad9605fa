package entropy_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/entropy"
	"weft/unit"
)

// pathsOf are explicit paths of so many links each, over links of a microsecond.
func pathsOf(links ...int) (paths []protocol.Path) {
	for i, n := range links {
		paths = append(paths, protocol.Path{Entropy: uint16(i), Weight: 1, Links: n, Delay: unit.Time(n) * us})
	}
	return paths
}

// failer is a test of any kind.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// onPaths starts a connection at 0 over explicit paths.
func onPaths(t failer, o interface {
	Build() (protocol.Balancer, error)
}, seed uint64, paths []protocol.Path) protocol.Entropy {
	t.Helper()
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	e := env(rand.NewPCG(seed, 1))
	e.BaseRTT = 10 * us
	c := b.New(e)
	c.Start(0)
	c.(protocol.PathChooser).SetPaths(paths)
	return c
}

func timeout(c protocol.Entropy, now unit.Time, e uint16) {
	c.Lost(&protocol.Loss{Now: now, Entropy: e, Cause: protocol.Timeout})
}

func trimmed(c protocol.Entropy, now unit.Time, e uint16) {
	c.Lost(&protocol.Loss{Now: now, Entropy: e, Cause: protocol.Trimmed})
}

// TestSpritzWeights draws paths of 2, 3, 4 and 4 links: with a scaling of s they weigh 2s, 4s/3, 1 and 1. Shares are held to 5
// standard deviations.
func TestSpritzWeights(t *testing.T) {
	heavy := pathsOf(2, 3, 4, 4)
	heavy[3].Weight = 5
	still := pathsOf(2, 3, 4, 4)
	for i := range still {
		still[i].Delay = 0
	}
	for _, tt := range []struct {
		name           string
		scaling, first int
		paths          []protocol.Path
		want           []float64
	}{
		{"the artefact's", 3, 0, pathsOf(2, 3, 4, 4), []float64{6, 4, 1, 1}},
		{"uniform", 0, 0, pathsOf(2, 3, 4, 4), []float64{1, 1, 1, 1}},
		{"in proportion", 1, 0, pathsOf(2, 3, 4, 4), []float64{2, 4. / 3, 1, 1}},
		{"short messages", 3, 100, pathsOf(2, 3, 4, 4), []float64{100, 1, 1, 1}},
		{"weights of paths", 3, 0, heavy, []float64{6, 4, 1, 5}},
		{"without delays", 3, 0, still, []float64{6, 4, 1, 1}},
		{"equal paths", 3, 0, pathsOf(3, 3), []float64{1, 1}},
	} {
		o := defaults[entropy.Spritz](t, "spritz")
		o.Scaling, o.FirstWeight, o.Mode = tt.scaling, tt.first, "spray"
		c := onPaths(t, o, 7, tt.paths)
		const total = 20000
		counts := make([]int, len(tt.paths))
		for range total {
			counts[c.Next(0)]++
		}
		sum := 0.0
		for _, w := range tt.want {
			sum += w
		}
		for i, w := range tt.want {
			p := w / sum
			if d := float64(counts[i]) - p*total; math.Abs(d) > 5*math.Sqrt(p*(1-p)*total) {
				t.Errorf("%s: path %d was drawn %d times of %d, want %.0f", tt.name, i, counts[i], total, p*total)
			}
		}
	}
}

// TestScoutKeepsToGoodPaths has a path of the list win over drawn ones, the shortest first, until it is struck off.
func TestScoutKeepsToGoodPaths(t *testing.T) {
	o := defaults[entropy.Spritz](t, "spritz")
	o.Explore = 0
	c := onPaths(t, o, 1, pathsOf(2, 3, 3, 4))
	acked(c, us, 2, us, false)
	acked(c, us, 1, us, false)
	acked(c, us, 2, us, false)
	for range 100 {
		if c.Next(us) != 1 {
			t.Fatal("the first of the good paths is not taken")
		}
	}
	for range o.ECNMarks {
		acked(c, us, 1, us, true)
	}
	if c.Next(us) != 1 {
		t.Fatal("the path was struck off too early")
	}
	acked(c, us, 1, us, true)
	if c.Next(us) != 2 {
		t.Fatal("marks do not strike a path off")
	}
	acked(c, us, 3, us, false)
	trimmed(c, us, 2)
	if c.Next(us) != 3 {
		t.Fatal("a trimmed packet does not strike a path off")
	}
	// Marks and losses on paths that are not on the list change nothing.
	for range 100 {
		acked(c, us, 0, us, true)
		trimmed(c, us, 2)
	}
	if c.Next(us) != 3 {
		t.Fatal("others' marks count")
	}
}

// TestSpritzLeavesFailedPaths: after timeouts a path is drawn no more; the last one stays.
func TestSpritzLeavesFailedPaths(t *testing.T) {
	for _, mode := range []string{"scout", "spray"} {
		o := defaults[entropy.Spritz](t, "spritz")
		o.Mode = mode
		paths := pathsOf(2, 3, 4)
		c := onPaths(t, o, 1, paths)
		acked(c, us, 0, us, false)
		c.Next(us)
		timeout(c, us, 0)
		timeout(c, us, 0)
		counts := [3]int{}
		for range 1000 {
			counts[c.Next(us)]++
		}
		if counts[0] != 0 || counts[1] == 0 || counts[2] == 0 {
			t.Errorf("%s: %v", mode, counts)
		}
		timeout(c, us, 1)
		timeout(c, us, 2)
		for range 100 {
			if c.Next(us) != 2 {
				t.Fatalf("%s: the last path is not kept", mode)
			}
		}
		c.(protocol.PathChooser).SetPaths(paths) // new routes
		counts = [3]int{}
		for range 1000 {
			counts[c.Next(us)]++
		}
		if counts[0] == 0 {
			t.Errorf("%s: paths are not taken anew: %v", mode, counts)
		}
	}
}

// TestSprayUsesEachGoodAckOnce: as a queue, and once in explore+1 packets a path is drawn.
func TestSprayUsesEachGoodAckOnce(t *testing.T) {
	o := defaults[entropy.Spritz](t, "spritz")
	o.Mode, o.Explore = "spray", 0
	c := onPaths(t, o, 1, pathsOf(2, 3, 3, 4))
	for range 2 {
		var sent []uint16
		for _, e := range []uint16{3, 1, 1, 2} {
			acked(c, us, e, us, false)
			acked(c, us, e, us, true) // changes nothing
		}
		for range 4 {
			sent = append(sent, c.Next(us))
		}
		if !slices.Equal(sent, []uint16{3, 1, 1, 2}) {
			t.Fatalf("sent on %v", sent)
		}
	}
	for range 100 {
		acked(c, us, 3, us, false)
	}
	others := 0
	for range o.Good {
		if c.Next(us) != 3 {
			others++
		}
	}
	if others > 0 {
		t.Error("fewer good paths are remembered than asked for")
	}
	o.Explore = 4
	c = onPaths(t, o, 1, pathsOf(4, 4, 4, 4))
	for i := range 600 {
		acked(c, us, 3, us, false)
		if e := c.Next(us); i%6 != 5 && e != 3 {
			t.Fatalf("packet %d takes path %d", i, e)
		} else if e != 3 {
			others++
		}
	}
	if others < 50 || others > 100 { // three quarters of the 100 that are drawn
		t.Errorf("%d packets explored", others)
	}
}

// TestSpritzForgetsWhenIdle: what was good is forgotten a base RTT after the last answer.
func TestSpritzForgetsWhenIdle(t *testing.T) {
	o := defaults[entropy.Spritz](t, "spritz")
	o.Explore, o.FirstWeight = 0, 100000
	c := onPaths(t, o, 1, pathsOf(2, 3))
	acked(c, us, 1, us, false)
	c.Resume(11 * us)
	if c.Next(11*us) != 1 {
		t.Error("forgotten within a base RTT")
	}
	c.Resume(11*us + 1)
	if c.Next(12*us) != 0 {
		t.Error("not forgotten after it")
	}
}

// TestFlicr follows a connection over rounds of a base RTT, 10 µs.
func TestFlicr(t *testing.T) {
	o := defaults[entropy.Flicr](t, "flicr")
	for name, tt := range map[string]struct {
		happens func(c protocol.Entropy, e uint16) unit.Time
		leaves  bool
	}{
		"marks in the first round": {func(c protocol.Entropy, e uint16) unit.Time {
			for range 100 {
				acked(c, 5*us, e, us, true)
			}
			trimmed(c, 5*us, e)
			acked(c, 11*us, e, us, true)
			return 11 * us
		}, false},
		"a tenth of marks": {func(c protocol.Entropy, e uint16) unit.Time {
			acked(c, 11*us, e, us, true)
			for i := range 10 {
				acked(c, 12*us+unit.Time(i)*us, e, us, i == 0)
			}
			return 22 * us
		}, false},
		"more marks": {func(c protocol.Entropy, e uint16) unit.Time {
			acked(c, 11*us, e, us, false)
			for i := range 10 {
				acked(c, 12*us+unit.Time(i)*us, e, us, i < 2)
			}
			acked(c, 22*us, e, us, false)
			return 22 * us
		}, true},
		"a trimmed packet": {func(c protocol.Entropy, e uint16) unit.Time {
			acked(c, 11*us, e, us, false)
			trimmed(c, 12*us, e)
			return 12 * us
		}, true},
		"a timeout": {func(c protocol.Entropy, e uint16) unit.Time { timeout(c, us, e); return us }, true},
		"a timeout of another path": {func(c protocol.Entropy, e uint16) unit.Time {
			timeout(c, us, e+1)
			return us
		}, false},
	} {
		left := 0
		for seed := range uint64(40) {
			c := onPaths(t, o, seed, pathsOf(3, 3, 3, 3))
			e := c.Next(0)
			for range 5 {
				if c.Next(us/2) != e {
					t.Fatal("the path changed for nothing")
				}
			}
			if now := tt.happens(c, e); c.Next(now) != e {
				left++
			}
		}
		if tt.leaves && (left < 15 || left > 40) || !tt.leaves && left > 0 { // three quarters draw another of four
			t.Errorf("%s: %d of 40 connections left", name, left)
		}
	}
}

// TestPathChoosersKeepToPaths throws anything at them: every entropy stands for a path, and draws end.
func TestPathChoosersKeepToPaths(t *testing.T) {
	scout, flicr := defaults[entropy.Spritz](t, "spritz"), defaults[entropy.Flicr](t, "flicr")
	rapid.Check(t, func(t *rapid.T) {
		s := scout
		s.Mode = rapid.SampledFrom([]string{"scout", "spray"}).Draw(t, "mode")
		s.Good, s.Explore = rapid.IntRange(1, 4).Draw(t, "good"), rapid.IntRange(0, 5).Draw(t, "explore")
		var o interface {
			Build() (protocol.Balancer, error)
		} = s
		if rapid.Bool().Draw(t, "flicr") {
			o = flicr
		}
		var paths []protocol.Path
		place := 0
		for range rapid.IntRange(1, 6).Draw(t, "paths") {
			w := rapid.IntRange(1, 3).Draw(t, "weight")
			paths = append(paths, protocol.Path{Entropy: uint16(place), Weight: w, Links: 1 + place, Delay: unit.Time(rapid.Int64Range(0, 1<<50).Draw(t, "delay"))})
			place += w
		}
		c := onPaths(t, o, rapid.Uint64().Draw(t, "seed"), paths)
		now := unit.Time(0)
		for range 60 {
			now += unit.Time(rapid.Int64Range(0, int64(8*us)).Draw(t, "time"))
			e := rapid.Uint16Range(0, uint16(place+2)).Draw(t, "entropy")
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				acked(c, now, e, us, rapid.Bool().Draw(t, "marked"))
			case 1:
				timeout(c, now, e)
			case 2:
				trimmed(c, now, e)
			case 3:
				c.Lost(&protocol.Loss{Now: now, Unplaced: true, Cause: protocol.Timeout})
			case 4:
				c.Resume(now)
			}
			if e := c.Next(now); !slices.ContainsFunc(paths, func(p protocol.Path) bool { return p.Entropy == e }) {
				t.Fatalf("entropy %d is of no path", e)
			}
		}
	})
}

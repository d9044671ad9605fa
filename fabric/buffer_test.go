package fabric_test

import (
	"math"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// nodeOf returns a node by its name.
func nodeOf(t rapid.TB, g *topo.Graph, name string) topo.NodeID {
	t.Helper()
	for i := range g.Nodes {
		if g.Nodes[i].Name == name {
			return topo.NodeID(i)
		}
	}
	t.Fatalf("no node %s", name)
	return 0
}

// TestBuffer measures the left switch of a funnel, which carries 1000 bytes in a
// microsecond and gets five frames at 2 µs and one, for a host of its own, at 4.5 µs.
func TestBuffer(t *testing.T) {
	const us = unit.Microsecond
	var sends []send
	for id := range uint32(5) {
		sends = append(sends, send{At: 2*us - 1000, Src: int32(id % 4), Dst: 4, ID: id, Size: 1000})
	}
	sends = append(sends, send{At: 4*us + us/2 - 1000, Src: 0, Dst: 1, ID: 5, Size: 500})
	for _, test := range []struct {
		name      string
		waiting   bool
		classes   int
		from, to  sim.Time
		mean, max unit.Bytes
		means     []uint64
	}{
		// From 2 µs on 5000, 4000, 3000, 2000 and 1000, a microsecond each; the sixth
		// frame goes to a host whose link takes no time.
		{"whole", false, 0, 0, 8 * us, 15000 / 8, 5000, []uint64{0, 4500, 2500, 500}},
		{"a part", false, 0, 3 * us, 5 * us, 3500, 4000, []uint64{3500}},
		{"what waits", true, 0, 0, 8 * us, 10000 / 8, 4000, []uint64{0, 3500, 1500, 0}},
		{"priorities", false, 2, 0, 8 * us, 15000 / 8, 5000, []uint64{0, 4500, 2500, 500}},
		{"what waits under priorities", true, 2, 0, 8 * us, 10000 / 8, 4000, []uint64{0, 3500, 1500, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			port := func(topo.PortID) fabric.PortConfig {
				return fabric.PortConfig{Limit: unit.GiB, Classes: test.classes}
			}
			n := setup{Graph: funnel(4, 8*unit.Gbps, 1000, 0), Sends: sends, Port: port}.build(t)
			b := n.Buffer(nodeOf(t, n.graph, "left"), 2*us, test.waiting)
			n.run(t, test.from)
			b.Open(test.from)
			n.run(t, test.to)
			got := b.Close(test.to)
			near := func(a, b unit.Bytes) bool { return a >= b-2 && a <= b+2 } // serialisation begins at the sender
			if !near(got.Mean, test.mean) || got.Max != test.max {
				t.Errorf("mean %d and max %d, want %d and %d", got.Mean, got.Max, test.mean, test.max)
			}
			if got.Time != test.to-test.from || got.Weights.Count() != uint64(got.Time) {
				t.Errorf("measured %d, weights %d, want %d", got.Time, got.Weights.Count(), test.to-test.from)
			}
			if len(got.Means) != len(test.means) {
				t.Fatalf("means %d, want %d", got.Means, test.means)
			}
			for i, m := range got.Means {
				if !near(unit.Bytes(m), unit.Bytes(test.means[i])) {
					t.Errorf("means %d, want %d", got.Means, test.means)
				}
			}
		})
	}
}

// TestBuffersOfScenes measures all switches of random scenes: the means are those of
// the ports, nothing else changes, and cuts change nothing.
func TestBuffersOfScenes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		waiting := rapid.Bool().Draw(t, "waiting only")
		plain, _ := s.play(t)
		var want []fabric.Buffering
		for _, domains := range []int{1, 3, 100} {
			s.Domains = domains
			o, got := s.measure(t, waiting)
			if diff := gocmp.Diff(plain, o); diff != "" {
				t.Fatalf("%d domains: measuring changes results (-without +with):\n%s", domains, diff)
			}
			if want == nil {
				want = got
				s.checkBuffers(t, o, got, waiting)
				continue
			}
			for i := range got {
				a, b := want[i], got[i]
				if a.Mean != b.Mean || a.Max != b.Max || *a.Weights != *b.Weights || gocmp.Diff(a.Means, b.Means) != "" {
					t.Fatalf("switch %d in %d domains: mean %d and max %d, in one %d and %d", i, domains, b.Mean, b.Max, a.Mean, a.Max)
				}
			}
		}
	})
}

// measure plays the scene with all switches measured until 200 µs.
func (s *scene) measure(t *rapid.T, waiting bool) (outcome, []fabric.Buffering) {
	var buffers []*fabric.Buffer
	var found []fabric.Buffering
	v := *s
	v.built = func(n *network) {
		for i, node := range s.Graph.Nodes {
			if node.Kind == topo.Switch {
				b := n.Buffer(topo.NodeID(i), unit.Microsecond, waiting)
				b.Open(0)
				buffers = append(buffers, b)
			}
		}
	}
	v.drained = func(*network) {
		for _, b := range buffers {
			found = append(found, b.Close(measuredScene))
		}
	}
	o, _ := v.play(t)
	return o, found
}

const measuredScene = 2 * unit.Millisecond

// checkBuffers compares what switches buffered with what their ports counted.
func (s *scene) checkBuffers(t *rapid.T, o outcome, got []fabric.Buffering, waiting bool) {
	k := 0
	for i, node := range s.Graph.Nodes {
		if node.Kind != topo.Switch {
			continue
		}
		sum, most := 0.0, unit.Bytes(0)
		for p, c := range o.Ports {
			if from, _ := s.Graph.Ends(topo.PortID(p)); from == topo.NodeID(i) {
				sum += c.QueueByteTime
				most += unit.Bytes(c.QueueMax)
			}
		}
		b := got[k]
		k++
		mean, want := float64(b.Mean), sum/float64(measuredScene)
		if waiting && mean > want || !waiting && math.Abs(mean-math.Floor(want)) > 1 {
			t.Fatalf("%s: mean %v, its ports have %v (waiting only: %v)", node.Name, mean, want, waiting)
		}
		if b.Max > most || int64(b.Max) != b.Weights.Max() || b.Weights.Count() != uint64(measuredScene) {
			t.Fatalf("%s: max %d, of weights %d, of ports together %d; %d ps measured", node.Name, b.Max, b.Weights.Max(), most, b.Weights.Count())
		}
	}
}

// TestBufferOfACutLink loses what a failed link held.
func TestBufferOfACutLink(t *testing.T) {
	const us = unit.Microsecond
	var sends []send
	for id := range uint32(4) {
		sends = append(sends, send{At: 2*us - 1000, Src: int32(id), Dst: 4, ID: id, Size: 1000})
	}
	n := setup{Graph: funnel(4, 8*unit.Gbps, 1000, 0), Sends: sends}.build(t)
	b := n.Buffer(nodeOf(t, n.graph, "left"), us, false)
	b.Open(0)
	n.change(t, fault.Change{At: 3*us + us/2, Port: n.port(t, "left", "right"), What: fault.Down})
	n.drain(t)
	if got, want := b.Close(6*us), uint64(4000+1500); math.Abs(float64(got.Mean)*6-float64(want)) > 12 || got.Max != 4000 {
		t.Errorf("mean %d and max %d, want %d and 4000", got.Mean, got.Max, want/6)
	}
}

package fabric_test

import (
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// drawHostJitter draws a jitter of hosts that may be none.
func drawHostJitter(t *rapid.T) sim.Time {
	return rapid.SampledFrom([]sim.Time{0, 0, 1, 20_000, 333_333, 3_000_000}).Draw(t, "host jitter")
}

// TestHostJitterAgainstModel runs random scenes without and with jitter of hosts, whose frames do not depend
// on what hosts receive. So the wires do the same, and every frame is late by the rule: of each class in order,
// after its delay, and after the one before it.
func TestHostJitterAgainstModel(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		if rapid.Bool().Draw(t, "swept") {
			s.Queue = sim.Swept
		}
		s.Domains = rapid.IntRange(1, 3).Draw(t, "domains")
		s.HostJitter = 0
		var exact, late *network
		s.built = func(n *network) { exact = n }
		want, _ := s.play(t)
		s.HostJitter = rapid.SampledFrom([]sim.Time{1, 100_000, 2_000_000, 4_000_000}).Draw(t, "host jitter")
		s.built = func(n *network) { late = n }
		got, _ := s.play(t)
		if diff := gocmp.Diff(want, got, cmpopts.IgnoreFields(outcome{}, "Logs")); diff != "" {
			t.Fatalf("the wires do something else (-exact +late):\n%s", diff)
		}
		classed := false
		for p := range topo.PortID(2 * len(s.Graph.Links)) {
			from, _ := s.Graph.Ends(p)
			classed = classed || s.Graph.Nodes[from].Kind == topo.Switch && s.Port(p).Classes > 1
		}
		overtakes := false
		for host := range exact.logs {
			model := expected(exact, late, host, classed)
			if diff := gocmp.Diff(model, late.logs[host]); diff != "" {
				t.Fatalf("host %d, jitter %v (-want +got):\n%s", host, s.HostJitter, diff)
			}
			for i, d := range late.logs[host] {
				overtakes = overtakes || d.ID != exact.logs[host][i].ID
			}
		}
		cover.note("scenes", true)
		cover.note("classes", classed)
		cover.note("one class", !classed)
		cover.note("overtaking", overtakes)
		cover.note("links that fail", slices.ContainsFunc(s.changes, func(c fault.Change) bool { return c.What == fault.Down }))
	})
	cover.report(t, 10)
}

// expected returns what a host logs, from what it logs without jitter.
func expected(exact, late *network, host int, classed bool) []delivery {
	drawn := map[uint32]intake{}
	for i, d := range late.logs[host] {
		drawn[d.ID] = late.intakes[host][i]
	}
	var left [8]sim.Time
	model := slices.Clone(exact.logs[host])
	for i := range model {
		d := &model[i]
		in := drawn[d.ID]
		if !classed {
			in.class = 0
		}
		d.At = max(left[in.class], d.At+in.delay)
		left[in.class] = d.At
	}
	slices.SortStableFunc(model, func(a, b delivery) int { return int(a.At - b.At) })
	return model
}

// TestHostJitterDraws looks at the delays of many packets: they are spread evenly, differ by host and by seed, and
// those of neighbours have nothing to do with each other.
func TestHostJitterDraws(t *testing.T) {
	const total, most = 4000, 999
	g := slowStar(3)
	delays := func(seed uint64, vary func(i uint32, f *fabric.Frame)) []sim.Time {
		n := setup{Graph: g, Seed: seed, HostJitter: most}.build(t)
		d := n.Domains()[0]
		list := make([]sim.Time, total)
		for i := range list {
			f := fabric.Frame{Src: 1, Dst: 2, Serial: 5, Kind: 1}
			vary(uint32(i), &f)
			list[i] = d.HostJitter(f.Dst, &f)
		}
		return list
	}
	ways := map[string]func(uint32, *fabric.Frame){
		"packets":         func(i uint32, f *fabric.Frame) { f.Seq = i },
		"messages":        func(i uint32, f *fabric.Frame) { f.Serial = i },
		"senders":         func(i uint32, f *fabric.Frame) { f.Src = int32(i) },
		"large numbers":   func(i uint32, f *fabric.Frame) { f.Seq = i << 20 },
		"packets by kind": func(i uint32, f *fabric.Frame) { f.Seq, f.Kind = i/2, uint8(i%2) },
	}
	for name, vary := range ways {
		list := delays(1, vary)
		counts, pairs := make([]float64, 10), make([]float64, 16)
		for i, u := range list {
			if u < 0 || u > most {
				t.Fatalf("%s: a delay of %d ps, which is not from 0 to %d", name, u, most)
			}
			counts[u/100]++
			if i > 0 {
				pairs[list[i-1]/250*4+u/250]++
			}
		}
		for what, c := range map[string][]float64{"delays": counts, "pairs of neighbours": pairs} {
			if off := chiSquare(c); math.Abs(off) > 4.5 {
				t.Errorf("%s: %s are spread as %v, %.1f standard deviations from evenly", name, what, c, off)
			}
		}
		if slices.Equal(list, delays(2, vary)) {
			t.Errorf("%s: seeds 1 and 2 draw alike", name)
		}
	}
	other := func(i uint32, f *fabric.Frame) { f.Seq, f.Dst = i, 0 }
	if slices.Equal(delays(1, ways["packets"]), delays(1, other)) {
		t.Error("two hosts draw alike")
	}
}

// TestHostJitterAndFailures has a link fail while frames are on the wire and in the receive path of its host: those
// that had arrived are delivered.
func TestHostJitterAndFailures(t *testing.T) {
	g := slowStar(2)
	s := setup{Graph: g, HostJitter: 100 * unit.Microsecond}
	for i := range uint32(20) {
		s.Sends = append(s.Sends, send{Src: 0, Dst: 1, ID: i, Size: 1000})
	}
	exact := s
	exact.HostJitter = 0
	fails := 10 * unit.Microsecond
	arrived := 0
	for _, n := range []*network{exact.build(t), s.build(t)} {
		n.change(t, fault.Change{At: fails, Port: portOf(t, g, "tor0", "host1"), What: fault.Down})
		n.drain(t)
		if arrived == 0 {
			arrived = len(n.logs[1])
			continue
		}
		if len(n.logs[1]) != arrived || arrived == 0 || arrived == 20 {
			t.Errorf("%d frames are delivered, and without jitter %d of 20", len(n.logs[1]), arrived)
		}
		if at := n.logs[1][arrived-1].At; at <= fails || n.Quiet() < at {
			t.Errorf("the last frame is delivered at %v, and the network is quiet from %v on; the test wants one after %v", at, n.Quiet(), fails)
		}
	}
}

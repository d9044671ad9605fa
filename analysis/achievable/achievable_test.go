package achievable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/analysis"
	"weft/analysis/throughput"
	"weft/topo"
	"weft/unit"
)

// ring is n routers with two hosts each.
func ring(n int) Fabric {
	return Fabric{Name: "ring", Graph: func() (*topo.Graph, error) {
		g := &topo.Graph{}
		for i := range n {
			g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("r%d", i), Kind: topo.Switch, Tier: 1})
			g.Links = append(g.Links, topo.Link{A: topo.NodeID(i), B: topo.NodeID((i + 1) % n), Rate: unit.Gbps})
		}
		for i := range 2 * n {
			g.Hosts = append(g.Hosts, topo.NodeID(len(g.Nodes)))
			g.Links = append(g.Links, topo.Link{A: topo.NodeID(i / 2), B: topo.NodeID(len(g.Nodes)), Rate: unit.Gbps})
			g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("host%d", i), Kind: topo.Host})
		}
		return g, nil
	}}
}

// around routes one way round, or both. Link i of the ring leads from router i on.
func around(n int, both bool) Scheme {
	return Scheme{Name: "around", Route: func(_ context.Context, _ *topo.Graph, progress func(float64)) (Routed, error) {
		progress(1)
		return Routed{Layers: 1, Pairs: func(from, to topo.NodeID, yield func([]topo.PortID)) {
			var path, back []topo.PortID
			for v := int(from); v != int(to); v = (v + 1) % n {
				path = append(path, topo.PortID(2*v))
			}
			yield(path)
			for v := int(from); both && v != int(to); v = (v + n - 1) % n {
				back = append(back, topo.PortID(2*((v+n-1)%n)+1))
			}
			if both {
				yield(back)
			}
		}}, nil
	}}
}

func value(t *testing.T, rows any, got float64, err error, want float64) {
	t.Helper()
	if err != nil || math.Abs(got/want-1) > 0.011 {
		t.Errorf("%v: %v (%v), want %v", rows, got, err, want)
	}
}

// On a ring of 8, opposite routers with two hosts each send 2: 4/8/2 both ways, half
// of that one way.
func TestCompare(t *testing.T) {
	last := 0.0
	o := Options{
		Traffic: throughput.Traffic{Pattern: throughput.WorstCase, Seed: 1}, Intensities: []float64{1, 0.5}, Gap: 0.01, Flow: true,
		Progress: func(share float64) { last = share },
	}
	one := around(8, false)
	one.Name = "one way"
	route := one.Route
	one.Route = func(ctx context.Context, g *topo.Graph, progress func(float64)) (Routed, error) {
		routed, err := route(ctx, g, progress)
		routed.Notes = []string{"half of the links"}
		return routed, err
	}
	r, err := Compare(context.Background(), []Fabric{ring(8)}, []Scheme{around(8, true), one}, o)
	if err != nil {
		t.Fatal(err)
	}
	number := func(name, at string) (float64, error) {
		n, err := r.Number(name, at)
		return n.Value, err
	}
	for at, want := range map[string]float64{"ring around at 1": 0.25, "ring one way at 1": 0.125} {
		got, err := number("T", at)
		value(t, at, got, err, want)
	}
	got, err := number("of flow", "ring one way at 1")
	value(t, "of flow", got, err, 50)
	got, err = number("flow", "ring at 1")
	value(t, "flow", got, err, 0.25)
	got, err = number("pairs", "ring at 0.5")
	value(t, "pairs", got, err, 8)
	if len(r.Plots) != 1 || len(r.Plots[0].Lines) != 2 || len(r.Plots[0].Lines[0].X) != 2 {
		t.Errorf("plots %+v", r.Plots)
	}
	if last != 1 {
		t.Errorf("the last progress was %v", last)
	}
	if n := len(r.Notes); n == 0 || r.Notes[n-1] != "ring, one way: half of the links" {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestCompareFails(t *testing.T) {
	ctx := context.Background()
	o := Options{Traffic: throughput.Traffic{Pattern: throughput.WorstCase}, Gap: 0.01}
	silent := Scheme{Name: "silent", Route: func(context.Context, *topo.Graph, func(float64)) (Routed, error) {
		return Routed{Pairs: func(_, _ topo.NodeID, _ func([]topo.PortID)) {}}, nil
	}}
	if _, err := Compare(ctx, []Fabric{ring(4)}, []Scheme{silent}, o); !errors.Is(err, throughput.ErrNoPath) || !strings.HasPrefix(err.Error(), "ring: silent: ") {
		t.Errorf("no path: %v", err)
	}
	// What is wrong with traffic is told before a graph is built.
	wrong := o
	wrong.Traffic.Elephants = 2
	unbuilt := Fabric{Name: "unbuilt", Graph: func() (*topo.Graph, error) { return nil, errors.New("was built") }}
	if _, err := Compare(ctx, []Fabric{unbuilt}, []Scheme{silent}, wrong); err == nil || err.Error() != "2 elephants; they must be a share of pairs, from 0 to 1" {
		t.Errorf("two elephants: %v", err)
	}
	broken := Scheme{Name: "broken", Route: func(context.Context, *topo.Graph, func(float64)) (Routed, error) {
		return Routed{}, errors.New("no trees")
	}}
	if _, err := Compare(ctx, []Fabric{ring(4)}, []Scheme{broken}, o); err == nil || !strings.Contains(err.Error(), "no trees") {
		t.Errorf("a scheme that fails: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	o.Gap = 1e-6
	if _, err := Compare(ended, []Fabric{ring(8)}, []Scheme{around(8, true)}, o); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("an end: %v", err)
	}
	// What is finished when the second scheme ends the context is kept.
	ending, end := context.WithCancel(ctx)
	last := Scheme{Name: "last", Route: func(context.Context, *topo.Graph, func(float64)) (Routed, error) {
		end()
		return Routed{}, ending.Err()
	}}
	o.Gap, o.Intensities = 0.01, []float64{1, 0.5}
	r, err := Compare(ending, []Fabric{ring(8)}, []Scheme{around(8, true), last}, o)
	var cut *analysis.Interrupted
	if !errors.As(err, &cut) || cut.Done != 2 || cut.All != 4 || !slices.Equal(cut.Missing, []string{"ring last at 1", "ring last at 0.5"}) {
		t.Fatalf("%+v: %v", cut, err)
	}
	if got, err := r.Number("T", "ring around at 1"); err != nil || got.Value == 0 {
		t.Errorf("what is finished: %+v, %v", got, err)
	}
	for _, bad := range []Options{{Gap: 2}, {FlowGap: -1}, {Intensities: []float64{2}}} {
		if bad.Check() == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

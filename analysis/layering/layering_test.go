package layering

import (
	"context"
	"errors"
	"strings"
	"testing"

	"weft/analysis"
	"weft/route/layers"
	"weft/topo"
	"weft/unit"
)

// ring is a cycle of switches with a host each.
func ring(n int) Fabric {
	return Fabric{Name: "ring", Graph: func(context.Context) (*topo.Graph, error) {
		g := &topo.Graph{}
		for i := range n {
			g.Nodes = append(g.Nodes, topo.Node{Name: "s" + string(rune('a'+i)), Kind: topo.Switch, Tier: 1})
		}
		for i := range n {
			h := topo.NodeID(len(g.Nodes))
			g.Nodes = append(g.Nodes, topo.Node{Name: "h" + string(rune('a'+i)), Kind: topo.Host})
			g.Hosts = append(g.Hosts, h)
			g.Links = append(g.Links, topo.Link{A: h, B: topo.NodeID(i), Rate: unit.Gbps},
				topo.Link{A: topo.NodeID(i), B: topo.NodeID((i + 1) % n), Rate: unit.Gbps})
		}
		return g, g.Validate()
	}}
}

func value(t *testing.T, row analysis.Row, name string) float64 {
	t.Helper()
	for _, n := range row.Numbers {
		if n.Name == name {
			return n.Value
		}
	}
	t.Fatalf("there is no number %q", name)
	return 0
}

// TestRing: on a ring, each pair has two paths without loops, which share no link and
// have n links together.
func TestRing(t *testing.T) {
	last := 0.0
	r, err := Compare(t.Context(), []Fabric{ring(7)}, Options{
		Kinds: []layers.Kind{layers.KindShortest, layers.KindMinimal}, Scheme: layers.Scheme{Layers: 3},
		Progress: func(share float64) {
			if share < last || share > 1 {
				t.Errorf("progress %v after %v", share, last)
			}
			last = share
		}, Threads: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []map[string]float64{
		{"layers": 3, "paths": 2, "hops": 3.5, "disjoint": 2, "disjoint ≥ 3": 0},
		{"layers": 3, "paths": 1, "hops": 2, "disjoint": 1, "links": 100, "no route": 0},
	} {
		for name, v := range want {
			if got := value(t, r.Rows[i], name); got != v {
				t.Errorf("%s: %s is %v, want %v", r.Rows[i].Name, name, got, v)
			}
		}
	}
	if last != 1 {
		t.Errorf("progress ends at %v", last)
	}
}

func TestPairsWithoutARouteAreTold(t *testing.T) {
	r, err := Compare(t.Context(), []Fabric{ring(6), ring(8)}, Options{
		Kinds: []layers.Kind{layers.KindSample}, Scheme: layers.Scheme{Layers: 2, Density: 0.7},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2 || r.Rows[0].Of != "fabric, scheme" || value(t, r.Rows[0], "no route") <= 0 {
		t.Errorf("%+v", r.Rows)
	}
	// Four of six links: two parts, at best of one switch and of five.
	if len(r.Notes) != 2 || !strings.Contains(r.Notes[0], "at most 10 of 30 in one layer); they fall back to layer 0; more --density") {
		t.Errorf("%q", r.Notes)
	}
}

// A layer as printed has no cycle, and so at most one of the two ways between any two
// routers: more links or paths cannot help.
func TestTheRemedyAsPrintedIsTheOtherReading(t *testing.T) {
	r, err := Compare(t.Context(), []Fabric{ring(6)}, Options{
		Kinds: []layers.Kind{layers.KindSample, layers.KindOverlap}, Scheme: layers.Scheme{Layers: 3, Density: 1, Reading: layers.AsPrinted},
	})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, note := range r.Notes {
		if strings.Contains(note, "have no route") {
			told++
			if !strings.Contains(note, "--reading undirected leaves fewer") || strings.Contains(note, "more --") {
				t.Errorf("%q", note)
			}
		}
	}
	if told != 2 {
		t.Errorf("%q", r.Notes)
	}
	// Two of three layers, in each of which half of 30 pairs have none at best.
	if got := value(t, r.Rows[0], "no route"); got < 100.0/3 {
		t.Errorf("%v %% have no route", got)
	}
}

func TestCompareRefuses(t *testing.T) {
	broken := Fabric{Name: "broken", Graph: func(context.Context) (*topo.Graph, error) { return nil, errors.New("no file") }}
	for _, test := range []struct {
		fabrics []Fabric
		scheme  layers.Scheme
		want    string
	}{
		{nil, layers.Scheme{Layers: 1}, "nothing to compare"},
		{[]Fabric{broken}, layers.Scheme{Layers: 1}, "broken: no file"},
		{[]Fabric{broken, ring(5)}, layers.Scheme{Layers: -2}, "scheme minimal: -2 layers"},
	} {
		_, err := Compare(t.Context(), test.fabrics, Options{Kinds: []layers.Kind{layers.KindMinimal}, Scheme: test.scheme})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// TestInterruptsKeepFinishedRows ends the context while the second of two fabrics is
// built.
func TestInterruptsKeepFinishedRows(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ending := Fabric{Name: "ending", Graph: func(ctx context.Context) (*topo.Graph, error) {
		cancel()
		return nil, ctx.Err()
	}}
	r, err := Compare(ctx, []Fabric{ring(5), ending}, Options{Kinds: []layers.Kind{layers.KindMinimal, layers.KindShortest}, Scheme: layers.Scheme{Layers: 2}})
	var cut *analysis.Interrupted
	if !errors.As(err, &cut) || !errors.Is(err, context.Canceled) || cut.Done != 2 || strings.Join(cut.Missing, ";") != "ending minimal;ending shortest" {
		t.Fatalf("%+v: %v", cut, err)
	}
	if len(r.Rows) != 2 || value(t, r.Rows[0], "paths") == 0 {
		t.Errorf("%+v", r.Rows)
	}
}

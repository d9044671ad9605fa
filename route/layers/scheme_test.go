package layers

import (
	"strings"
	"testing"

	"weft/topo"
)

// TestSchemes: every kind gives every pair a path, and says what it came to.
func TestSchemes(t *testing.T) {
	r := routers(t, slimFly(5, 2))
	for _, test := range []struct {
		scheme Scheme
		layers int
		// pairs have from so many paths to so many.
		least, most int
	}{
		{Scheme{Kind: KindMinimal, Layers: 4}, 4, 1, 4},
		{Scheme{Kind: KindSample, Layers: 5, Density: 0.5}, 5, 1, 5},
		{Scheme{Kind: KindOverlap, Layers: 5}, 5, 1, 5},
		{Scheme{Kind: KindSpain, Layers: 6}, 6, 1, 6},
		{Scheme{Kind: KindSpain, Layers: 1}, 1, 1, 1},
		{Scheme{Kind: KindPast, Layers: 7}, 7, 1, 7},
		{Scheme{Kind: KindPast}, 100, 1, 2},
		{Scheme{Kind: KindShortest, Layers: 3}, 3, 3, 3},
	} {
		last := 0.0
		routes, err := test.scheme.Build(t.Context(), r, Work{Workers: 2, Progress: func(share float64) { last = share }})
		if err != nil {
			t.Errorf("%+v: %v", test.scheme, err)
			continue
		}
		if routes.Layers != test.layers {
			t.Errorf("%+v has %d layers, want %d", test.scheme, routes.Layers, test.layers)
		}
		if test.scheme.Kind == KindOverlap && last != 1 {
			t.Errorf("progress ends at %v", last)
		}
		d, err := Measure(t.Context(), r, routes.Source, Pairs{}, Work{})
		if err != nil {
			t.Fatal(err)
		}
		if d.Unreachable > 0 || AtLeast(d.Paths, test.least) != 1 || AtLeast(d.Paths, test.most+1) != 0 {
			t.Errorf("%+v: %d pairs without a path, paths %v", test.scheme, d.Unreachable, d.Paths)
		}
		yield, err := routes.Routes()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		yield(r.Node(3), r.Node(30), func(path []topo.PortID) {
			walk(t, r, path, 3, 30)
			n++
		})
		if n < test.least {
			t.Errorf("%+v yields %d paths", test.scheme, n)
		}
	}
	natural, err := Scheme{Kind: KindSpain}.Build(t.Context(), r, Work{})
	if err != nil || natural.Layers <= r.Degree() {
		t.Errorf("SPAIN comes to %+v, %v", natural, err)
	}
}

func TestSchemesAreRefused(t *testing.T) {
	r := routers(t, slimFly(5, 2))
	for _, test := range []struct {
		scheme Scheme
		want   string
	}{
		{Scheme{Kind: "best", Layers: 2}, "scheme best: unknown kind; use one of overlap, sample"},
		{Scheme{Kind: KindSample, Layers: -1}, "-1 layers"},
		{Scheme{Kind: KindMinimal}, "0 layers"},
		{Scheme{Kind: KindShortest}, "0 shortest paths"},
		{Scheme{Kind: KindMinimal, Layers: 4, Memory: 9999}, "about 10KB for 50 routers"},
	} {
		if _, err := test.scheme.Build(t.Context(), r, Work{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
		// How much memory it takes depends on the network.
		if err := test.scheme.Check(); (err == nil) != (test.scheme.Memory > 0) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("without a network: got %v, want %s", err, test.want)
		}
	}
	for want, s := range map[string]Scheme{
		"density is 2":          {Kind: KindSample, Layers: 2, Density: 2},
		`unknown reading "up"`:  {Kind: KindOverlap, Layers: 2, Reading: "up"},
		"paths of 4 to 3 hops":  {Kind: KindOverlap, Layers: 2, MinHops: 4, MaxHops: 3},
		"up to 17 hops":         {Kind: KindOverlap, Layers: 2, MinHops: 17},
		"-1 paths per layer":    {Kind: KindOverlap, Layers: 2, Paths: -1},
		"99 paths from":         {Kind: KindSpain, SpainPaths: 99},
		`unknown trees "birch"`: {Kind: KindPast, Trees: "birch"},
	} {
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, s := range []Scheme{{Kind: KindSpain}, {Kind: KindPast}, {Kind: KindOverlap, Layers: 1}, {Kind: KindOverlap, Layers: 1, MaxHops: 16}} {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

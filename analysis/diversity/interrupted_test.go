package diversity_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"weft/analysis"
	"weft/analysis/collisions"
	"weft/analysis/diversity"
	"weft/analysis/routers"
)

// TestInterruptsKeepWholeFabrics ends the context in the second of three fabrics, of
// which the second has two graphs: only the first is in the result, and all of it.
func TestInterruptsKeepWholeFabrics(t *testing.T) {
	whole := graphOf(t, "clique", map[string]string{"size": "1k"}, 1)
	for name, run := range map[string]func(context.Context, []diversity.Fabric) (*analysis.Result, error){
		"disjoint": func(ctx context.Context, list []diversity.Fabric) (*analysis.Result, error) {
			return diversity.Disjoint(ctx, list, diversity.Options{Lengths: []int{2}, Samples: 20, Method: diversity.Greedy})
		},
		"minimal": func(ctx context.Context, list []diversity.Fabric) (*analysis.Result, error) {
			return diversity.Minimal(ctx, list, diversity.MinimalOptions{Samples: 20})
		},
		"connectivity": func(ctx context.Context, list []diversity.Fabric) (*analysis.Result, error) {
			return diversity.Connectivity(ctx, list, diversity.ConnectivityOptions{})
		},
		"collisions": func(ctx context.Context, list []diversity.Fabric) (*analysis.Result, error) {
			return diversity.Collisions(ctx, list, diversity.CollisionOptions{Patterns: collisions.Patterns(), Trials: 1})
		},
		"load": func(ctx context.Context, list []diversity.Fabric) (*analysis.Result, error) {
			return diversity.Load(ctx, list, diversity.LoadOptions{Lengths: []int{2}, Trials: 1})
		},
	} {
		var ctx context.Context
		var cancel context.CancelFunc
		fabric := func(name string, instances int, ends bool) diversity.Fabric {
			return diversity.Fabric{Name: name, Instances: instances, Graph: func(i int) (*routers.Graph, error) {
				if ends && i == instances-1 {
					cancel()
				}
				return whole, nil
			}}
		}
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		alone, err := run(ctx, []diversity.Fabric{fabric("first", 1, false)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		instances := 1
		if name == "disjoint" {
			instances = 2
		}
		r, err := run(ctx, []diversity.Fabric{fabric("first", 1, false), fabric("second", instances, true), fabric("third", 1, false)})
		var cut *analysis.Interrupted
		if !errors.As(err, &cut) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if cut.Done != 1 || cut.All != 3 || !slices.Equal(cut.Missing, []string{"second", "third"}) || !strings.Contains(err.Error(), "missing: second, third") {
			t.Errorf("%s: %+v: %v", name, cut, err)
		}
		if !slices.EqualFunc(r.Rows, alone.Rows, func(a, b analysis.Row) bool { return a.Name == b.Name && slices.Equal(a.Numbers, b.Numbers) }) {
			t.Errorf("%s: %+v, of the first alone %+v", name, r.Rows, alone.Rows)
		}
	}
}

// Package layering compares schemes that provide several paths between routers: what they cost,
// and the numbers and lengths of their paths.
package layering

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"weft/analysis"
	"weft/route/layers"
	"weft/topo"
)

// Fabric is a network to examine.
type Fabric struct {
	Name  string
	Graph func(context.Context) (*topo.Graph, error)
}

// Options configures Compare.
type Options struct {
	// Kinds lists the kinds to compare. Each is built with the options in Scheme.
	Kinds  []layers.Kind
	Scheme layers.Scheme
	// Samples is the number of pairs of routers drawn; 0 means all pairs.
	Samples int
	// Threads is the number of threads; 0 means one per processor. It does not affect results.
	Threads  int
	Progress func(share float64)
}

// Check reports options that are invalid for any network.
func (o Options) Check() error {
	var errs []error
	for _, kind := range o.Kinds {
		scheme := o.Scheme
		scheme.Kind = kind
		errs = append(errs, scheme.Check())
	}
	if o.Samples < 0 {
		errs = append(errs, fmt.Errorf("%d samples; use 0 for all pairs, or a positive number", o.Samples))
	}
	return errors.Join(errs...)
}

// Compare builds each kind of scheme on each fabric and counts paths. It fails if options are
// invalid or a network is not connected. If ctx ends, the error is an *analysis.Interrupted, and
// the result has what was finished.
func Compare(ctx context.Context, fabrics []Fabric, o Options) (*analysis.Result, error) {
	if len(fabrics) == 0 || len(o.Kinds) == 0 {
		return nil, errors.New("there is nothing to compare; name a fabric and a scheme")
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	c := &comparison{options: o, tasks: len(fabrics) * len(o.Kinds)}
	r := &analysis.Result{
		Model: "layers", Source: "FatPaths §V, Appendix C",
		Params: map[string]string{
			"layers":  strconv.Itoa(o.Scheme.Layers),
			"samples": strconv.Itoa(o.Samples),
			"seed":    strconv.FormatUint(o.Scheme.Seed, 10),
		},
	}
	for _, f := range fabrics {
		g, err := f.Graph(ctx)
		if err != nil && ctx.Err() != nil {
			return r, c.stopped(fabrics, ctx.Err())
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		routers, err := layers.NewRouters(g, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		for _, kind := range o.Kinds {
			row, notes, err := c.row(ctx, f.Name, len(fabrics) > 1, routers, kind)
			if err != nil && ctx.Err() != nil {
				return r, c.stopped(fabrics, ctx.Err())
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			r.Rows = append(r.Rows, row)
			r.Notes = append(r.Notes, notes...)
		}
	}
	return r, nil
}

type comparison struct {
	options     Options
	done, tasks int
}

// stopped returns the error that names what is missing after the finished tasks.
func (c *comparison) stopped(fabrics []Fabric, cause error) error {
	e := &analysis.Interrupted{Of: "schemes of fabrics", Done: c.done, All: c.tasks, Cause: cause}
	for i := c.done; i < c.tasks; i++ {
		e.Missing = append(e.Missing, fabrics[i/len(c.options.Kinds)].Name+" "+string(c.options.Kinds[i%len(c.options.Kinds)]))
	}
	return e
}

// work reports progress of a part of the current task, which begins at before and has the given
// share of the task.
func (c *comparison) work(before, share float64) layers.Work {
	w := layers.Work{Workers: c.options.Threads}
	if c.options.Progress != nil {
		w.Progress = func(s float64) {
			c.options.Progress((float64(c.done) + before + share*s) / float64(c.tasks))
		}
	}
	return w
}

func (c *comparison) row(ctx context.Context, fabric string, several bool, r *layers.Routers, kind layers.Kind) (analysis.Row, []string, error) {
	scheme := c.options.Scheme
	scheme.Kind = kind
	row := analysis.Row{Name: string(kind), Of: "scheme"}
	if several {
		row.Name, row.Of = fabric+" "+string(kind), "fabric, scheme"
	}
	routes, err := scheme.Build(ctx, r, c.work(0, 0.8))
	if err != nil {
		return row, nil, err
	}
	d, err := layers.Measure(ctx, r, routes.Source, layers.Pairs{Samples: c.options.Samples, Seed: scheme.Seed}, c.work(0.8, 0.2))
	if err != nil {
		return row, nil, err
	}
	c.done++
	row.Numbers = numbers(r, routes, d)
	return row, notes(fabric, r, routes, d), nil
}

func numbers(r *layers.Routers, routes *layers.Routes, d *layers.Diversity) []analysis.Number {
	pairs := float64(len(r.Edges())) * float64(len(r.Edges())-1) * float64(routes.Layers)
	list := []analysis.Number{
		analysis.Exact("layers", float64(routes.Layers), "", "layers, trees, or paths requested"),
		analysis.Exact("links", 100*routes.Links/float64(r.Links()), "%", "mean share of all links in a sparse layer or tree"),
		analysis.Exact("no route", 100*float64(routes.Unreachable)/pairs, "%", "pairs of routers with hosts that a layer does not connect"),
		analysis.Exact("paths", layers.Mean(d.Paths), "", "mean number of different paths of a pair"),
		analysis.Exact("hops", layers.Mean(d.Hops), "", "mean length of these, in links between routers"),
		analysis.Exact("disjoint", layers.Mean(d.Disjoint), "", "mean number of these that share no link, chosen greedily"),
		analysis.Exact("disjoint ≥ 3", 100*layers.AtLeast(d.Disjoint, 3), "%", "pairs with three or more, FatPaths' target"),
		analysis.Exact("disjoint hops", layers.Mean(d.DisjointHops), "", "mean length of these"),
	}
	return list
}

// notes says which pairs have no route, and what to do about it.
func notes(fabric string, r *layers.Routers, routes *layers.Routes, d *layers.Diversity) []string {
	var out []string
	s := routes.Scheme
	if s.Kind == layers.KindOverlap {
		rule := layers.Overlap{Layers: s.Layers, MinHops: s.MinHops, MaxHops: s.MaxHops, Paths: s.Paths}.Rule(r)
		out = append(out, fmt.Sprintf("%s, overlap: up to %d paths of %d to %d hops per layer", fabric, rule.Paths, rule.MinHops, rule.MaxHops))
	}
	if note := Unreached(routes); note != "" {
		out = append(out, fmt.Sprintf("%s, %s: %s", fabric, s.Kind, note))
	}
	if d.Unreachable > 0 {
		out = append(out, fmt.Sprintf("%s, %s: %d of %d pairs have no path at all", fabric, s.Kind, d.Unreachable, d.Pairs))
	}
	return out
}

// Unreached says how many pairs of routers with hosts have no route in a layer, and how to reduce
// that. It is empty if there are none.
func Unreached(routes *layers.Routes) string {
	if routes.Unreachable == 0 {
		return ""
	}
	s := routes.Scheme
	remedy := "more --density, or another --seed, leaves fewer"
	switch {
	case s.Kind == layers.KindSpain:
		remedy = "this is normal for SPAIN's trees"
	case s.Reading == layers.AsPrinted:
		// Neither density nor paths help: an acyclic layer has a route in at most one of the two
		// directions between routers.
		remedy = "layers as printed leave at least half of all pairs without one; --reading undirected leaves fewer"
	case s.Kind == layers.KindOverlap:
		remedy = "more --paths, or another --seed, leave fewer"
	}
	edges := int64(len(routes.Routers.Edges()))
	return fmt.Sprintf("%d pairs in all have no route in one of %d layers (at most %d of %d in one layer); they fall back to layer 0; %s",
		routes.Unreachable, routes.Layers, routes.Worst, edges*(edges-1), remedy)
}

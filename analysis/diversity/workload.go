package diversity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/analysis"
	"weft/analysis/collisions"
	"weft/analysis/routers"
)

// CollisionOptions configures Collisions.
type CollisionOptions struct {
	Patterns []collisions.Pattern
	// Offset is c of the off-diagonal; 0 means 1.
	Offset int
	// Linear leaves endpoints in place instead of mapping them at random.
	Linear bool
	// Trials is the number of random mappings to count.
	Trials int
	Seed   uint64
	// Progress, if not nil, is called with the share that is done.
	Progress func(share float64)
}

// Check rejects invalid options.
func (o CollisionOptions) Check() error {
	if len(o.Patterns) == 0 {
		return fmt.Errorf("no pattern is given; name one or several of %v", collisions.Patterns())
	}
	if o.Trials < 1 || o.Trials > 1e6 {
		return fmt.Errorf("%d trials; use 1 to 1000000", o.Trials)
	}
	if o.Offset < 0 {
		return errors.New("the offset is negative; an off-diagonal the other way has the same collisions")
	}
	return nil
}

// manyCollisions is the number that FatPaths §IV-A calls many at D = 1.
const manyCollisions = 9

// Collisions counts flows between the same two routers, for several patterns on each fabric, as
// in FatPaths' Figure 4. It does not consider links.
func Collisions(ctx context.Context, fabrics []Fabric, o CollisionOptions) (*analysis.Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	var patterns []string
	for _, pattern := range o.Patterns {
		patterns = append(patterns, string(pattern))
	}
	r := &analysis.Result{
		Model: "collisions", Source: "FatPaths §IV-A, Figure 4",
		Params: map[string]string{
			"fabrics": names(fabrics), "patterns": strings.Join(patterns, ","), "offset": strconv.Itoa(max(1, o.Offset)),
			"linear": strconv.FormatBool(o.Linear), "trials": strconv.Itoa(o.Trials), "seed": strconv.FormatUint(o.Seed, 10),
		},
	}
	var rows []analysis.Row
	err := each(ctx, firstOf(fabrics), o.Progress, func(f *Fabric, _ int, g *routers.Graph, progress func(float64)) error {
		var own []analysis.Row
		plot := analysis.Plot{Title: f.Name, X: "Colliding paths of a pair of routers", Y: "Share of pairs", LogY: true}
		for i, pattern := range o.Patterns {
			if err := ctx.Err(); err != nil {
				return err
			}
			h, err := collisions.Count(collisions.Options{
				Hosts: g.Hosts, Pattern: pattern, Offset: o.Offset, Linear: o.Linear, Trials: o.Trials, Seed: o.Seed,
			})
			if err != nil {
				return err
			}
			own = append(own, analysis.Row{Name: fmt.Sprintf("%s, %s", f.Name, pattern), Of: "fabric and pattern", Numbers: collisionNumbers(h)})
			plot.Lines = append(plot.Lines, collisionLine(string(pattern), h))
			progress(float64(i+1) / float64(len(o.Patterns)))
		}
		r.Rows = append(r.Rows, analysis.Row{Name: f.Name, Of: "fabric", Numbers: shape(g)})
		rows = append(rows, own...)
		r.Plots = append(r.Plots, plot)
		return nil
	})
	if err != nil && !analysis.Stopped(err) {
		return nil, err
	}
	r.Rows = slices.Concat(r.Rows, rows)
	return r, err
}

func collisionNumbers(h *collisions.Histogram) []analysis.Number {
	share := func(count int) float64 { return 100 * h.AtLeast(count) }
	mean := 0.0
	if used := h.AtLeast(1); used > 0 {
		pairs := int64(0)
		for _, n := range h.Pairs {
			pairs += n
		}
		mean = float64(h.Flows) / (used * float64(pairs))
	}
	return []analysis.Number{
		analysis.Exact("used", share(1), "%", "ordered pairs of routers with hosts that carry flows"),
		analysis.Exact("2+", share(2), "%", "pairs with two colliding paths or more"),
		analysis.Exact("4+", share(Wanted+1), "%", fmt.Sprintf("pairs with more than the %d for which disjoint paths are wanted", Wanted)),
		analysis.Exact("9+", share(manyCollisions), "%", fmt.Sprintf("pairs with %d or more", manyCollisions)),
		analysis.Exact("9+ Poisson", 100*h.Independent(manyCollisions), "%", "the same if each flow chose its pair of routers independently (Poisson with the same mean)"),
		analysis.Exact("mean", mean, "", "mean flows of a pair that has any"),
		analysis.Exact("most", float64(len(h.Pairs)-1), "", "most flows of a pair"),
		analysis.Exact("local", 100*float64(h.Local)/float64(max(1, h.Local+h.Flows)), "%", "flows that stay on their router"),
	}
}

func collisionLine(name string, h *collisions.Histogram) analysis.Line {
	l := analysis.Line{Name: name}
	pairs := int64(0)
	for _, n := range h.Pairs {
		pairs += n
	}
	for c, n := range h.Pairs {
		if n > 0 {
			l.X, l.Y = append(l.X, float64(c)), append(l.Y, float64(n)/float64(pairs))
		}
	}
	return l
}

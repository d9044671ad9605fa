package diversity

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"weft/analysis"
	"weft/analysis/disjoint"
	"weft/analysis/internal/pool"
	"weft/analysis/paths"
	"weft/analysis/routers"
	"weft/internal/portable"
	"weft/sim"
)

// MinimalOptions configures Minimal.
type MinimalOptions struct {
	// Sources is the number of routers from which paths are counted; 0 means all.
	Sources int
	// Samples is the number of random pairs for which disjoint minimal paths are counted.
	Samples int
	Seed    uint64
	// Threads is the number of searches run in parallel; 0 means one per processor. It does not
	// affect results.
	Threads int
	// Progress, if not nil, is called with the share that is done.
	Progress func(share float64)
}

// Check rejects invalid options.
func (o MinimalOptions) Check() error {
	if o.Sources < 0 {
		return fmt.Errorf("%d sources; use 1 or more, or 0 for all", o.Sources)
	}
	if o.Samples < 1 || o.Samples > 1e9 {
		return fmt.Errorf("%d samples; use 1 to 1000000000", o.Samples)
	}
	return nil
}

// shownCounts is the largest number of minimal paths that has a result of its own.
const shownCounts = 4

// Minimal surveys minimal paths as in FatPaths' Figure 6: their lengths, how many there are (the
// choices of ECMP), and how many of them share no cable (c_min). For a random family it uses the
// first graph.
func Minimal(ctx context.Context, fabrics []Fabric, o MinimalOptions) (*analysis.Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	r := &analysis.Result{
		Model: "paths", Source: "FatPaths §IV-B1, §IV-B3, §IV-C1, Figure 6",
		Params: map[string]string{
			"fabrics": names(fabrics), "sources": strconv.Itoa(o.Sources), "samples": strconv.Itoa(o.Samples), "seed": strconv.FormatUint(o.Seed, 10),
		},
		Plots: []analysis.Plot{
			{Title: "Lengths", X: "Length of minimal paths (hops)", Y: "Share of pairs"},
			{Title: "Counts", X: "Minimal paths of a pair", Y: "Share of pairs", LogX: true},
			{Title: "Disjoint", X: "Minimal paths without a common link", Y: "Share of pairs"},
		},
	}
	var byLength, byCount, byDisjoint []analysis.Row
	err := each(ctx, firstOf(fabrics), o.Progress, func(f *Fabric, _ int, g *routers.Graph, progress func(float64)) error {
		s, err := paths.Count(ctx, g, paths.Options{
			Sources: o.Sources, Seed: o.Seed, Threads: o.Threads, Progress: func(share float64) { progress(share / 2) },
		})
		if err != nil {
			return err
		}
		least, err := minimalDisjoint(ctx, g, o, func(share float64) { progress(0.5 + share/2) })
		if err != nil {
			return err
		}
		if s.Unreachable > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %d of %d pairs have no path; they count only in the share of all pairs.", f.Name, s.Unreachable, s.Pairs))
		}
		r.Rows = append(r.Rows, analysis.Row{Name: f.Name, Of: "fabric", Numbers: slices.Concat(shape(g), lengths(s))})
		byLength = append(byLength, analysis.Row{Name: f.Name, Of: "lengths", Numbers: lengthShares(s)})
		byCount = append(byCount, analysis.Row{Name: f.Name, Of: "counts", Numbers: countShares(s)})
		byDisjoint = append(byDisjoint, analysis.Row{Name: f.Name, Of: "disjoint", Numbers: disjointShares(least)})
		r.Plots[0].Lines = append(r.Plots[0].Lines, lengthLine(f.Name, s))
		r.Plots[1].Lines = append(r.Plots[1].Lines, countLine(f.Name, s))
		r.Plots[2].Lines = append(r.Plots[2].Lines, disjointLine(f.Name, least))
		return nil
	})
	if err != nil && !analysis.Stopped(err) {
		return nil, err
	}
	level(byLength)
	r.Rows = slices.Concat(r.Rows, byLength, byCount, byDisjoint)
	return r, err
}

// firstOf returns the fabrics with one graph each.
func firstOf(fabrics []Fabric) []Fabric {
	out := slices.Clone(fabrics)
	for i := range out {
		out[i].Instances = 1
	}
	return out
}

// level extends all rows to the numbers of the longest one, filling in 0.
func level(rows []analysis.Row) {
	var longest []analysis.Number
	for _, r := range rows {
		if len(r.Numbers) > len(longest) {
			longest = r.Numbers
		}
	}
	for i := range rows {
		for _, n := range longest[len(rows[i].Numbers):] {
			rows[i].Numbers = append(rows[i].Numbers, analysis.Exact(n.Name, 0, n.Unit, n.About))
		}
	}
}

// minimalDisjoint counts the disjoint minimal paths of random pairs: c_l({s},{t}) at l =
// l_min(s,t). Minimal paths form an acyclic graph, whose maximum flow is exact.
func minimalDisjoint(ctx context.Context, g *routers.Graph, o MinimalOptions, progress func(float64)) (*Histogram, error) {
	edge := g.EdgeRouters()
	type worker struct {
		counter *disjoint.Counter
		counts  Histogram
	}
	workers, err := pool.Each(ctx, o.Samples, pool.Options{Threads: o.Threads, Progress: progress},
		func() *worker { return &worker{counter: disjoint.NewCounter(g)} },
		func(w *worker, i int) {
			r := sim.Stream(o.Seed, uint64(i), "pair of routers")
			a := portable.Below(&r, uint64(len(edge)))
			b := portable.Below(&r, uint64(len(edge)-1))
			if b >= a {
				b++
			}
			w.counts.Add(w.counter.Minimal(edge[a], edge[b]), 1)
		})
	if err != nil {
		return nil, err
	}
	all := new(Histogram)
	for _, w := range workers {
		all.Merge(&w.counts)
	}
	return all, nil
}

func lengthShares(s *paths.Survey) []analysis.Number {
	var out []analysis.Number
	for hops, share := range s.Lengths() {
		if hops > 0 {
			name := fmt.Sprintf("%d hops", hops)
			if hops == 1 {
				name = "1 hop"
			}
			out = append(out, analysis.Exact(name, 100*share, "%", "pairs at this distance"))
		}
	}
	return out
}

func countShares(s *paths.Survey) []analysis.Number {
	var shares [shownCounts + 1]float64
	most := uint64(0)
	for _, c := range s.Counts() {
		shares[min(c.Paths, shownCounts+1)-1] += c.Share
		most = c.Paths
	}
	var out []analysis.Number
	for i, share := range shares {
		name, about := fmt.Sprintf("%d", i+1), "pairs with this number of minimal paths"
		if i == shownCounts {
			name = "more"
			about = "pairs with more minimal paths"
		}
		out = append(out, analysis.Exact(name, 100*share, "%", about))
	}
	return append(out, analysis.Exact("most", float64(most), "", "most minimal paths of a pair"))
}

func disjointShares(h *Histogram) []analysis.Number {
	var out []analysis.Number
	all := float64(h.Total())
	above := h.Total()
	for paths := range Wanted {
		n := h.At(paths)
		above -= n
		if paths > 0 {
			out = append(out, analysis.Exact(fmt.Sprint(paths), 100*float64(n)/all, "%", "pairs with this number of minimal paths that share no link (sampled)"))
		}
	}
	mean, half := h.Mean()
	return append(out,
		analysis.Exact(fmt.Sprintf("%d or more", Wanted), 100*float64(above)/all, "%", "pairs with as many as colliding flows need"),
		analysis.Number{Name: "mean", Value: mean, Low: mean - half, High: mean + half, About: "mean number of disjoint minimal paths (c_min)"})
}

func lengthLine(name string, s *paths.Survey) analysis.Line {
	l := analysis.Line{Name: name}
	for hops, share := range s.Lengths() {
		if hops > 0 {
			l.X, l.Y = append(l.X, float64(hops)), append(l.Y, share)
		}
	}
	return l
}

func countLine(name string, s *paths.Survey) analysis.Line {
	l := analysis.Line{Name: name}
	for _, c := range s.Counts() {
		l.X, l.Y = append(l.X, float64(c.Paths)), append(l.Y, c.Share)
	}
	return l
}

func disjointLine(name string, h *Histogram) analysis.Line {
	l := line(h, 0, 1)
	l.Name = name
	return l
}

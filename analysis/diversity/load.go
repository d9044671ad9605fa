package diversity

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"weft/analysis"
	"weft/analysis/connectivity"
	"weft/analysis/disjoint"
	"weft/analysis/internal/pool"
	"weft/analysis/paths"
	"weft/analysis/routers"
	"weft/internal/portable"
	"weft/sim"
)

// LoadOptions configures Load.
type LoadOptions struct {
	// Lengths lists the largest path lengths, in hops, for which to count.
	Lengths []int
	// Trials is how many random sets are drawn for each number of pairs.
	Trials int
	Seed   uint64
	// Threads is the number of sets counted in parallel; 0 means one per processor. It does not
	// affect results.
	Threads int
	// Progress, if not nil, is called with the share that is done.
	Progress func(share float64)
}

// Check rejects invalid options.
func (o LoadOptions) Check() error {
	if err := disjoint.CheckLengths(o.Lengths...); err != nil {
		return err
	}
	if o.Trials < 1 || o.Trials > 1e6 {
		return fmt.Errorf("%d trials; use 1 to 1000000", o.Trials)
	}
	return nil
}

// Load counts the disjoint paths from x random routers to x others, for x from 1 to half of the
// routers with hosts. FatPaths' Figure 18 relates measures in this way: x = 1 gives a pair's
// disjoint paths and edge connectivity, the largest x gives the cut of a random bisection, and
// total network load bounds what minimal paths can do. For a random family it uses the first
// graph.
func Load(ctx context.Context, fabrics []Fabric, o LoadOptions) (*analysis.Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	r := &analysis.Result{
		Model: "load", Source: "FatPaths §IV-B3, §VIII-B, Figure 18",
		Params: map[string]string{
			"fabrics": names(fabrics), "lengths": numbers(o.Lengths), "trials": strconv.Itoa(o.Trials), "seed": strconv.FormatUint(o.Seed, 10),
		},
	}
	err := each(ctx, firstOf(fabrics), o.Progress, func(f *Fabric, _ int, g *routers.Graph, progress func(float64)) error {
		edge := g.EdgeRouters()
		if len(edge) < 2 {
			return fmt.Errorf("only one router has hosts; paths lead from one to another")
		}
		s, err := paths.Count(ctx, g, paths.Options{Sources: surveyed, Seed: o.Seed, Threads: o.Threads})
		if err != nil {
			return err
		}
		l := &loads{o: o, g: g, edge: edge}
		for x := 1; x < len(edge)/2; x *= 2 {
			l.x = append(l.x, x)
		}
		l.x = append(l.x, len(edge)/2)
		if err := l.count(ctx, progress); err != nil {
			return err
		}
		r.Rows = append(r.Rows, l.rows(f.Name)...)
		r.Plots = append(r.Plots, l.plot(f.Name, s.Load))
		return nil
	})
	if err != nil && !analysis.Stopped(err) {
		return nil, err
	}
	return r, err
}

// loads holds the sums of counts for a graph, by index of x and of length. The last length stands
// for any.
type loads struct {
	o    LoadOptions
	g    *routers.Graph
	edge []int32
	x    []int
	sums [][]int64
}

type loadWorker struct {
	counter *disjoint.Counter
	any     *connectivity.Sets
	sample  []int32
	found   []int
	sums    [][]int64
}

func (l *loads) count(ctx context.Context, progress func(float64)) error {
	sums := func() [][]int64 {
		out := make([][]int64, len(l.x))
		for i := range out {
			out[i] = make([]int64, len(l.o.Lengths)+1)
		}
		return out
	}
	workers, err := pool.Each(ctx, len(l.x)*l.o.Trials, pool.Options{Threads: l.o.Threads, Progress: progress},
		func() *loadWorker {
			return &loadWorker{
				counter: disjoint.NewCounter(l.g), any: connectivity.NewSets(l.g),
				found: make([]int, slices.Max(l.o.Lengths)+1), sums: sums(),
			}
		},
		func(w *loadWorker, i int) {
			at := i / l.o.Trials
			x := l.x[at]
			r := sim.Stream(l.o.Seed, uint64(i), "sets of routers")
			w.sample = append(w.sample[:0], l.edge...)
			portable.Sample(&r, w.sample, 2*x)
			from, to := w.sample[:x], w.sample[x:2*x]
			w.counter.Greedy(from, to, w.found)
			for j, length := range l.o.Lengths {
				w.sums[at][j] += int64(w.found[length])
			}
			w.sums[at][len(l.o.Lengths)] += int64(w.any.Between(from, to))
		})
	if err != nil {
		return err
	}
	l.sums = sums()
	for _, w := range workers {
		for i := range w.sums {
			for j, n := range w.sums[i] {
				l.sums[i][j] += n
			}
		}
	}
	return nil
}

func (l *loads) mean(x, length int) float64 { return float64(l.sums[x][length]) / float64(l.o.Trials) }

func (l *loads) rows(name string) []analysis.Row {
	var out []analysis.Row
	for i, x := range l.x {
		row := analysis.Row{Name: fmt.Sprintf("%s, x = %d", name, x), Of: "fabric and pairs"}
		for j, length := range l.o.Lengths {
			row.Numbers = append(row.Numbers, analysis.Exact(fmt.Sprintf("l = %d", length), l.mean(i, j), "", "mean number of disjoint paths up to that many hops from x random routers to x others (greedy)"))
		}
		row.Numbers = append(row.Numbers, analysis.Exact("any", l.mean(i, len(l.o.Lengths)), "", "for any length: the smallest cut between them"))
		out = append(out, row)
	}
	return out
}

func (l *loads) plot(name string, bound float64) analysis.Plot {
	plot := analysis.Plot{Title: name, X: "Communicating pairs of routers", Y: "Disjoint paths", LogX: true, LogY: true, Marks: []analysis.Level{{Name: "total network load", Y: bound}}}
	for j := range len(l.o.Lengths) + 1 {
		line := analysis.Line{Name: "any length"}
		if j < len(l.o.Lengths) {
			line.Name = fmt.Sprintf("l = %d", l.o.Lengths[j])
		}
		for i, x := range l.x {
			line.X, line.Y = append(line.X, float64(x)), append(line.Y, l.mean(i, j))
		}
		plot.Lines = append(plot.Lines, line)
	}
	return plot
}

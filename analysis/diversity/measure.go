// Package diversity compares fabrics by the paths that they offer: the lengths and numbers of
// minimal paths, the number of slightly longer paths that share no cable, the interference
// between the paths of two pairs, the connectivity of all pairs, and the number of colliding
// flows in a workload. Results are tables and plots as in package analysis.
package diversity

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/analysis/disjoint"
	"weft/analysis/internal/pool"
	"weft/analysis/routers"
	"weft/internal/portable"
	"weft/sim"
)

// Method selects which number of disjoint paths is counted.
type Method string

// Methods of counting.
const (
	// Greedy is the loop of FatPaths; see disjoint.Counter.Greedy.
	Greedy Method = "greedy"
	// Flow is the maximum flow of disjoint.Counter.Bound: exact up to three hops, and an upper
	// bound beyond.
	Flow Method = "flow"
)

// Options configures Measure.
type Options struct {
	// Lengths lists the largest path lengths, in hops, for which to count.
	Lengths []int
	// Samples is the number of pairs drawn, and of pairs of pairs.
	Samples int
	// Share divides the samples among the graphs of a random family, instead of using that many
	// for each.
	Share  bool
	Seed   uint64
	Method Method
	// Shuffle makes searches visit neighbours in random order instead of numerical order. It
	// shows how much Greedy depends on which of equal paths it takes.
	Shuffle bool
	// Worded requests Measured.Worded, which takes half as long again.
	Worded bool
	// Threads is the number of samples counted in parallel; 0 means one per processor. It does
	// not affect results.
	Threads int
	// Progress, if not nil, is called with the share that is done.
	Progress func(share float64)
}

// Check rejects invalid options.
func (o Options) Check() error {
	if err := disjoint.CheckLengths(o.Lengths...); err != nil {
		return err
	}
	if o.Samples < 1 || o.Samples > 1e9 {
		return fmt.Errorf("%d samples; use 1 to 1000000000", o.Samples)
	}
	if o.Method != Greedy && o.Method != Flow {
		return fmt.Errorf("there is no method %q; use %s or %s", o.Method, Greedy, Flow)
	}
	return nil
}

// Measured is the result of sampling one graph, for each length in Options.Lengths.
type Measured struct {
	// Paths has c_l({s},{t}) for random pairs of different edge routers.
	Paths []Histogram
	// Interference has I^l for four random different edge routers by the printed formula. Worded
	// has it by the text's words, if Options.Worded requests it. They are empty if the graph has
	// fewer than four edge routers.
	Interference, Worded []Histogram
	// Proved is the number of samples of Paths where the greedy count equals the flow. Then both
	// equal the number in the definition. It is set for Flow only.
	Proved []int64
}

// Measure counts disjoint paths and interference for random routers. Sample i depends only on the
// seed and i.
//
// Source: FatPaths §IV-B1, §IV-B2; samples "u.a.r." §IV-C3.
func Measure(ctx context.Context, g *routers.Graph, o Options) (*Measured, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	edge := g.EdgeRouters()
	if len(edge) < 2 {
		return nil, errors.New("only one router has hosts; paths lead from one to another")
	}
	if a, b, apart := g.Apart(); apart {
		return nil, fmt.Errorf("there is no path from %s to %s; join the parts of the network, or analyze one of them", g.Name(a), g.Name(b))
	}
	if o.Shuffle {
		g = g.Shuffled(o.Seed)
	}
	workers, err := pool.Each(ctx, o.Samples, pool.Options{Threads: o.Threads, Progress: o.Progress},
		func() *sampler { return newSampler(g, edge, o) },
		func(s *sampler, i int) { s.sample(uint64(i)) })
	if err != nil {
		return nil, err
	}
	m := newMeasured(len(o.Lengths))
	for _, w := range workers {
		for i := range o.Lengths {
			m.Paths[i].Merge(&w.m.Paths[i])
			m.Interference[i].Merge(&w.m.Interference[i])
			m.Worded[i].Merge(&w.m.Worded[i])
			m.Proved[i] += w.m.Proved[i]
		}
	}
	return m, nil
}

func newMeasured(lengths int) *Measured {
	return &Measured{
		Paths: make([]Histogram, lengths), Interference: make([]Histogram, lengths),
		Worded: make([]Histogram, lengths), Proved: make([]int64, lengths),
	}
}

// sampler counts samples for one thread.
type sampler struct {
	o       Options
	edge    []int32
	counter *disjoint.Counter
	m       *Measured

	found, greedy, printed, worded []int
}

func newSampler(g *routers.Graph, edge []int32, o Options) *sampler {
	n := slices.Max(o.Lengths) + 1
	s := &sampler{
		o: o, edge: edge, counter: disjoint.NewCounter(g), m: newMeasured(len(o.Lengths)),
		found: make([]int, n), greedy: make([]int, n), printed: make([]int, n),
	}
	if o.Worded {
		s.worded = make([]int, n)
	}
	return s
}

// count counts by the selected method, at the requested lengths.
func (s *sampler) count(a, b []int32, found []int) {
	if s.o.Method == Greedy {
		s.counter.Greedy(a, b, found)
		return
	}
	for _, l := range s.o.Lengths {
		found[l] = s.counter.Bound(a, b, l)
	}
}

func (s *sampler) sample(i uint64) {
	r := sim.Stream(s.o.Seed, i, "pair of routers")
	var drawn [4]int32
	s.draw(func(n uint64) uint64 { return portable.Below(&r, n) }, drawn[:2])
	s.count(drawn[:1], drawn[1:2], s.found)
	if s.o.Method == Flow {
		s.counter.Greedy(drawn[:1], drawn[1:2], s.greedy)
	}
	for j, l := range s.o.Lengths {
		s.m.Paths[j].Add(s.found[l], 1)
		if s.o.Method == Flow && s.greedy[l] == s.found[l] {
			s.m.Proved[j]++
		}
	}
	if len(s.edge) < len(drawn) {
		return
	}
	r = sim.Stream(s.o.Seed, i, "pair of pairs of routers")
	s.draw(func(n uint64) uint64 { return portable.Below(&r, n) }, drawn[:])
	disjoint.Interference(s.count, drawn[0], drawn[1], drawn[2], drawn[3], s.printed, s.worded)
	for j, l := range s.o.Lengths {
		s.m.Interference[j].Add(s.printed[l], 1)
		if s.o.Worded {
			s.m.Worded[j].Add(s.worded[l], 1)
		}
	}
}

// draw sets routers to different random edge routers, with equal probabilities.
func (s *sampler) draw(below func(n uint64) uint64, routers []int32) {
	for i := range routers {
		for {
			routers[i] = s.edge[below(uint64(len(s.edge)))]
			if !slices.Contains(routers[:i], routers[i]) {
				break
			}
		}
	}
}

// Package diversity compares fabrics by the paths that they offer: how long and how
// many the minimal ones are, how many slightly longer ones share no cable, how far
// those of two pairs interfere, how connected all pairs are, and how many flows of a
// workload collide. Results are tables and plots like those of package analysis.
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

// Method says which number of disjoint paths is counted.
type Method string

// Methods.
const (
	// Greedy is the loop of FatPaths: see disjoint.Counter.Greedy.
	Greedy Method = "greedy"
	// Flow is the maximum flow of disjoint.Counter.Bound: exact up to three hops, an
	// upper bound for more.
	Flow Method = "flow"
)

// Options of Measure.
type Options struct {
	// Lengths are those in hops that paths are counted up to.
	Lengths []int
	// Samples is how many pairs, and how many pairs of pairs, are drawn.
	Samples int
	// Share has the graphs of a random family share the samples, instead of each having
	// as many.
	Share  bool
	Seed   uint64
	Method Method
	// Shuffle has searches meet neighbours in a random order, instead of that of their
	// numbers: how much Greedy depends on which of equal paths it takes.
	Shuffle bool
	// Worded asks for Measured.Worded, which takes half as long again.
	Worded bool
	// Threads is how many samples are counted at a time, as many as the machine has if
	// it is 0. Results do not depend on it.
	Threads int
	// Progress, unless it is nil, is called with the share done.
	Progress func(share float64)
}

// Check refuses options that cannot be measured.
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

// Measured is what samples of one graph came to, at each length of Options.Lengths.
type Measured struct {
	// Paths has c_l({s},{t}) of random pairs of different edge routers.
	Paths []Histogram
	// Interference has I^l of four random different edge routers by the printed formula,
	// Worded by the text's words, if Options.Worded asks for it; they are empty if the
	// graph has fewer than four.
	Interference, Worded []Histogram
	// Proved is in how many samples of Paths the greedy count equals the flow, so that
	// both are the number that the definition asks for; Flow only.
	Proved []int64
}

// Measure counts disjoint paths and interference of routers drawn at random. Sample i
// depends on the seed and i only.
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

// count counts by the method, at the lengths asked for.
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

// draw sets routers to different edge routers, all as likely.
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

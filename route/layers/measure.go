package layers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"weft/problem"
	"weft/topo"
)

// Diversity describes how many paths pairs of routers have, how long they are, and how many
// of them are disjoint. All slices are histograms by their index.
type Diversity struct {
	// Pairs counts the ordered pairs of different edge routers that were measured.
	// Unreachable counts those without a path.
	Pairs, Unreachable int64
	// Paths counts pairs by their number of distinct paths. Disjoint counts pairs by how
	// many of these share no link in either direction, chosen greedily, the shortest first.
	// Another choice may give more.
	Paths, Disjoint []int64
	// Hops counts distinct paths by their links between routers. DisjointHops counts only
	// the chosen disjoint paths.
	Hops, DisjointHops []int64
}

// Pairs selects the ordered pairs of edge routers to measure.
type Pairs struct {
	// Samples is the number of pairs to draw, with repetition. 0 means all pairs.
	Samples int
	Seed    uint64
}

// Measure measures the paths of pairs. It calls newSource once per worker. It fails if ctx
// ends.
func Measure(ctx context.Context, r *Routers, newSource func() (Source, error), o Pairs, w Work) (*Diversity, error) {
	n := len(r.edges)
	if n < 2 {
		return nil, errors.New("only one router has hosts, so there is no pair of routers; use more")
	}
	if o.Samples < 0 {
		return nil, problem.New("%d samples", o.Samples).Mend("use 0 for all pairs, or a positive number")
	}
	tasks := o.Samples
	if tasks == 0 {
		tasks = n
	}
	var (
		mutex  sync.Mutex
		parts  []*Diversity
		failed error
	)
	err := w.each(ctx, &progress{report: w.Progress, of: tasks}, tasks, func() func(int) {
		mutex.Lock()
		defer mutex.Unlock()
		m := &measurer{result: &Diversity{}}
		parts = append(parts, m.result)
		var err error
		if m.source, err = newSource(); err != nil {
			failed = err
			return func(int) {}
		}
		var s stream
		return func(i int) {
			if o.Samples > 0 {
				s.start(o.Seed, uint64(i), "pairs")
				a, b := s.below(n), s.below(n-1)
				if b >= a {
					b++
				}
				m.pair(int(r.edges[a]), int(r.edges[b]))
				return
			}
			for _, from := range r.edges {
				if from != r.edges[i] {
					m.pair(int(from), int(r.edges[i]))
				}
			}
		}
	})
	if err = errors.Join(failed, err); err != nil {
		return nil, fmt.Errorf("paths of pairs: %w", err)
	}
	sum := &Diversity{}
	for _, d := range parts {
		sum.merge(d)
	}
	return sum, nil
}

type measurer struct {
	source Source
	result *Diversity
	order  [][]topo.PortID
	used   []topo.LinkID
}

func (m *measurer) pair(from, to int) {
	d := m.result
	paths := m.source.Paths(from, to)
	d.Pairs++
	if len(paths) == 0 {
		d.Unreachable++
	}
	m.order = append(m.order[:0], paths...)
	slices.SortStableFunc(m.order, func(a, b []topo.PortID) int { return cmp.Compare(len(a), len(b)) })
	m.used = m.used[:0]
	disjoint := 0
	for _, path := range m.order {
		countAt(&d.Hops, len(path), 1)
		if slices.ContainsFunc(path, func(p topo.PortID) bool { return slices.Contains(m.used, p.Link()) }) {
			continue
		}
		for _, p := range path {
			m.used = append(m.used, p.Link())
		}
		disjoint++
		countAt(&d.DisjointHops, len(path), 1)
	}
	countAt(&d.Paths, len(paths), 1)
	countAt(&d.Disjoint, disjoint, 1)
}

func countAt(histogram *[]int64, at int, n int64) {
	for len(*histogram) <= at {
		*histogram = append(*histogram, 0)
	}
	(*histogram)[at] += n
}

func (d *Diversity) merge(other *Diversity) {
	d.Pairs += other.Pairs
	d.Unreachable += other.Unreachable
	for _, h := range []struct{ to, from *[]int64 }{
		{&d.Paths, &other.Paths}, {&d.Disjoint, &other.Disjoint}, {&d.Hops, &other.Hops}, {&d.DisjointHops, &other.DisjointHops},
	} {
		for at, n := range *h.from {
			countAt(h.to, at, n)
		}
	}
}

// Mean returns the mean of a histogram by index, or NaN if it is empty.
func Mean(histogram []int64) float64 {
	n, sum := int64(0), int64(0)
	for at, count := range histogram {
		n += count
		sum += int64(at) * count
	}
	return float64(sum) / float64(n)
}

// AtLeast returns the share of a histogram at an index or above, or NaN if it is empty.
func AtLeast(histogram []int64, index int) float64 {
	n, above := int64(0), int64(0)
	for at, count := range histogram {
		n += count
		if at >= index {
			above += count
		}
	}
	return float64(above) / float64(n)
}

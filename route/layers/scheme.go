package layers

import (
	"context"
	"fmt"
	"strings"

	"weft/problem"
	"weft/topo"
	"weft/unit"
)

// Kind is the name of a scheme for several paths between routers.
type Kind string

// The kinds of scheme.
const (
	// KindMinimal has all links in every layer. Layers differ only by their choices among
	// minimal next hops. It is FatPaths with ρ = 1.
	KindMinimal Kind = "minimal"
	// KindSample is [Sample]; KindOverlap is [Overlap].
	KindSample  Kind = "sample"
	KindOverlap Kind = "overlap"
	// KindSpain is the layer with all links, and the trees of [Spain] with the most links,
	// or all of them.
	KindSpain Kind = "spain"
	// KindPast is [Past], with trees that all pairs may use, or with one tree per address.
	KindPast Kind = "past"
	// KindShortest is [Shortest].
	KindShortest Kind = "shortest"
)

// Kinds returns all kinds of scheme.
func Kinds() []Kind {
	return []Kind{KindOverlap, KindSample, KindMinimal, KindSpain, KindPast, KindShortest}
}

// Scheme is a kind with the options of all kinds. Options of other kinds are ignored.
type Scheme struct {
	Kind Kind
	// Layers is n: the number of tables or trees, or of shortest paths per pair. When it is
	// 0, SPAIN and PAST take their natural number: as many trees as SPAIN finds necessary,
	// and one per address.
	Layers int
	// Density is ρ of KindSample.
	Density unit.Ratio
	// Options of Overlap; 0 means its rule's value.
	MinHops, MaxHops, Paths int
	// SpainPaths is [Spain].K.
	SpainPaths int
	// Trees is [Past].Trees.
	Trees PastTrees
	// Reading is the reading of KindSample and KindOverlap.
	Reading Reading
	Seed    uint64
	// Memory limits the memory of tables and trees; 0 means no limit.
	Memory unit.Bytes
}

// Routes holds the result of a scheme on a network.
type Routes struct {
	Scheme  Scheme
	Routers *Routers
	// Layers is the number of tables, trees or shortest paths.
	Layers int
	// Links is the mean number of links in a sparse layer or tree. Unreachable is the
	// number of ordered pairs of edge routers without a route in a layer, summed over all
	// layers. Worst is the largest such number in one layer. All are 0 for explicit paths.
	Links       float64
	Unreachable int64
	Worst       int64

	source func() (Source, error)
}

// Source returns a Source of the paths of all pairs, for one goroutine. Several goroutines
// may call Source.
func (r *Routes) Source() (Source, error) { return r.source() }

// Routes returns a function that yields the paths between two nodes one after another. Each
// slice is valid during the call of yield. Only one goroutine may use the function.
func (r *Routes) Routes() (func(from, to topo.NodeID, yield func([]topo.PortID)), error) {
	source, err := r.source()
	if err != nil {
		return nil, err
	}
	return func(from, to topo.NodeID, yield func([]topo.PortID)) {
		for _, path := range source.Paths(r.Routers.Router(from), r.Routers.Router(to)) {
			yield(path)
		}
	}, nil
}

// Bytes estimates the memory of a scheme's tables or trees.
func (s Scheme) Bytes(r *Routers) unit.Bytes {
	pairs := unit.Bytes(len(r.edges)) * unit.Bytes(len(r.edges))
	switch {
	case s.Kind == KindShortest:
		return 0
	case s.Kind == KindSpain:
		return r.TableBytes(1) + 4*unit.Bytes(max(s.SpainPaths, 1))*pairs
	case s.Kind == KindPast && s.Layers == 0:
		return r.TreeBytes(len(r.graph.Hosts))
	case s.Kind == KindPast:
		return r.TreeBytes(s.Layers)
	case s.Kind == KindOverlap:
		return r.TableBytes(s.Layers) + pairs + pairs/8
	}
	return r.TableBytes(s.Layers)
}

// Check refuses options that make no sense on any network.
func (s Scheme) Check() error {
	if err := s.check(); err != nil {
		return fmt.Errorf("scheme %s: %w", s.Kind, err)
	}
	return nil
}

func (s Scheme) check() error {
	if s.Layers < 0 {
		return problem.New("%d layers", s.Layers).Mend("use 1 or more, or 0 for the natural number of SPAIN and PAST")
	}
	switch s.Kind {
	case KindMinimal:
		return checkLayers(s.Layers)
	case KindSample:
		return s.sample().check()
	case KindOverlap:
		return s.overlap().check()
	case KindSpain:
		return Spain{K: s.SpainPaths}.check()
	case KindPast:
		return Past{Trees: s.Trees}.check()
	case KindShortest:
		return Shortest{K: s.Layers}.check()
	}
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return problem.New("unknown kind").Mend("use one of %s", strings.Join(names, ", "))
}

func (s Scheme) sample() Sample {
	return Sample{Layers: s.Layers, Density: s.Density, Reading: s.Reading, Seed: s.Seed}
}

func (s Scheme) overlap() Overlap {
	return Overlap{Layers: s.Layers, MinHops: s.MinHops, MaxHops: s.MaxHops, Paths: s.Paths, Reading: s.Reading, Seed: s.Seed}
}

// Build builds the scheme's routes. It fails if the options are wrong, if the routes need
// more memory than allowed, or if ctx ends.
func (s Scheme) Build(ctx context.Context, r *Routers, w Work) (*Routes, error) {
	out, err := s.build(ctx, r, w)
	if err != nil {
		return nil, fmt.Errorf("scheme %s: %w", s.Kind, err)
	}
	return out, nil
}

func (s Scheme) build(ctx context.Context, r *Routers, w Work) (*Routes, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if needs := s.Bytes(r); s.Memory > 0 && needs > s.Memory {
		return nil, problem.New("it takes about %v for %d routers, but %v are allowed", needs, r.Len(), s.Memory).Mend("use fewer layers, or allow more")
	}
	out := &Routes{Scheme: s, Routers: r, Layers: s.Layers}
	switch s.Kind {
	case KindShortest:
		out.source = func() (Source, error) { return Shortest{K: s.Layers, Seed: s.Seed}.Source(r) }
		_, err := out.source()
		return out, err
	case KindSpain:
		return out, out.spain(ctx, w)
	case KindPast:
		return out, out.past(ctx, w)
	}
	first, second := w.halves()
	if s.Kind != KindOverlap {
		second = w
	}
	l, err := s.layers(ctx, r, first)
	if err != nil {
		return nil, err
	}
	t, err := l.Tables(ctx, s.Seed, second)
	if err != nil {
		return nil, err
	}
	out.tables(t)
	return out, nil
}

// halves divides the reported progress between two computations.
func (w Work) halves() (first, second Work) {
	first, second = w, w
	if w.Progress != nil {
		first.Progress = func(share float64) { w.Progress(share / 2) }
		second.Progress = func(share float64) { w.Progress(0.5 + share/2) }
	}
	return first, second
}

func (s Scheme) layers(ctx context.Context, r *Routers, w Work) (*Layers, error) {
	switch s.Kind {
	case KindSample:
		return s.sample().Build(r)
	case KindOverlap:
		return s.overlap().Build(ctx, r, w)
	}
	return Minimal(r, s.Layers)
}

func (r *Routes) tables(t *Tables) {
	sum := 0
	for layer := range t.Layers() {
		reach := t.Reach(layer)
		r.add(reach.Unreachable)
		if layer > 0 {
			sum += reach.Links
		}
	}
	r.Layers = t.Layers()
	r.Links = float64(r.Routers.Links())
	if r.Layers > 1 {
		r.Links = float64(sum) / float64(r.Layers-1)
	}
	r.source = func() (Source, error) { return Enumerate(t), nil }
}

func (r *Routes) add(unreachable int64) {
	r.Unreachable += unreachable
	r.Worst = max(r.Worst, unreachable)
}

func (r *Routes) trees(f *Forest) {
	sum := 0
	for layer := range f.Layers() {
		r.add(f.Unreachable(layer))
		sum += f.Links(layer)
	}
	r.Links = float64(sum) / float64(max(1, f.Layers()))
}

func (r *Routes) spain(ctx context.Context, w Work) error {
	full, err := Minimal(r.Routers, 1)
	if err != nil {
		return err
	}
	t, err := full.Tables(ctx, r.Scheme.Seed, Work{Workers: w.Workers})
	if err != nil {
		return err
	}
	f := &Forest{routers: r.Routers}
	if r.Layers != 1 {
		l, err := Spain{K: r.Scheme.SpainPaths, Seed: r.Scheme.Seed}.Build(ctx, r.Routers, w)
		if err != nil {
			return err
		}
		if f, err = l.Layers(max(0, r.Layers-1)); err != nil {
			return err
		}
	}
	r.Layers = 1 + f.Layers()
	r.trees(f)
	r.source = func() (Source, error) { return Enumerate(t, f), nil }
	return nil
}

func (r *Routes) past(ctx context.Context, w Work) error {
	o := Past{Trees: r.Scheme.Trees, Seed: r.Scheme.Seed}
	if r.Layers > 0 {
		f, err := o.Layers(ctx, r.Routers, r.Layers, w)
		if err != nil {
			return err
		}
		r.trees(f)
		r.source = func() (Source, error) { return Enumerate(f), nil }
		return nil
	}
	p, err := o.Addresses(ctx, r.Routers, w)
	if err != nil {
		return err
	}
	r.Layers = p.forest.layers
	r.trees(p.forest)
	r.source = func() (Source, error) { return p.Source(), nil }
	return nil
}

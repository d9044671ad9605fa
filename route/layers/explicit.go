package layers

import (
	"context"
	"slices"

	"weft/catalog"
	"weft/problem"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// Explicit routes packets along explicit paths, among which the sender chooses
// (docs/design/0015-explicit-paths.md). These are the k shortest paths of each pair of
// switches with hosts, or almost minimal ones.
type Explicit struct {
	Paths    int     `yaml:"paths" default:"9" min:"1" max:"256" doc:"Most paths of an ordered pair of switches with hosts: its shortest, with random ties. They take about 2 µs each of a processor to find, for each pair." source:"FatPaths, Appendix C-D; weft (9)"`
	Stretch  *int    `yaml:"stretch" min:"0" max:"4" doc:"Most links that a path may have more than the shortest of its pair (default: as many as it takes to have enough paths)." source:"weft"`
	Longest  *int    `yaml:"longest" min:"1" max:"8" doc:"Most links between switches that a path may have; pairs without one so short keep their shortest (default: as stretch says)." source:"Spritz's artefact (4 on Slim Fly, 5 on Dragonfly)"`
	PathSeed *uint64 `yaml:"path_seed" doc:"Seed of the ties (default: the scenario's seed)." source:"weft"`
}

func explicitEntry() catalog.Entry[route.Policy] {
	return catalog.Define("ksp",
		"k explicit paths for each pair of switches, shortest first; entropy modulo their number is the path, so that the sender chooses it",
		"Yen, Management Science 17(11), 1971; FatPaths (SC 2020), Appendix C-D", Explicit.Build).Alias("yen", "k-shortest-paths", "explicit", "source-routing").
		Keeping("at hosts: for each edge switch its paths, as lists of ports; in packets: the list, where switches find the next port").Needing(route.ExplicitNeeds()...)
}

// Build returns the policy.
func (o Explicit) Build() (route.Policy, error) {
	if o.Stretch != nil && o.Longest != nil {
		return route.Policy{}, problem.At("stretch", "stretch and longest both say how long paths may be").Mend("remove one")
	}
	return route.Policy{
		Bytes: func(g *topo.Graph) unit.Bytes {
			r, err := newRouters(g, nil)
			if err != nil || len(r.edges) == 0 {
				return 0
			}
			return route.PathBytes(g, o.Paths, o.meanLinks(r))
		},
		Prepare: func(g *topo.Graph, seed uint64) (route.Router, error) {
			if _, err := NewRouters(g, nil); err != nil {
				return nil, err
			}
			if o.PathSeed != nil {
				seed = *o.PathSeed
			}
			e := &explicit{Explicit: o, graph: g, seed: seed}
			return e.tables, nil
		},
	}, nil
}

// meanLinks estimates the mean number of links of a path: the mean distance from one
// router, plus an allowance for longer paths.
func (o Explicit) meanLinks(r *Routers) float64 {
	sum, n := 0, 0
	for to, hops := range newDistances(r).from(r.edges[0]) {
		if hops > 0 && r.edge[to] >= 0 {
			sum += int(hops)
			n++
		}
	}
	mean := float64(sum) / float64(max(1, n))
	switch {
	case o.Longest != nil:
		return max(mean, float64(*o.Longest))
	case o.Stretch != nil:
		return mean + float64(*o.Stretch)
	}
	return mean + 1
}

// explicit computes the paths of a graph.
type explicit struct {
	Explicit
	graph *topo.Graph
	seed  uint64
	whole *route.Paths // with all links
}

// tables returns paths over the links that are up. A pair keeps its paths if no link of
// them is down. Other pairs get the paths of the remaining network.
func (e *explicit) tables(options route.Options) (*route.Tables, error) {
	down := options.Down
	options.Weighted = false
	progress := options.Progress
	options.Progress = nil
	t, err := route.Minimal(e.graph, options)
	if err != nil {
		return nil, err
	}
	if e.whole == nil {
		if e.whole, err = route.NewPaths(e.graph); err != nil {
			return nil, err
		}
		if err := e.find(e.whole, nil, nil, progress); err != nil {
			return nil, err
		}
	}
	paths := e.whole
	if down != nil {
		paths = e.whole.Share()
		var lost []int32
		for to := range int32(paths.Edges()) {
			if e.whole.Uses(to, down) {
				lost = append(lost, to)
			}
		}
		if err := e.find(paths, down, lost, progress); err != nil {
			return nil, err
		}
	}
	t.Prefer(paths)
	return t, nil
}

// find sets the paths to the edge switches in lost. Without down, it finds all paths anew.
func (e *explicit) find(paths *route.Paths, down func(topo.LinkID) bool, lost []int32, told func(float64)) error {
	r, err := newRouters(e.graph, down)
	if err != nil {
		return err
	}
	if _, err := e.source(r); err != nil {
		return err
	}
	if down == nil {
		for to := range int32(paths.Edges()) {
			lost = append(lost, to)
		}
	}
	// Each pair has its own random stream, so the number of workers changes nothing.
	p := &progress{report: told, of: max(1, len(lost))}
	return Work{}.each(context.Background(), p, len(lost), func() func(int) {
		source, _ := e.source(r)
		return func(i int) { e.findTo(paths, r, source, lost[i], down) }
	})
}

func (e *explicit) source(r *Routers) (Source, error) {
	if e.Stretch != nil || e.Longest != nil {
		return Almost{K: e.Paths, Stretch: given(e.Stretch), Longest: given(e.Longest), Seed: e.seed}.Source(r)
	}
	return Shortest{K: e.Paths, Seed: e.seed}.Source(r)
}

// findTo sets the paths to one edge switch.
func (e *explicit) findTo(paths *route.Paths, r *Routers, source Source, to int32, down func(topo.LinkID) bool) {
	paths.SetTo(to, func(from int32, add func([]topo.PortID, int)) {
		if from == to || down != nil && e.keeps(from, to, down, add) {
			return
		}
		if len(r.to) == 0 {
			return
		}
		for _, path := range source.Paths(int(r.edges[from]), int(r.edges[to])) {
			add(path, 1)
		}
	})
}

// keeps adds the paths that a pair has with all links, if none of their links is down.
func (e *explicit) keeps(from, to int32, down func(topo.LinkID) bool, add func([]topo.PortID, int)) bool {
	broken := false
	e.whole.Each(from, to, func(_ uint16, _ int, path []topo.PortID) {
		broken = broken || slices.ContainsFunc(path, func(p topo.PortID) bool { return down(p.Link()) })
	})
	if broken {
		return false
	}
	e.whole.Each(from, to, func(_ uint16, weight int, path []topo.PortID) { add(path, weight) })
	return true
}

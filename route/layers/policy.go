package layers

import (
	"context"
	"errors"
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// Entries returns the policies of this package for the catalog of a scenario.
func Entries() []catalog.Entry[route.Policy] {
	return []catalog.Entry[route.Policy]{
		catalog.Define("layers",
			"shortest paths within sparse layers, often not minimal in the network; entropy modulo the number of layers is the layer",
			"FatPaths (SC 2020), §V, Listings 1 to 5", Policy.Build).Alias("layered-routing", "non-minimal").
			KnownAs("fatpaths", "FatPaths' balancer is transport.balancer: fatpaths").
			Means("past", "{kind: layers, scheme: past}").Means("spain", "{kind: layers, scheme: spain}").Means("overlap", "{kind: layers, scheme: overlap}").
			Keeping("in switches: for each layer and edge switch, one entry per next hop; nothing at hosts").
			Needing("switches that are linked to each other", "a transport.balancer of senders", route.OwnControls+" (both go with scheme: past)"),
		explicitEntry(),
	}
}

// Policy routes packets by layers. Layer 0 has all links, except in PAST, whose layers are
// trees. When links fail, the layers keep their other links; trees are not grown again.
type Policy struct {
	Scheme     Kind        `yaml:"scheme" default:"sample" enum:"sample,overlap,minimal,spain,past" doc:"Which links a layer has. sample: a random share (density) of all. overlap: paths that overlap little. minimal: all, so that layers differ by their choices among minimal next hops. spain: trees of link-disjoint paths. past: spanning trees. All but past have a layer of all links besides." source:"FatPaths §V-B2 (sample), §V-B3 (overlap), Appendix C-B (spain), C-C (past)"`
	Layers     int         `yaml:"layers" default:"9" min:"1" max:"4096" doc:"Number of layers, that of all links included; spain has fewer where fewer trees have all its paths." source:"FatPaths §VII-B3"`
	Density    *unit.Ratio `yaml:"density" max:"100%" doc:"Share of links in a sparse layer (ρ); with scheme: sample only (default: 60%)." source:"FatPaths §VII-C (60% for Slim Fly and Dragonfly)"`
	MinHops    *int        `yaml:"min_hops" min:"1" max:"16" doc:"Least links of a path of a layer; with scheme: overlap only (default: one more than the most frequent distance, two more in bipartite networks)." source:"FatPaths §V-B3"`
	MaxHops    *int        `yaml:"max_hops" min:"1" max:"16" doc:"Most links of such a path; with scheme: overlap only (default: min_hops)."`
	Paths      *int        `yaml:"paths" min:"1" doc:"Most paths that make up a layer; with scheme: overlap only (default: 3/4 of all links, divided by min_hops)." source:"weft"`
	SpainPaths *int        `yaml:"spain_paths" min:"1" max:"64" doc:"Most paths from a switch to another that trees are made of; with scheme: spain only (default: 3)." source:"FatPaths §IV-A"`
	Trees      *PastTrees  `yaml:"trees" enum:"bfs,random,weighted,non-minimal" doc:"How trees grow; with scheme: past only (default: random)." source:"FatPaths Appendix C-C, Listing 5 (non-minimal)"`
	NextHops   string      `yaml:"next_hops" default:"one" enum:"one,all" doc:"Next hops of a switch in a layer: one of the minimal ones, drawn at random, or all, among which the balancer chooses. One takes a byte for each layer, switch and edge switch; all takes two." source:"FatPaths §V-C (one)"`
	LayerSeed  *uint64     `yaml:"layer_seed" doc:"Seed of layers and next hops (default: the scenario's seed)." source:"weft"`
}

// defaultDensity is FatPaths' density on Slim Fly and Dragonfly.
const defaultDensity = 0.6

// Build returns the policy. It fails if options contradict each other.
func (o Policy) Build() (route.Policy, error) {
	for _, option := range []struct {
		name  string
		of    Kind
		given bool
	}{
		{"density", KindSample, o.Density != nil}, {"min_hops", KindOverlap, o.MinHops != nil},
		{"max_hops", KindOverlap, o.MaxHops != nil}, {"paths", KindOverlap, o.Paths != nil},
		{"spain_paths", KindSpain, o.SpainPaths != nil}, {"trees", KindPast, o.Trees != nil},
	} {
		if option.given && option.of != o.Scheme {
			return route.Policy{}, problem.At(option.name, "%s is an option of scheme: %s, and scheme is %s", option.name, option.of, o.Scheme).Mend("remove it, or write scheme: %s", option.of)
		}
	}
	s := o.scheme(0)
	if err := s.Check(); err != nil {
		return route.Policy{}, err
	}
	return route.Policy{
		Strays: strays[o.Scheme],
		Bytes:  func(g *topo.Graph) unit.Bytes { return o.layering(o.Layers, 0).Bytes(g) },
		Prepare: func(g *topo.Graph, seed uint64) (route.Router, error) {
			if o.LayerSeed != nil {
				seed = *o.LayerSeed
			}
			return o.prepare(g, seed)
		},
	}, nil
}

// strays suggests, for each scheme, how to give more pairs a route in the layers.
var strays = map[Kind]string{
	KindSample:  "a higher density, or another layer_seed, leaves fewer",
	KindOverlap: "more paths, or another layer_seed, leave fewer",
	KindSpain:   "this is normal for SPAIN's trees",
}

func (o Policy) scheme(seed uint64) Scheme {
	s := Scheme{
		Kind: o.Scheme, Layers: o.Layers, Density: defaultDensity, Seed: seed,
		MinHops: given(o.MinHops), MaxHops: given(o.MaxHops), Paths: given(o.Paths),
		SpainPaths: given(o.SpainPaths), Trees: given(o.Trees),
	}
	if o.Density != nil {
		s.Density = *o.Density
	}
	return s
}

func given[T any](v *T) (t T) {
	if v != nil {
		t = *v
	}
	return t
}

func (o Policy) layering(layers int, seed uint64) *route.Layering {
	return &route.Layering{Layers: layers, All: o.NextHops == "all", Seed: seed}
}

// prepare builds the layers of a graph.
func (o Policy) prepare(g *topo.Graph, seed uint64) (route.Router, error) {
	r, err := NewRouters(g, nil)
	if err != nil {
		return nil, err
	}
	links, err := o.scheme(seed).links(r)
	if err != nil {
		return nil, fmt.Errorf("scheme %s: %w", o.Scheme, err)
	}
	l := o.layering(len(links), seed)
	l.Has = func(layer int, k topo.LinkID) bool { return links[layer].has(int32(k)) }
	return func(options route.Options) (*route.Tables, error) {
		options.Weighted = false
		return route.Layered(g, options, *l)
	}, nil
}

// links returns the links of each layer, as sets of LinkIDs.
func (s Scheme) links(r *Routers) ([]bitset, error) {
	ctx, w := context.Background(), Work{}
	trees := func(f *Forest, err error) ([]bitset, error) {
		if err != nil {
			return nil, err
		}
		return f.linkSets(), nil
	}
	switch s.Kind {
	case KindPast:
		return trees(Past{Trees: s.Trees, Seed: s.Seed}.Layers(ctx, r, s.Layers, w))
	case KindSpain:
		full, err := Minimal(r, 1)
		if err != nil || s.Layers == 1 {
			return full.linkSets(), err
		}
		spain, err := Spain{K: s.SpainPaths, Seed: s.Seed}.Build(ctx, r, w)
		if err != nil {
			return nil, err
		}
		sparse, err := trees(spain.Layers(s.Layers - 1))
		return append(full.linkSets(), sparse...), err
	case KindShortest:
		return nil, errors.New("explicit paths are no layers")
	}
	l, err := s.layers(ctx, r, w)
	if err != nil {
		return nil, err
	}
	return l.linkSets(), nil
}

func (l *Layers) linkSets() []bitset {
	sets := make([]bitset, l.Len())
	for layer := range sets {
		sets[layer] = newBitset(len(l.routers.graph.Links))
		for e, p := range l.routers.port {
			if l.arcs[layer].has(int32(e)) {
				sets[layer].set(int32(p.Link()))
			}
		}
	}
	return sets
}

func (f *Forest) linkSets() []bitset {
	sets := make([]bitset, f.Layers())
	for layer := range sets {
		sets[layer] = newBitset(len(f.routers.graph.Links))
		for router := range int32(len(f.routers.nodes)) {
			if e := f.parent(layer, router); e >= 0 {
				sets[layer].set(int32(f.routers.port[e].Link()))
			}
		}
	}
	return sets
}

package route

import (
	"weft/catalog"
	"weft/topo"
	"weft/unit"
)

// Policy is a way to route. Scenarios name one, and programs can add their own.
type Policy struct {
	// Minimal: the tables have all shortest paths and no others. Derived values, such as
	// the base RTT, always refer to minimal paths.
	Minimal bool
	// ByRate: the tables depend on the rates of links, and so follow changes of a rate.
	ByRate bool
	// Detours, if not nil, defines when packets leave the paths of the tables. Prepare
	// checks the conditions that depend on the graph.
	Detours *Detours
	// Strays suggests how to leave fewer pairs of switches without a route in a layer.
	Strays string
	// Bytes, if not nil, estimates the memory of a graph's tables.
	Bytes func(g *topo.Graph) unit.Bytes
	// Prepare reads a graph with all its links. It is called once, and its result depends
	// only on the graph and the seed.
	Prepare func(g *topo.Graph, seed uint64) (Router, error)
}

// Wanders reports whether packets can leave the paths of the tables.
func (p *Policy) Wanders() bool { return p.Detours != nil }

// Adapts reports whether queues decide, for each packet, whether it leaves them.
func (p *Policy) Adapts() bool { return p.Detours != nil && p.Detours.Decide != Always }

// Phases returns the most minimal paths that a packet follows in sequence.
func (p *Policy) Phases() int { return p.Detours.Phases() }

// LongestWalk returns the most links that a packet passes between switches, by tables of
// one layer.
func (p *Policy) LongestWalk(t *Tables) int { return p.Detours.LongestWalk(t) }

// Router computes tables for the links that are up and their rates, at the start and each
// time routing converges again. It decides about Options.Weighted itself. Its tables number
// edge switches as Minimal does.
type Router func(Options) (*Tables, error)

// Entries returns the policies that use all minimal paths, and those that leave them for
// intermediates.
func Entries() []catalog.Entry[Policy] {
	return []catalog.Entry[Policy]{
		catalog.Define("ecmp",
			"next hops on all shortest paths, each once; the balancer (ecmp, ops and so on) chooses among them",
			"RFC 2992; ARCANE §2.2", func(struct{}) (Policy, error) { return minimal(false), nil },
		).KnownAs("minimal", "hierarchical on Dragonflies").Alias("min", "shortest-path").Keeping(nextHops),
		catalog.Define("wcmp",
			"next hops on all shortest paths, weighted by the rate of their link; any balancer chooses among them; after a rate changes, reconverge updates the weights",
			"Zhou et al., WCMP, EuroSys 2014; ARCANE §4.3.2", func(struct{}) (Policy, error) { return minimal(true), nil },
		).Alias("weighted-ecmp", "ucmp").
			Keeping("in switches: replicated next-hop entries, each port as often as its rate in lowest terms, in at most 64 entries, or one per port if there are more; nothing at hosts"),
		catalog.Define("hierarchical",
			"next hops on paths that cross fewest links between groups, and of these the shortest: minimal routing of Dragonflies",
			"Kim et al., ISCA 2008, §4.1", func(struct{}) (Policy, error) { return detoured(nil, "groups") }).
			Keeping(nextHops).Needing(inGroups),
		catalog.Define("dor",
			"next hops that correct one coordinate of a mesh, torus or HyperX after another, as the numbers in switches' names give them",
			"Sullivan and Bashkow, ISCA 1977; Dally and Seitz, IEEE ToC 36(5), 1987", func(struct{}) (Policy, error) { return detoured(nil, byDimensions) }).
			Alias("dimension-order", "xy", "e-cube").Keeping(nextHops).
			Needing("switches whose names are coordinates, as in r0-1, and links that change one of them"),
		catalog.Define("valiant",
			"every packet goes by a random intermediate switch or group, which its entropy names, minimally to there and from there",
			"Valiant, SIAM J. Comput. 11(2), 1982; Kim et al., ISCA 2008, §4.1", valiant.build).Alias("val", "vlb").
			Keeping("in switches: one entry per port of a next-hop set, also towards intermediates; in packets: the phase, and the intermediate by their entropy").Needing(withDetours...),
		catalog.Define("ugal",
			"the first switch sends each packet by a random intermediate, as valiant does, if queues and lengths speak against its minimal path",
			"Singh, PhD thesis, Stanford 2005; Kim et al., ISCA 2008, §4.1; with global information Slim Fly, SC 2014", ugal.build).
			Alias("ugal-l").Means("ugal-g", "{kind: ugal, information: global}").
			Keeping("what valiant keeps, and in switches the length of the path to every switch; with information: global also the queues of all switches; with flowlet a table of flows").Needing(noDeflection).Needing(withDetours...),
		catalog.Define("par",
			"as ugal with local queues, but a packet that went minimally may still leave its path at the second switch of its source's group",
			"Jiang, Kim and Dally, ISCA 2009 (PAR)", par.build).Alias("progressive-adaptive").
			Keeping("what valiant keeps, and in switches the length of the path to every switch; with flowlet a table of flows").Needing(inGroups, noDeflection).Needing(withDetours...),
	}
}

// Texts for lists: what several policies keep and need.
const (
	nextHops = "in switches: one entry per port of a next-hop set; nothing at hosts"
	inGroups = "switches that all stand in groups"
	// OwnControls is the need of policies whose paths are not the shortest.
	OwnControls  = "a transport.congestion other than fncc and expresspass"
	noDeflection = "no fabric.deflect"
)

var withDetours = []string{OwnControls, "with fabric.pfc a class for each lane (routing.lanes) and no controls of switches (rocc, rcp)"}

// ExplicitNeeds lists the needs of policies with explicit paths.
func ExplicitNeeds() []string {
	return []string{"a transport.balancer of senders", OwnControls, "with fabric.pfc and routing.lanes: hop a class for each link of the longest path"}
}

func minimal(weighted bool) Policy {
	return Policy{Minimal: true, ByRate: weighted, Bytes: minimalBytes, Prepare: func(g *topo.Graph, _ uint64) (Router, error) {
		return func(o Options) (*Tables, error) {
			o.Weighted = weighted
			return Minimal(g, o)
		}, nil
	}}
}

// minimalBytes estimates the memory of minimal tables without their next-hop sets.
func minimalBytes(g *topo.Graph) unit.Bytes {
	t := &Tables{graph: g}
	t.number()
	return 2 * unit.Bytes(t.rows()) * unit.Bytes(len(t.edges))
}

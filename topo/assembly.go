package topo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/internal/nearest"
	"weft/problem"
	"weft/unit"
)

// Defaults fills in what a graph file leaves open about links and switches. The zero value
// sets only delays and latencies, to 0.
type Defaults struct {
	// Rate is the default rate of links.
	Rate unit.Rate
	// UplinkRate is the default rate of links between switches. If it is 0, Rate applies.
	UplinkRate unit.Rate
	// Delay is the default delay of links.
	Delay unit.Time
	// SwitchLatency is the default latency of switches.
	SwitchLatency unit.Time
	// HostsPerSwitch adds this many hosts to every switch of a graph without hosts, such as
	// the graph of a wide-area network.
	HostsPerSwitch int
	// ParallelLinks takes links that appear twice for parallel cables, even if the file
	// does not mark them so.
	ParallelLinks bool
}

// place is a position in a source.
type place struct{ line, column int }

// assembly collects the nodes and links of an irregular graph. It keeps the place of each,
// so that errors can point there.
type assembly struct {
	graph    Graph
	defaults Defaults
	// show formats a place for the beginning of a message.
	show  func(place) string
	index map[string]NodeID
	// nodeAt and linkAt hold the places of nodes and links.
	nodeAt, linkAt []place
	// open marks the switches without a latency.
	open []bool
	// noKind marks the nodes without a kind.
	noKind []bool
	// atUplinkRate lists the links that got the default rate of links between switches.
	atUplinkRate []LinkID
	// spaced maps changed names to the original names, which had spaces.
	spaced map[string]string
	// inline: the source is a list in a scenario.
	inline bool
	// parallel takes links between the same nodes for parallel cables. Otherwise their keys
	// must differ; numbering explains how to write keys.
	parallel  bool
	keys      map[LinkID]string
	numbering string
	// hostNumbers holds the host numbers that the source gives.
	hostNumbers map[NodeID]int
	// edge lists the switches that get hosts; nil means all.
	edge []NodeID
}

func newAssembly(d Defaults, show func(place) string) *assembly {
	return &assembly{defaults: d, show: show, index: map[string]NodeID{}, parallel: d.ParallelLinks}
}

// inFile formats places as "name:line:column".
func inFile(name string) func(place) string {
	return func(p place) string {
		if p.line == 0 {
			return name
		}
		return fmt.Sprintf("%s:%d:%d", name, p.line, p.column)
	}
}

func (a *assembly) errorf(at place, format string, args ...any) error {
	return fmt.Errorf("%s: %w", a.show(at), fmt.Errorf(format, args...))
}

// nodeText is a node as a source describes it. A nil field is left open.
type nodeText struct {
	name    string
	kind    *Kind
	tier    int
	group   int32
	latency *unit.Time
	// hostNumber is the host's index among the hosts.
	hostNumber *int
}

// linkText is a link as a source describes it. A nil field is left open.
type linkText struct {
	a, b  string
	rate  *unit.Rate
	delay *unit.Time
	// key distinguishes parallel links.
	key string
}

// guess guesses the kind of a node without one.
func guess(name string) Kind {
	if strings.HasPrefix(strings.ToLower(name), "host") {
		return Host
	}
	return Switch
}

func (a *assembly) node(at place, n nodeText) (NodeID, error) {
	n.name = a.spaceless(n.name)
	if text := nameProblem(n.name); text != "" {
		return 0, a.errorf(at, "%s", text)
	}
	if before, twice := a.index[n.name]; twice {
		return 0, a.errorf(at, "node %q is already defined (%s)", n.name, a.show(a.nodeAt[before]))
	}
	if len(a.graph.Nodes) == maxNodes {
		return 0, a.errorf(at, "there are more than %d nodes", maxNodes)
	}
	node := Node{Name: n.name, Kind: guess(n.name)}
	if n.kind != nil {
		node.Kind = *n.kind
	}
	if node.Kind == Switch {
		node.Tier, node.Group = n.tier, n.group
	}
	if n.latency != nil {
		node.Latency = *n.latency
	}
	id := NodeID(len(a.graph.Nodes))
	a.index[n.name] = id
	a.graph.Nodes = append(a.graph.Nodes, node)
	a.nodeAt = append(a.nodeAt, at)
	a.open = append(a.open, node.Kind == Switch && n.latency == nil)
	a.noKind = append(a.noKind, n.kind == nil)
	if node.Kind == Host {
		a.graph.Hosts = append(a.graph.Hosts, id)
	}
	if n.hostNumber != nil {
		if node.Kind != Host {
			return 0, a.errorf(at, "switch %q has a %s; only hosts have one", n.name, attributeHostNumber)
		}
		if a.hostNumbers == nil {
			a.hostNumbers = map[NodeID]int{}
		}
		a.hostNumbers[id] = *n.hostNumber
	}
	return id, nil
}

// link adds a link between existing nodes.
func (a *assembly) link(at place, l linkText) error {
	var ends [2]NodeID
	for i, name := range []string{a.spaceless(l.a), a.spaceless(l.b)} {
		id, ok := a.index[name]
		if !ok {
			return a.errorf(at, "the link of %q and %q: %w", shorten(l.a), shorten(l.b), a.unknown(shorten(name)))
		}
		ends[i] = id
	}
	a.keep(l.key)
	return a.join(at, ends[0], ends[1], l.rate, l.delay)
}

// keep remembers the key of the next link.
func (a *assembly) keep(key string) {
	if key == "" || a.parallel {
		return
	}
	if a.keys == nil {
		a.keys = map[LinkID]string{}
	}
	a.keys[LinkID(len(a.graph.Links))] = key
}

func (a *assembly) unknown(name string) error {
	names := make([]string, len(a.graph.Nodes))
	for i := range a.graph.Nodes {
		names[i] = a.graph.Nodes[i].Name
	}
	if near, ok := nearest.Name(name, names); ok {
		return fmt.Errorf("there is no node %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("there is no node %q", name)
}

func (a *assembly) join(at place, x, y NodeID, rate *unit.Rate, delay *unit.Time) error {
	if len(a.graph.Links) == maxLinks {
		return a.errorf(at, "there are more than %d links", maxLinks)
	}
	l := Link{A: x, B: y, Rate: a.defaults.Rate, Delay: a.defaults.Delay}
	nodes := a.graph.Nodes
	if nodes[x].Kind == Switch && nodes[y].Kind == Switch && a.defaults.UplinkRate > 0 {
		l.Rate = a.defaults.UplinkRate
		if rate == nil {
			a.atUplinkRate = append(a.atUplinkRate, LinkID(len(a.graph.Links)))
		}
	}
	switch {
	case rate != nil:
		l.Rate = *rate
	case l.Rate == 0:
		return a.errorf(at, "the link of %q and %q has no rate, and there is no default", nodes[x].Name, nodes[y].Name)
	}
	if delay != nil {
		l.Delay = *delay
	}
	a.graph.Links = append(a.graph.Links, l)
	a.linkAt = append(a.linkAt, at)
	return nil
}

// finish fills in what was left open, and returns the graph if it is a network.
func (a *assembly) finish() (*Graph, error) {
	g := &a.graph
	a.noteSpaces()
	a.findHosts()
	for i, open := range a.open {
		if open {
			g.Nodes[i].Latency = a.defaults.SwitchLatency
		}
	}
	if err := a.hangHosts(); err != nil {
		return nil, err
	}
	if err := a.orderHosts(); err != nil {
		return nil, err
	}
	if len(g.Nodes) == 0 {
		return nil, a.errorf(place{}, "there are no nodes; a graph has at least two hosts and a switch or link between them")
	}
	if p := g.defect(); p != nil {
		at := place{}
		switch {
		case p.node >= 0 && int(p.node) < len(a.nodeAt):
			at = a.nodeAt[p.node]
		case p.link >= 0 && int(p.link) < len(a.linkAt):
			at = a.linkAt[p.link]
		case len(g.Hosts) == 0:
			p.text += "; give nodes the kind host, names that begin with host or are like h1, or one link each, or hang hosts on every switch (hosts_per_switch)"
		}
		return nil, fmt.Errorf("%s: %w", a.show(at), errors.New(p.text))
	}
	if err := a.lonePair(); err != nil {
		return nil, err
	}
	if err := a.duplicates(); err != nil {
		return nil, err
	}
	g.deriveTiers()
	return g, nil
}

// orderHosts sorts the hosts by their numbers, if the source gives any.
func (a *assembly) orderHosts() error {
	if a.hostNumbers == nil {
		return nil
	}
	hosts := a.graph.Hosts
	ordered := make([]NodeID, len(hosts))
	taken := make([]bool, len(hosts))
	for _, h := range hosts {
		n, said := a.hostNumbers[h]
		name := a.graph.Nodes[h].Name
		switch {
		case !said:
			return a.errorf(a.nodeAt[h], "host %q has no %s, but other hosts have; number all hosts or none", name, attributeHostNumber)
		case n >= len(hosts):
			return a.errorf(a.nodeAt[h], "host %q has the %s %d; the %d hosts are numbered from 0 to %d", name, attributeHostNumber, n, len(hosts), len(hosts)-1)
		case taken[n]:
			return a.errorf(a.nodeAt[h], "host %q has the %s %d, like %q", name, attributeHostNumber, n, a.graph.Nodes[ordered[n]].Name)
		}
		ordered[n], taken[n] = h, true
	}
	a.graph.Hosts = ordered
	return nil
}

// duplicates refuses several links between the same nodes, unless they are meant to be
// parallel.
func (a *assembly) duplicates() error {
	if a.parallel {
		return nil
	}
	g := &a.graph
	type bundle struct {
		with NodeID
		key  string
	}
	const none = -1
	// first is the first link from the current node to each other node.
	first := slices.Repeat([]LinkID{none}, len(g.Nodes))
	adjacency := g.Adjacency()
	for n := range NodeID(len(g.Nodes)) {
		var known map[bundle]LinkID
		for _, p := range adjacency.Ports(n) {
			_, to := g.Ends(p)
			if to < n {
				continue
			}
			l := p.Link()
			if first[to] == none {
				first[to] = l
				continue
			}
			if known == nil {
				known = map[bundle]LinkID{}
			}
			known[bundle{to, a.keys[first[to]]}] = first[to]
			this := bundle{to, a.keys[l]}
			if before, twice := known[this]; twice {
				return a.errorf(a.linkAt[l], "%w", problem.New("%q and %q are linked already (%s)", g.Nodes[n].Name, g.Nodes[to].Name, a.show(a.linkAt[before])).Mend("leave one out, or if they are parallel cables %s or set parallel_links", a.numbering))
			}
			known[this] = l
		}
		for _, p := range adjacency.Ports(n) {
			_, to := g.Ends(p)
			first[to] = none
		}
	}
	return nil
}

func (a *assembly) hangHosts() error {
	n := a.defaults.HostsPerSwitch
	if n == 0 {
		return nil
	}
	nodes := len(a.graph.Nodes)
	edge := a.edge
	if edge == nil {
		edge = make([]NodeID, nodes)
		for s := range edge {
			edge[s] = NodeID(s)
		}
	}
	switch {
	case len(a.graph.Hosts) > 0:
		return a.errorf(a.nodeAt[a.graph.Hosts[0]], "%w", problem.New("node %q is a host, but hosts_per_switch is for graphs without hosts", a.graph.Nodes[a.graph.Hosts[0]].Name).Mend("leave it out"))
	case n < 0 || n > (maxNodes-nodes)/max(1, len(edge)):
		return a.errorf(place{}, "%d hosts on each of %d switches are too many or too few", n, len(edge))
	case n*len(edge) > MaxHosts:
		return a.errorf(place{}, "%d on each of %d switches: %s", n, len(edge), tooManyHosts(n*len(edge)))
	}
	for _, s := range edge {
		for range n {
			h := a.graph.addHost()
			a.nodeAt = append(a.nodeAt, a.nodeAt[s])
			if err := a.join(a.nodeAt[s], h, s, nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// deriveTiers sets the tier of each switch without one: 1 if it has hosts, and otherwise
// one more than the lowest tier of its neighbours.
func (g *Graph) deriveTiers() {
	tiers := make([]int, len(g.Nodes))
	var reached []NodeID
	adjacency := g.Adjacency()
	for _, h := range g.Hosts {
		for _, p := range adjacency.Ports(h) {
			if _, s := g.Ends(p); g.Nodes[s].Kind == Switch && tiers[s] == 0 {
				tiers[s] = 1
				reached = append(reached, s)
			}
		}
	}
	for len(reached) > 0 {
		n := reached[0]
		reached = reached[1:]
		for _, p := range adjacency.Ports(n) {
			if _, to := g.Ends(p); g.Nodes[to].Kind == Switch && tiers[to] == 0 {
				tiers[to] = tiers[n] + 1
				reached = append(reached, to)
			}
		}
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == Switch && n.Tier == 0 {
			n.Tier = tiers[i]
		}
	}
}

package fault

import (
	"slices"

	"weft/topo"
)

// batch is the number of destinations per word of a bit set.
const batch = 64

// connectivity checks whether links can fail while every two hosts keep one of the shortest
// paths of the whole graph. Switches that compute no new routes can use only those paths.
// It searches towards all switches with hosts at once, with one bit per switch.
type connectivity struct {
	graph *topo.Graph
	words int // per node or port: one bit per destination
	// nearer reports for each port and destination whether the port leads nearer.
	nearer []uint64
	// start has, at each destination, only the bit of that destination. need has, at
	// each node, the destinations that it must keep within reach.
	start, need []uint64
	edges       []topo.NodeID
	broken      []bool
	reach       []uint64
}

// newConnectivity starts with some links broken. Pairs of hosts that these links
// already separate do not count.
func newConnectivity(g *topo.Graph, broken []bool) *connectivity {
	c := &connectivity{graph: g, broken: make([]bool, len(g.Links))}
	copy(c.broken, broken)
	adjacency := g.Adjacency()
	seen := make([]bool, len(g.Nodes))
	for _, h := range g.Hosts {
		for _, p := range adjacency.Ports(h) {
			if _, to := g.Ends(p); !seen[to] {
				seen[to] = true
				c.edges = append(c.edges, to)
			}
		}
	}
	c.words = (len(c.edges) + batch - 1) / batch
	c.nearer = make([]uint64, 2*len(g.Links)*c.words)
	c.start = make([]uint64, len(g.Nodes)*c.words)
	c.reach = make([]uint64, len(g.Nodes)*c.words)
	distance := make([]int32, len(g.Nodes))
	for i, e := range c.edges {
		c.start[int(e)*c.words+i/batch] = 1 << (i % batch)
		c.measure(adjacency, e, distance)
		for p := range topo.PortID(2 * len(g.Links)) {
			if from, to := g.Ends(p); distance[to] >= 0 && distance[from] == distance[to]+1 {
				c.nearer[int(p)*c.words+i/batch] |= 1 << (i % batch)
			}
		}
	}
	c.search()
	c.need = slices.Clone(c.reach)
	return c
}

// measure computes the distance from every node to one node, -1 where no path exists.
func (c *connectivity) measure(a topo.Adjacency, to topo.NodeID, distance []int32) {
	for i := range distance {
		distance[i] = -1
	}
	distance[to] = 0
	for queue := []topo.NodeID{to}; len(queue) > 0; queue = queue[1:] {
		for _, p := range a.Ports(queue[0]) {
			if _, n := c.graph.Ends(p); distance[n] < 0 {
				distance[n] = distance[queue[0]] + 1
				queue = append(queue, n)
			}
		}
	}
}

// search finds which destinations every node reaches over shortest paths without broken links.
func (c *connectivity) search() {
	copy(c.reach, c.start)
	for again := true; again; {
		again = false
		for p := range topo.PortID(2 * len(c.graph.Links)) {
			if c.broken[p.Link()] {
				continue
			}
			from, to := c.graph.Ends(p)
			have, next := c.reach[int(from)*c.words:][:c.words], c.reach[int(to)*c.words:][:c.words]
			for w, leads := range c.nearer[int(p)*c.words:][:c.words] {
				if more := next[w] & leads &^ have[w]; more != 0 {
					have[w] |= more
					again = true
				}
			}
		}
	}
}

// enough reports whether every host still reaches all destinations that it must.
func (c *connectivity) enough() bool {
	c.search()
	for _, h := range c.graph.Hosts {
		at := int(h) * c.words
		for w := at; w < at+c.words; w++ {
			if c.reach[w] != c.need[w] {
				return false
			}
		}
	}
	return true
}

// harmless goes through candidates in order and takes each one whose failure,
// together with those taken before, leaves enough paths. It returns the first n
// that it takes, or fewer if there are not that many.
func (c *connectivity) harmless(candidates []member, n int) (taken []member) {
	return harmless(c.broken, c.enough, candidates, n)
}

func harmless(broken []bool, enough func() bool, candidates []member, n int) (taken []member) {
	for len(candidates) > 0 && len(taken) < n {
		// More failures never help, so bisection finds the longest harmless run.
		good, bad := 0, min(len(candidates), n-len(taken))+1
		for try := bad - 1; good+1 < bad; try = (good + bad) / 2 {
			undo := breakAll(broken, candidates[:try])
			if enough() {
				good = try
			} else {
				bad = try
			}
			for _, l := range undo {
				broken[l] = false
			}
		}
		breakAll(broken, candidates[:good])
		taken = append(taken, candidates[:good]...)
		candidates = candidates[min(good+1, len(candidates)):]
	}
	return taken
}

// breakAll breaks all links of members and returns those that were not broken before.
func breakAll(broken []bool, members []member) (undo []topo.LinkID) {
	for _, m := range members {
		for _, p := range m.ports {
			if l := p.Link(); !broken[l] {
				broken[l] = true
				undo = append(undo, l)
			}
		}
	}
	return undo
}

// joined checks whether links can fail while every two hosts keep some path. That
// is enough where routes follow failures.
type joined struct {
	graph  *topo.Graph
	broken []bool
	need   []topo.NodeID // per host: the first host that it reaches
	set    []topo.NodeID // union-find forest of connected nodes
}

// newJoined starts with some links broken. Hosts that these links already separate do not count.
func newJoined(g *topo.Graph, broken []bool) *joined {
	j := &joined{graph: g, broken: make([]bool, len(g.Links)), set: make([]topo.NodeID, len(g.Nodes))}
	copy(j.broken, broken)
	j.need = j.first()
	return j
}

// root returns the representative of all nodes that a node reaches.
func (j *joined) root(n topo.NodeID) topo.NodeID {
	for j.set[n] != n {
		j.set[n] = j.set[j.set[n]]
		n = j.set[n]
	}
	return n
}

// first returns, for each host, the first host that it reaches.
func (j *joined) first() []topo.NodeID {
	for n := range j.set {
		j.set[n] = topo.NodeID(n)
	}
	for l, broken := range j.broken {
		if !broken {
			j.set[j.root(j.graph.Links[l].A)] = j.root(j.graph.Links[l].B)
		}
	}
	known := map[topo.NodeID]topo.NodeID{}
	first := make([]topo.NodeID, len(j.graph.Hosts))
	for i, h := range j.graph.Hosts {
		root := j.root(h)
		if _, ok := known[root]; !ok {
			known[root] = h
		}
		first[i] = known[root]
	}
	return first
}

// harmless does what connectivity.harmless does, for paths of any length.
func (j *joined) harmless(candidates []member, n int) (taken []member) {
	return harmless(j.broken, func() bool { return slices.Equal(j.first(), j.need) }, candidates, n)
}

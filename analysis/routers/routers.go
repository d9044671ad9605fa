// Package routers holds graphs of routers for the analysis of paths, with compact adjacency,
// multiplicities for parallel cables, and host counts. Hosts and their links are not part of the
// graph.
package routers

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"weft/topo"
)

// Link is a cable between two routers, identified by their numbers.
type Link struct{ A, B int32 }

// Graph is an undirected graph of routers 0 to Len()-1. Parallel cables are one edge with a
// multiplicity. An arc is one direction of an edge; the arcs that leave router v are First[v] to
// First[v+1]-1. The slices are shared and must not be changed.
type Graph struct {
	// First holds the first arc of every router, and the end of the last.
	First []int32
	// To is the router that an arc leads to, Edge the edge that it belongs to, and Back its
	// reverse arc.
	To, Edge, Back []int32
	// Cables is the multiplicity of each edge.
	Cables []int32
	// Hosts is the number of hosts on each router.
	Hosts []int32
	// Names holds the routers' names in the topology, or nil.
	Names []string
}

// New makes a graph of n routers without hosts. Neighbours are in numerical order. It fails for
// links with unknown routers and links from a router to itself.
func New(n int, links []Link) (*Graph, error) {
	ordered := make([]Link, len(links))
	for i, l := range links {
		switch {
		case l.A < 0 || l.B < 0 || int(l.A) >= n || int(l.B) >= n:
			return nil, fmt.Errorf("link %d joins routers %d and %d; there are %d, numbered from 0", i, l.A, l.B, n)
		case l.A == l.B:
			return nil, fmt.Errorf("link %d joins router %d to itself; remove it, no path uses it", i, l.A)
		}
		ordered[i] = Link{min(l.A, l.B), max(l.A, l.B)}
	}
	slices.SortFunc(ordered, func(x, y Link) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	g := &Graph{First: make([]int32, n+1), Hosts: make([]int32, n)}
	edges := ordered[:0]
	for _, l := range ordered {
		if last := len(edges) - 1; last >= 0 && edges[last] == l {
			g.Cables[last]++
			continue
		}
		edges = append(edges, l)
		g.Cables = append(g.Cables, 1)
		g.First[l.A+1]++
		g.First[l.B+1]++
	}
	for v := range n {
		g.First[v+1] += g.First[v]
	}
	g.lay(edges)
	return g, nil
}

// lay fills in the arcs of edges, which must be sorted by lower and then higher router, so that
// each router's neighbours are in order.
func (g *Graph) lay(edges []Link) {
	g.To = make([]int32, 2*len(edges))
	g.Edge = make([]int32, 2*len(edges))
	g.Back = make([]int32, 2*len(edges))
	next := slices.Clone(g.First[:g.Len()])
	place := func(from, to, edge int32) int32 {
		arc := next[from]
		next[from]++
		g.To[arc], g.Edge[arc] = to, edge
		return arc
	}
	up := make([]int32, len(edges))
	for e, l := range edges {
		up[e] = place(l.B, l.A, int32(e))
	}
	for e, l := range edges {
		down := place(l.A, l.B, int32(e))
		g.Back[down], g.Back[up[e]] = up[e], down
	}
}

// FromTopology makes a graph of a topology's routers, in their order, and the links between them.
// It fails if there are none.
func FromTopology(t *topo.Graph) (*Graph, error) {
	number := make([]int32, len(t.Nodes))
	var names []string
	for id := range t.Nodes {
		number[id] = -1
		if t.Nodes[id].Kind == topo.Switch {
			number[id] = int32(len(names))
			names = append(names, t.Nodes[id].Name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("the topology has no switches; an analysis of paths needs some")
	}
	var links []Link
	hosts := make([]int32, len(names))
	for i := range t.Links {
		a, b := number[t.Links[i].A], number[t.Links[i].B]
		switch {
		case a >= 0 && b >= 0:
			if a == b {
				return nil, fmt.Errorf("a link joins %s to itself; remove it, no path uses it", names[a])
			}
			links = append(links, Link{a, b})
		case a >= 0:
			hosts[a]++
		case b >= 0:
			hosts[b]++
		}
	}
	g, err := New(len(names), links)
	if err != nil {
		return nil, err
	}
	g.Hosts, g.Names = hosts, names
	return g, nil
}

// Len returns the number of routers.
func (g *Graph) Len() int { return len(g.First) - 1 }

// Links returns the number of cables between routers.
func (g *Graph) Links() int {
	n := 0
	for _, m := range g.Cables {
		n += int(m)
	}
	return n
}

// Endpoints returns the number of hosts.
func (g *Graph) Endpoints() int {
	n := 0
	for _, h := range g.Hosts {
		n += int(h)
	}
	return n
}

// Degree returns the number of cables from a router to others.
func (g *Graph) Degree(v int32) int {
	n := 0
	for arc := g.First[v]; arc < g.First[v+1]; arc++ {
		n += int(g.Cables[g.Edge[arc]])
	}
	return n
}

// EdgeRouters lists the routers with hosts, between which traffic flows. If no router has hosts,
// it lists all.
func (g *Graph) EdgeRouters() []int32 {
	var with, all []int32
	for v, h := range g.Hosts {
		all = append(all, int32(v))
		if h > 0 {
			with = append(with, int32(v))
		}
	}
	if len(with) == 0 {
		return all
	}
	return with
}

// Radix returns the network radix k', which is the largest number of cables from an edge router
// to other routers, and the least such number. The two differ for irregular graphs.
func (g *Graph) Radix() (least, most int) {
	for i, v := range g.EdgeRouters() {
		d := g.Degree(v)
		if i == 0 {
			least = d
		}
		least, most = min(least, d), max(most, d)
	}
	return least, most
}

// Name returns a router's name in the topology, or its number.
func (g *Graph) Name(v int32) string {
	if g.Names == nil {
		return fmt.Sprintf("router %d", v)
	}
	return g.Names[v]
}

// Apart returns two edge routers without a path between them. ok is false if there are none.
func (g *Graph) Apart() (a, b int32, ok bool) {
	edge := g.EdgeRouters()
	seen := make([]bool, g.Len())
	queue := make([]int32, 1, g.Len())
	queue[0] = edge[0]
	seen[edge[0]] = true
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		for _, u := range g.To[g.First[v]:g.First[v+1]] {
			if !seen[u] {
				seen[u] = true
				queue = append(queue, u)
			}
		}
	}
	for _, v := range edge {
		if !seen[v] {
			return edge[0], v, true
		}
	}
	return 0, 0, false
}

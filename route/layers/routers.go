package layers

import (
	"fmt"
	"math"
	"slices"

	"weft/problem"
	"weft/topo"
)

// Routers is the part of a graph that layers are made of: its switches, called routers as
// in FatPaths, and the links between them that are up. Routers are numbered from 0 in order
// of NodeID. The ports of each router are numbered from 0 in order of PortID. Each of
// several parallel cables has its own port.
//
// Edge routers are routers with hosts, also numbered from 0. If the graph has no hosts, all
// routers are edge routers. Traffic begins and ends only at edge routers, so tables have
// only these as destinations.
type Routers struct {
	graph  *topo.Graph
	nodes  []topo.NodeID
	router []int32 // by node; for a host, the router of its switch
	edges  []int32
	edge   []int32 // by router, or -1
	hosts  []int32 // number of hosts, by edge router

	// Entries offset[r] to offset[r+1] are the directed links that leave r, in the order of
	// its ports. back is the entry of the opposite direction.
	offset []int32
	to     []int32
	back   []int32
	port   []topo.PortID
	degree int
}

// NewRouters returns the routers of a valid graph. It leaves out links for which down
// returns true; a nil down leaves out none. It fails if some router does not reach another,
// if no two routers are linked, or if a router has more than 65535 ports.
func NewRouters(g *topo.Graph, down func(topo.LinkID) bool) (*Routers, error) {
	r, err := newRouters(g, down)
	if err != nil {
		return nil, err
	}
	if len(r.to) == 0 {
		if len(r.nodes) == 1 {
			return nil, problem.New("there is one router, %q, so there is nothing to route", r.Name(0)).Mend("take a network of several routers (in a scenario, or policy: ecmp)")
		}
		return nil, fmt.Errorf("no two of the %d routers are linked, so there is nothing to route; link them", len(r.nodes))
	}
	if a, b, split := r.unconnected(); split {
		return nil, fmt.Errorf("no path leads from router %q to router %q; link the parts of the network, or analyze each alone", r.Name(a), r.Name(b))
	}
	return r, nil
}

// newRouters works like NewRouters, but also accepts routers that are not connected.
func newRouters(g *topo.Graph, down func(topo.LinkID) bool) (*Routers, error) {
	r := &Routers{graph: g, router: slices.Repeat([]int32{-1}, len(g.Nodes))}
	for n := range g.Nodes {
		if g.Nodes[n].Kind == topo.Switch {
			r.router[n] = int32(len(r.nodes))
			r.nodes = append(r.nodes, topo.NodeID(n))
		}
	}
	r.findEdges()
	r.connect(down)
	if r.degree > math.MaxUint16 {
		return nil, fmt.Errorf("a router has %d ports to others; tables have room for 65535", r.degree)
	}
	return r, nil
}

func (r *Routers) findEdges() {
	g := r.graph
	hosts := make([]int32, len(r.nodes))
	for _, l := range g.Links {
		sw, host := l.A, l.B
		if g.Nodes[sw].Kind == topo.Host {
			sw, host = host, sw
		}
		if g.Nodes[sw].Kind == topo.Switch && g.Nodes[host].Kind == topo.Host {
			r.router[host] = r.router[sw]
			hosts[r.router[sw]]++
		}
	}
	r.edge = slices.Repeat([]int32{-1}, len(r.nodes))
	for i, n := range hosts {
		if n > 0 || len(g.Hosts) == 0 {
			r.edge[i] = int32(len(r.edges))
			r.edges = append(r.edges, int32(i))
			r.hosts = append(r.hosts, n)
		}
	}
}

func (r *Routers) connect(down func(topo.LinkID) bool) {
	g := r.graph
	used := func(l topo.LinkID) bool {
		return g.Nodes[g.Links[l].A].Kind == topo.Switch && g.Nodes[g.Links[l].B].Kind == topo.Switch &&
			(down == nil || !down(l))
	}
	r.offset = make([]int32, len(r.nodes)+1)
	for l := range topo.LinkID(len(g.Links)) {
		if used(l) {
			r.offset[r.router[g.Links[l].A]+1]++
			r.offset[r.router[g.Links[l].B]+1]++
		}
	}
	for i := range r.nodes {
		r.degree = max(r.degree, int(r.offset[i+1]))
		r.offset[i+1] += r.offset[i]
	}
	free := slices.Clone(r.offset)
	entries := r.offset[len(r.nodes)]
	r.to, r.back = make([]int32, entries), make([]int32, entries)
	r.port = make([]topo.PortID, entries)
	for l := range topo.LinkID(len(g.Links)) {
		if !used(l) {
			continue
		}
		a, b := r.router[g.Links[l].A], r.router[g.Links[l].B]
		x, y := free[a], free[b]
		free[a]++
		free[b]++
		r.to[x], r.back[x], r.port[x] = b, y, topo.PortID(2*l)
		r.to[y], r.back[y], r.port[y] = a, x, topo.PortID(2*l+1)
	}
}

// unconnected returns two routers without a path between them, if there are any.
func (r *Routers) unconnected() (a, b int, split bool) {
	seen := make([]bool, len(r.nodes))
	queue := []int32{0}
	seen[0] = true
	for i := 0; i < len(queue); i++ {
		for _, next := range r.neighbours(queue[i]) {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	b = slices.Index(seen, false)
	return 0, b, b >= 0
}

func (r *Routers) neighbours(router int32) []int32 {
	return r.to[r.offset[router]:r.offset[router+1]]
}

// Graph returns the graph of the routers.
func (r *Routers) Graph() *topo.Graph { return r.graph }

// Len returns the number of routers, N_r.
func (r *Routers) Len() int { return len(r.nodes) }

// Links returns the number of links between routers, |E|.
func (r *Routers) Links() int { return len(r.to) / 2 }

// Degree returns the most ports to other routers that any router has, k'.
func (r *Routers) Degree() int { return r.degree }

// Edges returns the routers with hosts, or all routers if there are no hosts. The caller
// must not change the result.
func (r *Routers) Edges() []int32 { return r.edges }

// Node returns the node of a router.
func (r *Routers) Node(router int) topo.NodeID { return r.nodes[router] }

// Name returns the name of a router.
func (r *Routers) Name(router int) string { return r.graph.Nodes[r.nodes[router]].Name }

// Router returns the number of a switch, or of a host's switch. It is -1 if the host has no
// switch.
func (r *Routers) Router(n topo.NodeID) int { return int(r.router[n]) }

// Ports returns the ports of a router to others, in order of their numbers. The caller must
// not change them.
func (r *Routers) Ports(router int) []topo.PortID {
	return r.port[r.offset[router]:r.offset[router+1]]
}

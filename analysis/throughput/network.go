package throughput

import (
	"fmt"
	"math"

	"weft/topo"
	"weft/unit"
)

// Network is a graph's routers as a flow network. Its arcs are the graph's ports, by PortID.
// Ports of links to hosts have no capacity, since they are not part of the problem.
type Network struct {
	graph *topo.Graph
	// unit is the rate that counts as 1.
	unit     unit.Rate
	capacity []float64
	// Router n sends on out[first[n]:first[n+1]].
	first []int32
	out   []int32
	head  []int32
	// router is the router of each host, and hosts lists the hosts of each router.
	router []topo.NodeID
	hosts  [][]int32
	// rate is the rate of each host's link.
	rate []float64
}

// NewNetwork makes a network of a graph. Capacities are relative to the rate of the fastest host,
// so a throughput of 1 means that a demand of 1 gets as much as a host can send. It fails if
// there are no hosts.
func NewNetwork(g *topo.Graph) (*Network, error) {
	if len(g.Hosts) == 0 {
		return nil, fmt.Errorf("the graph has no hosts; throughput is between hosts: give some to its routers")
	}
	n := &Network{
		graph: g, capacity: make([]float64, 2*len(g.Links)), head: make([]int32, 2*len(g.Links)),
		router: make([]topo.NodeID, len(g.Hosts)), hosts: make([][]int32, len(g.Nodes)), rate: make([]float64, len(g.Hosts)),
	}
	number := make([]int32, len(g.Nodes))
	for i, h := range g.Hosts {
		number[h] = int32(i)
	}
	isHost := func(v topo.NodeID) bool { return g.Nodes[v].Kind == topo.Host }
	for _, l := range g.Links {
		if isHost(l.A) || isHost(l.B) {
			n.unit = max(n.unit, l.Rate)
		}
	}
	if n.unit <= 0 {
		return nil, fmt.Errorf("no host has a link with a rate; throughput is measured in that rate")
	}
	adjacency := g.Adjacency()
	n.first = make([]int32, len(g.Nodes)+1)
	for v := range g.Nodes {
		for _, p := range adjacency.Ports(topo.NodeID(v)) {
			_, to := g.Ends(p)
			switch {
			case isHost(topo.NodeID(v)):
				n.router[number[v]] = to
				n.rate[number[v]] = float64(g.Links[p.Link()].Rate) / float64(n.unit)
			case isHost(to):
				n.hosts[v] = append(n.hosts[v], number[to])
			default:
				n.capacity[p] = float64(g.Links[p.Link()].Rate) / float64(n.unit)
				n.head[p] = int32(to)
				n.out = append(n.out, int32(p))
			}
		}
		n.first[v+1] = int32(len(n.out))
	}
	return n, nil
}

// Graph returns the graph.
func (n *Network) Graph() *topo.Graph { return n.graph }

// Unit returns the rate that counts as 1.
func (n *Network) Unit() unit.Rate { return n.unit }

// Capacity returns the capacities of all ports. The caller must not change them.
func (n *Network) Capacity() []float64 { return n.capacity }

// Hosts returns a router's hosts, by their index in the graph's Hosts. The caller must not change
// the slice.
func (n *Network) Hosts(router topo.NodeID) []int32 { return n.hosts[router] }

// Router returns the router that a host is attached to.
func (n *Network) Router(host int32) topo.NodeID { return n.router[host] }

// EdgeRouters returns the routers that have hosts, in order of NodeID.
func (n *Network) EdgeRouters() []topo.NodeID {
	var list []topo.NodeID
	for v, hosts := range n.hosts {
		if len(hosts) > 0 {
			list = append(list, topo.NodeID(v))
		}
	}
	return list
}

// Distances returns the number of links from every listed router to every other, row by row. It
// fails if one is unreachable.
func (n *Network) Distances(routers []topo.NodeID) ([]uint8, error) {
	count := len(routers)
	distances := make([]uint8, count*count)
	far := make([]int32, len(n.graph.Nodes))
	var queue []int32
	for i, from := range routers {
		for v := range far {
			far[v] = -1
		}
		far[from] = 0
		queue = append(queue[:0], int32(from))
		for len(queue) > 0 {
			v := queue[0]
			queue = queue[1:]
			for _, e := range n.out[n.first[v]:n.first[v+1]] {
				if to := n.head[e]; far[to] < 0 && n.capacity[e] > 0 {
					far[to] = far[v] + 1
					queue = append(queue, to)
				}
			}
		}
		for j, to := range routers {
			switch d := far[to]; {
			case d < 0:
				return nil, fmt.Errorf("no path leads from %s to %s; connect the graph, or leave one of them without hosts", n.graph.Nodes[from].Name, n.graph.Nodes[to].Name)
			case d > 255:
				return nil, fmt.Errorf("%s is %d links from %s; more than 255 are not supported", n.graph.Nodes[to].Name, d, n.graph.Nodes[from].Name)
			default:
				distances[i*count+j] = uint8(d)
			}
		}
	}
	return distances, nil
}

// distance returns a function for the number of links between two routers with hosts.
func (n *Network) distance() (func(from, to topo.NodeID) int, error) {
	routers := n.EdgeRouters()
	distances, err := n.Distances(routers)
	if err != nil {
		return nil, err
	}
	index := make([]int, len(n.graph.Nodes))
	for i, r := range routers {
		index[r] = i
	}
	return func(from, to topo.NodeID) int { return int(distances[index[from]*len(routers)+index[to]]) }, nil
}

// search finds the cheapest paths from one router to all others.
type search struct {
	*Network
	cost []float64
	// by is the port through which a router is reached. heap holds routers by cost, and place is
	// each router's index in it.
	by    []int32
	heap  []int32
	place []int32
}

func newSearch(n *Network) *search {
	nodes := len(n.graph.Nodes)
	return &search{Network: n, cost: make([]float64, nodes), by: make([]int32, nodes), place: make([]int32, nodes)}
}

// Values of place for routers that are not in the heap.
const (
	unseen = -1
	done   = -2
)

// from finds the cheapest paths from a router until it has reached targets routers marked by
// wanted (Dijkstra 1959). It does not use ports of infinite price.
func (s *search) from(router topo.NodeID, prices []float64, targets int, wanted func(int32) bool) {
	for v := range s.place {
		s.place[v] = unseen
	}
	s.heap = append(s.heap[:0], int32(router))
	s.place[router], s.cost[router] = 0, 0
	for len(s.heap) > 0 {
		v := s.pop()
		if wanted(v) {
			if targets--; targets == 0 {
				return
			}
		}
		for _, e := range s.out[s.first[v]:s.first[v+1]] {
			to := s.head[e]
			if s.place[to] == done || s.capacity[e] == 0 || math.IsInf(prices[e], 1) {
				continue
			}
			cost := s.cost[v] + prices[e]
			switch {
			case s.place[to] == unseen:
				s.place[to] = int32(len(s.heap))
				s.heap = append(s.heap, to)
			case cost >= s.cost[to]:
				continue
			}
			s.cost[to], s.by[to] = cost, e
			s.up(int(s.place[to]))
		}
	}
}

// less orders by cost, and by number for equal costs.
func (s *search) less(a, b int32) bool {
	return s.cost[a] < s.cost[b] || s.cost[a] == s.cost[b] && a < b
}

func (s *search) up(i int) {
	v := s.heap[i]
	for i > 0 {
		parent := (i - 1) / 4
		u := s.heap[parent]
		if !s.less(v, u) {
			break
		}
		s.heap[i] = u
		s.place[u] = int32(i)
		i = parent
	}
	s.heap[i] = v
	s.place[v] = int32(i)
}

func (s *search) pop() int32 {
	top := s.heap[0]
	s.place[top] = done
	last := len(s.heap) - 1
	v := s.heap[last]
	s.heap = s.heap[:last]
	if last == 0 {
		return top
	}
	i := 0
	for {
		child, least := 4*i+1, -1
		for c := child; c < min(child+4, last); c++ {
			if least < 0 || s.less(s.heap[c], s.heap[least]) {
				least = c
			}
		}
		if least < 0 || !s.less(s.heap[least], v) {
			break
		}
		s.heap[i] = s.heap[least]
		s.place[s.heap[i]] = int32(i)
		i = least
	}
	s.heap[i] = v
	s.place[v] = int32(i)
	return top
}

// path appends the ports from the source of the search to another router. It returns false if
// that router was not reached.
func (s *search) path(router, to topo.NodeID, path []int32) ([]int32, bool) {
	if s.place[to] != done {
		return path, false
	}
	begin := len(path)
	for v := to; v != router; {
		e := s.by[v]
		path = append(path, e)
		v, _ = s.graph.Ends(topo.PortID(e))
	}
	for i, j := begin, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path, true
}

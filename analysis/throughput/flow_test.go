package throughput

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"weft/topo"
	"weft/unit"
)

// build makes a graph of routers with hosts and links of rate 1 Gbps.
func build(t testing.TB, routers, hosts int, links ...[2]int) *topo.Graph {
	t.Helper()
	rate := unit.Rate(1_000_000_000)
	g := &topo.Graph{}
	for i := range routers {
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("r%d", i), Kind: topo.Switch, Tier: 1})
	}
	for _, l := range links {
		g.Links = append(g.Links, topo.Link{A: topo.NodeID(l[0]), B: topo.NodeID(l[1]), Rate: rate})
	}
	for i := range routers * hosts {
		g.Hosts = append(g.Hosts, topo.NodeID(len(g.Nodes)))
		g.Links = append(g.Links, topo.Link{A: topo.NodeID(i / hosts), B: topo.NodeID(len(g.Nodes)), Rate: rate})
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("host%d", i), Kind: topo.Host})
	}
	return g
}

func network(t testing.TB, g *topo.Graph) *Network {
	t.Helper()
	n, err := NewNetwork(g)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func clique(t testing.TB, n, hosts int) *Network {
	var links [][2]int
	for a := range n {
		for b := range a {
			links = append(links, [2]int{a, b})
		}
	}
	return network(t, build(t, n, hosts, links...))
}

func ring(t testing.TB, n, hosts int) *Network {
	var links [][2]int
	for a := range n {
		links = append(links, [2]int{a, (a + 1) % n})
	}
	return network(t, build(t, n, hosts, links...))
}

// flow solves and checks everything that a result promises.
func flow(t testing.TB, n *Network, list []Commodity, gap float64) *Result {
	t.Helper()
	r, p, err := n.SolveFlow(context.Background(), list, Options{Gap: gap})
	if err != nil {
		t.Fatal(err)
	}
	if lower, err := p.Feasible(r.Shares); err != nil || math.Abs(lower/r.Lower-1) > 1e-9 {
		t.Errorf("the shares reach %v (%v), the result says %v", lower, err, r.Lower)
	}
	// Bellman and Ford find all distances without a heap.
	pays := 0.0
	for _, c := range list {
		far := make([]float64, len(n.graph.Nodes))
		for v := range far {
			far[v] = math.Inf(1)
		}
		far[c.From] = 0
		for changed := true; changed; {
			changed = false
			for e, room := range n.capacity {
				from, to := n.graph.Ends(topo.PortID(e))
				if cost := far[from] + r.Prices[e]; room > 0 && cost < far[to]*(1-1e-12) {
					far[to], changed = cost, true
				}
			}
		}
		pays += c.Size * far[c.To]
	}
	worth := 0.0
	for e, c := range n.capacity {
		worth += c * r.Prices[e]
	}
	if math.Abs(worth/pays/r.Upper-1) > 1e-6 {
		t.Errorf("the prices bound the throughput by %v, the result says %v", worth/pays, r.Upper)
	}
	if r.Lower > r.Upper || r.Gap() > gap {
		t.Errorf("bounds %v and %v", r.Lower, r.Upper)
	}
	return r
}

// In a clique where every router sends d to every other, direct links are best:
// T = 1/d. Where all send to one partner, T = n/2: every link carries flow, each
// of the n-1 links of a router counts once directly and half over detours.
func TestFlowOnCliques(t *testing.T) {
	n := clique(t, 8, 1)
	var uniform, partners []Commodity
	for a := range topo.NodeID(8) {
		for b := range topo.NodeID(8) {
			if a != b {
				uniform = append(uniform, Commodity{a, b, 2})
			}
		}
		partners = append(partners, Commodity{a, a ^ 1, 1})
	}
	contain(t, flow(t, n, uniform, 0.001), 0.5)
	contain(t, flow(t, n, partners, 0.001), 4)
}

// A ring of n routers: opposite ones T = 4/n; all to all, with n odd, every flow
// takes its short way, and each direction carries (n²-1)/8 of them: T = 8/(n²-1).
func TestFlowOnRings(t *testing.T) {
	var opposite, all []Commodity
	for a := range topo.NodeID(10) {
		opposite = append(opposite, Commodity{a, (a + 5) % 10, 1})
	}
	contain(t, flow(t, ring(t, 10, 1), opposite, 0.001), 0.4)
	for a := range topo.NodeID(9) {
		for b := range topo.NodeID(9) {
			if a != b {
				all = append(all, Commodity{a, b, 1})
			}
		}
	}
	contain(t, flow(t, ring(t, 9, 1), all, 0.001), 0.1)
}

// A star of n leaves around a hub: all to all T = 1/(n-1), and all to one the same.
func TestFlowOnStars(t *testing.T) {
	var edges [][2]int
	var all, one []Commodity
	for a := range topo.NodeID(7) {
		edges = append(edges, [2]int{7, int(a)})
		for b := range topo.NodeID(7) {
			if a != b {
				all = append(all, Commodity{a, b, 1})
			}
		}
		if a > 0 {
			one = append(one, Commodity{a, 0, 1})
		}
	}
	n := network(t, build(t, 8, 1, edges...))
	contain(t, flow(t, n, all, 0.001), 1./6)
	contain(t, flow(t, n, one, 0.001), 1./6)
}

// Flow from one router to another is the least cut, as max-flow has it.
func TestFlowIsTheLeastCut(t *testing.T) {
	n := network(t, build(t, 6, 1, [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}, {1, 2}, {4, 5}, {3, 5}}...))
	contain(t, flow(t, n, []Commodity{{0, 5, 1}}, 0.0001), 2)
}

func TestFlowOfParallelLinksAndRates(t *testing.T) {
	g := build(t, 2, 1, [2]int{0, 1}, [2]int{0, 1}, [2]int{0, 1})
	g.Links[1].Rate = 500_000_000
	contain(t, flow(t, network(t, g), []Commodity{{0, 1, 1}, {1, 0, 2}}, 0.0001), 1.25)
}

func TestRestrict(t *testing.T) {
	n := ring(t, 4, 1)
	a := n.graph.Adjacency()
	direct := func(from, to topo.NodeID) topo.PortID {
		for _, p := range a.Ports(from) {
			if _, end := n.graph.Ends(p); end == to {
				return p
			}
		}
		t.Fatalf("%d and %d are not neighbours", from, to)
		return 0
	}
	one := []Commodity{{0, 2, 1}}
	p, err := n.Restrict(one, func(from, to topo.NodeID, yield func([]topo.PortID)) {
		path := []topo.PortID{direct(0, 1), direct(1, 2)}
		yield(path)
		yield(path)
		path[0], path[1] = direct(0, 3), direct(3, 2)
		yield(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Paths() != 2 {
		t.Errorf("%d paths of 2", p.Paths())
	}
	contain(t, solve(t, p, 0.0001), 2)
	for what, path := range map[string][]topo.PortID{
		"ends elsewhere": {direct(0, 1)}, "begins elsewhere": {direct(1, 2)}, "jumps": {direct(0, 1), direct(3, 2)},
		"has a loop": {direct(0, 1), direct(1, 0), direct(0, 1), direct(1, 2)},
	} {
		if _, err := n.Restrict(one, func(_, _ topo.NodeID, yield func([]topo.PortID)) { yield(path) }); err == nil {
			t.Errorf("a path that %s was taken", what)
		}
	}
	if _, err := n.Restrict(one, func(_, _ topo.NodeID, _ func([]topo.PortID)) {}); !errors.Is(err, ErrNoPath) {
		t.Errorf("a pair without paths: %v", err)
	}
}

func TestFlowRefusesWhatIsNotConnected(t *testing.T) {
	n := network(t, build(t, 4, 1, [2]int{0, 1}, [2]int{2, 3}))
	if _, _, err := n.SolveFlow(context.Background(), []Commodity{{0, 3, 1}}, Options{}); !errors.Is(err, ErrNoPath) {
		t.Errorf("%v", err)
	}
	if _, err := n.Distances(n.EdgeRouters()); err == nil {
		t.Error("distances of what is not connected")
	}
	if _, err := NewNetwork(&topo.Graph{}); err == nil {
		t.Error("a graph without hosts was taken")
	}
}

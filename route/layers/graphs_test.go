package layers

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/topo"
	"weft/unit"
)

// network makes a graph of routers with so many hosts each and these links.
func network(hosts []int, links [][2]int) *topo.Graph {
	g := &topo.Graph{}
	for r := range hosts {
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("r%d", r), Kind: topo.Switch, Tier: 1})
	}
	for r, n := range hosts {
		for range n {
			h := topo.NodeID(len(g.Nodes))
			g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("host%d", len(g.Hosts)), Kind: topo.Host})
			g.Hosts = append(g.Hosts, h)
			g.Links = append(g.Links, topo.Link{A: h, B: topo.NodeID(r), Rate: unit.Gbps})
		}
	}
	for _, l := range links {
		g.Links = append(g.Links, topo.Link{A: topo.NodeID(l[0]), B: topo.NodeID(l[1]), Rate: unit.Gbps})
	}
	return g
}

// anyGraph draws a connected graph, in which some routers may lack hosts and links
// may be parallel.
func anyGraph(t *rapid.T) *topo.Graph {
	n := rapid.IntRange(2, 12).Draw(t, "routers")
	var links [][2]int
	for r := 1; r < n; r++ {
		links = append(links, [2]int{r, rapid.IntRange(0, r-1).Draw(t, "parent")})
	}
	for range rapid.IntRange(0, 3*n).Draw(t, "more") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
		if a != b {
			links = append(links, [2]int{a, b})
		}
	}
	hosts := make([]int, n)
	for r := range hosts {
		hosts[r] = rapid.SampledFrom([]int{1, 1, 1, 0, 3}).Draw(t, "hosts")
	}
	hosts[0], hosts[n-1] = 1, 2
	g := network(hosts, links)
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	return g
}

func routers(t interface {
	Helper()
	Fatal(...any)
}, g *topo.Graph) *Routers {
	t.Helper()
	r, err := NewRouters(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// slimFly is the MMS graph of a prime order q = 4w+1, with some hosts on each router.
func slimFly(q, hosts int) *topo.Graph {
	x := 2
	for ; ; x++ {
		p, order := x, 1
		for ; p != 1; p = p * x % q {
			order++
		}
		if order == q-1 {
			break
		}
	}
	generator := [2][]bool{make([]bool, q), make([]bool, q)}
	for i, p := 0, 1; i < q-1; i, p = i+1, p*x%q {
		generator[i%2][p] = true
	}
	id := func(s, a, b int) int { return (s*q+a)*q + b }
	var links [][2]int
	for s := range 2 {
		for a := range q {
			for b := range q {
				for c := range b {
					if generator[s][b-c] {
						links = append(links, [2]int{id(s, a, b), id(s, a, c)})
					}
				}
			}
		}
	}
	for a := range q {
		for m := range q {
			for c := range q {
				links = append(links, [2]int{id(0, a, (m*a+c)%q), id(1, m, c)})
			}
		}
	}
	n := make([]int, 2*q*q)
	for i := range n {
		n[i] = hosts
	}
	return network(n, links)
}

var _ testing.TB

package layers

import (
	"fmt"

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

// failer is a test of any kind.
type failer interface {
	Helper()
	Fatal(...any)
}

func routers(t failer, g *topo.Graph) *Routers {
	t.Helper()
	r, err := NewRouters(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ring is a cycle of routers with a host each.
func ring(n int) *topo.Graph {
	hosts := make([]int, n)
	var links [][2]int
	for i := range n {
		hosts[i] = 1
		links = append(links, [2]int{i, (i + 1) % n})
	}
	return network(hosts, links)
}

// hopsTo is the distance of every router to one over the directed links for which
// has is true, or -1, by relaxing them until nothing changes.
func hopsTo(r *Routers, has func(e int32) bool, to int32) []int {
	d := make([]int, r.Len())
	for i := range d {
		d[i] = -1
	}
	d[to] = 0
	for changed := true; changed; {
		changed = false
		for e := range int32(len(r.to)) {
			from, next := r.to[r.back[e]], r.to[e]
			if has(e) && d[next] >= 0 && (d[from] < 0 || d[from] > d[next]+1) {
				d[from] = d[next] + 1
				changed = true
			}
		}
	}
	return d
}

// walk checks that ports lead from one router to another without meeting one twice,
// and returns their entries.
func walk(t failer, r *Routers, path []topo.PortID, from, to int) []int32 {
	t.Helper()
	seen := map[int]bool{from: true}
	var entries []int32
	for _, p := range path {
		a, b := r.Graph().Ends(p)
		if r.Router(a) != from {
			t.Fatal("port", p, "leaves", r.Router(a), "and not", from)
		}
		from = r.Router(b)
		if seen[from] {
			t.Fatal("a path meets router", from, "twice")
		}
		seen[from] = true
		for e := r.offset[r.Router(a)]; e < r.offset[r.Router(a)+1]; e++ {
			if r.port[e] == p {
				entries = append(entries, e)
			}
		}
	}
	if from != to || len(entries) != len(path) {
		t.Fatal("a path ends at", from, "and not", to)
	}
	return entries
}

// simplePaths are all paths without loops, as entries.
func simplePaths(r *Routers, from, to int32) [][]int32 {
	var all [][]int32
	seen := make([]bool, r.Len())
	var visit func(x int32, path []int32)
	visit = func(x int32, path []int32) {
		if x == to {
			all = append(all, append([]int32(nil), path...))
			return
		}
		seen[x] = true
		for e := r.offset[x]; e < r.offset[x+1]; e++ {
			if !seen[r.to[e]] {
				visit(r.to[e], append(path, e))
			}
		}
		seen[x] = false
	}
	visit(from, nil)
	return all
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

package route

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"weft/topo"
	"weft/unit"
)

// crowd is a random network of 300 switches with about 40 links to others, more than manyPorts, and of
// more edge switches than one search serves.
func crowd() (*topo.Graph, *rand.Rand) {
	const switches, density = 300, 0.13
	random := rand.New(rand.NewPCG(7, 11))
	g := &topo.Graph{}
	for i := range switches {
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprint("s", i)})
	}
	for a := range switches {
		for b := range a {
			if random.Float64() < density {
				g.Links = append(g.Links, topo.Link{A: topo.NodeID(a), B: topo.NodeID(b), Rate: unit.Gbps})
			}
		}
	}
	for i := range switches {
		if i%13 != 0 {
			g.Links = append(g.Links, topo.Link{A: topo.NodeID(i), B: topo.NodeID(len(g.Nodes)), Rate: unit.Gbps})
			g.Hosts = append(g.Hosts, topo.NodeID(len(g.Nodes)))
			g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprint("host", i), Kind: topo.Host})
		}
	}
	return g, random
}

func share(g *topo.Graph, random *rand.Rand, of float64) func(topo.LinkID) bool {
	chosen := make([]bool, len(g.Links))
	for i := range chosen {
		chosen[i] = random.Float64() < of
	}
	return func(l topo.LinkID) bool { return chosen[l] }
}

// steps returns the distance of every switch to one of them over usable links, -1 if there is none.
func steps(g *topo.Graph, neighbours [][]topo.PortID, down func(topo.LinkID) bool, to topo.NodeID) []int {
	d := slices.Repeat([]int{-1}, len(g.Nodes))
	d[to] = 0
	for queue := []topo.NodeID{to}; len(queue) > 0; queue = queue[1:] {
		for _, p := range neighbours[queue[0]] {
			if _, n := g.Ends(p); !down(p.Link()) && d[n] < 0 {
				d[n] = d[queue[0]] + 1
				queue = append(queue, n)
			}
		}
	}
	return d
}

// TestManyPortsAgreeWithTheDefinition compares the drawn next hops of a network whose switches have many
// ports with distances, in layers of which one has all links and one so few that most pairs stray,
// with links down: each is nearer, and each walk ends within the layer's distance where there is one.
func TestManyPortsAgreeWithTheDefinition(t *testing.T) {
	g, random := crowd()
	down := share(g, random, 0.05)
	all := func(topo.LinkID) bool { return true }
	has := []func(topo.LinkID) bool{all, share(g, random, 0.5), share(g, random, 0.015)}
	l := Layering{Layers: len(has), Seed: 5, Has: func(layer int, k topo.LinkID) bool { return has[layer](k) }}
	tables, err := Layered(g, Options{Down: down}, l)
	if err != nil {
		t.Fatal(err)
	}
	if tables.numbers.narrow == nil || !tables.FirstIsMinimal() {
		t.Error("tables take more than a byte, or do not begin with the whole network")
	}
	neighbours := make([][]topo.PortID, len(g.Nodes))
	for p := range topo.PortID(2 * len(g.Links)) {
		if from, to := g.Ends(p); g.Nodes[from].Kind == topo.Switch && g.Nodes[to].Kind == topo.Switch {
			neighbours[from] = append(neighbours[from], p)
		}
	}
	for layer := range has {
		var want Walks
		unusable := func(k topo.LinkID) bool { return down(k) || !has[layer](k) }
		for e, end := range edgesOf(g) {
			within, whole := steps(g, neighbours, unusable, end), steps(g, neighbours, down, end)
			most := slices.Max(within)
			for from := range topo.NodeID(len(neighbours)) {
				if g.Nodes[from].Kind == topo.Host || from == end {
					continue
				}
				d, out := within, unusable
				if within[from] < 0 {
					d, out = whole, down
				}
				hops := tables.HopsIn(layer, from, int32(e))
				if d[from] < 0 {
					if len(hops) > 0 {
						t.Fatalf("layer %d: %d leads to %d, which is out of reach", layer, from, end)
					}
					continue
				}
				if len(hops) != 1 {
					t.Fatalf("layer %d: %d next hops from %d to %d", layer, len(hops), from, end)
				}
				if at, next := g.Ends(hops[0]); at != from || out(hops[0].Link()) || d[next] != d[from]-1 {
					t.Fatalf("layer %d: %d to %d goes on to %d", layer, from, end, next)
				}
				n := 0
				for sw := from; sw != end; n++ {
					_, sw = g.Ends(tables.HopsIn(layer, sw, int32(e))[0])
				}
				if within[from] >= 0 && n != within[from] || within[from] < 0 && n > whole[from]+most {
					t.Fatalf("layer %d: %d links from %d to %d, whose distances are %d and %d", layer, n, from, end, within[from], whole[from])
				}
				if tables.Edge(from) < 0 {
					continue
				}
				want.Pairs++
				want.Links += int64(n)
				want.Longest = max(want.Longest, n)
				if within[from] < 0 {
					want.Strays++
				}
			}
		}
		if got := tables.Walks(layer); got != want {
			t.Errorf("layer %d: %+v, want %+v", layer, got, want)
		}
		if layer == 2 && want.Strays < want.Pairs/2 {
			t.Errorf("only %d of %d pairs stray", want.Strays, want.Pairs)
		}
	}
}

// TestDrawnIsAmongAll compares drawn next hops with those of tables that keep all, over several batches of edge switches.
func TestDrawnIsAmongAll(t *testing.T) {
	g, random := crowd()
	has := share(g, random, 0.3)
	l := Layering{Layers: 2, Seed: 5, Has: func(layer int, k topo.LinkID) bool { return layer == 0 || has(k) }}
	drawn, err := Layered(g, Options{}, l)
	if err != nil {
		t.Fatal(err)
	}
	l.All = true
	all, err := Layered(g, Options{}, l)
	if err != nil {
		t.Fatal(err)
	}
	if drawn.batches() < 2 {
		t.Fatalf("%d edge switches are one batch", drawn.Edges())
	}
	for layer := range l.Layers {
		for e := range int32(drawn.Edges()) {
			for _, sw := range drawn.nodes {
				one, any := drawn.HopsIn(layer, sw, e), all.HopsIn(layer, sw, e)
				if len(one) != min(1, len(any)) || len(one) == 1 && !slices.Contains(any, one[0]) {
					t.Fatalf("layer %d, from %d to edge switch %d: drew %v of %v", layer, sw, e, one, any)
				}
			}
		}
	}
}

// TestProcessorsChangeNothing draws with one processor and with four.
func TestProcessorsChangeNothing(t *testing.T) {
	g, random := crowd()
	has := share(g, random, 0.02)
	l := Layering{Layers: 2, Seed: 5, Has: func(_ int, k topo.LinkID) bool { return has(k) }}
	var numbers [2][]uint8
	var walks [2]Walks
	for i, n := range []int{1, 4} {
		before := runtime.GOMAXPROCS(n)
		tables, err := Layered(g, Options{}, l)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		numbers[i], walks[i] = tables.numbers.narrow, tables.Walks(1)
	}
	if !slices.Equal(numbers[0], numbers[1]) || walks[0] != walks[1] {
		t.Error("next hops depend on the number of processors")
	}
}

// TestFewOfManyPortsAreDrawnEvenly has 16 of the 64 ports of a switch lead on, so that some draws end with
// one of the ports that are tried and some with a ranking, and compares how often each is taken:
// within 5 standard deviations of a fair draw. A port more that is lost changes only what it was drawn for.
func TestFewOfManyPortsAreDrawnEvenly(t *testing.T) {
	const spines, candidates, layers = 64, 16, 4000
	g, err := topo.LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: spines, Rate: unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	from, to := node(t, g, "tor0"), node(t, g, "tor1")
	l := Layering{Layers: layers, Seed: 1, Has: func(int, topo.LinkID) bool { return true }}
	draw := func(left int) *Tables {
		kept := 0
		lost := map[topo.LinkID]bool{}
		for k := range topo.LinkID(len(g.Links)) {
			a, b := g.Links[k].A, g.Links[k].B
			if (a == to || b == to) && g.Nodes[a].Kind == topo.Switch && g.Nodes[b].Kind == topo.Switch {
				if kept++; kept > left {
					lost[k] = true
				}
			}
		}
		tables, err := Layered(g, Options{Down: func(k topo.LinkID) bool { return lost[k] }}, l)
		if err != nil {
			t.Fatal(err)
		}
		return tables
	}
	before, after := draw(candidates), draw(candidates-1)
	count := map[topo.PortID]int{}
	changed := map[topo.PortID]bool{}
	for layer := range layers {
		was, is := before.HopsIn(layer, from, 1)[0], after.HopsIn(layer, from, 1)[0]
		count[was]++
		if was != is {
			changed[was] = true
		}
	}
	const mean, tolerance = layers / candidates, 77 // 5·√(4000·1/16·15/16)
	if len(count) != candidates || len(changed) != 1 {
		t.Errorf("%d ports are taken, and draws of %d change", len(count), len(changed))
	}
	for p, n := range count {
		if n < mean-tolerance || n > mean+tolerance {
			t.Errorf("%s is taken in %d layers, want %d ± %d", g.PortName(p), n, mean, tolerance)
		}
	}
}

// TestSetsOfManyPathsAreLimited has a random network, in which hardly two destinations have the same
// next hops, take more memory for them than it may.
func TestSetsOfManyPathsAreLimited(t *testing.T) {
	g, _ := crowd()
	if _, err := Minimal(g, Options{Most: unit.GiB}); err != nil {
		t.Error(err)
	}
	_, err := Minimal(g, Options{Most: 100 * unit.KiB})
	if want := "next hops on all shortest paths take more than 100KiB for 300 switches; write routing.policy: {kind: layers, scheme: minimal}"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

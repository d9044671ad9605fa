package route

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/topo"
	"weft/unit"
)

const half = 500 * unit.Nanosecond

// anyGraph draws a connected network with parallel links, switches with and
// without hosts, and hosts that are not the first nodes.
func anyGraph(t *rapid.T) *topo.Graph {
	g := &topo.Graph{}
	n := rapid.IntRange(1, 14).Draw(t, "switches")
	for i := range n {
		latency := unit.Time(rapid.IntRange(0, 3).Draw(t, "latency")) * half
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprint("s", i), Latency: latency})
	}
	join := func(x, y int) {
		if rapid.Bool().Draw(t, "turned") {
			x, y = y, x
		}
		g.Links = append(g.Links, topo.Link{
			A: topo.NodeID(x), B: topo.NodeID(y),
			Rate:  unit.Gbps * unit.Rate(rapid.IntRange(1, 4).Draw(t, "rate")),
			Delay: unit.Time(rapid.IntRange(0, 3).Draw(t, "delay")) * half,
		})
	}
	for i := 1; i < n; i++ {
		join(i, rapid.IntRange(0, i-1).Draw(t, "parent"))
	}
	hosts := rapid.IntRange(1, 8).Draw(t, "hosts")
	for i := range hosts {
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprint("host", i), Kind: topo.Host})
		g.Hosts = append(g.Hosts, topo.NodeID(n+i))
		join(n+i, rapid.IntRange(0, n-1).Draw(t, "switch"))
	}
	if n > 1 {
		for range rapid.IntRange(0, 3*n).Draw(t, "extra") {
			x := rapid.IntRange(1, n-1).Draw(t, "x")
			join(x, rapid.IntRange(0, x-1).Draw(t, "y"))
		}
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	return g
}

// anyDown draws links that are down.
func anyDown(t *rapid.T, g *topo.Graph) func(topo.LinkID) bool {
	down := rapid.SliceOfN(rapid.SampledFrom([]bool{false, false, false, true}), len(g.Links), len(g.Links)).Draw(t, "down")
	return func(l topo.LinkID) bool { return down[l] }
}

// distances returns the number of links from every switch to one of them, found
// by relaxing all links over and over; -1 is unreachable.
func distances(g *topo.Graph, down func(topo.LinkID) bool, to topo.NodeID) []int {
	d := slices.Repeat([]int{-1}, len(g.Nodes))
	d[to] = 0
	for range g.Nodes {
		for p := range topo.PortID(2 * len(g.Links)) {
			x, y := g.Ends(p)
			if usable(g, down, p) && d[y] >= 0 && (d[x] < 0 || d[y]+1 < d[x]) {
				d[x] = d[y] + 1
			}
		}
	}
	return d
}

func usable(g *topo.Graph, down func(topo.LinkID) bool, p topo.PortID) bool {
	x, y := g.Ends(p)
	return g.Nodes[x].Kind == topo.Switch && g.Nodes[y].Kind == topo.Switch && !down(p.Link())
}

func edgesOf(g *topo.Graph) []topo.NodeID {
	var edges []topo.NodeID
	for n := range g.Nodes {
		if g.Nodes[n].Kind == topo.Switch && slices.ContainsFunc(g.Links, func(l topo.Link) bool {
			return l.A == topo.NodeID(n) && g.Nodes[l.B].Kind == topo.Host || l.B == topo.NodeID(n) && g.Nodes[l.A].Kind == topo.Host
		}) {
			edges = append(edges, topo.NodeID(n))
		}
	}
	return edges
}

func TestMinimalAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		down := anyDown(t, g)
		tables, err := Minimal(g, Options{Down: down})
		if err != nil {
			t.Fatal(err)
		}
		edges := edgesOf(g)
		if tables.Edges() != len(edges) {
			t.Fatalf("%d edge switches, want %d", tables.Edges(), len(edges))
		}
		for e, end := range edges {
			if tables.Edge(end) != int32(e) || tables.EdgeSwitch(int32(e)) != end {
				t.Fatalf("edge switch %d is number %d, want %d", end, tables.Edge(end), e)
			}
			d := distances(g, down, end)
			for n := range g.Nodes {
				sw := topo.NodeID(n)
				if g.Nodes[n].Kind == topo.Host {
					continue
				}
				var want []topo.PortID
				for p := range topo.PortID(2 * len(g.Links)) {
					if x, y := g.Ends(p); x == sw && usable(g, down, p) && d[n] > 0 && d[y] == d[n]-1 {
						want = append(want, p)
					}
				}
				if got := tables.Hops(sw, int32(e)); !slices.Equal(got, want) {
					t.Fatalf("next hops from %d to %d: %v, want %v", n, end, got, want)
				}
				if got := tables.Distance(sw, int32(e)); got != d[n] {
					t.Fatalf("distance from %d to %d: %d, want %d", n, end, got, d[n])
				}
			}
		}
	})
}

func TestEdgeOfHostsAndOthers(t *testing.T) {
	g, tables := leafSpine(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 2, Rate: unit.Gbps}, Options{})
	for name, want := range map[string]int32{"host0": 0, "host3": 1, "host5": 2, "tor0": 0, "tor2": 2, "spine0": -1} {
		n, _ := g.Node(name)
		if got := tables.Edge(n); got != want {
			t.Errorf("Edge(%s) = %d, want %d", name, got, want)
		}
	}
}

func leafSpine(t *testing.T, o topo.LeafSpine, r Options) (*topo.Graph, *Tables) {
	t.Helper()
	g, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := Minimal(g, r)
	if err != nil {
		t.Fatal(err)
	}
	return g, tables
}

func node(t *testing.T, g *topo.Graph, name string) topo.NodeID {
	t.Helper()
	n, ok := g.Node(name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	return n
}

func names(g *topo.Graph, ports []topo.PortID) string {
	var names []string
	for _, p := range ports {
		names = append(names, g.PortName(p))
	}
	return strings.Join(names, " ")
}

// More than 64 edge switches take more than one search.
func TestManyEdgeSwitches(t *testing.T) {
	g, tables := leafSpine(t, topo.LeafSpine{ToRs: 150, HostsPerToR: 1, Spines: 3, LinksPerSpine: 2, Rate: unit.Gbps}, Options{})
	spine := node(t, g, "spine1")
	tor := node(t, g, "tor7")
	for e := range int32(150) {
		to := fmt.Sprint("spine1->tor", e)
		if got, want := names(g, tables.Hops(spine, e)), to+" "+to+"#1"; got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		want := "tor7->spine0 tor7->spine0#1 tor7->spine1 tor7->spine1#1 tor7->spine2 tor7->spine2#1"
		if e == 7 {
			want = ""
		}
		if got := names(g, tables.Hops(tor, e)); got != want {
			t.Fatalf("towards %d: got %s, want %s", e, got, want)
		}
	}
	index := tables.Index(tor)
	offsets, ports := tables.Sets(tor)
	if len(index) != 150 || len(offsets) != 3 || len(ports) != 6 {
		t.Errorf("a ToR has %d sets of %d ports for %d edge switches; want 2, 6, 150", len(offsets)-1, len(ports), len(index))
	}
}

func TestDownLinkIsAvoided(t *testing.T) {
	o := topo.LeafSpine{ToRs: 3, HostsPerToR: 1, Spines: 2, Rate: unit.Gbps}
	g, _ := leafSpine(t, o, Options{})
	ports, err := g.MatchPorts("tor0->spine0")
	if err != nil {
		t.Fatal(err)
	}
	g, tables := leafSpine(t, o, Options{Down: func(l topo.LinkID) bool { return l == ports[0].Link() }})
	for _, test := range []struct{ from, to, want string }{
		{"tor0", "tor1", "tor0->spine1"},
		{"tor1", "tor0", "tor1->spine1"},
		{"tor1", "tor2", "tor1->spine0 tor1->spine1"},
		{"spine0", "tor0", "spine0->tor1 spine0->tor2"},
	} {
		if got := names(g, tables.Hops(node(t, g, test.from), tables.Edge(node(t, g, test.to)))); got != test.want {
			t.Errorf("%s to %s: got %s, want %s", test.from, test.to, got, test.want)
		}
	}
}

func TestWeighted(t *testing.T) {
	for _, test := range []struct {
		name  string
		rates []unit.Rate
		// want is how often each uplink is in the set.
		want []int
	}{
		{"equal", []unit.Rate{400, 400, 400}, []int{1, 1, 1}},
		{"half", []unit.Rate{200, 400, 400}, []int{1, 2, 2}},
		{"lowest terms", []unit.Rate{100, 250}, []int{2, 5}},
		{"64 at most", []unit.Rate{1000, 1, 999}, []int{32, 0, 32}},
		{"ties go to the first", []unit.Rate{101, 101, 101, 1}, []int{22, 21, 21, 0}},
		{"dead", []unit.Rate{0, 400}, []int{0, 1}},
		{"all dead", []unit.Rate{0, 0}, []int{1, 1}},
		{"huge", []unit.Rate{1<<63 - 1, 1<<63 - 1}, []int{1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := topo.LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: len(test.rates), Rate: unit.Gbps}
			g, err := o.Build()
			if err != nil {
				t.Fatal(err)
			}
			tables, err := Minimal(g, Options{Weighted: true, Rate: func(p topo.PortID) unit.Rate {
				from, to := g.Ends(p)
				if g.Nodes[from].Name == "tor0" {
					return test.rates[to-node(t, g, "spine0")]
				}
				return unit.Gbps
			}})
			if err != nil {
				t.Fatal(err)
			}
			got := make([]int, len(test.rates))
			for _, p := range tables.Hops(node(t, g, "tor0"), 1) {
				_, to := g.Ends(p)
				got[to-node(t, g, "spine0")]++
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if hops := tables.Hops(node(t, g, "tor0"), 1); !slices.IsSorted(hops) {
				t.Errorf("%v is not in order", hops)
			}
		})
	}
}

// The entries of a set stay within one of what is proportional, in 64 entries
// or as many as there are ports.
func TestWeightsAreProportional(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(rapid.Int64Range(1, 1<<40), 2, 100).Draw(t, "rates")
		set := make([]topo.PortID, len(rates))
		total := 0.0
		for i, r := range rates {
			set[i] = topo.PortID(i)
			total += float64(r)
		}
		w := weigher{rate: func(p topo.PortID) unit.Rate { return unit.Rate(rates[p]) }}
		entries := w.weigh(set)
		if most := max(maxEntries, len(set)); len(entries) > most {
			t.Fatalf("%d entries, at most %d", len(entries), most)
		}
		got := make([]float64, len(rates))
		for _, p := range entries {
			got[p]++
		}
		for i, r := range rates {
			want := float64(r) / total * float64(len(entries))
			if d := got[i] - want; d <= -1.000001 || d >= 1.000001 {
				t.Fatalf("port %d has %v of %d entries, want about %v", i, got[i], len(entries), want)
			}
		}
	})
}

func TestSwitchWithoutHostsAndLinks(t *testing.T) {
	g, tables := star(t, 1)
	if tables.Edges() != 1 || len(tables.Hops(node(t, g, "tor0"), 0)) != 0 || tables.Distance(node(t, g, "tor0"), 0) != 0 {
		t.Errorf("a lone switch: %+v", tables)
	}
}

func star(t *testing.T, hosts int) (*topo.Graph, *Tables) {
	t.Helper()
	g, err := topo.Star{Hosts: hosts, Rate: unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := Minimal(g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g, tables
}

func TestTooManySets(t *testing.T) {
	var s interner
	for i := range maxSets {
		if id, ok := s.intern([]topo.PortID{topo.PortID(i)}); !ok || int(id) != i+1 {
			t.Fatalf("set %d is number %d, %v", i, id, ok)
		}
	}
	if id, ok := s.intern([]topo.PortID{5}); !ok || id != 6 {
		t.Errorf("an old set is number %d, %v", id, ok)
	}
	if id, ok := s.intern([]topo.PortID{-1}); ok {
		t.Errorf("one set too many is number %d", id)
	}
}

func BenchmarkMinimal(b *testing.B) {
	for _, radix := range []int{16, 32} {
		g, err := topo.FatTree{Tiers: 3, Radix: &radix, Rate: unit.Gbps}.Build()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(len(g.Hosts), " hosts"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Minimal(g, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

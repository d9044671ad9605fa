package topo

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

func TestValidateRefuses(t *testing.T) {
	sound := func() *Graph {
		return &Graph{
			Nodes: []Node{{Name: "host0", Kind: Host}, {Name: "host1", Kind: Host}, {Name: "tor0", Tier: 1}},
			Links: []Link{{A: 0, B: 2, Rate: rate}, {A: 1, B: 2, Rate: rate}},
			Hosts: []NodeID{0, 1},
		}
	}
	if err := sound().Validate(); err != nil {
		t.Fatalf("a sound graph: %v", err)
	}
	for _, test := range []struct {
		name   string
		damage func(*Graph)
		wrong  string
	}{
		{"no name", func(g *Graph) { g.Nodes[1].Name = "" }, "no name"},
		{"same name", func(g *Graph) { g.Nodes[1].Name = "host0" }, `two nodes are named "host0"`},
		{"star in a name", func(g *Graph) { g.Nodes[1].Name = "host*" }, "which patterns use"},
		{"arrow in a name", func(g *Graph) { g.Nodes[1].Name = "a->b" }, "which patterns use"},
		{"range as a name", func(g *Graph) { g.Nodes[1].Name = "a..b" }, "which patterns use"},
		{"blank in a name", func(g *Graph) { g.Nodes[1].Name = "a b" }, `contains ' '`},
		{"control in a name", func(g *Graph) { g.Nodes[1].Name = "a\x01" }, "contains"},
		{"bad UTF-8 in a name", func(g *Graph) { g.Nodes[1].Name = "a\xff" }, "contains"},
		{"negative latency", func(g *Graph) { g.Nodes[2].Latency = -1 }, "negative latency"},
		{"latency of a host", func(g *Graph) { g.Nodes[1].Latency = 1 }, "only switches have one"},
		{"end out of range", func(g *Graph) { g.Links[0].B = 3 }, "of a graph of 3"},
		{"self link", func(g *Graph) { g.Links[0].B = 0 }, "linked to itself; leave the link out"},
		{"no rate", func(g *Graph) { g.Links[0].Rate = 0 }, `the link of "host0" and "tor0" has the rate 0bps`},
		{"negative delay", func(g *Graph) { g.Links[0].Delay = -1 }, "negative delay -1ps"},
		{"hosts linked", func(g *Graph) { g.Links[0].B = 1 }, "linked to each other"},
		{"two links", func(g *Graph) { g.Links = append(g.Links, g.Links[0]) }, `host "host0" has 2 links; a host has exactly one: leave the others out`},
		{"no link", func(g *Graph) { g.Links = g.Links[:1] }, `host "host1" has no link; link it to a switch`},
		{"host not listed", func(g *Graph) { g.Hosts = g.Hosts[:1] }, `host "host1" is not in the list`},
		{"host listed twice", func(g *Graph) { g.Hosts[1] = 0 }, "entry 1 of the list"},
		{"switch listed", func(g *Graph) { g.Hosts[1] = 2 }, "entry 1 of the list"},
		{"too many hosts", func(g *Graph) { g.Hosts = make([]NodeID, MaxHosts+1) }, "16777217 hosts are too many; packets name hosts in 24 bits"},
		{"no hosts", func(g *Graph) { *g = Graph{Nodes: []Node{{Name: "tor0"}}} }, "no hosts"},
		{"not connected", func(g *Graph) { g.Nodes = append(g.Nodes, Node{Name: "spine0"}) }, `switch "spine0" is not connected to "host0"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := sound()
			test.damage(g)
			if err := g.Validate(); err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("got %v, want an error with %q", err, test.wrong)
			}
		})
	}
}

func TestTwoHostsBackToBack(t *testing.T) {
	g := &Graph{
		Nodes: []Node{{Name: "host0", Kind: Host}, {Name: "host1", Kind: Host}},
		Links: []Link{{A: 0, B: 1, Rate: rate}},
		Hosts: []NodeID{0, 1},
	}
	if err := g.Validate(); err != nil {
		t.Error(err)
	}
	if got := Partition(g, 2); !slices.Equal(got, []int32{0, 0}) {
		t.Errorf("domains %v", got)
	}
}

func TestNode(t *testing.T) {
	g := build(t, Star{Hosts: 2, Rate: rate})
	if n, ok := g.Node("tor0"); !ok || n != 2 {
		t.Errorf("tor0 is %d, %v", n, ok)
	}
	if n, ok := g.Node("tor1"); ok {
		t.Errorf("tor1 is %d", n)
	}
}

// anyGraph draws a connected network of hosts and switches with parallel links,
// some without delay.
func anyGraph(t *rapid.T) *Graph {
	switches := rapid.IntRange(1, 12).Draw(t, "switches")
	a := newAssembly(Defaults{Rate: unit.Gbps, ParallelLinks: true}, inLists)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	times := rapid.SampledFrom([]unit.Time{0, 0, 1, half})
	for i := range switches {
		latency := times.Draw(t, "latency")
		_, err := a.node(place{}, nodeText{name: "s" + string(rune('a'+i)), latency: &latency})
		must(err)
	}
	join := func(x, y NodeID) {
		r, d := unit.Gbps*unit.Rate(rapid.IntRange(1, 4).Draw(t, "rate")), times.Draw(t, "delay")
		must(a.join(place{}, x, y, &r, &d))
	}
	for i := 1; i < switches; i++ {
		join(NodeID(i), NodeID(rapid.IntRange(0, i-1).Draw(t, "parent")))
	}
	if switches > 1 {
		for range rapid.IntRange(0, 2*switches).Draw(t, "extra") {
			x := rapid.IntRange(1, switches-1).Draw(t, "x")
			join(NodeID(x), NodeID(rapid.IntRange(0, x-1).Draw(t, "y")))
		}
	}
	for range rapid.IntRange(1, 12).Draw(t, "hosts") {
		h := a.graph.addHost()
		a.nodeAt, a.open = append(a.nodeAt, place{}), append(a.open, false)
		join(h, NodeID(rapid.IntRange(0, switches-1).Draw(t, "switch")))
	}
	g, err := a.finish()
	must(err)
	return g
}

func TestAdjacency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		a := g.Adjacency()
		for n := range g.Nodes {
			var want []PortID
			for p := range PortID(2 * len(g.Links)) {
				if from, _ := g.Ends(p); from == NodeID(n) {
					want = append(want, p)
				}
			}
			if got := a.Ports(NodeID(n)); !slices.Equal(got, want) {
				t.Fatalf("ports of %d: %v, want %v", n, got, want)
			}
		}
	})
}

func TestPartitionKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		domains := rapid.IntRange(-1, 15).Draw(t, "domains")
		var machine []int32
		if n := len(g.Hosts); n > 1 {
			machine = []int32{0, int32(n - 1)}
		}
		got := Partition(g, domains, Disjoint(len(g.Hosts), [][]int32{machine})...)
		for _, h := range machine {
			if got[g.Hosts[h]] != got[g.Hosts[0]] {
				t.Fatalf("host %d is apart from host 0", h)
			}
		}
		used := map[int32]bool{}
		for _, d := range got {
			used[d] = true
		}
		if len(used) > max(1, domains) {
			t.Fatalf("%d domains for at most %d", len(used), domains)
		}
		for d := range int32(len(used)) {
			if !used[d] {
				t.Fatalf("domains %v are not dense", got)
			}
		}
		for _, l := range g.Links {
			a, b := g.Nodes[l.A], g.Nodes[l.B]
			together := a.Kind == Host || b.Kind == Host || l.Delay+a.Latency == 0 || l.Delay+b.Latency == 0
			if together && got[l.A] != got[l.B] {
				t.Fatalf("%s and %s are apart", a.Name, b.Name)
			}
		}
	})
}

func TestPartition(t *testing.T) {
	domainsOf := func(g *Graph, domain []int32) string {
		var b strings.Builder
		for n, d := range domain {
			if g.Nodes[n].Kind == Switch {
				b.WriteByte('0' + byte(d))
			}
		}
		return b.String()
	}
	leafSpine := build(t, LeafSpine{ToRs: 8, HostsPerToR: 4, Spines: 4, LinksPerSpine: 1, Rate: rate, Delay: half})
	pods := build(t, FatTree{Tiers: 3, Radix: ptr(4), Rate: rate, Delay: half})
	instant := build(t, LeafSpine{ToRs: 8, HostsPerToR: 4, Spines: 4, LinksPerSpine: 1, Rate: rate})
	slow := build(t, LeafSpine{ToRs: 8, HostsPerToR: 4, Spines: 4, LinksPerSpine: 1, Rate: rate, SwitchLatency: half})
	for _, test := range []struct {
		name    string
		g       *Graph
		domains int
		want    string
	}{
		{"none", leafSpine, 0, "000000000000"},
		{"one", leafSpine, 1, "000000000000"},
		// A ToR weighs 8 and its hosts 4 more, a spine 8.
		{"two", leafSpine, 2, "000001111111"},
		{"three", leafSpine, 3, "000011112222"},
		{"as many as blocks", leafSpine, 12, "0123456789:;"},
		{"more than blocks", leafSpine, 100, "0123456789:;"},
		// Two ToRs and two aggregation switches to a pod, and four cores.
		{"pods", pods, 5, "00001111222233334444"},
		{"no delay at all", instant, 4, "000000000000"},
		{"switch latency alone", slow, 3, "000011112222"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := domainsOf(test.g, Partition(test.g, test.domains)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestPartitionTogether keeps groups of hosts in a domain, with their switches.
func TestPartitionTogether(t *testing.T) {
	g := build(t, LeafSpine{ToRs: 8, HostsPerToR: 4, Spines: 4, LinksPerSpine: 1, Rate: rate, Delay: half})
	domain := Partition(g, 12, []int32{3, 4}, []int32{20, 29})
	for _, same := range [][2]int{{0, 1}, {5, 7}} {
		if domain[g.Hosts[4*same[0]]] != domain[g.Hosts[4*same[1]]] {
			t.Errorf("hosts of ToRs %d and %d are apart", same[0], same[1])
		}
	}
	if slices.Max(domain) == 0 {
		t.Error("all hosts are in one domain")
	}
}

func TestDisjoint(t *testing.T) {
	got := Disjoint(9, [][]int32{{7, 3}, {5}, nil, {1, 2}, {3, 4}, {8, 7}})
	if want := [][]int32{{1, 2}, {3, 4, 7, 8}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Disjoint(9, nil); got != nil {
		t.Errorf("%v of nothing", got)
	}
}

func TestPartitionOfManyHostsIsFast(t *testing.T) {
	g := build(t, FatTree{Tiers: 3, Radix: ptr(32), Rate: rate, Delay: half})
	domain := Partition(g, 64)
	weight := make([]int, 64)
	for _, l := range g.Links {
		weight[domain[l.A]]++
		weight[domain[l.B]]++
	}
	if most, even := slices.Max(weight), 2*len(g.Links)/64; most > even*5/4 {
		t.Errorf("the heaviest domain weighs %d of %d on average", most, even)
	}
}

package route

import (
	"testing"

	"pgregory.net/rapid"

	"weft/topo"
	"weft/unit"
)

// walks calls visit with every path of next hops from one host to another.
func walks(g *topo.Graph, t *Tables, visit func([]topo.PortID)) {
	adjacency := g.Adjacency()
	for _, from := range g.Hosts {
		for _, to := range g.Hosts {
			if from == to {
				continue
			}
			first := adjacency.Ports(from)[0]
			last := adjacency.Ports(to)[0].Reverse()
			var walk func(sw topo.NodeID, path []topo.PortID)
			walk = func(sw topo.NodeID, path []topo.PortID) {
				if t.Edge(sw) == t.Edge(to) {
					visit(append(path, last))
					return
				}
				for _, p := range t.Hops(sw, t.Edge(to)) {
					_, next := g.Ends(p)
					walk(next, append(path, p))
				}
			}
			_, sw := g.Ends(first)
			walk(sw, []topo.PortID{first})
		}
	}
}

func travel(g *topo.Graph, path []topo.PortID) (time unit.Time) {
	for _, p := range path {
		_, to := g.Ends(p)
		l := g.Links[p.Link()]
		time += l.Delay + l.Rate.Transmit(4096) + g.Nodes[to].Latency
	}
	return time
}

func TestLongestMinimalAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		tables, err := Minimal(g, Options{Down: anyDown(t, g)})
		if err != nil {
			t.Fatal(err)
		}
		got := LongestMinimal(g, tables)
		hops, time := 0, unit.Time(0)
		isPath := false
		walks(g, tables, func(path []topo.PortID) {
			if d := travel(g, path); len(path) > hops || len(path) == hops && d > time {
				hops, time = len(path), d
			}
			isPath = isPath || names(g, path) == names(g, got)
		})
		if len(got) != hops || travel(g, got) != time {
			t.Fatalf("%s takes %d links and %v, want %d and %v", names(g, got), len(got), travel(g, got), hops, time)
		}
		if hops > 0 && !isPath {
			t.Fatalf("%s is no path of next hops", names(g, got))
		}
	})
}

func TestLongestMinimal(t *testing.T) {
	radix := 4
	fatTree, err := topo.FatTree{Tiers: 3, Radix: &radix, Rate: unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	deep, err := Minimal(fatTree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	flat, shallow := leafSpine(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 2, Spines: 2, Rate: unit.Gbps}, Options{})
	single, lone := star(t, 3)
	alone, none := star(t, 1)
	pair := &topo.Graph{
		Nodes: []topo.Node{{Name: "host0", Kind: topo.Host}, {Name: "host1", Kind: topo.Host}},
		Links: []topo.Link{{A: 1, B: 0, Rate: unit.Gbps}},
		Hosts: []topo.NodeID{0, 1},
	}
	direct, err := Minimal(pair, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		g    *topo.Graph
		t    *Tables
		want string
	}{
		{"three tiers", fatTree, deep, "host4->tor2 tor2->agg2 agg2->core0 core0->agg0 agg0->tor0 tor0->host0"},
		{"two tiers", flat, shallow, "host2->tor1 tor1->spine0 spine0->tor0 tor0->host0"},
		{"one switch", single, lone, "host0->tor0 tor0->host1"},
		{"one host", alone, none, ""},
		{"back to back", pair, direct, "host0->host1"},
	} {
		if got := names(test.g, LongestMinimal(test.g, test.t)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func TestLongestMinimalTakesTheSlowestWay(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage string
		change func(*topo.Link)
		want   string
	}{
		{"a long cable", "tor2->spine1", func(l *topo.Link) { l.Delay = unit.Millisecond }, "host4->tor2 tor2->spine1 spine1->tor0 tor0->host0"},
		{"a slow uplink", "tor0->spine1", func(l *topo.Link) { l.Rate = unit.Mbps }, "host2->tor1 tor1->spine1 spine1->tor0 tor0->host0"},
		{"a slow host", "host3->tor1", func(l *topo.Link) { l.Rate = unit.Mbps }, "host3->tor1 tor1->spine0 spine0->tor0 tor0->host0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, tables := leafSpine(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 2, Rate: unit.Gbps}, Options{})
			ports, err := g.MatchPorts(test.damage)
			if err != nil {
				t.Fatal(err)
			}
			test.change(&g.Links[ports[0].Link()])
			if got := names(g, LongestMinimal(g, tables)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func BenchmarkLongestMinimal(b *testing.B) {
	radix := 32
	g, err := topo.FatTree{Tiers: 3, Radix: &radix, Rate: unit.Gbps}.Build()
	if err != nil {
		b.Fatal(err)
	}
	// A link unlike the others keeps the search from ending early.
	g.Links[len(g.Links)-1].Delay = unit.Microsecond
	t, err := Minimal(g, Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		LongestMinimal(g, t)
	}
}

package topo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/catalog"
	"weft/unit"
)

const (
	rate = 400 * unit.Gbps
	half = 500 * unit.Nanosecond
)

func ptr[T any](v T) *T { return &v }

func over(t *testing.T, text string) *Oversubscription {
	t.Helper()
	var o Oversubscription
	if err := o.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return &o
}

// builders is what the entries' options have in common.
type builders interface{ Build() (*Graph, error) }

func build(t *testing.T, b builders) *Graph {
	t.Helper()
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	return g
}

// count returns how many nodes of each family g has, such as 16 for "tor".
func families(g *Graph) map[string]int {
	n := map[string]int{}
	for i := range g.Nodes {
		n[strings.TrimRight(g.Nodes[i].Name, "0123456789")]++
	}
	return n
}

// degrees returns the number of links of each family of nodes, or -1 where its
// members differ.
func degrees(g *Graph) map[string]int {
	d := map[string]int{}
	adjacency := g.Adjacency()
	for i := range g.Nodes {
		family := strings.TrimRight(g.Nodes[i].Name, "0123456789")
		n := len(adjacency.Ports(NodeID(i)))
		if before, ok := d[family]; ok && before != n {
			n = -1
		}
		d[family] = n
	}
	return d
}

func TestSizes(t *testing.T) {
	type sizes map[string]int
	for _, test := range []struct {
		name    string
		options builders
		nodes   sizes
		degrees sizes
	}{
		{
			"two tiers by radix", FatTree{Radix: ptr(16), Rate: rate},
			sizes{"host": 128, "tor": 16, "spine": 8}, sizes{"host": 1, "tor": 16, "spine": 16},
		},
		{
			"two tiers 4:1", FatTree{Tiers: 2, Radix: ptr(20), Oversubscription: over(t, "4:1"), Rate: rate},
			sizes{"host": 320, "tor": 20, "spine": 4}, sizes{"host": 1, "tor": 20, "spine": 20},
		},
		{
			"two tiers with fewer ToRs", FatTree{Tiers: 2, Radix: ptr(64), ToRs: ptr(32), Rate: rate},
			sizes{"host": 1024, "tor": 32, "spine": 32}, sizes{"host": 1, "tor": 64, "spine": 32},
		},
		{
			"two tiers by counts", FatTree{Tiers: 2, ToRs: ptr(4), HostsPerToR: ptr(6), UplinksPerToR: ptr(3), Rate: rate},
			sizes{"host": 24, "tor": 4, "spine": 3}, sizes{"host": 1, "tor": 9, "spine": 4},
		},
		{
			"hosts and oversubscription", FatTree{Tiers: 2, ToRs: ptr(4), HostsPerToR: ptr(6), Oversubscription: over(t, "3:2"), Rate: rate},
			sizes{"host": 24, "tor": 4, "spine": 4}, sizes{"host": 1, "tor": 10, "spine": 4},
		},
		{
			"48 ports down and the rest up", FatTree{Tiers: 2, Radix: ptr(64), HostsPerToR: ptr(48), ToRs: ptr(2), Rate: rate},
			sizes{"host": 96, "tor": 2, "spine": 16}, sizes{"host": 1, "tor": 64, "spine": 2},
		},
		{
			"hosts of one radix at 4:1", FatTree{Tiers: 2, Radix: ptr(64), HostsPerToR: ptr(32), Oversubscription: over(t, "4"), Rate: rate},
			sizes{"host": 2048, "tor": 64, "spine": 8}, sizes{"host": 1, "tor": 40, "spine": 64},
		},
		{
			"the capacity is what is oversubscribed", FatTree{Tiers: 2, ToRs: ptr(2), HostsPerToR: ptr(8), Rate: 100 * unit.Gbps, UplinkRate: ptr(rate)},
			sizes{"host": 16, "tor": 2, "spine": 2}, sizes{"host": 1, "tor": 10, "spine": 2},
		},
		{
			"three tiers by radix", FatTree{Tiers: 3, Radix: ptr(8), Rate: rate},
			sizes{"host": 128, "tor": 32, "agg": 32, "core": 16}, sizes{"host": 1, "tor": 8, "agg": 8, "core": 8},
		},
		{
			"three tiers of 1024 hosts", FatTree{Tiers: 3, Radix: ptr(16), Rate: rate},
			sizes{"host": 1024, "tor": 128, "agg": 128, "core": 64}, sizes{"host": 1, "tor": 16, "agg": 16, "core": 16},
		},
		{
			"three tiers 3:1 with two pods", FatTree{Tiers: 3, Radix: ptr(8), Oversubscription: over(t, "3"), Pods: ptr(2), Rate: rate},
			sizes{"host": 48, "tor": 8, "agg": 4, "core": 8}, sizes{"host": 1, "tor": 8, "agg": 8, "core": 2},
		},
		{
			"three tiers by counts", FatTree{Tiers: 3, HostsPerToR: ptr(4), ToRsPerPod: ptr(3), Pods: ptr(5), UplinksPerToR: ptr(2), UplinksPerAgg: ptr(1), Rate: rate},
			sizes{"host": 60, "tor": 15, "agg": 10, "core": 2}, sizes{"host": 1, "tor": 6, "agg": 4, "core": 5},
		},
		{
			"leaf-spine", LeafSpine{ToRs: 2, HostsPerToR: 8, Spines: 4, LinksPerSpine: 2, Rate: rate},
			sizes{"host": 16, "tor": 2, "spine": 4}, sizes{"host": 1, "tor": 16, "spine": 4},
		},
		{
			"dumbbell", Dumbbell{Left: 2, Right: 3, Rate: rate},
			sizes{"host": 5, "left": 1, "right": 1}, sizes{"host": 1, "left": 3, "right": 4},
		},
		{"star", Star{Hosts: 5, Rate: rate}, sizes{"host": 5, "tor": 1}, sizes{"host": 1, "tor": 5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := build(t, test.options)
			if diff := cmp.Diff(map[string]int(test.nodes), families(g)); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]int(test.degrees), degrees(g)); diff != "" {
				t.Errorf("degrees (-want +got):\n%s", diff)
			}
			for i, h := range g.Hosts {
				if int(h) != i {
					t.Fatalf("host %d is node %d", i, h)
				}
			}
		})
	}
}

func TestLinks(t *testing.T) {
	g := build(t, LeafSpine{
		ToRs: 2, HostsPerToR: 1, Spines: 1,
		Rate: 100 * unit.Gbps, UplinkRate: ptr(rate), Delay: half, SwitchLatency: 300 * unit.Nanosecond,
	})
	want := &Graph{
		Nodes: []Node{
			{Name: "host0", Kind: Host},
			{Name: "host1", Kind: Host},
			{Name: "tor0", Tier: 1, Latency: 300 * unit.Nanosecond},
			{Name: "tor1", Tier: 1, Latency: 300 * unit.Nanosecond},
			{Name: "spine0", Tier: 2, Latency: 300 * unit.Nanosecond},
		},
		Links: []Link{
			{A: 0, B: 2, Rate: 100 * unit.Gbps, Delay: half},
			{A: 1, B: 3, Rate: 100 * unit.Gbps, Delay: half},
			{A: 2, B: 4, Rate: rate, Delay: half},
			{A: 3, B: 4, Rate: rate, Delay: half},
		},
		Hosts: []NodeID{0, 1},
	}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDumbbellBottleneck(t *testing.T) {
	g := build(t, Dumbbell{Left: 1, Right: 1, Rate: rate, Delay: half, BottleneckRate: ptr(unit.Gbps), BottleneckDelay: ptr(unit.Millisecond)})
	ports, err := g.MatchPorts("left->right")
	if err != nil {
		t.Fatal(err)
	}
	l := g.Links[ports[0].Link()]
	if len(ports) != 1 || l.Rate != unit.Gbps || l.Delay != unit.Millisecond {
		t.Errorf("ports %v, rate %v, delay %v", ports, l.Rate, l.Delay)
	}
}

// Core switches of a three-tier tree are linked to the aggregation switch of
// the same place in every pod, and to no other.
func TestThreeTierWiring(t *testing.T) {
	g := build(t, FatTree{Tiers: 3, Radix: ptr(4), Rate: rate})
	for _, test := range []struct{ pattern, want string }{
		{"core0->*", "core0->agg0 core0->agg2 core0->agg4 core0->agg6"},
		{"core3->*", "core3->agg1 core3->agg3 core3->agg5 core3->agg7"},
		{"agg2->*", "agg2->tor2 agg2->tor3 agg2->core0 agg2->core1"},
		{"tor7->*", "tor7->host14 tor7->host15 tor7->agg6 tor7->agg7"},
	} {
		ports, err := g.MatchPorts(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range ports {
			names = append(names, g.PortName(p))
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.pattern, got, test.want)
		}
	}
}

func TestBuildersRefuse(t *testing.T) {
	for _, test := range []struct {
		name    string
		options builders
		wrong   string
	}{
		{"odd radix", FatTree{Tiers: 2, Radix: ptr(7), Rate: rate}, "radix is 7, which does not split into hosts and uplinks 1:1; use 6 or 8"},
		{"radix and ratio", FatTree{Tiers: 2, Radix: ptr(64), Oversubscription: over(t, "4:1"), Rate: rate}, "use 60 or 65"},
		{"small radix", FatTree{Tiers: 2, Radix: ptr(3), Oversubscription: over(t, "4:1"), Rate: rate}, "use 5, or"},
		{"three tiers need halves", FatTree{Tiers: 3, Radix: ptr(15), Oversubscription: over(t, "4:1"), Rate: rate}, "use 10 or 20"},
		{"three tiers, odd radix", FatTree{Tiers: 3, Radix: ptr(9), HostsPerToR: ptr(4), Rate: rate}, "three tiers need an even one; use 8 or 10"},
		{"hosts and ratio", FatTree{Tiers: 2, ToRs: ptr(2), HostsPerToR: ptr(10), Oversubscription: over(t, "4:1"), Rate: rate}, "hosts_per_tor is 10, which whole uplinks cannot match 4:1; use 8 or 12"},
		{"uplinks and ratio", FatTree{Tiers: 2, Radix: ptr(10), UplinksPerToR: ptr(3), Oversubscription: over(t, "3:2"), Rate: rate}, "use 2 or 4"},
		{"contradiction", FatTree{Tiers: 2, ToRs: ptr(2), HostsPerToR: ptr(8), UplinksPerToR: ptr(4), Oversubscription: over(t, "4:1"), Rate: rate}, "leave one of"},
		{"too many ports", FatTree{Tiers: 2, Radix: ptr(8), HostsPerToR: ptr(6), UplinksPerToR: ptr(4), Rate: rate}, "needs 10 ports, but its radix is 8"},
		{"no port for an uplink", FatTree{Tiers: 2, Radix: ptr(8), HostsPerToR: ptr(8), Rate: rate}, "leaves no port of radix 8 for an uplink"},
		{"no port for a host", FatTree{Tiers: 2, Radix: ptr(8), UplinksPerToR: ptr(9), Rate: rate}, "leaves no port of radix 8 for a host"},
		{"too many ToRs", FatTree{Tiers: 2, Radix: ptr(8), ToRs: ptr(9), Rate: rate}, "has ports for at most 8"},
		{"too many pods", FatTree{Tiers: 3, Radix: ptr(8), Pods: ptr(9), Rate: rate}, "has ports for at most 8"},
		{"too many ToRs in a pod", FatTree{Tiers: 3, Radix: ptr(8), ToRsPerPod: ptr(5), Rate: rate}, "needs 9 ports"},
		{"nothing given", FatTree{Tiers: 2, Rate: rate}, "give radix, or hosts_per_tor and tors"},
		{"nothing given for three tiers", FatTree{Tiers: 3, HostsPerToR: ptr(1), Rate: rate}, "give radix, or hosts_per_tor, tors_per_pod and pods"},
		{"pods of two tiers", FatTree{Tiers: 2, Radix: ptr(8), Pods: ptr(2), Rate: rate}, "pods is not for tiers: 2; the sizes of such a tree are radix, hosts_per_tor, uplinks_per_tor, tors"},
		{"tors of three tiers", FatTree{Tiers: 3, Radix: ptr(8), ToRs: ptr(2), Rate: rate}, "tors is not for tiers: 3"},
		{"four tiers", FatTree{Tiers: 4, Radix: ptr(8), Rate: rate}, "tiers is 4"},
		{"no such proportion", FatTree{Tiers: 2, Radix: ptr(8), Rate: 399_999_999_999, UplinkRate: ptr(rate)}, "give uplinks_per_tor"},
		{"a negative count", FatTree{Tiers: 2, Radix: ptr(-8), Rate: rate}, "radix is -8"},
		{"beyond memory", FatTree{Tiers: 3, Radix: ptr(1 << 20), Rate: rate}, "too many"},
		{"too many hosts", LeafSpine{ToRs: 1 << 12, HostsPerToR: 1<<12 + 1, Spines: 1, Rate: rate}, "16781312 hosts are too many; packets name hosts in 24 bits, so at most 16777216 are possible"},
		{"no rate", FatTree{Tiers: 2, Radix: ptr(8)}, "rate is 0bps"},
		{"no uplink rate", LeafSpine{ToRs: 1, HostsPerToR: 1, Spines: 1, Rate: rate, UplinkRate: ptr(unit.Rate(0))}, "uplink_rate is 0bps"},
		{"no spines", LeafSpine{ToRs: 1, HostsPerToR: 1, LinksPerSpine: 1, Rate: rate}, "leaf-spine: give tors, hosts_per_tor and spines, or size"},
		{"too many links", LeafSpine{ToRs: 1 << 20, HostsPerToR: 1, Spines: 1 << 20, LinksPerSpine: 1 << 20, Rate: rate}, "too many"},
		{"negative delay", Star{Hosts: 1, Rate: rate, Delay: -1}, "star: delay is -1ps"},
		{"negative latency", Star{Hosts: 1, Rate: rate, SwitchLatency: -1}, "switch_latency is -1ps"},
		{"one host too many", Star{Hosts: MaxHosts + 1, Rate: rate}, "16777217 hosts are too many"},
		{"no hosts", Star{Rate: rate}, "give hosts, or size"},
		{"no bottleneck", Dumbbell{Left: 1, Right: 1, Rate: rate, BottleneckRate: ptr(unit.Rate(0))}, "dumbbell: bottleneck_rate is 0bps"},
		{"no left", Dumbbell{Right: 1, Rate: rate}, "left is 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := test.options.Build()
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("graph %v, error %v; want an error with %q", g != nil, err, test.wrong)
			}
		})
	}
}

func TestOversubscription(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"4:1", "4:1"}, {"4", "4:1"}, {"1.5", "3:2"}, {"6:4", "3:2"}, {"1:1", "1:1"}, {"1:2", "1:2"}, {"2.5:1", "5:2"},
	} {
		if got := over(t, test.text).String(); got != test.want {
			t.Errorf("%q reads as %s, want %s", test.text, got, test.want)
		}
	}
	for _, text := range []string{"", "0", "0:1", "1:0", "4:1:1", "a", "-4:1", "4x", "1/2", "1e9", "99999:1", ":", "."} {
		var o Oversubscription
		if err := o.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q reads as %v", text, o)
		}
	}
	if got := (Oversubscription{}).String(); got != "1:1" {
		t.Errorf("the zero value is %s", got)
	}
}

func TestEntries(t *testing.T) {
	var names []string
	for _, e := range Entries() {
		names = append(names, e.Name)
		if e.Summary == "" || e.Source == "" {
			t.Errorf("%s has no summary or source", e.Name)
		}
		if err := catalog.Check(e.Options()); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	want := []string{"fat-tree", "leaf-spine", "dumbbell", "star", "slim-fly", "dragonfly", "hyperx", "xpander", "jellyfish", "clique", "graph"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	g, err := Entries()[3].Build(&Star{Hosts: 3, Rate: rate})
	if err != nil || len(g.Hosts) != 3 {
		t.Errorf("star: %v, %v", g, err)
	}
}

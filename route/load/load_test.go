package load_test

import (
	"math"
	"testing"

	"weft/route"
	"weft/route/load"
	"weft/topo"
	"weft/unit"
)

// all are the hosts of a graph.
func all(g *topo.Graph) []int32 {
	list := make([]int32, len(g.Hosts))
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// uniform lets every host send at a rate to all others.
func uniform(g *topo.Graph, rate float64) []load.Demand {
	to := all(g)
	var list []load.Demand
	for h := range to {
		list = append(list, load.Demand{Host: int32(h), Rate: rate, Targets: to})
	}
	return list
}

// built makes a graph.
func built(t *testing.T, b interface{ Build() (*topo.Graph, error) }) *topo.Graph {
	t.Helper()
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// minimal makes tables of all shortest paths.
func minimal(t *testing.T, g *topo.Graph) *route.Tables {
	t.Helper()
	tables, err := route.Minimal(g, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// policy makes the tables of a policy of routing.
func policy(t *testing.T, g *topo.Graph, name string) *route.Tables {
	t.Helper()
	for _, e := range route.Entries() {
		if e.Name != name {
			continue
		}
		options, err := e.Defaults()
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Build(options)
		if err != nil {
			t.Fatal(err)
		}
		router, err := p.Prepare(g, 1)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := router(route.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return tables
	}
	t.Fatalf("no policy %q", name)
	return nil
}

// tier returns one of loads' tiers.
func tier(t *testing.T, l *load.Loads, name string) load.Tier {
	t.Helper()
	for _, one := range l.Tiers() {
		if one.Name == name {
			return one
		}
	}
	t.Fatalf("no tier %q among %v", name, l.Tiers())
	return load.Tier{}
}

// near compares with a closed form.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
		t.Errorf("%s is %.15g, not %.15g", what, got, want)
	}
}

const gbps = float64(unit.Gbps)

func leafSpine(t *testing.T, tors, hosts, spines int, uplink unit.Rate) *topo.Graph {
	return built(t, topo.LeafSpine{ToRs: tors, HostsPerToR: hosts, Spines: spines, Rate: 100 * unit.Gbps, UplinkRate: &uplink, Delay: unit.Microsecond})
}

// TestUniformOverLeafSpine: of N hosts, h under each ToR, a share (N−h)/(N−1) of what a host sends leaves its ToR,
// over s uplinks alike.
func TestUniformOverLeafSpine(t *testing.T) {
	for _, c := range []struct{ tors, hosts, spines int }{{16, 8, 4}, {9, 16, 4}, {2, 4, 4}, {3, 1, 1}} {
		g := leafSpine(t, c.tors, c.hosts, c.spines, 100*unit.Gbps)
		l := load.Spread(g, minimal(t, g), uniform(g, 60*gbps), load.Options{})
		n, h, s := float64(c.tors*c.hosts), float64(c.hosts), float64(c.spines)
		near(t, "the load of hosts' links", tier(t, l, load.Hosts).Mean, 0.6)
		near(t, "that of the busiest", tier(t, l, load.Hosts).Most, 0.6)
		want := 0.6 * h / s * (n - h) / (n - 1)
		near(t, "the load of uplinks", tier(t, l, load.Uplinks).Mean, want)
		near(t, "that of the busiest", tier(t, l, load.Uplinks).Most, want)
	}
	// What the issue has: 60 % of the links of 128 hosts are 113 % of a core of 2:1.
	g := leafSpine(t, 16, 8, 4, 100*unit.Gbps)
	l := load.Spread(g, minimal(t, g), uniform(g, 60*gbps), load.Options{})
	if got := tier(t, l, load.Uplinks).Mean; got < 1.133 || got > 1.135 {
		t.Errorf("the core has a load of %.4f", got)
	}
}

// TestPermutation: with hosts of ToR i sending to those of ToR i+1, all leaves the ToR.
func TestPermutation(t *testing.T) {
	g := leafSpine(t, 4, 4, 2, 100*unit.Gbps)
	var list []load.Demand
	for h := range g.Hosts {
		list = append(list, load.Demand{Host: int32(h), Rate: 30 * gbps, Targets: []int32{int32((h + 4) % 16)}})
	}
	l := load.Spread(g, minimal(t, g), list, load.Options{})
	near(t, "hosts", tier(t, l, load.Hosts).Most, 0.3)
	near(t, "uplinks", tier(t, l, load.Uplinks).Mean, 0.6)
	near(t, "the busiest uplink", tier(t, l, load.Uplinks).Most, 0.6)
	for h := range list { // within ToRs nothing leaves them
		list[h].Targets = []int32{int32(h ^ 1)}
	}
	near(t, "uplinks", tier(t, load.Spread(g, minimal(t, g), list, load.Options{}), load.Uplinks).Most, 0)
}

// TestIncast: n senders bring n times their rate to the link of one receiver, and answers go the same ways
// back.
func TestIncast(t *testing.T) {
	g := leafSpine(t, 4, 4, 2, 100*unit.Gbps)
	var list []load.Demand
	for h := 1; h < 16; h++ {
		list = append(list, load.Demand{Host: int32(h), Rate: 10 * gbps, Targets: []int32{0}})
	}
	l := load.Spread(g, minimal(t, g), list, load.Options{})
	hosts, up := tier(t, l, load.Hosts), tier(t, l, load.Uplinks)
	near(t, "the receiver's link", hosts.Most, 1.5)
	if name := g.PortName(hosts.Port); name != "tor0->host0" {
		t.Errorf("the busiest is %s", name)
	}
	near(t, "all that hosts send", hosts.Mean, 15*10/1600.)
	near(t, "the busiest of spine to tor0", up.Most, 12*10/200.)
	near(t, "all uplinks", up.Mean, 12*10/800.)

	for i := range list {
		list[i].Answers = true
	}
	back := load.Spread(g, minimal(t, g), list, load.Options{})
	for p := range topo.PortID(2 * len(g.Links)) {
		near(t, g.PortName(p), back.Bits[p.Reverse()], l.Bits[p])
	}
}

// TestFatTree: of N hosts in k pods, uniform traffic loads uplinks by what leaves ToRs, and the core by
// what leaves pods.
func TestFatTree(t *testing.T) {
	k := 4
	g := built(t, topo.FatTree{Tiers: 3, Radix: &k, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	l := load.Spread(g, minimal(t, g), uniform(g, 50*gbps), load.Options{})
	near(t, "hosts", tier(t, l, load.Hosts).Mean, 0.5)
	near(t, "uplinks", tier(t, l, load.Uplinks).Mean, 0.5*14/15)
	near(t, "the busiest uplink", tier(t, l, load.Uplinks).Most, 0.5*14/15)
	near(t, "core", tier(t, l, load.Core).Mean, 0.5*12/15)
	near(t, "the busiest of the core", tier(t, l, load.Core).Most, 0.5*12/15)
}

func dragonfly(switches, hosts, links int) topo.Dragonfly {
	return topo.Dragonfly{SwitchesPerGroup: &switches, HostsPerSwitch: &hosts, GlobalLinks: &links, Cables: topo.Cables{Rate: 100 * unit.Gbps, Delay: unit.Microsecond}}
}

// TestDragonfly: where all hosts of a group of a·p send to the next group, one link between the groups carries all of
// it minimally, and with detours over g−2 other groups' worth of links it is spread.
func TestDragonfly(t *testing.T) {
	const a, p, h = 4, 2, 2
	g := built(t, dragonfly(a, p, h))
	const size, groups = a * p, a*h + 1
	members := make([][]int32, groups)
	for i := range g.Hosts {
		members[i/size] = append(members[i/size], int32(i))
	}
	var shift []load.Demand
	for i := range g.Hosts {
		shift = append(shift, load.Demand{Host: int32(i), Rate: 10 * gbps, Targets: members[(i/size+1)%groups]})
	}
	tables := policy(t, g, "hierarchical")
	l := load.Spread(g, tables, shift, load.Options{})
	near(t, "hosts", tier(t, l, load.Hosts).Mean, 0.1)
	near(t, "the busiest between groups", tier(t, l, load.Global).Most, 0.1*size)
	near(t, "all between groups", tier(t, l, load.Global).Mean, 0.1*size/(groups-1))

	// Uniform traffic: each of the links between groups carries what two groups have for each other.
	n := float64(len(g.Hosts))
	u := load.Spread(g, tables, uniform(g, 10*gbps), load.Options{})
	near(t, "between groups, uniform", tier(t, u, load.Global).Most, 0.1*size*size/(n-1))

	// Valiant: every packet passes at most two links between groups, and none is much busier than another.
	v := load.Spread(g, tables, shift, load.Options{Intermediates: true})
	global := tier(t, v, load.Global)
	if global.Most > 2.5*0.1*size/(groups-1) || global.Mean < 1.6*0.1*size/(groups-1) || global.Mean > 2*0.1*size/(groups-1) {
		t.Errorf("with detours links between groups have a load of %v, at most %v", global.Mean, global.Most)
	}
}

// TestDetours compares the loads of detours with a walk through all pairs and all intermediates.
func TestDetours(t *testing.T) {
	g := built(t, dragonfly(2, 1, 1))
	tables := policy(t, g, "hierarchical")
	var list, legs []load.Demand
	n := len(g.Hosts) // one under each switch
	for h := range n {
		to := (h*h + 1) % n
		if to == h {
			continue
		}
		list = append(list, load.Demand{Host: int32(h), Rate: float64(1+h) * gbps, Targets: []int32{int32(to)}})
		for by := range n {
			if by == h || by == to {
				continue
			}
			rate := float64(1+h) * gbps / float64(n-2)
			legs = append(legs,
				load.Demand{Host: int32(h), Rate: rate, Targets: []int32{int32(by)}},
				load.Demand{Host: int32(by), Rate: rate, Targets: []int32{int32(to)}})
		}
	}
	got, want := load.Spread(g, tables, list, load.Options{Intermediates: true}), load.Spread(g, tables, legs, load.Options{})
	for p := range topo.PortID(2 * len(g.Links)) {
		from, to := g.Ends(p)
		if g.Nodes[from].Kind == topo.Switch && g.Nodes[to].Kind == topo.Switch && math.Abs(got.Bits[p]-want.Bits[p]) > 1e-3 {
			t.Errorf("%s carries %v, not %v", g.PortName(p), got.Bits[p], want.Bits[p])
		}
	}
}

// TestConserved: what passes switches is what hosts send, on any graph: the loads of all links add up to
// rates times distances.
func TestConserved(t *testing.T) {
	routers, degree, hosts := 12, 4, 2
	g := built(t, topo.Jellyfish{Switches: &routers, Degree: &degree, HostsPerSwitch: &hosts, Seed: 1, Cables: topo.Cables{Rate: 100 * unit.Gbps, Delay: unit.Microsecond}})
	tables := minimal(t, g)
	l := load.Spread(g, tables, uniform(g, 10*gbps), load.Options{})
	want := 0.0
	for a := range g.Hosts {
		for b := range g.Hosts {
			if a != b {
				want += 10 * gbps / float64(len(g.Hosts)-1) * float64(2+tables.Distance(tables.EdgeSwitch(tables.Edge(g.Hosts[a])), tables.Edge(g.Hosts[b])))
			}
		}
	}
	sum := 0.0
	for _, b := range l.Bits {
		sum += b
	}
	if math.Abs(sum-want) > 1e-9*want {
		t.Errorf("links carry %v, not %v", sum, want)
	}
}

// TestSampled: with little work allowed, the means of a regular network stay what they are, and the busiest
// link between switches is not known.
func TestSampled(t *testing.T) {
	k := 8
	g := built(t, topo.FatTree{Tiers: 3, Radix: &k, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	tables := minimal(t, g)
	whole := load.Spread(g, tables, uniform(g, 50*gbps), load.Options{})
	part := load.Spread(g, tables, uniform(g, 50*gbps), load.Options{Most: 5000})
	if part.Looked >= part.Edges || part.Looked < 2 || part.Bits != nil {
		t.Fatalf("looked at %d of %d", part.Looked, part.Edges)
	}
	for _, name := range []string{load.Hosts, load.Uplinks, load.Core} {
		near(t, name, tier(t, part, name).Mean, tier(t, whole, name).Mean)
	}
	if tier(t, part, load.Core).Known || !tier(t, part, load.Hosts).Known {
		t.Error("the busiest links are known")
	}
}

// TestSlowLink: the capacity of links counts.
func TestSlowLink(t *testing.T) {
	g := leafSpine(t, 2, 4, 4, 100*unit.Gbps)
	slow := g.Port(4*2, g.Links[8].A)
	l := load.Spread(g, minimal(t, g), uniform(g, 50*gbps), load.Options{Rate: func(p topo.PortID) unit.Rate {
		if p == slow {
			return 50 * unit.Gbps
		}
		return g.Links[p.Link()].Rate
	}})
	up := tier(t, l, load.Uplinks)
	near(t, "the slow one", up.Most, 2*0.5*4/7)
	if up.Port != slow {
		t.Errorf("the busiest is %s, not %s", g.PortName(up.Port), g.PortName(slow))
	}
}

func BenchmarkUniform1024(b *testing.B) {
	k := 16
	g, err := topo.FatTree{Tiers: 3, Radix: &k, Rate: 100 * unit.Gbps, Delay: unit.Microsecond}.Build()
	if err != nil {
		b.Fatal(err)
	}
	tables, err := route.Minimal(g, route.Options{})
	if err != nil {
		b.Fatal(err)
	}
	list := uniform(g, gbps)
	for b.Loop() {
		load.Spread(g, tables, list, load.Options{})
	}
}

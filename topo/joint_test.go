package topo

import (
	"math/rand/v2"
	"testing"
)

// swapped exchanges the second ends of two links.
func swapped(g *Graph, i, j int) {
	g.Links[i].B, g.Links[j].B = g.Links[j].B, g.Links[i].B
}

// refusesMiswiring exchanges ends of links, which leaves all degrees as they are, and
// demands that a check finds each exchange that changes what is linked, but for those
// that it need not find.
func refusesMiswiring(t *testing.T, name string, g *Graph, allowed func(a, b Link) bool, check func(*Graph) error) {
	t.Helper()
	if err := check(g); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for range 2000 {
		i, j := random.IntN(len(g.Links)), random.IntN(len(g.Links))
		a, b := g.Links[i], g.Links[j]
		if a.A == b.A || a.B == b.B || allowed != nil && allowed(a, b) {
			continue
		}
		tried++
		swapped(g, i, j)
		if check(g) == nil {
			t.Errorf("%s: links of %q and %q, and of %q and %q, may exchange their ends", name, g.Nodes[a.A].Name, g.Nodes[a.B].Name, g.Nodes[b.A].Name, g.Nodes[b.B].Name)
		}
		swapped(g, i, j)
	}
	if tried < 100 {
		t.Errorf("%s: %d exchanges were tried", name, tried)
	}
	last := g.Links[len(g.Links)-1]
	g.Links = g.Links[:len(g.Links)-1]
	if check(g) == nil {
		t.Errorf("%s: the last link may be missing", name)
	}
	g.Links = append(g.Links, last, last)
	if check(g) == nil {
		t.Errorf("%s: the last link may be there twice", name)
	}
	g.Links = g.Links[:len(g.Links)-1]
	if err := check(g); err != nil {
		t.Errorf("%s, as it was: %v", name, err)
	}
}

// The checks of trees find every miswired link, and the ToRs of what passes are as far
// apart as the joints say.
func TestTreesAreChecked(t *testing.T) {
	for _, p := range []pods{
		{hostsPerToR: 2, tors: 2, aggs: 2, uplinks: 2, pods: 4},
		{hostsPerToR: 3, tors: 4, aggs: 3, uplinks: 1, pods: 3},
		{hostsPerToR: 4, tors: 3, aggs: 2, uplinks: 5, pods: 1},
		{hostsPerToR: 20, tors: 1, aggs: 3, uplinks: 4, pods: 2},
	} {
		g := build(t, FatTree{Tiers: 3, HostsPerToR: &p.hostsPerToR, ToRsPerPod: &p.tors, UplinksPerToR: &p.aggs, UplinksPerAgg: &p.uplinks, Pods: &p.pods, Rate: rate})
		want := 4
		if p.pods == 1 {
			want = 2
		}
		if d := MeasureDistances(g, 0); d.Diameter != want {
			t.Errorf("%+v: the diameter is %d, want %d", p, d.Diameter, want)
		}
		refusesMiswiring(t, "pods", g, nil, func(g *Graph) error { return checkTree(g, p.joints()...) })
	}
	for _, parallel := range []int{1, 3} {
		g := build(t, LeafSpine{ToRs: 5, HostsPerToR: 4, Spines: 3, LinksPerSpine: parallel, Rate: rate})
		if d := MeasureDistances(g, 0); d.Diameter != 2 {
			t.Errorf("the diameter is %d", d.Diameter)
		}
		refusesMiswiring(t, "leaf-spine", g, nil, func(g *Graph) error { return checkTree(g, twoTierJoints(5, 4, 3, parallel)...) })
		// A ToR more than there should be.
		if checkTree(g, twoTierJoints(4, 5, 3, parallel)...) == nil {
			t.Error("five ToRs pass for four")
		}
	}
}

func TestDragonfliesAreChecked(t *testing.T) {
	for _, arrangement := range []string{"absolute", "relative", "circulant", "random"} {
		for _, o := range []Dragonfly{
			{HostsPerSwitch: ptr(2)},
			{HostsPerSwitch: ptr(2), Groups: ptr(5)},
			{SwitchesPerGroup: ptr(5), GlobalLinks: ptr(3), Groups: ptr(6)},
			{SwitchesPerGroup: ptr(1), GlobalLinks: ptr(16), Groups: ptr(17)},
		} {
			o.Arrangement, o.Cables = arrangement, cables
			d, err := o.shape()
			if err != nil {
				t.Fatal(err)
			}
			g := build(t, o)
			// Of hosts, and of global links between the same two groups, the ends may be
			// exchanged: degrees and distances of at most 3 stay.
			allowed := func(a, b Link) bool {
				group := func(n NodeID) int32 { return g.Nodes[n].Group }
				if group(a.A) == 0 || group(b.A) == 0 {
					return true
				}
				local := group(a.A) == group(a.B) || group(b.A) == group(b.B)
				return !local && (group(a.A) == group(b.A) || group(a.B) == group(b.B))
			}
			refusesMiswiring(t, arrangement, g, allowed, d.check)
			if far := farthest(g); far > 3 || d.switches == 1 && far != 1 {
				t.Errorf("%s %+v: the diameter is %d", arrangement, d, far)
			}
		}
	}
	// A bound of 3 is what can be said of all arrangements.
	for arrangement, want := range map[string]int{"absolute": 3, "circulant": 2} {
		g := build(t, Dragonfly{SwitchesPerGroup: ptr(2), GlobalLinks: ptr(2), Arrangement: arrangement, Cables: cables})
		if far := farthest(g); far != want {
			t.Errorf("%s: five groups of two switches have the diameter %d, want %d", arrangement, far, want)
		}
	}
}

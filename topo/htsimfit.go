package topo

import (
	"errors"
	"fmt"
	"slices"

	"weft/unit"
)

// htsimTree returns the parameters of g as a fat tree of htsim, or the reason why it is not
// one. Switches may have any names, and any order within a pod. Hosts must be in the order
// of the ToRs and pods, as connection matrices number them.
func (g *Graph) htsimTree() (*htsimTree, error) {
	f := &htsimFit{graph: g, tree: htsimTree{nodes: len(g.Hosts)}}
	for _, step := range []func() error{f.tiers, f.cables, f.hosts, f.pods, f.cores, f.ratios} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if _, err := f.tree.mismatch(); err != nil {
		return nil, err
	}
	return &f.tree, nil
}

type htsimFit struct {
	graph *Graph
	tree  htsimTree
	// count is the number of switches per tier.
	count [3]int
	// up lists, for every node, the upper ends of its cables upward.
	up [][]NodeID
	// tors lists the ToRs in the order of their hosts. pod and place hold, for every switch
	// below the cores, its pod and, for an aggregation switch, its index in the pod.
	tors       []NodeID
	pod, place []int
	aggs       [][]NodeID // of each pod
}

func (f *htsimFit) tiers() error {
	for i := range f.graph.Nodes {
		n := &f.graph.Nodes[i]
		if n.Kind == Host {
			continue
		}
		if n.Tier < 1 || n.Tier > 3 {
			return fmt.Errorf("switch %q has the tier %d", n.Name, n.Tier)
		}
		f.tree.tiers = max(f.tree.tiers, n.Tier)
		t := &f.tree.tier[n.Tier-1]
		if f.count[n.Tier-1]++; f.count[n.Tier-1] == 1 {
			t.latency = n.Latency
		}
		switch {
		case n.Latency != t.latency:
			return fmt.Errorf("switches of tier %d have the latencies %v and %v", n.Tier, t.latency, n.Latency)
		case n.Latency%unit.Nanosecond != 0:
			return fmt.Errorf("switch %q has a latency of %v", n.Name, n.Latency)
		}
	}
	if f.tree.tiers < 2 {
		return errors.New("the graph has one tier of switches")
	}
	return nil
}

func (f *htsimFit) cables() error {
	g := f.graph
	f.up = make([][]NodeID, len(g.Nodes))
	for _, l := range g.Links {
		lower, upper := l.A, l.B
		if g.tier(lower) > g.tier(upper) {
			lower, upper = upper, lower
		}
		if g.tier(upper) != g.tier(lower)+1 {
			return fmt.Errorf("%q and %q are linked, but their tiers are not adjacent", g.Nodes[lower].Name, g.Nodes[upper].Name)
		}
		f.up[lower] = append(f.up[lower], upper)
		t := &f.tree.tier[g.tier(lower)]
		if t.rate == 0 {
			t.rate, t.delay = l.Rate, l.Delay
		}
		switch {
		case l.Rate != t.rate || l.Delay != t.delay:
			return fmt.Errorf("links down from tier %d differ: some have %v with %v, others %v with %v", g.tier(upper), t.rate, t.delay, l.Rate, l.Delay)
		case l.Rate%unit.Gbps != 0 || l.Delay%unit.Nanosecond != 0 || l.Delay == 0:
			return fmt.Errorf("the link of %q and %q has %v and %v, but htsim needs whole Gbps and ns from 1", g.Nodes[lower].Name, g.Nodes[upper].Name, l.Rate, l.Delay)
		}
	}
	for i := range f.tree.tiers {
		f.tree.tier[i].bundle, f.tree.tier[i].oversub = 1, 1
	}
	return nil
}

// tier returns 0 for hosts, and the tier of a switch, from 1.
func (g *Graph) tier(n NodeID) int {
	if g.Nodes[n].Kind == Host {
		return 0
	}
	return g.Nodes[n].Tier
}

func (f *htsimFit) hosts() error {
	g := f.graph
	f.tree.tier[0].down = max(1, len(g.Hosts)/max(1, f.count[0]))
	for i, h := range g.Hosts {
		tor := f.up[h][0]
		if i%f.tree.tier[0].down == 0 {
			if slices.Contains(f.tors, tor) {
				return fmt.Errorf("host %q is number %d of its ToR %q, but others have %d", g.Nodes[h].Name, f.tree.tier[0].down+1, g.Nodes[tor].Name, f.tree.tier[0].down)
			}
			f.tors = append(f.tors, tor)
		} else if tor != f.tors[len(f.tors)-1] {
			return fmt.Errorf("host %q comes before all hosts of ToR %q, or ToRs have different numbers of hosts", g.Nodes[h].Name, g.Nodes[f.tors[len(f.tors)-1]].Name)
		}
	}
	if len(f.tors) != f.count[0] || len(g.Hosts)%f.tree.tier[0].down != 0 {
		return fmt.Errorf("%d hosts do not divide equally among %d ToRs", len(g.Hosts), f.count[0])
	}
	return nil
}

// bundles returns, in order, the switches that a switch has cables up to, and the number of
// cables to each, which must be equal.
func (f *htsimFit) bundles(n NodeID) ([]NodeID, int, error) {
	to := slices.Clone(f.up[n])
	slices.Sort(to)
	all := len(to)
	to = slices.Compact(to)
	if len(to) == 0 {
		return nil, 0, fmt.Errorf("switch %q has no links upward", f.graph.Nodes[n].Name)
	}
	for _, m := range to {
		cables := 0
		for _, other := range f.up[n] {
			if other == m {
				cables++
			}
		}
		if cables*len(to) != all {
			return nil, 0, fmt.Errorf("switch %q has different numbers of cables to the switches above it", f.graph.Nodes[n].Name)
		}
	}
	return to, all / len(to), nil
}

// pods finds the pods, whose ToRs share aggregation switches.
func (f *htsimFit) pods() error {
	g := f.graph
	f.pod = slices.Repeat([]int{-1}, len(g.Nodes))
	f.place = make([]int, len(g.Nodes))
	perPod := 0
	for i, tor := range f.tors {
		to, cables, err := f.bundles(tor)
		if err != nil {
			return err
		}
		last := len(f.aggs) - 1
		if last < 0 || !slices.Equal(to, f.aggs[last]) {
			for j, a := range to {
				if f.pod[a] >= 0 {
					return fmt.Errorf("switch %q is linked to some ToRs of a pod but not to others, or pods are not one after the other", g.Nodes[a].Name)
				}
				f.pod[a], f.place[a] = last+1, j
			}
			if last == 0 {
				perPod = i
			}
			f.aggs = append(f.aggs, to)
			last++
		}
		f.pod[tor] = last
		if i == 0 {
			f.tree.tier[0].up, f.tree.tier[1].bundle = len(f.up[tor]), cables
		}
		if perPod > 0 && i/perPod != last || len(to) != len(f.aggs[0]) || cables != f.tree.tier[1].bundle {
			return fmt.Errorf("the pod of ToR %q is not as large as the first", g.Nodes[tor].Name)
		}
	}
	if perPod == 0 {
		perPod = len(f.tors)
	}
	if len(f.tors)%perPod != 0 || f.count[1] != len(f.aggs)*len(f.aggs[0]) {
		return errors.New("pods differ in size, or a switch of tier 2 has no ToR")
	}
	f.tree.podSize = perPod * f.tree.tier[0].down
	f.tree.tier[1].down = perPod * f.tree.tier[1].bundle
	if f.tree.tiers == 2 && len(f.aggs) != 1 {
		return errors.New("with two tiers every ToR must be linked to every spine")
	}
	return nil
}

// cores checks that the aggregation switches with the same index in their pods have the
// same cores.
func (f *htsimFit) cores() error {
	if f.tree.tiers == 2 {
		return nil
	}
	g := f.graph
	var groups [][]NodeID  // of cores
	of := map[NodeID]int{} // the group of each core
	for pod, aggs := range f.aggs {
		used := make([]bool, len(aggs))
		for i, a := range aggs {
			to, cables, err := f.bundles(a)
			if err != nil {
				return err
			}
			if pod == 0 {
				if i == 0 {
					f.tree.tier[1].up, f.tree.tier[2].bundle = len(f.up[a]), cables
				}
				for _, c := range to {
					if _, taken := of[c]; taken {
						return fmt.Errorf("core %q is linked to two aggregation switches of a pod", g.Nodes[c].Name)
					}
					of[c] = len(groups)
				}
				groups = append(groups, to)
			}
			n, known := of[to[0]]
			if !known || !slices.Equal(groups[n], to) || used[n] || len(f.up[a]) != f.tree.tier[1].up || cables != f.tree.tier[2].bundle {
				return fmt.Errorf("aggregation switch %q has other cores than any of the first pod", g.Nodes[a].Name)
			}
			used[n] = true
		}
	}
	if len(of) != f.count[2] {
		return errors.New("a core is not linked to any aggregation switch of the first pod")
	}
	f.tree.tier[2].down = len(f.aggs) * f.tree.tier[2].bundle
	return nil
}

// ratios computes the oversubscription of every tier.
func (f *htsimFit) ratios() error {
	for i := range f.tree.tiers - 1 {
		t, above := &f.tree.tier[i], &f.tree.tier[i+1]
		down := int64(t.down) * int64(t.rate/unit.Gbps)
		up := int64(t.up) * int64(above.rate/unit.Gbps)
		if down%up != 0 {
			return fmt.Errorf("tier %d is oversubscribed %d:%d, but htsim needs a whole number", i+1, down/gcd(down, up), up/gcd(down, up))
		}
		t.oversub = int(down / up)
	}
	return nil
}

// lostToHtsim lists what changes if the tree is built again from its parameters. A graph
// that is not such a tree cannot be written at all.
func (g *Graph) lostToHtsim() []Loss {
	t, err := g.htsimTree()
	if err != nil {
		return nil
	}
	again, err := t.build()
	if err != nil {
		return nil
	}
	var lost []Loss
	if !slices.Equal(g.Nodes, again.Nodes) || !slices.Equal(g.Links, again.Links) || !slices.Equal(g.Hosts, again.Hosts) {
		lost = append(lost, Loss{
			What:   "htsim has its own names and order of switches and cables, so switches of a tier change places in their pod or among the cores",
			Remedy: "hosts keep their numbers, and all paths their rates and delays; address switches by their links",
		})
	}
	for i := range t.tiers - 1 {
		if t.tier[i].down/t.tier[i].up != t.tier[i].oversub {
			lost = append(lost, Loss{
				What:   fmt.Sprintf("some versions of htsim derive oversubscription from the radices of tier %d alone, whatever the rates", i),
				Remedy: "use the same rate in all tiers if yours refuses the file",
				Kept:   true,
			})
		}
	}
	return lost
}

package topo

import "fmt"

// joint describes the links between two adjacent tiers of a tree. Hosts are tier 0. A joint
// consists of blocks. In each block, every lower node has the same number of links to every
// upper node.
type joint struct {
	blocks, lower, upper, each int
	// below and above return the block of node i of a tier, and its index in the block.
	below, above func(i int) (block, place int)
}

// consecutive assigns each n consecutive nodes to a block.
func consecutive(n int) func(int) (block, place int) {
	return func(i int) (int, int) { return i / n, i % n }
}

// across assigns nodes to n blocks in turn.
func across(n int) func(int) (block, place int) {
	return func(i int) (int, int) { return i % n, i / n }
}

// hostJoint is the joint between hosts and ToRs.
func hostJoint(tors, hostsPerToR int) joint {
	return joint{blocks: tors, lower: hostsPerToR, upper: 1, each: 1, below: consecutive(hostsPerToR), above: consecutive(1)}
}

// checkTree refuses a graph whose nodes or links differ from its joints. It takes one pass
// over the links. A graph that passes has the degrees and the diameter that follow from the
// joints.
func checkTree(g *Graph, joints ...joint) error {
	counts := make([]int, len(joints)+1)
	ordinal := make([]int32, len(g.Nodes))
	for i := range g.Nodes {
		tier := g.Nodes[i].Tier
		if tier >= len(counts) {
			return fmt.Errorf("switch %q is in tier %d of %d", g.Nodes[i].Name, tier, len(joints))
		}
		ordinal[i] = int32(counts[tier])
		counts[tier]++
	}
	cells := make([][]uint32, len(joints))
	for tier, j := range joints {
		if counts[tier] != j.blocks*j.lower || counts[tier+1] != j.blocks*j.upper {
			return fmt.Errorf("tiers %d and %d got %d and %d nodes instead of %d and %d", tier, tier+1, counts[tier], counts[tier+1], j.blocks*j.lower, j.blocks*j.upper)
		}
		cells[tier] = make([]uint32, j.blocks*j.lower*j.upper)
	}
	for i := range g.Links {
		low, high := g.Links[i].A, g.Links[i].B
		if g.Nodes[low].Tier > g.Nodes[high].Tier {
			low, high = high, low
		}
		tier := g.Nodes[low].Tier
		if g.Nodes[high].Tier != tier+1 {
			return fmt.Errorf("%q of tier %d is linked to %q of tier %d", g.Nodes[low].Name, tier, g.Nodes[high].Name, g.Nodes[high].Tier)
		}
		j := &joints[tier]
		block, l := j.below(int(ordinal[low]))
		same, u := j.above(int(ordinal[high]))
		if block != same {
			return fmt.Errorf("%q of block %d is linked to %q of block %d", g.Nodes[low].Name, block, g.Nodes[high].Name, same)
		}
		cells[tier][(block*j.lower+l)*j.upper+u]++
	}
	for tier, j := range joints {
		for cell, n := range cells[tier] {
			if int(n) != j.each {
				return fmt.Errorf("place %d of block %d in tier %d got %d links to place %d above instead of %d",
					cell/j.upper%j.lower, cell/j.upper/j.lower, tier, n, cell%j.upper, j.each)
			}
		}
	}
	return nil
}

// Package draw draws small networks as SVG: trees in rows, and flat networks in a
// circle of their groups.
package draw

import (
	"fmt"
	"io"
	"math"

	"weft/topo"
)

const (
	// mostSwitches and mostLinks limit what a picture can show.
	mostSwitches = 400
	mostLinks    = 8000
	// mostNames is the most switches that get names. mostHosts is the most hosts that are
	// drawn one by one.
	mostNames = 160
	mostHosts = 600
)

// Lengths in pixels.
const (
	spacing  = 30.0 // between adjacent switches
	radius   = 5.0  // of a switch
	reach    = 13.0 // from a switch to its hosts
	margin   = 40.0
	rowApart = 110.0
	leastGap = 14.0 // between groups
)

// point is a place in the picture; y grows downward.
type point struct{ x, y float64 }

func (p point) plus(length, angle float64) point {
	return point{p.x + length*math.Cos(angle), p.y + length*math.Sin(angle)}
}

// layout holds the places of the switches of a graph.
type layout struct {
	at []point // by node
	// out is the angle at which the hosts of a switch, and its name behind them, leave it.
	out           []float64
	width, height float64
}

// SVG draws g with a title. Colours show the role of switches, and whether a link stays
// within a group; so do shapes and widths. It fails if g has more than 400 switches or 8000
// links between them, since such a picture would be unreadable.
func SVG(w io.Writer, g *topo.Graph, title string) error {
	facts := topo.Survey(g)
	if links := facts.GroupLinks + facts.GlobalLinks; facts.Switches > mostSwitches || links > mostLinks {
		return fmt.Errorf("%d switches and %d links between them are too many to see; draw a network of the family with at most %d and %d", facts.Switches, links, mostSwitches, mostLinks)
	}
	tiers := 0
	for i := range g.Nodes {
		tiers = max(tiers, g.Nodes[i].Tier)
	}
	var l layout
	if tiers > 1 {
		l = rows(g, tiers)
	} else {
		l = circle(g)
	}
	p := &picture{graph: g, facts: facts, layout: l, title: title, tiers: tiers}
	return p.write(w)
}

// rows puts the switches of each tier in a row, with the hosts below the lowest.
func rows(g *topo.Graph, tiers int) layout {
	l := layout{at: make([]point, len(g.Nodes)), out: make([]float64, len(g.Nodes))}
	byTier := make([][]topo.NodeID, tiers+1)
	longest := 0
	for n := range g.Nodes {
		if node := &g.Nodes[n]; node.Kind == topo.Switch {
			tier := max(1, node.Tier)
			byTier[tier] = append(byTier[tier], topo.NodeID(n))
			longest = max(longest, len(byTier[tier]))
		}
	}
	const apart = 1.6 * spacing
	l.width = 2*margin + apart*float64(max(longest, 8))
	l.height = 2*margin + reach + rowApart*float64(tiers-1)
	for tier, row := range byTier {
		for i, n := range row {
			l.at[n] = point{
				margin + (l.width-2*margin)*(float64(i)+0.5)/float64(len(row)),
				margin + rowApart*float64(tiers-tier),
			}
			l.out[n] = -math.Pi / 2
			if tier == 1 {
				l.out[n] = math.Pi / 2
			}
		}
	}
	return l
}

// circle arranges groups in a circle, and the switches of each group in a circle of its
// own. A switch without a group is a group of one.
func circle(g *topo.Graph) layout {
	l := layout{at: make([]point, len(g.Nodes)), out: make([]float64, len(g.Nodes))}
	var groups [][]topo.NodeID
	index := map[int32]int{}
	largest := 1
	for n := range g.Nodes {
		node := &g.Nodes[n]
		if node.Kind != topo.Switch {
			continue
		}
		i, known := index[node.Group]
		if !known || node.Group == 0 {
			i = len(groups)
			index[node.Group] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], topo.NodeID(n))
		largest = max(largest, len(groups[i]))
	}
	// The hosts and names of a group with several switches surround it.
	small, around := 0.0, 0.0
	if largest > 1 {
		small = max(18, spacing*float64(largest)/(2*math.Pi))
		around = reach + 20
	}
	step := 2*(small+around) + leastGap
	if largest == 1 {
		step = spacing
	}
	large := 0.0
	if len(groups) > 1 {
		large = max(step*float64(len(groups))/(2*math.Pi), 60)
	}
	half := large + small + reach + margin
	l.width, l.height = 2*half, 2*half
	centre := point{half, half}
	for i, group := range groups {
		toward := -math.Pi/2 + 2*math.Pi*float64(i)/float64(len(groups))
		middle := centre.plus(large, toward)
		for j, n := range group {
			angle := toward
			if len(group) > 1 {
				angle += 2 * math.Pi * float64(j) / float64(len(group))
			}
			l.at[n], l.out[n] = middle.plus(small, angle), angle
			if len(group) == 1 {
				l.at[n] = middle
			}
		}
	}
	return l
}

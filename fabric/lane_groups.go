package fabric

import (
	"fmt"
	"math/bits"

	"weft/topo"
)

// LaneGroups says which classes are lanes of one priority. To a port these are one queue, in the order in which frames came,
// of which a pause holds up one lane: they share a limit, thresholds and rules (docs/design/0018-lanes-in-order.md).
// Classes of no group are served strictly, as groups are. The zero value has no groups.
type LaneGroups struct {
	// Masks has a bit for every class of a group, and each group is a run of classes.
	Masks []uint8
	// Order is how a port chooses among the lanes that are not paused.
	Order LaneOrder
	// MarkEach compares thresholds, and has rules of marking, for each lane by itself.
	MarkEach bool
}

// LaneOrder is how a port chooses among the lanes of a priority.
type LaneOrder uint8

const (
	// ByArrival serves the lane whose first frame came to the port first.
	ByArrival LaneOrder = iota
	// InTurns serves a frame of each lane in turn.
	InTurns
)

func (c *LaneGroups) on() bool { return len(c.Masks) > 0 }

// lowest has a bit for every class below which frames do not fall: class 0 and the first of each group.
func (c *LaneGroups) lowest() uint8 {
	mask := first
	for _, m := range c.Masks {
		mask |= m & -m
	}
	return mask
}

func (c *LaneGroups) check(g *topo.Graph, port func(topo.PortID) PortConfig) error {
	if !c.on() {
		return nil
	}
	all := uint8(0)
	for _, m := range c.Masks {
		run := uint(m) >> bits.TrailingZeros8(m)
		if m == 0 || run&(run+1) != 0 || all&m != 0 {
			return fmt.Errorf("fabric: the lanes of priorities are the classes %08b; each must be a run of classes of its own", c.Masks)
		}
		all |= m
	}
	for id := range topo.PortID(2 * len(g.Links)) {
		from, _ := g.Ends(id)
		if g.Nodes[from].Kind != topo.Switch {
			continue
		}
		switch p := port(id); {
		case p.Trim != nil:
			return fmt.Errorf("fabric: a port trims frames to class 0, where frames travel in lanes")
		case p.limited() && all&first != 0:
			return fmt.Errorf("fabric: class 0 is one of credits, and so no lane")
		}
	}
	return nil
}

// grouping is what a port knows of lanes.
type grouping struct {
	group    [8]uint8 // of each class, its group; itself alone without
	turns    bool
	markEach bool
	served   [8]uint8 // of each group, by its first class: the lane served last
	// came has, for each class, beside its ring the numbers in which the frames came to the port.
	came [8][]uint64
}

// newGrouping returns what ports of so many classes know of lanes; nil if none has another beside it.
func newGrouping(c *LaneGroups, classes int) *grouping {
	l := &grouping{turns: c.Order == InTurns, markEach: c.MarkEach}
	for k := range l.group {
		l.group[k] = 1 << k
	}
	some := false
	for _, m := range c.Masks {
		if m &= 1<<classes - 1; m&(m-1) == 0 {
			continue
		}
		some = true
		for k := range l.group {
			if m>>k&1 != 0 {
				l.group[k] = m
			}
		}
	}
	if !some {
		return nil
	}
	return l
}

// note notes that the last frame of a class's ring is number n that came to the port.
func (l *grouping) note(k uint8, c *class, n uint64) {
	came := l.came[k]
	if len(came) != len(c.buf) {
		came = make([]uint64, len(c.buf))
		for i := c.head; i != c.tail-1; i++ {
			came[i&uint32(len(came)-1)] = l.came[k][i&uint32(len(l.came[k])-1)]
		}
		l.came[k] = came
	}
	came[(c.tail-1)&uint32(len(came)-1)] = n
}

// choose returns the lane to serve of those of class k that are open.
func (l *grouping) choose(classes []class, k, open uint8) uint8 {
	lanes := open & l.group[k]
	if lanes&(lanes-1) == 0 {
		return k
	}
	if l.turns {
		last := l.served[bits.TrailingZeros8(l.group[k])]
		if after := lanes &^ (2<<last - 1); after != 0 {
			return uint8(bits.TrailingZeros8(after))
		}
		return uint8(bits.TrailingZeros8(lanes))
	}
	least := ^uint64(0)
	for ; lanes != 0; lanes &= lanes - 1 {
		i := uint8(bits.TrailingZeros8(lanes))
		came := l.came[i]
		if n := came[classes[i].head&uint32(len(came)-1)]; n < least {
			least, k = n, i
		}
	}
	return k
}

// begin notes that a frame of class k is served.
func (l *grouping) begin(k uint8) { l.served[bits.TrailingZeros8(l.group[k])] = k }

package fabric

import (
	"fmt"
	"math/bits"

	"weft/topo"
)

// LaneGroups are the classes that are lanes of one priority. A port treats the lanes of
// a group as one queue, in order of arrival, but a pause stops a single lane. The lanes
// share a limit, thresholds and rules (docs/design/0018-lanes-in-order.md). Groups, and
// classes of no group, are served in strict priority. The zero value has no groups.
type LaneGroups struct {
	// Masks has one mask per group, with a bit for each of its classes. The classes
	// of a group must be consecutive.
	Masks []uint8
	// Order sets how a port chooses among the lanes that are not paused.
	Order LaneOrder
	// MarkEach applies thresholds and marking rules to each lane by itself.
	MarkEach bool
}

// LaneOrder is how a port chooses among the lanes of a priority.
type LaneOrder uint8

const (
	// ByArrival serves the lane whose first frame reached the port first.
	ByArrival LaneOrder = iota
	// InTurns serves one frame of each lane in turn.
	InTurns
)

func (c *LaneGroups) on() bool { return len(c.Masks) > 0 }

// lowest has a bit for every class from which frames cannot move down: class 0 and
// the first class of each group.
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

// grouping is the state of lanes at a port.
type grouping struct {
	group    [8]uint8 // per class, the mask of its group, or only its own bit
	turns    bool
	markEach bool
	served   [8]uint8 // per group, by its first class: the lane served last
	// arrived has, for each class, the arrival numbers of its waiting frames, parallel to its ring.
	arrived [8][]uint64
}

// newGrouping returns the lanes of a port with a number of classes; nil if no group
// has two classes there.
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

// note records that the last frame in a class's ring was the n-th to reach the port.
func (l *grouping) note(k uint8, c *class, n uint64) {
	arrived := l.arrived[k]
	if len(arrived) != len(c.buf) {
		arrived = make([]uint64, len(c.buf))
		for i := c.head; i != c.tail-1; i++ {
			arrived[i&uint32(len(arrived)-1)] = l.arrived[k][i&uint32(len(l.arrived[k])-1)]
		}
		l.arrived[k] = arrived
	}
	arrived[(c.tail-1)&uint32(len(arrived)-1)] = n
}

// choose returns the lane to serve among the open lanes in the group of class k.
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
		arrived := l.arrived[i]
		if n := arrived[classes[i].head&uint32(len(arrived)-1)]; n < least {
			least, k = n, i
		}
	}
	return k
}

// begin records that a frame of class k is served.
func (l *grouping) begin(k uint8) { l.served[bits.TrailingZeros8(l.group[k])] = k }

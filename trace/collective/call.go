package collective

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"weft/trace"
	"weft/unit"
)

// Call is one collective of a group.
type Call struct {
	Kind Kind
	// Size is the bytes of the whole buffer, as nccl-tests count it. Of an all-gather it is what each rank
	// has at the end, of a reduce-scatter what each has at the beginning, of an all-to-all either, and of a
	// gather or scatter what the root has. A barrier has none.
	Size int64
	// Root is the place in the group of the rank that the data goes to or comes from, if there is one.
	Root int
	// Tag is the first of the tags that messages have. Tags says how many there are.
	Tag int64
	// CPU and NIC are those of all operations.
	CPU, NIC uint16
	// Reduction is how fast a rank reduces what it received. Each reduction is a computation then. At 0
	// reductions take no time and are left out.
	Reduction unit.Rate
	// Node is how many ranks a node has: rank r of the trace is on node r / Node. Only Hierarchical needs it.
	Node int
}

// Tags returns how many tags a call takes at most. Calls that overlap in time at two ranks or more need
// tags of their own.
func (c Call) Tags(a Algorithm, ranks int) int64 {
	n := int64(max(ranks, 1))
	switch a {
	case Ring:
		return 2 * n
	case Hierarchical:
		return 2*n + 4
	}
	return 2*int64(bits.Len64(uint64(n))) + 4
}

// Lower appends what one rank of a group does to b. Ranks of the trace are listed in group, and the rank is
// the one at place. Its operations begin when all of after have ended.
//
// It returns the operations whose ends end the collective at this rank. Of several messages to the same
// rank in a row, the last stands for those before. If the rank has nothing to do, these are after.
func (c Call) Lower(b *trace.Builder, a Algorithm, group []int32, place int, after []uint32) (ends []uint32, err error) {
	lower := a.lowering(c.Kind)
	if lower == nil {
		return nil, c.none(a)
	}
	if err := c.check(a, len(group), place); err != nil {
		return nil, err
	}
	if len(group) == 1 {
		return after, nil
	}
	w := newWriter(c, b, group, place, after)
	lower(w)
	if b.Len() > trace.MaxOperations {
		return nil, fmt.Errorf("%v of %d ranks brings a rank to more than %d operations; use smaller groups or another algorithm", c.Kind, len(group), trace.MaxOperations)
	}
	return w.ends(), nil
}

// none is the error of a kind that an algorithm does not have.
func (c Call) none(a Algorithm) error {
	var names []string
	for _, one := range algorithmsOf(c.Kind) {
		names = append(names, one.String())
	}
	if len(names) == 0 {
		return fmt.Errorf("there is no collective of %v; the first one is %v", c.Kind, AllReduce)
	}
	return fmt.Errorf("%v has no algorithm %v; choose one of %s", c.Kind, a, strings.Join(names, ", "))
}

// check refuses numbers that are out of range.
func (c Call) check(a Algorithm, ranks, place int) error {
	switch {
	case place < 0 || place >= ranks:
		return fmt.Errorf("%v: place %d is outside of the group of %d ranks", c.Kind, place, ranks)
	case c.rooted() && (c.Root < 0 || c.Root >= ranks):
		return fmt.Errorf("%v: root %d is outside of the group of %d ranks; it is a place in the group", c.Kind, c.Root, ranks)
	case c.Size < 0 || c.Size > trace.MaxSize/int64(ranks):
		return fmt.Errorf("%v: a size of %d bytes over %d ranks is out of range", c.Kind, c.Size, ranks)
	case c.Tag < 0 || c.Tag > math.MaxInt64-c.Tags(a, ranks):
		return fmt.Errorf("%v: the tags from %d on are out of range", c.Kind, c.Tag)
	case c.Reduction < 0:
		return fmt.Errorf("%v: reductions at %v; give a rate above 0, or 0 for none", c.Kind, c.Reduction)
	case a == Hierarchical && c.Node < 1:
		return fmt.Errorf("%v by nodes needs the ranks per node, but has %d; give at least 1", c.Kind, c.Node)
	}
	return nil
}

// rooted tells whether a kind has a root.
func (c Call) rooted() bool {
	switch c.Kind {
	case Broadcast, Reduce, Gather, Scatter:
		return true
	}
	return false
}

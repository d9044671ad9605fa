package timeline

import (
	"cmp"
	"slices"

	"weft/unit"
)

// Class is what a segment of the critical path is.
type Class uint8

// Classes of segments.
const (
	// Compute: a processor computes.
	Compute Class = iota
	// Transfer: a message is on its way, or its sender is not done with it.
	Transfer
	// Queue: an operation may begin, and waits for a processor or a NIC that no other operation of the log holds.
	Queue
	// Other: the log does not explain it.
	Other

	// classes is how many there are.
	classes = iota
)

// String returns the name of a class in a word.
func (c Class) String() string { return [...]string{"compute", "transfer", "queue", "other"}[c] }

// Why is the reason why a segment of the critical path begins when the one before ends.
type Why uint8

// Reasons. Operations that take no time are in no segment. Of several reasons in a row, the one next to the later
// segment counts, but required only if there is no other one.
const (
	// start: it is the first segment.
	start Why = iota
	// required: an operation waited for another one of its rank to end or to start.
	required
	// busy: an operation waited for a processor or a NIC.
	busy
	// arrived: a receive waited for its message.
	arrived
	// posted: a send waited for the receive of its message.
	posted
)

// String returns the name of a reason in a word.
func (w Why) String() string {
	return [...]string{"start", "required", "busy", "arrived", "posted"}[w]
}

// Segment is a piece of the critical path.
type Segment struct {
	Begin, End unit.Time
	Class      Class
	Why        Why
	// Op is a computation, the send of a message, or the operation that waits.
	Op Ref
	// Recv is the receive of a message. Its rank is -1 if nothing took the message, and in other segments.
	Recv Ref
}

// Path is a chain of segments from the begin of the first operation to the end of the last one, without gaps.
type Path []Segment

// Sums returns how long the path is in each class.
func (p Path) Sums() (sums [classes]unit.Time) {
	for _, s := range p {
		sums[s.Class] += s.End - s.Begin
	}
	return sums
}

// Longest returns the longest segments of a class, at most n. Of two that are as long the earlier one is first.
func (p Path) Longest(n int, class Class) []Segment {
	var list []Segment
	for _, s := range p {
		if s.Class == class {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b Segment) int { return cmp.Compare(b.End-b.Begin, a.End-a.Begin) })
	return list[:min(n, len(list))]
}

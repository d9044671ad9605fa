package trace

import (
	"cmp"
	"slices"
	"sort"
)

// Call is one collective of a group of ranks, or another part of an application's work that results are
// told by. All of its ranks share it.
type Call struct {
	// Name is of the collective, as nccl-tests call it with hyphens, such as all-reduce; or of other work.
	Name string
	// Group is the process group, such as tp0.
	Group string
	// Ranks is how many ranks the group has.
	Ranks int
	// Size is the bytes of the whole buffer, as nccl-tests count it: of an all-gather, what each rank has
	// at the end.
	Size int64
}

// Span is operations of a rank, one after another in its schedule, that belong to a call.
type Span struct {
	// First is the first operation, and End the one after the last.
	First, End uint32
	// Call is its place in Trace.Calls.
	Call int32
}

// Spans returns the spans of a rank in the order of its operations.
func (s *Schedule) Spans() []Span { return s.spans }

// CallOf returns the place in Trace.Calls of the call that an operation belongs to, if it belongs to one.
func (s *Schedule) CallOf(op uint32) (call int32, ok bool) {
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].End > op })
	if i == len(s.spans) || s.spans[i].First > op {
		return 0, false
	}
	return s.spans[i].Call, true
}

// Span says that the operations from first on, before end, belong to a call. An operation is in one span at
// most. A span without operations is left out.
func (b *Builder) Span(first, end uint32, call int32) {
	if first < end {
		b.spans = append(b.spans, Span{first, end, call})
	}
}

// spanned returns the spans of a schedule in order, or nil if it has none.
func (b *Builder) spanned() []Span {
	spans := slices.Clone(b.spans)
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.First, b.First) })
	b.spans = b.spans[:0]
	if len(spans) == 0 {
		return nil
	}
	return spans
}

// Package replay has the core that replays traces, without I/O: which operations of a rank may begin,
// and which receive takes which message. It knows nothing of time, processors or networks. A carrier
// owns a Rank for each rank, decides when operations start and end and messages arrive, and tells it.
// Package trace/loggops is one.
//
// Messages match as in MPI: a message takes the first posted receive that fits it, and a receive the
// first message that arrived and fits.
package replay

import (
	"slices"

	"weft/trace"
	"weft/trace/internal/paged"
)

// Rank is the progress of one rank. Calls that release operations append them to a slice of the caller:
// sends, then receives, then computations, each in the order in which the schedule lists dependants.
type Rank struct {
	schedule *trace.Schedule
	waits    []uint32 // by operation: dependencies that are still to come, or over
	ended    int
	match    matching
	memory   *paged.Memory // which has waits
}

// over is what an operation that has ended waits for.
const over = ^uint32(0)

// New returns the ranks of a trace, which have not begun.
func New(t *trace.Trace) []*Rank {
	m := &paged.Memory{}
	ranks := make([]*Rank, len(t.Ranks))
	for i := range ranks {
		ranks[i] = newRank(&t.Ranks[i], m)
	}
	return ranks
}

func newRank(s *trace.Schedule, m *paged.Memory) *Rank {
	r := &Rank{schedule: s, waits: paged.Make[uint32](m, s.Len()), memory: m}
	s.CountWaits(r.waits)
	for i := range uint32(s.Len()) {
		if o := s.At(i); o.Kind == trace.Recv {
			r.match.uses |= 1 << wildcards(o.Peer, o.Tag)
		}
	}
	if r.match.uses == 0 {
		r.match.uses = 1 // any will do: no receive takes what arrives
	}
	return r
}

// Begin appends the operations that wait for nothing. It is called once, before all else.
func (r *Rank) Begin(ready []uint32) []uint32 {
	from := len(ready)
	for i, n := range r.waits {
		if n == 0 {
			ready = append(ready, uint32(i))
		}
	}
	return r.inOrder(ready, from)
}

// Started tells that an operation has started, once each. A receive starts when it is posted.
func (r *Rank) Started(op uint32, ready []uint32) []uint32 {
	return r.inOrder(r.schedule.Release(op, true, r.waits, ready), len(ready))
}

// Ended tells that an operation has ended, once each and after it started.
func (r *Rank) Ended(op uint32, ready []uint32) []uint32 {
	r.ended++
	r.waits[op] = over
	return r.inOrder(r.schedule.Release(op, false, r.waits, ready), len(ready))
}

// Left returns how many operations have not ended.
func (r *Rank) Left() int { return r.schedule.Len() - r.ended }

// unbegun returns how many operations wait for others.
func (r *Rank) unbegun() (n int) {
	for _, w := range r.waits {
		if w > 0 && w < over {
			n++
		}
	}
	return n
}

// inOrder sorts what was appended from a place on by kind.
func (r *Rank) inOrder(ready []uint32, from int) []uint32 {
	if len(ready)-from > 1 {
		slices.SortStableFunc(ready[from:], func(a, b uint32) int { return int(r.schedule.Kind(a)) - int(r.schedule.Kind(b)) })
	}
	return ready
}

// Message is a message on its way to a rank: the rank and the operation that sent it, whose tag it has.
type Message struct {
	Tag    int64
	Source int32
	Op     uint32
}

// Post posts a receive. It returns the message that the receive takes, if one is waiting.
func (r *Rank) Post(op uint32) (Message, bool) {
	o := r.schedule.At(op)
	return r.match.post(op, o.Peer, o.Tag)
}

// Arrive lets a message arrive. It returns the posted receive that takes it, if there is one.
func (r *Rank) Arrive(m Message) (op uint32, ok bool) { return r.match.arrive(m) }

// Package cut makes smaller traces of larger ones: the beginning of each rank, or some ranks.
//
// What it returns can be replayed to its end if the whole trace can: no operation waits for one that was
// left out, and each message has its receive.
package cut

import (
	"fmt"
	"slices"

	"weft/internal/readable"
	"weft/trace"
)

// Operations returns the trace of the first n operations of each rank, in the order of their schedules,
// without those that need others: an operation that waits for one behind, a message whose receive lies
// behind, and a receive whose message does. It leaves out no more than it must.
//
// The first message to a rank with a source and a tag belongs to the first such receive of its schedule,
// and so on. Traces with wildcards are refused, since times decide which message a receive takes.
func Operations(t *trace.Trace, n int) (*trace.Trace, error) {
	if n < 1 {
		return nil, fmt.Errorf("%d operations per rank leave nothing; keep at least 1", n)
	}
	c, err := newCutter(t)
	if err != nil {
		return nil, err
	}
	for r := range t.Ranks {
		for op := n; op < t.Ranks[r].Len(); op++ {
			c.drop(int32(r), uint32(op))
		}
	}
	c.spread()
	out := c.rest()
	for r := range out.Ranks {
		if out.Ranks[r].Len() > 0 {
			return out, nil
		}
	}
	return nil, fmt.Errorf("of the first %s per rank, each waits for others behind; keep more", readable.Count(n, "operation"))
}

// cutter drops operations, and all that cannot go without them.
type cutter struct {
	trace *trace.Trace
	// partner is the other end of each message, by rank and operation.
	partner [][]partner
	dropped [][]bool
	pending []ref
}

// ref is an operation of a rank.
type ref struct {
	rank int32
	op   uint32
}

type partner struct {
	ref
	known bool
}

func newCutter(t *trace.Trace) (*cutter, error) {
	if f := t.Check(1); f.Total > 0 {
		return nil, fmt.Errorf("%v", f.List[0])
	}
	c := &cutter{trace: t, partner: make([][]partner, len(t.Ranks)), dropped: make([][]bool, len(t.Ranks))}
	for r := range t.Ranks {
		s := &t.Ranks[r]
		c.partner[r], c.dropped[r] = make([]partner, s.Len()), make([]bool, s.Len())
		for i := range uint32(s.Len()) {
			if o := s.At(i); o.Kind == trace.Recv && (o.Peer == trace.AnySource || o.Tag == trace.AnyTag) {
				return nil, fmt.Errorf("rank %d, %s: times decide which message a receive with a wildcard takes, so that the trace cannot be cut", r, s.Describe(i))
			}
		}
	}
	first, sends := t.Inbound()
	for r := range t.Ranks {
		c.match(int32(r), sends[first[r]:first[r+1]])
	}
	return c, nil
}

// match finds the receives of the messages to a rank, and drops what has no partner.
func (c *cutter) match(rank int32, sends []trace.End) {
	s := &c.trace.Ranks[rank]
	var recvs []trace.End
	for i := range uint32(s.Len()) {
		if o := s.At(i); o.Kind == trace.Recv {
			recvs = append(recvs, trace.End{Source: o.Peer, Tag: o.Tag, Op: i})
		}
	}
	slices.SortFunc(sends, trace.End.Compare)
	slices.SortFunc(recvs, trace.End.Compare)
	for len(sends) > 0 && len(recvs) > 0 {
		a, b := sends[0], recvs[0]
		switch order := a.CompareQueue(b); {
		case order < 0:
			c.drop(a.Source, a.Op)
			sends = sends[1:]
		case order > 0:
			c.drop(rank, b.Op)
			recvs = recvs[1:]
		default:
			c.partner[a.Source][a.Op] = partner{ref{rank, b.Op}, true}
			c.partner[rank][b.Op] = partner{ref{a.Source, a.Op}, true}
			sends, recvs = sends[1:], recvs[1:]
		}
	}
	for _, m := range sends {
		c.drop(m.Source, m.Op)
	}
	for _, m := range recvs {
		c.drop(rank, m.Op)
	}
}

func (c *cutter) drop(rank int32, op uint32) {
	if !c.dropped[rank][op] {
		c.dropped[rank][op] = true
		c.pending = append(c.pending, ref{rank, op})
	}
}

// spread drops what waits for dropped operations, and the other ends of their messages.
func (c *cutter) spread() {
	for len(c.pending) > 0 {
		at := c.pending[len(c.pending)-1]
		c.pending = c.pending[:len(c.pending)-1]
		if p := c.partner[at.rank][at.op]; p.known {
			c.drop(p.rank, p.op)
		}
		c.trace.Ranks[at.rank].Dependants(at.op, func(op uint32, _ bool) { c.drop(at.rank, op) })
	}
}

// rest returns what was not dropped.
func (c *cutter) rest() *trace.Trace {
	out := &trace.Trace{Notices: c.trace.Notices}
	k := copier{from: c.trace, to: out}
	for r := range c.trace.Ranks {
		k.copy(r, func(op uint32) bool { return !c.dropped[r][op] }, 0)
	}
	return out
}

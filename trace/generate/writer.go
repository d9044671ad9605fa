package generate

import (
	"fmt"
	"slices"
	"strconv"

	"weft/trace"
	"weft/trace/collective"
	"weft/unit"
)

// class is what a group of ranks shares.
type class uint8

const (
	tensorClass class = iota
	contextClass
	expertClass
	dataClass
	expertDataClass
	embeddingClass
	modelClass
	pipelineClass
	// Of kernels.
	rowClass
	columnClass
	// A message from one rank to another one: its group is the sender. They have tags of their own.
	activationClass
	gradientClass
	contextRingClass
	haloClass
	classes
)

// classNames are how groups are called, with a number behind.
var classNames = [classes]string{"tp", "cp", "ep", "dp", "edp", "emb", "mp", "pp", "row", "col", "pp", "pp", "cp", "world"}

// Numbers of processors. Computations have the first one, and communication one per kind, as the streams
// of a GPU.
const (
	computeStream uint16 = iota
	tensorStream
	contextStream
	expertStream
	pipelineStream
	dataStream
	gatherStream
	streams
)

// tagBits is how many bits a tag has below its class. With its class it fits into 32 bits, as the binary
// form of GOAL demands.
const tagBits = 27

// book numbers the calls of a trace. Ranks that share a call come to the same number, since all ranks of
// a group make the same calls in the same order.
type book struct {
	calls   []trace.Call
	numbers [classes][][]int32 // by group and call
}

// number returns the number of a call of a group, which is new or the next one that the rank comes to.
func (b *book) number(c class, group, call int, about trace.Call) int32 {
	list := &b.numbers[c]
	for len(*list) <= group {
		*list = append(*list, nil)
	}
	of := &(*list)[group]
	if call == len(*of) {
		*of = append(*of, int32(len(b.calls)))
		b.calls = append(b.calls, about)
	}
	return (*of)[call]
}

// writer writes the schedule of one rank.
type writer struct {
	b     trace.Builder
	rules collective.Choice
	// node is how many ranks a node has, for collectives by nodes.
	node int
	// reduction is how fast a rank reduces what it received.
	reduction unit.Rate
	book      *book // nil if nobody asks for calls
	// tally counts operations, which are not written then. It is nil otherwise.
	tally *tally
	// last is the last computation, and tails are the ends of the last collective of each stream.
	last  []uint32
	tails [streams][]uint32
	err   error
}

// begin begins the schedule of the next rank.
func (w *writer) begin() {
	w.last, w.tails = nil, [streams][]uint32{}
}

// join returns operations of several lists, each once. It is a list of its own.
func join(lists ...[]uint32) []uint32 {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	out := make([]uint32, 0, n)
	for _, l := range lists {
		for _, op := range l {
			if !slices.Contains(out, op) {
				out = append(out, op)
			}
		}
	}
	return out
}

// add adds an operation, which begins when others have ended.
func (w *writer) add(o trace.Operation, after []uint32) uint32 {
	if w.tally != nil {
		w.tally.operations++
		return 0
	}
	op := w.b.Add(o)
	for _, on := range after {
		w.b.Require(op, on, false)
	}
	return op
}

// compute adds a computation, which begins after all earlier ones and others. It returns what to wait for.
func (w *writer) compute(nanoseconds int64, after []uint32) []uint32 {
	if nanoseconds == 0 {
		return after
	}
	w.last = []uint32{w.add(trace.Operation{Kind: trace.Calc, Size: nanoseconds, CPU: computeStream}, join(after, w.last))}
	return w.last
}

// mostEnds is how many operations others wait for before a computation of no time stands for them.
const mostEnds = 8

// call adds the rank's part of a collective. It begins when the collective before it in its stream has
// ended, as well as all computations before it. It returns what to wait for.
func (w *writer) call(kind collective.Kind, g *group, stream uint16, size int64, after []uint32) []uint32 {
	if g.size() == 1 || size == 0 || w.err != nil {
		return after
	}
	if w.tally != nil {
		return w.count(kind, g, size, after)
	}
	first := uint32(w.b.Len())
	tags := 2*g.size() + 4 // as many as any algorithm takes
	c := collective.Call{Kind: kind, Size: size, CPU: stream, Node: w.node, Reduction: w.reduction, Tag: g.class.tag(int64(g.calls) % (1 << tagBits / tags) * tags)}
	ends, err := c.Lower(&w.b, w.rules.Algorithm(kind, size), g.ranks, g.place, join(after, w.last, w.tails[stream]))
	if err != nil {
		w.err = err
		return nil
	}
	if len(ends) > mostEnds {
		ends = []uint32{w.add(trace.Operation{Kind: trace.Calc, CPU: stream}, ends)}
	}
	w.tails[stream] = ends
	w.span(first, g.class, g.number, g.calls, trace.Call{Name: kind.String(), Group: g.class.of(g.number), Ranks: len(g.ranks), Size: size})
	g.calls++
	w.limit()
	return ends
}

// tag returns a tag of a class.
func (c class) tag(n int64) int64 { return int64(c)<<tagBits | n&(1<<tagBits-1) }

// of names a group of a class. There is one of all ranks.
func (c class) of(number int) string {
	if c == haloClass {
		return classNames[c]
	}
	return classNames[c] + strconv.Itoa(number)
}

// span notes that the operations from first on belong to a call.
func (w *writer) span(first uint32, c class, group, call int, about trace.Call) {
	if w.book != nil && int(first) < w.b.Len() {
		w.b.Span(first, uint32(w.b.Len()), w.book.number(c, group, call, about))
	}
}

// limit refuses more operations than a rank can have.
func (w *writer) limit() {
	if w.err == nil && w.b.Len() > mostOperations {
		w.err = fmt.Errorf("a rank has more than %d operations; choose fewer iterations or micro-batches", mostOperations)
	}
}

// channel is messages to one rank, or from it, one after another.
type channel struct {
	class
	stream uint16
	// peer is the other rank, and from the sender.
	peer, from  int32
	name, group string
	last        []uint32
	messages    int
}

// send adds a message, which goes when the one before it has gone.
func (w *writer) send(l *channel, size, tag int64, after []uint32) {
	w.message(l, trace.Send, size, tag, after)
}

// receive adds a receive, which is posted when the one before it has ended. It returns what to wait for.
func (w *writer) receive(l *channel, size, tag int64) []uint32 {
	return w.message(l, trace.Recv, size, tag, nil)
}

func (w *writer) message(l *channel, kind trace.Kind, size, tag int64, after []uint32) []uint32 {
	op := w.add(trace.Operation{Kind: kind, Size: size, Tag: l.tag(tag), Peer: l.peer, CPU: l.stream}, join(after, l.last))
	l.last = []uint32{op}
	w.span(op, l.class, int(l.from), l.messages, trace.Call{Name: l.name, Group: l.group, Ranks: 2, Size: size})
	l.messages++
	w.limit()
	return l.last
}

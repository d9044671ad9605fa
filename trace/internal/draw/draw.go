// Package draw makes random traces for tests, the same ones from the same seed.
package draw

import (
	"math/rand/v2"
	"strconv"

	"weft/trace"
)

// Shape is what traces are drawn like.
type Shape struct {
	Ranks, Messages, Calcs int
	// CPUs and NICs are how many of each a rank has at most.
	CPUs, NICs int
	// Eager is the size that sizes lie around: half of the messages are larger.
	Eager int64
	// Wildcards lets receives take any source or any tag.
	Wildcards bool
	// Distinct gives each message a tag of its own. Then nothing waits for ever, in any order of events:
	// otherwise a receive may take a message that another one needs.
	Distinct bool
}

// window is how far back dependencies reach. So an operation has no more than as many dependants, and
// a rank no more operations without dependencies.
const window = 8

// drawer draws one trace. Operations depend on earlier ones alone, in one order over all ranks, so that
// dependencies have no cycle. Receives of one rank that could take the same message are alike: a message
// that fits one of them fits all, and is as large.
type drawer struct {
	Shape
	*rand.Rand
	ranks []*trace.Builder
	modes []int
	large map[class]bool

	serial int64 // of the last message
}

// class is receives of a rank that take the same messages.
type class struct {
	rank, source int32
	tag          int64
}

// Modes of a receiving rank.
const (
	exact = iota
	mixed // any tag from some sources, some tags from any source
	anything
	modes
)

// Trace draws one.
func Trace(seed uint64, s Shape) *trace.Trace {
	d := &drawer{Shape: s, Rand: rand.New(rand.NewPCG(seed, 0x7ace)), large: map[class]bool{}}
	for range s.Ranks {
		d.ranks = append(d.ranks, &trace.Builder{})
		d.modes = append(d.modes, d.IntN(modes))
	}
	for messages, calcs := s.Messages, s.Calcs; messages+calcs > 0; {
		if d.IntN(messages+calcs) < messages {
			messages--
			d.message()
			continue
		}
		calcs--
		d.add(d.rank(), trace.Operation{Kind: trace.Calc, Size: d.Int64N(3 * (s.Eager + 1)), CPU: d.cpu()})
	}
	t := &trace.Trace{}
	for _, b := range d.ranks {
		t.Ranks = append(t.Ranks, b.Schedule())
	}
	return t
}

func (d *drawer) rank() int32 { return int32(d.IntN(d.Ranks)) }

func (d *drawer) cpu() uint16 { return uint16(d.IntN(d.CPUs)) }
func (d *drawer) nic() uint16 { return uint16(d.IntN(d.NICs)) }

// message draws a message and its receive.
func (d *drawer) message() {
	src, dst := d.rank(), d.rank()
	tag := int64(d.IntN(3))
	if d.Distinct {
		d.serial++
		tag = d.serial
	}
	for src == dst && d.Ranks > 1 && d.Wildcards && d.modes[dst] != exact {
		src = d.rank()
	}
	if src == dst {
		tag += 50 // of their own, since they are small
	}
	c := class{dst, src, tag}
	switch mode := d.modes[dst]; {
	case src == dst, !d.Wildcards || mode == exact:
	case mode == anything:
		c.source, c.tag = trace.AnySource, trace.AnyTag
	case (src+dst)%3 == 0:
		c.tag = trace.AnyTag
	case d.IntN(2) == 0:
		tag += 100
		c.source, c.tag = trace.AnySource, tag
	}
	large, known := d.large[c]
	if !known {
		large = src != dst && d.IntN(2) == 0
		d.large[c] = large
	}
	size := 1 + d.Int64N(max(d.Eager, 1))
	if large {
		size = d.Eager + 1 + d.Int64N(3*d.Eager+10)
	}
	send := trace.Operation{Kind: trace.Send, Size: size, Peer: dst, Tag: tag, CPU: d.cpu(), NIC: d.nic()}
	recv := trace.Operation{Kind: trace.Recv, Size: size, Peer: c.source, Tag: c.tag, CPU: d.cpu(), NIC: d.nic()}
	if src == dst || d.IntN(2) == 0 {
		d.add(src, send)
		d.add(dst, recv)
		return
	}
	d.add(dst, recv)
	d.add(src, send)
}

// add adds an operation with dependencies on some of those before it.
func (d *drawer) add(rank int32, o trace.Operation) {
	b := d.ranks[rank]
	before := b.Len()
	op := b.Add(o)
	b.Label(strconv.AppendInt([]byte{'l'}, int64(op)+1, 10))
	n := d.IntN(3)
	if before >= window {
		n++
	}
	for _, back := range d.Perm(min(before, window))[:min(n, before)] {
		b.Require(op, op-1-uint32(back), d.IntN(4) == 0)
	}
}

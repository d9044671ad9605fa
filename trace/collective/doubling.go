package collective

import "math/bits"

// core is a power of two of members that exchange data at doubling distances. If there are more members,
// the first ones go in pairs: the even one hands its data to the odd one, which is in the core.
type core struct {
	team
	all   team
	pairs int
	out   bool // I hand my data over
}

func (t team) core() core {
	size := 1 << (bits.Len(uint(t.size)) - 1)
	c := core{team: team{size: size, places: make([]int, size)}, all: t, pairs: t.size - size}
	for v := range size {
		c.places[v] = t.place(c.member(v))
	}
	switch {
	case t.me >= 2*c.pairs:
		c.me = t.me - c.pairs
	case t.me%2 == 0:
		c.me, c.out = t.me/2, true
	default:
		c.me = t.me / 2
	}
	return c
}

// member returns the number in the whole team of a number in the core.
func (c core) member(v int) int {
	if v < c.pairs {
		return 2*v + 1
	}
	return v + c.pairs
}

// within returns the number in the core of a member, or of the one that it is a pair with.
func (c core) within(member int) int {
	if member < 2*c.pairs {
		return member / 2
	}
	return member - c.pairs
}

// isOut tells whether a member hands its data over.
func (c core) isOut(member int) bool { return member < 2*c.pairs && member%2 == 0 }

// in hands data over to the core, and out back.
func (w *writer) in(c core, data region, sum bool) {
	switch me := c.all.me; {
	case c.out:
		w.send(c.all.place(me+1), data)
	case me < 2*c.pairs:
		w.receive(c.all.place(me-1), data, sum)
	}
	w.step()
}

func (w *writer) out(c core, data region) {
	switch me := c.all.me; {
	case c.out:
		w.take(c.all.place(me+1), data)
	case me < 2*c.pairs:
		w.send(c.all.place(me-1), data)
	}
	w.step()
}

// halve sums up blocks: member i of the core ends with block i.
func (w *writer) halve(c core, blocks []region) {
	for span := c.size / 2; span > 0; span /= 2 {
		if with := c.me ^ span; !c.out {
			w.send(c.place(with), half(blocks, with, span))
			w.sum(c.place(with), half(blocks, c.me, span))
		}
		w.step()
	}
}

// double collects blocks: member i of the core begins with block i.
func (w *writer) double(c core, blocks []region) {
	for span := 1; span < c.size; span *= 2 {
		if with := c.me ^ span; !c.out {
			w.send(c.place(with), half(blocks, c.me, span))
			w.take(c.place(with), half(blocks, with, span))
		}
		w.step()
	}
}

// half returns the aligned span of blocks with a member's.
func half(blocks []region, member, span int) region {
	from := member &^ (span - 1)
	return joined(blocks[from : from+span]...)
}

// doublingAllReduce exchanges whole buffers.
func (w *writer) doublingAllReduce() {
	c := w.everybody().core()
	w.in(c, w.whole, true)
	for span := 1; span < c.size; span *= 2 {
		if with := c.place(c.me ^ span); !c.out {
			w.send(with, w.whole)
			w.sum(with, w.whole)
		}
		w.step()
	}
	w.out(c, w.whole)
}

func (w *writer) halvingDoubling() {
	c := w.everybody().core()
	blocks := w.whole.cut(c.size)
	w.in(c, w.whole, true)
	w.halve(c, blocks)
	w.double(c, blocks)
	w.out(c, w.whole)
}

// paired returns the parts of the members that each member of the core stands for.
func (c core) paired(parts []region) []region {
	blocks := make([]region, c.size)
	for v := range blocks {
		m := c.member(v)
		if blocks[v] = parts[m]; v < c.pairs {
			blocks[v] = joined(parts[m-1], parts[m])
		}
	}
	return blocks
}

func (w *writer) doublingAllGather() {
	c := w.everybody().core()
	parts := w.whole.cut(c.all.size)
	even := w.me &^ 1
	w.in(c, parts[even], false)
	w.double(c, c.paired(parts))
	w.out(c, joined(joined(parts[:even]...), joined(parts[even+1:]...)))
}

func (w *writer) halvingReduceScatter() {
	c := w.everybody().core()
	parts := w.whole.cut(c.all.size)
	w.in(c, w.whole, true)
	w.halve(c, c.paired(parts))
	w.out(c, parts[w.me&^1])
}

// doublingBroadcast is a scatter in the core and an all-gather. A root outside of the core hands its
// buffer over before.
func (w *writer) doublingBroadcast() {
	c := w.everybody().core()
	blocks := w.whole.cut(c.size)
	w.handRoot(c, w.Root, w.Root+1)
	if !c.out {
		w.scatterTree(c.team, c.within(w.Root), blocks)
	} else {
		w.tag++
	}
	w.double(c, blocks)
	if w.Root != w.me&^1 || !c.isOut(w.Root) { // else the pair is the root's, which has its buffer
		w.out(c, w.whole)
	}
}

// halvingReduceTo is a reduce-scatter in the core and a gather.
func (w *writer) halvingReduceTo() {
	c := w.everybody().core()
	blocks := w.whole.cut(c.size)
	w.in(c, w.whole, true)
	w.halve(c, blocks)
	if !c.out {
		w.gatherTree(c.team, c.within(w.Root), blocks)
	} else {
		w.tag++
	}
	w.handRoot(c, w.Root+1, w.Root)
}

// handRoot hands the whole buffer from one rank to the next if the root is outside of the core.
func (w *writer) handRoot(c core, from, to int) {
	if c.isOut(w.Root) {
		switch w.me {
		case from:
			w.send(to, w.whole)
		case to:
			w.take(from, w.whole)
		}
	}
	w.step()
}

// disseminate tells one rank in each step, at doubling distances.
func (w *writer) disseminate() { w.disseminateIn(w.everybody()) }

func (w *writer) disseminateIn(t team) {
	for d := 1; d < t.size; d *= 2 {
		w.send(t.place(t.me+d), w.whole)
		w.sum(t.place(t.me-d), w.whole)
		w.step()
	}
}

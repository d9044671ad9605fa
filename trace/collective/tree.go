package collective

// branch is where a member is in a binomial tree. Members are counted from the root: the parent of a
// member is its number without its lowest bit.
type branch struct {
	team
	root int
	rel  int // my number from the root
}

func (t team) branch(root int) branch { return branch{t, root, t.of(t.me - root)} }

// above returns the place of the parent.
func (b branch) above() int { return b.at(b.rel & (b.rel - 1)) }

// at returns the place of the member with a number from the root.
func (b branch) at(rel int) int { return b.place(b.root + rel) }

// below calls visit for each child, with those that it is the root of: from rel on, before end. Small
// subtrees come first, or last.
func (b branch) below(smallFirst bool, visit func(rel, end int)) {
	low := b.rel & -b.rel
	if b.rel == 0 {
		low = 1
		for low < b.size {
			low *= 2
		}
	}
	if smallFirst {
		for d := 1; d < low && b.rel+d < b.size; d *= 2 {
			visit(b.rel+d, min(b.rel+2*d, b.size))
		}
		return
	}
	for d := low / 2; d > 0; d /= 2 {
		if b.rel+d < b.size {
			visit(b.rel+d, min(b.rel+2*d, b.size))
		}
	}
}

// under returns the blocks of the members from rel on, before end.
func (b branch) under(blocks []region, rel, end int) region {
	var r region
	for ; rel < end; rel++ {
		r = r.join(blocks[b.of(b.root+rel)])
	}
	return r
}

// mine returns the blocks of the subtree whose root I am.
func (b branch) mine(blocks []region) region {
	return b.under(blocks, b.rel, min(b.rel+(b.rel&-b.rel), b.size))
}

// reduceTree sums up data at the root.
func (w *writer) reduceTree(t team, root int, data region) {
	b := t.branch(root)
	b.below(true, func(rel, _ int) { w.sum(b.at(rel), data) })
	w.turn()
	if b.rel > 0 {
		w.send(b.above(), data)
	}
	w.step()
}

// broadcastTree copies the root's data to all.
func (w *writer) broadcastTree(t team, root int, data region) {
	b := t.branch(root)
	if b.rel > 0 {
		w.take(b.above(), data)
	}
	w.turn()
	b.below(false, func(rel, _ int) { w.send(b.at(rel), data) })
	w.step()
}

// gatherTree collects a block of each member at the root.
func (w *writer) gatherTree(t team, root int, blocks []region) {
	b := t.branch(root)
	b.below(true, func(rel, end int) { w.take(b.at(rel), b.under(blocks, rel, end)) })
	w.turn()
	if b.rel > 0 {
		w.send(b.above(), b.mine(blocks))
	}
	w.step()
}

// scatterTree sends a block to each member from the root.
func (w *writer) scatterTree(t team, root int, blocks []region) {
	b := t.branch(root)
	if b.rel > 0 {
		w.take(b.above(), b.mine(blocks))
	}
	w.turn()
	b.below(false, func(rel, end int) { w.send(b.at(rel), b.under(blocks, rel, end)) })
	w.step()
}

// treeAllReduce is a barrier, too.
func (w *writer) treeAllReduce() {
	t := w.everybody()
	w.reduceTree(t, 0, w.whole)
	w.broadcastTree(t, 0, w.whole)
}

func (w *writer) treeAllGather() {
	t := w.everybody()
	w.gatherTree(t, 0, w.whole.cut(t.size))
	w.broadcastTree(t, 0, w.whole)
}

func (w *writer) treeReduceScatter() {
	t := w.everybody()
	w.reduceTree(t, 0, w.whole)
	w.scatterTree(t, 0, w.whole.cut(t.size))
}

func (w *writer) treeBroadcastAll() { w.broadcastTree(w.everybody(), w.Root, w.whole) }
func (w *writer) treeReduceTo()     { w.reduceTree(w.everybody(), w.Root, w.whole) }

func (w *writer) treeGatherTo() {
	t := w.everybody()
	w.gatherTree(t, w.Root, w.whole.cut(t.size))
}

func (w *writer) treeScatterAll() {
	t := w.everybody()
	w.scatterTree(t, w.Root, w.whole.cut(t.size))
}

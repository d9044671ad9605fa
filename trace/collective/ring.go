package collective

// reduceRing sums up blocks around a ring, in as many steps as there are other members. Member i ends with
// block i + lead.
func (w *writer) reduceRing(t team, blocks []region, lead int) {
	for s := range t.size - 1 {
		w.send(t.place(t.me+1), blocks[t.of(t.me+lead-1-s)])
		w.sum(t.place(t.me-1), blocks[t.of(t.me+lead-2-s)])
		w.step()
	}
}

// gatherRing passes blocks on around a ring, until each member has all. Member i begins with block
// i + lead.
func (w *writer) gatherRing(t team, blocks []region, lead int) {
	for s := range t.size - 1 {
		w.send(t.place(t.me+1), blocks[t.of(t.me+lead-s)])
		w.take(t.place(t.me-1), blocks[t.of(t.me+lead-1-s)])
		w.step()
	}
}

// ringAllReduce is that of Patarasuk and Yuan (JPDC 2009): a rank sends in each step the part that it
// received in the step before, its own first.
func (w *writer) ringAllReduce() {
	t := w.everybody()
	parts := w.whole.cut(t.size)
	w.reduceRing(t, parts, 1)
	w.gatherRing(t, parts, 1)
}

func (w *writer) ringAllGather() {
	t := w.everybody()
	w.gatherRing(t, w.whole.cut(t.size), 0)
}

func (w *writer) ringReduceScatter() {
	t := w.everybody()
	w.reduceRing(t, w.whole.cut(t.size), 0)
}

func (w *writer) ringBroadcast() {
	t := w.everybody()
	parts := w.whole.cut(t.size)
	w.scatterTree(t, w.Root, parts)
	w.gatherRing(t, parts, 0)
}

func (w *writer) ringReduceTo() {
	t := w.everybody()
	parts := w.whole.cut(t.size)
	w.reduceRing(t, parts, 0)
	w.gatherTree(t, w.Root, parts)
}

package collective

// exchange sends what give returns to each other member, and receives what get returns. The members are
// taken by their distance. If it is paced, the messages of one distance wait for those of the one before.
func (w *writer) exchange(t team, paced bool, give, get func(member int) region, sum bool) {
	for k := 1; k < t.size; k++ {
		to, from := t.of(t.me+k), t.of(t.me-k)
		w.send(t.place(to), give(to))
		w.receive(t.place(from), get(from), sum)
		if paced {
			w.exchanged()
		}
	}
	w.step()
}

// scatterParts leaves the sum of each part at its rank, and gatherParts collects parts everywhere.
func (w *writer) scatterParts(t team, parts []region, paced bool) {
	w.exchange(t, paced, func(to int) region { return parts[to] }, func(int) region { return parts[t.me] }, true)
}

func (w *writer) gatherParts(t team, parts []region, paced bool) {
	w.exchange(t, paced, func(int) region { return parts[t.me] }, func(from int) region { return parts[from] }, false)
}

func (w *writer) reduceParts(paced bool) {
	t := w.everybody()
	parts := w.whole.cut(t.size)
	w.scatterParts(t, parts, paced)
	w.gatherParts(t, parts, paced)
}

func (w *writer) exchangeParts(paced bool) {
	t := w.everybody()
	parts := w.whole.cut(t.size)
	w.exchange(t, paced, func(to int) region { return w.row(w.me, parts[to]) }, func(from int) region { return w.row(from, parts[w.me]) }, false)
}

// row returns a part of a rank's buffer in an all-to-all. The buffers of all ranks have places of their own,
// one after another.
func (w *writer) row(place int, part region) region {
	r := make(region, len(part))
	for i, e := range part {
		at := int64(place) * w.Size
		r[i] = extent{at + e.from, at + e.to}
	}
	return r
}

func (w *writer) pairwiseAllReduce() { w.reduceParts(true) }
func (w *writer) directAllReduce()   { w.reduceParts(false) }
func (w *writer) pairwiseAllToAll()  { w.exchangeParts(true) }
func (w *writer) directAllToAll()    { w.exchangeParts(false) }

func (w *writer) pairwiseAllGather() {
	w.gatherParts(w.everybody(), w.whole.cut(len(w.group)), true)
}

func (w *writer) directAllGather() {
	w.gatherParts(w.everybody(), w.whole.cut(len(w.group)), false)
}

func (w *writer) pairwiseReduceScatter() {
	w.scatterParts(w.everybody(), w.whole.cut(len(w.group)), true)
}

func (w *writer) directReduceScatter() {
	w.scatterParts(w.everybody(), w.whole.cut(len(w.group)), false)
}

// directBarrier tells every other rank.
func (w *writer) directBarrier() {
	all := func(int) region { return w.whole }
	w.exchange(w.everybody(), false, all, all, true)
}

func (w *writer) directBroadcast() { w.fromRoot(func(int) region { return w.whole }) }
func (w *writer) directReduce()    { w.toRoot(func(int) region { return w.whole }, true) }

func (w *writer) directScatter() {
	parts := w.whole.cut(len(w.group))
	w.fromRoot(func(to int) region { return parts[to] })
}

func (w *writer) directGather() {
	parts := w.whole.cut(len(w.group))
	w.toRoot(func(from int) region { return parts[from] }, false)
}

// fromRoot sends data from the root to each other rank, in their order from the root on.
func (w *writer) fromRoot(data func(to int) region) {
	t := w.everybody()
	if w.me != w.Root {
		w.take(w.Root, data(w.me))
		return
	}
	for k := 1; k < t.size; k++ {
		to := t.of(w.me + k)
		w.send(to, data(to))
	}
}

// toRoot sends data of each other rank to the root.
func (w *writer) toRoot(data func(from int) region, sum bool) {
	t := w.everybody()
	if w.me != w.Root {
		w.send(w.Root, data(w.me))
		return
	}
	for k := 1; k < t.size; k++ {
		from := t.of(w.me + k)
		w.receive(from, data(from), sum)
	}
}

// bruck passes parts on over doubling distances: a part goes the distances that make up the one from its
// source to its destination.
func (w *writer) bruck() {
	t := w.everybody()
	parts := w.whole.cut(t.size)
	for d := 1; d < t.size; d *= 2 {
		w.send(t.place(w.me+d), w.passing(t, parts, w.me, d))
		w.take(t.place(w.me-d), w.passing(t, parts, w.me-d, d))
		w.step()
	}
}

// passing returns the parts that leave a place over a distance.
func (w *writer) passing(t team, parts []region, place, distance int) region {
	var r region
	for way := distance; way < t.size; way++ {
		if way&distance != 0 { // shorter distances lie behind
			source := t.of(place - way&(distance-1))
			r = r.join(w.row(source, parts[t.of(source+way)]))
		}
	}
	return r
}

package generate

import (
	"slices"

	"weft/problem"
	"weft/trace"
	"weft/trace/collective"
)

// mostOperations is how many operations a rank has at most. A rank of so many takes several gigabytes while
// it is made.
const mostOperations = 1 << 26

// tally counts the operations of a rank without writing them.
type tally struct {
	operations int64
	// known are the operations of collectives that came before.
	known map[collectiveOf]int64
}

// collectiveOf tells collectives of a rank apart.
type collectiveOf struct {
	kind  collective.Kind
	class class
	place int
	size  int64
}

// count counts a collective. One of each is made, and thrown away.
func (w *writer) count(kind collective.Kind, g *group, size int64, after []uint32) []uint32 {
	what := collectiveOf{kind, g.class, g.place, size}
	n, known := w.tally.known[what]
	if !known {
		c := collective.Call{Kind: kind, Size: size, Node: w.node, Reduction: w.reduction}
		ends, err := c.Lower(&w.b, w.rules.Algorithm(kind, size), g.ranks, g.place, nil)
		if err != nil {
			w.err = err
			return nil
		}
		if n = int64(w.b.Len()); len(ends) > mostEnds {
			n++
		}
		w.b = trace.Builder{}
		w.tally.known[what] = n
	}
	w.tally.operations += n
	return after
}

// taken returns how many operations a function adds to those that are counted.
func (w *writer) taken(by func()) int64 {
	before := w.tally.operations
	by()
	return w.tally.operations - before
}

// count counts an iteration, or a part of it. An iteration without operations counts as one, since it takes
// time as well.
func (r repeated) count(w *writer) error {
	rank := r.busiest()
	one, times := r.piece()
	of := r.members(rank)
	each := max(1, product(times, w.taken(func() { one.iterate(rank, 0, w, of) })))
	switch {
	case w.err != nil:
		return w.err
	case each > mostOperations:
		return tooMany("kernel", each, "an iteration takes").Mend("choose smaller numbers")
	case product(each, r.iterations) > mostOperations:
		return tooMany("iterations", product(each, r.iterations), "all iterations take").Mend("choose at most %d iterations", mostOperations/each)
	}
	return nil
}

// tooMany is the error of a rank with too many operations.
func tooMany(key string, operations int64, what string) *problem.Problem {
	return problem.At(key, "%s %d operations per rank, but a rank can have %d", what, operations, mostOperations)
}

// count counts the operations of a rank of each stage that may have the most: the first one, the last one,
// and the one with the most layers.
func (t *training) count(w *writer) error {
	stages := t.grid.size[pipelineDim]
	layers := make([]int64, stages)
	most := int64(0)
	for chunk, n := range t.layers {
		stage := int64(chunk) % stages
		layers[stage] += n
		if layers[stage] > layers[most] {
			most = stage
		}
	}
	candidates := []int64{0, most, stages - 1}
	slices.Sort(candidates)
	each, last := int64(0), int64(0)
	for _, stage := range slices.Compact(candidates) {
		e, l := t.amounts(int(t.grid.rank(place{pipelineDim: stage})), w)
		each, last = max(each, e), max(last, l)
	}
	if w.err != nil {
		return w.err
	}
	return t.fits(each, last)
}

// amounts returns how many operations a rank has in an iteration, for its last micro-batch with what follows, and
// for each one before. A micro-batch counts as one operation at least in each step, since steps are listed.
func (t *training) amounts(rank int, w *writer) (each, last int64) {
	k := t.worker(rank, w)
	through := func(last bool) {
		for chunk := range t.schedule.Chunks {
			k.forward(step{chunk: chunk})
		}
		for chunk := t.schedule.Chunks - 1; chunk >= 0; chunk-- {
			k.backward(step{chunk: chunk, direction: backward, last: last})
		}
	}
	least := 2 * t.schedule.Chunks
	each = max(least, w.taken(func() { through(false) }))
	last = max(least, w.taken(func() {
		through(true)
		k.finish()
	}))
	return each, last
}

// fits refuses too many operations: so many for each micro-batch, and for the last one of an iteration.
func (t *training) fits(each, last int64) error {
	iteration := total(product(t.micro-1, each), last)
	all := product(iteration, t.spec.Iterations)
	switch {
	case all <= mostOperations:
		return nil
	case iteration <= mostOperations:
		return tooMany("iterations", all, "all iterations take").Mend("choose at most %d iterations", mostOperations/iteration)
	}
	micro := int64(0)
	if last <= mostOperations {
		micro = 1 + (mostOperations-last)/each
	}
	if t.schedule.whole {
		micro -= micro % t.grid.size[pipelineDim]
	}
	if micro == 0 {
		return tooMany("model", iteration, "the micro-batches of an iteration take").Mend("choose fewer layers or smaller groups")
	}
	return tooMany("batch.global", iteration, "the micro-batches of an iteration take").Mend("choose at most %d", product(micro, t.spec.Batch.Micro, t.spec.Parallel.Data))
}

package generate

import "math"

// work is what a computation does: floating-point operations, and bytes from and to memory.
type work struct{ flops, bytes int64 }

func (w work) times(n int64) work { return work{product(w.flops, n), product(w.bytes, n)} }

// costs counts the work of one rank for one micro-batch.
type costs struct {
	*transformer
	// tokens are those of the micro-batch at the rank, before tensor parallelism.
	tokens int64
	// tensor and expert are sizes of groups.
	tensor, expert int64
	// sequential tells whether what lies between matrices is cut over the tensor group.
	sequential bool
	// activation and weight are bytes of numbers.
	activation, weight int64
}

// moved returns the bytes of numbers that activations have.
func (c *costs) moved(numbers ...int64) int64 { return product(c.activation, total(numbers...)) }

// between returns the numbers that a norm and an addition read and write.
func (c *costs) between() int64 {
	n := product(5, c.tokens, c.Hidden)
	if c.sequential {
		n = parts(n, c.tensor)
	}
	return n
}

// held returns how many heads of keys and values the ranks of a tensor group have in all. Each rank needs one
// at least, so that several ranks have the same one if there are more ranks than heads.
func (c *costs) held() int64 { return max(c.KVHeads, c.tensor) }

// attended returns the numbers per token that the core of attention reads, and those that it writes, with so
// many heads of keys and values.
func (c *costs) attended(heads int64) (read, written int64) {
	written = product(c.Heads, c.HeadSize)
	if c.KVRank > 0 {
		return product(c.Heads, 2*c.keySize()+c.HeadSize), written
	}
	return product(c.HeadSize, c.Heads+2*heads), written
}

// keys returns the bytes of keys and values that a rank has of its own tokens.
func (c *costs) keys() int64 {
	read, _ := c.attended(c.held())
	return parts(c.moved(product(c.tokens, read-product(c.Heads, c.keySize()))), c.tensor)
}

// projected returns the bytes of all queries, keys and values if ranks of a tensor group have to collect
// them. Their matrices are cut over the group. So if it has more ranks than there are heads of keys and
// values, a rank computes a part of a head, but attends to a whole one.
func (c *costs) projected() int64 {
	if c.KVRank > 0 || c.tensor <= c.KVHeads {
		return 0
	}
	read, _ := c.attended(c.KVHeads)
	return c.moved(product(c.tokens, read))
}

// projection is the work of the matrices of attention, of the norm before and of the addition behind.
func (c *costs) projection() work {
	read, written := c.attended(c.KVHeads)
	matrices := c.projections()
	return work{
		parts(product(2, c.tokens, matrices), c.tensor),
		total(parts(product(c.weight, matrices), c.tensor),
			c.moved(product(2, c.tokens, c.Hidden), parts(product(c.tokens, read+written), c.tensor), c.between())),
	}
}

// core is the work of queries with keys, and of their weights with values. Each token attends to all.
func (c *costs) core() work {
	read, written := c.attended(c.held())
	return work{
		parts(product(2, c.tokens, c.Sequence, c.Heads, c.keySize()+c.HeadSize), c.tensor),
		c.moved(parts(product(c.tokens, read+written), c.tensor)),
	}
}

// inner returns the numbers per token that a feed-forward network writes and reads again.
func (c *costs) inner(size int64) int64 {
	if c.GPT {
		return product(4, size)
	}
	return product(6, size)
}

// feed is the work of a feed-forward network, of the norm before and of the addition behind.
func (c *costs) feed() work {
	matrices := c.network(c.FeedForward)
	return work{
		parts(product(2, c.tokens, matrices), c.tensor),
		total(parts(product(c.weight, matrices), c.tensor),
			c.moved(product(2, c.tokens, c.Hidden), parts(product(c.tokens, c.inner(c.FeedForward)), c.tensor), c.between())),
	}
}

// route is the work of choosing experts. Each rank has a share of the tokens there, and the whole matrix.
func (c *costs) route() work {
	matrix := product(c.Hidden, c.Experts)
	return work{
		parts(product(2, c.tokens, matrix), c.tensor),
		total(product(c.weight, matrix), c.moved(parts(product(c.tokens, 2*c.Hidden), c.tensor), c.between())),
	}
}

// common is the work of the experts that see every token. They are cut over the tensor group, as any
// feed-forward network.
func (c *costs) common() work {
	matrices := product(c.Shared, c.network(c.ExpertFeedForward))
	if matrices == 0 {
		return work{}
	}
	return work{
		parts(product(2, c.tokens, matrices), c.tensor),
		total(parts(product(c.weight, matrices), c.tensor),
			c.moved(product(2, c.tokens, c.Hidden), parts(product(c.tokens, c.Shared, c.inner(c.ExpertFeedForward)), c.tensor))),
	}
}

// experts is the work of the experts of a rank if every expert gets as many tokens.
func (c *costs) experts() work {
	tokens := product(c.tokens, c.Active)
	return work{
		parts(product(2, tokens, c.network(c.ExpertFeedForward)), c.tensor),
		total(parts(product(c.weight, c.Experts/c.expert, c.network(c.ExpertFeedForward)), c.tensor),
			c.moved(product(2, tokens, c.Hidden), parts(product(tokens, c.inner(c.ExpertFeedForward)), c.tensor))),
	}
}

// embed is the work of looking tokens up.
func (c *costs) embed() work { return work{0, c.moved(product(2, c.tokens, c.Hidden))} }

// logits is the work of the head.
func (c *costs) logits() work {
	matrix := product(c.Hidden, c.Vocabulary)
	return work{
		parts(product(2, c.tokens, matrix), c.tensor),
		total(parts(product(c.weight, matrix), c.tensor),
			c.moved(product(3, c.tokens, c.Hidden), parts(product(2, c.tokens, c.Vocabulary), c.tensor))),
	}
}

// nanoseconds returns how long work takes by the roofline: as long as its operations or as its bytes,
// whichever is longer.
func (a *accelerator) nanoseconds(w work, teraflops float64) int64 {
	compute := float64(w.flops) / (teraflops * 1000 * float64(a.Efficiency))
	memory := float64(w.bytes) / (a.Bandwidth * float64(a.MemoryEfficiency))
	return int64(math.Min(math.Round(math.Max(compute, memory)), tooMuch))
}

// direction is forward or backward.
type direction int

const (
	forward direction = iota
	backward
)

// opposite is the work of going backward over that of going forward: gradients of inputs and of weights.
const opposite = 2

// pieces are the times of a layer in either direction, in nanoseconds.
type pieces struct {
	project, core, common, route, feed [2]int64
}

// both returns the times of a piece of work.
func (t *training) both(w work) [2]int64 {
	if back := w.times(opposite); back.flops >= tooMuch || back.bytes >= tooMuch {
		t.large = true
	}
	return [2]int64{t.nanoseconds(w), t.nanoseconds(w.times(opposite))}
}

func (t *training) nanoseconds(w work) int64 {
	return t.accelerator.nanoseconds(w, t.accelerator.peak(t.spec.Precision))
}

// peak returns the peak of a precision in TFLOP/s.
func (a *accelerator) peak(precision string) float64 {
	switch precision {
	case "fp32":
		return a.Single
	case "fp8":
		return a.Quarter
	}
	return a.Dense
}

// layer returns the times of a layer.
func (t *training) layer(c *costs, sparse bool) (p pieces) {
	if d := t.spec.Durations; d != nil {
		for i, whole := range [2]int64{nanoseconds(d.Forward), nanoseconds(d.Backward)} {
			p.project[i] = whole / 2
			p.feed[i] = whole - whole/2
		}
	} else {
		p.project, p.core, p.feed = t.both(c.projection()), t.both(c.core()), t.both(c.feed())
		if sparse {
			p.common, p.route, p.feed = t.both(c.common()), t.both(c.route()), t.both(c.experts())
		}
	}
	if t.spec.Recompute == "selective" {
		p.core[backward] += p.core[forward]
	}
	return p
}

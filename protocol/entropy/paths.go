package entropy

import (
	mathbits "math/bits"
	"math/rand/v2"

	"weft/protocol"
	"weft/unit"
)

// choices are the paths that a connection draws from, each with a weight. Where routes are explicit the host knows the
// paths (protocol.PathChooser); elsewhere entropies stand for paths of which nothing is known.
type choices struct {
	scaling, first int
	rand           *rand.PCG
	unknown        int // how many entropies stand for paths
	entropy        []uint16
	at             []int16 // the path of each entropy that stands for one, or -1
	weight         []uint64
	sum            uint64
	barred         []bool
	left           int // paths that are not barred
}

// unity is the weight of the longest path.
const unity = 1 << 10

// mostPaths is how many paths are told apart.
const mostPaths = 1<<15 - 1

// mostWeight keeps sums from overflowing.
const mostWeight = 1 << 32

// SetPaths implements protocol.PathChooser. A path of delay d has the weight scaling·d_max/d, and one of the longest delay
// 1; with a scaling of 0 all have 1. Where links have no delay their number counts. Weights of the paths themselves
// multiply.
func (c *choices) SetPaths(paths []protocol.Path) {
	if len(paths) == 0 {
		c.reset()
		return
	}
	c.resize(len(paths), int(paths[len(paths)-1].Entropy)+1)
	longest := unit.Time(1)
	for i := range paths {
		longest = max(longest, length(&paths[i]))
	}
	for i := range paths {
		p := &paths[i]
		c.entropy[i], c.at[p.Entropy] = p.Entropy, int16(i)
		c.weight[i] = unity * uint64(max(1, p.Weight))
		switch d := length(p); {
		case c.first > 0 && i == 0:
			c.weight[i] *= uint64(c.first)
		case c.first == 0 && c.scaling > 0 && d < longest:
			hi, lo := mathbits.Mul64(uint64(longest)*uint64(c.scaling), c.weight[i])
			c.weight[i] = mostWeight
			if hi < uint64(d) {
				q, _ := mathbits.Div64(hi, lo, uint64(d))
				c.weight[i] = min(q, mostWeight)
			}
		}
	}
	c.allow()
}

// length is what a path is weighed by.
func length(p *protocol.Path) unit.Time {
	if p.Delay > 0 {
		return p.Delay
	}
	return unit.Time(max(1, p.Links))
}

// reset has entropies stand for paths, all alike.
func (c *choices) reset() {
	c.resize(c.unknown, c.unknown)
	for i := range c.unknown {
		c.entropy[i], c.at[i], c.weight[i] = uint16(i), int16(i), unity
	}
	c.allow()
}

// resize makes room for so many paths and entropies.
func (c *choices) resize(paths, entropies int) {
	if cap(c.entropy) < paths {
		c.entropy, c.weight, c.barred = make([]uint16, paths), make([]uint64, paths), make([]bool, paths)
	}
	c.entropy, c.weight, c.barred = c.entropy[:paths], c.weight[:paths], c.barred[:paths]
	if cap(c.at) < entropies {
		c.at = make([]int16, entropies)
	}
	c.at = c.at[:entropies]
	for i := range c.at {
		c.at[i] = -1
	}
}

// allow bars no path.
func (c *choices) allow() {
	clear(c.barred)
	c.sum, c.left = 0, len(c.weight)
	for _, w := range c.weight {
		c.sum += w
	}
}

// bar has a path not be drawn any more, unless it is the last one.
func (c *choices) bar(path int) {
	if c.barred[path] || c.left == 1 {
		return
	}
	c.barred[path] = true
	c.sum -= c.weight[path]
	c.left--
}

// draw returns a path, as likely as it weighs.
func (c *choices) draw() int {
	if len(c.weight) == 1 {
		return 0
	}
	at, _ := mathbits.Mul64(c.rand.Uint64(), c.sum)
	last := 0
	for i, w := range c.weight {
		if c.barred[i] {
			continue
		}
		if at < w {
			return i
		}
		at -= w
		last = i
	}
	return last
}

// path returns the path of an entropy, or a negative number.
func (c *choices) path(entropy uint16) int {
	if int(entropy) >= len(c.at) {
		return -1
	}
	return int(c.at[entropy])
}

// newChoices returns choices for a connection.
func newChoices(env *protocol.Env, scaling, first, entropies int) choices {
	c := choices{scaling: scaling, first: first, rand: env.Rand, unknown: entropies}
	if env.Layers > 1 {
		c.unknown = env.Layers
	}
	return c
}

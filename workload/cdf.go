package workload

import (
	"math"
	"math/rand/v2"
	"slices"

	"weft/internal/portable"
	"weft/unit"
)

// Rule is a method to draw a size from a table of sizes and cumulative shares.
type Rule string

// Rules of published traffic generators.
const (
	// Step draws only sizes in the table: the first whose share reaches the uniform number drawn
	// (Homa's simulator and Linux module).
	Step Rule = "step"
	// Linear interpolates the size linearly in the share between two rows (ns-2's EmpiricalRV;
	// the generators of HPCC and ConWeave; dcPIM).
	Linear Rule = "linear"
	// Log interpolates the logarithm of the size linearly in the share between two rows (SIRD's
	// simulator). Starting from size 0, which has no logarithm, it is like Linear up to the next
	// row.
	Log Rule = "log"
)

// CDF is a cumulative distribution of sizes given by a table. A size that the table repeats with
// a higher share is an atom: every rule draws it exactly. So is the first size, with the share of
// its row.
//
// Sizes between rows are rounded to the nearest byte. This leaves the mean of the linear rule
// unchanged and shifts the logarithmic rule's by a small fraction of a byte. Sizes below
// one byte are raised to one.
type CDF struct {
	rule   Rule
	sizes  []float64 // bytes, ascending
	shares []float64 // ascending to 1
	logs   []float64 // logarithms of sizes, for Log
	mean   float64
}

// newCDF returns the CDF of a table that ReadCDF has checked.
func newCDF(sizes, shares []float64, rule Rule) *CDF {
	c := &CDF{rule: rule, sizes: sizes, shares: shares}
	if rule == Log {
		c.logs = make([]float64, len(sizes))
		for i, s := range sizes {
			c.logs[i] = portable.Log(s)
		}
	}
	c.mean = float64(sizes[0] * shares[0])
	for i := 1; i < len(sizes); i++ {
		c.mean += float64(c.between(i) * (shares[i] - shares[i-1]))
	}
	return c
}

// between returns the mean of the sizes drawn between rows i-1 and i.
func (c *CDF) between(i int) float64 {
	low, high := c.sizes[i-1], c.sizes[i]
	switch {
	case c.rule == Step || low == high:
		return high
	case c.rule == Log && low > 0:
		return (high - low) / (c.logs[i] - c.logs[i-1])
	}
	return (low + high) / 2
}

// Mean returns the mean size under the rule in bytes, ignoring the rounding of sizes.
func (c *CDF) Mean() float64 { return c.mean }

// Below returns the share of messages that are not larger than a size, and their share of all
// bytes, ignoring the rounding of sizes.
func (c *CDF) Below(size float64) (messages, bytes float64) {
	if size >= c.sizes[0] {
		messages, bytes = c.shares[0], c.sizes[0]*c.shares[0]
	}
	for i := 1; i < len(c.sizes) && size >= c.sizes[i-1]; i++ {
		part, mean := c.upTo(i, size)
		part *= c.shares[i] - c.shares[i-1]
		messages, bytes = messages+part, bytes+part*mean
	}
	return messages, bytes / c.mean
}

// upTo returns the share of the sizes drawn between rows i-1 and i that do not exceed size, and
// their mean. size must be at least the size of row i-1.
func (c *CDF) upTo(i int, size float64) (share, mean float64) {
	low, high := c.sizes[i-1], c.sizes[i]
	switch {
	case size >= high:
		return 1, c.between(i)
	case c.rule == Step || size == low:
		return 0, 0
	case c.rule == Log && low > 0:
		rise := portable.Log(size) - c.logs[i-1]
		return rise / (c.logs[i] - c.logs[i-1]), (size - low) / rise
	}
	return (size - low) / (high - low), (low + size) / 2
}

// Min returns the first size of the table, at least one byte.
func (c *CDF) Min() unit.Bytes { return unit.Bytes(max(1, math.Round(c.sizes[0]))) }

// Max returns the last size of the table.
func (c *CDF) Max() unit.Bytes { return unit.Bytes(max(1, math.Round(c.sizes[len(c.sizes)-1]))) }

// Draw returns a size.
func (c *CDF) Draw(r *rand.PCG) unit.Bytes {
	return unit.Bytes(max(1, math.Round(c.quantile(portable.Uniform(r)))))
}

// quantile returns the size in bytes at the cumulative share u, which lies in (0, 1].
func (c *CDF) quantile(u float64) float64 {
	i, _ := slices.BinarySearch(c.shares, u)
	if i == 0 {
		return c.sizes[0]
	}
	low, high := c.sizes[i-1], c.sizes[i]
	if c.rule == Step || low == high {
		return high
	}
	part := (u - c.shares[i-1]) / (c.shares[i] - c.shares[i-1])
	if c.rule == Log && low > 0 {
		s := portable.Exp(c.logs[i-1] + float64((c.logs[i]-c.logs[i-1])*part))
		return min(max(s, low), high)
	}
	return low + float64((high-low)*part)
}

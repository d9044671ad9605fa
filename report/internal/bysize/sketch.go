package bysize

import (
	"math"
	"slices"
)

const (
	// exactInRun is how many values of one run, and exactInPool how many of a variant
	// over all its seeds, are kept one by one. Beyond, they are counted in bins.
	exactInRun  = 1000
	exactInPool = 20000
	// binRatio is the ratio of the ends of a bin: a value is known to half of it.
	binRatio = 1.01
	// leastValue is what is taken for 0, which has no logarithm.
	leastValue = 1e-12
)

// Sketch is a distribution of positive values: exact while they are few, and then
// counts in bins of equal ratio, so that every quantile is known to ±0.5 % however
// many values there are. Sketches of several runs add up.
type Sketch struct {
	exact []float64
	// counts[i] is the number of values in bin first+i, if exact is nil.
	counts []int64
	first  int
	n      int64
	sum    float64
	// least and most are exact.
	least, most float64
}

// Add counts a value.
func (s *Sketch) Add(v float64) {
	s.see(v, v, 1, v)
	if s.counts != nil {
		s.count(v, 1)
		return
	}
	s.exact = append(s.exact, v)
	s.keep(exactInRun)
}

// Merge adds the values of o, which stays as it is.
func (s *Sketch) Merge(o *Sketch) {
	if o.n == 0 {
		return
	}
	s.see(o.least, o.most, o.n, o.sum)
	if s.counts == nil && o.counts == nil {
		s.exact = append(s.exact, o.exact...)
		s.keep(exactInPool)
		return
	}
	s.keep(0)
	for _, v := range o.exact {
		s.count(v, 1)
	}
	for i, n := range o.counts {
		if n > 0 {
			s.count(valueOfBin(o.first+i), n)
		}
	}
}

func (s *Sketch) see(least, most float64, n int64, sum float64) {
	if s.n == 0 || least < s.least {
		s.least = least
	}
	if s.n == 0 || most > s.most {
		s.most = most
	}
	s.n += n
	s.sum += sum
}

// keep turns exact values into counts if there are more than so many.
func (s *Sketch) keep(upTo int) {
	if s.counts != nil || len(s.exact) <= upTo && upTo > 0 {
		return
	}
	s.counts = []int64{}
	for _, v := range s.exact {
		s.count(v, 1)
	}
	s.exact = nil
}

func (s *Sketch) count(v float64, n int64) {
	bin := int(math.Floor(math.Log(max(v, leastValue)) / math.Log(binRatio)))
	switch {
	case len(s.counts) == 0:
		s.first = bin
		s.counts = append(s.counts, 0)
	case bin < s.first:
		s.counts = append(make([]int64, s.first-bin), s.counts...)
		s.first = bin
	case bin >= s.first+len(s.counts):
		s.counts = append(s.counts, make([]int64, bin-s.first-len(s.counts)+1)...)
	}
	s.counts[bin-s.first] += n
}

func valueOfBin(bin int) float64 { return math.Pow(binRatio, float64(bin)+0.5) }

// Approximate tells whether quantiles are rounded to a bin.
func (s *Sketch) Approximate() bool { return s.counts != nil }

// Step is a value and how many values do not exceed it.
type Step struct {
	Value float64
	UpTo  int64
}

// steps returns the distinct values in ascending order.
func (s *Sketch) steps() []Step {
	var steps []Step
	if s.counts == nil {
		sorted := slices.Sorted(slices.Values(s.exact))
		for i, v := range sorted {
			if i+1 < len(sorted) && sorted[i+1] == v {
				continue
			}
			steps = append(steps, Step{v, int64(i + 1)})
		}
		return steps
	}
	upTo := int64(0)
	for i, n := range s.counts {
		if n == 0 {
			continue
		}
		upTo += n
		steps = append(steps, Step{min(max(valueOfBin(s.first+i), s.least), s.most), upTo})
	}
	if len(steps) > 0 {
		steps[len(steps)-1].Value = s.most
	}
	return steps
}

// Quantiles returns for each percentage the smallest value that at least so many
// percent of the values do not exceed, as record.Percentile does; NaN if there are none.
func (s *Sketch) Quantiles(percent ...int64) []float64 {
	steps := s.steps()
	q := make([]float64, len(percent))
	for i, p := range percent {
		q[i] = math.NaN()
		rank := max((s.n*p+99)/100, 1)
		at, _ := slices.BinarySearchFunc(steps, rank, func(s Step, rank int64) int { return int(min(max(s.UpTo-rank, -1), 1)) })
		if at < len(steps) {
			q[i] = steps[at].Value
		}
	}
	return q
}

// Curve returns at most so many steps of the distribution: the first and last, and
// for a tail that can be read as well as the bulk, half of them at equal distances in
// probability and half at equal ratios of what is left above.
func (s *Sketch) Curve(most int) []Step {
	all := s.steps()
	if len(all) <= most || most < 4 {
		return all
	}
	half := most/2 - 1
	n := float64(s.n)
	var ranks []float64
	for i := range half {
		share := float64(i) / float64(half-1)
		ranks = append(ranks, 1+share*(n-1), n+1-math.Pow(n, share))
	}
	slices.Sort(ranks)
	thin := []Step{all[0]}
	at := 0
	for _, rank := range ranks {
		for at < len(all)-1 && float64(all[at].UpTo) < rank {
			at++
		}
		if thin[len(thin)-1] != all[at] {
			thin = append(thin, all[at])
		}
	}
	if last := all[len(all)-1]; thin[len(thin)-1] != last {
		thin = append(thin, last)
	}
	return thin
}

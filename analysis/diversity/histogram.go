package diversity

import (
	"math"

	"weft/internal/stats"
)

// Histogram counts integers, which may be negative. The zero value is empty.
type Histogram struct {
	// Low is the value that Counts[0] counts.
	Low int
	// Counts[i] is how often Low+i was added.
	Counts []int64
}

// Add counts a value n times.
func (h *Histogram) Add(value int, n int64) {
	if len(h.Counts) == 0 {
		h.Low = value
	}
	if value < h.Low {
		h.Counts = append(make([]int64, h.Low-value), h.Counts...)
		h.Low = value
	}
	for value-h.Low >= len(h.Counts) {
		h.Counts = append(h.Counts, 0)
	}
	h.Counts[value-h.Low] += n
}

// Merge adds the counts of another histogram.
func (h *Histogram) Merge(o *Histogram) {
	for i, n := range o.Counts {
		if n > 0 {
			h.Add(o.Low+i, n)
		}
	}
}

// Total returns the number of values.
func (h *Histogram) Total() int64 {
	total := int64(0)
	for _, n := range h.Counts {
		total += n
	}
	return total
}

// Mean returns the mean and half the width of its 95 % interval, from the sample's standard
// deviation (normal).
func (h *Histogram) Mean() (mean, half float64) {
	n, sum, squares := int64(0), int64(0), int64(0)
	for i, count := range h.Counts {
		v := int64(h.Low + i)
		n += count
		sum += v * count
		squares += v * v * count
	}
	if n == 0 {
		return math.NaN(), 0
	}
	mean = float64(sum) / float64(n)
	if n > 1 {
		// In integers, n·Σv² - (Σv)² has no rounding.
		variance := float64(n*squares-sum*sum) / float64(n) / float64(n-1)
		half = 1.959964 * math.Sqrt(variance/float64(n))
	}
	return mean, half
}

// PerMille returns the least value that at least p thousandths of all do not exceed.
func (h *Histogram) PerMille(p int64) int {
	total, below := h.Total(), int64(0)
	for i, n := range h.Counts {
		below += n
		if n > 0 && below*1000 >= p*total {
			return h.Low + i
		}
	}
	return h.Low + len(h.Counts) - 1
}

// over returns the mean of values of several graphs, and half the width of its 95 % interval
// (Student's t).
func over(values []float64) (mean, half float64) {
	for _, v := range values {
		mean += v
	}
	n := float64(len(values))
	mean /= n
	squares := 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	if n > 1 {
		t := stats.StudentQuantile(0.975, n-1)
		half = t * math.Sqrt(squares/(n-1)/n)
	}
	return mean, half
}

// At returns how often a value was added.
func (h *Histogram) At(value int) int64 {
	if i := value - h.Low; i >= 0 && i < len(h.Counts) {
		return h.Counts[i]
	}
	return 0
}

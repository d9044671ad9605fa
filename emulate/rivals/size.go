//go:build linux

package main

import (
	"math"
	"slices"
	"time"

	"weft/unit"
)

// size is a flag with a number of bytes, such as 500kB.
type size int64

func (s *size) String() string { return unit.Bytes(*s).String() }

func (s *size) Set(text string) error {
	b, err := unit.ParseBytes(text)
	if err != nil {
		return err
	}
	*s = size(b)
	return nil
}

// quantile returns the smallest of sorted values that a share q of them does not
// exceed; 0 if there are none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

// quantiles sorts a copy of values and returns some of its quantiles.
func quantiles(values []float64, qs ...float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	list := make([]float64, len(qs))
	for i, q := range qs {
		list[i] = quantile(sorted, q)
	}
	return list
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

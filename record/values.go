package record

import (
	"math"
	"slices"
	"time"

	"weft/record/internal/micros"
	"weft/record/section"
	"weft/unit"
)

// Metric is one number of a summary.
type Metric = section.Metric

// Basis is what a metric is computed over.
type Basis = section.Basis

// Bytes is a size in bytes that JSON shows as a plain number.
type Bytes = section.Bytes

// Unfinished stands in a Flow for an instant that the run did not reach.
const Unfinished unit.Time = -1

// None stands for a time span that does not exist.
const None = micros.None

func instant(t unit.Time) *int64 {
	if t == Unfinished {
		return nil
	}
	return (*int64)(&t)
}

func fromInstant(t *int64) unit.Time {
	if t == nil {
		return Unfinished
	}
	return unit.Time(*t)
}

func fromSeconds(s float64) time.Duration {
	return time.Duration(math.Round(s * float64(time.Second)))
}

// sorted returns pointers to rows in sorted order. It leaves rows as they are.
func sorted[T any](rows []T, compare func(a, b *T) int) []*T {
	s := make([]*T, len(rows))
	for i := range rows {
		s[i] = &rows[i]
	}
	slices.SortFunc(s, compare)
	return s
}

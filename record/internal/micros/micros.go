// Package micros converts times to and from JSON numbers in microseconds, or null.
package micros

import (
	"math"

	"weft/unit"
)

// Of returns a time in microseconds, nil for 0.
func Of(t unit.Time) *float64 {
	if t == 0 {
		return nil
	}
	us := float64(t) / float64(unit.Microsecond)
	return &us
}

// Time is the inverse of Of, exact for spans below 2^50 ps (nineteen minutes).
func Time(us *float64) unit.Time {
	if us == nil {
		return 0
	}
	return unit.Time(math.Round(*us * float64(unit.Microsecond)))
}

// None stands for a time span that does not exist.
const None unit.Time = -1

// OfSpan returns a time in microseconds, nil for None.
func OfSpan(t unit.Time) *float64 {
	if t == None {
		return nil
	}
	us := float64(t) / float64(unit.Microsecond)
	return &us
}

// Span is the inverse of OfSpan.
func Span(us *float64) unit.Time {
	if us == nil {
		return None
	}
	return Time(us)
}

package page

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"weft/internal/readable"
)

// number writes a number with four significant digits, of which a whole one needs no zeros, and six
// decimals at most.
func number(v float64) string {
	switch {
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) < 1e-3:
		return strconv.FormatFloat(v, 'f', 6, 64)
	}
	return readable.Significant(v, 4)
}

func intervalText(low, high float64) string {
	if low == high {
		return "±0"
	}
	return number(low) + " – " + number(high)
}

// round returns v with so many significant digits.
func round(v float64, digits int) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	scale := math.Pow10(digits - 1 - int(math.Floor(math.Log10(math.Abs(v)))))
	if math.IsInf(scale, 0) || scale == 0 {
		return v
	}
	return math.Round(v*scale) / scale
}

// num is a number of the page's data, with six significant digits; null where there
// is none.
type num float64

// MarshalJSON implements json.Marshaler.
func (n num) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n), 6), nil }

// nums are many numbers with so many significant digits.
type nums struct {
	values []float64
	digits int
}

// MarshalJSON implements json.Marshaler.
func (n nums) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 5*len(n.values)+2)
	b = append(b, '[')
	for i, v := range n.values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v, n.digits)
	}
	return append(b, ']'), nil
}

var (
	_ json.Marshaler = num(0)
	_ json.Marshaler = nums{}
)

func appendNumber(b []byte, v float64, digits int) []byte {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return append(b, "null"...)
	case math.Abs(v) < 1e9 && v == math.Trunc(v) && (digits >= 6 || math.Abs(v) < 1e4):
		return strconv.AppendInt(b, int64(v), 10)
	}
	s := strconv.FormatFloat(v, 'g', digits, 64)
	// 1.5e+06 is longer than it need be.
	return append(b, strings.Replace(s, "e+0", "e", 1)...)
}

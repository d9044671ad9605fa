package report

import (
	"math"
	"strconv"
)

// timeScale is the unit that an axis of times in µs is labelled with.
type timeScale struct {
	name    string
	divisor float64
}

// timeScaleOf chooses a scale in which the largest time, in µs, has few digits.
func timeScaleOf(largest float64) timeScale {
	switch {
	case largest >= 1e8:
		return timeScale{"s", 1e6}
	case largest >= 1e5:
		return timeScale{"ms", 1e3}
	}
	return timeScale{"µs", 1}
}

func (s timeScale) text(us float64) string { return significant(us/s.divisor) + " " + s.name }

// significant writes a number with at least four significant digits and no
// fraction beyond them.
func significant(v float64) string {
	digits := 3
	if v != 0 {
		digits = 3 - int(math.Floor(math.Log10(math.Abs(v))))
	}
	s := strconv.FormatFloat(v, 'f', min(max(digits, 0), 6), 64)
	return s
}

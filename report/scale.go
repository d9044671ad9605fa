package report

import (
	"weft/internal/readable"
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

func (s timeScale) text(us float64) string {
	return readable.Significant(us/s.divisor, 4) + " " + s.name
}

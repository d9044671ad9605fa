package page

import (
	"weft/study"
	"weft/unit"
)

// gigabits is the unit of rates in metrics.
const gigabits = "Gb/s"

// scaleOf returns the unit for rates of which the largest is so many Gb/s, and what rates in Gb/s are multiplied by for it.
func scaleOf(largest float64) (name string, factor float64) {
	s := unit.ScaleOfRates(largest * float64(unit.Gbps))
	return s.Name, float64(unit.Gbps) / s.Divisor
}

// scaled is an estimate in another unit.
func scaled(e study.Estimate, factor float64) study.Estimate {
	for _, v := range []*float64{&e.Mean, &e.Low, &e.High, &e.Min, &e.Max} {
		*v *= factor
	}
	return e
}

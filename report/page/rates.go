package page

import (
	"slices"

	"weft/record"
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

// inRates shows the rates of timelines and maps in one unit.
func (p *payload) inRates() {
	largest := 0.0
	p.eachRate(func(v float64) float64 {
		if v > largest { // which a bucket without a value is not
			largest = v
		}
		return v
	})
	var factor float64
	if p.RateUnit, factor = scaleOf(largest); factor != 1 {
		p.eachRate(func(v float64) float64 { return v * factor })
	}
}

// eachRate replaces rates in Gb/s.
func (p *payload) eachRate(by func(float64) float64) {
	for i := range p.Timelines {
		for k := range p.Timelines[i].Lines {
			l := &p.Timelines[i].Lines[k]
			if !slices.Contains([]string{record.Accepted, record.Transmitted, record.Pace}, l.Kind) {
				continue
			}
			l.Values.values = slices.Clone(l.Values.values)
			for at, v := range l.Values.values {
				l.Values.values[at] = by(v)
			}
		}
	}
	for i := range p.Maps.Layouts {
		for k := range p.Maps.Layouts[i].Links {
			l := &p.Maps.Layouts[i].Links[k]
			l.Rate = num(by(float64(l.Rate)))
		}
	}
}

// inRates shows the metrics that are rates in one unit.
func (t *table) inRates() {
	var rates []int
	largest := 0.0
	for i := range t.metrics {
		if t.metrics[i].Unit != gigabits {
			continue
		}
		rates = append(rates, i)
		for k := range t.rows {
			if e := t.rows[k].estimate(i); e.N > 0 {
				largest = max(largest, e.Max)
			}
		}
	}
	name, factor := scaleOf(largest)
	if factor == 1 {
		return
	}
	t.metrics = slices.Clone(t.metrics)
	for _, i := range rates {
		t.metrics[i].Unit = name
	}
	for k := range t.rows {
		estimates := slices.Clone(t.rows[k].Estimates)
		for _, i := range rates {
			if i < len(estimates) {
				estimates[i] = scaled(estimates[i], factor)
			}
		}
		t.rows[k].Estimates = estimates
	}
}

// scaled is an estimate in another unit.
func scaled(e study.Estimate, factor float64) study.Estimate {
	for _, v := range []*float64{&e.Mean, &e.Low, &e.High, &e.Min, &e.Max} {
		*v *= factor
	}
	return e
}

// unit returns the unit in which a metric is shown that comes in a unit.
func (t *table) unit(in string, metric int) string {
	if in == gigabits {
		return t.metrics[metric].Unit
	}
	return in
}

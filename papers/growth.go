package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/record"
	"weft/unit"
)

// ofBuffers computes the measure of what switches buffer, whose series has intervals of
// its own and covers the measured window. Growth is of all switches together.
func (m *Measure) ofBuffers(r *record.Result) (float64, error) {
	divisor, err := m.scale(r, 0, 0)
	if err != nil {
		return 0, err
	}
	var all []float64
	sums := map[unit.Time]float64{}
	totals := map[string]float64{}
	for i := range r.Series {
		s := &r.Series[i]
		if s.Kind != record.Buffer || !m.matches(s.Entity) {
			continue
		}
		v := float64(s.Value) / divisor
		all = append(all, v)
		sums[s.Time] += v
		totals[s.Entity] += v
	}
	if len(all) == 0 {
		return 0, fmt.Errorf("the run recorded no buffers of switches %s; name them under record.buffers in the scenario", strings.Join(m.Ports, ", "))
	}
	if m.Take == "growth" {
		return growth(sums), nil
	}
	var each []float64
	for _, v := range totals {
		each = append(each, v)
	}
	slices.Sort(each)
	return m.statistic(all, each, nil), nil
}

// growth is by which share of their mean values rise along a line fitted to them over
// their whole time, by the rule that tells whether a backlog is stable; 0 if the line
// explains too little.
func growth(values map[unit.Time]float64) float64 {
	var times []unit.Time
	for t := range values {
		times = append(times, t)
	}
	slices.Sort(times)
	var list []unit.Bytes
	mean := 0.0
	for _, t := range times {
		list = append(list, unit.Bytes(math.Round(values[t])))
		mean += values[t] / float64(len(times))
	}
	s := record.Judge(list, unit.Bytes(math.Ceil(mean)))
	if s == nil || s.Fit < record.UnstableFit {
		return 0
	}
	return s.Growth
}

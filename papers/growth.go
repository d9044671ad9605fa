package papers

import (
	"maps"
	"math"
	"slices"
	"strings"

	"weft/problem"
	"weft/record"
	"weft/unit"
)

// ofBuffers computes a measure of buffer occupancy. Its series has its own intervals and
// covers the measured window. Growth is computed over all switches together.
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
		return 0, problem.New("the run recorded no buffers of switches %s", strings.Join(m.Ports, ", ")).Mend("name them under record.buffers in the scenario")
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

// growth tells how a queue grows with its age: the slope of a line fitted to the values,
// times the end of their last interval, over their mean; 0 if the line explains less than
// record.UnstableFit of their variance, by the rule that tells whether a backlog is stable.
//
// Time counts from the begin of the run, when the queue was empty. For a queue c·tᵅ the
// number is about α in a window that is short beside its age, whatever c is: the slope is
// cα·tᵅ⁻¹ at the window's middle t, the mean c·tᵅ, and the window ends at t and a little. So
// a queue that stays has 0, and one that has grown steadily from the begin has the end of
// the window over its middle, between 1 (a short window) and 2 (one from time 0 on). A line
// that began later has more. A bound of a half lies between the two; the root of time, by
// which a random walk grows, is at it. Growth over the window alone, without the age, cannot
// tell: for a line from time 0 it is the window's length over its middle, 0.17 from 16 to 19 ms.
// How long the queue is it does not tell, by which tables have a least size (Instability).
func growth(values map[unit.Time]float64) float64 {
	times := slices.Sorted(maps.Keys(values))
	n := len(times)
	if n < 2 {
		return 0
	}
	var list []unit.Bytes
	mean := 0.0
	for _, t := range times {
		list = append(list, unit.Bytes(math.Round(values[t])))
		mean += values[t] / float64(n)
	}
	s := record.Judge(list, unit.Bytes(math.Ceil(mean)))
	if s == nil || s.Fit < record.UnstableFit {
		return 0
	}
	rise, interval := times[n-1]-times[0], times[1]-times[0]
	return s.Growth * float64(times[n-1]+interval) / float64(rise)
}

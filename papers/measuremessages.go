package papers

import (
	"math"
	"slices"

	"weft/record"
	"weft/unit"
)

// ofMessages takes the statistic over the measured messages that finished and lie within the
// limits of sizes. It is NaN without any.
func (m *Measure) ofMessages(r *record.Result) float64 {
	var values []float64
	for i := range r.Flows {
		f := &r.Flows[i]
		if !f.Measured || m.Group != "" && f.Group != m.Group || f.Bytes < m.Least || m.Below > 0 && f.Bytes >= m.Below {
			continue
		}
		if v := m.ofMessage(f); !math.IsNaN(v) {
			values = append(values, v/m.Per+m.Plus)
		}
	}
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values) // so that a sum does not depend on the order of rows
	return m.statistic(values, values, nil)
}

func (m *Measure) ofMessage(f *record.Flow) float64 {
	switch m.Messages {
	case "slowdown":
		return f.Slowdown()
	case "slowdown_ref":
		return f.SlowdownRef()
	case "slowdown_bare":
		return f.SlowdownBare()
	case "slowdown_ack":
		return f.SlowdownAck()
	}
	if !f.Finished() {
		return math.NaN()
	}
	return float64(f.FCT()) / float64(unit.Microsecond)
}

// firstDrop returns how many buckets pass until a value is below the limit times the first value of
// the same port; NaN if no value is. A connection without a pace cannot drop.
func (m *Measure) firstDrop(byPort map[string][]float64) float64 {
	first := math.Inf(1)
	for _, values := range byPort {
		i := slices.IndexFunc(values, func(v float64) bool { return v < float64(m.Limit*values[0]) && (v > 0 || m.Series != record.Pace) })
		if i > 0 {
			first = min(first, float64(i))
		}
	}
	if math.IsInf(first, 1) {
		return math.NaN()
	}
	return first
}

// recordedOf names the objects that have the series, for messages.
func (m *Measure) recordedOf() string {
	if m.Series == record.Pace {
		return "connections"
	}
	return "ports"
}

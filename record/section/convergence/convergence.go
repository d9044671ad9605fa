// Package convergence is a run's section on how fast senders adapt when other senders join at
// their receiver (record.convergence).
package convergence

import (
	"encoding/json"
	"math"
	"strconv"

	"weft/record/internal/micros"
	"weft/record/section"
	"weft/unit"
)

// Times sums up measurements at receivers. Each runs from the first packet of a new sender to the
// first packet of an existing sender that left after that sender learned of its smaller share.
type Times struct {
	Count                uint64
	P50, P90, P99, Worst unit.Time
}

// inFile is the section in files, with times in microseconds.
type inFile struct {
	Count uint64   `json:"count"`
	P50   *float64 `json:"p50_us"`
	P90   *float64 `json:"p90_us"`
	P99   *float64 `json:"p99_us"`
	Worst *float64 `json:"worst_us"`
}

// MarshalJSON implements json.Marshaler.
func (t *Times) MarshalJSON() ([]byte, error) {
	return json.Marshal(inFile{t.Count, micros.Of(t.P50), micros.Of(t.P90), micros.Of(t.P99), micros.Of(t.Worst)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Times) UnmarshalJSON(data []byte) error {
	var f inFile
	err := json.Unmarshal(data, &f)
	*t = Times{f.Count, micros.Time(f.P50), micros.Time(f.P90), micros.Time(f.P99), micros.Time(f.Worst)}
	return err
}

// Kind declares the section.
func Kind() section.Kind {
	return section.Kind{New: func() section.Section { return new(Times) }}
}

// Of returns a run's section, or nil.
func Of(set section.Set) *Times { return section.Of[*Times](set) }

// Name implements section.Section.
func (*Times) Name() string { return "convergence" }

// Metrics implements section.Section.
func (t *Times) Metrics(section.Run) []section.Metric {
	metric := func(name, title string, value unit.Time) section.Metric {
		return section.Metric{Name: "convergence_" + name + "_us", Title: "convergence, " + title, Unit: "µs", Value: t.micros(value), LowerIsBetter: true}
	}
	return []section.Metric{
		{Name: "convergences", Title: "convergences measured", Value: float64(t.Count), Neutral: true},
		metric("p50", "median", t.P50), metric("p90", "90th percentile", t.P90),
		metric("p99", "99th percentile", t.P99), metric("worst", "longest", t.Worst),
	}
}

// micros returns a time in microseconds, NaN if nothing was measured.
func (t *Times) micros(value unit.Time) float64 {
	if t.Count == 0 {
		return math.NaN()
	}
	return float64(value) / float64(unit.Microsecond)
}

// Columns returns the median and the 99th percentile.
func (t *Times) Columns(section.Run) []section.Column {
	column := func(below string, value unit.Time) section.Column {
		text := "-"
		if t.Count > 0 {
			text = strconv.FormatFloat(t.micros(value), 'f', 2, 64)
		}
		return section.Column{Above: "converges", Below: below, Text: text}
	}
	return []section.Column{column("p50, µs", t.P50), column("p99, µs", t.P99)}
}

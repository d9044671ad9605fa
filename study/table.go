package study

import (
	"encoding/json"
	"math"

	"weft/record"
)

// Table is a study in numbers. It has one row per cell, which is a point of the matrix over
// all its seeds.
type Table struct {
	// Name is the name of the study.
	Name string `json:"name"`
	// Axes are the dimensions of the study. The variants of compare: come first, followed
	// by the axes of matrix: in the order of the file.
	Axes []Axis `json:"axes"`
	// Metrics are the columns of numbers, in the order of record.Summary.Metrics.
	Metrics []Column `json:"metrics"`
	Cells   []Cell   `json:"cells"`
}

// Axis is a dimension of a study.
type Axis struct {
	// Name is the name in tables and on the command line. Path is the parameter that it
	// changes, or empty if it changes several.
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
	// Levels are the labels of its values, in order.
	Levels []string `json:"levels"`
	// Numbers are the values of the levels in Unit if all are quantities of one kind;
	// otherwise nil.
	Numbers []float64 `json:"numbers,omitempty"`
	Unit    string    `json:"unit,omitempty"`
}

// Column describes a metric, as record.Metric does.
type Column struct {
	Name          string `json:"name"`
	Title         string `json:"title"`
	Unit          string `json:"unit,omitempty"`
	LowerIsBetter bool   `json:"lower_is_better"`
	Neutral       bool   `json:"neutral,omitempty"`
	// Basis is not written to files for programs.
	record.Basis `json:"-"`
}

// NewColumn returns the column of a metric.
func NewColumn(m *record.Metric) Column {
	return Column{m.Name, m.Title, m.Unit, m.LowerIsBetter, m.Neutral, m.Basis}
}

// Cell is a point of the matrix.
type Cell struct {
	// Name is for people, as in "ARCANE, load 60%".
	Name string `json:"name"`
	// Levels holds the index of the level on each axis.
	Levels []int `json:"levels"`
	// Preset names the presets of its transports and balancers, if any.
	Preset string `json:"preset,omitempty"`
	// Runs counts the seeds. Done counts those with a complete result, Partial those whose
	// result was cut short because the run got stuck, and Failed those without one.
	Runs    int `json:"runs"`
	Done    int `json:"done"`
	Partial int `json:"partial"`
	Failed  int `json:"failed"`
	// Unfinished is the share of unfinished messages over finished seeds, by traffic group;
	// "" is all. Groups in which all messages finished are left out.
	Unfinished map[string]float64 `json:"unfinished,omitempty"`
	// Notices counts the runs with a result that each kind of notice qualifies.
	Notices map[record.NoticeKind]int `json:"notices,omitempty"`
	// Windowed: all finished runs of the study offered load through a measured window up to
	// its end. Goodput is then what arrived within the window, from whichever message.
	Windowed bool `json:"windowed,omitempty"`
	// Estimates are over finished seeds, one per metric. Instead marks misleading ones.
	Estimates []Estimate `json:"estimates"`
}

// Estimate is a mean over seeds.
type Estimate struct {
	// N is the number of values. Runs without the metric don't count. Mean is NaN if N is
	// 0.
	N    int
	Mean float64
	// Low and High are the 95 % confidence interval of the mean, by bootstrap;
	// NaN if N is below 2.
	Low, High float64
	// Min and Max are the smallest and the largest value.
	Min, Max float64
}

// estimateJSON is an Estimate whose missing numbers are null.
type estimateJSON struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	Min  *float64 `json:"min"`
	Max  *float64 `json:"max"`
}

// MarshalJSON writes missing numbers as null.
func (e Estimate) MarshalJSON() ([]byte, error) {
	number := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	return json.Marshal(estimateJSON{e.N, number(e.Mean), number(e.Low), number(e.High), number(e.Min), number(e.Max)})
}

// UnmarshalJSON reads the output of MarshalJSON.
func (e *Estimate) UnmarshalJSON(data []byte) error {
	var n estimateJSON
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	number := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	*e = Estimate{n.N, number(n.Mean), number(n.Low), number(n.High), number(n.Min), number(n.Max)}
	return nil
}

package papers

import (
	"strings"
	"testing"

	"weft/record"
)

// TestMetricNamed holds what is known of metrics to their titles and names.
func TestMetricNamed(t *testing.T) {
	for _, known := range record.KnownMetrics() {
		m := MetricNamed(known.Name)
		slow, fct := strings.Contains(known.Title, "slowdown"), strings.HasSuffix(known.Title, " FCT")
		if m.FullTitle() != known.Title || (m.Ideal != "") != slow || strings.Contains(m.Title, "(ideal") {
			t.Errorf("%s is %q over %q, and %q as a whole", known.Name, m.Title, m.Ideal, known.Title)
		}
		if m.OfFinished != (slow || fct) || m.Completion != (fct || known.Name == "runtime_us" || known.Name == "job_time_us") {
			t.Errorf("%s is of messages that finished: %t; a time until messages finish: %t", known.Name, m.OfFinished, m.Completion)
		}
		if kind, _, _ := strings.Cut(known.Name, "_p"); slow && m.Quantity != kind || !slow && m.Quantity != known.Name {
			t.Errorf("%s is of %s", known.Name, m.Quantity)
		}
	}
	for name, want := range map[string]Metric{
		"size:B.slowdown_ref_p50": {Class: "B", Quantity: "slowdown_ref", Title: "size:B: median slowdown", Basis: record.Basis{Group: "size:B", Ideal: "ideal with reference headers", OfFinished: true}},
		"short.fct_p99_us":        {Quantity: "fct_p99_us", Title: "short: p99 FCT", Basis: record.Basis{Group: "short", OfFinished: true, Completion: true}},
		"cables/host":             {Quantity: "cables/host", Title: "cables/host"},
	} {
		want.Name = name
		if got := MetricNamed(name); got != want {
			t.Errorf("%s is %+v, want %+v", name, got, want)
		}
	}
	s := &Study{Measures: []Measure{{Name: "slowdown_p99", About: "ours (ideal as we like)"}, {Name: "peak"}}}
	for name, title := range map[string]string{"slowdown_p99": "ours (ideal as we like)", "peak": "peak", "drops": "drops"} {
		if m := s.metric(name); m.FullTitle() != title || m.Ideal != "" || m.Quantity != name {
			t.Errorf("%s is %+v", name, m)
		}
	}
}

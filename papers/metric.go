package papers

import (
	"cmp"
	"strings"

	"weft/record"
)

// Metric describes a metric that a ledger names: the parts of its title, and the messages that it
// is computed over.
type Metric struct {
	// Name is what the ledger calls it, and Class the letter of the class of sizes that it is of,
	// if any.
	Name, Class string
	// Quantity is common to several metrics, such as all percentiles of one kind of slowdown.
	Quantity string
	// Title is what it is called. It leaves out what a slowdown is over, which is the Ideal.
	Title string
	record.Basis
}

// FullTitle is the title with what a slowdown is over.
func (m *Metric) FullTitle() string { return m.Title + m.over() }

// over is the end of a title, which names the ideal of a slowdown.
func (m *Metric) over() string {
	if m.Ideal == "" {
		return ""
	}
	return " (" + m.Ideal + ")"
}

// MetricNamed describes a metric of summaries, of all messages or of a group. Of any other name
// it is known only what the name is.
func MetricNamed(name string) Metric {
	group, base := record.SplitMetric(name)
	m := Metric{Name: name, Quantity: base, Title: name, Basis: record.Basis{Group: group}}
	if record.IsSizeClass(group) {
		_, m.Class, _ = strings.Cut(group, ":")
	}
	for _, known := range record.KnownMetrics() {
		if known.Name != base {
			continue
		}
		m.Basis = known.Basis
		m.Group = group
		if m.Ideal != "" {
			m.Quantity = strings.TrimSuffix(strings.TrimSuffix(base, "_p50"), "_p99")
		}
		m.Title = strings.TrimSuffix(known.Title, m.over())
		if group != "" {
			m.Title = group + ": " + m.Title
		}
	}
	return m
}

// metric describes a metric or a measure of a study. What a measure is over and leaves out, its own
// title says.
func (s *Study) metric(name string) Metric {
	for _, m := range s.Measures {
		if m.Name == name {
			return Metric{Name: name, Quantity: name, Title: cmp.Or(m.About, name)}
		}
	}
	return MetricNamed(name)
}

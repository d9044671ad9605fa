package papers

import (
	"cmp"
	"strings"

	"weft/record"
)

// Metric describes what a ledger calls by the name of a metric: the parts of its title, and what
// it is of.
type Metric struct {
	// Name is what the ledger calls it, Group the group of traffic or the class of sizes that
	// it is of, and Class the letter of such a class; both are empty if it is of all messages.
	Name, Group, Class string
	// Quantity is what several metrics are of, as all percentiles of a kind of slowdown are.
	Quantity string
	// Title is what it is called, and Ideal what it is over if it is a slowdown, which Title
	// leaves out.
	Title, Ideal string
	// Finished tells that it is of messages that finished: those that did not are left out.
	Finished bool
	// Completion tells that it is a time that ends with the last message.
	Completion bool
}

// FullTitle is the title with what a slowdown is over.
func (m *Metric) FullTitle() string { return m.Title + m.over() }

// over is what a title says at its end of what a slowdown is over.
func (m *Metric) over() string {
	if m.Ideal == "" {
		return ""
	}
	return " (" + m.Ideal + ")"
}

// MetricNamed describes a metric of summaries, of all messages or of a group. Of any other name
// it is known only what the name is.
func MetricNamed(name string) Metric {
	group, base := split(name)
	m := Metric{Name: name, Group: group, Quantity: base, Title: name}
	if record.IsSizeClass(group) {
		_, m.Class, _ = strings.Cut(group, ":")
	}
	switch base {
	case "runtime_us":
		m.Completion = true
	case "fct_mean_us", "fct_p50_us", "fct_p99_us", "fct_max_us":
		m.Completion, m.Finished = true, true
	}
	for _, known := range record.KnownMetrics() {
		if known.Name != base {
			continue
		}
		if m.Ideal = known.Ideal; m.Ideal != "" {
			m.Quantity, m.Finished = strings.TrimSuffix(strings.TrimSuffix(base, "_p50"), "_p99"), true
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

// split parts the name of a metric into the group that it is of, if any, and the rest.
func split(metric string) (group, base string) {
	if i := strings.LastIndexByte(metric, '.'); i >= 0 {
		return metric[:i], metric[i+1:]
	}
	return "", metric
}

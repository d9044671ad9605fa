package study

import (
	"fmt"
	"strings"

	"weft/record"
)

// Words that replace a misleading value. The times of the few messages that finished say
// nothing about the others, and look better than any complete result.
const (
	// Unfinished: more messages did not finish than are in flight at the end of a loaded
	// run (record.FewUnfinished), or some run got stuck.
	Unfinished = "unfinished"
	// RunsFailed: some run has no result.
	RunsFailed = "failed"
)

// Instead returns the word that replaces the cell's value of a metric: Unfinished,
// RunsFailed, or "" if the value counts. Metrics of unfinished messages always count. With
// load, so do metrics of what arrived within the measured window. Files for programs keep
// the values.
func (c *Cell) Instead(m *Column) string {
	switch {
	case m.Shortfall:
		return ""
	case c.Partial == 0 && c.Failed == 0 && c.Windowed && m.Windowed && !record.IsSizeClass(m.Group):
		return ""
	case c.Misses(m.Group):
		return Unfinished
	case m.UntilLast() && c.Unfinished[m.Group] > 0: // longer than is known
		return Unfinished
	case c.Failed > 0:
		return RunsFailed
	}
	return ""
}

// Misses reports whether so many messages of a group of traffic did not finish that the
// times of the others mislead. The group "" means all messages.
func (c *Cell) Misses(group string) bool {
	return c.Partial > 0 || c.Unfinished[group] > record.FewUnfinished
}

// Value returns the estimate of a metric by its column, and the word that replaces it if it
// does not count. Both are empty if the cell does not have the metric.
func (t *Table) Value(c *Cell, column int) (e Estimate, instead string) {
	if column < 0 || column >= len(c.Estimates) {
		return NewEstimate(nil), ""
	}
	return c.Estimates[column], c.Instead(&t.Metrics[column])
}

// Counted reports whether a metric counts events, such as drops. They happened whether or
// not messages finished, so tables show them in any case. But cells that do not count are
// not ranked by them.
func (m *Column) Counted() bool { return m.Unit == "" && m.Ideal == "" }

// shortfall counts the messages of a cell's runs, and the missing ones, by group of
// traffic; "" is all.
type shortfall map[string]struct{ messages, missing float64 }

// add counts the messages of a run.
func (s shortfall) add(metrics map[string]float64) {
	for metric, messages := range metrics {
		group, name := record.SplitMetric(metric)
		if name != "messages" {
			continue
		}
		prefix := strings.TrimSuffix(metric, name)
		n := s[group]
		n.messages += messages + metrics[prefix+"not_started"]
		n.missing += metrics[prefix+"unfinished"] + metrics[prefix+"not_started"]
		s[group] = n
	}
}

// shares returns the share of unfinished messages for each group that has some.
func (s shortfall) shares() map[string]float64 {
	shares := map[string]float64{}
	for group, n := range s {
		if n.missing > 0 {
			shares[group] = n.missing / n.messages
		}
	}
	if len(shares) == 0 {
		return nil
	}
	return shares
}

// InsteadNote explains the words that replace values of some metrics, as a paragraph below
// the table. It is empty if there are none.
func (t *Table) InsteadNote(metrics []string) string {
	words := map[string]bool{}
	for i := range t.Cells {
		for _, name := range metrics {
			if column := t.Column(name); column >= 0 {
				words[t.Cells[i].Instead(&t.Metrics[column])] = true
			}
		}
	}
	note := ""
	if words[Unfinished] {
		note += fmt.Sprintf("\n%s: more than %g %% of the messages did not finish (for the runtime: any), or a run got stuck. Numbers of the finished messages would mislead; --csv has them.\n", Unfinished, 100*record.FewUnfinished)
	}
	if words[RunsFailed] {
		note += fmt.Sprintf("\n%s: a run has no result; weft study status DIR shows why.\n", RunsFailed)
	}
	return note
}

package study

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"weft/record"
)

// Words that replace a misleading value. The times of the few messages that finished say
// nothing about the others, and look better than any complete result.
const (
	// Unfinished: more messages did not finish than are in flight at the end of a run with
	// load (record.FewUnfinished), or some run got stuck.
	Unfinished = "unfinished"
	// RunsFailed: some run has no result.
	RunsFailed = "failed"
)

// Instead returns the word that replaces the cell's value of a metric: Unfinished, RunsFailed,
// or "" if the value counts. Metrics of what did not finish always count, and with load those of
// what arrived within the measured window. Files for programs keep the values.
func (c *Cell) Instead(metric string) string {
	group, name, ok := cutLast(metric, ".")
	if !ok {
		group, name = "", metric
	}
	switch {
	case slices.Contains(shortfalls(), name):
		return ""
	case c.Partial == 0 && c.Failed == 0 && c.Windowed && slices.Contains(ofWindow(), name) && !record.IsSizeClass(group):
		return ""
	case c.Partial > 0 || c.Unfinished[group] > record.FewUnfinished:
		return Unfinished
	case name == "runtime_us" && c.Unfinished[group] > 0: // which is longer than is known
		return Unfinished
	case c.Failed > 0:
		return RunsFailed
	}
	return ""
}

// Value returns the estimate of a metric by its place, and what stands in its place if it
// does not count; both are empty if the metric does not exist in the cell.
func (t *Table) Value(c *Cell, column int) (e Estimate, instead string) {
	if column < 0 || column >= len(c.Estimates) {
		return NewEstimate(nil), ""
	}
	return c.Estimates[column], c.Instead(t.Metrics[column].Name)
}

// Counted tells whether a metric counts events, such as drops. They happened whether or not
// messages finished: tables show them, but nothing is ranked by those of a cell that does
// not count.
func (m *Column) Counted() bool { return m.Unit == "" && !strings.Contains(m.Name, "slowdown") }

// shortfalls are the metrics, without a group's name, that say what is amiss.
func shortfalls() []string {
	return []string{"messages", "unfinished", "not_started", "unstable", "backlog_growth_percent"}
}

// ofWindow lists the metrics, without a group's name, that are over the measured window.
var ofWindow = sync.OnceValue(func() (names []string) {
	for _, m := range record.KnownMetrics() {
		if m.Windowed {
			names = append(names, m.Name)
		}
	}
	return names
})

// shortfall counts the messages of the runs of a cell by group of traffic; "" is all.
type shortfall map[string]struct{ messages, missing float64 }

// add counts the messages of a run.
func (s shortfall) add(metrics map[string]float64) {
	for metric, messages := range metrics {
		group, name, ok := cutLast(metric, ".")
		if !ok {
			group, name = "", metric
		}
		if name != "messages" {
			continue
		}
		prefix := ""
		if ok {
			prefix = group + "."
		}
		n := s[group]
		n.messages += messages + metrics[prefix+"not_started"]
		n.missing += metrics[prefix+"unfinished"] + metrics[prefix+"not_started"]
		s[group] = n
	}
}

// shares returns which share of messages did not finish, of the groups in which some did not.
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

// InsteadNote explains the words that replace values of some metrics, as a paragraph below the
// table; it is empty if there are none.
func (t *Table) InsteadNote(metrics []string) string {
	words := map[string]bool{}
	for i := range t.Cells {
		for _, name := range metrics {
			words[t.Cells[i].Instead(name)] = true
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

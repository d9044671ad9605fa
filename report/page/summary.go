package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/record"
)

// summaryColumns are the metrics of the summary table, by their names without a
// group's prefix, with their short headings. Those after the bar are left out where
// they are 0 or missing in every row.
var summaryColumns = []struct {
	name, heading, unit string
	optional            bool
}{
	{"runtime_us", "runtime", "µs", false},
	{"goodput_gbps", "goodput", "Gb/s", false},
	{"fct_mean_us", "FCT mean", "µs", false},
	{"fct_p50_us", "FCT p50", "µs", false},
	{"fct_p99_us", "FCT p99", "µs", false},
	{"fct_max_us", "FCT max", "µs", true},
	{"slowdown_bare_p50", "slowdown p50", record.IdealWithoutHeaders, true},
	{"slowdown_bare_p99", "slowdown p99", record.IdealWithoutHeaders, true},
	{"rtt_p50_us", "RTT p50", "µs", true},
	{"rtt_p99_us", "RTT p99", "µs", true},
	{"drops", "drops", "frames", true},
	{"credits_dropped", "credits dropped", "", true},
	{"lost_to_faults", "lost to faults", "frames", true},
	{"fault_offered", "sent to dead ports", "frames", true},
	{"fault_last_offered_us", "last sent to a dead port", "µs", true},
	{"fault_avoided_us", "dead port avoided", "µs", true},
	{"fault_regained_us", "full rate regained", "µs", true},
	{"fault_unregained", "not regained", "failures", true},
	{"trims", "trims", "frames", true},
	{"retransmits", "retransmits", "packets", true},
	{"timeouts", "timeouts", "", true},
	{"ecn_marks", "ECN marks", "frames", true},
	{"unfinished", "unfinished", "messages", true},
	{"not_started", "not started", "messages", true},
}

// summaryTable is a table of the summary: of all messages, or of a group.
type summaryTable struct {
	Group   string
	Columns []summaryColumn
	Rows    []summaryRow
	// Absent names the columns that were left out.
	Absent string
	// Few says how many messages did not finish where these are too few for notes.
	Few string
	// Intervals tells whether some row is over several seeds.
	Intervals bool
}

type summaryColumn struct{ Heading, Unit string }

type summaryRow struct {
	Name string
	// Style is the number of the variant's colour, -1 if there are more variants than
	// colours.
	Style int
	// Notes are what makes the row's numbers less than they seem.
	Notes []string
	Runs  string
	Cells []summaryCell
}

// summaryCell is a number, "" if there is none.
type summaryCell struct {
	Text, Interval string
	// Sort is the value that rows are sorted by, "" if there is none.
	Sort string
	// Best marks the best of a column.
	Best bool
}

// summaries returns the table of all messages and those of the groups.
func (t *table) summaries() []summaryTable {
	groups := []string{""}
	for _, m := range t.metrics {
		group, name, ok := cutLast(m.Name, ".")
		if ok && name == "messages" && !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	tables := make([]summaryTable, len(groups))
	for i, g := range groups {
		tables[i] = t.summary(g)
	}
	return tables
}

func cutLast(s, at string) (before, after string, found bool) {
	if i := strings.LastIndex(s, at); i >= 0 {
		return s[:i], s[i+len(at):], true
	}
	return s, "", false
}

func (t *table) summary(group string) summaryTable {
	out := summaryTable{Group: cmp.Or(t.classes[group], group)}
	prefix := ""
	if group != "" {
		prefix = group + "."
	}
	for i := range t.rows {
		r := &t.rows[i]
		style := i
		if len(t.rows) > styles {
			style = -1
		}
		out.Rows = append(out.Rows, summaryRow{Name: r.Name, Style: style, Runs: runsText(r), Notes: t.notes(r, group)})
	}
	var absent []string
	for _, c := range summaryColumns {
		if c.name == "runtime_us" && t.timeless(group) {
			continue
		}
		metric := t.metric(prefix + c.name)
		if metric < 0 || c.optional && t.nothing(metric) {
			if metric >= 0 {
				absent = append(absent, c.heading)
			}
			continue
		}
		out.Columns = append(out.Columns, summaryColumn{c.heading, c.unit})
		t.fill(&out, group, metric)
		if c.name == "runtime_us" && len(t.rows) > 1 {
			out.Columns = append(out.Columns, summaryColumn{"×", "best"})
			t.ratios(&out, group, metric)
		}
	}
	out.Absent = strings.Join(absent, ", ")
	out.Few = t.mostMissing(group)
	return out
}

// few tells whether so few messages did not finish that it makes no row worse.
func (t *table) few(r *row, group string) bool {
	messages, unfinished, _ := t.left(r, group)
	return !r.cut && unfinished <= record.FewUnfinished*messages
}

// mostMissing says what notes of rows do not: how many messages did not finish where these
// are few.
func (t *table) mostMissing(group string) string {
	most := 0.0
	for i := range t.rows {
		if messages, unfinished, _ := t.left(&t.rows[i], group); unfinished > 0 && t.few(&t.rows[i], group) {
			most = max(most, unfinished/messages)
		}
	}
	if most == 0 {
		return ""
	}
	return "Up to " + strconv.FormatFloat(100*most, 'g', 2, 64) + " % of messages did not finish by the end of a run; times are those of the others."
}

// nothing tells whether a metric is 0 or missing in every row.
func (t *table) nothing(metric int) bool {
	return !slices.ContainsFunc(t.rows, func(r row) bool {
		e := r.estimate(metric)
		return e.N > 0 && (e.Max != 0 || e.Min != 0)
	})
}

// fill adds the column of a metric.
func (t *table) fill(out *summaryTable, group string, metric int) {
	m := &t.metrics[metric]
	best := math.NaN()
	for i := range t.rows {
		e := t.rows[i].estimate(metric)
		if m.Neutral || e.N == 0 || !t.whole(&t.rows[i], group) {
			continue
		}
		if math.IsNaN(best) || m.LowerIsBetter && e.Mean < best || !m.LowerIsBetter && e.Mean > best {
			best = e.Mean
		}
	}
	for i := range t.rows {
		r := &t.rows[i]
		e := r.estimate(metric)
		c := summaryCell{}
		if runtime := strings.HasSuffix(m.Name, "runtime_us"); e.N > 0 && !(runtime && t.endless(r, group)) {
			c.Text, c.Sort = number(e.Mean), strconv.FormatFloat(e.Mean, 'g', -1, 64)
			c.Best = len(t.rows) > 1 && e.Mean == best && best != 0 && t.whole(r, group)
			if runtime && !t.whole(r, group) {
				c.Text = "> " + c.Text
			}
			if e.N > 1 {
				c.Interval = intervalText(e.Low, e.High)
				out.Intervals = true
			}
		}
		out.Rows[i].Cells = append(out.Rows[i].Cells, c)
	}
}

// ratios adds the column of runtimes over the least of a row in which all is whole.
func (t *table) ratios(out *summaryTable, group string, metric int) {
	best := math.Inf(1)
	for i := range t.rows {
		if e := t.rows[i].estimate(metric); e.N > 0 && t.whole(&t.rows[i], group) {
			best = min(best, e.Mean)
		}
	}
	for i := range t.rows {
		c := summaryCell{}
		if e := t.rows[i].estimate(metric); e.N > 0 && best > 0 && !math.IsInf(best, 1) && t.whole(&t.rows[i], group) {
			c.Text = strconv.FormatFloat(e.Mean/best, 'f', 2, 64)
			c.Sort = strconv.FormatFloat(e.Mean/best, 'g', -1, 64)
		}
		out.Rows[i].Cells = append(out.Rows[i].Cells, c)
	}
}

// endless tells whether load was offered to a row's runs until they ended and left messages
// under way, so that the time until then is no bound of a runtime either.
func (t *table) endless(r *row, group string) bool {
	loaded := r.estimate(t.metric("backlog_growth_percent"))
	return !r.cut && loaded.N > 0 && loaded.N >= r.Done && !t.whole(r, group)
}

// timeless tells whether no row has a runtime.
func (t *table) timeless(group string) bool {
	return !slices.ContainsFunc(t.rows, func(r row) bool { return !t.endless(&r, group) })
}

// whole tells whether the numbers of a row are of runs in which every message finished.
func (t *table) whole(r *row, group string) bool {
	if r.tallies != nil {
		return r.tallies[group].cut == 0
	}
	_, unfinished, _ := t.left(r, group)
	return !r.cut && unfinished == 0
}

// notes says in full what makes the numbers of a row less than they seem.
func (t *table) notes(r *row, group string) []string {
	var notes []string
	switch {
	case r.cut && r.Partial == 1:
		notes = append(notes, "partial: the run was cut short, its numbers are not the scenario’s")
	case r.cut:
		notes = append(notes, "partial: every run was cut short, the numbers are not the scenario’s")
	case r.Partial > 0:
		notes = append(notes, fmt.Sprintf("%d of %d runs cut short and left out", r.Partial, r.Runs))
	}
	if r.Failed > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d runs failed", r.Failed, r.Runs))
	}
	if missing := r.Runs - r.Done - r.Partial - r.Failed; missing > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d runs missing", missing, r.Runs))
	}
	causes := slices.Clone(r.causes)
	slices.Sort(causes)
	for _, why := range slices.Compact(causes) {
		notes = append(notes, "it "+why)
	}
	switch messages, unfinished, notStarted := t.left(r, group); {
	case unfinished == 0 || t.few(r, group):
	case unfinished == messages:
		notes = append(notes, fmt.Sprintf("none of %.0f messages finished%s", messages, notStartedText(notStarted)))
	default:
		notes = append(notes, fmt.Sprintf("%.0f of %.0f messages did not finish%s; times are those of the others", unfinished, messages, notStartedText(notStarted)))
	}
	return notes
}

// notStartedText says in brackets how many messages did not start.
func notStartedText(n float64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.0f not started)", n)
}

func runsText(r *row) string {
	if r.Done == r.Runs {
		return strconv.Itoa(r.Runs)
	}
	return fmt.Sprintf("%d of %d", r.Done, r.Runs)
}

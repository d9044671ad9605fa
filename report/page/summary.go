package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/readable"
	"weft/record"
	"weft/study"
)

// summaryHead and summaryTail are the metrics of the summary table, by their names without a
// group's prefix, with their short headings. Between them stand those of sections, but for leading ones, which are first.
var (
	summaryHead = []summaryMetric{
		{"runtime_us", "runtime", "µs", false},
		{"goodput_gbps", "goodput", gigabits, false},
		{"least_host_percent", "least host", "% of what the mean host sends", true},
		{"fct_mean_us", "FCT mean", "µs", false},
		{"fct_p50_us", "FCT p50", "µs", false},
		{"fct_p99_us", "FCT p99", "µs", false},
		{"fct_max_us", "FCT max", "µs", true},
		{"slowdown_bare_p50", "slowdown p50", record.IdealWithoutHeaders, true},
		{"slowdown_bare_p99", "slowdown p99", record.IdealWithoutHeaders, true},
		{"rtt_p50_us", "RTT p50", "µs", true},
		{"rtt_p99_us", "RTT p99", "µs", true},
		{"drops", "drops", "frames", true},
	}
	summaryTail = []summaryMetric{
		{"lost_to_faults", "lost to faults", "frames", true},
		{"fault_offered", "sent to dead ports", "frames", true},
		{"fault_last_offered_us", "last sent to a dead port", "µs", true},
		{"fault_avoided_us", "dead port avoided", "µs", true},
		{"fault_regained_us", "full rate regained", "µs", true},
		{"fault_unregained", "not regained", "failures", true},
		{"trims", "trims", "frames", true},
		{"retransmits", "retransmits", "packets", true},
		{"spurious_retransmits", "spurious retransmits", "packets, whole run", true},
		{"timeouts", "timeouts", "", true},
		{"ecn_marks", "ECN marks", "frames", true},
		{"unfinished", "unfinished", "messages", true},
		{"not_started", "not started", "messages", true},
	}
)

type summaryMetric struct {
	name, heading, unit string
	// optional ones are left out where they are 0 or missing in every row.
	optional bool
}

func summaryMetrics() []summaryMetric {
	var first, others []summaryMetric
	leading := record.LeadingMetrics()
	for _, h := range record.Highlights() {
		m := summaryMetric{h.Metric, h.Heading, h.Unit, true}
		if slices.Contains(leading, h.Metric) {
			first = append(first, m)
		} else {
			others = append(others, m)
		}
	}
	return slices.Concat(first, summaryHead, others, summaryTail)
}

// summaryMetrics returns those of the table of a group by their whole names. The table of all messages has the time of
// each job where there are several.
func (t *table) summaryMetrics(group string) (list []summaryMetric) {
	leading := record.LeadingMetrics()
	for _, m := range summaryMetrics() {
		if group != "" || !slices.Contains(leading, m.name) {
			m.name = prefixOf(group) + m.name
			list = append(list, m)
			continue
		}
		for _, name := range t.numbers.Leading(m.name) {
			own := m
			if of, _ := record.SplitMetric(name); of != "" {
				own.heading = of + ": " + m.heading
			}
			own.name = name
			list = append(list, own)
		}
	}
	return list
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
	// Intervals says what the intervals of rows over several seeds are.
	Intervals string
}

type summaryColumn struct{ Heading, Unit string }

type summaryRow struct {
	Name string
	// Marks are the words for what qualifies the numbers.
	Marks string
	// Style is the number of the variant's colour, -1 if there are more variants than
	// colours.
	Style int
	Runs  string
	// First is set of the first of several that can be compared.
	First bool
	Cells []summaryCell
}

// groups lists the groups of traffic and the classes of sizes.
func (t *table) groups() []string {
	var groups []string
	for _, m := range t.metrics {
		if m.Group != "" && !slices.Contains(groups, m.Group) {
			groups = append(groups, m.Group)
		}
	}
	return groups
}

// summaries returns the table of all messages and those of the groups.
func (t *table) summaries() []summaryTable {
	groups := append([]string{""}, t.groups()...)
	tables := make([]summaryTable, len(groups))
	for i, g := range groups {
		tables[i] = t.summary(g)
	}
	return tables
}

func (t *table) summary(group string) summaryTable {
	out := summaryTable{Group: cmp.Or(t.classes[group], group)}
	for i := range t.rows {
		r := &t.rows[i]
		out.Rows = append(out.Rows, summaryRow{Name: r.Name, Marks: r.Marks(), Style: t.style(r.variant), Runs: runsText(r),
			First: i > 0 && len(t.variants()) > 1 && r.contest != t.rows[i-1].contest})
	}
	var absent []string
	for _, c := range t.summaryMetrics(group) {
		metric := t.metric(c.name)
		of, _ := record.SplitMetric(c.name)
		if metric < 0 || c.optional && t.nothing(metric) {
			if metric >= 0 {
				absent = append(absent, c.heading)
			}
			continue
		}
		untilLast := t.metrics[metric].UntilLast()
		if untilLast && t.timeless(of) {
			continue
		}
		out.Columns = append(out.Columns, summaryColumn{c.heading, t.unit(c.unit, metric)})
		t.fill(&out, of, metric)
		if untilLast && len(t.variants()) > 1 {
			out.Columns = append(out.Columns, summaryColumn{"×", t.ratioUnit()})
			t.ratios(&out, metric)
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
	return "Up to " + readable.Percent(most) + " of messages were unfinished at the end of a run. Times cover the others."
}

// nothing tells whether a metric is 0 or missing in every row.
func (t *table) nothing(metric int) bool {
	return !slices.ContainsFunc(t.rows, func(r row) bool {
		e := r.estimate(metric)
		return e.N > 0 && (e.Max != 0 || e.Min != 0)
	})
}

// style is the number of a variant's colour, -1 if there are more variants than colours.
func (t *table) style(variant int) int {
	if len(t.variants()) > styles || t.axis == study.NoAxis {
		return -1
	}
	return variant
}

// ranks returns the ranks of all rows by a metric.
func (t *table) ranks(metric int) []rank {
	ranks := make([]rank, len(t.rows))
	for k := range t.contests {
		c := &t.contests[k]
		r := t.numbers.Rank(c, metric)
		if len(r.Order) < 2 || t.equal(c, r.Order, metric) {
			continue
		}
		first := c.Cells[r.Order[0]]
		ranks[first] = best
		for _, variant := range r.Near {
			ranks[first], ranks[c.Cells[variant]] = near, near
		}
	}
	for i := range t.rows {
		if t.rows[i].Instead(&t.metrics[metric]) != "" {
			ranks[i] = amiss
		} else if t.rows[i].NotRanked() {
			ranks[i] = barred
		}
	}
	return ranks
}

// equal tells whether variants all have the same value.
func (t *table) equal(c *study.Contest, variants []int, metric int) bool {
	first := t.rows[c.Cells[variants[0]]].estimate(metric).Mean
	return !slices.ContainsFunc(variants, func(v int) bool { return t.rows[c.Cells[v]].estimate(metric).Mean != first })
}

// fill adds the column of a metric.
func (t *table) fill(out *summaryTable, group string, metric int) {
	m := &t.metrics[metric]
	ranks := t.ranks(metric)
	for i := range t.rows {
		r := &t.rows[i]
		e := r.estimate(metric)
		c := summaryCell{Rank: ranks[i]}
		instead := r.Instead(m)
		switch {
		case m.UntilLast() && t.endless(r, group):
			c.Rank = ""
		case instead != "" && !(m.Counted() && e.N > 0):
			c.Text = instead
		case e.N > 0:
			c.Text, c.Sort = number(e.Mean), strconv.FormatFloat(e.Mean, 'g', -1, 64)
			if e.N > 1 {
				c.Interval = intervalText(e.Low, e.High)
				out.Intervals = t.intervalMeaning()
			}
		}
		out.Rows[i].Cells = append(out.Rows[i].Cells, c)
	}
}

// ratioUnit says what ratios are over.
func (t *table) ratioUnit() string {
	if len(t.contests) > 1 {
		return "best of the same " + strings.Join(t.otherAxes(), ", ")
	}
	return "best"
}

// otherAxes are the names of the axes with several levels beside the variants'.
func (t *table) otherAxes() []string {
	var names []string
	for a := range t.axes {
		if a != t.axis && len(t.axes[a].Levels) > 1 {
			names = append(names, t.axes[a].Name)
		}
	}
	return names
}

// ratios adds the column of runtimes over the least of those that they can be compared with.
func (t *table) ratios(out *summaryTable, metric int) {
	cells := make([]summaryCell, len(t.rows))
	for k := range t.contests {
		c := &t.contests[k]
		order := t.numbers.Rank(c, metric).Order
		for _, variant := range order {
			first, own := t.rows[c.Cells[order[0]]].estimate(metric).Mean, t.rows[c.Cells[variant]].estimate(metric).Mean
			if len(order) > 1 && first > 0 {
				cells[c.Cells[variant]] = summaryCell{
					Text: strconv.FormatFloat(own/first, 'f', 2, 64), Sort: strconv.FormatFloat(own/first, 'g', -1, 64),
				}
			}
		}
	}
	for i := range cells {
		out.Rows[i].Cells = append(out.Rows[i].Cells, cells[i])
	}
}

// endless tells whether load was offered to a row's runs until they ended and left messages
// under way, so that the time until then is no bound of a runtime either.
func (t *table) endless(r *row, group string) bool {
	loaded := r.estimate(t.metric("backlog_growth_percent"))
	return !r.cut && loaded.N > 0 && loaded.N >= r.Done && r.Unfinished[group] > 0
}

// timeless tells whether no row has a runtime.
func (t *table) timeless(group string) bool {
	return !slices.ContainsFunc(t.rows, func(r row) bool { return !t.endless(&r, group) })
}

// notes says in full which runs of a row are not in its numbers.
func (t *table) notes(r *row) []string {
	var notes []string
	switch {
	case r.cut && r.Partial == 1:
		notes = append(notes, "partial: the run was cut short, so its numbers are not those of the whole scenario")
	case r.cut:
		notes = append(notes, "partial: every run was cut short, so the numbers are not those of the whole scenario")
	case r.Partial > 0:
		notes = append(notes, fmt.Sprintf("%d of %d runs cut short and left out", r.Partial, r.Runs))
	}
	if r.Failed > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d runs failed", r.Failed, r.Runs))
	}
	if missing := r.Runs - r.Done - r.Partial - r.Failed; missing > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d runs missing", missing, r.Runs))
	}
	for _, k := range r.Kinds() {
		text := k.Meaning()
		if i := slices.IndexFunc(r.noted, func(n record.Notice) bool { return n.Kind == k }); i >= 0 {
			text = r.noted[i].Text
		}
		mark := k.Word()
		if n, all := r.Notices[k], r.Done+r.Partial; n < all {
			mark += fmt.Sprintf(" in %d of %d runs", n, all)
		}
		notes = append(notes, mark+": "+text)
	}
	causes := slices.Clone(r.causes)
	slices.Sort(causes)
	for _, why := range slices.Compact(causes) {
		notes = append(notes, "it "+why)
	}
	return notes
}

// unfinished says how many messages of a group did not finish, if it is more than a few.
func (t *table) unfinished(r *row, group string) string {
	switch messages, unfinished, notStarted := t.left(r, group); {
	case unfinished == 0 || t.few(r, group):
		return ""
	case unfinished == messages:
		return fmt.Sprintf("none of %.0f messages finished%s", messages, notStartedText(notStarted))
	default:
		return fmt.Sprintf("%.0f of %.0f messages did not finish%s", unfinished, messages, notStartedText(notStarted))
	}
}

// allNotes says of each row what makes its numbers less than they seem, a line each, and of
// its groups of traffic how much of them did not finish.
func (t *table) allNotes() []string {
	var notes []string
	for i := range t.rows {
		r := &t.rows[i]
		for _, note := range t.notes(r) {
			notes = append(notes, r.Name+": "+note)
		}
		for _, group := range append([]string{""}, t.groups()...) {
			name := r.Name
			if group != "" {
				name += ", " + cmp.Or(t.classes[group], group)
			}
			if note := t.unfinished(r, group); note != "" {
				notes = append(notes, name+": "+note)
			}
		}
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

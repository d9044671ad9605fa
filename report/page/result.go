package page

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/readable"
	"weft/record"
	"weft/study"
)

// result is what a reader wants first: which variant is best, where, by how much and how sure
// that is.
type result struct {
	// Said are sentences: the verdict by the first metric, and what makes it less sure.
	Said []string
	// Metrics are the tables behind it, the one of the first metric first. There are none
	// where nothing can be compared.
	Metrics []metricResult
	// Near, Amiss and Barred tell whether some cell has that rank.
	Near, Amiss, Barred bool
	// Noticed explain the marks of numbers.
	Noticed []string
	// Footnote says what intervals of few seeds are worth.
	Footnote string
}

// metricResult is how variants compare by one metric: a row for each combination of the other
// axes.
type metricResult struct {
	Title, Unit, Better string
	// Said is the verdict, in sentences.
	Said     []string
	Axes     []string
	Variants []variantHead
	Rows     []contestRow
}

type variantHead struct {
	Name  string
	Style int
}

type contestRow struct {
	Levels  []string
	Cells   []summaryCell
	Verdict string
}

// resultMetrics are the metrics that results are told by, the one of the verdict first.
func resultMetrics() []string {
	return append(record.LeadingMetrics(), "slowdown_bare_p99", "fct_p99_us", "fct_p50_us", "goodput_gbps", "runtime_us")
}

func (t *table) result() result {
	var out result
	if t.axis == study.NoAxis || len(t.variants()) < 2 {
		out.Said = t.unranked()
		return out
	}
	seeds := false // are too few in some group
	for _, group := range t.headlineGroups() {
		said := false
		for _, name := range resultMetrics() {
			column := t.metric(prefixOf(group) + name)
			if column < 0 || !t.known(column) || t.metrics[column].UntilLast() && t.timeless(group) {
				continue
			}
			if !said {
				said = true
				verdict := t.verdict(column)
				out.say(group, verdict)
				seeds = seeds || group != "" && slices.Contains(verdict, saidOneSeed)
			}
			out.Metrics = append(out.Metrics, t.metricResult(column, group))
			ranks := t.ranks(column)
			out.Near, out.Amiss, out.Barred = out.Near || slices.Contains(ranks, near), out.Amiss || slices.Contains(ranks, amiss), out.Barred || slices.Contains(ranks, barred)
		}
	}
	if len(out.Metrics) == 0 {
		out.Said = []string{"No run has a result yet."}
	}
	if seeds {
		out.Said = append(out.Said, saidOneSeed)
	}
	out.Said = append(out.Said, t.incomplete()...)
	out.Noticed = t.numbers.Noticed()
	out.Footnote = strings.TrimSpace(t.numbers.Footnote())
	return out
}

// headlineGroups are the groups of traffic that a headline tells of, each by itself; "" is all
// traffic, where there is one group.
func (t *table) headlineGroups() []string {
	groups := slices.DeleteFunc(t.groups(), record.IsSizeClass)
	if len(groups) < 2 {
		return []string{""}
	}
	return groups
}

// prefixOf is what the metrics of a group begin with.
func prefixOf(group string) string {
	if group == "" {
		return ""
	}
	return group + "."
}

// say adds the verdict about a group of traffic, a paragraph if there are several, and what holds
// of all of them once.
func (r *result) say(group string, said []string) {
	if group == "" {
		r.Said = append(r.Said, said...)
		return
	}
	said = slices.DeleteFunc(slices.Clone(said), func(text string) bool { return text == saidOneSeed })
	r.Said = append(r.Said, group+": "+strings.Join(said, " "))
}

// known tells whether some row has a metric, or something stands in its place.
func (t *table) known(column int) bool {
	return slices.ContainsFunc(t.rows, func(r row) bool { return r.estimate(column).N > 0 })
}

// unranked says the main numbers where there is nothing to compare.
func (t *table) unranked() []string {
	if len(t.rows) != 1 {
		return append([]string{fmt.Sprintf("The runs differ only in %s, so there is nothing to rank. See the numbers below.", list(t.otherAxes()))}, t.incomplete()...)
	}
	r := &t.rows[0]
	var said []string
	for _, group := range t.headlineGroups() {
		var words []string
		for _, name := range resultMetrics() {
			name = prefixOf(group) + name
			column := t.metric(name)
			if e := r.estimate(column); e.N > 0 && r.Instead(&t.metrics[column]) == "" {
				words = append(words, strings.TrimSpace(t.shortTitle(column)+" "+number(e.Mean)+" "+t.metrics[column].Unit))
			}
		}
		if len(words) == 0 {
			continue
		}
		text := readable.Capital(strings.Join(words, ", "))
		if group != "" {
			text = group + ": " + strings.Join(words, ", ")
		}
		if marks := r.Marks(); marks != "" {
			text += " (" + marks + ")"
		}
		said = append(said, text+".")
	}
	return append(said, t.incomplete()...)
}

// metricResult compares the variants by a metric of a group of traffic.
func (t *table) metricResult(column int, group string) metricResult {
	m := &t.metrics[column]
	out := metricResult{
		Title: m.Title, Unit: m.Unit, Better: "more is better", Axes: t.otherAxes(),
		Said: t.verdict(column),
	}
	if group != "" {
		out.Said[0] = group + ": " + out.Said[0]
		if !strings.HasPrefix(m.Title, group+": ") {
			out.Title = group + ": " + m.Title
		}
	}
	if m.LowerIsBetter {
		out.Better = "less is better"
	}
	for v, name := range t.variants() {
		out.Variants = append(out.Variants, variantHead{name, t.style(v)})
	}
	ranks := t.ranks(column)
	for k := range t.contests {
		c := &t.contests[k]
		row := contestRow{Verdict: t.contestVerdict(c, column)}
		for a, level := range c.Levels {
			if level != study.NoAxis && len(t.axes[a].Levels) > 1 {
				row.Levels = append(row.Levels, t.axes[a].Levels[level])
			}
		}
		for _, i := range c.Cells {
			row.Cells = append(row.Cells, t.resultCell(i, column, ranks))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (t *table) resultCell(i, column int, ranks []rank) summaryCell {
	if i == study.NoAxis {
		return summaryCell{}
	}
	c := summaryCell{Rank: ranks[i]}
	e := t.rows[i].estimate(column)
	switch instead := t.rows[i].Instead(&t.metrics[column]); {
	case instead != "":
		c.Text = instead
	case e.N > 0:
		c.Text, c.Marks = number(e.Mean), t.rows[i].Marks()
		if e.N > 1 {
			c.Interval = intervalText(e.Low, e.High)
		}
	}
	return c
}

// incomplete says which variants did not finish, and what is missing.
func (t *table) incomplete() []string {
	var words, said []string
	for v, name := range t.variants() {
		n := 0
		for i := range t.rows {
			if r := &t.rows[i]; r.variant == v && r.Misses("") {
				n++
			}
		}
		switch {
		case n == 0:
		case name == "" && len(t.rows) == 1:
			words = append(words, "It did not finish")
		case name == "":
			words = append(words, fmt.Sprintf("%d of %d cells did not finish", n, len(t.rows)))
		case len(t.contests) == 1:
			words = append(words, name+" did not finish")
		case len(words) == 0:
			words = append(words, fmt.Sprintf("%s did not finish in %d of %d", name, n, len(t.contests)))
		default:
			words = append(words, fmt.Sprintf("%s in %d", name, n))
		}
	}
	if len(words) > 0 {
		said = append(said, list(words)+".")
	}
	said = append(said, t.notRanked()...)
	var runs, missing, failed int
	for i := range t.rows {
		r := &t.rows[i]
		runs += r.Runs
		failed += r.Failed
		missing += r.Runs - r.Done - r.Partial - r.Failed
	}
	if failed > 0 {
		said = append(said, fmt.Sprintf("%d of %d runs failed.", failed, runs))
	}
	if missing > 0 {
		said = append(said, fmt.Sprintf("Incomplete: %d of %d runs are missing.", missing, runs))
	}
	return said
}

// notRanked says which variants notices keep from being ranked, and in how many combinations.
func (t *table) notRanked() (said []string) {
	for _, k := range record.NoticeKinds() {
		var all, some []string
		for v, name := range t.variants() {
			n := 0
			for i := range t.rows {
				if r := &t.rows[i]; r.variant == v && k.Bars() && slices.Contains(r.Kinds(), k) {
					n++
				}
			}
			if name == "" {
				name = "it"
			}
			switch {
			case n == 0:
			case len(t.contests) == 1:
				all = append(all, name)
			case len(some) == 0:
				some = append(some, fmt.Sprintf("%s is %s and not ranked in %d of %d", name, k.Word(), n, len(t.contests)))
			default:
				some = append(some, fmt.Sprintf("%s in %d", name, n))
			}
		}
		switch {
		case len(some) > 0:
			said = append(said, list(some)+".")
		case len(all) == len(t.variants()) && len(all) > 1:
			said = append(said, fmt.Sprintf("All variants are %s.", k.Word()))
		case len(all) > 0:
			text := barredText(all, k.Word())
			if t.axis == study.NoAxis { // a name keeps its letters
				text = readable.Capital(text)
			}
			said = append(said, text+", so not ranked.")
		}
	}
	return said
}

package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/readable"
	"weft/papers"
	"weft/record"
)

// remarks are what is to be said under a figure beside its caption.
type remarks struct {
	// preferred and other report that something drawn is at the preferred scale, or at the other;
	// with runs and neither, it is the same at both.
	runs, preferred, other bool
	// columns are the columns of a table at the preferred scale, if not all are.
	columns []string
	// along is an axis from whose first level lines lead to those beside their ends, or to
	// one that all have.
	along, from, to string
	// ideal is what slowdowns are over, which axes leave out.
	ideal string
	// unstable are what has no value because it is unstable in a table, and theirs what is so
	// only in the paper's.
	table            string
	unstable, theirs []string
	// unfinished are bars, and numbers that bars are divided by, with a share of unfinished messages
	// above record.FewUnfinished.
	unfinished []unfinished
}

type unfinished struct {
	name  string
	share float64
}

// mostNamed is how many bars are named; more would be read by nobody.
const mostNamed = 8

// over notes what a metric is over, if it is a slowdown.
func (r *remarks) over(m *papers.Metric) { r.ideal = cmp.Or(m.Ideal, r.ideal) }

// see notes the bars of a table that leave messages out, as times of those that finished
// do, and what they are divided by if it does. Class names the metric where a figure has
// several; what is unstable has no bar.
func (r *remarks) see(t *papers.Derived, class string, unstable []bool) {
	for i, c := range t.Cells {
		if c.Estimates[0].N > 0 || c.Failed > 0 {
			r.noteScale(t.Of[i])
		}
	}
	if !t.Metric.OfFinished {
		return
	}
	for i, c := range t.Cells {
		if t.Of[i].Unfinished <= record.FewUnfinished || c.Estimates[0].N == 0 || unstable != nil && unstable[i] {
			continue
		}
		var words []string
		if class != "" {
			words = append(words, class)
		}
		for a, axis := range t.Axes {
			if len(axis.Levels) > 1 {
				words = append(words, axis.Levels[c.Levels[a]])
			}
		}
		r.unfinished = append(r.unfinished, unfinished{cmp.Or(strings.Join(words, ", "), c.Name), t.Of[i].Unfinished})
	}
	for _, o := range t.Over {
		if o.Unfinished > record.FewUnfinished {
			words := o.Levels
			if class != "" {
				words = append([]string{class}, words...)
			}
			r.unfinished = append(r.unfinished, unfinished{strings.Join(words, ", "), o.Unfinished})
		}
	}
}

// noteScale notes the scale of something drawn.
func (r *remarks) noteScale(of papers.DerivedFrom) {
	r.runs, r.preferred, r.other = true, r.preferred || of.Preferred, r.other || of.Other
}

// scale names the scale of a figure.
func (r *remarks) scale(scale, prefer string) string {
	switch {
	case !r.runs || prefer == "":
		return ""
	case r.preferred && r.other: // only of columns of a table
		return fmt.Sprintf("Scale %s in %s, %s elsewhere.", prefer, strings.Join(r.columns, ", "), scale)
	case r.preferred:
		return "Scale " + prefer + "."
	case r.other:
		return "Scale " + scale + "."
	}
	return "The same at both scales."
}

// text is the remarks as sentences, of a page of a scale and one that is preferred.
func (r *remarks) text(scale, prefer string) string {
	var sentences []string
	if text := r.scale(scale, prefer); text != "" {
		sentences = append(sentences, text)
	}
	if r.ideal != "" {
		sentences = append(sentences, readable.Capital(r.ideal)+".")
	}
	switch {
	case r.to != "":
		sentences = append(sentences, fmt.Sprintf("Lines lead from %s %s to %s, the ringed end.", r.along, r.from, r.to))
	case r.along != "":
		sentences = append(sentences, fmt.Sprintf("Lines lead from %s %s to what stands at their ends.", r.along, r.from))
	}
	if len(r.unstable) > 0 {
		sentences = append(sentences, fmt.Sprintf("Unstable in %s, and an arrow instead of a value: %s.", r.table, strings.Join(r.unstable, ", ")))
	}
	if len(r.theirs) > 0 {
		sentences = append(sentences, fmt.Sprintf("Unstable in the paper's %s only: %s.", r.table, strings.Join(r.theirs, ", ")))
	}
	if list := slices.Clone(r.unfinished); len(list) > 0 {
		slices.SortStableFunc(list, func(a, b unfinished) int { return cmp.Compare(b.share, a.share) })
		var words []string
		for _, u := range list[:min(len(list), mostNamed)] {
			words = append(words, readable.Percent(u.share)+" of "+u.name)
		}
		text := "Left out are unfinished messages: " + strings.Join(words, "; ")
		if n := len(list) - mostNamed; n > 0 {
			text += fmt.Sprintf("; and above %s of %d more", readable.Percent(record.FewUnfinished), n)
		}
		sentences = append(sentences, text+".")
	}
	return strings.Join(sentences, " ")
}

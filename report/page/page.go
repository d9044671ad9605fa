// Package page writes the HTML report: one file that holds everything, the data and
// the libraries that draw it included, so that it opens anywhere, without a network
// or a server, and can be mailed or archived.
//
// A page is made in two steps. Reduce boils each result down to what a page shows, so
// that the results of a large study need never be in memory together. Write pools the
// reduced runs over their seeds, thins what would make the page too large, and writes
// it. What was thinned, and by which rule, is said on the page.
package page

import (
	"fmt"
	"io"
	"strings"
	"time"

	"weft/record/section/lateness"
	"weft/study"
)

// Report is what a page shows.
type Report struct {
	// Title is the page's, such as the scenario's name; About says in a sentence or
	// two what the scenario is.
	Title, About string
	// Commands run it again.
	Commands []string
	// Table is the study in numbers; nil for a run or a comparison.
	Table *study.Table
	// Variants are the variants of a comparison, or the cells of a study, in order.
	// Those of a study are matched to the cells of Table by their name.
	Variants []Variant
	// Notices are what a reader should know first, such as "partial: 12 of 60 runs
	// are missing".
	Notices []string
	// Generated is shown if it is not zero. It is the caller's, so that the same
	// results can make the same page.
	Generated time.Time
}

// Variant is one variant of a comparison, or one cell of a study.
type Variant struct {
	Name string
	// Runs are those of its seeds. Timelines and maps show the first that has some.
	Runs []*Reduced
}

// liveRuns returns what runs on wire and their simulations are found by.
func (r *Report) liveRuns() (list []liveRun) {
	for i := range r.Variants {
		for _, run := range r.Variants[i].Runs {
			list = append(list, liveRun{
				name: r.Variants[i].Name, scenario: run.manifest.Hashes.Scenario, seed: run.manifest.Seed,
				live: lateness.Of(run.summary.Sections) != nil, shows: !run.partial() && run.summary.Void() == "",
				notices: run.manifest.Notices, times: run.times,
			})
		}
	}
	return list
}

// Write writes the page.
func Write(w io.Writer, r *Report) error {
	if err := r.check(); err != nil {
		return err
	}
	f, err := newFrame(r)
	if err != nil {
		return fmt.Errorf("page %q: %w", r.Title, err)
	}
	if err := frameTemplate().Execute(w, f); err != nil {
		return fmt.Errorf("page %q: %w", r.Title, err)
	}
	return nil
}

// check refuses what could not be told apart on the page, or drawn.
func (r *Report) check() error {
	seen := map[string]bool{}
	for _, v := range r.Variants {
		if seen[v.Name] {
			return fmt.Errorf("page %q: two variants are called %q; name each differently", r.Title, v.Name)
		}
		seen[v.Name] = true
		for _, run := range v.Runs {
			if run == nil {
				return fmt.Errorf("page %q: a run of %q is nil; leave out runs without a result", r.Title, v.Name)
			}
		}
	}
	if r.Table == nil {
		return nil
	}
	t := r.Table
	for i := range t.Cells {
		c := &t.Cells[i]
		if len(c.Levels) != len(t.Axes) || len(c.Estimates) != len(t.Metrics) {
			return fmt.Errorf("page %q: cell %q has %d levels and %d estimates, but there are %d axes and %d metrics",
				r.Title, c.Name, len(c.Levels), len(c.Estimates), len(t.Axes), len(t.Metrics))
		}
		for a, level := range c.Levels {
			if level < 0 || level >= len(t.Axes[a].Levels) {
				return fmt.Errorf("page %q: cell %q has level %d of axis %q, which has %d", r.Title, c.Name, level, t.Axes[a].Name, len(t.Axes[a].Levels))
			}
		}
	}
	return nil
}

// title is never empty: a page without one cannot be found among others.
func (r *Report) title() string {
	if t := strings.TrimSpace(r.Title); t != "" {
		return t
	}
	return "weft"
}

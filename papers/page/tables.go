package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/stats"
	"weft/papers"
)

// tables writes the paper's tables with ours beside them.
func (p *page) tables() error {
	if len(p.Tables) == 0 {
		return nil
	}
	p.line("## Tables\n")
	p.line("Ours, with the paper's in brackets; – is what was not run.%s\n", p.typefaces())
	for i := range p.Tables {
		t := &p.Tables[i]
		all, err := p.Tabulate(t)
		if err != nil {
			return fmt.Errorf("table %s: %w", t.ID, err)
		}
		p.line("### %s\n", t.Title)
		if t.About != "" {
			p.line("%s\n", strings.TrimSpace(t.About))
		}
		p.rows(all)
	}
	return nil
}

// typefaces explains the typefaces in tables, if one scale is preferred.
func (p *page) typefaces() string {
	if p.Prefer == "" {
		return ""
	}
	text := " Bold: scale " + p.Prefer
	if slices.ContainsFunc(p.Tables, func(t papers.Table) bool { return t.Mean != "" || t.Range != "" }) {
		text += ". Italics: means and ranges over cells of both scales"
	}
	return text + "."
}

// beside lists the cells that were run at both scales, if one is preferred.
func (p *page) beside() error {
	metrics := p.Scales.Beside
	list, err := p.Beside(metrics)
	if err != nil || len(list) == 0 || len(metrics) == 0 {
		return err
	}
	p.line("## Scale %s beside scale %s\n", p.Scale, p.Prefer)
	p.line("Numbers of scale %s over those of scale %s, of cells that were run at both and differ.\n", p.Scale, p.Prefer)
	words := []string{"study", "cell"}
	for _, metric := range metrics {
		m := papers.MetricNamed(metric)
		words = append(words, m.FullTitle())
	}
	p.line("| %s |\n| --- | ---%s |", strings.Join(words, " | "), strings.Repeat(" | ---:", len(metrics)))
	for _, row := range besideRows(list, len(metrics)) {
		p.line("%s", row)
	}
	p.line("")
	return nil
}

// besideRows are the rows of a table of so many ratios: the extremes and the median of those
// that there are, and each cell's.
func besideRows(list []papers.Beside, metrics int) []string {
	var rows []string
	row := func(study, cell string, number func(metric int) float64) {
		words := []string{study, cell}
		for k := range metrics {
			words = append(words, ratio(number(k)))
		}
		rows = append(rows, "| "+strings.Join(words, " | ")+" |")
	}
	for _, of := range []struct {
		name string
		take func(sorted []float64) float64 // of one at least
	}{
		{"least", func(v []float64) float64 { return v[0] }},
		{"median", stats.Median},
		{"most", func(v []float64) float64 { return v[len(v)-1] }},
	} {
		row(fmt.Sprintf("all %d", len(list)), of.name, func(k int) float64 {
			var values []float64
			for _, b := range list {
				if v := b.Ratios[k]; exists(v) {
					values = append(values, v)
				}
			}
			if len(values) == 0 {
				return math.NaN()
			}
			slices.Sort(values)
			return of.take(values)
		})
	}
	for _, b := range list {
		row(b.Study, b.Cell, func(k int) float64 { return b.Ratios[k] })
	}
	return rows
}

// exists tells whether a ratio is one: a cell may have no number at one of the scales, or 0.
func exists(ratio float64) bool { return !math.IsNaN(ratio) && !math.IsInf(ratio, 0) }

// ratio writes a ratio, or that there is none.
func ratio(v float64) string {
	if !exists(v) {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

// withPapers writes ours and the paper's.
func withPapers(c *papers.Tabled) string {
	ours := c.Text
	if ours == "" {
		ours = "–"
	}
	switch {
	case c.Mixed:
		ours = "*" + ours + "*"
	case c.Preferred && !c.Both:
		ours = "**" + ours + "**"
	}
	if c.Paper == nil {
		return ours
	}
	return fmt.Sprintf("%s (%s)", ours, c.Paper)
}

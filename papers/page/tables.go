package page

import (
	"fmt"
	"strings"

	"weft/papers"
)

// tables writes the paper's tables with ours beside them.
func (p *page) tables() error {
	if len(p.Tables) == 0 {
		return nil
	}
	p.line("## Tables\n")
	bold := ""
	if p.Prefer != "" {
		bold = " In bold: scale " + p.Prefer + "."
	}
	p.line("Ours, with the paper's in brackets; – is what was not run.%s\n", bold)
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
		p.line("| | %s |\n| ---%s |", strings.Join(all.Columns, " | "), strings.Repeat(" | ---:", len(all.Columns)))
		for i, row := range all.Rows {
			words := []string{row}
			for _, c := range all.Cells[i] {
				words = append(words, beside(&c))
			}
			p.line("| %s |", strings.Join(words, " | "))
		}
		p.line("")
	}
	return nil
}

// beside writes ours and the paper's.
func beside(c *papers.Tabled) string {
	ours := c.Text
	if ours == "" {
		ours = "–"
	}
	if c.Preferred {
		ours = "**" + ours + "**"
	}
	switch {
	case c.Paper == nil:
		return ours
	case c.Paper.Unstable:
		return ours + " (unstable)"
	}
	return fmt.Sprintf("%s (%.4g)", ours, c.Paper.Value)
}

package page

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/papers"
)

// other writes what there is of another scale: the claims that it decides, and the
// columns of tables of which something was run.
func (p *page) other(ctx context.Context, e *papers.Evaluator) error {
	r, err := e.Evaluate(ctx)
	if err != nil {
		return err
	}
	runs, missing := 0, 0
	for _, s := range r.Studies {
		runs, missing = runs+s.Runs, missing+s.Missing
	}
	p.line("## At scale %s\n", e.Scale)
	p.line("%s Of its %d runs %d are there. Below are the claims that they decide, and what they fill in of the tables.\n", strings.TrimSpace(scaleText(e)), runs, runs-missing)
	var rows []string
	for i := range r.Claims {
		if c := &r.Claims[i]; c.Verdict != papers.Missing && c.Verdict != papers.NotSimulable && e.Ran(c.ID) {
			verdict := "**" + string(c.Verdict) + "**"
			if c.Explained {
				verdict += ", explained by a tested change"
			}
			before := "missing"
			if at := p.claim(c.ID); at != nil {
				before = string(at.Verdict)
			}
			rows = append(rows, fmt.Sprintf("| [%s](#%s) | %s | %s | %s | %s |", c.ID, c.ID, cell(c.Claimed), p.measured(c), verdict, before))
		}
	}
	if len(rows) == 0 {
		p.line("No claim is decided by them yet.\n")
	} else {
		p.line("| claim | claimed | measured | verdict | at scale %s |\n| --- | --- | --- | --- | --- |\n%s\n", p.Scale, strings.Join(rows, "\n"))
	}
	for i := range e.Tables {
		t := &e.Tables[i]
		all, err := e.Tabulate(t)
		if err != nil {
			return fmt.Errorf("table %s: %w", t.ID, err)
		}
		if columns := begun(all); len(columns) > 0 {
			p.line("### %s, at scale %s\n", t.Title, e.Scale)
			p.line("Ours, with the paper's in brackets; – is what was not run; ≥ stands before the largest of some levels, where others were not run.\n")
			p.table(all, columns)
		}
	}
	return nil
}

// begun lists the columns of a table of which something was run.
func begun(t *papers.Tabulated) []string {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(column string) bool {
		j := slices.Index(t.Columns, column)
		return !slices.ContainsFunc(t.Cells, func(row []papers.Tabled) bool { return row[j].Text != "" })
	})
}

// scaleText says what the scale of an evaluation means.
func scaleText(e *papers.Evaluator) string {
	if e.Scale == papers.Full {
		return e.Scales.Full
	}
	return e.Scales.Quick
}

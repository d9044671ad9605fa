package papers

import (
	"slices"

	"weft/config"
	"weft/problem"
)

// Replacement is a cell of a table that a check takes from a study of its own: so the
// table is tried with a change in some of its cells. A study that is not run at the scale
// that is preferred stands for its change beside cells of that scale, too: else one cheap
// run would take the whole table back to the other.
type Replacement struct {
	Row    string       `yaml:"row" doc:"Row of the cell; also a level of the table's axis in the study."`
	Column string       `yaml:"column" doc:"Column of the cell."`
	Study  string       `yaml:"study" doc:"Study with the change."`
	At     *config.Node `yaml:"at" doc:"Levels of axes that only this study has: a mapping of axes to a label. The table's levels, and the axis that it leads along, count where the study has those axes."`
}

// tabulation is what of a table is filled in, beside the table itself.
type tabulation struct {
	metric  string
	at      []*config.Node
	instead []Replacement
}

// source is the study that a cell is of, its own levels beside the table's, and whether it
// is replaced: then the table's say nothing of axes that the study lacks.
func (v *tabulation) source(t *Table, row, column string) (id string, own *config.Node, replaced bool) {
	for _, r := range v.instead {
		if r.Row == row && r.Column == column {
			return r.Study, r.At, true
		}
	}
	return t.study(column), nil, false
}

// checkReplacements finds what is wrong with the replacements of a check by themselves.
func (c *TableCheck) checkReplacements(l *Ledger, t *Table, errs *config.Error, at config.Place) {
	seen := map[figureAt]bool{}
	for _, r := range c.Instead {
		if !slices.Contains(t.columns(), r.Column) {
			errs.Report(at, problem.New("instead: table %s has no column %q", c.Of, r.Column).Mend("%s", remedy(r.Column, t.columns())))
		}
		if _, ok := l.Study(r.Study); !ok {
			errs.Report(at, problem.New("instead: there is no study %q", r.Study).Mend("%s", remedy(r.Study, l.StudyIDs())))
		}
		if seen[figureAt{r.Column, r.Row}] {
			errs.Report(at, problem.New("instead: %s in column %q is replaced twice", r.Row, r.Column).Mend("leave one of them"))
		}
		seen[figureAt{r.Column, r.Row}] = true
	}
}

// prepareReplacements finds levels and metrics that the studies of replacements do not have.
func (p *prepared) prepareReplacements(c *TableCheck, t *Table, metrics []string, errs *config.Error) {
	for _, r := range c.Instead {
		d := p.data[r.Study]
		if d == nil {
			continue // not run at this scale
		}
		axis, ok := d.axis(t.Axis)
		if !ok || !slices.Contains(axis.Levels, r.Row) {
			errs.Report(p.place, problem.New("instead: study %s has no %s %q", r.Study, t.Axis, r.Row).Mend("%s", remedy(r.Row, axis.Levels)))
		}
		errs.Append(labels(r.At, d, map[string][]string{}, false))
		for _, m := range metrics {
			errs.Append(p.checkMetric(&operand{study: r.Study, metric: m, at: p.place}))
		}
	}
}

package papers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/config"
	"weft/problem"
	"weft/study"
)

// preferredSample returns the sample of a cell at the preferred scale. It is nil if that scale lacks
// the cell, or some of its runs.
func (d *Data) preferredSample(cell int, metric string) (*Sample, error) {
	if d.preferred == nil || len(d.preferred.Axes) != len(d.Axes) {
		return nil, nil
	}
	i, ok := d.preferred.cell(d.labelsOf(cell))
	if !ok {
		return nil, nil
	}
	s, err := d.preferred.sample(i, metric)
	if err != nil || s.Missing > 0 {
		return nil, err
	}
	s.Preferred, s.Both = true, d.both(cell)
	return s, nil
}

// both tells whether the runs of a cell are the same at both scales.
func (d *Data) both(cell int) bool {
	hash := d.Cells[cell].Hash
	if hash == "" || d.preferred == nil || d.alone || len(d.preferred.Axes) != len(d.Axes) || !slices.Equal(d.Seeds, d.preferred.Seeds) {
		return false
	}
	i, ok := d.preferred.cell(d.labelsOf(cell))
	return ok && d.preferred.Cells[i].Hash == hash
}

// further lists the levels of an axis that the study has at the scale that is preferred
// only, unless some were chosen. Cells at them count where they were run.
func (d *Data) further(axis string, chosen map[string][]string) []string {
	if axis == "" || len(chosen[axis]) > 0 || d.preferred == nil || len(d.preferred.Axes) != len(d.Axes) {
		return nil
	}
	here, _ := d.axis(axis)
	there, ok := d.preferred.axis(axis)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(there.Levels), func(level string) bool { return slices.Contains(here.Levels, level) })
}

// CanPrefer tells why cells of a scale cannot count in the place of another's.
func (l *Ledger) CanPrefer(scale, to string) error {
	if scale == to || !slices.Contains(ScaleNames(), scale) {
		return problem.New("scale %q cannot be preferred to scale %s", scale, to).Mend("scales are %s", strings.Join(ScaleNames(), " and "))
	}
	if !l.Scales.Mixed {
		return fmt.Errorf("scale %s cannot be preferred: cells of both scales of %s cannot be compared with each other; if they could, its paper.yaml would have mixed: true under scales", scale, l.Name)
	}
	return nil
}

// prefer makes the cells of another scale count where they were run, except in checks that
// name their scale.
func (e *Evaluator) prefer(o Options, published *shelf) error {
	if err := e.CanPrefer(o.Prefer, o.Scale); err != nil {
		return err
	}
	o.Scale, o.Prefer = o.Prefer, ""
	other, err := e.newEvaluator(o, published)
	if err == nil {
		e.overlay(other)
	}
	return err
}

// overlay has the cells of other count where they were run.
func (e *Evaluator) overlay(other *Evaluator) {
	e.other = other
	plain := *e
	e.plain, e.data = &plain, map[string]*Data{}
	for id, d := range plain.data {
		if p := other.data[id]; p != nil {
			copied := *cmp.Or(d, p)
			copied.preferred, copied.alone = p, d == nil
			d = &copied
		}
		e.data[id] = d
	}
}

// with is the evaluator that has a study: of the scale that is preferred, if it is run at
// that one only.
func (e *Evaluator) with(id string) *Evaluator {
	if e.other != nil && e.Planned[id] == nil && e.Analyses[id] == nil {
		return e.other
	}
	return e
}

// evaluated finds what comes of a check. One that compares cells with each other takes all
// of them at one scale: at that which is preferred, if all were run there. Tables that are
// compared column by column do so for each column.
func (e *Evaluator) evaluated(ctx context.Context, c *Check, in surroundings, at config.Place) (*prepared, CheckResult, error) {
	p, err := e.prepare(c, in, at)
	if err != nil {
		return nil, CheckResult{}, err
	}
	r, err := p.evaluate(ctx)
	if err == nil && e.plain != nil && c.compares() && p.preferred > 0 && p.others > 0 {
		return e.plain.evaluated(ctx, c, in, at)
	}
	r.Preferred = p.preferred > 0
	return p, r, err
}

// count notes the scale of a number. A number that is the same at both scales is comparable with
// either.
func (p *prepared) count(preferred, both bool) {
	switch {
	case both:
	case preferred:
		p.preferred++
	default:
		p.others++
	}
}

// compares tells whether a check is of cells beside each other.
func (c *Check) compares() bool {
	return c.Table == nil && c.Value == nil && c.Theory == nil
}

// preference counts the runs of the preferred scale that have ended. It is nil if no scale is
// preferred.
func (e *Evaluator) preference() *Preference {
	if e.other == nil {
		return nil
	}
	p := &Preference{Scale: e.other.Scale}
	for id, plan := range e.other.Planned {
		opened := e.other.Opened[id]
		for _, r := range plan.Runs() {
			if e.has(id, plan.Cells[r.Cell].Hash) {
				continue // the same at both scales
			}
			p.Runs++
			if opened != nil {
				if _, ended := opened.Entry(opened.Plan.Of(r.Cell, []uint64{r.Seed})[0]); ended {
					p.Ended++
				}
			}
		}
	}
	return p
}

// has tells whether a study has a cell at the scale that is evaluated.
func (e *Evaluator) has(id, hash string) bool {
	p := e.Planned[id]
	return p != nil && slices.ContainsFunc(p.Cells, func(c study.PlannedCell) bool { return c.Hash == hash })
}

// Beside is a cell that was run at both scales.
type Beside struct {
	Study, Cell string
	// Ratios are, by metric, the numbers of the evaluated scale over the numbers of the preferred
	// scale. They are NaN where a number is missing.
	Ratios []float64
}

// Beside compares the cells that were run at both scales, in the order of studies and cells.
// Those that are the same at both are left out.
func (e *Evaluator) Beside(metrics []string) ([]Beside, error) {
	if e.other == nil {
		return nil, nil
	}
	var list []Beside
	seen := map[string]bool{} // studies share cells
	for i := range e.Studies {
		id := e.Studies[i].ID
		here, there := e.plain.data[id], e.other.data[id]
		if here == nil || there == nil || e.Planned[id] == nil {
			continue
		}
		for j, c := range here.Cells {
			k, ok := there.cell(here.labelsOf(j))
			if !ok || len(here.Axes) != len(there.Axes) || c.Hash == there.Cells[k].Hash || seen[c.Hash] {
				continue
			}
			b := Beside{Study: id, Cell: c.Name}
			whole := true
			for _, metric := range metrics {
				x, err := here.sample(j, metric)
				if err != nil {
					return nil, err
				}
				y, err := there.sample(k, metric)
				if err != nil {
					return nil, err
				}
				whole = whole && x.Missing == 0 && y.Missing == 0
				b.Ratios = append(b.Ratios, numberOf(x).estimate.Mean/numberOf(y).estimate.Mean)
			}
			if whole {
				seen[c.Hash] = true
				list = append(list, b)
			}
		}
	}
	return list, nil
}

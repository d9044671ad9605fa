package papers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/config"
	"weft/record"
	"weft/study"
)

// Derived is the numbers that a figure shows.
type Derived struct {
	*study.Table
	// Metric is the one that the table has, or whose ratio, and Short the table's title of it
	// without what a slowdown is over.
	Metric Metric
	Short  string
	// Of says of the table's cells, by their places, what their runs are.
	Of []DerivedFrom
	// Over are the cells that others are divided by and that are none of the table's.
	Over []DerivedOver
}

// DerivedOver is what is to be said of the runs that others are divided by.
type DerivedOver struct {
	Levels     []string // what they are compared by, and where more than one is drawn
	Unfinished float64  // as in DerivedFrom
}

// DerivedFrom is what is to be said of the runs of a number.
type DerivedFrom struct {
	// Preferred tells that they are of the scale that is preferred, Other that they are of
	// the scale that is evaluated, and neither that they are the same at both, or that there
	// are none.
	Preferred, Other bool
	// Unfinished is which share of the messages that it is of did not finish, from 0 to 1.
	Unfinished float64
}

// Derive returns the numbers that a figure of bars or lines shows: the study's table
// with one metric, at the levels that are drawn, or its ratio to one of them.
func (e *Evaluator) Derive(s *Study, d *Draw) (*Derived, error) {
	data := e.data[s.ID]
	if data == nil {
		return nil, fmt.Errorf("study %s is not run at scale %s", s.ID, e.Scale)
	}
	run := e.with(s.ID)
	if a := run.Analyzed[s.ID]; a != nil && a.Missing() > 0 {
		return nil, fmt.Errorf("study %s is not complete", s.ID)
	}
	if run.Opened[s.ID] == nil && run.Analyzed[s.ID] == nil {
		return nil, fmt.Errorf("study %s has not been run", s.ID)
	}
	at, over := map[string][]string{}, map[string][]string{}
	if err := labels(d.At, data, at, false); err != nil {
		return nil, err
	}
	if err := labels(d.Over, data, over, false); err != nil {
		return nil, err
	}
	v := derivation{data: data, draw: d, over: map[string]string{}}
	for axis, list := range over {
		if len(list) != 1 {
			return nil, config.Problemf(d.Over.Place, "over names one level of an axis, as in {variant: ARCANE}")
		}
		v.over[axis] = list[0]
	}
	t := v.empty(s)
	v.from = make([][]int, len(data.Axes))
	for i, a := range data.Axes {
		out := study.Axis{Name: a.Name, Path: a.Path, Unit: a.Unit}
		for j, label := range a.Levels {
			if list := at[a.Name]; len(list) > 0 && !slices.Contains(list, label) {
				continue
			}
			// What all is compared with shows as a line.
			if v.over[a.Name] == label {
				continue
			}
			v.from[i] = append(v.from[i], j)
			out.Levels = append(out.Levels, label)
			if a.Numbers != nil {
				out.Numbers = append(out.Numbers, a.Numbers[j])
			}
		}
		t.Axes = append(t.Axes, out)
	}
	if err := v.cells(t); err != nil {
		return nil, err
	}
	if e.plain == nil || data.alone {
		return t, nil
	}
	// A figure compares all that it shows: what differs between scales would look like what
	// differs between what was run.
	if slices.ContainsFunc(t.Of, func(of DerivedFrom) bool { return of.Other }) {
		return e.plain.Derive(s, d)
	}
	return t, nil
}

// derivation fills in a derived table.
type derivation struct {
	data *Data
	draw *Draw
	over map[string]string
	// from maps the levels of the table to levels of the data, one list per axis.
	from [][]int
}

// empty returns the table without cells.
func (v *derivation) empty(s *Study) *Derived {
	name := v.draw.Metric
	m := s.metric(name)
	c := study.Column{Name: name, Title: m.FullTitle(), Unit: v.data.unit(name), LowerIsBetter: lowerIsBetter(name), Basis: m.Basis}
	short := m.Title
	if len(v.over) > 0 {
		over := fmt.Sprintf(" over %s's", v.against())
		c.Title, short, c.Unit = c.Title+over, short+over, ""
	}
	return &Derived{Table: &study.Table{Name: s.ID, Metrics: []study.Column{c}}, Metric: m, Short: short}
}

// against names the levels that all is compared with.
func (v *derivation) against() string {
	var words []string
	for _, a := range v.data.Axes {
		if l := v.over[a.Name]; l != "" {
			words = append(words, l)
		}
	}
	return strings.Join(words, ", ")
}

// cells fills in the cells of a table.
func (v *derivation) cells(t *Derived) error {
	type entry struct {
		cell study.Cell
		of   DerivedFrom
		n    number
	}
	var list []entry
	var references []int
	for i, c := range v.data.Cells {
		levels := make([]int, len(c.Levels))
		for a, j := range c.Levels {
			levels[a] = slices.Index(v.from[a], j)
		}
		if slices.Contains(levels, -1) {
			continue
		}
		over := v.divisor(i)
		n, s, err := v.number(i, over)
		if err != nil && v.data.known != nil {
			// Not every row of an analysis has every number.
			n, s, over, err = number{}, new(Sample), -1, nil
		}
		if err != nil {
			return err
		}
		of, err := v.scales(s, over, DerivedFrom{Unfinished: s.Share})
		if err != nil {
			return err
		}
		list = append(list, entry{study.Cell{
			Name: c.Name, Levels: levels, Runs: len(v.data.Seeds), Failed: s.Failed, Done: len(v.data.Seeds) - s.Missing - s.Failed,
		}, of, n})
		if over >= 0 && !slices.Contains(references, over) {
			references = append(references, over)
		}
	}
	for _, i := range references {
		s, err := v.data.sample(i, v.draw.Metric)
		if err != nil {
			return err
		}
		o := DerivedOver{Unfinished: s.Share}
		for a, axis := range v.data.Axes {
			if v.over[axis.Name] != "" || len(t.Axes[a].Levels) > 1 {
				o.Levels = append(o.Levels, axis.Levels[v.data.Cells[i].Levels[a]])
			}
		}
		t.Over = append(t.Over, o)
	}
	for _, x := range list {
		n := x.n
		if n.model && n.estimate.Low == n.estimate.High {
			n.estimate.N = 1 // exact: there is no whisker to show
		}
		x.cell.Estimates = []study.Estimate{n.estimate}
		t.Cells, t.Of = append(t.Cells, x.cell), append(t.Of, x.of)
	}
	return nil
}

// scales adds the scales of a cell's sample and of the cell that it is divided by, which is -1 if
// there is none.
func (v *derivation) scales(s *Sample, over int, of DerivedFrom) (DerivedFrom, error) {
	of.Preferred, of.Other = v.data.scale(s)
	if over < 0 {
		return of, nil
	}
	o, err := v.data.sample(over, v.draw.Metric)
	if err != nil {
		return of, err
	}
	preferred, other := v.data.scale(o)
	of.Preferred, of.Other = of.Preferred || preferred, of.Other || other
	return of, nil
}

// scale returns the scale of a sample. Both results are false if the sample is the same at both
// scales, or if nothing was run.
func (d *Data) scale(s *Sample) (preferred, other bool) {
	if s.Both || s.Known == nil && s.Missing == len(s.Seeds) {
		return false, false
	}
	preferred = s.Preferred || d.alone
	return preferred, !preferred
}

// divisor is the cell that another is divided by, -1 if there is none.
func (v *derivation) divisor(cell int) int {
	if len(v.over) == 0 {
		return -1
	}
	at := v.data.labelsOf(cell)
	maps.Copy(at, v.over)
	if other, ok := v.data.cell(at); ok {
		return other
	}
	return -1
}

// number is what a cell shows, and the sample of its own.
func (v *derivation) number(cell, divisor int) (number, *Sample, error) {
	s, err := v.data.sample(cell, v.draw.Metric)
	switch {
	case err != nil || len(v.over) == 0:
		return numberOf(cmp.Or(s, new(Sample))), s, err
	case divisor < 0:
		return numberOf(new(Sample)), s, nil
	}
	o, err := v.data.sample(divisor, v.draw.Metric)
	if err != nil {
		return number{}, nil, err
	}
	return numberOf(s).over(numberOf(o)), s, nil
}

// NumbersOnlyError reports that a figure shows runs over time, but that only numbers of these runs
// are published.
type NumbersOnlyError struct {
	Study, Figure, Scale string
	Seed                 uint64 // of the runs that the figure shows
}

func (e *NumbersOnlyError) Error() string {
	return fmt.Sprintf("figure %s shows runs of study %s over time, and only their numbers are published; make the runs: %s", e.Figure, e.Study, e.Command("…"))
}

// Command is what makes the runs of a ledger that commands call by this name.
func (e *NumbersOnlyError) Command(ledger string) string {
	return fmt.Sprintf("weft papers run %s %s --scale %s --where seed=%d", ledger, e.Study, e.Scale, e.Seed)
}

// Results returns the results that a figure of runs shows: one for each cell at the
// levels that are drawn, named by what they differ in. Cells without a whole result
// are left out. It is a NumbersOnlyError if the runs have to be made first.
func (e *Evaluator) Results(s *Study, d *Draw) (names []string, results []*record.Result, err error) {
	opened := e.with(s.ID).Opened[s.ID]
	if opened == nil {
		return nil, nil, fmt.Errorf("study %s has not been run", s.ID)
	}
	runs, all, err := e.drawn(s, d, opened.Plan)
	if err != nil {
		return nil, nil, err
	}
	for i, r := range runs {
		if status, _ := e.data[s.ID].status(r.Cell, r.Seed); status != study.Done {
			continue
		}
		if adopted(opened, r) {
			return nil, nil, &NumbersOnlyError{s.ID, d.Name, e.with(s.ID).Scale, r.Seed}
		}
		result, err := opened.Result(r)
		if err != nil {
			return nil, nil, err
		}
		names, results = append(names, all[i]), append(results, result)
	}
	if len(results) == 0 {
		return nil, nil, fmt.Errorf("study %s has no complete result to draw", s.ID)
	}
	return names, results, nil
}

// ResultsFrom returns the scale of the runs that Results returns.
func (e *Evaluator) ResultsFrom(s *Study, d *Draw) (DerivedFrom, error) {
	run := e.with(s.ID)
	if run != e {
		return DerivedFrom{Preferred: true}, nil
	}
	opened := run.Opened[s.ID]
	if opened == nil {
		return DerivedFrom{}, fmt.Errorf("study %s has not been run", s.ID)
	}
	runs, _, err := e.drawn(s, d, opened.Plan)
	differ := slices.ContainsFunc(runs, func(r study.Run) bool { return !e.data[s.ID].both(r.Cell) })
	return DerivedFrom{Other: differ}, err
}

// drawn lists the runs of a plan that a figure of runs shows, and their names.
func (e *Evaluator) drawn(s *Study, d *Draw, plan *study.Plan) (runs []study.Run, names []string, err error) {
	data := e.data[s.ID]
	at := map[string][]string{}
	if err := labels(d.At, data, at, false); err != nil {
		return nil, nil, err
	}
	for i, c := range data.Cells {
		drawn := true
		var words []string
		for a, axis := range data.Axes {
			label := axis.Levels[c.Levels[a]]
			list := at[axis.Name]
			drawn = drawn && (len(list) == 0 || slices.Contains(list, label))
			if len(list) != 1 && len(axis.Levels) > 1 {
				words = append(words, label)
			}
		}
		if drawn {
			runs, names = append(runs, plan.Of(i, []uint64{data.Seeds[0]})[0]), append(names, cmp.Or(strings.Join(words, ", "), c.Name))
		}
	}
	return runs, names, nil
}

// AxisName is the name of an axis of a study that is called by its name or path.
func (e *Evaluator) AxisName(s *Study, name string) string {
	if d := e.data[s.ID]; d != nil {
		if a, ok := d.axis(name); ok {
			return a.Name
		}
	}
	return name
}

package papers

import (
	"fmt"
	"slices"

	"weft/config"
	"weft/study"
)

// This file finds the numbers of one cell of a table.

// tabled finds ours.
func (e *Evaluator) tabled(t *Table, v tabulation, row, column string) (Tabled, error) {
	id, own, replaced := v.source(t, row, column)
	d := e.data[id]
	missing := func(format string, args ...any) (Tabled, error) {
		return Tabled{Missing: fmt.Sprintf(format, args...)}, nil
	}
	if d == nil {
		return missing("study %s is not run at scale %s", id, e.Scale)
	}
	axis, ok := d.axis(t.Axis)
	if !ok || !slices.Contains(axis.Levels, row) {
		return Tabled{Missing: fmt.Sprintf("%s is not in study %s", row, id), absent: true}, nil
	}
	of, err := choices(d, append([]*config.Node{t.At}, v.at...), own, replaced)
	if err != nil {
		return Tabled{}, err
	}
	of[axis.Name] = []string{row}
	along, steps, err := steps(t, d, id, of, replaced)
	if err != nil {
		return Tabled{}, err
	}
	var c Tabled
	for _, step := range append(steps, d.further(along, of)...) {
		levels, err := levelsAt(t, d, of, along, step)
		if err != nil {
			return Tabled{}, err
		}
		// What only the preferred scale has is taken if it is there.
		d, extra := d, !slices.Contains(steps, step)
		if extra {
			d = d.preferred
		}
		i, ok := d.cell(levels)
		if !ok && !extra {
			return missing("study %s leaves %s out", id, row)
		}
		if !ok {
			continue
		}
		s, err := d.sample(i, v.metric)
		switch {
		case err != nil:
			return Tabled{}, err
		case s.Missing > 0 && extra:
			continue
		case s.Missing > 0:
			return missing("%s", s.incomplete(id, v.metric))
		}
		s.Preferred = s.Preferred || extra || replaced && d.preferred == nil
		if err := c.take(t, v, d, i, s); err != nil {
			return Tabled{}, err
		}
	}
	return c, nil
}

// choices returns the labels of a cell by axis, as the nodes of a table or a claim and the cell's
// own node give them. For a replaced cell, axes of at that its study does not have are left out.
func choices(d *Data, at []*config.Node, own *config.Node, replaced bool) (map[string][]string, error) {
	of := map[string][]string{}
	for _, n := range at {
		if err := labels(n, d, of, replaced); err != nil {
			return nil, err
		}
	}
	return of, labels(own, d, of, false)
}

// steps is the axis along which a table takes the largest or smallest, and its levels;
// one level without a name if there is none.
func steps(t *Table, d *Data, id string, of map[string][]string, replaced bool) (string, []string, error) {
	if t.Along == "" {
		return "", []string{""}, nil
	}
	a, ok := d.axis(t.Along)
	switch {
	case !ok && !replaced:
		return "", nil, fmt.Errorf("study %s has no axis %q to lead along", id, t.Along)
	case !ok:
		return "", []string{""}, nil
	case len(of[a.Name]) > 0:
		return a.Name, of[a.Name], nil
	}
	return a.Name, a.Levels, nil
}

// levelsAt is one level of each axis, at a step along one of them.
func levelsAt(t *Table, d *Data, of map[string][]string, along, step string) (map[string]string, error) {
	levels := map[string]string{}
	for _, a := range d.Axes {
		switch list := of[a.Name]; {
		case a.Name == along:
			levels[a.Name] = step
		case len(list) == 1:
			levels[a.Name] = list[0]
		case len(a.Levels) == 1:
			levels[a.Name] = a.Levels[0]
		default:
			return nil, fmt.Errorf("table %s does not set the level of %q for its numbers", t.ID, a.Name)
		}
	}
	return levels, nil
}

// take takes the number of one step if it is the largest so far, or the smallest, and
// notes whether the step is unstable.
func (c *Tabled) take(t *Table, v tabulation, d *Data, i int, s *Sample) error {
	unstable, err := t.Unstable.says(d, i)
	if err != nil {
		return err
	}
	c.Unstable = c.Unstable || unstable
	unit := t.Unit
	if v.metric != t.Metric {
		unit = ""
	}
	n := numberOf(s).scaled(1/t.Per, unit)
	if n.estimate.N > 0 && (c.number.estimate.N == 0 || (n.estimate.Mean > c.number.estimate.Mean) == (t.Take == "largest")) {
		c.number, c.Preferred, c.Both = n, s.Preferred, s.Both
	}
	return nil
}

// says reports whether a cell of a study is unstable: the metric is above its bound and the size, if
// any, is at least the least one, or all runs got stuck.
func (u *Instability) says(d *Data, cell int) (bool, error) {
	for i, metric := range u.metrics() {
		s, err := d.sample(cell, metric)
		if err != nil {
			return false, err
		}
		e := s.Estimate()
		if e.N == 0 && s.Failed > 0 {
			break // what got stuck does not carry its load
		}
		if e.N == 0 || i == 0 && e.Mean <= u.Above || i > 0 && e.Mean < u.Least {
			return false, nil
		}
	}
	return u != nil, nil
}

// scaled is the number times a factor, in another unit.
func (a number) scaled(by float64, unit string) number {
	a.unit = unit
	a.values = slices.Clone(a.values)
	for i := range a.values {
		a.values[i] *= by
	}
	e := &a.estimate
	if !a.model {
		*e = study.NewEstimate(a.values)
		return a
	}
	e.Mean, e.Low, e.High, e.Min, e.Max = e.Mean*by, e.Low*by, e.High*by, e.Min*by, e.Max*by
	return a
}

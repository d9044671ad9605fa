package papers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/config"
	"weft/study"
)

// Tabled is a cell of a table: ours beside the paper's.
type Tabled struct {
	// Missing says why there is nothing of ours, empty if there is.
	Missing string
	// Unstable tells that ours is; Text is it for people, empty if it is missing.
	Unstable bool
	Text     string
	// Paper is the paper's, nil if it has none.
	Paper *Figure

	number number
}

// Tabulated is a table with its numbers, by row and column.
type Tabulated struct {
	Columns, Rows []string
	Cells         [][]Tabled
}

// cell returns a cell by names, nil if the table has no such row.
func (t *Tabulated) cell(row, column string) *Tabled {
	i, j := slices.Index(t.Rows, row), slices.Index(t.Columns, column)
	if i < 0 || j < 0 {
		return nil
	}
	return &t.Cells[i][j]
}

// Tabulate fills in a table. Rows are the levels of its axis that any of its studies
// has, and those that the paper has beside them.
func (e *Evaluator) Tabulate(t *Table) (*Tabulated, error) { return e.tabulate(t, t.Metric, nil) }

func (e *Evaluator) tabulate(t *Table, metric string, at []*config.Node) (*Tabulated, error) {
	published, err := e.published(t)
	if err != nil {
		return nil, err
	}
	out := &Tabulated{Columns: t.columns()}
	own := 0
	for _, column := range out.Columns {
		if d := e.data[t.study(column)]; d != nil {
			axis, ok := d.axis(t.Axis)
			if !ok {
				return nil, fmt.Errorf("study %s has no axis %q, of which the rows of table %s are", t.study(column), t.Axis, t.ID)
			}
			for _, level := range axis.Levels {
				if !slices.Contains(out.Rows, level) {
					out.Rows = append(out.Rows, level)
				}
			}
		}
	}
	own = len(out.Rows)
	for p := range published {
		if !slices.Contains(out.Rows, p.row) {
			out.Rows = append(out.Rows, p.row)
		}
	}
	slices.Sort(out.Rows[own:])
	out.Cells = make([][]Tabled, len(out.Rows))
	for i, row := range out.Rows {
		for _, column := range out.Columns {
			c, err := e.tabled(t, metric, at, row, column)
			if err != nil {
				return nil, err
			}
			if p, ok := published[figureAt{column, row}]; ok {
				c.Paper = &p
			}
			out.Cells[i] = append(out.Cells[i], c)
		}
	}
	if t.Best {
		out.needBest(t.Higher)
		out.normalize(t.Higher)
	}
	for i := range out.Cells {
		for j := range out.Cells[i] {
			out.Cells[i][j].describe()
		}
	}
	return out, nil
}

func (c *Tabled) describe() {
	switch {
	case c.Missing != "":
	case c.Unstable:
		c.Text = "unstable"
	case c.number.estimate.N == 0:
		c.Text = "none"
	default:
		c.Text = short(c.number.estimate.Mean)
	}
}

// short writes a number of a table with three digits.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// needBest takes a column for missing whose best row, by the paper, is: what is left
// would be divided by another.
func (t *Tabulated) needBest(higher bool) {
	for j := range t.Columns {
		best := -1
		for i := range t.Rows {
			p := t.Cells[i][j].Paper
			if p != nil && !p.Unstable && (best < 0 || (p.Value > t.Cells[best][j].Paper.Value) == higher) {
				best = i
			}
		}
		if best < 0 || t.Cells[best][j].Missing == "" {
			continue
		}
		for i := range t.Rows {
			if c := &t.Cells[i][j]; c.Missing == "" {
				c.Missing = t.Cells[best][j].Missing
			}
		}
	}
}

// normalize divides each number by the best stable one of its column.
func (t *Tabulated) normalize(higher bool) {
	for j := range t.Columns {
		best := number{}
		for i := range t.Rows {
			c := &t.Cells[i][j]
			if !c.stable() {
				continue
			}
			if m := c.number.estimate.Mean; best.estimate.N == 0 || (m > best.estimate.Mean) == higher {
				best = c.number
			}
		}
		for i := range t.Rows {
			if c := &t.Cells[i][j]; c.stable() && best.estimate.N > 0 {
				c.number = c.number.over(best)
			}
		}
	}
}

// stable tells whether ours has a number.
func (c *Tabled) stable() bool { return c.Missing == "" && !c.Unstable && c.number.estimate.N > 0 }

// tabled finds ours.
func (e *Evaluator) tabled(t *Table, metric string, at []*config.Node, row, column string) (Tabled, error) {
	id := t.study(column)
	d := e.data[id]
	missing := func(format string, args ...any) (Tabled, error) {
		return Tabled{Missing: fmt.Sprintf(format, args...)}, nil
	}
	if d == nil {
		return missing("study %s is not run at scale %s", id, e.Scale)
	}
	axis, ok := d.axis(t.Axis)
	if !ok || !slices.Contains(axis.Levels, row) {
		return missing("%s is not in study %s", row, id)
	}
	of := map[string][]string{}
	for _, n := range append([]*config.Node{t.At}, at...) {
		if err := labels(n, d, of, false); err != nil {
			return Tabled{}, err
		}
	}
	of[axis.Name] = []string{row}
	steps := []string{""}
	along := ""
	if t.Along != "" {
		a, ok := d.axis(t.Along)
		if !ok {
			return Tabled{}, fmt.Errorf("study %s has no axis %q to lead along", id, t.Along)
		}
		if along, steps = a.Name, a.Levels; len(of[along]) > 0 {
			steps = of[along]
		}
	}
	var c Tabled
	for _, step := range steps {
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
				return Tabled{}, fmt.Errorf("table %s does not say which level of %q its numbers are at", t.ID, a.Name)
			}
		}
		i, ok := d.cell(levels)
		if !ok {
			return missing("study %s leaves %s out", id, row)
		}
		s, err := d.sample(i, metric)
		if err != nil {
			return Tabled{}, err
		}
		if s.Missing > 0 {
			return missing("study %s is not complete", id)
		}
		n := numberOf(s).scaled(1 / t.Per)
		if t.Unstable != nil {
			u, err := d.sample(i, t.Unstable.Metric)
			if err != nil {
				return Tabled{}, err
			}
			est := u.Estimate()
			c.Unstable = c.Unstable || est.N > 0 && est.Mean > t.Unstable.Above
		}
		if n.estimate.N > 0 && (c.number.estimate.N == 0 || (n.estimate.Mean > c.number.estimate.Mean) == (t.Take == "largest")) {
			c.number = n
		}
	}
	return c, nil
}

// scaled is the number times a factor, without its unit.
func (a number) scaled(by float64) number {
	a.unit = ""
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

// prepareTable finds levels and metrics that the studies of a table do not have.
func (p *prepared) prepareTable(in surroundings) error {
	t, _ := p.TableNamed(p.check.Table.Of)
	for _, l := range in.layers {
		p.around = append(p.around, l.at)
	}
	p.around = append(p.around, p.check.At)
	metrics := []string{cmp.Or(p.check.Table.Metric, t.Metric)}
	if t.Unstable != nil {
		metrics = append(metrics, t.Unstable.Metric)
	}
	errs := new(config.Error)
	for _, f := range t.Of.Fields {
		d := p.data[f.Value.Text]
		if d == nil {
			continue // not run at this scale
		}
		for _, n := range append([]*config.Node{t.At}, p.around...) {
			errs.Append(labels(n, d, map[string][]string{}, false))
		}
		for _, m := range metrics {
			errs.Append(p.checkMetric(&operand{study: f.Value.Text, metric: m, at: p.place}))
		}
	}
	return errs.Err()
}

// table evaluates a check of a table.
func (p *prepared) table(r *CheckResult) error {
	c := p.check.Table
	t, _ := p.TableNamed(c.Of)
	metric := t.Metric
	if c.Metric != "" {
		metric = c.Metric
	}
	all, err := p.tabulate(t, metric, p.around)
	if err != nil {
		return config.Problemf(p.place, "table %s: %v", c.Of, err)
	}
	v := tableView{check: c, table: t, all: all, columns: c.Cells, rows: c.Rows}
	if len(v.columns) == 0 {
		v.columns = all.Columns
	}
	if len(v.rows) == 0 {
		for i, row := range all.Rows {
			if slices.ContainsFunc(all.Cells[i], func(c Tabled) bool { return !strings.HasPrefix(c.Missing, row+" is not in study") }) {
				v.rows = append(v.rows, row)
			}
		}
	}
	for _, row := range append(slices.Clone(v.rows), c.Over...) {
		for _, column := range v.columns {
			switch cell := all.cell(row, column); {
			case cell == nil:
				r.Missing = fmt.Sprintf("%s is not in study %s", row, t.study(column))
			case cell.Missing != "":
				r.Missing = cell.Missing
			default:
				continue
			}
			return nil
		}
	}
	v.evaluate(r)
	return nil
}

// tableView is the part of a table that a check is of.
type tableView struct {
	check         *TableCheck
	table         *Table
	all           *Tabulated
	columns, rows []string
}

func (v *tableView) evaluate(r *CheckResult) {
	switch v.check.Compare {
	case "ratio":
		v.ratio(r)
	case "order":
		v.order(r)
	case "unstable", "stable":
		v.stability(r)
	default:
		v.numbers(r)
	}
}

// model is a number that is no mean over seeds.
func computedNumber(v float64, unit string, ratio bool) number {
	return number{unit: unit, ratio: ratio, model: true, estimate: study.Estimate{N: 1, Mean: v, Low: v, High: v, Min: v, Max: v}}
}

// numbers compares cell by cell. Where one side is unstable it is taken for endlessly
// large; where both are, or the paper is, there is nothing to compare.
func (v *tableView) numbers(r *CheckResult) {
	type point struct {
		at    string
		value float64
		n     number
	}
	var list []point
	add := func(at string, value float64, n number) { list = append(list, point{at, value, n}) }
	for _, row := range v.rows {
		for _, column := range v.columns {
			cell := v.all.cell(row, column)
			at := row + " " + column
			switch v.check.Compare {
			case "value":
				add(at, cell.size(), cell.number)
			case "each":
				for _, over := range v.check.Over {
					under := v.all.cell(over, column)
					if cell.stable() && under.stable() {
						n := cell.number.over(under.number)
						add(column+": "+row+" / "+over, n.estimate.Mean, n)
					} else if cell.stable() || under.stable() {
						add(column+": "+row+" / "+over, cell.size()/under.size(), number{ratio: true})
					}
				}
			default:
				if cell.Paper == nil || cell.Paper.Unstable {
					continue
				}
				ratio := cell.size() / cell.Paper.Value
				if v.check.Compare == "factor" {
					ratio = max(ratio, 1/ratio)
					add(at, ratio, computedNumber(ratio, "", true))
					continue
				}
				off := 100 * math.Abs(ratio-1)
				add(at, off, computedNumber(off, "%", false))
			}
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b point) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	bound := &v.check.Bound
	judge := func(at string, value float64, n number) {
		if math.IsInf(value, 0) || value == 0 || math.IsNaN(value) {
			met := math.IsInf(value, 1) && bound.AtLeast != nil && bound.AtMost == nil && bound.About == nil ||
				value == 0 && bound.AtMost != nil && bound.AtLeast == nil && bound.About == nil
			p := PointResult{At: at, Met: met, Measured: "unstable"}
			if !met {
				p.Reason = "one of them is unstable"
			}
			r.Points = append(r.Points, p)
			return
		}
		ok, why := bound.met(n)
		r.Points = append(r.Points, pointOf(at, n, ok, why))
	}
	last := list[len(list)-1]
	switch v.check.Take {
	case "largest":
		judge(last.at, last.value, last.n)
	case "smallest":
		judge(list[0].at, list[0].value, list[0].n)
	case "median":
		a, b := list[(len(list)-1)/2], list[len(list)/2]
		n := b.n
		if a.at != b.at {
			n = computedNumber((a.value+b.value)/2, b.n.unit, b.n.ratio)
		}
		judge(fmt.Sprintf("median of %d, most %s of %s", len(list), quantity(last.value, last.n.unit, last.n.ratio), last.at), (a.value+b.value)/2, n)
	case "mean":
		sum := 0.0
		for _, p := range list {
			sum += p.value
		}
		judge(fmt.Sprintf("mean of %d", len(list)), sum/float64(len(list)), computedNumber(sum/float64(len(list)), last.n.unit, last.n.ratio))
	default:
		for _, p := range list {
			judge(p.at, p.value, p.n)
		}
	}
}

// size is the number, endlessly large if it is unstable.
func (c *Tabled) size() float64 {
	if !c.stable() {
		return math.Inf(1)
	}
	return c.number.estimate.Mean
}

// ratio compares means over columns of numbers that are divided by the best of their
// column, as the paper does; each mean is over the columns in which its row is stable.
func (v *tableView) ratio(r *CheckResult) {
	v.all.normalize(v.table.Higher)
	mean := func(rows []string) (float64, int) {
		sum, n := 0.0, 0
		for _, row := range rows {
			for _, column := range v.columns {
				if c := v.all.cell(row, column); c.stable() {
					sum, n = sum+c.number.estimate.Mean, n+1
				}
			}
		}
		return sum / float64(n), n
	}
	a, n := mean(v.rows)
	b, m := mean(v.check.Over)
	q := computedNumber(a/b, "", true)
	at := fmt.Sprintf("%s over %d columns / %s over %d", strings.Join(v.rows, ", "), n, strings.Join(v.check.Over, ", "), m)
	if n == 0 || m == 0 {
		r.Points = append(r.Points, PointResult{At: at, Measured: "none", Reason: "one of them is stable nowhere"})
		return
	}
	ok, why := v.check.met(q)
	r.Points = append(r.Points, pointOf(at, q, ok, why))
}

// order counts the pairs of a column that the paper has apart, and those of them that
// are in its order here: by means, and with several seeds by intervals that are apart.
func (v *tableView) order(r *CheckResult) {
	right, all := 0, 0
	var wrong []string
	for _, column := range v.columns {
		for i, row := range v.rows {
			for _, other := range v.rows[i+1:] {
				a, b := v.all.cell(row, column), v.all.cell(other, column)
				if a.Paper == nil || b.Paper == nil {
					continue
				}
				x, y := a.Paper.size(), b.Paper.size()
				if x > y {
					a, b, x, y = b, a, y, x
				}
				if math.IsInf(x, 1) || y <= x*v.check.Apart {
					continue
				}
				all++
				if a.below(b) {
					right++
					continue
				}
				name, than := row, other
				if a == v.all.cell(other, column) {
					name, than = other, row
				}
				wrong = append(wrong, fmt.Sprintf("%s: %s %s not below %s %s", column, name, a.Text, than, b.Text))
			}
		}
	}
	v.share(r, right, all, "pairs", wrong)
}

// size is the paper's number, endlessly large if it is unstable.
func (f *Figure) size() float64 {
	if f.Unstable {
		return math.Inf(1)
	}
	return f.Value
}

func (c *Tabled) below(other *Tabled) bool {
	a, b := c.number.estimate, other.number.estimate
	if c.stable() && other.stable() && a.N > 1 && b.N > 1 {
		return a.High < b.Low
	}
	return c.size() < other.size()
}

// stability counts cells that are as stable as in the paper.
func (v *tableView) stability(r *CheckResult) {
	want := v.check.Compare == "unstable"
	right, all := 0, 0
	var wrong []string
	for _, row := range v.rows {
		for _, column := range v.columns {
			c := v.all.cell(row, column)
			if c.Paper == nil || c.Paper.Unstable != want {
				continue
			}
			all++
			if c.Unstable == want {
				right++
			} else {
				wrong = append(wrong, fmt.Sprintf("%s %s: %s", row, column, c.Text))
			}
		}
	}
	v.share(r, right, all, "cells", wrong)
}

// share demands a bound of a share in per cent, and tells what is not of it.
func (v *tableView) share(r *CheckResult, right, all int, what string, wrong []string) {
	if all == 0 {
		return
	}
	n := computedNumber(100*float64(right)/float64(all), "%", false)
	ok, why := v.check.met(n)
	p := pointOf(fmt.Sprintf("%d of %d %s", right, all, what), n, ok, why)
	const shown = 8
	if len(wrong) > shown {
		wrong = append(wrong[:shown], fmt.Sprintf("and %d more", len(wrong)-shown))
	}
	if !ok {
		p.Reason = strings.Join(append([]string{why}, wrong...), "; ")
	}
	r.Points = append(r.Points, p)
}

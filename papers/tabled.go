package papers

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/internal/stats"
)

// Tabled is a cell of a table: ours beside the paper's.
type Tabled struct {
	// Missing says why there is nothing of ours, empty if there is.
	Missing string
	// Unstable tells that ours is; Text is it for people, empty if it is missing.
	Unstable bool
	Text     string
	// Preferred tells that ours is of the scale that is preferred, Both that it is the same
	// at both, and Mixed that cells of the one and of the other are summed up in it.
	Preferred, Both, Mixed bool
	// Paper is the paper's number, nil if the paper gives none.
	Paper *Figure

	number number
	// absent tells that the study has no such row, and so never will have the number.
	absent bool
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
func (e *Evaluator) Tabulate(t *Table) (*Tabulated, error) {
	return e.tabulate(t, tabulation{metric: t.Metric})
}

func (e *Evaluator) tabulate(t *Table, v tabulation) (*Tabulated, error) {
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
				return nil, fmt.Errorf("study %s has no axis %q, the axis of the rows of table %s", t.study(column), t.Axis, t.ID)
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
			c, err := e.tabled(t, v, row, column)
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
		if err := e.normalize(out, t, v); err != nil {
			return nil, err
		}
	}
	out.addSums(t, published)
	for i := range out.Cells {
		for j := range out.Cells[i] {
			out.Cells[i][j].describe()
		}
	}
	return out, nil
}

// addSums adds the columns with means and ranges of rows.
func (t *Tabulated) addSums(of *Table, published map[figureAt]Figure) {
	columns := len(t.Columns)
	for _, sum := range []struct {
		key  string
		take func([]float64) float64
	}{
		{of.Mean, mean},
		{of.Range, func(v []float64) float64 { return slices.Max(v) - slices.Min(v) }},
	} {
		if sum.key == "" {
			continue
		}
		t.Columns = append(t.Columns, sum.key)
		for i, row := range t.Rows {
			c := Tabled{Unstable: true}
			numbers, _ := t.Stable(i, columns, false)
			if len(numbers) > 0 {
				c = Tabled{number: computedNumber(sum.take(numbers), of.Unit, of.Best)}
			}
			others := false
			for _, part := range t.Cells[i][:columns] {
				c.Missing = cmp.Or(c.Missing, part.Missing)
				if part.stable() && !part.Both {
					c.Preferred, others = c.Preferred || part.Preferred, others || !part.Preferred
				}
			}
			c.Mixed = c.Preferred && others
			if p, ok := published[figureAt{sum.key, row}]; ok {
				c.Paper = &p
			}
			t.Cells[i] = append(t.Cells[i], c)
		}
	}
}

func mean(v []float64) float64 { return stats.Mean(v) }

// Stable returns ours of the first columns of a row, or the paper's, that are stable, and
// how many are not; what is missing is neither.
func (t *Tabulated) Stable(row, columns int, paper bool) (numbers []float64, unstable int) {
	for _, c := range t.Cells[row][:columns] {
		switch {
		case paper && c.Paper == nil, !paper && c.Missing != "":
		case paper && c.Paper.Unstable, !paper && !c.stable():
			unstable++
		case paper:
			numbers = append(numbers, c.Paper.Value)
		default:
			numbers = append(numbers, c.number.estimate.Mean)
		}
	}
	return numbers, unstable
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

// TabulateByColumn fills in a table whose rows are compared with each other: each column is
// of one scale, that which is preferred if all its rows were run there.
func (e *Evaluator) TabulateByColumn(t *Table) (*Tabulated, error) {
	all, err := e.Tabulate(t)
	if err != nil || e.plain == nil {
		return all, err
	}
	plain, err := e.plain.Tabulate(t)
	if err != nil {
		return nil, err
	}
	all.level(plain, func(int, int) bool { return true })
	return all, nil
}

// bestOf is the row that is best in a column by the paper, -1 if it has no number there.
func (t *Tabulated) bestOf(j int, higher bool) int {
	best := -1
	for i := range t.Rows {
		p := t.Cells[i][j].Paper
		if p != nil && !p.Unstable && (best < 0 || (p.Value > t.Cells[best][j].Paper.Value) == higher) {
			best = i
		}
	}
	return best
}

// bestBeside is the row that is best in a column by the paper, or by plain, which is of one
// scale, if the paper has no number there; -1 if neither has.
func (t *Tabulated) bestBeside(plain *Tabulated, j int, higher bool) int {
	if best := t.bestOf(j, higher); best >= 0 {
		return best
	}
	return plain.leading(j, higher, (*Tabled).stable)
}

// needBest takes a column for missing whose best row, by the paper, is: what is left
// would be divided by another.
func (t *Tabulated) needBest(higher bool) {
	for j := range t.Columns {
		best := t.bestOf(j, higher)
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

// normalize divides each number by the best of its column and of its own scale. Where the
// best row of a column, by the paper if it has one, is not of the scale that is preferred,
// no number of that column is.
func (e *Evaluator) normalize(out *Tabulated, t *Table, v tabulation) error {
	if e.plain == nil {
		out.divide(t.Higher, (*Tabled).stable)
		return nil
	}
	plain, err := e.plain.tabulate(t, v)
	if err != nil {
		return err
	}
	out.divide(t.Higher, func(c *Tabled) bool { return c.stable() && c.Preferred })
	for j := range out.Columns {
		best := out.bestBeside(plain, j, t.Higher)
		preferred := best >= 0 && out.Cells[best][j].Preferred
		for i := range out.Rows {
			if !preferred || !out.Cells[i][j].Preferred {
				out.Cells[i][j] = plain.Cells[i][j]
			}
		}
	}
	return nil
}

// level replaces columns whose compared rows are not all at the preferred scale by the columns of
// plain, which is at one scale.
func (t *Tabulated) level(plain *Tabulated, compared func(i, j int) bool) {
	for j := range t.Columns {
		mixed := false
		for i := range t.Rows {
			mixed = mixed || compared(i, j) && t.Cells[i][j].Missing == "" && !t.Cells[i][j].Preferred
		}
		if !mixed {
			continue
		}
		for i, row := range t.Rows {
			if c := plain.cell(row, t.Columns[j]); c != nil {
				t.Cells[i][j] = *c
			}
		}
	}
}

// divide divides those numbers of each column that count by the best of them.
func (t *Tabulated) divide(higher bool, counts func(*Tabled) bool) {
	for j := range t.Columns {
		best := t.leading(j, higher, counts)
		if best < 0 {
			continue
		}
		by := t.Cells[best][j].number
		for i := range t.Rows {
			if c := &t.Cells[i][j]; counts(c) {
				c.number = c.number.over(by)
			}
		}
	}
}

// leading is the row of a column with the best of our numbers that count, -1 if none does.
func (t *Tabulated) leading(j int, higher bool, counts func(*Tabled) bool) int {
	best := -1
	for i := range t.Rows {
		c := &t.Cells[i][j]
		if counts(c) && (best < 0 || (c.number.estimate.Mean > t.Cells[best][j].number.estimate.Mean) == higher) {
			best = i
		}
	}
	return best
}

// stable tells whether ours has a number.
func (c *Tabled) stable() bool { return c.Missing == "" && !c.Unstable && c.number.estimate.N > 0 }

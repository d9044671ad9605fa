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

// prepareTable finds levels and metrics that the studies of its tables do not have.
func (p *prepared) prepareTable(in surroundings) error {
	for _, l := range in.layers {
		p.around = append(p.around, l.at)
	}
	p.around = append(p.around, p.check.At)
	errs := new(config.Error)
	for _, c := range p.check.Table.each() {
		t, _ := p.TableNamed(c.Of)
		metrics := append([]string{cmp.Or(c.Metric, t.Metric)}, t.Unstable.metrics()...)
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
		p.prepareReplacements(c, t, metrics, errs)
	}
	return errs.Err()
}

// table evaluates a check of a table, or of the pairs of several.
func (p *prepared) table(r *CheckResult) error {
	list := p.check.Table.each()
	if len(list) == 1 {
		v, err := p.view(list[0], r)
		if err == nil && v != nil {
			v.evaluate(r)
		}
		return err
	}
	sum := tally{}
	for _, c := range list {
		v, err := p.view(c, r)
		if err != nil || v == nil {
			return err
		}
		sum.add(v.pairs(), c.Of+", ")
	}
	list[0].share(r, &sum, "pairs")
	return nil
}

// compared fills in the table of a check that compares numbers with each other at one scale, column
// by column. For a ratio, numbers are divided by the best of their column and scale.
func (p *prepared) compared(c *TableCheck, t *Table) (*Tabulated, error) {
	wanted := tabulation{metric: cmp.Or(c.Metric, t.Metric), at: p.around, instead: c.Instead}
	all, err := p.tabulate(t, wanted)
	if err != nil {
		return nil, err
	}
	divide := c.Compare == "ratio" && !t.Best
	if divide {
		all.needBest(t.Higher)
		all.divide(t.Higher, func(c *Tabled) bool { return c.stable() && (c.Preferred || p.plain == nil) })
	}
	if p.plain == nil || !divide && c.Compare != "each" && c.Compare != "order" {
		return all, nil
	}
	plain, err := p.plain.tabulate(t, wanted)
	if err != nil {
		return nil, err
	}
	if divide {
		plain.divide(t.Higher, (*Tabled).stable)
	}
	rows := append(slices.Clone(c.Rows), c.Over...)
	all.level(plain, func(i, j int) bool {
		return len(rows) == 0 || slices.Contains(rows, all.Rows[i]) || divide && i == all.bestBeside(plain, j, t.Higher)
	})
	return all, nil
}

// view fills in the table of a check; it is nil if something is missing, which the result says.
func (p *prepared) view(c *TableCheck, r *CheckResult) (*tableView, error) {
	t, _ := p.TableNamed(c.Of)
	all, err := p.compared(c, t)
	if err != nil {
		return nil, config.Problemf(p.place, "table %s: %w", c.Of, err)
	}
	v := tableView{check: c, table: t, all: all, columns: c.Cells, rows: c.Rows}
	if len(v.columns) == 0 {
		v.columns = t.columns()
	}
	if len(v.rows) == 0 {
		for i, row := range all.Rows {
			if slices.ContainsFunc(all.Cells[i], func(c Tabled) bool { return !c.absent }) {
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
				p.count(cell.Preferred, cell.Both)
				continue
			}
			return nil, nil
		}
	}
	return &v, nil
}

// tableView is the part of a table that a check is of.
type tableView struct {
	check         *TableCheck
	table         *Table
	all           *Tabulated
	columns, rows []string
}

// evaluate compares as the check says.
func (v *tableView) evaluate(r *CheckResult) {
	switch v.check.Compare {
	case "ratio":
		v.ratio(r)
	case "order":
		v.check.share(r, v.pairs(), "pairs")
	case "unstable", "stable":
		v.stability(r)
	default:
		v.numbers(r)
	}
}

// computedNumber is a number that is no mean over seeds.
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
		// ours is what is compared with the paper's, as it is written in the table.
		ours string
	}
	var list []point
	add := func(at string, value float64, n number) { list = append(list, point{at: at, value: value, n: n}) }
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
				ours := fmt.Sprintf("%s beside %s", cell.Text, cell.Paper)
				if v.check.Compare == "factor" {
					ratio = max(ratio, 1/ratio)
					list = append(list, point{at, ratio, computedNumber(ratio, "", true), ours})
					continue
				}
				off := 100 * math.Abs(ratio-1)
				list = append(list, point{at, off, computedNumber(off, "%", false), ours})
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
	judged := func(q point) PointResult {
		at, value, n := q.at, q.value, q.n
		if math.IsInf(value, 0) || value == 0 || math.IsNaN(value) {
			met := math.IsInf(value, 1) && bound.AtLeast != nil && bound.AtMost == nil && bound.About == nil ||
				value == 0 && bound.AtMost != nil && bound.AtLeast == nil && bound.About == nil
			why := words("one of them is unstable")
			if met {
				why = nil
			}
			return pointSaying(at, met, words("%s", cmp.Or(q.ours, "unstable")), why)
		}
		ok, why := bound.met(n)
		p := pointOf(at, n, ok, why)
		if q.ours != "" {
			p.say(together(words("%s, ", q.ours), p.measured), p.reason)
		}
		return p
	}
	judge := func(q point) { r.Points = append(r.Points, judged(q)) }
	// one judges the one that counts, and tells of all others that miss with it.
	one := func(q point) {
		counts := judged(q)
		texts := []Pieces{counts.reason}
		for _, p := range list {
			r.names = append(r.names, p.at)
			if j := judged(p); !j.Met {
				r.Misses = append(r.Misses, p.at)
				if p.at != q.at {
					texts = append(texts, j.measured.labelledBy(p.at))
				}
			}
		}
		if !counts.Met {
			counts.say(counts.measured, firsts(texts))
		}
		r.Points = append(r.Points, counts)
	}
	last := list[len(list)-1]
	switch v.check.Take {
	case "largest":
		one(last)
	case "smallest":
		one(list[0])
	case "median":
		a, b := list[(len(list)-1)/2], list[len(list)/2]
		n := b.n
		if a.at != b.at {
			n = computedNumber((a.value+b.value)/2, b.n.unit, b.n.ratio)
		}
		most := "unstable"
		if !math.IsInf(last.value, 0) {
			most = quantity(last.value, last.n.unit, last.n.ratio)
		}
		judge(point{at: fmt.Sprintf("median of %d, most %s of %s", len(list), most, last.at), value: (a.value + b.value) / 2, n: n})
	case "mean":
		sum := 0.0
		for _, p := range list {
			sum += p.value
		}
		judge(point{at: fmt.Sprintf("mean of %d", len(list)), value: sum / float64(len(list)), n: computedNumber(sum/float64(len(list)), last.n.unit, last.n.ratio)})
	default:
		for _, p := range list {
			judge(p)
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
		r.Points = append(r.Points, pointSaying(at, false, words("none"), words("one of them is stable nowhere")))
		return
	}
	ok, why := v.check.met(q)
	r.Points = append(r.Points, pointOf(at, q, ok, why))
}

package papers

import (
	"fmt"
	"math"
	"slices"
)

// tally has the names of the pairs or cells that a share counts, and those that differ from the
// paper.
type tally struct {
	names []string
	wrong []miss
}

// add adds others, whose names and texts begin with a word.
func (t *tally) add(others *tally, with string) {
	for _, name := range others.names {
		t.names = append(t.names, with+name)
	}
	for _, w := range others.wrong {
		t.wrong = append(t.wrong, miss{with + w.name, with + w.text})
	}
}

// pairs finds the pairs of each column that the paper separates, and notes which of them have
// another order here.
func (v *tableView) pairs() *tally {
	var found tally
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
				name, than := row, other
				if a == v.all.cell(other, column) {
					name, than = other, row
				}
				pair := fmt.Sprintf("%s: %s below %s", column, name, than)
				found.names = append(found.names, pair)
				if !a.below(b) {
					found.wrong = append(found.wrong, miss{pair, fmt.Sprintf("%s: %s %s not below %s %s", column, name, a.Text, than, b.Text)})
				}
			}
		}
	}
	return &found
}

// size is the paper's number, endlessly large if it is unstable.
func (f *Figure) size() float64 {
	if f.Unstable {
		return math.Inf(1)
	}
	return f.Value
}

// below tells whether ours is the smaller one: by means, and with several seeds by
// intervals that are apart.
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
	var found tally
	for _, row := range v.rows {
		for _, column := range v.columns {
			c := v.all.cell(row, column)
			if c.Paper == nil || c.Paper.Unstable != want {
				continue
			}
			name := row + " " + column
			found.names = append(found.names, name)
			if c.Unstable != want {
				found.wrong = append(found.wrong, miss{name, fmt.Sprintf("%s %s: %s", row, column, c.Text)})
			}
		}
	}
	v.check.share(r, &found, "cells")
}

// miss is a cell or a pair that lowers a share, by its name and with its numbers.
type miss struct{ name, text string }

// share compares a share in per cent with the bound, and lists the cells or pairs that lower it.
func (c *TableCheck) share(r *CheckResult, found *tally, what string) {
	all, right := len(found.names), len(found.names)-len(found.wrong)
	if all == 0 {
		return
	}
	r.names = append(r.names, found.names...)
	n := computedNumber(100*float64(right)/float64(all), "%", false)
	ok, why := c.met(n)
	p := pointOf(fmt.Sprintf("%d of %d %s", right, all, what), n, ok, why)
	texts := []Pieces{words("%s", why)}
	for _, w := range found.wrong {
		r.Misses = append(r.Misses, w.name)
		texts = append(texts, words("%s", w.text))
	}
	if !ok {
		p.say(p.measured, firsts(texts))
	}
	r.Points = append(r.Points, p)
}

// firsts joins the reason why a check is not met with its first misses.
func firsts(texts []Pieces) Pieces {
	const most = 9
	if n := len(texts) - most; n > 0 {
		texts = append(slices.Clone(texts[:most]), words("and %d more", n))
	}
	return inARow(texts, "; ")
}

package papers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/config"
)

// PointResult is what was found at one of the points of a check.
type PointResult struct {
	// At names the cells and the levels of the free axes.
	At       string `json:"at"`
	Met      bool   `json:"met"`
	Measured string `json:"measured"`
	Reason   string `json:"reason,omitempty"`
	// Unit is what Mean, Low and High are in: × if they are of a ratio, as they are of an
	// ordering, which compares the first cell over the second; empty for shares and counts.
	Unit string `json:"unit,omitempty"`
	// Mean, Low and High are of the number that is compared, N how many seeds it
	// is of; null where there is none.
	Mean *float64 `json:"mean"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	N    int      `json:"n"`

	// Doubt is why the point decides nothing, nil if it does.
	Doubt *Doubt `json:"doubt,omitempty"`

	number number
	// measured and reason are Measured and Reason in pieces.
	measured, reason Pieces
}

// say sets what was measured and why it is not as the check says.
func (r *PointResult) say(measured, reason Pieces) {
	r.measured, r.Measured = measured, measured.String()
	r.reason, r.Reason = reason, reason.String()
}

// pointSaying is a point without a number to compare.
func pointSaying(at string, met bool, measured, reason Pieces) PointResult {
	r := PointResult{At: at, Met: met}
	r.say(measured, reason)
	return r
}

func pointOf(at string, n number, met bool, why string) PointResult {
	r := pointSaying(at, met, n.pieces(), words("%s", why))
	r.Unit, r.N, r.number, r.Doubt = n.unit, n.estimate.N, n, n.doubt()
	if n.ratio {
		r.Unit = "×"
	}
	if e := n.estimate; e.N > 0 {
		r.Mean = &e.Mean
		if e.N > 1 {
			r.Low, r.High = &e.Low, &e.High
		}
	}
	return r
}

// evaluate evaluates the check.
func (p *prepared) evaluate(ctx context.Context) (CheckResult, error) {
	if err := p.fillBound(ctx); err != nil {
		return CheckResult{}, config.Problemf(p.place, "from_model: %w", err)
	}
	c := p.check
	r := CheckResult{Name: c.Name, named: c.Name != "", Exact: c.exact(), Expected: p.expected()}
	if r.Name == "" {
		r.Name = p.title()
	}
	if b := c.bound(); b != nil && c.Table == nil {
		r.About = cmp.Or(b.About, b.Covers)
	}
	var err error
	switch {
	case c.Theory != nil:
		err = p.theory(ctx, &r)
	case c.Table != nil:
		err = p.table(&r)
	case p.absent != "":
		r.Missing = fmt.Sprintf("study %s is not run at scale %s", p.absent, p.Scale)
		if broken := p.broken[p.absent]; broken != nil {
			r.Missing = fmt.Sprintf("study %s cannot be run: %s", p.absent, firstProblem(broken))
		}
		return r, nil
	default:
		err = p.cells(&r)
	}
	if err != nil || r.Missing != "" {
		return r, err
	}
	p.sumUp(&r)
	return r, nil
}

// cells evaluates a check of cells.
func (p *prepared) cells(r *CheckResult) error {
	for _, at := range p.points {
		var err error
		switch {
		case p.check.Value != nil:
			err = p.value(r, at)
		case p.check.Ratio != nil:
			err = p.ratio(r, at)
		case p.check.Order != nil:
			err = p.order(r, at)
		case p.check.Similar != nil:
			err = p.similar(r, at)
		default:
			err = p.trend(r, at)
		}
		if err != nil || r.Missing != "" {
			return err
		}
	}
	p.taken(r)
	return nil
}

// sides collects the numbers of both sides at a point. It notes what is missing.
func (p *prepared) sides(r *CheckResult, at point, step string) (a, b []labelled, err error) {
	left, right, err := p.cellsAt(at, step)
	if err != nil {
		return nil, nil, err
	}
	if a, err = p.numbers(r, p.a, left); err != nil || p.b == nil {
		return a, nil, err
	}
	b, err = p.numbers(r, p.b, right)
	return a, b, err
}

// label is what a cell is called, with its study where the two sides are of different
// ones.
func (p *prepared) label(o *operand, c chosen) string {
	if p.b == nil || p.a.study == p.b.study {
		return c.label
	}
	return strings.Join(slices.DeleteFunc([]string{o.study, c.label}, func(s string) bool { return s == "" }), " ")
}

// labelled is the number of a cell.
type labelled struct {
	number
	label string
	cell  chosen
	of    string
	// metric is what the number is called.
	metric string
}

func (p *prepared) numbers(r *CheckResult, o *operand, cells []chosen) ([]labelled, error) {
	var list []labelled
	for _, c := range cells {
		s, err := p.data[o.study].sample(c.cell, o.metric)
		if err == nil {
			p.count(s.Preferred, s.Both)
		}
		at := p.with(o.study)
		if err != nil && at.Analyses[o.study] != nil {
			return nil, config.Wrong(o.at, err)
		}
		if err != nil {
			return nil, err
		}
		if s.Missing > 0 {
			r.Missing = s.incomplete(o.study, o.metric)
			if a := at.Analyzed[o.study]; at.Opened[o.study] == nil && (a == nil || a.Missing() == len(a.Results)) {
				r.Missing = "study " + o.study + " has not been run"
			}
			if at.stale[o.study] {
				r.Missing = "study " + o.study + " was run with another state of the ledger"
			}
			return nil, nil
		}
		list = append(list, labelled{numberOf(s), p.label(o, c), c, o.study, o.metric})
	}
	return list, nil
}

// where names a point with what is compared there.
func (p *prepared) where(at point, what string) string {
	return strings.Join(slices.DeleteFunc([]string{at.name(p.free), what}, func(s string) bool { return s == "" }), ": ")
}

func (p *prepared) value(r *CheckResult, at point) error {
	a, _, err := p.sides(r, at, "")
	for _, x := range a {
		what := x.label
		ok, why := p.check.Value.met(x.number)
		r.Points = append(r.Points, pointOf(p.where(at, what), x.number, ok, why))
	}
	return err
}

func (p *prepared) ratio(r *CheckResult, at point) error {
	a, b, err := p.sides(r, at, "")
	c := p.check.Ratio
	for _, x := range a {
		for _, y := range b {
			if x.same(y) {
				continue
			}
			q, sign := x.over(y.number), " / "
			if c.Minus {
				q, sign = x.minus(y.number), " − "
			}
			ok, why := c.met(q)
			q.nothing = q.nothing && !c.none()
			r.Points = append(r.Points, pointOf(p.where(at, x.label+sign+y.label), q, ok, why))
		}
	}
	return err
}

func (a labelled) same(b labelled) bool {
	return a.of == b.of && a.metric == b.metric && a.cell.cell == b.cell.cell
}

func (p *prepared) order(r *CheckResult, at point) error {
	less, than, err := p.sides(r, at, "")
	c := p.check.Order
	if c.Against == "best" {
		than = lowest(than)
	}
	for _, x := range less {
		var tried []PointResult
		for _, y := range than {
			if x.same(y) {
				continue
			}
			q := x.over(y.number)
			ok, why := x.below(y.number)
			if !ok && c.Or != nil && q.estimate.N > 0 && q.estimate.Mean <= 1+float64(*c.Or) {
				ok, why = true, ""
			}
			t := pointOf(p.where(at, x.label+" < "+y.label), q, ok, "")
			relation := "<"
			switch {
			case !ok:
				relation = "beside"
			case q.estimate.Mean >= 1:
				relation = "≈"
			}
			t.say(together(x.pieces(), words(" %s ", relation), y.pieces()), words("%s", why))
			tried = append(tried, t)
		}
		if i := slices.IndexFunc(tried, func(t PointResult) bool { return t.Met }); c.Against == "any" && len(tried) > 0 {
			tried = tried[max(i, 0) : max(i, 0)+1]
		}
		r.Points = append(r.Points, tried...)
	}
	return err
}

// lowest keeps the number with the lowest mean.
func lowest(list []labelled) []labelled {
	with := slices.DeleteFunc(slices.Clone(list), func(n labelled) bool { return n.estimate.N == 0 })
	if len(with) == 0 {
		return list[:min(1, len(list))]
	}
	return []labelled{slices.MinFunc(with, func(a, b labelled) int {
		switch x, y := a.estimate.Mean, b.estimate.Mean; {
		case x == y:
			return 0
		case x < y:
			return -1
		}
		return 1
	})}
}

func (p *prepared) similar(r *CheckResult, at point) error {
	a, b, err := p.sides(r, at, "")
	within := float64(p.check.Similar.Within)
	for _, x := range a {
		for _, y := range b {
			if x.same(y) {
				continue
			}
			q := x.over(y.number)
			ok, why := q.estimate.N > 0 && q.estimate.Mean >= 1-within && q.estimate.Mean <= 1+within, ""
			switch {
			case q.estimate.N == 0:
				why = q.none()
			case !ok:
				why = fmt.Sprintf("they differ by %s %%", digits(100*(q.estimate.Mean-1)))
			}
			r.Points = append(r.Points, pointOf(p.where(at, x.label+" / "+y.label), q, ok, why))
		}
	}
	return err
}

// taken keeps the largest, the smallest or the mean of a check's points, if that is
// what the bound is for. If one has no number it stands for all: which is the largest
// cannot be told.
func (p *prepared) taken(r *CheckResult) {
	take, bound := "", (*Bound)(nil)
	switch {
	case p.check.Value != nil:
		take, bound = p.check.Value.Take, &p.check.Value.Bound
	case p.check.Ratio != nil:
		take, bound = p.check.Ratio.Take, &p.check.Ratio.Bound
	}
	if take == "" || take == "each" || len(r.Points) == 0 {
		return
	}
	if i := slices.IndexFunc(r.Points, func(q PointResult) bool { return q.Mean == nil }); i >= 0 {
		none := r.Points[i]
		none.At = fmt.Sprintf("%s of %d (%s)", take, len(r.Points), none.At)
		r.Points = []PointResult{none}
		return
	}
	var n number
	at := "mean"
	if take == "mean" {
		var list []number
		for _, q := range r.Points {
			list = append(list, q.number)
		}
		n = meanOf(list)
	} else {
		best := r.Points[0]
		for _, q := range r.Points[1:] {
			if (*q.Mean > *best.Mean) == (take == "largest") {
				best = q
			}
		}
		n, at = best.number, best.At
	}
	ok, why := bound.met(n)
	r.Points = []PointResult{pointOf(fmt.Sprintf("%s of %d (%s)", take, len(r.Points), at), n, ok, why)}
}

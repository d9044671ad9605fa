package papers

import "slices"

// trend judges each cell of the one side, over the only one of the other if there is another.
func (p *prepared) trend(r *CheckResult, at point) error {
	type series struct {
		label string
		list  []number
		words []Pieces
	}
	var all []series
	for _, step := range p.steps() {
		a, b, err := p.sides(r, at, step)
		if err != nil || r.Missing != "" {
			return err
		}
		if p.b != nil && len(b) == 0 {
			continue
		}
		for _, x := range a {
			n := x.number
			if p.b != nil {
				n = n.over(b[0].number)
			}
			i := slices.IndexFunc(all, func(s series) bool { return s.label == x.label })
			if i < 0 {
				i, all = len(all), append(all, series{label: x.label})
			}
			all[i].list = append(all[i].list, n)
			all[i].words = append(all[i].words, n.pieces().labelledBy(step))
		}
	}
	for _, s := range all {
		ok, why := trendOf(s.list, p.check.Trend.Is)
		what := ""
		if len(all) > 1 {
			what = s.label
		}
		point := pointSaying(p.where(at, what), ok, inARow(s.words, ", "), why)
		point.Doubt = doubtOf(s.list)
		r.Points = append(r.Points, point)
	}
	if len(all) == 0 {
		_, why := trendOf(nil, p.check.Trend.Is)
		r.Points = append(r.Points, pointSaying(p.where(at, ""), false, nil, why))
	}
	return nil
}

// trendOf tells whether numbers grow or fall, and if not, why.
func trendOf(list []number, is string) (ok bool, why Pieces) {
	if len(list) < 2 {
		return false, words("there are fewer than two levels")
	}
	rises := func(a, b number) (bool, string) {
		if is == "falls" {
			a, b = b, a
		}
		return a.below(b)
	}
	first, last := list[0], list[len(list)-1]
	if ok, why := rises(first, last); !ok {
		return false, together(words("from the first level to the last: %s (", why), first.pieces(), words(" and "), last.pieces(), words(")"))
	}
	for i := range list[1:] {
		if back, _ := rises(list[i+1], list[i]); back {
			return false, together(words("level %d goes the other way: ", i+2), list[i].pieces(), words(" and then "), list[i+1].pieces())
		}
	}
	return true, nil
}

// doubtOf is why a series of numbers decides nothing: the first doubt that is more than a zero, or that
// all of them are zero.
func doubtOf(list []number) *Doubt {
	zeros := 0
	for _, n := range list {
		if d := n.doubt(); d != nil && d.Kind != doubtZero {
			return d
		}
		if n.nothing || !n.ratio && n.estimate.N > 0 && n.estimate.Min == 0 && n.estimate.Max == 0 {
			zeros++
		}
	}
	if zeros > 0 && zeros == len(list) {
		return &Doubt{doubtZero, "all levels are zero"}
	}
	return nil
}

package papers

import (
	"slices"
	"strings"

	"weft/config"
	"weft/problem"
)

// apart names, for each check of a claim, what tells it from others that would be shown
// alike: the levels around it, the study, and the metric, which is named too where its
// numbers have no unit; empty where there is nothing. What a check names for a cell, and
// levels of axes that are free, are named with what is measured there, and a check
// that the ledger gives a name needs no other.
func apart(list []*prepared) []string {
	names := around(list)
	shown := make([]string, len(list))
	for i, p := range list {
		if p.a != nil {
			shown[i] = p.a.text()
		}
		if p.b != nil {
			shown[i] += " / " + p.b.text()
		}
		shown[i] += ": " + names[i]
	}
	for i, p := range list {
		if p.a == nil || p.data[p.a.study] == nil || p.check.Name != "" {
			continue
		}
		other := func(differ func(q *prepared) bool) bool {
			for j, q := range list {
				if q.a != nil && shown[j] == shown[i] && differ(q) {
					return true
				}
			}
			return false
		}
		d := p.data[p.a.study]
		bare := p.check.Value != nil && d.unit(p.a.metric) == ""
		var words []string
		if (p.b == nil || p.a.study == p.b.study) && other(func(q *prepared) bool { return q.a.study != p.a.study }) {
			words = append(words, p.a.study)
		}
		if bare || other(func(q *prepared) bool { return q.a.metric != p.a.metric && q.a.study == p.a.study }) {
			words = append(words, d.title(p.a.metric))
		}
		if names[i] != "" {
			words = append(words, names[i])
		}
		names[i] = strings.Join(words, ", ")
	}
	return names
}

// around names, for each check of a claim, the levels around it that others of them are
// not at.
func around(list []*prepared) []string {
	names := make([]string, len(list))
	for i, p := range list {
		if p.a == nil || p.data[p.a.study] == nil {
			continue
		}
		at := point{}
		var axes []string
		for _, axis := range p.data[p.a.study].Axes {
			labels := p.a.base[axis.Name]
			differ := func(q *prepared) bool { return q.a != nil && !slices.Equal(q.a.levels(axis.Name), labels) }
			if len(labels) == 1 && len(p.a.own[axis.Name]) == 0 && slices.ContainsFunc(list, differ) {
				at[axis.Name], axes = labels[0], append(axes, axis.Name)
			}
		}
		names[i] = at.name(axes)
	}
	return names
}

// levels are the labels of an axis that are named for an operand.
func (o *operand) levels(axis string) []string {
	if own := o.own[axis]; len(own) > 0 {
		return own
	}
	return o.base[axis]
}

// checkHold finds conditions that are to hold more often than they are tried.
func (p *prepared) checkHold(most int) error {
	if p.check.Hold.least <= most {
		return nil
	}
	return config.Wrong(p.place, problem.New("hold: %d can never be met: there are %d points only at scale %s", p.check.Hold.least, most, p.Scale).Mend("write all, any, most or a lower number"))
}

// most is at how many points of a check its condition can hold at most.
func (p *prepared) most() (int, error) {
	switch c := p.check; {
	case c.Value != nil && c.Value.Take != "each", c.Ratio != nil && c.Ratio.Take != "each":
		return 1, nil
	}
	n := 0
	for _, at := range p.points {
		a, b, err := p.cellsAt(at, p.firstStep())
		if err != nil {
			return 0, err
		}
		n += p.mostAt(a, b)
	}
	return n, nil
}

// mostAt is most for what is compared at a point.
func (p *prepared) mostAt(a, b []chosen) int {
	switch c := p.check; {
	case c.Value != nil:
		return len(a)
	case c.Trend != nil:
		return 1
	case c.Order != nil && c.Order.Against != "each":
		return len(a)
	}
	n := 0
	for _, x := range a {
		for _, y := range b {
			if p.a.study != p.b.study || p.a.metric != p.b.metric || x.cell != y.cell {
				n++
			}
		}
	}
	return n
}

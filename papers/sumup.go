package papers

import (
	"fmt"
	"slices"
)

// sumUp finds from its points whether a check is met.
func (p *prepared) sumUp(r *CheckResult) {
	met := 0
	var failed []Pieces
	for _, q := range r.Points {
		if q.Met {
			met++
			continue
		}
		text := q.reason
		if q.At != "" && len(r.Points) > 1 {
			text = text.labelledBy(q.At)
		}
		failed = append(failed, text)
	}
	r.Met = p.check.Hold.holds(met, len(r.Points))
	r.decide(p.check.Hold)
	numbers := measured(r.Points)
	r.nameMisses(p.check.Hold)
	if r.Met {
		if met < len(r.Points) {
			numbers = together(numbers, words(" (%d of %d hold; asked for: %s)", met, len(r.Points), p.check.Hold))
		}
		r.say(numbers, nil)
		return
	}
	const most = 3
	if n := len(failed); n > most {
		failed = append(failed[:most], words("and %d more", n-most))
	}
	why := inARow(failed, "; ")
	if len(r.Points) > 1 {
		why = together(words("%d of %d hold: ", met, len(r.Points)), why)
	}
	if len(r.Points) == 0 {
		why = words("there is nothing to compare")
	}
	r.say(numbers, why)
}

// nameMisses names what is not met, if nothing finer is known the points.
func (r *CheckResult) nameMisses(hold Quantity) {
	for _, q := range r.Points {
		r.names = append(r.names, q.At)
	}
	if r.Met {
		r.Misses = nil
		return
	}
	if len(r.Misses) > 0 {
		return
	}
	for _, q := range r.Points {
		if !q.Met && q.At != "" {
			r.Misses = append(r.Misses, q.At)
		}
	}
	if len(r.Misses) == 0 {
		r.Misses = []string{r.Name}
		return
	}
	met := len(r.Points) - len(r.Misses)
	for r.short = 1; r.short < len(r.Misses) && !hold.holds(met+r.short, len(r.Points)); {
		r.short++
	}
}

// measured sums up the numbers of points: all of a few, the range of many.
func measured(list []PointResult) Pieces {
	const few = 3
	if len(list) <= few {
		var texts []Pieces
		for _, q := range list {
			text := q.measured
			if q.At != "" {
				text = text.labelledBy(q.At)
			}
			texts = append(texts, text)
		}
		return inARow(texts, "; ")
	}
	with := slices.DeleteFunc(slices.Clone(list), func(q PointResult) bool { return q.Mean == nil })
	if len(with) == 0 {
		return words("no number at any of %d cells", len(list))
	}
	less := func(a, b PointResult) int {
		if *a.Mean < *b.Mean {
			return -1
		}
		return 1
	}
	least, most := slices.MinFunc(with, less), slices.MaxFunc(with, less)
	text := fmt.Sprintf("%s (%s) to %s (%s) over %d cells", quantity(*least.Mean, least.number.unit, least.number.ratio), least.At,
		quantity(*most.Mean, most.number.unit, most.number.ratio), most.At, len(list))
	if n := len(list) - len(with); n > 0 {
		text += fmt.Sprintf(", %d without a number", n)
	}
	if most.number.model {
		return words("%s", text)
	}
	return Pieces{{Words: text, Seeds: most.N}}
}

// decide finds whether a check is met by the points that decide, or why it is undecided: points in doubt
// would make the difference. Points that compare zero with zero are left out if others remain.
func (r *CheckResult) decide(hold Quantity) {
	met, open, n := 0, 0, 0
	var zero, first *Doubt
	for i := range r.Points {
		p := &r.Points[i]
		if p.Doubt != nil && p.Doubt.Kind == doubtZero {
			zero = p.Doubt
			continue
		}
		n++
		switch {
		case p.Doubt != nil:
			open++
			if first == nil {
				first = p.Doubt
			}
		case p.Met:
			met++
		}
	}
	switch {
	case n == 0 && zero != nil:
		r.Undecided = zero
	case hold.holds(met, n):
		r.Holds = true
	case first != nil && hold.holds(met+open, n):
		r.Undecided = first
	}
}

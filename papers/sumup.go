package papers

import (
	"fmt"
	"slices"
	"strings"
)

// sumUp finds from its points whether a check is met.
func (p *prepared) sumUp(r *CheckResult) {
	met := 0
	var failed []string
	for _, q := range r.Points {
		if q.Met {
			met++
			continue
		}
		text := q.Reason
		if q.At != "" && len(r.Points) > 1 {
			text = q.At + ": " + text
		}
		failed = append(failed, text)
	}
	r.Met = p.check.Hold.holds(met, len(r.Points))
	r.Measured = measured(r.Points)
	r.nameMisses(p.check.Hold)
	if r.Met {
		if met < len(r.Points) {
			r.Measured += fmt.Sprintf(" (%d of %d hold; asked for: %s)", met, len(r.Points), p.check.Hold)
		}
		return
	}
	const shown = 3
	if n := len(failed); n > shown {
		failed = append(failed[:shown], fmt.Sprintf("and %d more", n-shown))
	}
	r.Reason = strings.Join(failed, "; ")
	if len(r.Points) > 1 {
		r.Reason = fmt.Sprintf("%d of %d hold: %s", met, len(r.Points), r.Reason)
	}
	if len(r.Points) == 0 {
		r.Reason = "there is nothing to compare"
	}
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
func measured(list []PointResult) string {
	const few = 3
	var words []string
	if len(list) <= few {
		for _, q := range list {
			if q.At == "" {
				words = append(words, q.Measured)
			} else {
				words = append(words, q.At+": "+q.Measured)
			}
		}
		return strings.Join(words, "; ")
	}
	with := slices.DeleteFunc(slices.Clone(list), func(q PointResult) bool { return q.Mean == nil })
	if len(with) == 0 {
		return fmt.Sprintf("no number at any of %d cells", len(list))
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
		return text
	}
	return text + fmt.Sprintf(", n=%d", most.N)
}

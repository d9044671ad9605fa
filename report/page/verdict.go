package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/study"
)

// contestVerdict says which variant is best in one combination of the other axes.
func (t *table) contestVerdict(c *study.Contest, column int) string {
	r := t.numbers.Rank(c, column)
	names := t.variants()
	switch {
	case len(r.Order) == 0 && t.amiss(c, column) > 0:
		return "none finished"
	case len(r.Order) == 0:
		return "no result yet"
	case len(r.Order) == 1 && t.amiss(c, column) > 0:
		return "only " + names[r.Order[0]] + " finished"
	case len(r.Order) == 1:
		return "only " + names[r.Order[0]] + " has a result"
	case t.equal(c, r.Order, column):
		return "all alike"
	case len(r.Near) > 0:
		near := []string{names[r.Order[0]]}
		for _, v := range r.Near {
			near = append(near, names[v])
		}
		return "not separated: " + list(near)
	}
	text := fmt.Sprintf("%s, %s %s", names[r.Order[0]], t.margin(c, r.Order, column), names[r.Order[1]])
	if r.OneSeed {
		text += "; one seed"
	}
	return text
}

// amiss counts the variants of a contest of which something stands in the place of the value.
func (t *table) amiss(c *study.Contest, column int) int {
	n := 0
	for _, i := range c.Cells {
		if i != study.NoAxis && t.rows[i].Instead(t.metrics[column].Name) != "" {
			n++
		}
	}
	return n
}

// margin says how far the best is from the next.
func (t *table) margin(c *study.Contest, order []int, column int) string {
	way := "above"
	if t.metrics[column].LowerIsBetter {
		way = "below"
	}
	return percent(t.lead(c, order, column)) + " " + way
}

// lead is the share of the next one's value by which the best is better.
func (t *table) lead(c *study.Contest, order []int, column int) float64 {
	first, next := t.rows[c.Cells[order[0]]].estimate(column).Mean, t.rows[c.Cells[order[1]]].estimate(column).Mean
	if next == 0 {
		return math.Inf(1)
	}
	return math.Abs(first-next) / next
}

func percent(share float64) string {
	if math.IsInf(share, 0) {
		return "infinitely"
	}
	digits := 0
	if share < 0.0995 {
		digits = 1
	}
	return strconv.FormatFloat(100*share, 'f', digits, 64) + " %"
}

// verdict sums up a metric over all that can be compared, in sentences.
func (t *table) verdict(column int) []string {
	m := &t.metrics[column]
	title, most := shortTitle(m), "highest"
	if m.LowerIsBetter {
		most = "lowest"
	}
	names := t.variants()
	wins := map[int][]float64{} // leads by variant
	sole := map[int]int{}
	near, alike, none, oneSeed := 0, 0, 0, false
	for k := range t.contests {
		c := &t.contests[k]
		r := t.numbers.Rank(c, column)
		oneSeed = oneSeed || r.OneSeed
		switch {
		case len(r.Order) == 0:
			none++
		case len(r.Order) == 1 && t.amiss(c, column) > 0:
			sole[r.Order[0]]++
		case len(r.Order) == 1:
		case t.equal(c, r.Order, column):
			alike++
		case len(r.Near) > 0:
			near++
		default:
			wins[r.Order[0]] = append(wins[r.Order[0]], t.lead(c, r.Order, column))
		}
	}
	if len(t.contests) == 1 {
		return t.only(column, most, title)
	}
	order := make([]int, len(names))
	for v := range order {
		order[v] = v
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(wins[b]) + sole[b] - len(wins[a]) - sole[a] })
	where := "combinations of " + list(t.otherAxes())
	if axes := t.otherAxes(); len(axes) == 1 {
		where = "levels of " + axes[0]
	}
	count := func(n int) string {
		if n == len(t.contests) {
			return fmt.Sprintf("all %d", n)
		}
		return fmt.Sprintf("%d of %d", n, len(t.contests))
	}
	var said []string
	for _, v := range order {
		n := len(wins[v]) + sole[v]
		if n == 0 {
			continue
		}
		text := fmt.Sprintf("%s has the %s %s in %s %s", names[v], most, title, count(n), where)
		if len(said) > 0 {
			text = fmt.Sprintf("%s has it in %d", names[v], n)
		}
		if len(wins[v]) > 0 {
			least, largest := percent(slices.Min(wins[v])), percent(slices.Max(wins[v]))
			if least != largest {
				least = strings.TrimSuffix(least, " %") + " to " + largest
			}
			text += ", " + least + map[bool]string{true: " below", false: " above"}[m.LowerIsBetter] + " the next"
		}
		if sole[v] > 0 {
			text += fmt.Sprintf(", the only one to finish in %d", sole[v])
		}
		said = append(said, text+".")
	}
	if len(said) == 0 {
		said = append(said, fmt.Sprintf("No variant alone has the %s %s in any of %d %s.", most, title, len(t.contests), where))
	}
	say := func(n int, what string) {
		if n > 0 {
			said = append(said, fmt.Sprintf("In %s %s.", count(n), what))
		}
	}
	say(near, "the best are not separated: their "+t.intervals()+" overlap")
	say(alike, "all are equal")
	say(none, "none finished")
	if oneSeed {
		said = append(said, "One seed: the ranking has no confidence interval.")
	}
	return said
}

// only is the verdict where there is one combination.
func (t *table) only(column int, most, title string) []string {
	c := &t.contests[0]
	r := t.numbers.Rank(c, column)
	names := t.variants()
	m := &t.metrics[column]
	value := func(v int) string {
		return strings.TrimSpace(number(t.rows[c.Cells[v]].estimate(column).Mean) + " " + m.Unit)
	}
	switch {
	case len(r.Order) == 0 && t.amiss(c, column) > 0:
		return []string{"No variant finished."}
	case len(r.Order) == 0:
		return []string{"No run has a result yet."}
	case len(r.Order) == 1:
		return []string{capital(t.contestVerdict(c, column)) + fmt.Sprintf(": %s %s.", title, value(r.Order[0]))}
	case t.equal(c, r.Order, column):
		return []string{fmt.Sprintf("All variants have the same %s: %s.", title, value(r.Order[0]))}
	case len(r.Near) > 0:
		var near []string
		for _, v := range append([]int{r.Order[0]}, r.Near...) {
			near = append(near, names[v]+" ("+value(v)+")")
		}
		return []string{fmt.Sprintf("The %s %s is not separated: the %s of %s overlap.", most, title, t.intervals(), list(near))}
	}
	said := []string{fmt.Sprintf("%s has the %s %s: %s, %s %s (%s).", names[r.Order[0]], most, title, value(r.Order[0]), t.margin(c, r.Order, column), names[r.Order[1]], value(r.Order[1]))}
	if r.OneSeed {
		return append(said, "One seed: the ranking has no confidence interval.")
	}
	return append(said, "Their "+t.intervals()+" do not overlap.")
}

// intervals is what intervals are called: those of few seeds are no more than their extremes.
func (t *table) intervals() string {
	if t.numbers.Footnote() != "" {
		return "intervals"
	}
	return "95 % intervals"
}

// shortTitle is a metric's title without what stands in brackets.
func shortTitle(m *study.Column) string {
	title, _, _ := strings.Cut(m.Title, " (")
	return title
}

// list joins words as a sentence has them.
func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' || len(s) > 1 && s[1] >= '0' && s[1] <= '9' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/readable"
	"weft/study"
)

// contestVerdict says which variant is best in one combination of the other axes.
func (t *table) contestVerdict(c *study.Contest, column int) string {
	r := t.numbers.Rank(c, column)
	names := t.variants()
	barred := t.barred(c, &r, column)
	unfinished := t.onlyUnfinished(c, &r, column)
	switch {
	case len(r.Order) == 0 && barred == "":
		return "no result yet"
	case len(r.Order) == 0 && unfinished:
		return "none finished"
	case len(r.Order) == 0:
		return "none is ranked: " + barred
	case len(r.Order) == 1 && barred == "":
		return "only " + names[r.Order[0]] + " has a result"
	case len(r.Order) == 1 && unfinished:
		return "only " + names[r.Order[0]] + " finished"
	case len(r.Order) == 1:
		return "only " + names[r.Order[0]] + " is ranked: " + barred
	}
	var text string
	switch {
	case t.equal(c, r.Order, column):
		text = "all alike"
	case len(r.Near) > 0:
		near := []string{names[r.Order[0]]}
		for _, v := range r.Near {
			near = append(near, names[v])
		}
		text = "not separated: " + list(near)
	default:
		text = fmt.Sprintf("%s, %s %s", names[r.Order[0]], t.margin(c, r.Order, column), names[r.Order[1]])
		if r.OneSeed {
			text += "; one seed"
		}
	}
	if barred != "" && !unfinished {
		text += "; " + barred
	}
	return text
}

// barred says which variants of a contest are not ranked, and why, as in "NDP is unstable".
func (t *table) barred(c *study.Contest, r *study.Ranking, column int) string {
	var reasons []string
	who := map[string][]string{}
	for _, v := range r.Barred {
		why := t.rows[c.Cells[v]].Bar(&t.metrics[column])
		if who[why] == nil {
			reasons = append(reasons, why)
		}
		name := t.variants()[v]
		if name == "" {
			name = "it"
		}
		who[why] = append(who[why], name)
	}
	var said []string
	for _, why := range reasons {
		said = append(said, barredText(who[why], why))
	}
	return strings.Join(said, ", ")
}

// barredText says that variants are not ranked for a reason, a word of study.Cell.Bar.
func barredText(names []string, why string) string {
	switch {
	case why == study.Unfinished:
		return list(names) + " did not finish"
	case why == study.RunsFailed:
		return "runs of " + list(names) + " failed"
	case len(names) == 1:
		return names[0] + " is " + why
	}
	return list(names) + " are " + why
}

// onlyUnfinished tells whether variants of a contest are not ranked only because they have no number.
func (t *table) onlyUnfinished(c *study.Contest, r *study.Ranking, column int) bool {
	return !slices.ContainsFunc(r.Barred, func(v int) bool { return t.rows[c.Cells[v]].Instead(&t.metrics[column]) == "" })
}

// margin says how far the best is from the next.
func (t *table) margin(c *study.Contest, order []int, column int) string {
	way := "above"
	if t.metrics[column].LowerIsBetter {
		way = "below"
	}
	return readable.Percent(t.lead(c, order, column)) + " " + way
}

// lead is the share of the next one's value by which the best is better.
func (t *table) lead(c *study.Contest, order []int, column int) float64 {
	first, next := t.rows[c.Cells[order[0]]].estimate(column).Mean, t.rows[c.Cells[order[1]]].estimate(column).Mean
	if next == 0 {
		return math.Inf(1)
	}
	return math.Abs(first-next) / next
}

// saidOneSeed is said of rankings by single runs.
const saidOneSeed = "One seed: the ranking has no confidence interval."

// verdict sums up a metric over all that can be compared, in sentences.
func (t *table) verdict(column int) []string {
	m := &t.metrics[column]
	title, most := t.shortTitle(column), "highest"
	if m.LowerIsBetter {
		most = "lowest"
	}
	names := t.variants()
	wins := map[int][]float64{} // leads by variant
	sole := map[int]int{}
	near, alike, none, oneSeed := 0, 0, 0, false
	unranked := false // for another reason than that they did not finish
	for k := range t.contests {
		c := &t.contests[k]
		r := t.numbers.Rank(c, column)
		oneSeed = oneSeed || r.OneSeed
		switch {
		case len(r.Order) == 0:
			none++
			unranked = unranked || !t.onlyUnfinished(c, &r, column)
		case len(r.Order) == 1 && len(r.Barred) > 0:
			sole[r.Order[0]]++
			unranked = unranked || !t.onlyUnfinished(c, &r, column)
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
			least, largest := readable.Percent(slices.Min(wins[v])), readable.Percent(slices.Max(wins[v]))
			if least != largest {
				least = strings.TrimSuffix(least, " %") + " to " + largest
			}
			text += ", " + least + map[bool]string{true: " below", false: " above"}[m.LowerIsBetter] + " the next"
		}
		if sole[v] > 0 {
			what := "to finish"
			if unranked {
				what = "that is ranked"
			}
			text += fmt.Sprintf(", the only one %s in %d", what, sole[v])
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
	if unranked {
		say(none, "none is ranked")
	} else {
		say(none, "none finished")
	}
	if oneSeed {
		said = append(said, saidOneSeed)
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
	marked := func(v int) string {
		if marks := t.rows[c.Cells[v]].Marks(); marks != "" {
			return value(v) + ", " + marks
		}
		return value(v)
	}
	barred := t.barred(c, &r, column)
	switch {
	case len(r.Order) == 0 && barred == "":
		return []string{"No run has a result yet."}
	case len(r.Order) == 0 && t.onlyUnfinished(c, &r, column):
		return []string{"No variant finished."}
	case len(r.Order) == 0:
		return []string{"No variant is ranked."}
	case len(r.Order) == 1 && barred != "" && !t.onlyUnfinished(c, &r, column):
		return []string{fmt.Sprintf("Only %s is ranked: %s %s.", names[r.Order[0]], title, marked(r.Order[0]))}
	case len(r.Order) == 1:
		return []string{readable.Capital(t.contestVerdict(c, column)) + fmt.Sprintf(": %s %s.", title, marked(r.Order[0]))}
	case t.equal(c, r.Order, column):
		return []string{fmt.Sprintf("%s the same %s: %s.", t.allOf(r.Order), title, marked(r.Order[0]))}
	case len(r.Near) > 0:
		var near []string
		for _, v := range append([]int{r.Order[0]}, r.Near...) {
			near = append(near, names[v]+" ("+marked(v)+")")
		}
		return []string{fmt.Sprintf("The %s %s is not separated: the %s of %s overlap.", most, title, t.intervals(), list(near))}
	}
	first := value(r.Order[0])
	if marks := t.rows[c.Cells[r.Order[0]]].Marks(); marks != "" {
		first += " (" + marks + ")"
	}
	said := []string{fmt.Sprintf("%s has the %s %s: %s, %s %s (%s).", names[r.Order[0]], most, title, first, t.margin(c, r.Order, column), names[r.Order[1]], marked(r.Order[1]))}
	if r.OneSeed {
		return append(said, saidOneSeed)
	}
	return append(said, "Their "+t.intervals()+" do not overlap.")
}

// allOf begins a sentence about variants that are alike.
func (t *table) allOf(variants []int) string {
	names := t.variants()
	if len(variants) == len(names) {
		return "All variants have"
	}
	var some []string
	for _, v := range variants {
		some = append(some, names[v])
	}
	return list(some) + " have"
}

// seeds tells whether cells have few seeds, whose intervals are their extremes, and enough for more.
func (t *table) seeds() (few, enough bool) {
	for i := range t.rows {
		switch n := t.rows[i].Done; {
		case n >= study.EnoughSeeds:
			enough = true
		case n > 1:
			few = true
		}
	}
	return few, enough
}

// ends are what charts call the ends of intervals.
func (t *table) ends() [2]string {
	switch few, enough := t.seeds(); {
	case few && enough:
		return [2]string{"interval, low", "interval, high"}
	case few:
		return [2]string{"lowest seed", "highest seed"}
	}
	return [2]string{"95 % low", "95 % high"}
}

// intervalMeaning says what intervals are in the tables of numbers.
func (t *table) intervalMeaning() string {
	switch few, enough := t.seeds(); {
	case few && enough:
		return fmt.Sprintf("its 95 %% confidence interval, or the extremes of its seeds if they are fewer than %d", study.EnoughSeeds)
	case few:
		return "the extremes of its seeds"
	}
	return "its 95 % confidence interval"
}

// intervals is what intervals are called: those of few seeds are no more than their extremes.
func (t *table) intervals() string {
	if t.numbers.Footnote() != "" {
		return "intervals"
	}
	return "95 % intervals"
}

// shortTitle is a metric's title without its group of traffic and without what stands in brackets.
func (t *table) shortTitle(column int) string {
	title, _, _ := strings.Cut(t.metrics[column].Title, " (")
	if group := t.metrics[column].Group; group != "" {
		title = strings.TrimPrefix(title, group+": ")
	}
	return title
}

// list joins words as a sentence has them.
func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

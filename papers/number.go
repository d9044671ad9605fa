package papers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/study"
	"weft/unit"
)

// number is what a condition is about: a metric of a cell, or a ratio of two, over
// seeds.
type number struct {
	seeds  []uint64
	values []float64
	unit   string
	// ratio tells that it is a quotient.
	ratio bool
	// failed counts runs that have no whole result, why is what the first of them
	// was; unfinished is which share of the messages that it is of did not finish.
	failed     int
	unfinished float64
	why        string
	// endless tells that it is a time that no run came to the end of.
	endless bool
	// model tells that it is a model's rather than of seeds.
	model bool
	// nothing tells that it compares zero with zero, and window is why the measurement window of a run
	// is too short for it, or the run unstable.
	nothing  bool
	window   string
	estimate study.Estimate
}

// numberOf is a sample as a number.
func numberOf(s *Sample) number {
	if s.Known != nil {
		return number{unit: s.Unit, model: true, estimate: *s.Known}
	}
	return number{seeds: s.Seeds, values: s.Values, unit: s.Unit, failed: s.Failed, why: s.Why, unfinished: s.Share, endless: s.Endless, window: s.Window, estimate: s.Estimate()}
}

// over is the quotient of two numbers, paired by seed.
func (a number) over(b number) number {
	if a.model || b.model {
		return a.quotient(b)
	}
	q := number{ratio: true, failed: a.failed + b.failed, why: cmp.Or(a.why, b.why), unfinished: max(a.unfinished, b.unfinished), window: cmp.Or(a.window, b.window)}
	zeros := 0
	for i, seed := range a.seeds {
		j := slices.Index(b.seeds, seed)
		if j < 0 {
			continue
		}
		v := a.values[i] / b.values[j]
		if a.values[i] == 0 && b.values[j] == 0 {
			v = 1 // nothing of either: neither has more
			zeros++
		}
		q.seeds, q.values = append(q.seeds, seed), append(q.values, v)
	}
	q.nothing = zeros > 0 && zeros == len(q.values)
	q.estimate = study.NewEstimate(q.values)
	return q
}

// minus is the difference of two numbers, paired by seed.
func (a number) minus(b number) number {
	d := number{unit: a.unit, failed: a.failed + b.failed, why: cmp.Or(a.why, b.why), unfinished: max(a.unfinished, b.unfinished), window: cmp.Or(a.window, b.window)}
	for i, seed := range a.seeds {
		if j := slices.Index(b.seeds, seed); j >= 0 {
			d.seeds, d.values = append(d.seeds, seed), append(d.values, a.values[i]-b.values[j])
		}
	}
	d.estimate = study.NewEstimate(d.values)
	return d
}

// meanOf is the mean of numbers, seed by seed.
func meanOf(list []number) number {
	if list[0].model {
		return meanOfModels(list)
	}
	m := number{unit: list[0].unit, ratio: list[0].ratio}
	for i, seed := range list[0].seeds {
		sum := 0.0
		for _, n := range list {
			j := slices.Index(n.seeds, seed)
			if j < 0 {
				sum = math.NaN()
				break
			}
			sum += n.values[j]
		}
		m.seeds, m.values = append(m.seeds, list[0].seeds[i]), append(m.values, sum/float64(len(list)))
	}
	m.nothing = true
	for _, n := range list {
		m.failed += n.failed
		m.unfinished = max(m.unfinished, n.unfinished)
		m.why, m.window = cmp.Or(m.why, n.why), cmp.Or(m.window, n.window)
		m.nothing = m.nothing && n.nothing
	}
	m.estimate = study.NewEstimate(m.values)
	return m
}

// doubt is why a number decides nothing, nil if it does.
func (a number) doubt() *Doubt {
	switch {
	case a.nothing:
		return &Doubt{doubtZero, "zero is compared with zero"}
	case a.window != "":
		return &Doubt{DoubtWindow, a.window}
	case a.estimate.N == 1 && !a.model:
		return &Doubt{doubtSeed, "one seed has no interval"}
	}
	return nil
}

// meanOfModels is the mean of numbers that share no seeds: its interval is as wide as
// it can be.
func meanOfModels(list []number) number {
	m := number{unit: list[0].unit, ratio: list[0].ratio, model: true}
	share := 1 / float64(len(list))
	for _, n := range list {
		m.estimate.N = n.estimate.N
		m.estimate.Mean += n.estimate.Mean * share
		m.estimate.Low += n.estimate.Low * share
		m.estimate.High += n.estimate.High * share
	}
	m.estimate.Min, m.estimate.Max = m.estimate.Low, m.estimate.High
	return m
}

// none says why there is no number.
func (a number) none() string {
	switch {
	case a.failed > 0:
		return fmt.Sprintf("no run has a complete result (%s)", firstLine(a.why))
	case a.ratio && len(a.values) > 0:
		return "the divisor is missing"
	}
	return "no run has this number"
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > 120 {
		s = string(r[:119]) + "…"
	}
	return s
}

// quantity writes a number with its unit.
func quantity(v float64, unit string, ratio bool) string {
	if ratio {
		return digits(v) + "×"
	}
	unit, by := shownIn(v, unit)
	text := digits(v / by)
	if unit != "" {
		text += " " + unit
	}
	return text
}

// shownIn returns the unit in which a number is shown, and what it is divided by for that:
// many bytes are kilobytes or megabytes.
func shownIn(v float64, in string) (shown string, by float64) {
	if in == "B" {
		return unit.ScaleOfBytes(math.Abs(v))
	}
	return in, 1
}

// digits writes a number for people: four significant digits, and whole numbers up
// to a million in full.
func digits(v float64) string {
	if a := math.Abs(v); a == math.Trunc(a) && a < 1e6 || a >= 1000 && a < 1e6 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// rounding is what arithmetic may add to a distance that is just allowed.
const rounding = 1e-9

// met tells whether a number keeps a bound, and if not, why. Neither a number that is
// undefined nor such a bound does: no comparison with one holds, that it is too far away
// as little as that it is near.
func (b *Bound) met(n number) (ok bool, why string) {
	e := n.estimate
	show := func(v float64) string { return quantity(v, n.unit, n.ratio) }
	switch {
	case e.N == 0:
		return false, n.none()
	case math.IsNaN(e.Mean):
		return false, "the number is undefined (NaN), so it meets no bound"
	case b.undefined():
		return false, "the bound is undefined (NaN), so no number meets it"
	case b.About != nil && b.Within != nil && math.Abs(e.Mean-*b.About) > float64(*b.Within)*math.Abs(*b.About):
		off := (e.Mean - *b.About) / math.Abs(*b.About)
		return false, fmt.Sprintf("%s is %.0f %% %s %s, but %s %% are allowed", show(e.Mean), 100*math.Abs(off), side(off), show(*b.About), digits(100*float64(*b.Within)))
	case b.About != nil && b.By != nil && !(math.Abs(e.Mean-*b.About) <= *b.By+rounding):
		off := e.Mean - *b.About
		return false, fmt.Sprintf("%s is %s %s %s, but %s is allowed", show(e.Mean), show(math.Abs(off)), side(off), show(*b.About), show(*b.By))
	case b.Covers != nil && !(e.Low <= *b.Covers+b.Round+rounding && e.High >= *b.Covers-b.Round-rounding):
		if e.Low == e.High {
			return false, fmt.Sprintf("%s is not %s", show(e.Mean), b.covered(show))
		}
		return false, fmt.Sprintf("the interval [%s, %s] does not reach %s", show(e.Low), show(e.High), b.covered(show))
	case b.About != nil && b.Times != nil && (e.Mean <= 0 || math.Abs(math.Log(e.Mean / *b.About)) > math.Log(*b.Times)):
		return false, fmt.Sprintf("%s is not within a factor of %s of %s", show(e.Mean), digits(*b.Times), show(*b.About))
	case b.AtLeast != nil && e.Mean < *b.AtLeast:
		return false, fmt.Sprintf("%s is below %s", show(e.Mean), show(*b.AtLeast))
	case b.AtMost != nil && e.Mean > *b.AtMost:
		return false, fmt.Sprintf("%s is above %s", show(e.Mean), show(*b.AtMost))
	}
	above := b.AtLeast != nil && *b.AtLeast > 1
	below := b.AtMost != nil && *b.AtMost < 1
	switch {
	case !n.ratio || !above && !below:
		return true, ""
	case e.N < 2:
		return false, "one seed has no interval to separate the ratio from 1"
	case math.IsNaN(e.Low) || math.IsNaN(e.High):
		return false, "its interval is undefined (NaN), and cannot separate the ratio from 1"
	case above && e.Low <= 1 || below && e.High >= 1:
		return false, fmt.Sprintf("the interval [%s, %s] reaches 1", digits(e.Low), digits(e.High))
	}
	return true, ""
}

// none tells whether a bound is kept if there is nothing on either side, as by "no more than".
func (b *Bound) none() bool {
	return b.AtMost != nil && *b.AtMost >= 1 && b.About == nil && b.AtLeast == nil && b.Covers == nil
}

// undefined tells whether a number that the bound names is none, as of a model that has no
// value.
func (b *Bound) undefined() bool {
	return slices.ContainsFunc([]*float64{b.About, (*float64)(b.Within), b.By, b.Covers, &b.Round, b.Times, b.AtLeast, b.AtMost},
		func(v *float64) bool { return v != nil && math.IsNaN(*v) })
}

// side tells on which side of another a number is by their difference.
func side(off float64) string {
	if off < 0 {
		return "below"
	}
	return "above"
}

// covered is the printed number that an interval must reach.
func (b *Bound) covered(show func(float64) string) string {
	text := show(*b.Covers)
	if b.Round > 0 {
		text += " ± " + digits(b.Round)
	}
	return text
}

// text says what is demanded.
func (b *Bound) text(unit string, ratio bool) string {
	show := func(v float64) string { return quantity(v, unit, ratio) }
	var words []string
	if b.About != nil {
		near := ""
		if b.Within != nil {
			near = fmt.Sprintf(" ± %s %%", digits(100*float64(*b.Within)))
		} else if b.By != nil {
			near = " ± " + digits(*b.By)
		} else if b.Times != nil {
			near = fmt.Sprintf(" within a factor of %s", digits(*b.Times))
		}
		words = append(words, show(*b.About)+near)
	}
	if b.Covers != nil {
		words = append(words, "an interval that reaches "+b.covered(show))
	}
	if b.AtLeast != nil {
		words = append(words, "at least "+show(*b.AtLeast))
	}
	if b.AtMost != nil {
		words = append(words, "at most "+show(*b.AtMost))
	}
	return strings.Join(words, ", ")
}

// below tells whether a is below b with disjoint 95 % intervals, and if not, why. What is
// no number is below nothing and has nothing below it.
func (a number) below(b number) (ok bool, why string) {
	x, y := a.estimate, b.estimate
	switch {
	case x.N == 0:
		return false, a.none()
	case y.N == 0 && b.endless:
		return true, ""
	case y.N == 0:
		return false, b.none()
	case !(x.Mean < y.Mean):
		return false, "it is not below"
	case x.N < 2 || y.N < 2:
		return false, "one seed has no interval"
	case !(x.High < y.Low):
		return false, "the intervals overlap"
	}
	return true, ""
}

package study

import (
	"fmt"
	"slices"
	"strings"
)

// NoAxis stands for the index of an axis that a table does not have.
const NoAxis = -1

// VariantAxis returns the index of the axis whose levels readers want compared. It is the
// axis of compare:, or else one of the transport, or else the first one that is not about
// traffic, topology or faults and has no numbers. If all have numbers, one of them is
// taken, and then one of the topology. It is NoAxis if a study varies only its workload.
func (t *Table) VariantAxis() int {
	of := func(may func(a *Axis) bool) int {
		return slices.IndexFunc(t.Axes, func(a Axis) bool { return len(a.Levels) > 1 && may(&a) })
	}
	under := func(a *Axis, keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool {
			return a.Path == key || strings.HasPrefix(a.Path, key+".") || strings.HasPrefix(a.Path, key+"[")
		})
	}
	for _, may := range []func(a *Axis) bool{
		func(a *Axis) bool { return a.Name == "variant" },
		func(a *Axis) bool { return under(a, "transport") },
		func(a *Axis) bool { return a.Numbers == nil && !under(a, "traffic", "topology", "faults") },
		func(a *Axis) bool {
			return a.Path != "" && !under(a, "traffic", "topology", "faults", "until", "measure")
		},
		func(a *Axis) bool { return under(a, "topology") },
	} {
		if i := of(may); i >= 0 {
			return i
		}
	}
	return NoAxis
}

// Contest is one combination of the levels of all axes except the variants'. Only runs under
// the same load, workload and faults can be compared.
type Contest struct {
	// Name lists the levels of the other axes, as in "load 60%, fault healthy". It is empty
	// if they have one level each.
	Name string
	// Levels holds the index of its level on each axis, and NoAxis for the axis of
	// variants.
	Levels []int
	// Cells holds the index of the cell of each variant, or NoAxis if there is none.
	Cells []int
}

// Contests groups the cells into contests, in order. Without an axis of variants (NoAxis)
// each cell is a contest of its own.
func (t *Table) Contests(axis int) []Contest {
	var list []Contest
	places := map[string]int{}
	variants := 1
	if axis != NoAxis {
		variants = len(t.Axes[axis].Levels)
	}
	for i := range t.Cells {
		levels := slices.Clone(t.Cells[i].Levels)
		variant := 0
		if axis != NoAxis {
			variant, levels[axis] = levels[axis], NoAxis
		}
		key := fmt.Sprint(levels)
		at, known := places[key]
		if !known {
			at = len(list)
			places[key] = at
			list = append(list, Contest{Name: t.levelNames(levels), Levels: levels, Cells: slices.Repeat([]int{NoAxis}, variants)})
		}
		list[at].Cells[variant] = i
	}
	return list
}

// levelNames lists the levels on axes that have several.
func (t *Table) levelNames(levels []int) string {
	var words []string
	for a, level := range levels {
		if level != NoAxis && len(t.Axes[a].Levels) > 1 {
			words = append(words, t.Axes[a].Name+" "+t.Axes[a].Levels[level])
		}
	}
	return strings.Join(words, ", ")
}

// Ranking orders the variants of a contest by a metric.
type Ranking struct {
	// Order lists the variants that may be ranked, best first.
	Order []int
	// Barred lists the variants that have results but may not be ranked.
	Barred []int
	// Near lists the other variants whose intervals overlap the best one's: the seeds do
	// not separate them from it.
	Near []int
	// OneSeed: some value has only one seed, so the confidence in the order is unknown.
	OneSeed bool
}

// Separated reports whether the best variant is better than every other ranked one, beyond
// their intervals.
func (r *Ranking) Separated() bool { return len(r.Order) > 1 && len(r.Near) == 0 && !r.OneSeed }

// Rank orders the variants of a contest by a metric. The order is empty for a metric
// without a better direction.
func (t *Table) Rank(c *Contest, column int) Ranking {
	m := &t.Metrics[column]
	var r Ranking
	if m.Neutral {
		return r
	}
	value := func(variant int) Estimate {
		e, _ := t.Value(&t.Cells[c.Cells[variant]], column)
		return e
	}
	for variant, cell := range c.Cells {
		if cell == NoAxis {
			continue
		}
		c := &t.Cells[cell]
		switch e, _ := t.Value(c, column); {
		case !c.Ranks(m):
			r.Barred = append(r.Barred, variant)
		case e.N > 0:
			r.Order = append(r.Order, variant)
			r.OneSeed = r.OneSeed || e.N < 2
		}
	}
	slices.SortStableFunc(r.Order, func(a, b int) int {
		x, y := value(a).Mean, value(b).Mean
		if !m.LowerIsBetter {
			x, y = y, x
		}
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for i, variant := range r.Order {
		if best, e := value(r.Order[0]), value(variant); i > 0 && best.N > 1 && e.N > 1 && best.Low <= e.High && e.Low <= best.High {
			r.Near = append(r.Near, variant)
		}
	}
	return r
}

package study

import (
	"fmt"
	"slices"
	"strings"
)

// NoAxis is the place of an axis that a table does not have.
const NoAxis = -1

// VariantAxis returns the place of the axis whose levels are variants, which readers want
// compared: that of compare:, or else one of the transport, or else the first one that is
// neither traffic nor, if there is another, the topology or a number. It is NoAxis if a study
// varies only its workload.
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
	// Name says the levels of the other axes, as in "load 60%, fault healthy"; it is empty
	// if they have one level each.
	Name string
	// Levels are its levels, one for each axis; NoAxis stands at that of the variants.
	Levels []int
	// Cells are the places of its cells, one for each variant; NoAxis where there is none.
	Cells []int
}

// Contests sorts the cells by what can be compared, in their order. Without an axis of
// variants (NoAxis) each cell is alone.
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

// levelNames says the levels of axes that have several.
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
	// Order is the variants that may be ranked, the best first.
	Order []int
	// Barred are those that have runs with results but may not be.
	Barred []int
	// Near are those after the best whose intervals overlap the best's: the seeds do not
	// separate them from it.
	Near []int
	// OneSeed reports that some value has only one seed, so the order's confidence is unknown.
	OneSeed bool
}

// Separated tells whether the best is better than every other variant whose value counts,
// beyond their intervals.
func (r *Ranking) Separated() bool { return len(r.Order) > 1 && len(r.Near) == 0 && !r.OneSeed }

// Rank orders the variants of a contest by a metric. It leaves the order empty for a metric
// with no better direction.
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

package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/nearest"
	"weft/study"
)

// none is the place of an axis that there is not.
const none = -1

var errNoAxes = errors.New("it has no axis with several levels; its table has all numbers")

// studyView is which axis of a study is shown how.
type studyView struct {
	table *study.Table
	// x and color are places of axes; color may be none.
	x, color int
	// panels are places of axes, the last one running from left to right.
	panels []int
	// fixed are the levels of the others.
	fixed map[int]int
	// cells are those of the table by their levels.
	cells map[string]*study.Cell
	// points are the levels of the panel axes, a panel each; all are those of the other
	// figures of the same view, too.
	points, all [][]int
	notices     []string
}

func newStudyView(t *study.Table, o StudyOptions) (*studyView, error) {
	v := emptyView(t)
	if err := v.assign(o); err != nil {
		return nil, err
	}
	v.split()
	v.count()
	return v, nil
}

func emptyView(t *study.Table) *studyView {
	v := &studyView{table: t, x: none, color: none, fixed: map[int]int{}, cells: map[string]*study.Cell{}}
	for i := range t.Cells {
		v.cells[fmt.Sprint(t.Cells[i].Levels)] = &t.Cells[i]
	}
	return v
}

// assign gives each axis its place in figures.
func (v *studyView) assign(o StudyOptions) error {
	taken := map[int]string{}
	take := func(name, role string) (int, error) {
		i, err := v.known(name)
		if err != nil {
			return none, err
		}
		if other, twice := taken[i]; twice {
			return none, fmt.Errorf("axis %q cannot be both %s and %s; leave one out", name, other, role)
		}
		taken[i] = role
		return i, nil
	}
	for _, name := range slices.Sorted(maps.Keys(o.Fix)) {
		if _, err := take(name, "held at a level"); err != nil {
			return err
		}
		if err := v.hold(name, o.Fix[name]); err != nil {
			return err
		}
	}
	var err error
	if o.X != "" {
		if v.x, err = take(o.X, "the horizontal axis"); err != nil {
			return err
		}
	}
	if o.Color != "" {
		if v.color, err = take(o.Color, "what colours tell apart"); err != nil {
			return err
		}
	}
	for _, name := range o.Panels {
		i, err := take(name, "what panels differ in")
		if err != nil {
			return err
		}
		v.panels = append(v.panels, i)
	}
	var free []int
	for i, a := range v.table.Axes {
		switch {
		case taken[i] != "":
		case len(a.Levels) > 1:
			free = append(free, i)
		default:
			v.fixed[i] = 0
		}
	}
	if v.x == none {
		v.x = v.bestX(free)
		free = slices.DeleteFunc(free, func(i int) bool { return i == v.x })
	}
	if v.x == none {
		// The one axis that is left was given to colours or panels.
		switch {
		case v.color != none:
			v.x, v.color = v.color, none
		case len(v.panels) > 0:
			v.x, v.panels = v.panels[len(v.panels)-1], v.panels[:len(v.panels)-1]
		default:
			return errNoAxes
		}
	}
	if v.color == none && len(free) > 0 {
		// Colours tell variants apart, if they are not taken.
		at := max(slices.Index(free, v.table.VariantAxis()), 0)
		v.color = free[at]
		free = slices.Delete(free, at, at+1)
	}
	v.panels = append(free, v.panels...)
	return nil
}

// known returns the place of an axis.
func (v *studyView) known(name string) (int, error) {
	i := v.axis(name)
	if i == none {
		return none, fmt.Errorf("there is no axis %q; %s", name, nearest.Remedy(name, "there are", v.axisNames()))
	}
	return i, nil
}

// hold keeps an axis at a level.
func (v *studyView) hold(axis, label string) error {
	i, err := v.known(axis)
	if err != nil {
		return err
	}
	j := slices.Index(v.table.Axes[i].Levels, label)
	if j < 0 {
		return fmt.Errorf("axis %q has no level %q; %s", axis, label, nearest.Remedy(label, "there are", v.table.Axes[i].Levels))
	}
	v.fixed[i] = j
	return nil
}

// bestX is the numeric axis with most levels, or else another one with most: not that of
// the variants, nor the first, which are what one compares, unless it is the only one.
func (v *studyView) bestX(free []int) int {
	if variants := v.table.VariantAxis(); v.color == none && len(free) > 1 {
		free = slices.DeleteFunc(slices.Clone(free), func(i int) bool { return i == variants })
	}
	most := func(axes []int) int {
		best := none
		for _, i := range axes {
			if best == none || len(v.table.Axes[i].Levels) > len(v.table.Axes[best].Levels) {
				best = i
			}
		}
		return best
	}
	numeric := slices.DeleteFunc(slices.Clone(free), func(i int) bool { return v.table.Axes[i].Numbers == nil })
	switch {
	case len(numeric) > 0:
		return most(numeric)
	case len(free) > 1 && v.color == none:
		return most(free[1:])
	}
	return most(free)
}

func (v *studyView) axis(name string) int {
	return slices.IndexFunc(v.table.Axes, func(a study.Axis) bool { return a.Name == name })
}

func (v *studyView) axisNames() []string {
	var names []string
	for _, a := range v.table.Axes {
		names = append(names, a.Name)
	}
	return names
}

// split lists the panels that have cells.
func (v *studyView) split() {
	points := [][]int{nil}
	for _, axis := range v.panels {
		var longer [][]int
		for _, p := range points {
			for j := range v.table.Axes[axis].Levels {
				longer = append(longer, append(slices.Clone(p), j))
			}
		}
		points = longer
	}
	for _, p := range points {
		if len(v.shown(p)) > 0 {
			v.points = append(v.points, p)
		}
	}
	v.all = v.points
}

func (v *studyView) namesOf(axes []int) string {
	var names []string
	for _, i := range axes {
		names = append(names, v.table.Axes[i].Name)
	}
	return strings.Join(names, " or ")
}

// count says what is missing.
func (v *studyView) count() {
	var planned, ended int
	for _, p := range v.points {
		for _, c := range v.shown(p) {
			planned += c.Runs
			ended += c.Done + c.Partial + c.Failed
		}
	}
	if ended < planned {
		v.notices = append(v.notices, fmt.Sprintf("%d of %d runs have not ended; the figures show the others", planned-ended, planned))
	}
	if v.color != none && len(v.table.Axes[v.color].Levels) > 2*styleCount {
		v.notices = append(v.notices, fmt.Sprintf("%d levels of %s are hard to tell apart; show it along the horizontal axis, or in panels",
			len(v.table.Axes[v.color].Levels), v.table.Axes[v.color].Name))
	}
}

// cell returns a cell of the table, or nil if it is excluded.
func (v *studyView) cell(panel []int, color, x int) *study.Cell {
	levels := make([]int, len(v.table.Axes))
	for i, j := range v.fixed {
		levels[i] = j
	}
	for i, axis := range v.panels {
		levels[axis] = panel[i]
	}
	if v.color != none {
		levels[v.color] = color
	}
	if v.x != none {
		levels[v.x] = x
	}
	return v.cells[fmt.Sprint(levels)]
}

// shown lists the cells in a panel.
func (v *studyView) shown(panel []int) []*study.Cell {
	var list []*study.Cell
	for color := range v.colors() {
		for x := range v.places() {
			if c := v.cell(panel, color, x); c != nil {
				list = append(list, c)
			}
		}
	}
	return list
}

// places is how many levels stand along the horizontal axis; one if that is of no axis of
// the study.
func (v *studyView) places() int {
	if v.x == none {
		return 1
	}
	return len(v.table.Axes[v.x].Levels)
}

// colors is how many colours there are.
func (v *studyView) colors() int {
	if v.color == none {
		return 1
	}
	return len(v.table.Axes[v.color].Levels)
}

// title names a panel.
func (v *studyView) title(panel []int) string {
	var words []string
	for i, axis := range v.panels {
		words = append(words, LevelName(v.table.Axes[axis], panel[i]))
	}
	return strings.Join(words, ", ")
}

// LevelName names a level where its axis is not named: a label that says nothing by
// itself has the axis before it.
func LevelName(a study.Axis, j int) string {
	label := inPrint(a.Levels[j])
	speaks := a.Numbers == nil && len(label) > 1 && !strings.ContainsAny(label[:1], "0123456789#")
	if speaks && !slices.Contains([]string{"true", "false", "none", "default", "inf"}, label) {
		return label
	}
	return a.Name + " " + label
}

// columns is in how many columns the panels stand: as many as the last panel axis
// has levels, so that rows differ in the other axes, if that fits.
func (v *studyView) columns() int {
	n := len(v.points)
	const most = 4
	if len(v.panels) > 1 {
		last := v.panels[len(v.panels)-1]
		if levels := len(v.table.Axes[last].Levels); levels > 1 && levels <= most && n%levels == 0 {
			return levels
		}
	}
	switch {
	case n <= 3:
		return n
	case n == 4:
		return 2
	}
	return 3
}

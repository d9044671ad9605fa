package scenario

import (
	"fmt"
	"strings"

	"weft/config"
)

// compareAxis is the name of the axis that the variants of compare: make.
const compareAxis = "variant"

// Matrix is a scenario file as a study: every combination of its variants and axes.
type Matrix struct {
	// Dimensions are the variants of compare:, if there are any, and then the axes
	// of matrix:.
	Dimensions []Dimension
	// Cells are the combinations that are not excluded; the last axis changes
	// first.
	Cells []Cell
	// Seeds are those that each cell runs with.
	Seeds []uint64
	// Notices are what the user should know, though nothing is wrong.
	Notices []string
}

// Dimension is an axis of a matrix.
type Dimension struct {
	Name string
	// Path is the parameter that it changes; empty if it changes several.
	Path string
	// Levels are the labels of its values.
	Levels []string
}

// Cell is one combination. Its scenario's Variant is its name among the cells, as
// in "ARCANE, load 60%", and its Seed the first of the matrix.
type Cell struct {
	*Scenario
	// Levels are indices into the levels of each dimension.
	Levels []int
}

// IsStudy tells whether the file has axes or seeds.
func (f *File) IsStudy() bool { return len(f.base.Matrix) > 0 || f.base.Seeds != nil }

// Matrix expands the file. What is wrong with an axis is a *config.Error.
func (f *File) Matrix() (*Matrix, error) {
	m := &Matrix{Notices: f.Notices}
	var err error
	if m.Seeds, err = seedList(f.base.Seeds, f.base.Seed); err != nil {
		return nil, err
	}
	axes, err := f.base.axes()
	if err != nil {
		return nil, err
	}
	if len(f.base.Compare) > 0 {
		first := axis{name: compareAxis}
		for _, v := range f.base.Compare {
			first.levels = append(first.levels, level{label: v.Name})
		}
		axes = append([]axis{first}, axes...)
	}
	cells := 1
	for _, a := range axes {
		d := Dimension{Name: a.name, Path: a.path}
		for _, l := range a.levels {
			d.Levels = append(d.Levels, l.label)
		}
		m.Dimensions = append(m.Dimensions, d)
		if cells *= len(a.levels); cells > maxCells {
			return nil, config.Problemf(f.base.At(matrixKey), "%s: the product of the axes has more than %d cells; leave some values out", matrixKey, maxCells)
		}
	}
	left, err := f.base.exclusions(m.Dimensions)
	if err != nil {
		return nil, err
	}
	x := expansion{file: f, axes: axes, matrix: m, left: left}
	if err := x.tryLevels(); err != nil {
		return nil, err
	}
	x.walk(f.root.Without(studyKeys...), make([]int, 0, len(axes)))
	if err := x.errs.Err(); err != nil {
		return nil, err
	}
	if len(m.Cells) == 0 {
		return nil, config.Problemf(f.base.At(excludeKey), "%s: it leaves nothing of the matrix, so that the study would have no runs; exclude less", excludeKey)
	}
	return m, nil
}

// expansion makes the cells of a matrix.
type expansion struct {
	file   *File
	axes   []axis
	matrix *Matrix
	left   []exclusion
	errs   config.Error
}

// tryLevels applies each level of each axis on its own: what is wrong with it is
// told once, and not for every combination.
func (x *expansion) tryLevels() error {
	errs := new(config.Error)
	root := x.file.root.Without(studyKeys...)
	for i, a := range x.axes {
		for j := range a.levels {
			changed, err := x.apply(root, i, j)
			if err == nil && a.path != "" {
				// A value that fits only with another axis's is no mistake, but one
				// for a parameter that does not exist is.
				_, err = x.file.loader.d.Decode(changed, new(Spec))
			}
			errs.Append(err)
		}
	}
	return errs.Err()
}

// apply sets what a level of an axis changes.
func (x *expansion) apply(root *config.Node, i, j int) (*config.Node, error) {
	v := Variant{}
	if a := x.axes[i]; a.name == compareAxis && len(x.file.base.Compare) > 0 {
		v = x.file.base.Compare[j]
	} else {
		v = Variant{Name: a.name + " " + a.levels[j].label, Set: &config.Node{Kind: config.Mapping, Fields: a.levels[j].sets}}
	}
	if v.Set != nil && v.Set.Get("seed") != nil {
		return nil, config.Problemf(v.Set.Get("seed").Place, "the seed is not for a variant or an axis of a study to change; list seeds under %s:", seedsKey)
	}
	return x.file.loader.vary(root, v)
}

// walk applies the axes one after another, each level once for all that follows.
func (x *expansion) walk(root *config.Node, levels []int) {
	i := len(levels)
	if i == len(x.axes) {
		x.cell(root, append([]int(nil), levels...))
		return
	}
	for j := range x.axes[i].levels {
		changed, err := x.apply(root, i, j)
		if err != nil {
			x.errs.Append(err)
			continue
		}
		x.walk(changed, append(levels, j))
	}
}

func (x *expansion) cell(root *config.Node, levels []int) {
	for _, e := range x.left {
		if e.holds(x.matrix.Dimensions, levels) {
			return
		}
	}
	name := x.name(levels)
	s, err := x.file.loader.scenario(root, name)
	if err != nil {
		x.errs.Append(err)
		return
	}
	s.Name, s.About = x.file.Name, x.file.About
	s.Seed = x.matrix.Seeds[0]
	x.matrix.Cells = append(x.matrix.Cells, Cell{s, levels})
}

// name describes a combination: labels that say nothing by themselves have the name
// of their axis before them.
func (x *expansion) name(levels []int) string {
	if len(levels) == 0 {
		return x.file.Name
	}
	words := make([]string, len(levels))
	for i, j := range levels {
		words[i] = x.matrix.Dimensions[i].Levels[j]
		if name := x.matrix.Dimensions[i].Name; name != compareAxis && !speaks(words[i]) {
			words[i] = fmt.Sprintf("%s %s", name, words[i])
		}
	}
	return strings.Join(words, ", ")
}

// speaks tells whether a label is a word rather than a quantity or number.
func speaks(label string) bool {
	return len(label) > 1 && !strings.ContainsAny(label[:1], "0123456789#") && label != "default" && label != "none" && label != "true" && label != "false"
}

package scenario

import (
	"fmt"
	"slices"
	"strings"

	"weft/config"
	"weft/problem"
)

// Matrix is a scenario file expanded to a study: all combinations of its variants and axes.
type Matrix struct {
	// Dimensions are the variants of compare:, if any, followed by the axes of matrix:.
	Dimensions []Dimension
	// Cells are the combinations that are not excluded. The last axis varies fastest.
	Cells []Cell
	// Seeds are the seeds that each cell runs with.
	Seeds []uint64
	// Notices are hints for the user; they are no errors.
	Notices []string
}

// Dimension is an axis of a matrix.
type Dimension struct {
	Name string
	// Path is the parameter that it changes, or empty if it changes several.
	Path string
	// Levels are the labels of its values.
	Levels []string
}

// Cell is one combination. Its scenario's Variant is the cell's name, as in "ARCANE, load
// 60%", and its Seed is the first seed of the matrix.
type Cell struct {
	*Scenario
	// Levels holds the index of the level in each dimension.
	Levels []int
}

// IsStudy reports whether the file has axes or seeds.
func (f *File) IsStudy() bool {
	return len(f.base.Matrix) > 0 || given(f.base.Seeds)
}

// checkMatrix checks the axes, seeds and exclusions of a file without expanding it.
func (f *File) checkMatrix() error {
	errs := new(config.Error)
	_, err := seedList(f.base.Seeds, f.base.Seed)
	errs.Append(err)
	axes, err := f.axes()
	errs.Append(err)
	if err == nil {
		_, err = f.base.exclusions(dimensions(axes))
		errs.Append(err)
	}
	return errs.Err()
}

// axes returns the variants, if any, and the axes of the matrix. It fails if their product
// is too large.
func (f *File) axes() ([]axis, error) {
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
		if cells *= len(a.levels); cells > maxCells {
			return nil, config.Wrong(f.base.At(matrixKey), problem.At(matrixKey, "%s: the product of the axes has more than %d cells", matrixKey, maxCells).Mend("leave some values out"))
		}
	}
	return axes, nil
}

func dimensions(axes []axis) []Dimension {
	var list []Dimension
	for _, a := range axes {
		d := Dimension{Name: a.name, Path: a.path}
		for _, l := range a.levels {
			d.Levels = append(d.Levels, l.label)
		}
		list = append(list, d)
	}
	return list
}

// Matrix expands the file into cells. Its error is a *config.Error about axes.
func (f *File) Matrix() (*Matrix, error) {
	// Options that a change of the topology's kind removes are only known for a whole
	// combination.
	m := &Matrix{Notices: slices.DeleteFunc(slices.Clone(f.Notices), func(text string) bool { return slices.Contains(f.loader.lost, text) })}
	var err error
	if m.Seeds, err = seedList(f.base.Seeds, f.base.Seed); err != nil {
		return nil, err
	}
	axes, err := f.axes()
	if err != nil {
		return nil, err
	}
	m.Dimensions = dimensions(axes)
	left, err := f.base.exclusions(m.Dimensions)
	if err != nil {
		return nil, err
	}
	// Notices about an axis are given once per level, not once per combination.
	l := f.loader
	l.notices = nil
	x := expansion{file: f, loader: l, axes: axes, matrix: m, left: left}
	if err := x.tryLevels(); err != nil {
		return nil, err
	}
	m.note(x.loader.notices)
	x.loader.sets = nil
	x.walk(f.root.Without(studyKeys...), make([]int, 0, len(axes)), nil)
	if err := x.problems(); err != nil {
		return nil, err
	}
	switch {
	case len(m.Cells) == 0:
		return nil, config.Wrong(f.base.At(excludeKey), problem.At(excludeKey, "%s: it leaves nothing of the matrix, so the study would have no runs", excludeKey).Mend("exclude less"))
	case len(m.Cells)*len(m.Seeds) > maxRuns:
		return nil, config.Wrong(f.base.At(seedsKey), problem.At(seedsKey, "%s: %d combinations with %d seeds each are more than %d runs", seedsKey, len(m.Cells), len(m.Seeds), maxRuns).Mend("use fewer of either"))
	}
	return m, nil
}

// note adds notices without repeating any.
func (m *Matrix) note(notices []string) {
	for _, text := range notices {
		if !slices.Contains(m.Notices, text) {
			m.Notices = append(m.Notices, text)
		}
	}
}

// expansion creates the cells of a matrix.
type expansion struct {
	file   *File
	loader loader
	axes   []axis
	matrix *Matrix
	left   []exclusion

	// doubtful holds the errors of levels that do not load by themselves, by axis and
	// level. Such a level may load together with another one, for example an option of a
	// balancer that another axis chooses. If it never loads, its error is reported once.
	doubtful map[place]error
	// tried are the levels of combinations that did not load.
	tried  map[place]bool
	failed []failedCell
}

// place identifies a level: its axis, and its index there.
type place struct{ axis, level int }

// failedCell is a mistake of a combination that none of its levels has by itself.
type failedCell struct {
	problem config.Problem
	name    string
	// others counts further combinations with the same mistake.
	others int
}

// tryLevels applies each level of each axis by itself. A level that cannot even be applied
// is an error.
func (x *expansion) tryLevels() error {
	x.doubtful, x.tried = map[place]error{}, map[place]bool{}
	errs := new(config.Error)
	root := x.file.root.Without(studyKeys...)
	// With variants, the file without them may be incomplete. Its mistakes are not blamed
	// on a level.
	base := new(config.Error)
	base.Append(x.file.base.validate())
	for i, a := range x.axes {
		for j := range a.levels {
			if errs.Full() || len(x.axes) == 1 && len(x.doubtful) >= config.MostProblems {
				// With a single axis, no other level can complete this one.
				return x.cut(errs)
			}
			changed, err := x.apply(root, i, j)
			if err != nil {
				errs.Append(err)
				continue
			}
			_, err = x.loader.scenario(changed, "")
			own := new(config.Error)
			own.Append(err)
			own.More = max(0, own.More-base.More)
			own.Problems = slices.DeleteFunc(own.Problems, func(p config.Problem) bool { return slices.Contains(base.Problems, p) })
			if err := own.Err(); err != nil {
				x.doubtful[place{i, j}] = err
			}
		}
	}
	return errs.Err()
}

// cut reports the errors of levels by themselves when not all levels were tried.
func (x *expansion) cut(errs *config.Error) error {
	for i, a := range x.axes {
		for j := range a.levels {
			errs.Append(x.doubtful[place{i, j}])
		}
	}
	errs.Cut = true
	return errs.Err()
}

// apply applies the changes of a level.
func (x *expansion) apply(root *config.Node, i, j int) (*config.Node, error) {
	a := x.axes[i]
	set, who, own := &config.Node{Kind: config.Mapping, Fields: a.levels[j].sets}, fmt.Sprintf("axis %q", a.name), ""
	if a.name == compareAxis && len(x.file.base.Compare) > 0 {
		v := x.file.base.Compare[j]
		set, who, own = v.Set, v.who(), setOfVariant(j, v.Name)
	}
	if !given(set) {
		return root, nil
	}
	for _, f := range set.Fields {
		switch key := firstKey(f.Key); {
		case key == "seed":
			return nil, config.Wrong(f.Place, problem.New("a variant or an axis cannot change the seed").Mend("list seeds under %s:", seedsKey))
		case slices.Contains(fileKeys(), key):
			return nil, config.Problemf(f.Place, "a variant or an axis of a study cannot change %q, which is set for the whole file", key)
		}
	}
	return x.loader.change(root, set, who, own)
}

// walk applies the axes one after another. It applies each level once for all combinations
// that continue it. lost holds the link options removed so far by changes of the topology's
// kind.
func (x *expansion) walk(root *config.Node, levels []int, lost []lostKey) {
	i := len(levels)
	if i == len(x.axes) {
		x.cell(root, slices.Clone(levels), lost)
		return
	}
	for j := range x.axes[i].levels {
		changed, err := x.apply(root, i, j)
		if err != nil {
			x.fail(err, append(levels, j))
			continue
		}
		x.walk(changed, append(levels, j), slices.Concat(lost, lostKeys(root, changed, x.who(i, j))))
	}
}

// who names a level for messages.
func (x *expansion) who(i, j int) string {
	if x.axes[i].name == compareAxis && len(x.file.base.Compare) > 0 {
		return x.file.base.Compare[j].who()
	}
	return fmt.Sprintf("axis %q, level %q", x.axes[i].name, x.axes[i].levels[j].label)
}

func (x *expansion) cell(root *config.Node, levels []int, lost []lostKey) {
	for _, e := range x.left {
		if e.holds(x.matrix.Dimensions, levels) {
			return
		}
	}
	name := x.name(levels)
	s, err := x.loader.scenario(root, name)
	if err != nil {
		x.fail(err, levels)
		return
	}
	for i, j := range levels {
		delete(x.doubtful, place{i, j})
	}
	s.Name, s.About = x.file.Name, x.file.About
	s.Seed = x.matrix.Seeds[0]
	x.matrix.Cells = append(x.matrix.Cells, Cell{s, levels})
	x.matrix.note(noticesOf(lost, root, s))
}

// fail records the mistakes of a combination, or of all combinations that begin with these
// levels.
func (x *expansion) fail(err error, levels []int) {
	for i, j := range levels {
		x.tried[place{i, j}] = true
	}
	all := new(config.Error)
	all.Append(err)
	name := x.name(levels)
	for _, p := range all.Problems {
		i := slices.IndexFunc(x.failed, func(f failedCell) bool {
			return f.problem == p || f.name != name && sameMistake(f.problem, p)
		})
		if i >= 0 {
			x.failed[i].others++
			continue
		}
		x.failed = append(x.failed, failedCell{problem: p, name: name})
	}
}

// problems reports the levels that never loaded, by themselves or in combination. If there
// are none, it reports the combinations that did not load.
func (x *expansion) problems() error {
	errs := new(config.Error)
	for i, a := range x.axes {
		for j := range a.levels {
			if at := (place{i, j}); x.tried[at] {
				errs.Append(x.doubtful[at])
			}
		}
	}
	if len(errs.Problems) > 0 {
		return errs.Err()
	}
	for _, f := range x.failed {
		where := fmt.Sprintf("(in %q; ", f.name)
		if f.others > 0 {
			where = fmt.Sprintf("(in %q and %d more; ", f.name, f.others)
		}
		errs.Append(f.problem.With(fmt.Sprintf(" %sto leave them out, list them under %s:)", where, excludeKey)).Err())
	}
	return errs.Err()
}

// name names a combination by its labels. A label that means nothing by itself follows the
// name of its axis.
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

// speaks reports whether a label is a word rather than a number or quantity.
func speaks(label string) bool {
	return len(label) > 1 && !strings.ContainsAny(label[:1], "0123456789#") && label != "default" && label != "none" && label != "true" && label != "false"
}

package scenario

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weft/config"
	"weft/internal/nearest"
)

// Axis is one dimension of a study: values of a parameter, or levels that change
// several parameters together.
type Axis struct {
	Name   string       `yaml:"name" default:"" doc:"Name of the axis in tables and on the command line; the last word of its path when absent."`
	Path   string       `yaml:"path" default:"" doc:"Parameter that the axis changes, as in transport.balancer or traffic.flows.size."`
	Values *config.Node `yaml:"values" doc:"Values of that parameter: a list, or a mapping of labels to values."`
	Range  *Range       `yaml:"range" doc:"Values from one quantity to another, instead of a list."`
	Zip    *config.Node `yaml:"zip" doc:"Parameters that change together, instead of path: a mapping of their paths to lists that are equally long."`
	Levels *config.Node `yaml:"levels" doc:"Named levels, instead of path: a mapping of labels to what each level sets, as in compare."`
}

// Range is quantities at equal distances or in equal proportions.
type Range struct {
	From   string `yaml:"from" doc:"First value, with its unit, as in 20% or 64KiB."`
	To     string `yaml:"to" doc:"Last value, in the same unit; it is left out if no step meets it."`
	Step   string `yaml:"step" default:"" doc:"Difference of two values, in the same unit."`
	Factor string `yaml:"factor" default:"" doc:"Quotient of two values, instead of step; above 1."`
}

const (
	matrixKey  = "matrix"
	excludeKey = "exclude"
	seedsKey   = "seeds"

	// maxLevels bounds an axis, maxCells the product of all, maxSeeds the seeds:
	// more is a slip of the pen.
	maxLevels = 10000
	maxCells  = 100000
	maxSeeds  = 1000000
)

// level is one value of an axis: a label and the paths that it sets.
type level struct {
	label string
	sets  []config.Field
}

// axis is an Axis that was read.
type axis struct {
	name, path string
	levels     []level
}

// axes reads the axes of a matrix.
func (s *Scenario) axes() ([]axis, error) {
	errs := new(config.Error)
	var list []axis
	for i := range s.Matrix {
		where := fmt.Sprintf("%s[%d]", matrixKey, i)
		a, err := readAxis(&s.Matrix[i], s.At(where))
		if err != nil {
			errs.Append(err)
			continue
		}
		if slices.ContainsFunc(list, func(b axis) bool { return b.name == a.name }) || a.name == compareAxis && len(s.Compare) > 0 {
			errs.Add(s.At(where), "%s: another axis is called %q already; give this one a name of its own with name:", where, a.name)
			continue
		}
		list = append(list, a)
	}
	return list, errs.Err()
}

func readAxis(a *Axis, at config.Place) (axis, error) {
	given := 0
	for _, is := range []bool{a.Values != nil, a.Range != nil, a.Zip != nil, a.Levels != nil} {
		if is {
			given++
		}
	}
	problem := func(format string, args ...any) (axis, error) {
		return axis{}, config.Problemf(at, "%s: "+format, append([]any{matrixKey}, args...)...)
	}
	switch needsPath := a.Values != nil || a.Range != nil; {
	case given != 1:
		return problem("an axis has one of values, range, zip and levels; this one has %d of them", given)
	case needsPath && a.Path == "":
		return problem("an axis with values or range says by path which parameter it changes, as in path: transport.balancer")
	case !needsPath && a.Path != "":
		return problem("an axis with zip or levels has no path; its parameters stand below zip or levels")
	}
	out := axis{name: a.Name, path: a.Path}
	if out.name == "" {
		out.name = axisName(a)
	}
	if out.name == "" {
		return problem("an axis of levels needs a name")
	}
	var err error
	switch {
	case a.Values != nil:
		out.levels, err = valueLevels(a.Path, a.Values)
	case a.Range != nil:
		out.levels, err = rangeLevels(a.Path, a.Range, at)
	case a.Zip != nil:
		out.levels, err = zipLevels(a.Zip)
	default:
		out.levels, err = namedLevels(a.Levels)
	}
	if err != nil {
		return axis{}, err
	}
	return out, out.check(at)
}

// axisName returns the last words of what an axis changes.
func axisName(a *Axis) string {
	last := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	if a.Path != "" {
		return last(a.Path)
	}
	var names []string
	if a.Zip != nil {
		for _, f := range a.Zip.Fields {
			names = append(names, last(f.Key))
		}
	}
	return strings.Join(names, "+")
}

func (a *axis) check(at config.Place) error {
	switch {
	case len(a.levels) == 0:
		return config.Problemf(at, "%s: axis %q has no values, so that the study would have no runs; give it at least one", matrixKey, a.name)
	case len(a.levels) > maxLevels:
		return config.Problemf(at, "%s: axis %q has %d values, and at most %d make sense", matrixKey, a.name, len(a.levels), maxLevels)
	}
	seen := map[string]bool{}
	for _, l := range a.levels {
		if seen[l.label] {
			return config.Problemf(at, "%s: two values of axis %q are called %q; name them, as in values: {first: …, second: …}", matrixKey, a.name, l.label)
		}
		seen[l.label] = true
	}
	return nil
}

func valueLevels(path string, n *config.Node) ([]level, error) {
	set := func(v *config.Node) []config.Field {
		return []config.Field{{Key: path, Place: v.Place, Value: v}}
	}
	var list []level
	switch n.Kind {
	case config.Sequence:
		for i, v := range n.Items {
			list = append(list, level{labelOf(v, i), set(v)})
		}
	case config.Mapping:
		for _, f := range n.Fields {
			list = append(list, level{f.Key, set(f.Value)})
		}
	default:
		return nil, config.Problemf(n.Place, "values are a list, as in [ecmp, ops], or a mapping of labels to values, not %v", n.Kind)
	}
	return list, nil
}

// labelOf names a value: what a scalar says, the kind of a choice with its options,
// or else its place in the list.
func labelOf(v *config.Node, i int) string {
	switch v.Kind {
	case config.Scalar:
		return v.Text
	case config.Null:
		return "default"
	case config.Mapping:
		var words []string
		for _, f := range v.Fields {
			if f.Value.Kind != config.Scalar {
				return fmt.Sprintf("#%d", i+1)
			}
			if f.Key == config.KindKey {
				words = append([]string{f.Value.Text}, words...)
			} else {
				words = append(words, f.Key+"="+f.Value.Text)
			}
		}
		return strings.Join(words, " ")
	}
	if len(v.Items) == 0 {
		return "none"
	}
	return fmt.Sprintf("#%d", i+1)
}

func zipLevels(n *config.Node) ([]level, error) {
	if n.Kind != config.Mapping {
		return nil, config.Problemf(n.Place, "zip is a mapping of paths to lists, as in {traffic.flows.size: [64KiB, 1MiB], transport.rto: [50us, 100us]}, not %v", n.Kind)
	}
	var list []level
	for i, f := range n.Fields {
		if f.Value.Kind != config.Sequence {
			return nil, config.Problemf(f.Value.Place, "%s: in zip every path has a list of values, not %v", f.Key, f.Value.Kind)
		}
		if i == 0 {
			list = make([]level, len(f.Value.Items))
		}
		if len(f.Value.Items) != len(list) {
			return nil, config.Problemf(f.Value.Place, "%s: %d values here, and %d for %s; zipped lists are equally long", f.Key, len(f.Value.Items), len(list), n.Fields[0].Key)
		}
		for j, v := range f.Value.Items {
			if list[j].label != "" {
				list[j].label += "+"
			}
			list[j].label += labelOf(v, j)
			list[j].sets = append(list[j].sets, config.Field{Key: f.Key, Place: v.Place, Value: v})
		}
	}
	return list, nil
}

func namedLevels(n *config.Node) ([]level, error) {
	if n.Kind != config.Mapping {
		return nil, config.Problemf(n.Place, "levels is a mapping of labels to what each level sets, as in {healthy: {}, slow: {faults[0].rate: 200Gbps}}, not %v", n.Kind)
	}
	var list []level
	for _, f := range n.Fields {
		if f.Value.Kind != config.Mapping && f.Value.Kind != config.Null {
			return nil, config.Problemf(f.Value.Place, "level %q is a mapping of paths to values, not %v", f.Key, f.Value.Kind)
		}
		list = append(list, level{f.Key, f.Value.Fields})
	}
	return list, nil
}

var quantity = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)([A-Za-zµ%]*)$`)

// rangeLevels lists the values of a range. They are computed as fractions, so that
// 0.1 steps meet 0.3.
func rangeLevels(path string, r *Range, at config.Place) ([]level, error) {
	problem := func(format string, args ...any) ([]level, error) {
		return nil, config.Problemf(at, "%s: range of %s: "+format, append([]any{matrixKey, path}, args...)...)
	}
	if (r.Step == "") == (r.Factor == "") {
		return problem("it has either a step or a factor, as in {from: 20%%, to: 80%%, step: 20%%}")
	}
	var unit string
	parse := func(text string) (*big.Rat, string) {
		m := quantity.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil {
			return nil, ""
		}
		v, _ := new(big.Rat).SetString(m[1])
		return v, m[2]
	}
	from, unit := parse(r.From)
	to, toUnit := parse(r.To)
	by, byUnit := parse(r.Step + r.Factor)
	switch {
	case from == nil || to == nil || by == nil:
		return problem("%q, %q and %q are not all numbers with a unit", r.From, r.To, r.Step+r.Factor)
	case toUnit != unit || r.Step != "" && byUnit != unit:
		return problem("from, to and step must be in the same unit, and are in %q, %q and %q", unit, toUnit, byUnit)
	case from.Cmp(to) > 0:
		return problem("it begins at %s, which is above its end, %s", r.From, r.To)
	case r.Step != "" && by.Sign() <= 0:
		return problem("a step of %s leads nowhere", r.Step)
	case r.Factor != "" && (byUnit != "" || by.Cmp(big.NewRat(1, 1)) <= 0 || from.Sign() == 0):
		return problem("a factor is a number above 1 without a unit, and the first value is not 0")
	}
	var list []level
	for v := from; v.Cmp(to) <= 0; {
		if len(list) == maxLevels {
			return problem("it has more than %d values", maxLevels)
		}
		text := decimalText(v) + unit
		list = append(list, level{text, []config.Field{{Key: path, Place: at, Value: config.Text(text, at)}}})
		if next := new(big.Rat); r.Step != "" {
			v = next.Add(v, by)
		} else {
			v = next.Mul(v, by)
		}
	}
	return list, nil
}

// decimalText writes a fraction as a decimal of at most 9 places.
func decimalText(v *big.Rat) string {
	if v.IsInt() {
		return v.Num().String()
	}
	return strings.TrimRight(v.FloatString(9), "0")
}

// seedList reads the seeds of a study: how many, from the scenario's own on, or
// which, by a range a..b or a list of either.
func seedList(n *config.Node, first uint64) ([]uint64, error) {
	if n == nil || n.Kind == config.Null {
		return []uint64{first}, nil
	}
	var list []uint64
	add := func(item *config.Node) error {
		from, to, ok := strings.Cut(item.Text, "..")
		if !ok {
			to = from
		}
		a, err := strconv.ParseUint(from, 10, 64)
		b, err2 := strconv.ParseUint(to, 10, 64)
		if item.Kind != config.Scalar || err != nil || err2 != nil || a > b || b-a >= maxSeeds || len(list) >= maxSeeds {
			return config.Problemf(item.Place, "%s: write how many (seeds: 5), a range (1..5), or a list of seeds and ranges ([1, 2, 10..12]); at most %d", seedsKey, maxSeeds)
		}
		for s := a; ; s++ {
			if !slices.Contains(list[max(0, len(list)-64):], s) {
				list = append(list, s)
			}
			if s == b {
				return nil
			}
		}
	}
	switch n.Kind {
	case config.Sequence:
		for _, item := range n.Items {
			if err := add(item); err != nil {
				return nil, err
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
	case config.Scalar:
		count, err := strconv.ParseUint(n.Text, 10, 64)
		if err != nil {
			if err := add(n); err != nil {
				return nil, err
			}
			break
		}
		if count > maxSeeds {
			return nil, config.Problemf(n.Place, "%s: %d seeds; at most %d make sense", seedsKey, count, maxSeeds)
		}
		for i := range count {
			list = append(list, first+i)
		}
	default:
		return nil, config.Problemf(n.Place, "%s: write how many (seeds: 5), a range (1..5) or a list", seedsKey)
	}
	if len(list) == 0 {
		return nil, config.Problemf(n.Place, "%s: without a seed the study would have no runs; give at least one", seedsKey)
	}
	return list, nil
}

// exclusion is a part of the matrix that is left out: labels by axis.
type exclusion []map[string]bool

// exclusions reads what is left out.
func (s *Scenario) exclusions(dims []Dimension) ([]exclusion, error) {
	errs := new(config.Error)
	var list []exclusion
	for _, item := range s.Exclude {
		x := make(exclusion, len(dims))
		if item.Kind != config.Mapping || len(item.Fields) == 0 {
			errs.Add(item.Place, "%s: an item is a mapping of axes to labels, as in {balancer: ecmp, fault: slow}, not %v", excludeKey, item.Kind)
			continue
		}
		for _, f := range item.Fields {
			i := slices.IndexFunc(dims, func(d Dimension) bool { return d.Name == f.Key })
			if i < 0 {
				errs.Add(f.Place, "%s: there is no axis %q; %s", excludeKey, f.Key, known(f.Key, names(dims)))
				continue
			}
			labels := []*config.Node{f.Value}
			if f.Value.Kind == config.Sequence {
				labels = f.Value.Items
			}
			x[i] = map[string]bool{}
			for _, l := range labels {
				if !slices.Contains(dims[i].Levels, l.Text) {
					errs.Add(l.Place, "%s: axis %q has no value %q; %s", excludeKey, f.Key, l.Text, known(l.Text, dims[i].Levels))
				}
				x[i][l.Text] = true
			}
		}
		list = append(list, x)
	}
	return list, errs.Err()
}

// known lists what a name could have been.
func known(name string, all []string) string {
	text := "there are "
	if near, ok := nearest.Name(name, all); ok {
		text = fmt.Sprintf("did you mean %q? There are ", near)
	}
	const shown = 12
	if len(all) > shown {
		return text + strings.Join(all[:shown], ", ") + " and others"
	}
	return text + strings.Join(all, ", ")
}

func names(dims []Dimension) []string {
	list := make([]string, len(dims))
	for i, d := range dims {
		list[i] = d.Name
	}
	return list
}

// holds tells whether a point of the matrix is left out.
func (x exclusion) holds(dims []Dimension, levels []int) bool {
	for i, labels := range x {
		if labels != nil && !labels[dims[i].Levels[levels[i]]] {
			return false
		}
	}
	return true
}

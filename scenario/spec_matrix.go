package scenario

import (
	"fmt"
	"slices"
	"strings"

	"weft/config"
	"weft/problem"
)

// axes reads the axes of a matrix.
func (s *Scenario) axes() ([]axis, error) {
	errs := new(config.Error)
	var list []axis
	for i := range s.Matrix {
		where := fmt.Sprintf("%s[%d]", matrixKey, i)
		a, err := readAxis(&s.Matrix[i], where, s.At)
		if err != nil {
			errs.Append(err)
			continue
		}
		if slices.ContainsFunc(list, func(b axis) bool { return b.name == a.name }) || a.name == compareAxis && len(s.Compare) > 0 {
			errs.Report(s.At(where), problem.At(where, "%s: another axis is already called %q", where, a.name).Mend("give this one its own name with name:"))
			continue
		}
		list = append(list, a)
	}
	return list, errs.Err()
}

// readAxis reads the axis at the path where. placeOf returns the place of a path in the
// file.
func readAxis(a *Axis, where string, placeOf func(path string) config.Place) (axis, error) {
	at := placeOf(where)
	var forms []string
	for _, part := range []struct {
		name string
		is   bool
	}{{"values", given(a.Values)}, {"range", a.Range != nil}, {"zip", given(a.Zip)}, {"levels", given(a.Levels)}} {
		if part.is {
			forms = append(forms, part.name)
		}
	}
	wrong := func(format string, args ...any) (axis, error) {
		return axis{}, config.Wrong(at, problem.At(where, matrixKey+": "+format, args...))
	}
	switch needsPath := given(a.Values) || a.Range != nil; {
	case len(forms) == 0:
		return wrong("an axis needs one of values, range, zip and levels; this one has none")
	case len(forms) > 1:
		return wrong("an axis has one of values, range, zip and levels; this one has %s (on a command line, null removes one, as in --set matrix.load.%s=null)", strings.Join(forms, " and "), forms[1])
	case needsPath && a.Path == "":
		return axis{}, config.Wrong(at, problem.At(where, matrixKey+": an axis with values or range needs a path, the parameter that it changes").Mend("write as in path: transport.balancer"))
	case !needsPath && a.Path != "":
		return wrong("an axis with zip or levels has no path; its parameters stand below zip or levels")
	}
	out := axis{name: a.Name, path: a.Path}
	if out.name == "" {
		out.name = axisName(a)
	}
	if out.name == "" {
		return wrong("an axis without a path needs a name, as in name: fault")
	}
	set := config.Field{Key: a.Path, Place: placeOf(where + ".path")}
	var err error
	switch {
	case given(a.Values):
		out.levels, err = valueLevels(a.Values, set)
	case a.Range != nil:
		out.levels, err = rangeLevels(a.Range, set, placeOf(where+".range"))
	case given(a.Zip):
		out.levels, err = zipLevels(a.Zip)
	default:
		out.levels, err = namedLevels(a.Levels)
	}
	if err != nil {
		return axis{}, err
	}
	return out, out.check(at)
}

// given reports whether a file sets a key. A null, which --set may write, unsets it.
func given(n *config.Node) bool { return n != nil && n.Kind != config.Null }

// axisName returns the last words of the paths that an axis changes.
func axisName(a *Axis) string {
	last := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	if a.Path != "" {
		return last(a.Path)
	}
	var names []string
	if given(a.Zip) {
		for _, f := range a.Zip.Fields {
			names = append(names, last(f.Key))
		}
	}
	return strings.Join(names, "+")
}

func (a *axis) check(at config.Place) error {
	switch {
	case len(a.levels) == 0:
		return config.Wrong(at, problem.At(matrixKey, "%s: axis %q has no values, so the study would have no runs", matrixKey, a.name).Mend("give it at least one"))
	case len(a.levels) > maxLevels:
		return config.Wrong(at, problem.At(matrixKey, "%s: axis %q has %d values", matrixKey, a.name, len(a.levels)).Mend("at most %d are allowed", maxLevels))
	}
	seen := map[string]bool{}
	if !oneLine(a.name) {
		return config.Wrong(at, problem.At(matrixKey, "%s: the name %q of an axis has several lines or tabs", matrixKey, a.name).Mend("write it on one line"))
	}
	for _, l := range a.levels {
		if !oneLine(l.label) {
			return config.Wrong(at, problem.At(matrixKey, "%s: the label %q of axis %q has several lines or tabs", matrixKey, l.label, a.name).Mend("give the value a label on one line, as in values: {first: …}"))
		}
		if seen[l.label] {
			remedy := "give each its own label, as in values: {first: …, second: …}"
			if a.path == "" {
				remedy = "write them as levels, with their own labels"
			}
			return config.Wrong(at, problem.At(matrixKey, "%s: two values of axis %q are called %q", matrixKey, a.name, l.label).Mend("%s", remedy))
		}
		seen[l.label] = true
	}
	return nil
}

// valueLevels returns one level per value of a list or mapping. set is the field that each
// level sets, still without its value.
func valueLevels(n *config.Node, set config.Field) ([]level, error) {
	var list []level
	add := func(label string, v *config.Node) {
		f := set
		f.Value = v
		list = append(list, level{label, []config.Field{f}})
	}
	switch n.Kind {
	case config.Sequence:
		for i, v := range n.Items {
			add(labelOf(v, i), v)
		}
	case config.Mapping:
		for _, f := range n.Fields {
			add(f.Key, f.Value)
		}
	default:
		return nil, config.Problemf(n.Place, "values are a list, as in [ecmp, ops], or a mapping of labels to values, not %v", n.Kind)
	}
	return list, nil
}

// labelOf returns the label of a value: a scalar's text, a choice's kind with its options,
// or otherwise the value's index in the list.
func labelOf(v *config.Node, i int) string {
	switch v.Kind {
	case config.Scalar:
		if v.Text == "" {
			return "empty"
		}
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
		if len(words) == 0 {
			return "default"
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
			return nil, config.Wrong(f.Value.Place, problem.New("%s: %d values here, but %d for %s", f.Key, len(f.Value.Items), len(list), n.Fields[0].Key).Mend("zipped lists must have equal length"))
		}
		for j, v := range f.Value.Items {
			if i > 0 {
				list[j].label += "+"
			}
			list[j].label += labelOf(v, j)
			list[j].sets = append(list[j].sets, config.Field{Key: f.Key, Place: f.Place, Value: v})
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

package papers

import (
	"maps"
	"slices"
	"strings"

	"weft/config"
	"weft/problem"
)

// others is the label for all levels of an axis that the other operand does not name.
const others = "others"

// The keys of an operand that are not axes.
const (
	studyKey  = "study"
	metricKey = "metric"
)

// operand selects the cells of one side of a check.
type operand struct {
	study, metric string
	// own are the labels that the operand names itself, by axis. base are the labels that the
	// claim and the check around it name. An axis without labels is free.
	own, base map[string][]string
	at        config.Place
}

// layer is an at: of a claim or a check, with the study that it is about.
type layer struct {
	study string
	at    *config.Node
}

// operandOf reads an operand. What is wrong with it is a *config.Error.
func operandOf(n *config.Node, study, metric string, layers []layer, data map[string]*Data, at config.Place) (*operand, error) {
	o := &operand{study: study, metric: metric, own: map[string][]string{}, base: map[string][]string{}, at: at}
	if n != nil && n.Kind != config.Null {
		o.at = n.Place
		if n.Kind != config.Mapping {
			return nil, config.Problemf(n.Place, "a cell is a mapping of axes to labels, as in {variant: ARCANE}, not %v", n.Kind)
		}
		for key, into := range map[string]*string{studyKey: &o.study, metricKey: &o.metric} {
			if v := n.Get(key); v != nil {
				*into = v.Text
			}
		}
	}
	d, ok := data[o.study]
	if !ok {
		if o.study == "" {
			return nil, config.Wrong(o.at, problem.New("the study of this is not set").Mend("add study: to the claim"))
		}
		return nil, noStudy(o.study, data, o.at)
	}
	if d == nil {
		return o, nil // not run at this scale
	}
	for _, l := range layers {
		// A layer about another study says nothing of axes that only that has.
		if err := labels(l.at, d, o.base, l.study != o.study); err != nil {
			return nil, err
		}
	}
	if n == nil || n.Kind == config.Null {
		return o, nil
	}
	return o, labels(n.Without(studyKey, metricKey), d, o.own, false)
}

func noStudy(id string, data map[string]*Data, at config.Place) error {
	return config.Wrong(at, problem.New("there is no study %q that is run", id).Mend("%s", remedy(id, slices.Sorted(maps.Keys(data)))))
}

// labels reads a mapping of axes to a label or a list of labels.
func labels(n *config.Node, d *Data, into map[string][]string, lenient bool) error {
	if n == nil || n.Kind == config.Null {
		return nil
	}
	if n.Kind != config.Mapping {
		return config.Problemf(n.Place, "levels are a mapping of axes to labels, as in {variant: ARCANE}, not %v", n.Kind)
	}
	errs := new(config.Error)
	for _, f := range n.Fields {
		axis, ok := d.axis(f.Key)
		if !ok {
			if lenient {
				continue
			}
			var names []string
			for _, a := range d.Axes {
				names = append(names, a.Name)
			}
			errs.Report(f.Place, problem.New("the study has no axis %q", f.Key).Mend("%s", remedy(f.Key, names)))
			continue
		}
		items := f.Value.Items
		switch f.Value.Kind {
		case config.Scalar:
			items = []*config.Node{f.Value}
		case config.Sequence:
		default:
			errs.Add(f.Place, "%s: a label or a list of labels, not %v", f.Key, f.Value.Kind)
			continue
		}
		var list []string
		for _, item := range items {
			if !slices.Contains(axis.Levels, item.Text) && item.Text != others {
				errs.Report(item.Place, problem.New("axis %q has no level %q", f.Key, item.Text).Mend("%s", remedy(item.Text, axis.Levels)))
				continue
			}
			list = append(list, item.Text)
		}
		into[axis.Name] = list
	}
	return errs.Err()
}

// complete replaces others by the levels that o does not name.
func (o *operand) complete(by *operand, d *Data) error {
	for axis, list := range o.own {
		if !slices.Equal(list, []string{others}) {
			continue
		}
		if len(by.own[axis]) == 0 {
			return config.Wrong(o.at, problem.New("%s: others are the levels of %s that the other cell does not name", axis, axis).Mend("name some there"))
		}
		a, _ := d.axis(axis)
		o.own[axis] = slices.DeleteFunc(slices.Clone(a.Levels), func(label string) bool {
			return slices.Contains(by.own[axis], label) || len(o.base[axis]) > 0 && !slices.Contains(o.base[axis], label)
		})
	}
	return nil
}

// point is labels by axis.
type point map[string]string

// name writes the labels of free axes, in their order.
func (p point) name(axes []string) string {
	var words []string
	for _, a := range axes {
		label := p[a]
		if strings.ContainsAny(label[:min(1, len(label))], "0123456789#") {
			label = a + " " + label
		}
		words = append(words, label)
	}
	return strings.Join(words, ", ")
}

// points lists the combinations of levels of the free axes, and the names of the free axes with
// several levels. An axis is not free if an operand names it, or if the check leads along it.
func points(data map[string]*Data, along string, operands ...*operand) (free []string, list []point, err error) {
	list = []point{{}}
	named := func(axis string) bool {
		return axis == along || slices.ContainsFunc(operands, func(o *operand) bool { return len(o.own[axis]) > 0 })
	}
	seen := map[string]bool{}
	for _, o := range operands {
		for _, a := range data[o.study].Axes {
			if seen[a.Name] || named(a.Name) {
				continue
			}
			seen[a.Name] = true
			levels := slices.Clone(a.Levels)
			shared := true
			for _, other := range operands {
				b, ok := data[other.study].axis(a.Name)
				if !ok {
					shared = false
					continue
				}
				levels = slices.DeleteFunc(levels, func(label string) bool {
					return !slices.Contains(b.Levels, label) || len(other.base[a.Name]) > 0 && !slices.Contains(other.base[a.Name], label)
				})
			}
			switch {
			case len(levels) == 0:
				return nil, nil, config.Wrong(o.at, problem.New("the studies %s have no level of %q in common", studiesOf(operands), a.Name).Mend("name one for each"))
			case len(levels) > 1 && !shared:
				return nil, nil, config.Wrong(o.at, problem.New("axis %q is of study %s only", a.Name, o.study).Mend("name its level"))
			case len(levels) > 1:
				free = append(free, a.Name)
			}
			list = multiply(list, a.Name, levels)
		}
	}
	return free, list, nil
}

func studiesOf(operands []*operand) string {
	var ids []string
	for _, o := range operands {
		if !slices.Contains(ids, o.study) {
			ids = append(ids, o.study)
		}
	}
	return strings.Join(ids, " and ")
}

func multiply(list []point, axis string, levels []string) []point {
	var out []point
	for _, p := range list {
		for _, label := range levels {
			q := point{axis: label}
			for a, l := range p {
				q[a] = l
			}
			out = append(out, q)
		}
	}
	return out
}

// chosen is a cell of an operand.
type chosen struct {
	cell int
	// label is what tells it from the others of the operand.
	label string
}

// cells lists the cells of an operand at a point; along, if it is not empty, is at
// the label step.
func (o *operand) cells(d *Data, p point, along, step string) ([]chosen, error) {
	list := []point{{}}
	var several []string
	for _, a := range d.Axes {
		var levels []string
		switch {
		case a.Name == along:
			levels = []string{step}
		case len(o.own[a.Name]) > 0:
			levels = o.own[a.Name]
		case p[a.Name] != "":
			levels = []string{p[a.Name]}
		case len(o.base[a.Name]) > 0:
			levels = o.base[a.Name]
		default:
			levels = a.Levels
		}
		if len(levels) > 1 {
			if len(o.own[a.Name]) == 0 {
				return nil, config.Wrong(o.at, problem.New("this side does not set its level of %q, but the other one does", a.Name).Mend("name one of %s", strings.Join(levels, ", ")))
			}
			several = append(several, a.Name)
		}
		list = multiply(list, a.Name, levels)
	}
	var out []chosen
	for _, q := range list {
		if i, ok := d.cell(q); ok {
			label := q.name(several)
			if label == "" {
				label = q.name(o.named(d))
			}
			out = append(out, chosen{i, label})
		}
	}
	return out, nil
}

// named lists the axes that the operand names itself, in the order of the study.
func (o *operand) named(d *Data) []string {
	var list []string
	for _, a := range d.Axes {
		if len(o.own[a.Name]) > 0 {
			list = append(list, a.Name)
		}
	}
	return list
}

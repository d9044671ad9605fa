package report

import (
	"slices"
	"strings"

	"weft/record"
	"weft/report/internal/bysize"
	"weft/study"
)

// SizesFigure is the name of the figure of slowdowns over message size.
const SizesFigure = "slowdown-by-size"

// StudySizes are the messages of a study's runs by size, over the seeds of each cell. The
// zero value has none.
type StudySizes struct {
	// whole and partial are by the name of the cell.
	whole, partial map[string]*bysize.Group
}

// Add adds a run of a cell.
func (s *StudySizes) Add(cell string, r *record.Result) {
	if s.whole == nil {
		s.whole, s.partial = map[string]*bysize.Group{}, map[string]*bysize.Group{}
	}
	into := s.whole
	if r.Summary.Partial || r.Manifest.Partial {
		into = s.partial
	}
	if into[cell] == nil {
		into[cell] = bysize.NewGroup("")
	}
	into[cell].Merge(bysize.Count(r)[0])
}

// of returns the messages of a cell; nil if there are none. Runs that were cut short count
// only where there is nothing else.
func (s *StudySizes) of(cell string) *bysize.Group {
	if g := s.whole[cell]; g != nil {
		return g
	}
	return s.partial[cell]
}

// figures draws the median and the 99th percentile of slowdowns over message size, with a
// curve per variant and a row of plots per combination of the other axes.
func (s *StudySizes) figures(t *study.Table, o StudyOptions, on paper) ([]*figure, []string, error) {
	v, err := newSizesView(t, o)
	if err != nil {
		return nil, nil, err
	}
	var panels []sizePanel
	vary := false
	for _, point := range v.points {
		counted := make([]*bysize.Group, v.colors())
		for color := range counted {
			if c := v.cell(point, color, 0); c != nil {
				counted[color] = s.of(c.Name)
			}
		}
		_, one := bysize.Align(counted)
		vary = vary || one == 0 && slices.ContainsFunc(counted, func(g *bysize.Group) bool { return g != nil })
		_, percents := sizePercents()
		for which, title := range percents {
			p := sizePanel{title: title, which: which}
			if name := v.title(point); name != "" {
				p.title = name + ": " + strings.ToLower(title)
			}
			for color, g := range counted {
				var points []sizePoint
				if g != nil {
					points = sizePoints(g, v.cell(point, color, 0).Misses(""))
				}
				p.curves = append(p.curves, points)
			}
			panels = append(panels, p)
		}
	}
	if !vary {
		return nil, []string{SizesFigure + ": not drawn, because all messages have one size, or no run has any"}, nil
	}
	var notes []string
	if fixed := v.heldAt(); fixed != "" {
		notes = append(notes, fixed)
	}
	list := drawSizes(panels, v.colorKeys(true), notes, on)
	if len(list) == 0 {
		return nil, []string{SizesFigure + ": not drawn, because no message with an ideal completion time finished"}, nil
	}
	return list, nil, nil
}

// newSizesView is the view of a study along message sizes: variants have colours, or the
// axis that is asked for, and all other axes have panels.
func newSizesView(t *study.Table, o StudyOptions) (*studyView, error) {
	v := emptyView(t)
	for axis, label := range o.Fix {
		if err := v.hold(axis, label); err != nil {
			return nil, err
		}
	}
	switch _, held := v.fixed[t.VariantAxis()]; {
	case o.Color != "":
		i, err := v.known(o.Color)
		if err != nil {
			return nil, err
		}
		v.color = i
	case t.VariantAxis() != study.NoAxis && !held:
		v.color = t.VariantAxis()
	default:
		v.color = slices.IndexFunc(t.Axes, func(a study.Axis) bool { return len(a.Levels) > 1 && o.Fix[a.Name] == "" })
	}
	for i, a := range t.Axes {
		_, held := v.fixed[i]
		switch {
		case held || i == v.color:
		case len(a.Levels) > 1:
			v.panels = append(v.panels, i)
		default:
			v.fixed[i] = 0
		}
	}
	v.split()
	return v, nil
}

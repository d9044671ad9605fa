package papers

import (
	"cmp"
	"slices"

	"weft/config"
	"weft/problem"
	"weft/record"
)

// prepared is a check with its operands found.
type prepared struct {
	*Evaluator
	check *Check
	place config.Place
	// a and b are the sides; b is nil if there is one only.
	a, b *operand
	// along is the axis of a trend.
	along  string
	free   []string
	points []point
	// absent says which study is not run at the scale, if any.
	absent string
	// preferred and others count the numbers that were taken at the scale that is preferred
	// and elsewhere.
	preferred, others int
	// around are the levels that a check of a table is at.
	around []*config.Node
}

// prepare finds the operands of a check. What is wrong with it is a *config.Error.
func (e *Evaluator) prepare(c *Check, in surroundings, at config.Place) (*prepared, error) {
	if c.Scale != "" && e.plain != nil {
		e = e.plain
	}
	p := &prepared{Evaluator: e, check: c, place: at}
	if err := p.checkModelBound(); err != nil {
		return nil, err
	}
	if c.Theory != nil {
		return p, p.prepareTheory()
	}
	if c.Table != nil {
		return p, p.prepareTable(in)
	}
	of, over, metric := c.sides()
	studyID := cmp.Or(c.Study, in.study)
	layers := append(slices.Clone(in.layers), layer{studyID, c.At})
	operand := func(n *config.Node) (*operand, error) {
		o, err := operandOf(n, studyID, cmp.Or(metric, in.metric), layers, e.data, at)
		if err != nil {
			return nil, err
		}
		if e.data[o.study] == nil {
			p.absent = o.study
			return o, nil
		}
		return o, e.checkMetric(o)
	}
	errs := new(config.Error)
	var err error
	p.a, err = operand(of)
	errs.Append(err)
	if over != nil {
		p.b, err = operand(over)
		errs.Append(err)
	}
	if err := errs.Err(); err != nil || p.absent != "" {
		return p, err
	}
	return p, p.enumerate()
}

// sides returns the operands of a check and its metric.
func (c *Check) sides() (of, over *config.Node, metric string) {
	switch {
	case c.Value != nil:
		return c.Value.Of, nil, c.Value.Metric
	case c.Ratio != nil:
		return c.Ratio.Of, c.Ratio.Over, c.Ratio.Metric
	case c.Order != nil:
		return c.Order.Less, c.Order.Than, c.Order.Metric
	case c.Similar != nil:
		return c.Similar.Of, c.Similar.To, c.Similar.Metric
	}
	return c.Trend.Of, c.Trend.Over, c.Trend.Metric
}

// enumerate lists the points of a check, and demands that there is a cell at some.
func (p *prepared) enumerate() error {
	operands := []*operand{p.a}
	if p.b != nil {
		operands = append(operands, p.b)
		if err := p.a.complete(p.b, p.data[p.a.study]); err != nil {
			return err
		}
		if err := p.b.complete(p.a, p.data[p.b.study]); err != nil {
			return err
		}
	}
	if t := p.check.Trend; t != nil {
		p.along = t.Along
		if axis, ok := p.data[p.a.study].axis(t.Along); ok {
			p.along = axis.Name
		}
		for _, o := range operands {
			if err := p.checkAlong(o); err != nil {
				return err
			}
		}
	}
	var err error
	if p.free, p.points, err = points(p.data, p.along, operands...); err != nil {
		return err
	}
	found := false
	for _, at := range p.points {
		a, b, err := p.cellsAt(at, p.firstStep())
		if err != nil {
			return err
		}
		found = found || len(a) > 0 && (p.b == nil || len(b) > 0)
	}
	if !found {
		return config.Problemf(p.a.at, "study %q has no such cell: its matrix leaves it out", p.a.study)
	}
	most, err := p.most()
	if err != nil {
		return err
	}
	return p.checkHold(most)
}

func (p *prepared) checkAlong(o *operand) error {
	axis, ok := p.data[o.study].axis(p.along)
	if !ok {
		var names []string
		for _, a := range p.data[o.study].Axes {
			names = append(names, a.Name)
		}
		return config.Wrong(o.at, problem.New("study %q has no axis %q to lead along", o.study, p.along).Mend("%s", remedy(p.along, names)))
	}
	if len(axis.Levels) < 2 {
		return config.Problemf(o.at, "axis %q has only one level at scale %s; a trend needs two", p.along, p.Scale)
	}
	if len(o.own[p.along]) > 0 {
		return config.Problemf(o.at, "the check leads along %q, so it cannot name a level of it", p.along)
	}
	return nil
}

// steps lists the levels along which a trend leads.
func (p *prepared) steps() []string {
	if p.along == "" {
		return []string{""}
	}
	axis, _ := p.data[p.a.study].axis(p.along)
	if base := p.a.base[p.along]; len(base) > 0 {
		return slices.DeleteFunc(slices.Clone(axis.Levels), func(l string) bool { return !slices.Contains(base, l) })
	}
	return axis.Levels
}

func (p *prepared) firstStep() string { return p.steps()[0] }

// cellsAt returns the cells of both sides at a point.
func (p *prepared) cellsAt(at point, step string) (a, b []chosen, err error) {
	if a, err = p.a.cells(p.data[p.a.study], at, p.along, step); err != nil || p.b == nil {
		return a, nil, err
	}
	b, err = p.b.cells(p.data[p.b.study], at, p.along, step)
	return a, b, err
}

// checkDraw finds axes, labels and metrics of a figure that a study does not have.
func (p *Planned) checkDraw(d *Draw, at config.Place) error {
	errs := new(config.Error)
	data := &Data{Axes: p.Axes}
	var names []string
	for _, a := range p.Axes {
		names = append(names, a.Name)
	}
	for _, n := range []*config.Node{d.At, d.Over} {
		errs.Append(labels(n, data, map[string][]string{}, false))
	}
	if !d.plain() {
		return errs.Err()
	}
	for key, axis := range map[string]string{"x": d.X, "color": d.Color, "along": d.Along} {
		if _, ok := data.axis(axis); !ok && axis != "" && !(key == "color" && axis == defaultColor) {
			errs.Report(at, problem.New("%s: the study has no axis %q", key, axis).Mend("%s", remedy(axis, names)))
		}
	}
	known := p.metrics()
	for _, metric := range d.metrics() {
		if !slices.Contains(known, metric) {
			errs.Report(at, problem.New("the study has no metric or measure %q", metric).Mend("%s", remedy(metric, known)))
		}
	}
	return errs.Err()
}

// defaultColor is the axis that colours tell apart if nothing else is said.
const defaultColor = "variant"

// metrics lists the metrics and measures of a study.
func (p *Planned) metrics() []string {
	var list []string
	var whole record.Summary
	for _, g := range p.Groups {
		whole.Groups = append(whole.Groups, record.Group{Name: g})
	}
	whole.Sections = record.EmptySections(p.Sections...)
	for _, m := range whole.Metrics() {
		list = append(list, m.Name)
	}
	for _, m := range p.Study.Measures {
		list = append(list, m.Name)
	}
	return list
}

func (p *Planned) metricOfSummary(name string) bool {
	return slices.ContainsFunc(record.KnownMetrics(), func(m record.Metric) bool { return m.Name == name })
}

func (e *Evaluator) checkMetric(o *operand) error {
	p := e.with(o.study).Planned[o.study]
	if p == nil {
		return nil // which numbers an analysis has, its result says
	}
	known := p.metrics()
	if slices.Contains(known, o.metric) {
		return nil
	}
	return config.Wrong(o.at, problem.New("study %q has no metric or measure %q", o.study, o.metric).Mend("%s", remedy(o.metric, known)))
}

// lowerIsBetter tells the sense of a metric; of measures less is taken for better.
func lowerIsBetter(metric string) bool {
	_, base := record.SplitMetric(metric)
	for _, m := range record.KnownMetrics() {
		if m.Name == base {
			return m.LowerIsBetter || m.Neutral
		}
	}
	return true
}

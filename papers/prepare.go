package papers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/config"
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
		return config.Problemf(o.at, "study %q has no axis %q to lead along; %s", o.study, p.along, remedy(p.along, names))
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
			errs.Add(at, "%s: the study has no axis %q; %s", key, axis, remedy(axis, names))
		}
	}
	known := p.metrics()
	for _, metric := range d.metrics() {
		if !slices.Contains(known, metric) {
			errs.Add(at, "the study has no metric or measure %q; %s", metric, remedy(metric, known))
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
	return config.Problemf(o.at, "study %q has no metric or measure %q; %s", o.study, o.metric, remedy(o.metric, known))
}

// lowerIsBetter tells the sense of a metric; of measures less is taken for better.
func lowerIsBetter(metric string) bool {
	if i := strings.LastIndexByte(metric, '.'); i >= 0 {
		metric = metric[i+1:]
	}
	for _, m := range record.KnownMetrics() {
		if m.Name == metric {
			return m.LowerIsBetter || m.Neutral
		}
	}
	return true
}

// prepareTheory checks names of models, if there are any to check them against.
func (p *prepared) prepareTheory() error {
	t := p.check.Theory
	runs, _, err := t.runs()
	if err != nil {
		return err
	}
	errs := new(config.Error)
	for _, r := range runs {
		for _, params := range []map[string]string{r.params, r.over} {
			if params == nil {
				continue
			}
			err := p.Theory.Check(t.Model, params)
			if err == nil && p.Compute {
				_, _, _, err = p.Theory.Number(context.Background(), t.Model, params, t.Measure, t.Row)
			}
			if err != nil {
				errs.Add(p.place, "theory: %v", err)
			}
		}
	}
	tried := len(runs)
	if t.Is != "" {
		tried = 1
	}
	errs.Append(p.checkHold(tried))
	return errs.Err()
}

// checkModelBound checks the name and the parameters of a bound's model.
func (p *prepared) checkModelBound() error {
	b := p.check.bound()
	if b == nil || b.FromModel == nil {
		return nil
	}
	params, err := listed(b.FromModel.Params)
	if err != nil {
		return err
	}
	err = p.Theory.Check(b.FromModel.Model, params)
	if err == nil && p.Compute {
		err = p.fillBound(context.Background())
	}
	if err != nil {
		return config.Problemf(p.place, "from_model: %v", err)
	}
	return nil
}

// fillBound computes the bound of a check that a model gives.
func (p *prepared) fillBound(ctx context.Context) error {
	b := p.check.bound()
	if b == nil || b.FromModel == nil {
		return nil
	}
	m := b.FromModel
	params, err := listed(m.Params)
	if err != nil {
		return err
	}
	e, _, _, err := p.Theory.Number(ctx, m.Model, params, m.Measure, m.Row)
	if err != nil {
		return err
	}
	filled := *b
	filled.fill(e.Mean * m.Factor)
	p.check = p.check.with(filled)
	return nil
}

// theoryRun is one evaluation of a model.
type theoryRun struct {
	label        string
	params, over map[string]string
}

// runs lists the evaluations that a check needs: one, or one for each value along.
func (t *TheoryCheck) runs() (list []theoryRun, along string, err error) {
	params, lists, err := parameters(t.Params)
	if err != nil {
		return nil, "", err
	}
	over, _, err := parameters(t.Over)
	if err != nil {
		return nil, "", err
	}
	with := func(extra map[string]string) map[string]string {
		all := map[string]string{}
		for k, v := range params {
			all[k] = v
		}
		for k, v := range extra {
			all[k] = v
		}
		return all
	}
	second := func(extra map[string]string) map[string]string {
		if t.Over == nil {
			return nil
		}
		all := with(extra)
		for k, v := range over {
			all[k] = v
		}
		return all
	}
	if t.Along == "" {
		for key, values := range lists {
			params[key] = strings.Join(values, ",")
		}
		return []theoryRun{{"", with(nil), second(nil)}}, "", nil
	}
	values := lists[t.Along]
	if len(values) < 2 {
		at := config.Place{}
		if t.Params != nil {
			at = t.Params.Place
		}
		return nil, "", config.Problemf(at, "along: %s needs a list of at least two values under params, as in %[1]s: [8, 16, 32]", t.Along)
	}
	for key, values := range lists {
		if key != t.Along {
			params[key] = strings.Join(values, ",")
		}
	}
	for _, v := range values {
		extra := map[string]string{t.Along: v}
		list = append(list, theoryRun{fmt.Sprintf("%s %s", t.Along, v), with(extra), second(extra)})
	}
	return list, t.Along, nil
}

// parameters reads a mapping of names to values; those with lists of values are
// returned apart.
func parameters(n *config.Node) (single map[string]string, lists map[string][]string, err error) {
	single, lists = map[string]string{}, map[string][]string{}
	if n == nil || n.Kind == config.Null {
		return single, lists, nil
	}
	if n.Kind != config.Mapping {
		return nil, nil, config.Problemf(n.Place, "parameters are a mapping of names to values, as in {uplinks: 32}, not %v", n.Kind)
	}
	for _, f := range n.Fields {
		switch f.Value.Kind {
		case config.Scalar:
			single[f.Key] = f.Value.Text
		case config.Sequence:
			for _, item := range f.Value.Items {
				lists[f.Key] = append(lists[f.Key], item.Text)
			}
		default:
			return nil, nil, config.Problemf(f.Place, "%s: a value or a list of values, not %v", f.Key, f.Value.Kind)
		}
	}
	return single, lists, nil
}

package papers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/config"
	"weft/record"
	"weft/study"
)

// title names the metric and the cells of a check.
func (p *prepared) title() string {
	c := p.check
	if t := c.Theory; t != nil {
		return strings.TrimSpace(fmt.Sprintf("%s of model %s %s", t.Measure, t.Model, t.Row))
	}
	if t := c.Table; t != nil {
		return t.title()
	}
	metric := p.a.metric
	a, b := p.a.text(), ""
	if p.b != nil {
		b = p.b.text()
	}
	switch {
	case c.Value != nil:
		return strings.TrimSpace(metric + " " + a)
	case c.Ratio != nil && c.Ratio.Minus:
		return fmt.Sprintf("%s: %s − %s", metric, a, b)
	case c.Ratio != nil:
		return fmt.Sprintf("%s: %s / %s", metric, a, b)
	case c.Order != nil:
		return fmt.Sprintf("%s: %s < %s", metric, a, b)
	case c.Similar != nil:
		return fmt.Sprintf("%s: %s ≈ %s", metric, a, b)
	}
	if b != "" {
		a += " / " + b
	}
	return fmt.Sprintf("%s: %s along %s", metric, a, c.Trend.Along)
}

// text writes the labels that an operand names.
func (o *operand) text() string {
	var words []string
	for _, axis := range slices.Sorted(maps.Keys(o.own)) {
		words = append(words, strings.Join(o.own[axis], " or "))
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, ", ")
}

// expected says what a check demands.
func (p *prepared) expected() string {
	c := p.check
	unit := ""
	if p.a != nil && p.data[p.a.study] != nil {
		unit = p.data[p.a.study].unit(p.a.metric)
	}
	var text string
	switch {
	case c.Value != nil:
		text = c.Value.text(unit, false)
	case c.Ratio != nil:
		text = c.Ratio.text("", true)
		if c.Ratio.Minus {
			text = c.Ratio.text(unit, false)
		}
	case c.Order != nil:
		text = "below, with disjoint intervals"
		if c.Order.Or != nil {
			text += fmt.Sprintf(", or above by at most %s %%", digits(100*float64(*c.Order.Or)))
		}
	case c.Similar != nil:
		text = fmt.Sprintf("within %s %%", digits(100*float64(c.Similar.Within)))
	case c.Trend != nil:
		text = c.Trend.Is
	case c.Table != nil:
		text = c.Table.text(c.Table.unit())
	default:
		text = c.Theory.Is
		if text == "" {
			text = c.Theory.text("", c.Theory.Over != nil)
		}
	}
	if h := c.Hold.String(); h != "" {
		text += " (at " + h + ")"
	}
	return text
}

// unit of a metric, also of a group's.
func (d *Data) unit(metric string) string {
	if u, ok := d.Units[metric]; ok {
		return u
	}
	_, base := record.SplitMetric(metric)
	return d.Units[base]
}

// theory evaluates a check of a model.
func (p *prepared) theory(ctx context.Context, r *CheckResult) error {
	t := p.check.Theory
	runs, _, err := t.runs()
	if err != nil {
		return err
	}
	var list []number
	for _, run := range runs {
		n, err := p.modelNumber(ctx, run.params)
		if err != nil {
			return err
		}
		if run.over != nil {
			m, err := p.modelNumber(ctx, run.over)
			if err != nil {
				return err
			}
			n = n.quotient(m)
		}
		list = append(list, n)
		if t.Is == "" {
			ok, why := t.met(n)
			r.Points = append(r.Points, pointOf(run.label, n, ok, why))
		}
	}
	if t.Is == "" {
		return nil
	}
	ok, why := trendOf(list, t.Is)
	var texts []Pieces
	for i, n := range list {
		texts = append(texts, n.pieces().labelledBy(runs[i].label))
	}
	r.Points = []PointResult{pointSaying("", ok, inARow(texts, ", "), why)}
	return nil
}

func (p *prepared) modelNumber(ctx context.Context, params map[string]string) (number, error) {
	t := p.check.Theory
	e, unit, _, err := p.Theory.Number(ctx, t.Model, params, t.Measure, t.Row)
	if err != nil && ctx.Err() == nil {
		err = config.Problemf(p.place, "theory: %w", err)
	}
	return number{unit: unit, estimate: e, model: true}, err
}

// quotient of two estimates that share no seeds: their interval is as wide as it
// can be.
func (a number) quotient(b number) number {
	x, y := a.estimate, b.estimate
	return number{ratio: true, model: true, estimate: study.Estimate{
		N: min(x.N, y.N), Mean: x.Mean / y.Mean, Low: x.Low / y.High, High: x.High / y.Low, Min: x.Low / y.High, Max: x.High / y.Low,
	}}
}

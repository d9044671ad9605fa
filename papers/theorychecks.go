package papers

import (
	"context"
	"fmt"
	"strings"

	"weft/config"
)

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
				errs.Add(p.place, "theory: %w", err)
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
		return config.Problemf(p.place, "from_model: %w", err)
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

package papers

import (
	"fmt"
	"slices"
	"strings"

	"weft/config"
	"weft/internal/nearest"
	"weft/problem"
)

// Simulable tells whether a claim of this kind can be checked at all.
func (c *Claim) Simulable() bool {
	return c.Kind != KindHardware && c.Kind != KindCited && c.Kind != KindUnspecified
}

// checkClaims finds what is wrong with claims by themselves.
func (l *Ledger) checkClaims(errs *config.Error) {
	var ids []string
	for _, c := range l.Claims {
		ids = append(ids, c.ID)
	}
	for i := range l.Claims {
		c := &l.Claims[i]
		at := func(key string) config.Place { return l.claimAt(i, key) }
		switch {
		case !c.Simulable() && len(c.Checks) > 0:
			errs.Report(at("checks"), problem.New("claim %q is not simulable (%s), but has checks", c.ID, c.Kind).Mend("remove one or the other"))
		case !c.Simulable() && c.Reason == "":
			errs.Report(at("kind"), problem.New("claim %q is not simulable (%s)", c.ID, c.Kind).Mend("give the reason with reason:"))
		case c.Simulable() && len(c.Checks) == 0:
			errs.Report(at("id"), problem.New("claim %q has no checks", c.ID).Mend("add some, or explain with kind: and reason: why there are none"))
		}
		for j, other := range c.Contradicts {
			if !slices.Contains(ids, other) || other == c.ID {
				errs.Report(at(fmt.Sprintf("contradicts[%d]", j)), problem.New("there is no other claim %q", other).Mend("%s", remedy(other, ids)))
			}
		}
		for j := range c.Checks {
			c.Checks[j].check(l, errs, at(fmt.Sprintf("checks[%d]", j)))
		}
		for j, e := range c.Explanations {
			for k := range e.Checks {
				e.Checks[k].check(l, errs, at(fmt.Sprintf("explanations[%d].checks[%d]", j, k)))
			}
			if len(e.Checks) == 0 {
				errs.Add(at(fmt.Sprintf("explanations[%d]", j)), "the explanation %q has no checks; an explanation must be tested", e.Change)
			}
		}
	}
}

// check finds what is wrong with a check by itself.
func (c *Check) check(l *Ledger, errs *config.Error, at config.Place) {
	var forms []string
	for _, form := range []struct {
		name string
		is   bool
	}{
		{"value", c.Value != nil}, {"ratio", c.Ratio != nil}, {"order", c.Order != nil},
		{"similar", c.Similar != nil}, {"trend", c.Trend != nil}, {"theory", c.Theory != nil}, {"table", c.Table != nil},
	} {
		if form.is {
			forms = append(forms, form.name)
		}
	}
	if len(forms) != 1 {
		has := "none"
		if len(forms) > 1 {
			has = strings.Join(forms, " and ")
		}
		errs.Add(at, "a check is one of value, ratio, order, similar, trend, theory and table; this one is %s", has)
		return
	}
	need := func(n *config.Node, key string) {
		if n == nil {
			errs.Add(at, "%s lacks %q, a mapping of axes to labels, as in {variant: ARCANE}", forms[0], key)
		}
	}
	switch {
	case c.Value != nil:
		c.Value.Bound.check(errs, at)
	case c.Ratio != nil:
		need(c.Ratio.Of, "of")
		need(c.Ratio.Over, "over")
		c.Ratio.Bound.check(errs, at)
	case c.Order != nil:
		need(c.Order.Less, "less")
		need(c.Order.Than, "than")
	case c.Similar != nil:
		need(c.Similar.Of, "of")
		need(c.Similar.To, "to")
	case c.Table != nil:
		c.Table.check(l, errs, at)
	case c.Theory != nil:
		if c.Theory.Is == "" {
			c.Theory.Bound.check(errs, at)
		} else if c.Theory.Along == "" {
			errs.Add(at, "is: %s needs along, the parameter that changes", c.Theory.Is)
		}
	}
}

// check finds bounds that are none, or that contradict each other.
func (b *Bound) check(errs *config.Error, at config.Place) {
	if b.FromModel != nil {
		filled := *b
		filled.fill(1)
		if b.About != nil && b.FromModel.Is == "about" || b.AtLeast != nil && b.FromModel.Is == "at_least" || b.AtMost != nil && b.FromModel.Is == "at_most" {
			errs.Report(at, problem.New("%s is given twice, by number and by model", b.FromModel.Is).Mend("remove one of them"))
		}
		b = &filled
	}
	switch {
	case b.About == nil && b.AtLeast == nil && b.AtMost == nil && b.Covers == nil:
		errs.Report(at, problem.New("no bound is given").Mend("write about and within, at_least, at_most or covers"))
	case b.About != nil && b.Within == nil && b.Times == nil && b.By == nil:
		errs.Add(at, "about needs within, as in within: 10%%, by, as in by: 2, or times, as in times: 10 for an order of magnitude")
	case b.About == nil && (b.Within != nil || b.Times != nil || b.By != nil):
		errs.Report(at, problem.New("within, by and times need a target").Mend("write about, too"))
	case b.Within != nil && b.Times != nil || b.By != nil && (b.Within != nil || b.Times != nil):
		errs.Report(at, problem.New("within, by and times are three ways to set a distance").Mend("keep one of them"))
	case b.AtLeast != nil && b.AtMost != nil && *b.AtLeast > *b.AtMost:
		errs.Add(at, "at_least is above at_most, so no number can be good")
	}
}

// fill sets the bound that a model gives.
func (b *Bound) fill(number float64) {
	into := map[string]**float64{"about": &b.About, "at_least": &b.AtLeast, "at_most": &b.AtMost}
	*into[b.FromModel.Is] = &number
	b.FromModel = nil
}

// bound returns the bound of a check, or nil.
func (c *Check) bound() *Bound {
	switch {
	case c.Value != nil:
		return &c.Value.Bound
	case c.Ratio != nil:
		return &c.Ratio.Bound
	case c.Theory != nil:
		return &c.Theory.Bound
	case c.Table != nil:
		return &c.Table.Bound
	}
	return nil
}

// exact tells whether a check demands a number within a tolerance, rather than an ordering
// or a bound.
func (c *Check) exact() bool {
	if c.Similar != nil || c.Table != nil && (c.Table.Compare == "deviation" || c.Table.Compare == "factor") {
		return true
	}
	b := c.bound()
	return b != nil && (b.About != nil || b.Covers != nil || b.FromModel != nil && b.FromModel.Is == "about")
}

// with returns the check with another bound.
func (c *Check) with(b Bound) *Check {
	out := *c
	switch {
	case c.Value != nil:
		value := *c.Value
		value.Bound, out.Value = b, &value
	case c.Ratio != nil:
		ratio := *c.Ratio
		ratio.Bound, out.Ratio = b, &ratio
	case c.Table != nil:
		table := *c.Table
		table.Bound, out.Table = b, &table
	default:
		theory := *c.Theory
		theory.Bound, out.Theory = b, &theory
	}
	return &out
}

// remedy offers the name that a wrong word may have meant, and lists all.
func remedy(word string, names []string) string {
	if len(names) == 0 {
		return "there is none"
	}
	return nearest.Remedy(word, "known:", names)
}

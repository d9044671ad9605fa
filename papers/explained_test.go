package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// evaluated is what comes of a claim.
func evaluated(t *testing.T, l *lab, claim string) ClaimResult {
	t.Helper()
	e, err := l.evaluator(claim)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Evaluate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r.Claims[0]
}

// TestExplainedInPart has a claim that is missed by two variants, and an explanation that is
// met and about one of them, about both, about the check or about something else.
func TestExplainedInPart(t *testing.T) {
	const claim = `  - id: c
    where: here
    claim: x
    claimed: y
    study: one
    at: {load: 40%%}
    checks: [{name: few, value: {of: {variant: [ARCANE, OPS]}, at_most: 1}}]
    explanations:
      - {change: a larger bound, %s checks: [{value: {of: {variant: ARCANE}, at_most: 1000}}]}
      - {change: not met, of: [OPS], checks: [{value: {of: {variant: ARCANE}, at_most: 1}}]}
`
	for _, c := range []struct {
		of          string
		whole, part bool
		unexplained []string
		wrong       string
	}{
		{of: "", whole: true},
		{of: "of: [few],", whole: true},
		{of: "of: [ARCANE, OPS],", whole: true},
		{of: "of: [ARCANE],", part: true, unexplained: []string{"few: OPS"}},
		{of: "of: [ECMP],", wrong: `of "ECMP"`},
	} {
		r := evaluated(t, newLab(t), fmt.Sprintf(claim, c.of))
		if c.wrong != "" {
			if r.Verdict != Missing || !strings.Contains(r.Reason, c.wrong) {
				t.Errorf("%s: %s, %s", c.of, r.Verdict, r.Reason)
			}
			continue
		}
		if r.Verdict != Not || r.Explained != c.whole || r.ExplainedInPart() != c.part || !slices.Equal(r.Unexplained, c.unexplained) {
			t.Errorf("%s: %s, explained %t, in part %t, but for %q", c.of, r.Verdict, r.Explained, r.ExplainedInPart(), r.Unexplained)
		}
	}
}

// subset tells whether a sorted list has all of some.
func subset(some, list []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { _, ok := slices.BinarySearch(list, s); return !ok })
}

// TestMissesOfTables looks at what is named where a check sums cells up, met or not, so that
// an explanation stays valid when another run meets what it is of. ECMP is unstable here, and
// in the paper the least.
func TestMissesOfTables(t *testing.T) {
	for _, c := range []struct {
		check         string
		misses, names []string
	}{
		{`compare: deviation, rows: [OPS, ARCANE], take: largest, at_most: 25`, nil, []string{"OPS here small", "ARCANE here small"}},
		{`compare: deviation, rows: [OPS, ARCANE], take: largest, at_most: 19.9`, []string{"OPS here small", "ARCANE here small"}, nil},
		{`compare: deviation, rows: [OPS, ARCANE], at_most: 19.9`, []string{"OPS here small", "ARCANE here small"}, nil},
		{`compare: order, rows: [OPS, ARCANE, ECMP], apart: 1.5, at_least: 50`, []string{"here small: ECMP below OPS", "here small: ECMP below ARCANE"}, nil},
		{`compare: order, rows: [OPS, ARCANE, ECMP], apart: 1.5, at_least: 30`, nil, []string{"here small: ECMP below OPS", "here small: ECMP below ARCANE"}},
		{`compare: stable, rows: [ECMP, OPS], at_least: 100`, []string{"ECMP here small"}, []string{"OPS here small"}},
		{`compare: stable, rows: [OPS], at_least: 100`, nil, []string{"OPS here small"}},
	} {
		l := tabled(t)
		l.numbers = strings.Replace(l.numbers, "small,ECMP,unstable", "small,ECMP,7", 1)
		r := l.claim(`{table: {of: low, cells: [here small], ` + c.check + `}}`)
		if got := r.Checks[0].Misses; !slices.Equal(got, c.misses) {
			t.Errorf("%s: %s, missed are %q, want %q", c.check, r.Reason, got, c.misses)
		}
		if got := slices.Sorted(slices.Values(r.Checks[0].names)); !subset(c.names, got) || !subset(c.misses, got) {
			t.Errorf("%s: an explanation can be of %q, want %q and %q among them", c.check, got, c.names, c.misses)
		}
	}
}

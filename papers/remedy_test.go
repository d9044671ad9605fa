package papers

import (
	"errors"
	"testing"

	"weft/config"
)

// TestRemedies has what to write instead beside what is wrong with a claim, and not in its text.
func TestRemedies(t *testing.T) {
	for _, c := range []struct{ claims, text, remedy string }{
		{"  - {id: c, where: here, claim: x, claimed: y, study: one, checks: [{value: {of: {variant: OPQ}, at_most: 1}}]}\n",
			`axis "variant" has no level "OPQ"`, `did you mean "OPS"? Known: OPS, ARCANE, ECMP`},
		{"  - {id: c, where: here, claim: x, claimed: y, study: six, checks: [{value: {of: {variant: OPS}, at_most: 1}}]}\n",
			`there is no study "six" that is run`, "known: one, slow, two"},
		{"  - {id: c, where: here, claim: x, claimed: y, study: one, checks: [{hold: 7, value: {of: {variant: OPS}, at_most: 1}}]}\n",
			"hold: 7 can never be met: there are 2 points only at scale quick", "write all, any, most or a lower number"},
		{"  - {id: c, where: here, claim: x, claimed: y, study: one, checks: [{value: {of: {variant: OPS}}}]}\n",
			"no bound is given", "write about and within, at_least, at_most or covers"},
		{"  - {id: c, where: here, claim: x, claimed: y, study: one}\n",
			`claim "c" has no checks`, "add some, or explain with kind: and reason: why there are none"},
	} {
		e, err := newLab(t).evaluator(c.claims)
		list := new(config.Error)
		if !errors.As(err, &list) {
			if err != nil {
				t.Fatal(err)
			}
			list = e.Problems()
		}
		if len(list.Problems) != 1 || list.Problems[0].Text != c.text || list.Problems[0].Remedy != c.remedy {
			t.Errorf("%swhat is wrong is %+v; want %q and %q", c.claims, list.Problems, c.text, c.remedy)
		}
	}
}

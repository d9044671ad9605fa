package scenario_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"weft/explain"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// explained accounts for a message of a result, and checks that the account is
// whole: its parts and its path cover the completion time, without gap.
func explained(t testing.TB, s *scenario.Scenario, f record.Flow) *scenario.Explanation {
	t.Helper()
	x, err := scenario.Explain(t.Context(), s, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole(x); err != nil {
		t.Fatal(err)
	}
	return x
}

func whole(x *scenario.Explanation) error {
	sum := unit.Time(0)
	for k, p := range x.Parts {
		if p < 0 {
			return fmt.Errorf("%v is %d ps", explain.Kind(k), p)
		}
		sum += p
	}
	at := x.Start
	for _, s := range x.Path {
		if s.From != at || s.To <= s.From {
			return fmt.Errorf("a segment from %d to %d follows %d", s.From, s.To, at)
		}
		at = s.To
	}
	switch {
	case sum != x.End-x.Start || sum != x.Total:
		return fmt.Errorf("the parts %v add up to %d ps, and it took %d", x.Parts, sum, x.End-x.Start)
	case at != x.End:
		return fmt.Errorf("the path ends at %d, and the message at %d", at, x.End)
	}
	return nil
}

// TestRandomScenariosExplained explains messages of random scenarios: what was
// followed is what the result says, and the parts add up to it exactly.
func TestRandomScenariosExplained(t *testing.T) {
	var c coverage
	unknown, all := 0, 0
	for i := range number(scenarios) {
		if i%4 != 0 {
			continue
		}
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := newSketch(t, i)
			res := runRandom(t, s, scenario.RunOptions{})
			step := max(1, len(res.Flows)/5)
			for k := i % step; k < len(res.Flows); k += step {
				f := res.Flows[k]
				x, err := scenario.Explain(t.Context(), load(t, s.text.String()), f, nil)
				if err == nil {
					err = whole(x)
				}
				if err == nil && x.Finished != f.Finished() {
					err = errors.New("it finished in one run only")
				}
				if err != nil {
					t.Fatalf("message %+v: %v\n%s", f, err, s.text.String())
				}
				all++
				if x.Unknown > 0 {
					unknown++
					t.Logf("%d: message %+v: %d unknown", i, f, x.Unknown)
				}
				c.runs++
				for k, p := range x.Parts {
					c.hit(explain.Kind(k).String(), p > 0)
				}
				c.hit("unfinished", !x.Finished)
			}
		})
	}
	c.report(t, c.runs)
	t.Logf("%d of %d unknown", unknown, all)
}

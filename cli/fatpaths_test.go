package cli

import (
	"slices"
	"testing"

	"weft"
	"weft/config"
	"weft/papers"
	"weft/papers/ledgers"
)

// fatpathsSample are the fabrics that TestFatPathsSample runs of each study.
func fatpathsSample() map[string][]string {
	return map[string][]string{
		"table4":        {"Slim Fly", "HyperX"},
		"table4-jf":     {"HX-JF"},
		"table4-exact":  {"HX-JF"},
		"layers-nine":   {"Slim Fly", "Dragonfly"},
		"fig9":          {"fat tree"},
		"fig9-natural":  {"fat tree"},
		"fig18":         {"Slim Fly", "Dragonfly", "fat tree"},
		"fig19":         nil,
		"layers-single": {"Slim Fly", "Dragonfly"},
	}
}

// TestFatPathsSample runs a part of FatPaths' ledger at scale quick, and expects the
// verdicts that the whole has; among them that the one cell of Table IV that is
// taken for a misprint is not reproduced, and is explained.
func TestFatPathsSample(t *testing.T) {
	want := map[string]papers.Verdict{
		"table4-sf-cdp": papers.Reproduced, "table4-sf-cdp-tail": papers.Reproduced, "table4-sf-pi": papers.Reproduced,
		"table4-hx-cdp": papers.Reproduced, "table4-hx-pi": papers.Reproduced,
		"table4-hx-jf-cdp": papers.Not, "table4-hx-jf-pi": papers.Reproduced,
		"layers-fatpaths": papers.Reproduced, "fig9-fat-tree": papers.Partly, "fig9-certified": papers.Reproduced,
		"fig18-pair": papers.Reproduced, "fig19-constant": papers.Reproduced, "fig19-diameter": papers.Reproduced,
	}
	dir, err := papers.Library(ledgers.All()).Extract("fatpaths", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := papers.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	sample := fatpathsSample()
	for i := range l.Studies {
		s := &l.Studies[i]
		if len(sample[s.ID]) == 0 {
			continue
		}
		lists := []*config.Node{s.Analyze.Fabrics}
		if s.Quick != nil && s.Quick.Fabrics != nil {
			lists = append(lists, s.Quick.Fabrics)
		}
		for _, n := range lists {
			n.Fields = slices.DeleteFunc(slices.Clone(n.Fields), func(f config.Field) bool { return !slices.Contains(sample[s.ID], f.Key) })
		}
	}
	options := papers.Options{Scale: papers.Quick, Out: t.TempDir(), Registry: weft.Builtin(), Program: "test", Analyst: analyst{weft.Builtin()}}
	e, err := l.NewEvaluator(options)
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.Studies {
		s := &l.Studies[i]
		if _, ok := sample[s.ID]; !ok {
			continue
		}
		begin := func(papers.Task) (func(float64), func(error)) { return func(float64) {}, func(error) {} }
		if err := e.RunAnalyses(t.Context(), s, begin); err != nil {
			t.Fatal(err)
		}
	}
	if e, err = l.NewEvaluator(options); err != nil {
		t.Fatal(err)
	}
	e.Keep(func(c *papers.Claim) bool { _, ok := want[c.ID]; return ok })
	r, err := e.Evaluate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Claims) != len(want) {
		t.Errorf("%d claims were looked at, want %d", len(r.Claims), len(want))
	}
	for _, c := range r.Claims {
		if c.Verdict != want[c.ID] {
			t.Errorf("%s is %s, want %s: %s %s", c.ID, c.Verdict, want[c.ID], c.Measured, c.Reason)
		}
		if c.ID == "table4-hx-jf-cdp" && !c.Explained {
			t.Errorf("%s has no explanation that holds: %+v", c.ID, c)
		}
	}
}

package papers

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/study"
)

// TestPreferred has a scale at which OPS takes 400 at 40 % and ARCANE 100, what was run of
// ARCANE at 80 % is not whole, a study is run that is not at the other, and nothing else.
func TestPreferred(t *testing.T) {
	const claims = `  - {id: a, where: here, claim: x, claimed: y, study: one, at: {load: 40%}, checks: [{ratio: {of: {variant: OPS}, over: {variant: ARCANE}, about: 4, within: 1%}}]}
  - {id: b, where: here, claim: x, claimed: y, study: one, at: {load: 80%}, checks: [{ratio: {of: {variant: OPS}, over: {variant: ARCANE}, about: 3, within: 1%}}]}
  - {id: c, where: here, claim: x, claimed: y, study: one, at: {load: 40%}, checks: [{scale: quick, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, about: 2, within: 1%}}]}
  - {id: e, where: here, claim: x, claimed: y, study: one, at: {load: 40%}, checks: [{ratio: {of: {variant: ECMP}, over: {variant: OPS}, about: 1.025, within: 1%}}]}
  - {id: d, where: here, claim: x, claimed: y, checks: [{table: {of: low, compare: value, rows: [OPS], cells: [here small], about: 400, within: 1%}}]}
  - {id: f, where: here, claim: x, claimed: y, study: slow, at: {load: 40%}, checks: [{value: {of: {variant: OPS}, about: 7, within: 1%}}]}
`
	l := tabled(t)
	e, err := l.evaluator(claims)
	if err != nil {
		t.Fatal(err)
	}
	full := tabled(t)
	full.values = map[string]table{"one": {"OPS 40%": {400, 404, 396}, "ARCANE 40%": {100, 101, 99}, "ARCANE 80%": {1}}, "two": {}, "slow": {"OPS 40%": {7, 7, 7}}}
	other, err := full.evaluator(claims)
	if err != nil {
		t.Fatal(err)
	}
	other.data["slow"] = full.data("slow", []string{"OPS"})
	slow, _ := e.Study("slow")
	other.Planned["slow"] = &Planned{Study: slow, Scale: Full, Plan: &study.Plan{}}
	d := other.data["one"]
	whole := d.status
	d.status = func(cell int, seed uint64) (status study.Status, message string) {
		if d.Cells[cell].Name == "ARCANE 80%" && seed > 1 {
			return "", ""
		}
		return whole(cell, seed)
	}
	e.overlay(other)
	for i, want := range []bool{true, false, false, false, true, true} {
		r, err := e.claim(context.Background(), i)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != Reproduced || r.Preferred != want {
			t.Errorf("%s: %s: %s, %s, preferred %t; want %t", r.ID, r.Verdict, r.Measured, r.Reason, r.Preferred, want)
		}
	}
	low, _ := e.TableNamed("low")
	all, err := e.Tabulate(low)
	if err != nil {
		t.Fatal(err)
	}
	if c := all.cell("OPS", "here small"); !c.Preferred || c.Text != "400" {
		t.Errorf("OPS: %+v", c)
	}
	if c := all.cell("ECMP", "here small"); c.Preferred {
		t.Errorf("ECMP: %+v", c)
	}
}

// TestSameAtBothScales has a cell that is the same run at both scales: it is no run of the
// one that is preferred, and can be compared with those that are.
func TestSameAtBothScales(t *testing.T) {
	const claims = `  - {id: same, where: here, claim: x, claimed: y, study: one, at: {load: 40%}, checks: [{value: {of: {variant: ARCANE}, about: 100, within: 1%}}]}
  - {id: beside, where: here, claim: x, claimed: y, study: one, at: {load: 40%}, checks: [{ratio: {of: {variant: OPS}, over: {variant: ARCANE}, about: 4, within: 1%}}]}
`
	for _, ran := range []bool{true, false} { // the same at both is found at one of them
		run := table{"OPS 40%": {400, 404, 396}}
		if ran {
			run["ARCANE 40%"] = []float64{100, 101, 99}
		}
		e, _ := overlaid(t, run, "ARCANE 40%")
		l, err := newLab(t).evaluator(claims)
		if err != nil {
			t.Fatal(err)
		}
		e.Ledger = l.Ledger
		for i, want := range []bool{false, true} {
			r, err := e.claim(context.Background(), i)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != Reproduced || r.Preferred != want {
				t.Errorf("%s: %s: %s, %s, preferred %t; want %t", r.ID, r.Verdict, r.Measured, r.Reason, r.Preferred, want)
			}
		}
	}
}

// TestByColumn has a table whose rows are compared, of which not all were run at the scale
// that is preferred.
func TestByColumn(t *testing.T) {
	for _, c := range []struct {
		name string
		run  table
		ops  string
	}{
		{"one row", table{"OPS 40%": {400, 404, 396}}, "200"},
		{"all rows", table{"OPS 40%": {400, 404, 396}, "ARCANE 40%": {100, 101, 99}, "ECMP 40%": {500, 505, 495}}, "400"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, full := tabled(t), tabled(t)
			full.values = map[string]table{"one": c.run, "two": {}}
			l.tables = strings.Replace(l.tables, "best: true", "best: false", 1)
			e, err := l.evaluator("")
			if err != nil {
				t.Fatal(err)
			}
			other, err := full.evaluator("")
			if err != nil {
				t.Fatal(err)
			}
			e.overlay(other)
			ours, _ := e.TableNamed("ours")
			all, err := e.TabulateByColumn(ours)
			if err != nil {
				t.Fatal(err)
			}
			if o := all.cell("OPS", "one"); o == nil || o.Text != c.ops || o.Preferred != (c.ops == "400") {
				t.Errorf("OPS: %+v, want %s", o, c.ops)
			}
		})
	}
}

// TestFurtherLevels has a table take loads that only the scale that is preferred has, where
// they were run.
func TestFurtherLevels(t *testing.T) {
	for _, c := range []struct {
		name string
		ran  int // of three seeds at 85 %
		want string
	}{{"run", 3, "450"}, {"not all seeds", 2, "300"}} {
		t.Run(c.name, func(t *testing.T) {
			e, err := tabled(t).evaluator("")
			if err != nil {
				t.Fatal(err)
			}
			full := tabled(t)
			full.values = map[string]table{"one": {"OPS 85%": {450, 450, 450}}, "two": {}}
			other, err := full.evaluator("")
			if err != nil {
				t.Fatal(err)
			}
			d := other.data["one"]
			for i := range d.Axes {
				if d.Axes[i].Name == "load" {
					d.Axes[i].Levels = append(slices.Clone(d.Axes[i].Levels), "85%")
				}
			}
			d.Cells = append(d.Cells, study.PlannedCell{Name: "OPS 85%", Levels: []int{0, 2}})
			whole := d.status
			d.status = func(cell int, seed uint64) (study.Status, string) {
				if d.Cells[cell].Name == "OPS 85%" && int(seed) > c.ran {
					return "", ""
				}
				return whole(cell, seed)
			}
			e.overlay(other)
			low, _ := e.TableNamed("low")
			all, err := e.Tabulate(low)
			if err != nil {
				t.Fatal(err)
			}
			if o := all.cell("OPS", "here small"); o.Text != c.want || o.Preferred != (c.ran == 3) {
				t.Errorf("OPS: %+v, want %s", o, c.want)
			}
		})
	}
}

// comparedAtScales evaluates a claim of which one scale is preferred and was run in part: what
// study one has is run there, and study two not.
func comparedAtScales(t *testing.T, claim string, run table) ClaimResult {
	t.Helper()
	e, err := tabled(t).evaluator(claim)
	if err != nil {
		t.Fatal(err)
	}
	full := tabled(t)
	full.values = map[string]table{"one": run, "two": {}}
	other, err := full.evaluator(claim)
	if err != nil {
		t.Fatal(err)
	}
	e.overlay(other)
	r, err := e.claim(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestComparedAtOneScale compares two rows of a table of which one was run at the scale that
// is preferred, or both.
func TestComparedAtOneScale(t *testing.T) {
	for _, c := range []struct {
		name, says string
		run        table
	}{
		{"one", "2×", table{"OPS 40%": {400, 404, 396}}},
		{"both", "4×", table{"OPS 40%": {400, 404, 396}, "ARCANE 40%": {100, 101, 99}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			const claim = "  - {id: a, where: here, claim: x, claimed: y, checks: [{at: {load: 40%}, table: {of: low, compare: each, rows: [OPS], over: [ARCANE], cells: [here small], at_least: 1.5}}]}\n"
			r := comparedAtScales(t, claim, c.run)
			if r.Verdict != Reproduced || !strings.Contains(r.Measured, c.says) || r.Preferred != (c.name == "both") {
				t.Errorf("%+v, want %s", r, c.says)
			}
		})
	}
}

// TestRatioOfNormalized has rows compared by numbers over the best of their column, of which
// not all were run at the scale that is preferred: OPS and ECMP are 200 and 205 at the other, by seed.
func TestRatioOfNormalized(t *testing.T) {
	for _, c := range []struct {
		name, says string
		run        table
	}{
		{"not the best", "0.9754×", table{"OPS 40%": {400, 404, 396}, "ECMP 40%": {500, 505, 495}}},
		{"not what is compared with", "0.9754×", table{"OPS 40%": {400, 404, 396}, "ARCANE 40%": {100, 101, 99}}},
		{"all", "0.8×", table{"OPS 40%": {400, 404, 396}, "ECMP 40%": {500, 505, 495}, "ARCANE 40%": {100, 101, 99}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			const claim = "  - {id: a, where: here, claim: x, claimed: y, checks: [{at: {load: 40%}, table: {of: low, compare: ratio, rows: [OPS], over: [ECMP], cells: [here small], at_most: 1}}]}\n"
			r := comparedAtScales(t, claim, c.run)
			if r.Verdict != Reproduced || !strings.HasSuffix(r.Measured, c.says) || r.Preferred != (c.name == "all") {
				t.Errorf("%+v, want %s", r, c.says)
			}
		})
	}
}

// TestBeside compares the cells that were run at both scales and differ.
func TestBeside(t *testing.T) {
	l, full := tabled(t), tabled(t)
	full.values = map[string]table{"one": {"OPS 40%": {400, 404, 396}, "ARCANE 40%": {100, 101, 99}, "ECMP 40%": {1, 1, 1}}, "two": {"ARCANE 40%": {52, 52, 52}}}
	e, err := l.evaluator("")
	if err != nil {
		t.Fatal(err)
	}
	other, err := full.evaluator("")
	if err != nil {
		t.Fatal(err)
	}
	for id, d := range e.data {
		if d == nil {
			continue
		}
		for i := range d.Cells {
			d.Cells[i].Hash, other.data[id].Cells[i].Hash = "quick "+d.Cells[i].Name, "full "+d.Cells[i].Name
		}
	}
	at := func(d *Data, name string) *string {
		return &d.Cells[slices.IndexFunc(d.Cells, func(c study.PlannedCell) bool { return c.Name == name })].Hash
	}
	*at(e.data["one"], "ECMP 40%") = *at(other.data["one"], "ECMP 40%") // the same run
	e.overlay(other)
	got, err := e.Beside([]string{"runtime_us"})
	if err != nil {
		t.Fatal(err)
	}
	// ARCANE's cell at 40 % is the same in both studies, and listed once.
	want := []Beside{{"one", "OPS 40%", []float64{0.5}}, {"one", "ARCANE 40%", []float64{1}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("beside each other (-want +got):\n%s", diff)
	}
	// Of seven cells of three seeds, the one that is the same is not of the other scale.
	if p := e.preference(); p.Runs != 7*3 || p.Ended != 0 {
		t.Errorf("%+v", p)
	}
}

// TestPreferredBest has tables divide numbers by those of their own scale only: at that
// which is preferred ARCANE takes 100 and OPS 400, where they take 100 and 200 else.
func TestPreferredBest(t *testing.T) {
	for _, c := range []struct {
		name       string
		run        table
		ops        string
		preferring bool
	}{
		{"both", table{"OPS 40%": {400, 404, 396}, "ARCANE 40%": {100, 101, 99}}, "4.00", true},
		{"not the best", table{"OPS 40%": {400, 404, 396}}, "2.00", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := tabled(t).evaluator("")
			if err != nil {
				t.Fatal(err)
			}
			full := tabled(t)
			full.values = map[string]table{"one": c.run, "two": {}}
			other, err := full.evaluator("")
			if err != nil {
				t.Fatal(err)
			}
			e.overlay(other)
			ours, _ := e.TableNamed("ours")
			all, err := e.Tabulate(ours)
			if err != nil {
				t.Fatal(err)
			}
			if o := all.cell("OPS", "one"); o == nil || o.Text != c.ops || o.Preferred != c.preferring {
				t.Errorf("OPS: %+v, want %s, preferred %t", o, c.ops, c.preferring)
			}
			if o := all.cell("ECMP", "one"); o == nil || o.Text != "2.05" || o.Preferred {
				t.Errorf("ECMP: %+v, want 2.05 of the other scale", o)
			}
		})
	}
}

func TestPreferredScales(t *testing.T) {
	for _, c := range []struct{ prefer, says string }{
		{Quick, "cannot be preferred to scale quick"}, {"ful", "cannot be preferred to scale quick"}, {Full, "mixed: true"},
	} {
		if err := new(Ledger).CanPrefer(c.prefer, Quick); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.prefer, err)
		}
	}
}

package papers

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/study"
)

// table is made-up results: values over seeds by variant, load and metric.
type table map[string][]float64

// lab evaluates claims about made-up results of the studies one and two.
type lab struct {
	t      *testing.T
	values map[string]table
	failed map[string]bool
	// tables is what paper.yaml says of tables, and numbers the paper's.
	tables, numbers string
}

func newLab(t *testing.T) *lab {
	return &lab{t: t, failed: map[string]bool{}, values: map[string]table{
		"one": {
			"OPS 40%": {200, 202, 198}, "OPS 80%": {300, 303, 297},
			"ARCANE 40%": {100, 101, 99}, "ARCANE 80%": {100, 102, 98},
			"ECMP 40%": {195, 205, 215}, "ECMP 80%": {600, 620, 610},
		},
		"two": {"ARCANE 40%": {104, 105, 103}, "ARCANE 80%": {200, 202, 201}},
	}}
}

// data makes a study of the table.
func (l *lab) data(id string, variants []string) *Data {
	loads := []string{"40%", "80%"}
	d := &Data{
		Axes:  []study.Axis{{Name: "variant", Levels: variants}, {Name: "load", Path: "traffic.flows.arrival.load", Levels: loads}},
		Seeds: []uint64{1, 2, 3}, Units: units(nil),
	}
	for i, v := range variants {
		for j, load := range loads {
			d.Cells = append(d.Cells, study.PlannedCell{Name: v + " " + load, Levels: []int{i, j}})
		}
	}
	d.status = func(cell int, seed uint64) (study.Status, string) {
		name := id + " " + d.Cells[cell].Name
		switch {
		case l.failed[name]:
			return study.Partial, "stuck: no route"
		case l.values[id][d.Cells[cell].Name] == nil:
			return "", ""
		}
		return study.Done, ""
	}
	d.value = func(cell int, seed uint64, metric string) (float64, error) {
		v := l.values[id][d.Cells[cell].Name][seed-1]
		switch metric {
		case "runtime_us":
			return v, nil
		case "goodput_gbps":
			return 1e5 / v, nil
		case "drops":
			return 0, nil
		case "unstable":
			return map[bool]float64{true: 1}[v > 500], nil
		}
		return math.NaN(), nil
	}
	return d
}

// evaluator resolves claims, written as a ledger has them.
func (l *lab) evaluator(claims string) (*Evaluator, error) {
	dir := filepath.Join(l.t.TempDir(), "paper")
	l.write(dir, "paper.yaml", `ledger: 1
title: A paper
short: Paper
studies:
  - {id: one, about: x, scenario: x.yaml}
  - {id: two, about: x, scenario: x.yaml}
  - {id: slow, about: x, scenario: x.yaml, quick: {skip: true}}
`+l.tables)
	if l.numbers != "" {
		l.write(dir, "numbers.csv", l.numbers)
	}
	l.write(dir, "claims.yaml", "ledger: 1\nclaims:\n"+claims)
	ledger, err := Load(dir)
	if err != nil {
		return nil, err
	}
	e := &Evaluator{
		Ledger: ledger, Options: Options{Scale: Quick, Theory: fakeTheory{}}, Planned: map[string]*Planned{}, Opened: map[string]*study.Study{},
		data:  map[string]*Data{"one": l.data("one", []string{"OPS", "ARCANE", "ECMP"}), "two": l.data("two", []string{"ARCANE"}), "slow": nil},
		stale: map[string]bool{}, broken: map[string]error{}, wrong: map[string]error{},
	}
	for _, id := range []string{"one", "two"} {
		s, _ := ledger.Study(id)
		e.Planned[id] = &Planned{Study: s, Scale: Quick, Plan: &study.Plan{Axes: e.data[id].Axes, Cells: e.data[id].Cells, Seeds: e.data[id].Seeds}}
	}
	e.resolve()
	return e, e.Problems().Err()
}

func (l *lab) write(dir, name, text string) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		l.t.Fatal(err)
	}
}

// claim evaluates a claim with the checks that are given.
func (l *lab) claim(checks ...string) ClaimResult {
	l.t.Helper()
	text := "  - {id: c, where: here, claim: x, claimed: y, study: one, checks: ["
	text += strings.Join(checks, ", ") + "]}\n"
	e, err := l.evaluator(text)
	if err != nil {
		l.t.Fatalf("%s: %v", text, err)
	}
	r, err := e.claim(context.Background(), 0)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// fakeTheory has a model whose numbers are its parameter n and twice that.
type fakeTheory struct{}

func (fakeTheory) Check(model string, params map[string]string) error {
	if model != "double" {
		return fmt.Errorf("there is no model %q", model)
	}
	return nil
}

func (fakeTheory) Number(_ context.Context, _ string, params map[string]string, measure, row string) (study.Estimate, string, []string, error) {
	var n float64
	if _, err := fmt.Sscan(params["n"], &n); err != nil {
		return study.Estimate{}, "", nil, err
	}
	if measure == "twice" {
		n *= 2
	}
	return study.Estimate{N: 2, Mean: n, Low: n, High: n, Min: n, Max: n}, "", nil, nil
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name, check string
		want        Verdict
		says        string // in the measured numbers or the reason
	}{
		{"value near", `{value: {of: {variant: ARCANE, load: 40%}, about: 105, within: 10%}}`, Reproduced, "100 µs [99, 101], n=3"},
		{"value far", `{value: {of: {variant: ARCANE, load: 40%}, about: 120, within: 10%}}`, Not, "17 % below 120 µs, but 10 % are allowed"},
		{"value within a factor", `{value: {of: {variant: ARCANE, load: 40%}, about: 900, times: 10}}`, Reproduced, ""},
		{"value not within a factor", `{value: {of: {variant: ARCANE, load: 40%}, about: 1100, times: 10}}`, Not, "factor of 10"},
		{"value bounds", `{value: {of: {variant: ARCANE, load: 40%}, at_least: 90, at_most: 110}}`, Reproduced, ""},
		{"value below", `{value: {of: {variant: ARCANE, load: 40%}, at_least: 101}}`, Not, "below 101"},
		{"value above", `{value: {of: {variant: ARCANE, load: 40%}, at_most: 99}}`, Not, "above 99"},
		{"value at each level", `{value: {of: {variant: OPS}, at_most: 250}}`, Partly, "1 of 2 hold"},
		{"value at any level", `{hold: any, value: {of: {variant: OPS}, at_most: 250}}`, Reproduced, ""},
		{"value at most levels", `{hold: most, value: {of: {variant: OPS}, at_most: 250}}`, Partly, ""},
		{"value at one level", `{hold: "1", value: {of: {variant: OPS}, at_most: 250}}`, Reproduced, ""},
		{"value at two levels", `{hold: "2", value: {of: {variant: OPS}, at_most: 250}}`, Partly, ""},
		{"largest value", `{value: {of: {variant: OPS}, take: largest, at_most: 250}}`, Not, "300"},
		{"smallest value", `{value: {of: {variant: OPS}, take: smallest, at_most: 250}}`, Reproduced, "200"},
		{"mean value", `{value: {of: {variant: OPS}, take: mean, about: 250, within: 1%}}`, Reproduced, "250 µs"},
		{"level by the path of its axis", `{value: {of: {variant: OPS, traffic.flows.arrival.load: 40%}, about: 200, within: 1%}}`, Reproduced, ""},
		{"at restricts a free axis", `{at: {load: 40%}, value: {of: {variant: OPS}, at_most: 250}}`, Reproduced, ""},

		{"ratio near", `{at: {load: 40%}, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, about: 2, within: 1%}}`, Reproduced, "2×"},
		{"ratio far", `{at: {load: 40%}, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, about: 1.5, within: 10%}}`, Not, ""},
		{"advantage", `{at: {load: 40%}, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, at_least: 1.5}}`, Reproduced, ""},
		{"advantage that could be none", `{at: {load: 40%}, ratio: {of: {variant: ECMP}, over: {variant: OPS}, at_least: 1.01}}`, Not, "reaches 1"},
		{"up to", `{ratio: {of: {variant: OPS}, over: {variant: ARCANE}, take: largest, about: 3, within: 1%}}`, Reproduced, "largest of 2"},
		{"ratio across levels", `{ratio: {of: {variant: OPS, load: 80%}, over: {variant: OPS, load: 40%}, about: 1.5, within: 1%}}`, Reproduced, ""},
		{"ratio across studies", `{ratio: {of: {study: two, variant: ARCANE}, over: {variant: ARCANE}, at_most: 1.1}}`, Partly, "2.01× is above 1.1×"},
		{"studies side by side", `{at: {load: 80%, variant: ARCANE}, similar: {of: {study: two}, to: {study: one}, within: 5%}}`, Not, "two / one"},
		{"nothing over nothing", `{at: {load: 40%}, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, metric: drops, about: 1, within: 0%}}`, Reproduced, ""},

		{"below", `{order: {less: {variant: ARCANE}, than: {variant: OPS}}}`, Reproduced, ""},
		{"below all others", `{order: {less: {variant: ARCANE}, than: {variant: others}}}`, Reproduced, "over 4 cells"},
		{"not below", `{order: {less: {variant: OPS}, than: {variant: ARCANE}}}`, Not, "it is not below"},
		{"below with intervals that overlap", `{at: {load: 40%}, order: {less: {variant: OPS}, than: {variant: ECMP}}}`, Not, "the intervals overlap"},
		{"no worse than", `{at: {load: 40%}, order: {less: {variant: ECMP}, than: {variant: OPS}, or_within: 5%}}`, Reproduced, ""},
		{"worse by more", `{at: {load: 40%}, order: {less: {variant: ECMP}, than: {variant: OPS}, or_within: 1%}}`, Not, ""},
		{"below any", `{at: {load: 80%}, order: {less: {variant: OPS}, than: {variant: others}, against: any}}`, Reproduced, "OPS < ECMP"},
		{"below the best", `{at: {load: 80%}, order: {less: {variant: OPS}, than: {variant: others}, against: best}}`, Not, "ARCANE"},
		{"several below", `{at: {load: 80%}, order: {less: {variant: [OPS, ARCANE]}, than: {variant: ECMP}}}`, Reproduced, ""},

		{"similar", `{at: {load: 40%}, similar: {of: {variant: ECMP}, to: {variant: OPS}, within: 5%}}`, Reproduced, ""},
		{"not similar", `{at: {load: 40%}, similar: {of: {variant: ECMP}, to: {variant: OPS}, within: 2%}}`, Not, "differ by 2.52"},
		{"several similar to one of them", `{at: {load: 40%}, similar: {of: {variant: [OPS, ECMP]}, to: {variant: OPS}, within: 5%}}`, Reproduced, ""},

		{"grows", `{trend: {of: {variant: OPS}, along: load}}`, Reproduced, ""},
		{"does not grow", `{trend: {of: {variant: ARCANE}, along: load}}`, Not, "from the first level to the last"},
		{"does not fall", `{trend: {of: {variant: OPS}, along: load, is: falls}}`, Not, ""},
		{"ratio grows", `{trend: {of: {variant: OPS}, over: {variant: ARCANE}, along: load}}`, Reproduced, "2×"},

		{"bound of a model", `{at: {load: 40%}, value: {of: {variant: OPS}, from_model: {model: double, params: {n: 100}, measure: twice, factor: 0.95}}}`, Reproduced, ""},
		{"bound of a model not met", `{at: {load: 40%}, value: {of: {variant: OPS}, from_model: {is: at_most, model: double, params: {n: 90}, measure: twice}}}`, Not, "above 180 µs"},
		{"near a number of a model", `{at: {load: 40%}, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, within: 5%, from_model: {is: about, model: double, params: {n: 1}, measure: twice}}}`, Reproduced, "2×"},

		{"theory", `{theory: {model: double, params: {n: 4}, measure: twice, about: 8, within: 0%}}`, Reproduced, "8"},
		{"theory not", `{theory: {model: double, params: {n: 4}, measure: twice, at_most: 7}}`, Not, "8 is above 7"},
		{"theory ratio", `{theory: {model: double, params: {n: 4}, over: {n: 2}, measure: twice, about: 2, within: 0%}}`, Reproduced, "2×"},
		{"theory at each", `{theory: {model: double, params: {n: [1, 5]}, along: n, measure: twice, at_most: 7}}`, Partly, "n 5"},
		{"theory grows", `{theory: {model: double, params: {n: [1, 5]}, along: n, measure: twice, is: grows}}`, Reproduced, ""},
		{"theory does not fall", `{theory: {model: double, params: {n: [1, 5]}, along: n, measure: twice, is: falls}}`, Not, ""},

		{"not run at this scale", `{study: slow, value: {of: {variant: ARCANE}, at_most: 1}}`, Missing, "study slow is not run at scale quick"},
		{"of the other scale", `{scale: full, value: {of: {variant: ARCANE}, at_most: 1}}`, Missing, "the other scale"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newLab(t).claim(c.check)
			if r.Verdict != c.want {
				t.Errorf("the verdict is %q, not %q: %+v", r.Verdict, c.want, r.Checks)
			}
			if !strings.Contains(r.Measured+" "+r.Reason, c.says) {
				t.Errorf("%q and %q do not say %q", r.Measured, r.Reason, c.says)
			}
			if (r.Verdict == Reproduced) != (r.Reason == "") {
				t.Errorf("%s, with reason %q", r.Verdict, r.Reason)
			}
		})
	}
}

func TestVerdictOfSeveralChecks(t *testing.T) {
	good, bad := `{at: {load: 40%}, order: {less: {variant: ARCANE}, than: {variant: OPS}}}`, `{at: {load: 40%}, order: {less: {variant: OPS}, than: {variant: ARCANE}}}`
	for _, c := range []struct {
		checks []string
		want   Verdict
	}{
		{[]string{good, good}, Reproduced}, {[]string{good, bad}, Partly}, {[]string{bad, bad}, Not},
		{[]string{good, `{study: slow, value: {of: {variant: ARCANE}, at_most: 1}}`}, Missing},
	} {
		if r := newLab(t).claim(c.checks...); r.Verdict != c.want {
			t.Errorf("%v: %q, not %q", c.checks, r.Verdict, c.want)
		}
	}
}

func TestMissingAndFailedRuns(t *testing.T) {
	const check = `{at: {load: 40%}, order: {less: {variant: ARCANE}, than: {variant: OPS}}}`
	l := newLab(t)
	delete(l.values["one"], "OPS 40%")
	if r := l.claim(check); r.Verdict != Missing || !strings.Contains(r.Reason, "study one has not been run") {
		t.Errorf("without runs: %s, %s", r.Verdict, r.Reason)
	}
	if r := l.claim(`{at: {load: 80%}, order: {less: {variant: ARCANE}, than: {variant: OPS}}}`); r.Verdict != Reproduced {
		t.Errorf("other cells are there, and the verdict is %s", r.Verdict)
	}
	l = newLab(t)
	l.failed["one OPS 40%"] = true
	if r := l.claim(check); r.Verdict != Reproduced || !strings.Contains(r.Measured, "never ends") {
		t.Errorf("beside runs that got stuck: %s, %s", r.Verdict, r.Measured)
	}
	for _, check := range []string{
		`{at: {load: 40%}, order: {less: {variant: OPS}, than: {variant: ARCANE}}}`,
		`{at: {load: 40%}, order: {less: {variant: ARCANE}, than: {variant: OPS}, metric: drops}}`,
		`{at: {load: 40%}, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, at_least: 1.5}}`,
	} {
		if r := l.claim(check); r.Verdict != Not || !strings.Contains(r.Reason, "no run has a complete result (partial: stuck: no route)") {
			t.Errorf("%s with runs that got stuck: %s, %s", check, r.Verdict, r.Reason)
		}
	}
}

// TestStuckCellsAreNotLeftOut has the largest, the worst and the mean of cells of which one got
// stuck: it stands for all, except where the best is wanted.
func TestStuckCellsAreNotLeftOut(t *testing.T) {
	for check, want := range map[string]Verdict{
		`{value: {of: {variant: ECMP}, take: each, at_most: 250}}`:                          Partly,
		`{value: {of: {variant: ECMP}, take: largest, at_most: 250}}`:                       Not,
		`{value: {of: {variant: ECMP}, take: mean, at_most: 250}}`:                          Not,
		`{value: {of: {variant: ECMP}, take: smallest, metric: goodput_gbps, at_least: 1}}`: Not,
		`{ratio: {of: {variant: ECMP}, over: {variant: OPS}, take: largest, at_most: 1.3}}`: Not,
	} {
		l := newLab(t)
		l.failed["one ECMP 80%"] = true
		if r := l.claim(check); r.Verdict != want || want == Not && !strings.Contains(r.Reason, "stuck") {
			t.Errorf("%s: %s, %s %s; want %s", check, r.Verdict, r.Measured, r.Reason, want)
		}
	}
}

// TestTrendOfSeveralCells has a cell that grows and one that falls: each is judged.
func TestTrendOfSeveralCells(t *testing.T) {
	l := newLab(t)
	l.values["one"]["OPS 80%"] = []float64{100, 101, 99}
	for check, want := range map[string]Verdict{
		`{trend: {of: {variant: ECMP}, along: load, is: grows}}`:        Reproduced,
		`{trend: {of: {variant: [ECMP, OPS]}, along: load, is: grows}}`: Partly,
		`{trend: {of: {variant: [OPS, ECMP]}, along: load, is: grows}}`: Partly,
		`{trend: {of: {variant: [OPS, ECMP]}, along: load, is: falls}}`: Partly,
	} {
		if r := l.claim(check); r.Verdict != want || want == Partly && !strings.Contains(r.Reason, "OPS") && !strings.Contains(r.Reason, "ECMP") {
			t.Errorf("%s: %s, %s %s; want %s", check, r.Verdict, r.Measured, r.Reason, want)
		}
	}
}

func TestOneSeedOrdersNothing(t *testing.T) {
	nan := math.NaN()
	l := newLab(t)
	for name := range l.values["one"] {
		l.values["one"][name][1], l.values["one"][name][2] = nan, nan
	}
	for _, check := range []string{
		`{at: {load: 40%}, order: {less: {variant: ARCANE}, than: {variant: OPS}}}`,
		`{at: {load: 40%}, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, at_least: 1.5}}`,
	} {
		if r := l.claim(check); r.Verdict != Not || !strings.Contains(r.Reason, "one seed") {
			t.Errorf("%s: %s, %s", check, r.Verdict, r.Reason)
		}
	}
	if r := l.claim(`{at: {load: 40%}, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, about: 2, within: 5%}}`); r.Verdict != Reproduced {
		t.Errorf("a ratio near a number needs no interval: %s, %s", r.Verdict, r.Reason)
	}
}

// TestRatiosArePairedBySeed has two noisy cells whose ratio is the same with each
// seed.
func TestRatiosArePairedBySeed(t *testing.T) {
	l := newLab(t)
	l.values["one"]["OPS 40%"], l.values["one"]["ARCANE 40%"] = []float64{300, 200, 100}, []float64{150, 100, 50}
	r := l.claim(`{at: {load: 40%}, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, about: 2, within: 0%}}`)
	if q := r.Checks[0].Points[0]; r.Verdict != Reproduced || *q.Low != 2 || *q.High != 2 || q.N != 3 {
		t.Errorf("the ratio is %s", q.Measured)
	}
}

func TestExplanations(t *testing.T) {
	l := newLab(t)
	const text = `  - id: c
    where: §1, Figure 2
    claim: x
    claimed: y
    study: one
    at: {load: 40%}
    checks: [{value: {of: {variant: ARCANE}, about: 200, within: 10%}}]
    explanations:
      - {change: a higher load, study: two, at: {load: 80%}, checks: [{value: {of: {variant: ARCANE}, about: 200, within: 10%}}]}
      - {change: none, study: two, at: {load: 40%}, checks: [{value: {of: {variant: ARCANE}, about: 200, within: 10%}}]}
`
	e, err := l.evaluator(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Evaluate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c := r.Claims[0]
	if c.Verdict != Not || !c.Explained || !c.Explanations[0].Met || c.Explanations[1].Met || c.Section != "§1" {
		t.Errorf("%+v", c)
	}
	if r.Explained != (Explained{Claims: 1, ByChange: 1}) || r.Share() != 0 || r.Counts[Not] != 1 {
		t.Errorf("%+v", r.Counts)
	}
}

func TestTrendsGoOneWay(t *testing.T) {
	levels := func(means ...float64) (list []number) {
		for _, m := range means {
			list = append(list, numberOf(&Sample{Seeds: []uint64{1, 2, 3}, Values: []float64{m - 1, m, m + 1}}))
		}
		return list
	}
	for _, c := range []struct {
		is    string
		means []float64
		want  bool
	}{
		{"grows", []float64{10, 20, 30}, true}, {"grows", []float64{10, 20, 19.5, 30}, true}, {"grows", []float64{10, 30, 20, 40}, false},
		{"grows", []float64{10, 10.5}, false}, {"falls", []float64{30, 20, 10}, true}, {"falls", []float64{30, 10, 20, 5}, false}, {"grows", []float64{10}, false},
	} {
		if got, why := trendOf(levels(c.means...), c.is); got != c.want || got != (len(why) == 0) {
			t.Errorf("%v %s: %v, %q", c.means, c.is, got, why)
		}
	}
}

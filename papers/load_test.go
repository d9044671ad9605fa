package papers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
	"weft/config"
	"weft/papers/ledgers"
)

// TestMistakesAreToldWhereTheyStand has a mistake each in the claims of a ledger.
func TestMistakesAreToldWhereTheyStand(t *testing.T) {
	claim := func(rest string) string { return "  - {id: c, where: here, claim: x, claimed: y, " + rest + "}\n" }
	for _, c := range []struct{ name, claims, says string }{
		{"label", claim(`study: one, checks: [{value: {of: {variant: ARCAN}, at_most: 1}}]`), `claims.yaml:3:92: axis "variant" has no level "ARCAN"; did you mean "ARCANE"?`},
		{"axis", claim(`study: one, checks: [{value: {of: {varient: OPS}, at_most: 1}}]`), `no axis "varient"; did you mean "variant"?`},
		{"axis of at", claim(`study: one, at: {lod: 40%}, checks: [{value: {of: {variant: OPS}, at_most: 1}}]`), `no axis "lod"; did you mean "load"?`},
		{"metric", claim(`study: one, checks: [{value: {of: {variant: OPS}, metric: runtime, at_most: 1}}]`), `no metric or measure "runtime"; did you mean "runtime_us"?`},
		{"study", claim(`study: uno, checks: [{value: {of: {variant: OPS}, at_most: 1}}]`), `no study "uno"`},
		{"no study", claim(`checks: [{value: {of: {variant: OPS}, at_most: 1}}]`), `the study of this is not set`},
		{"key", claim(`study: one, checks: [{valu: {of: {variant: OPS}, at_most: 1}}]`), `unknown key "valu" in claims[0].checks[0]; did you mean "value"?`},
		{"kind", claim(`kind: harware, reason: x`), `did you mean "hardware"?`},
		{"no check", claim(`study: one`), `claim "c" has no checks`},
		{"no reason", claim(`kind: hardware`), `give the reason with reason:`},
		{"checks of hardware", claim(`kind: hardware, reason: x, study: one, checks: [{value: {of: {variant: OPS}, at_most: 1}}]`), `but has checks`},
		{"two forms", claim(`study: one, checks: [{value: {at_most: 1}, ratio: {of: {variant: OPS}, over: {variant: ARCANE}, at_most: 1}}]`), `this one is value and ratio`},
		{"no form", claim(`study: one, checks: [{at: {load: 40%}}]`), `this one is none`},
		{"no bound", claim(`study: one, checks: [{value: {of: {variant: OPS}}}]`), `no bound is given`},
		{"no tolerance", claim(`study: one, checks: [{value: {of: {variant: OPS}, about: 1}}]`), `about needs within`},
		{"bounds crossed", claim(`study: one, checks: [{value: {of: {variant: OPS}, at_least: 2, at_most: 1}}]`), `at_least is above at_most`},
		{"hold", claim(`study: one, checks: [{hold: some, value: {of: {variant: OPS}, at_most: 1}}]`), `not all, any, most`},
		{"hold of too many", claim(`study: one, checks: [{hold: 3, value: {of: {variant: OPS}, at_most: 1}}]`), `hold: 3 can never be met: there are 2 points only`},
		{"hold of a trend", claim(`study: one, checks: [{hold: 2, trend: {of: {variant: OPS}, along: load}}]`), `there are 1 points only`},
		{"hold of the largest", claim(`study: one, checks: [{hold: 2, value: {of: {variant: OPS}, take: largest, at_most: 1}}]`), `there are 1 points only`},
		{"hold of many", claim(`study: one, checks: [{hold: 5, order: {less: {variant: OPS}, than: {variant: others}}}]`), `there are 4 points only`},
		{"hold of a model", claim(`checks: [{hold: 3, theory: {model: double, params: {n: [1, 2]}, along: n, measure: x, at_most: 1}}]`), `there are 2 points only`},
		{"level of the other side", claim(`study: one, checks: [{ratio: {of: {variant: OPS}, over: {variant: OPS, load: 40%}, at_most: 1}}]`), `does not set its level of "load"`},
		{"others of nothing", claim(`study: one, checks: [{order: {less: {load: 40%}, than: {variant: others}}}]`), `others are the levels of variant that the other cell does not name`},
		{"trend along nothing", claim(`study: one, checks: [{trend: {of: {variant: OPS}, along: lod}}]`), `no axis "lod" to lead along; did you mean "load"?`},
		{"trend along a level", claim(`study: one, checks: [{trend: {of: {variant: OPS, load: 40%}, along: load}}]`), `cannot name a level of it`},
		{"contradicts nothing", claim(`kind: cited, reason: x, contradicts: [d]`), `no other claim "d"`},
		{"untested explanation", claim(`study: one, checks: [{value: {of: {variant: OPS}, at_most: 1}}], explanations: [{change: x, checks: []}]`), `an explanation must be tested`},
		{"twice", claim(`kind: cited, reason: x`) + claim(`kind: cited, reason: x`), `another claim is already called "c"`},
		{"name", `  - {id: C 1, where: here, claim: x, claimed: y, kind: cited, reason: x}`, `cannot be the name of a claim`},
		{"model", claim(`checks: [{theory: {model: triple, measure: x, at_most: 1}}]`), `there is no model "triple"`},
		{"model of a bound", claim(`study: one, checks: [{value: {of: {variant: OPS}, from_model: {model: triple, measure: x}}}]`), `no model "triple"`},
		{"bound said twice", claim(`study: one, checks: [{value: {of: {variant: OPS}, at_least: 1, from_model: {model: double, measure: x}}}]`), `at_least is given twice`},
		{"along without a list", claim(`checks: [{theory: {model: double, params: {n: 1}, along: n, measure: x, at_most: 1}}]`), `needs a list of at least two values`},
		{"list that is none", claim(`study: one, checks: [{value: {of: OPS, at_most: 1}}]`), `a cell is a mapping of axes to labels`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newLab(t).evaluator(c.claims)
			list, ok := err.(*config.Error)
			if !ok {
				t.Fatalf("%v", err)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v\ndoes not say %q", err, c.says)
			}
			if place := list.Problems[0].Place.String(); !strings.Contains(place, "claims.yaml:") {
				t.Errorf("the place is %q", place)
			}
		})
	}
}

// TestOneMistakeIsToldOnce has studies that are not there with several checks.
func TestOneMistakeIsToldOnce(t *testing.T) {
	const two = `checks: [{order: {less: {variant: OPS}, than: {variant: ECMP}}}, {value: {of: {variant: OPS}, at_most: 1}}`
	for _, c := range []struct {
		name, claim string
		says        []string
	}{
		{"claim", `study: oen, ` + two + `]`, []string{`claims.yaml:3:55: there is no study "oen" that is run; did you mean "one"?`}},
		{"claim and a check of another", `study: oen, ` + two + `, {study: one, value: {of: {variant: OSP}, at_most: 1}}]`, []string{`no study "oen"`, `no level "OSP"`}},
		{"claim and a model", `study: oen, ` + two + `, {theory: {model: triple, measure: x, at_most: 1}}]`, []string{`no study "oen"`, `no model "triple"`}},
		{"explanation", `study: one, ` + two + `], explanations: [{change: x, study: tow, ` + two + `]}]`, []string{`no study "tow" that is run; did you mean "two"?`}},
		{"claim and its explanation", `study: oen, ` + two + `], explanations: [{change: x, ` + two + `]}]`, []string{`no study "oen"`}},
		{"check", `study: one, checks: [{study: oen, order: {less: {variant: OPS}, than: {variant: ECMP}}}]`, []string{`no study "oen"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newLab(t).evaluator("  - {id: c, where: here, claim: x, claimed: y, " + c.claim + "}\n")
			list, ok := err.(*config.Error)
			if !ok || len(list.Problems) != len(c.says) {
				t.Fatalf("%v", err)
			}
			for i, says := range c.says {
				if text := list.Problems[i].String(); !strings.Contains(text, says) {
					t.Errorf("%v\ndoes not say %q", text, says)
				}
			}
		})
	}
}

// small is the ledger that tests run.
func small(t *testing.T) *Ledger {
	t.Helper()
	l, err := Load("testdata/small")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestScalesChangeTheScenario(t *testing.T) {
	l := small(t)
	for scale, runs := range map[string]int{Quick: 2 * 2 * 2, Full: 3 * 2 * 3} {
		s, _ := l.Study("sizes")
		p, err := l.Plan(s, scale, weft.Builtin(), "test")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(p.Runs()); n != runs {
			t.Errorf("%s has %d runs, not %d", scale, n, runs)
		}
	}
}

// TestMistakesInScales finds what a scale changes where the ledger says it.
func TestMistakesInScales(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"sizes.yaml", claimsFile, paperFile} {
		text, err := os.ReadFile(filepath.Join("testdata/small", name))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), "transport.payload: 2048B", "transport.paylod: 2048B", 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.NewEvaluator(Options{Scale: Full, Registry: weft.Builtin(), Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	err = e.Problems().Err()
	if err == nil || !strings.Contains(err.Error(), "paper.yaml:") || !strings.Contains(err.Error(), `did you mean "payload"?`) {
		t.Errorf("%v", err)
	}
}

func TestMissingFilesOfALedger(t *testing.T) {
	_, err := Load(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "paper.yaml: there is no such file") {
		t.Errorf("%v", err)
	}
}

func TestEmbeddedLedgersAreExtracted(t *testing.T) {
	dir := t.TempDir()
	library := Library(ledgers.All())
	for _, name := range library.Names() {
		at, err := library.Extract(name, dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(at); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "sird", "ledger.go")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the code of the ledger is unpacked: %v", err)
	}
	if _, err := library.Extract("arcana", dir); err == nil || !strings.Contains(err.Error(), `did you mean "arcane"?`) {
		t.Errorf("%v", err)
	}
	if _, err := (Library{}).Extract("arcane", dir); !errors.Is(err, ErrNoLedgers) {
		t.Errorf("%v", err)
	}
}

// TestSectionWithoutClaims names a heading that no claim is under.
func TestSectionWithoutClaims(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/small")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, paperFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "name: §1,", "name: §11,", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	const says = `paper.yaml:33:19: no claim is under "§11"; did you mean "§1"?`
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%v\ndoes not say %q", err, says)
	}
}

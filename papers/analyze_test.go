package papers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/analysis"
)

// pretended answers as weft analyze would, and counts how often it is asked.
type pretended struct {
	ran     []string
	fails   string
	refused string
}

func (p *pretended) Check(words []string) error {
	if p.refused != "" && slices.Contains(words, p.refused) {
		return errors.New("no such fabric")
	}
	return nil
}

func (p *pretended) Run(_ context.Context, words []string, progress func(float64)) (*analysis.Result, error) {
	command := strings.Join(words, " ")
	if p.fails != "" && strings.Contains(command, p.fails) {
		return nil, errors.New("it does not fit into memory")
	}
	p.ran = append(p.ran, command)
	fabric, _, _ := strings.Cut(words[len(words)-1], "@")
	mean := map[string]float64{"ring:n=4": 50, "mesh:n=4": 80}[fabric]
	return &analysis.Result{Rows: []analysis.Row{
		{Name: fabric, Of: "fabric", Numbers: []analysis.Number{{Name: "N", Value: 4, Low: 4, High: 4}}},
		{Name: fabric + ", l = 2", Of: "length", Numbers: []analysis.Number{{Name: "mean", Value: mean, Low: mean - 3, High: mean + 3, Unit: "%"}}},
		{Name: fabric + ", l = 3", Of: "length", Numbers: []analysis.Number{{Name: "mean", Value: mean + 10, Low: mean + 10, High: mean + 10, Unit: "%"}}},
	}}, nil
}

const analysisPaper = `ledger: 1
title: T
short: T
studies:
  - id: means
    about: Means.
    analyze:
      command: disjoint
      flags: {samples: 100, lengths: [2, 3]}
      axis: topology
      fabrics: {ring: "ring:n=4@2,3", mesh: "mesh:n=4"}
      by: hops
      rows: {two: l = 2, three: l = 3, all: fabric}
    quick: {flags: {samples: 7, seed: 2}}
`

const analysisClaims = `ledger: 1
claims:
  - id: near
    where: §1
    claim: c
    claimed: "52"
    kind: theory
    study: means
    metric: mean
    checks:
      - {value: {of: {topology: ring, hops: two}, about: 52, by: 2}}
      - {value: {of: {topology: ring, hops: two}, covers: 53.4, rounding: 0.5}}
      - {order: {less: {topology: ring, hops: two}, than: {topology: mesh, hops: two}}}
      - {value: {of: {topology: mesh, hops: all}, metric: N, about: 4, by: 0}}
  - id: far
    where: §1
    claim: c
    claimed: "55"
    kind: theory
    study: means
    metric: mean
    checks:
      - {value: {of: {topology: ring, hops: two}, about: 53, by: 2}}
      - {value: {of: {topology: ring, hops: two}, covers: 53.6, rounding: 0.5}}
      - {order: {less: {topology: mesh, hops: two}, than: {topology: ring, hops: two}}}
  - id: wrong
    where: §1
    claim: c
    claimed: "1"
    kind: theory
    study: means
    metric: median
    checks:
      - {value: {of: {topology: ring, hops: two}, about: 1, by: 1}}
`

func analysisLedger(t *testing.T, paper, claims string) *Ledger {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "graphs")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{paperFile: paper, claimsFile: claims} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAnalysesAreRunOnceAndChecked(t *testing.T) {
	l, out := analysisLedger(t, analysisPaper, analysisClaims), t.TempDir()
	analyst := &pretended{fails: "mesh"}
	evaluate := func() map[string]ClaimResult {
		e, err := l.NewEvaluator(Options{Scale: Quick, Out: out, Registry: weft.Builtin(), Program: "p", Analyst: analyst})
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Evaluate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]ClaimResult{}
		for _, c := range r.Claims {
			found[c.ID] = c
		}
		return found
	}
	run := func(program string) error {
		e, err := l.NewEvaluator(Options{Scale: Quick, Out: out, Registry: weft.Builtin(), Program: program, Analyst: analyst})
		if err != nil {
			t.Fatal(err)
		}
		return e.RunAnalyses(t.Context(), &l.Studies[0], silent)
	}
	if got := evaluate()["near"]; got.Verdict != Missing || !strings.Contains(got.Reason, "has not been run") {
		t.Errorf("before anything was run: %s, %s", got.Verdict, got.Reason)
	}
	if err := run("p"); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Fatalf("an analysis that fails: %v", err)
	}
	if got := evaluate()["near"]; got.Verdict != Missing || !strings.Contains(got.Reason, "not complete") {
		t.Errorf("of half a study: %s, %s", got.Verdict, got.Reason)
	}
	analyst.fails = ""
	for range 2 {
		if err := run("p"); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"disjoint --samples=7 --lengths=2,3 --seed=2 ring:n=4@2,3",
		"disjoint --samples=7 --lengths=2,3 --seed=2 mesh:n=4",
	}
	if !slices.Equal(analyst.ran, want) {
		t.Errorf("ran %q, want %q", analyst.ran, want)
	}
	found := evaluate()
	if c := found["near"]; c.Verdict != Reproduced {
		t.Errorf("near: %s, %s", c.Verdict, c.Reason)
	}
	if c := found["far"]; c.Verdict != Not {
		t.Errorf("far: %s, %+v", c.Verdict, c.Checks)
	}
	if c := found["wrong"]; c.Verdict != Missing || !strings.Contains(c.Reason, `"mean"`) {
		t.Errorf("a number that is not there: %s, %s", c.Verdict, c.Reason)
	}
	if err := run("another"); err != nil {
		t.Fatal(err)
	}
	if len(analyst.ran) != 4 {
		t.Errorf("another program ran %d analyses, want both again", len(analyst.ran)-2)
	}
}

func silent(Task) (func(float64), func(error)) { return nil, func(error) {} }

// TestAnalysesArePublished publishes numbers of analyses and checks claims by them, where nothing
// was run.
func TestAnalysesArePublished(t *testing.T) {
	l, out := analysisLedger(t, analysisPaper, analysisClaims), t.TempDir()
	analyst := &pretended{}
	evaluator := func(out, program, revision string) *Evaluator {
		t.Helper()
		e, err := l.NewEvaluator(Options{Scale: Quick, Out: out, Registry: weft.Builtin(), Program: program, Revision: revision, Analyst: analyst, Published: true})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	s := &l.Studies[0]
	if p, err := evaluator(out, "results-1003", "").Publish(s); err != nil || p.Runs != 0 {
		t.Errorf("published %+v of nothing, %v", p, err)
	}
	if err := evaluator(out, "results-1003", "").RunAnalyses(t.Context(), s, silent); err != nil {
		t.Fatal(err)
	}
	p, err := evaluator(out, "results-1003", "").Publish(s)
	if err != nil || p.Runs != 2 || p.Added != 2 {
		t.Fatalf("published %+v, %v; want two new ones", p, err)
	}
	if p, err := evaluator(out, "results-1003", "").Publish(s); err != nil || p.Runs != 2 || p.Added != 0 {
		t.Errorf("published again %+v, %v; want no new ones", p, err)
	}

	elsewhere := evaluator(t.TempDir(), "exe-1", "results-1003")
	r, err := elsewhere.Evaluate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Claims {
		if want := map[string]Verdict{"near": Reproduced, "far": Not, "wrong": Missing}[c.ID]; c.Verdict != want {
			t.Errorf("%s by what is published: %s, want %s; %s", c.ID, c.Verdict, want, c.Reason)
		}
	}
	if got := r.Studies[0]; got.Published != 2 || got.Offered != 2 || got.Missing != 0 {
		t.Errorf("of the study: %+v", got)
	}
	if n := elsewhere.MissingAnalyses(s); n != 0 {
		t.Errorf("%d analyses would run again, though they are published under the same revision", n)
	}
	if n := evaluator(t.TempDir(), "exe-1", "results-1004").MissingAnalyses(s); n != 2 {
		t.Errorf("%d analyses of an older revision would run again, want 2", n)
	}

	// The same analysis with another number is a contradiction.
	path := elsewhere.publishedAnalysesFile(elsewhere.Analyses[s.ID])
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := regexp.MustCompile(`"value":[0-9.]+`).ReplaceAll(text, []byte(`"value":7.5`))
	if err := os.WriteFile(path, edited, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := evaluator(out, "results-1003", "").Publish(s); err == nil || !strings.Contains(err.Error(), "have others") {
		t.Errorf("publishing other numbers: %v", err)
	}
	if err := os.WriteFile(path, text[:len(text)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := l.NewEvaluator(Options{Scale: Quick, Registry: weft.Builtin(), Analyst: analyst}); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "restore") {
		t.Errorf("half a file: %v", err)
	}
}

func TestWrongCommandsAreToldWithTheirPlace(t *testing.T) {
	l := analysisLedger(t, analysisPaper, analysisClaims)
	_, err := l.PlanAnalyses(&l.Studies[0], Quick, &pretended{refused: "mesh:n=4"})
	if err == nil || !strings.Contains(err.Error(), "paper.yaml:8:") || !strings.Contains(err.Error(), "no such fabric") {
		t.Errorf("got %v", err)
	}
	l = analysisLedger(t, strings.Replace(analysisPaper, "quick: {", "quick: {seeds: 3, ", 1), analysisClaims)
	if _, err := l.PlanAnalyses(&l.Studies[0], Quick, nil); err == nil || !strings.Contains(err.Error(), "seeds are for scenarios") {
		t.Errorf("seeds of an analysis: %v", err)
	}
}

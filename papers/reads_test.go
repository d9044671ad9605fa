package papers

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weft/record"
	"weft/study"
)

// TestReads evaluates checks of all forms and compares the metrics that they read with those
// that the ledger says it reads.
func TestReads(t *testing.T) {
	l := tabled(t)
	l.values["slow"] = table{"OPS 40%": {7, 7, 7}}
	l.tables += "  - {id: other, title: x, of: {one: one}, metric: slowdown_p99, at: {load: 40%}}\n"
	e, err := l.evaluator(`  - {id: a, where: here, claim: x, claimed: y, study: one, checks: [
      {value: {of: {variant: OPS, metric: goodput_gbps}, at_least: 0}}, {ratio: {metric: drops, of: {variant: OPS}, over: {variant: ARCANE, study: two}, about: 4, within: 1%}},
      {order: {less: {variant: ARCANE}, than: {variant: OPS}}}, {similar: {metric: timeouts, of: {variant: ECMP}, to: {variant: OPS}, within: 1%}},
      {trend: {metric: trims, of: {variant: OPS}, along: load}}],
     explanations: [{change: z, study: two, metric: ecn_marks, at: {variant: ARCANE}, checks: [{value: {at_least: 1}}]}]}
  - {id: b, where: here, claim: x, claimed: y, checks: [{table: {of: low, metric: retransmits, compare: value, rows: [OPS], cells: [here small], about: 400, within: 1%}},
      {table: {of: ours, metric: fct_p99_us, compare: value, rows: [OPS], instead: [{row: OPS, column: one, study: one}], at_least: 1}}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]map[string]bool{}
	for id, d := range e.data {
		if d == nil {
			continue
		}
		read[id] = map[string]bool{}
		value := d.value
		d.value = func(cell int, seed uint64, metric string) (float64, error) {
			if metric != growthMetric { // which is published with every run
				read[id][metric] = true
			}
			return value(cell, seed, metric)
		}
	}
	if _, err := e.Evaluate(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i := range e.Tables {
		if _, err := e.Tabulate(&e.Tables[i]); err != nil {
			t.Fatal(err)
		}
	}
	union := maps.Clone(read["one"]) // all studies are of one scenario
	maps.Copy(union, read["two"])
	reads := e.metricsRead()
	for _, id := range []string{"one", "two"} {
		if diff := cmp.Diff(slices.Sorted(maps.Keys(union)), slices.Sorted(maps.Keys(reads[id]))); diff != "" {
			t.Errorf("study %s: metrics that are read (-) and that are said to be (+):\n%s", id, diff)
		}
	}
}

// publishedRuns are two runs of a study, of which one came over without a metric.
func publishedRuns() []study.Adopted {
	entry := func(cell string, known map[string]bool) study.Adopted {
		return study.Adopted{
			Entry: study.Entry{
				Name: "OPS", Seed: 1, Status: study.Done, Program: "results-9", Took: 2 * time.Second,
				Cell: strings.Repeat(cell, 16), Hash: strings.Repeat("b", 64), Metrics: map[string]float64{"runtime_us": 0.3333333333},
			},
			By: record.Program{Version: "v1", Revision: "abc", Go: "go1"}, Known: known,
		}
	}
	return []study.Adopted{entry("0123", nil), entry("4567", map[string]bool{"runtime_us": true})}
}

// TestTableOfRuns writes a table of published runs and reads it again.
func TestTableOfRuns(t *testing.T) {
	l := newLab(t)
	e, err := l.evaluator("")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := e.Study("one")
	table := newRunTable(s, map[string]bool{"runtime_us": true, "drops": true})
	table.runs = publishedRuns()
	text, err := table.encode()
	if err != nil {
		t.Fatal(err)
	}
	p := e.Planned["one"]
	if err := publishFile(e.publishedFile(p), text); err != nil {
		t.Fatal(err)
	}
	got, err := e.PublishedRuns(p)
	if err != nil {
		t.Fatal(err)
	}
	want := publishedRuns()
	for i := range want {
		want[i].Cell, want[i].Hash = want[i].Cell[:16], want[i].Hash[:16]
		want[i].Known = map[string]bool{"runtime_us": true, "drops": true}
	}
	delete(want[1].Known, "drops")
	if diff := cmp.Diff(want, got.Runs); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, text)
	}
	if n := len(got.by(map[string]bool{"drops": true}, "results-9")); n != 1 {
		t.Errorf("%d runs are whole, want 1", n)
	}
}

// TestEarlierTable reads a table of an earlier version: it has every metric of its runs, and
// whole hashes.
func TestEarlierTable(t *testing.T) {
	l := newLab(t)
	e, err := l.evaluator("")
	if err != nil {
		t.Fatal(err)
	}
	p := e.Planned["one"]
	row := "OPS,1,done,,results-9,v1,abc,go1,2.0," + strings.Repeat("b", 64) + "," + strings.Repeat("0123", 16) + ",0.5\n"
	if err := publishFile(e.publishedFile(p), []byte(strings.Join(wholeColumns, ",")+",runtime_us\n"+row)); err != nil {
		t.Fatal(err)
	}
	got, err := e.PublishedRuns(p)
	if err != nil || len(got.Runs) != 1 || !got.Runs[0].Knows("drops") || got.Runs[0].Metrics["runtime_us"] != 0.5 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := publishFile(e.publishedFile(p), []byte(strings.Join(runColumns, ",")+"\n"+strings.Replace(row, strings.Repeat("b", 64), "bbb", 1))); err != nil {
		t.Fatal(err)
	}
	if _, err := e.PublishedRuns(p); err == nil {
		t.Error("a hash of three digits is read")
	}
}

// TestAdoptByShortHashes gives a plan runs whose hashes are short.
func TestAdoptByShortHashes(t *testing.T) {
	runs := publishedRuns()
	plan := &study.Plan{Program: "here", Seeds: []uint64{1}, Cells: []study.PlannedCell{{Name: "OPS", Hash: runs[0].Cell}}}
	for i := range runs {
		runs[i].Cell = study.Short(runs[i].Cell)
	}
	s := study.Detached(plan)
	if n := s.Adopt(runs); n != 1 {
		t.Fatalf("%d runs are adopted, want 1", n)
	}
	r := plan.Runs()[0]
	if a, ok := s.Adopted(r); !ok || a.Cell != plan.Cells[0].Hash || a.Key != r.Key {
		t.Errorf("adopted is %+v", a)
	}
}

// TestUnpublishedMetric has a claim of a metric that was not published with the runs: it is
// missing, and says of what, and others are not.
func TestUnpublishedMetric(t *testing.T) {
	l := newLab(t)
	e, err := l.evaluator(`  - {id: a, where: here, claim: x, claimed: y, study: one, at: {load: 40%}, checks: [{value: {of: {variant: OPS}, about: 200, within: 1%}}]}
  - {id: b, where: here, claim: x, claimed: y, study: one, at: {load: 40%}, checks: [{value: {metric: drops, of: {variant: OPS}, at_most: 0}}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	e.Opened["one"] = study.Detached(e.Planned["one"].Plan)
	e.data["one"].lacks = func(_ int, _ uint64, metric string) bool { return metric == "drops" }
	for i, want := range []Verdict{Reproduced, Missing} {
		r, err := e.claim(context.Background(), i)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != want || want == Missing && !strings.Contains(r.Reason, "lack the metric drops") {
			t.Errorf("%s: %s, %s", r.ID, r.Verdict, r.Reason)
		}
	}
}

// TestValuesArePublishedToTenDigits writes values with a fraction shorter, and counts as they are.
func TestValuesArePublishedToTenDigits(t *testing.T) {
	for v, want := range map[float64]string{1.0 / 3: "0.3333333333", 0.25: "0.25", 12345678901: "1.2345678901e+10", 1068.2104265680753: "1068.210427", 0: "0"} {
		if got := published(v); got != want {
			t.Errorf("%v is published as %s, not %s", v, got, want)
		}
	}
}

package papers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/scenario"
	"weft/study"
)

// TestShelf finds runs of a study among what is published of others: some of Figure 10's are
// Table 5's.
func TestShelf(t *testing.T) {
	all, p := withShelf(t, "sird", "fig10-wkc")
	if got := all.lend(p); got != nil {
		t.Errorf("%d runs are lent that are published with the study", len(got.Runs))
	}
	own := all.table(p)
	delete(all.tables, tableKey{"fig10-wkc", Quick})
	lent := all.lend(p)
	if lent == nil || len(lent.Runs) < 3 {
		t.Fatalf("lent are %+v", lent)
	}
	for _, a := range lent.Runs {
		i := slices.IndexFunc(p.Cells, func(c study.PlannedCell) bool { return study.Short(c.Hash) == study.Short(a.Cell) })
		if i < 0 || p.Cells[i].Name != a.Name {
			t.Errorf("%s is not of the study", a.Name)
		}
		k := slices.IndexFunc(own.Runs, func(b study.Adopted) bool { return b.Cell == a.Cell && b.Seed == a.Seed })
		switch {
		case k < 0:
			t.Errorf("%s is not published with the study", a.Name)
		case own.Runs[k].Program == a.Program && own.Runs[k].Hash != a.Hash:
			t.Errorf("%s has another result than what is published with the study", a.Name)
		}
	}
	whole := *p.Study
	whole.Measures = append(slices.Clone(whole.Measures), Measure{Name: "new"})
	p.Study = &whole
	if got := all.lend(p); got != nil {
		t.Errorf("%d runs are lent that lack a measure", len(got.Runs))
	}
}

// TestOlderRevisions takes runs of an older revision of results where nothing newer is
// published, and nowhere compares them with one's own or saves a run by them.
func TestOlderRevisions(t *testing.T) {
	const older = "results-1"
	all, p := withShelf(t, "sird", "fig3")
	current := fmt.Sprintf("results-%d", scenario.ResultRevision)
	published := all.table(p)
	for i := range published.Runs {
		published.Runs[i].Program = older
	}
	if got := published.program(); got != older {
		t.Errorf("all are of %s, and the program is %s", older, got)
	}
	published.Runs[1].Program = current
	if got := published.program(); got != current {
		t.Errorf("one is of %s, and the program is %s", current, got)
	}
	if n := len(published.by(nil, current)); n != 1 {
		t.Errorf("%d runs save others to be made, want 1", n)
	}

	// Of equal runs the newer one is lent.
	first, second := shelved{published.Runs[0], published}, shelved{published.Runs[1], published}
	for _, list := range [][]shelved{{first, second}, {second, first}} {
		if got, ok := newest(list, p.Study, nil); !ok || got.run.Program != current {
			t.Errorf("lent is a run of %s", got.run.Program)
		}
	}

	// Only what is of today's revision saves a run.
	own := *p.Plan
	own.Program = current
	e := &Evaluator{Options: Options{Revision: current}, offered: map[string]*Published{p.Study.ID: published}, lent: map[string]*Published{}}
	begun := study.Detached(&own)
	why := e.Adopt(p.Study, begun)
	if !strings.Contains(why, "older revision") {
		t.Errorf("nobody is told why runs are made again: %q", why)
	}
	taken := 0
	for _, r := range own.Runs() {
		if _, ok := begun.Adopted(r); ok {
			taken++
		}
	}
	if taken != 1 {
		t.Errorf("%d runs are taken as they are published, want 1", taken)
	}
}

package papers

import (
	"slices"
	"testing"

	"weft"
	"weft/study"
)

// TestShelf finds runs of a study among what is published of others: some of Figure 10's are
// Table 5's.
func TestShelf(t *testing.T) {
	l, err := Load("sird")
	if err != nil {
		t.Fatal(err)
	}
	all, err := l.shelve()
	if err != nil {
		t.Fatal(err)
	}
	s := &l.Studies[slices.IndexFunc(l.Studies, func(s Study) bool { return s.ID == "fig10-wkc" })]
	p, err := l.Plan(s, Quick, weft.Builtin(), "test")
	if err != nil {
		t.Fatal(err)
	}
	own, err := l.PublishedRuns(p)
	if err != nil {
		t.Fatal(err)
	}
	lent := all.lend(p, nil)
	if lent == nil || len(lent.Runs) < 3 {
		t.Fatalf("lent are %+v", lent)
	}
	for _, a := range lent.Runs {
		i := slices.IndexFunc(p.Cells, func(c study.PlannedCell) bool { return c.Hash == a.Cell })
		if i < 0 || p.Cells[i].Name != a.Name {
			t.Errorf("%s is not of the study", a.Name)
		}
		if k := slices.IndexFunc(own.Runs, func(b study.Adopted) bool { return b.Cell == a.Cell && b.Seed == a.Seed }); k < 0 || own.Runs[k].Hash != a.Hash {
			t.Errorf("%s has another result than what is published with the study", a.Name)
		}
	}
	if got := all.lend(p, own); got != nil {
		t.Errorf("%d runs are lent that are published with the study", len(got.Runs))
	}
	whole := *s
	whole.Measures = append(slices.Clone(s.Measures), Measure{Name: "new"})
	p.Study = &whole
	if got := all.lend(p, nil); got != nil {
		t.Errorf("%d runs are lent that lack a measure", len(got.Runs))
	}
}

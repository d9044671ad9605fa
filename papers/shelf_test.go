package papers

import (
	"slices"
	"testing"

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
		i := slices.IndexFunc(p.Cells, func(c study.PlannedCell) bool { return c.Hash == a.Cell })
		if i < 0 || p.Cells[i].Name != a.Name {
			t.Errorf("%s is not of the study", a.Name)
		}
		if k := slices.IndexFunc(own.Runs, func(b study.Adopted) bool { return b.Cell == a.Cell && b.Seed == a.Seed }); k < 0 || own.Runs[k].Hash != a.Hash {
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

package reading

import (
	"strings"
	"testing"

	"weft/papers"
)

// claimOf makes a claim from the outcomes of the readings of the tiny ledger, one letter each: + - ? . and a
// blank.
func claimOf(outcomes string, f *File) Claim {
	of := map[rune]Outcome{'+': Met, '-': Missed, '?': Undecided, '.': NotRun, ' ': Same}
	c := Claim{ID: "first"}
	for i, o := range outcomes {
		c.Cells = append(c.Cells, Cell{Reading: f.readings[i].Name, Outcome: of[o], Measured: "2×"})
	}
	return c
}

// TestDecide finds verdicts from outcomes of first, size=large, size=huge, spines=two, large-two.
func TestDecide(t *testing.T) {
	f, err := Load(ledger(t, tinyReadings))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ outcomes, word, on string }{
		{"+++++", "holds", ""},
		{"-----", "contradicted", ""},
		{"+ + +", "holds", ""},
		{"+....", "holds so far", ""},
		{"-...-", "contradicted so far", ""},
		{"-+-..", "depends", "size"},
		{"-+-+.", "depends", "size spines"},
		{"----+", "depends", "large-two"},
		{"?+++.", "holds so far", ""},
		{"?+-  ", "depends", "size"},
		{"???..", "undecided", ""},
		{".....", "not run", ""},
		{"     ", "not run", ""},
	} {
		c := claimOf(tt.outcomes, f)
		c.decide(f)
		if c.Word() != tt.word || strings.Join(c.On, " ") != tt.on {
			t.Errorf("%q: %s on %v, want %s on %s (%s)", tt.outcomes, c.Word(), c.On, tt.word, tt.on, c.Text)
		}
	}
	none := claimOf("+++++", f)
	none.undecidable = &undecidable{Because: "testbed", Why: "It is a chip."}
	if none.decide(f); none.Verdict != notDecidable || none.Text != "testbed: It is a chip." {
		t.Errorf("%s: %s", none.Verdict, none.Text)
	}
}

// TestCell judges what one reading found, by the headline check.
func TestCell(t *testing.T) {
	found := func(k papers.CheckResult) *papers.ClaimResult {
		k.Name = "far"
		return &papers.ClaimResult{Checks: []papers.CheckResult{{Name: "near", Met: true, Holds: true}, k}}
	}
	window := &papers.Doubt{Kind: papers.DoubtWindow, Text: "short"}
	for _, tt := range []struct {
		name  string
		own   claim
		check papers.CheckResult
		want  Outcome
	}{
		{"met", claim{}, papers.CheckResult{Met: true, Holds: true}, Met},
		{"missed", claim{}, papers.CheckResult{}, Missed},
		{"met but for zeros", claim{}, papers.CheckResult{Holds: true}, Met},
		{"undecided", claim{}, papers.CheckResult{Met: true, Undecided: window}, Undecided},
		{"a transient", claim{Transient: true}, papers.CheckResult{Met: true, Undecided: window}, Met},
		{"not run", claim{}, papers.CheckResult{Missing: "study one has not been run"}, NotRun},
	} {
		tt.own.Headline = "far"
		c := Claim{own: tt.own}
		if got := c.cell("size=large", found(tt.check)); got.Outcome != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.name, got.Outcome, got.Why, tt.want)
		}
	}
}

// TestUpTo: the largest cell of all readings decides, and more is no miss.
func TestUpTo(t *testing.T) {
	f, err := Load(ledger(t, tinyReadings))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		take string
		list []float64
		want Verdict
	}{
		{"largest", []float64{1.5, 2.8}, holds}, {"largest", []float64{1.5, 2}, contradicted}, {"largest", []float64{9}, holds},
		{"smallest", []float64{9, 3.2}, holds}, {"smallest", []float64{9, 4}, contradicted},
	} {
		c := Claim{own: claim{UpTo: &upTo{Reach: 3, Within: 0.1, Take: tt.take}}}
		for i, v := range tt.list {
			k := papers.CheckResult{Points: []papers.PointResult{{At: "here", Mean: &v, Unit: "×"}}}
			c.Cells = append(c.Cells, c.cell(f.readings[i].Name, &papers.ClaimResult{Checks: []papers.CheckResult{k}}))
		}
		if c.decide(f); c.Verdict != tt.want {
			t.Errorf("%s of %v: %s (%s), want %s", tt.take, tt.list, c.Verdict, c.Text, tt.want)
		}
	}
}

// TestSummary counts claims by what they are about.
func TestSummary(t *testing.T) {
	f, err := Load(ledger(t, tinyReadings))
	if err != nil {
		t.Fatal(err)
	}
	exact := Claim{Exact: true, Verdict: depends, On: []string{"size"}}
	r := &Result{Readings: []Progress{{Runs: 2, Ended: 2}, {Runs: 2}}, Claims: []Claim{
		{Verdict: holds}, {Verdict: contradicted}, exact, {Kind: papers.KindTheory, Verdict: holds}, {Kind: papers.KindOwn, Verdict: holds},
		{Verdict: notDecidable, undecidable: &undecidable{Because: "lost"}}, {Verdict: onlyUndecided},
	}}
	s := f.summarize(r)
	got := strings.Join(s.Row(), " | ")
	if want := "1 of 1 closed form, 1 test | 1 of 2 | 0 of 1 | 1 | 1 (lost 1); 1 undecided or not run"; got != want {
		t.Errorf("row %s, want %s", got, want)
	}
	if want := "Holds under the first of 2 readings, the only one that was run: 2 of the 4 claims that can be decided; 1 more depend on size (1)."; s.Under != want {
		t.Errorf("%s\nwant %s", s.Under, want)
	}
}

package page

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"weft/papers"
)

// TestShown reads the scale and the missing claims of a page as it is written, and of those that
// are kept.
func TestShown(t *testing.T) {
	p := &page{
		Evaluator: &papers.Evaluator{Ledger: &papers.Ledger{Paper: papers.Paper{Scales: papers.Scales{Full: "Sizes of the paper. All of it."}}}, Options: papers.Options{Scale: papers.Full}},
		result: &papers.Result{
			Scale: papers.Full, Counts: map[papers.Verdict]int{papers.Reproduced: 12, papers.Missing: 7}, Own: map[papers.Verdict]int{papers.Missing: 2},
			Claims: []papers.ClaimResult{{Kind: papers.KindSimulated, Verdict: papers.Missing}, {Kind: papers.KindTheory, Verdict: papers.Reproduced}},
		},
	}
	p.line("| missing | 3 | before the scale |")
	p.facts()
	p.counts()
	if scale, missing, ok := Shown([]byte(p.text.String())); scale != papers.Full || missing != 7 || !ok {
		t.Errorf("it shows scale %q and %d missing, %t, of\n%s", scale, missing, ok, p.text.String())
	}
	for _, text := range []string{"", "# A page\n", "- **Scale**: quick. Short.\n", "- **Scale**: quick. Short.\n| missing | many | |\n"} {
		if _, _, ok := Shown([]byte(text)); ok {
			t.Errorf("%q shows something", text)
		}
	}
	kept, err := filepath.Glob("../../docs/papers/*.md")
	kept = slices.DeleteFunc(kept, func(page string) bool { return filepath.Base(page) == "testbeds.md" }) // of no ledger
	if err != nil || len(kept) == 0 {
		t.Fatalf("no page is kept: %v", err)
	}
	for _, name := range kept {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if scale, _, ok := Shown(text); !ok || scale != papers.Quick && scale != papers.Full {
			t.Errorf("%s shows scale %q, %t", name, scale, ok)
		}
	}
}

package reading

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/readable"
	"weft/papers"
)

// Tally is how many claims hold, of those that can be decided.
type Tally struct {
	Held      int `json:"held"`
	Decidable int `json:"decidable"`
}

// Summary counts the claims of a paper.
type Summary struct {
	// Forms are closed forms and other theory, and Tests the tests of the mechanism.
	Forms Tally `json:"closed_forms"`
	Tests int   `json:"tests"`
	// Directions are claims by orders and bounds, Numbers those by numbers within a tolerance.
	Directions Tally `json:"directions"`
	Numbers    Tally `json:"numbers"`
	// Depends counts the claims that hold in some readings only.
	Depends      int `json:"depends"`
	Contradicted int `json:"contradicted"`
	Undecided    int `json:"undecided"`
	NotRun       int `json:"not_run"`
	// NotDecidable counts the claims that cannot be decided here, by the reason.
	NotDecidable map[string]int `json:"not_decidable"`
	// Under says in a sentence under which readings claims hold.
	Under string `json:"holds_under"`
	// Expected counts the expectations that came true, of those about readings that were run.
	Expected Tally `json:"expected"`
}

// summarize counts the claims of the paper; expectations of the ledger's own are left out.
func (f *File) summarize(r *Result) Summary {
	s := Summary{Tests: len(f.Mechanism), NotDecidable: map[string]int{}}
	on := map[string]int{}
	for i := range r.Claims {
		c := &r.Claims[i]
		for _, cell := range c.Cells {
			if cell.Expected != "" && (cell.Outcome == Met || cell.Outcome == Missed) {
				s.Expected.add(cell.Expected == string(cell.Outcome))
			}
		}
		if c.Kind == papers.KindOwn {
			continue
		}
		tally := &s.Directions
		switch {
		case c.Kind == papers.KindTheory || c.Kind == papers.KindAnalytic:
			tally = &s.Forms
		case c.Exact:
			tally = &s.Numbers
		}
		switch c.Verdict {
		case notDecidable:
			s.NotDecidable[c.undecidable.Because]++
		case onlyUndecided:
			s.Undecided++
		case noRuns:
			s.NotRun++
		default:
			tally.add(c.Verdict == holds)
			if c.Verdict == contradicted {
				s.Contradicted++
			}
			if c.Verdict == depends {
				s.Depends++
				for _, id := range c.On {
					on[id]++
				}
			}
		}
	}
	s.Under = f.under(r, &s, on)
	return s
}

func (t *Tally) add(held bool) {
	t.Decidable++
	if held {
		t.Held++
	}
}

// under is the sentence about what holds under which readings.
func (f *File) under(r *Result, s *Summary, on map[string]int) string {
	held := s.Forms.Held + s.Directions.Held + s.Numbers.Held
	all := s.Forms.Decidable + s.Directions.Decidable + s.Numbers.Decidable
	ended, begun := 0, 0
	for _, p := range r.Readings {
		if p.Runs > 0 && p.Ended == p.Runs {
			ended++
		}
		if p.Ended > 0 {
			begun++
		}
	}
	which := fmt.Sprintf("every one of the %d readings", len(r.Readings))
	switch {
	case len(r.Readings) == 1:
		which = "the one reading that the paper leaves"
	case begun <= 1:
		which = fmt.Sprintf("the first of %d readings, the only one that was run", len(r.Readings))
	case ended < len(r.Readings):
		which = fmt.Sprintf("each reading that was run for it, %d of %d in full", ended, len(r.Readings))
	}
	text := fmt.Sprintf("Holds under %s: %d of the %s that can be decided", which, held, readable.Count(all, "claim"))
	if s.Depends > 0 {
		var words []string
		for _, id := range slices.Concat(f.settingIDs(), f.combinationIDs()) {
			if on[id] > 0 {
				words = append(words, fmt.Sprintf("%s (%d)", id, on[id]))
			}
		}
		text += fmt.Sprintf("; %d more depend on %s", s.Depends, strings.Join(words, ", "))
	}
	return text + "."
}

func (f *File) combinationIDs() []string {
	var ids []string
	for _, c := range f.Combinations {
		ids = append(ids, c.ID)
	}
	return ids
}

// Row writes the cells of a table: mechanism, directions, numbers, depends, not decidable here.
func (s *Summary) Row() []string {
	var mechanism []string
	if s.Forms.Decidable > 0 {
		mechanism = append(mechanism, fmt.Sprintf("%d of %s", s.Forms.Held, readable.Count(s.Forms.Decidable, "closed form")))
	}
	if s.Tests > 0 {
		mechanism = append(mechanism, readable.Count(s.Tests, "test"))
	}
	if len(mechanism) == 0 {
		mechanism = []string{"–"}
	}
	var reasons []string
	total := 0
	for _, because := range []string{"testbed", "operating system", "cited", "lost"} {
		if n := s.NotDecidable[because]; n > 0 {
			reasons = append(reasons, fmt.Sprintf("%s %d", because, n))
			total += n
		}
	}
	not := fmt.Sprint(total)
	if total > 0 {
		not += " (" + strings.Join(reasons, ", ") + ")"
	}
	if s.Undecided+s.NotRun > 0 {
		not += fmt.Sprintf("; %d undecided or not run", s.Undecided+s.NotRun)
	}
	return []string{
		strings.Join(mechanism, ", "), fmt.Sprintf("%d of %d", s.Directions.Held, s.Directions.Decidable),
		fmt.Sprintf("%d of %d", s.Numbers.Held, s.Numbers.Decidable), fmt.Sprint(s.Depends), not,
	}
}

// Heads are the heads of Row's columns.
func Heads() []string {
	return []string{"mechanism", "directions held of those decidable", "numbers within tolerance", "depends", "not decidable here"}
}

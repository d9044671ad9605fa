package readings

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/nearest"
	"weft/papers"
	"weft/papers/reading"
)

func (p Program) check() *cobra.Command {
	var asJSON, details bool
	c := &cobra.Command{
		Use:   "check PAPER [CLAIM | STUDY]...",
		Short: "Check which claims hold under all readings, and which depend on one",
		Long: `Evaluate the headline check of each claim under every reading that was run. A claim
holds if the check is met in all of them, depends on a setting if it is met in some,
and is contradicted if it is met in none. weft finds by itself which numbers decide
nothing: zero against zero, one seed, a window that is too short or a run that is
unstable. Readings that were not run are shown as not run.`,
		Example: `  weft papers readings check fncc --published
  weft papers readings check fncc gain-first --published --details`,
	}
	paper := p.Paper(c, Look)
	c.RunE = func(c *cobra.Command, args []string) error {
		o, done, err := open(paper, args, false)
		if err != nil {
			return err
		}
		defer done()
		e, err := paper.Evaluator(o.ledger)
		if err != nil {
			return err
		}
		if len(o.rest) > 0 {
			known := e.StudyIDs()
			for i := range e.Claims {
				known = append(known, e.Claims[i].ID)
			}
			for _, name := range o.rest {
				if !slices.Contains(known, name) {
					return p.Wrong(fmt.Errorf("%s has no claim or study %q; %s", o.ledger.Name, name, nearest.Remedy(name, "known:", known)))
				}
			}
			e.Keep(func(c *papers.Claim) bool { return slices.Contains(o.rest, c.ID) || slices.Contains(o.rest, c.Study) })
		}
		first, err := e.Evaluate(c.Context())
		if err != nil {
			return err
		}
		r, err := o.Evaluate(c.Context(), first, paper.Evaluator)
		if err != nil {
			return err
		}
		if asJSON {
			return p.JSON(r)
		}
		return p.show(r, details)
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, and nothing else on standard output")
	c.Flags().BoolVar(&details, "details", false, "show what each reading says of each claim")
	return c
}

// symbols stand for what the readings say of a claim, one by one.
var symbols = map[reading.Outcome]string{
	reading.Met: "+", reading.Missed: "-", reading.Undecided: "?", reading.NotRun: ".", reading.Same: " ", reading.None: "x",
}

// strip shows the outcomes of a claim under all readings.
func strip(c *reading.Claim) string {
	var b strings.Builder
	for i := range c.Cells {
		b.WriteString(symbols[c.Cells[i].Outcome])
	}
	return b.String()
}

// show writes the verdicts for people.
func (p Program) show(r *reading.Result, details bool) error {
	var b strings.Builder
	counts := map[reading.Verdict]int{}
	for i := range r.Claims {
		c := &r.Claims[i]
		counts[c.Verdict]++
		fmt.Fprintf(&b, "%-18s  %s (%s): %s  [%s]\n%20s%s\n", c.Word(), c.ID, c.Where, c.Claimed, strip(c), "", c.Text)
		if !details {
			continue
		}
		for _, cell := range c.Cells {
			if cell.Outcome == reading.Same || cell.Outcome == reading.NotRun && cell.Expected == "" {
				continue
			}
			text := fmt.Sprintf("%s: %s", cell.Reading, cell.Outcome)
			for _, more := range []string{cell.Measured, cell.Why} {
				if more != "" {
					text += "; " + more
				}
			}
			if cell.Expected != "" {
				text += "; expected: " + cell.Expected
			}
			fmt.Fprintf(&b, "%20s%s\n", "", text)
		}
	}
	var words []string
	for _, v := range reading.Verdicts() {
		if counts[v] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	fmt.Fprintf(&b, "\n%s, scale %s: %s\n", r.Paper, r.Scale, strings.Join(words, ", "))
	fmt.Fprintln(&b, "In brackets, one reading after another: + holds, - fails, ? undecided, . not run, x not decidable here, blank as first")
	for i, s := range r.Readings {
		fmt.Fprintf(&b, "  %2d %s: %d of %d runs\n", i+1, s.Name, s.Ended, s.Runs)
	}
	for i, cell := range r.Summary.Row() {
		fmt.Fprintf(&b, "%s: %s\n", reading.Heads()[i], cell)
	}
	fmt.Fprintln(&b, r.Summary.Under)
	if e := r.Summary.Expected; e.Decidable > 0 {
		fmt.Fprintf(&b, "Expectations: %d of %d came true.\n", e.Held, e.Decidable)
	}
	_, err := io.WriteString(p.Stdout, b.String())
	return err
}

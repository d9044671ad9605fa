package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/config"
	"weft/internal/readable"
	"weft/papers"
	"weft/papers/reading"
	"weft/unit"
)

func (p *program) papersCheck() *cobra.Command {
	var flags scaleFlags
	var asJSON, details bool
	var require string
	c := &cobra.Command{
		Use:   "check PAPER [CLAIM | STUDY]...",
		Short: "Check which claims of a paper are reproduced by the runs so far",
		Long: `Evaluate the claims of a paper with the results of weft papers run, and list what is
missing. A claim is reproduced if it passes all its checks, partly if it passes some,
and not reproduced if it passes none. Claims about hardware, and those without a
scenario, are not simulable. Claims whose studies have not run are missing.

The exit code is 0 whatever the verdicts, 1 if fewer are reproduced than --require
demands or a result cannot be read, and 2 if the ledger or a flag is wrong.`,
		Example: `  weft papers check arcane
  weft papers check arcane fig3 --details
  weft papers check arcane --scale full --json --require 85%`,
		ValidArgsFunction: p.withinPaper(&flags.ledgerFlags, studiesAndClaims),
		RunE: func(c *cobra.Command, args []string) error {
			least := unit.Ratio(0)
			if require != "" {
				var err error
				if least, err = unit.ParseRatio(require); err != nil || least > 1 {
					return badInput(fmt.Errorf("--require %s: write the share of simulable claims that must be reproduced, as in 85%%", require))
				}
			}
			_, names, err := paperName(flags.ledgerFlags, args)
			if err != nil {
				return err
			}
			r, under, missing, wrong, err := p.checkPaper(c.Context(), &flags, args)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(p.stdout, struct {
					*papers.Result
					Readings *reading.Result `json:"readings,omitempty"`
				}{r, under})
			} else {
				err = p.showVerdicts(r, under, missing, &flags, len(names) > 0, details)
			}
			if err != nil {
				return err
			}
			if err := wrong.Err(); err != nil {
				return fmt.Errorf("%w\nweft papers validate %s --scale %s shows all of it", err, flags.whose(r.Paper), r.Scale)
			}
			if r.Share() < float64(least) {
				return fmt.Errorf("%.0f %% of the simulable claims are reproduced, less than the %s that --require demands", 100*r.Share(), require)
			}
			return nil
		},
	}
	flags.add(c)
	flags.addPublished(c)
	flags.addPrefer(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, and nothing else on standard output")
	c.Flags().BoolVar(&details, "details", false, "show the text of each claim, and every check with its numbers")
	c.Flags().StringVar(&require, "require", "", "least share of the simulable claims that must be reproduced, as in 85%")
	return c
}

// checkPaper evaluates a ledger, all of it or the claims that are named by
// themselves or by their studies.
// What it found under other readings, what open claims wait for, and what is wrong with scenarios and
// claims, is returned beside the result.
func (p *program) checkPaper(ctx context.Context, flags *scaleFlags, args []string) (r *papers.Result, under *reading.Result, missing []papers.StudyResult, wrong *config.Error, err error) {
	l, names, done, err := p.begin(flags, args, false)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	defer done()
	e, err := p.evaluator(l, flags, false)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	if err := only(e, names, flags.list(l.Name)); err != nil {
		return nil, nil, nil, nil, err
	}
	if r, err = e.Evaluate(ctx); err != nil {
		return nil, nil, nil, nil, err
	}
	wrong = e.Problems() // of all that was asked for; what follows narrows it
	if under, err = readingsOf(ctx, p, l, r, flags); err != nil {
		return nil, nil, nil, nil, err
	}
	missing, err = waitedFor(ctx, e, r)
	return r, under, missing, wrong, err
}

func (p *program) papersValidate() *cobra.Command {
	var flags scaleFlags
	c := &cobra.Command{
		Use:   "validate PAPER",
		Short: "Report every mistake of a ledger without running anything",
		Long: `Read a ledger, its scenarios at a scale, and all its claims. Report every mistake with
file, line and column: axes, labels and metrics that the studies do not have, scenarios
that do not load, measures that are not recorded. Like weft validate, it also builds
the scenarios.`,
		ValidArgsFunction: argument(p.paperNames),
		RunE: func(c *cobra.Command, args []string) error {
			l, _, done, err := p.begin(&flags, args, false)
			if err != nil {
				return err
			}
			defer done()
			e, err := p.evaluator(l, &flags, true)
			if err != nil {
				return err
			}
			p.allProblems = true
			studies, _, err := chosenStudies(l, nil, flags.scale, flags.list(l.Name))
			if err != nil {
				return err
			}
			problems := e.Problems()
			problems.Append(p.verifyStudies(c.Context(), e, studies, true))
			if len(problems.Problems) > 0 {
				fmt.Fprintln(p.stderr, problems.All())
				return &exit{code: wrong}
			}
			_, err = fmt.Fprintf(p.stdout, "%s: ok (%s, %d of them to run at scale %s; %s)\n", l.Name, readable.Count(len(l.Studies), "study"), len(studies), flags.scale, readable.Count(len(l.Claims), "claim"))
			return err
		},
	}
	flags.add(c)
	return c
}

// only narrows an evaluation to claims and studies of these names. List is the
// command that shows all.
func only(e *papers.Evaluator, names []string, list string) error {
	if len(names) == 0 {
		return nil
	}
	known := e.StudyIDs()
	for _, c := range e.Claims {
		known = append(known, c.ID)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return badInput(fmt.Errorf("%s has no claim or study %q; %s", e.Name, name, nearOrListed(name, known, list)))
		}
	}
	e.Keep(func(c *papers.Claim) bool { return slices.Contains(names, c.ID) || slices.Contains(names, c.Study) })
	return nil
}

// showVerdicts writes the verdicts as a table for people; under are those under all readings, nil if there
// are none, missing are the studies that open claims wait for, and narrowed tells that not all of the ledger
// was asked for.
func (p *program) showVerdicts(r *papers.Result, under *reading.Result, missing []papers.StudyResult, flags *scaleFlags, narrowed, details bool) error {
	room, colours := 110, isTerminal(p.stdout) && os.Getenv("NO_COLOR") == ""
	if w := width(p.stdout, false); w > 20 {
		room = w
	}
	t := verdictTable{width: room, colours: colours, under: map[string]*reading.Claim{}}
	if under != nil {
		for i := range under.Claims {
			t.under[under.Claims[i].ID] = &under.Claims[i]
		}
	}
	folds := r.Missing() > fewMissing && !details
	for i := range r.Claims {
		if !folds || r.Claims[i].Verdict != papers.Missing {
			t.claim(&r.Claims[i], details)
		}
	}
	fmt.Fprint(p.stdout, t.String())
	scale := r.Scale
	if f := r.Prefer; f != nil {
		scale += fmt.Sprintf(", and %s where it was run: %d of %s", f.Scale, f.Ended, readable.Count(f.Runs, "run"))
	}
	fmt.Fprintf(p.stdout, "\n%s, scale %s\n%s\n", r.Paper, scale, strings.Join(folded(r.Headline(), room), "\n"))
	if under != nil {
		for i, cell := range under.Summary.Row() {
			fmt.Fprintf(p.stdout, "%s: %s\n", reading.Heads()[i], cell)
		}
		fmt.Fprintf(p.stdout, "%s\n", strings.Join(folded(under.Summary.Under+" weft papers readings check shows each reading.", room), "\n"))
	}
	p.showPublished(r, room)
	return p.showMissing(r, missing, flags, narrowed, details)
}

// showPublished tells how results compare with those that are published.
func (p *program) showPublished(r *papers.Result, room int) {
	taken, older, same := 0, 0, 0
	var differ []string
	for _, s := range r.Studies {
		taken, older, same = taken+s.Published, older+s.Older, same+s.Same
		for _, name := range s.Differ {
			differ = append(differ, s.ID+" "+name)
		}
	}
	var words []string
	if taken > 0 {
		words = append(words, readable.Count(taken, "run")+" as published with the ledger")
	}
	if older > 0 {
		words = append(words, fmt.Sprintf("%d of them are of an older revision of results; weft papers run --published runs these again", older))
	}
	if same > 0 || len(differ) > 0 {
		words = append(words, fmt.Sprintf("%d of %s made here have the published result hash", same, readable.Count(same+len(differ), "run")))
	}
	if len(differ) > 0 {
		others := differ[0]
		if n := len(differ) - 1; n > 0 {
			others += fmt.Sprintf(" and %d more", n)
		}
		words = append(words, "another hash: "+others)
	}
	if len(words) > 0 {
		fmt.Fprintf(p.stdout, "%s\n", strings.Join(folded(strings.Join(words, "; "), room), "\n"))
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/nearest"
	"weft/internal/readable"
	"weft/papers"
	"weft/study"
)

// scaleFlags say at which scale a ledger is run, and where its results are.
type scaleFlags struct {
	ledgerFlags
	scale string
	out   string
	// published has what is published taken in the place of missing runs.
	published bool
	prefer    string
}

func (f *scaleFlags) add(c *cobra.Command) {
	f.ledgerFlags.add(c)
	c.Flags().StringVar(&f.scale, "scale", papers.Quick, "quick (small fabrics, few seeds) or full (the paper's sizes)")
	completes(c, "scale", among(papers.ScaleNames()...))
	c.Flags().StringVar(&f.out, "out", "", "folder of the results (default out/papers/PAPER)")
}

// addPublished adds the flag of commands that can do with published results.
func (f *scaleFlags) addPublished(c *cobra.Command) {
	c.Flags().BoolVar(&f.published, "published", false, "use results published with the ledger for missing runs, if their revision is the same")
}

// addPrefer adds the flag of commands that can do with results of two scales.
func (f *scaleFlags) addPrefer(c *cobra.Command) {
	c.Flags().StringVar(&f.prefer, "prefer", "", "scale that counts instead wherever all runs of a cell have ended, as in --prefer full")
	completes(c, "prefer", among(papers.ScaleNames()...))
}

// where writes the flags for another command on the same results.
func (f *scaleFlags) where(l string) string {
	text := "--scale " + f.scale
	if f.out != defaultOut(l) {
		text += " --out " + shellWord(f.out)
	}
	if f.published {
		text += " --published"
	}
	return text
}

func defaultOut(ledger string) string { return filepath.Join("out", "papers", ledger) }

// begin checks the flags and opens the ledger. Names are what the arguments name
// beside the paper.
func (p *program) begin(f *scaleFlags, args []string, keep bool) (l *papers.Ledger, names []string, done func(), err error) {
	if !slices.Contains(papers.ScaleNames(), f.scale) {
		return nil, nil, nil, badInput(fmt.Errorf("--scale %s: there is no such scale; %s", f.scale, nearest.Remedy(f.scale, "there are", papers.ScaleNames())))
	}
	name, names, err := paperName(f.ledgerFlags, args)
	if err != nil {
		return nil, nil, nil, err
	}
	if f.out == "" {
		f.out = defaultOut(name)
	}
	into := ""
	if keep {
		into = filepath.Join(f.out, "ledger")
	}
	if l, done, err = p.ledger(f.ledgerFlags, name, into); err == nil && f.prefer != "" {
		if err = l.CanPrefer(f.prefer, f.scale); err != nil {
			done()
			return nil, nil, nil, badInput(fmt.Errorf("--prefer: %w", err))
		}
	}
	return l, names, done, err
}

// evaluator plans all studies of a ledger at the scale, and opens what was run.
func (p *program) evaluator(l *papers.Ledger, f *scaleFlags, compute bool) (*papers.Evaluator, error) {
	identity, err := study.Program()
	if err != nil {
		return nil, err
	}
	return l.NewEvaluator(papers.Options{Scale: f.scale, Prefer: f.prefer, Out: f.out, Registry: p.reg, Program: identity, Revision: study.Revision(), Published: f.published, Compute: compute, Analyst: analyst{p.reg}})
}

func (p *program) papersRun() *cobra.Command {
	var flags scaleFlags
	var runs studyFlags
	var dry bool
	c := &cobra.Command{
		Use:   "run PAPER [STUDY | FIGURE]...",
		Short: "Run the studies of a paper, or those that are missing",
		Long: `Run the studies that a paper's claims need: all of them, or those you name, as in
fig3. Each is a study like those of weft study run, in the results folder, below the
scale. A finished run is never repeated, and an interrupted study continues where it
stopped. weft checks the whole ledger before it runs anything.

The exit code is 0 if every run has a complete result, 1 if some failed or got
stuck, 2 if the ledger or a flag is wrong, and 130 if it was interrupted.`,
		Example: `  weft papers run arcane
  weft papers run arcane fig3 fig6 --scale full
  weft papers run sird wka --scale full --where load=50%
  weft papers run --dir my-paper --workers 4`,
		ValidArgsFunction: p.withinPaper(&flags.ledgerFlags, studiesAndFigures),
		RunE: func(c *cobra.Command, args []string) error {
			if err := p.checkEngine(runs.engineFlags); err != nil {
				return badInput(err)
			}
			l, names, done, err := p.begin(&flags, args, !dry)
			if err != nil {
				return err
			}
			defer done()
			chosen, passed, err := chosenStudies(l, names, flags.scale, flags.list(l.Name))
			if err != nil {
				return err
			}
			p.notices(passed)
			if len(chosen) == 0 && len(passed) > 0 {
				return nil
			}
			e, err := p.evaluator(l, &flags, false)
			if err != nil {
				return err
			}
			if err := e.Unfit(chosen); err != nil {
				return err
			}
			own := flags.dir != ""
			if err := p.verifyStudies(c.Context(), e, chosen, own); err != nil {
				return err
			}
			if dry {
				return p.showStudies(e, chosen, runs)
			}
			return p.runStudies(c.Context(), e, chosen, runs, flags.whose(l.Name)+" "+flags.where(l.Name))
		},
	}
	flags.add(c)
	flags.addPublished(c)
	runs.engineFlags.add(c)
	runs.addWhere(c)
	c.Flags().BoolVar(&runs.retry, "retry-failed", false, "also repeat failed runs")
	c.Flags().BoolVar(&dry, "dry-run", false, "list the studies and run nothing")
	return c
}

// showStudies lists what would be run.
func (p *program) showStudies(e *papers.Evaluator, chosen []*papers.Study, flags studyFlags) error {
	simulated, analyses := apart(chosen)
	parts, err := flags.parts(e, simulated, analyses)
	if err != nil {
		return err
	}
	total := 0
	var lines []string
	for i, s := range simulated {
		plan := e.Planned[s.ID].Plan
		runs := plan.In(parts[i])
		total += len(runs)
		lines = append(lines, fmt.Sprintf("%s: %s", s.ID, product(plan, len(runs))))
	}
	for _, s := range analyses {
		n := len(e.Analyses[s.ID].Tasks)
		total += n
		lines = append(lines, fmt.Sprintf("%s: %d runs of weft analyze %s", s.ID, n, s.Analyze.Command))
	}
	lines = append(lines, fmt.Sprintf("%s, %d runs at scale %s", readable.Count(len(chosen), "study"), total, e.Scale))
	_, err = fmt.Fprintln(p.stdout, strings.Join(lines, "\n"))
	return err
}

// runStudies executes one study after another. One whose runs fail does not end
// the others. Whose writes the ledger and where
// its results are as arguments.
func (p *program) runStudies(ctx context.Context, e *papers.Evaluator, chosen []*papers.Study, flags studyFlags, whose string) error {
	defer p.interrupts.hold()()
	var errs []error
	ended, total := 0, 0
	all := len(chosen)
	began := time.Now()
	var opened []*study.Study
	chosen, analyses := apart(chosen)
	parts, err := flags.parts(e, chosen, analyses)
	if err != nil {
		return err
	}
	flags.again = "the same command continues"
	sum, err := p.runAnalyses(ctx, e, analyses)
	if err != nil {
		errs = append(errs, err)
	}
	for i, s := range chosen {
		plan := e.Planned[s.ID]
		o, err := study.Replace(papers.StudyDir(e.Out, e.Scale, s.Stored()), plan.Plan)
		if err != nil {
			return badInput(err)
		}
		if e.Options.Published {
			if why := e.Adopt(s, o); why != "" {
				p.notices([]string{why})
			}
		}
		opened = append(opened, o)
		missing, runs := o.Missing(parts[i]), len(plan.In(parts[i]))
		total += missing
		sum.all += runs
		sum.before += runs - missing
	}
	for i, o := range opened {
		missing := o.Missing(parts[i])
		shown := *o.Plan
		shown.Name = fmt.Sprintf("%s %s (%d of %d)", e.Name, chosen[i].ID, i+1, len(chosen))
		if len(opened) > 1 {
			before := ended
			flags.around = func(now int) string { return fmt.Sprintf("%d of %d of all studies", before+now, total) }
		}
		if missing > 0 || flags.retry {
			now, err := p.executeRuns(ctx, o, parts[i], flags, &shown)
			if err != nil {
				return err
			}
			sum.now += now
		}
		ended += missing - o.Missing(parts[i])
		if err := p.studyVerdict(ctx, o, parts[i], flags); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", chosen[i].ID, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	for i, o := range opened {
		sum.failed += len(o.Failures(parts[i]))
	}
	fmt.Fprintf(p.stdout, "%s, in %s\n", sum, clock(time.Since(began)))
	// A page among the published ones would be refused where theirs is of another scale.
	fmt.Fprintf(p.stdout, "%s at scale %s in %s; weft papers check %s shows which claims are reproduced, and weft papers page %[4]s --docs %s draws the figures\n",
		readable.Count(all, "study"), e.Scale, filepath.Join(e.Out, e.Scale), whose, shellWord(filepath.Join(e.Out, "page-"+e.Scale)))
	return errors.Join(errs...)
}

// runSum counts the runs of a command on several studies.
type runSum struct {
	all, now, before, failed int
}

func (s runSum) String() string {
	return fmt.Sprintf("%s: %d now, %d there before, %d failed or stuck", readable.Count(s.all, "run"), s.now, s.before, s.failed)
}

// parts reads --where for each study of scenarios; analyses have nothing to choose from.
func (f *studyFlags) parts(e *papers.Evaluator, simulated, analyses []*papers.Study) ([]study.Part, error) {
	if len(f.where) > 0 && len(analyses) > 0 {
		return nil, badInput(fmt.Errorf("--where: %s is an analysis and has no runs to choose from; name studies of scenarios", analyses[0].ID))
	}
	var list []study.Part
	for _, s := range simulated {
		part, err := f.part(e.Planned[s.ID].Plan)
		if err != nil {
			return nil, err
		}
		list = append(list, part)
	}
	return list, nil
}

// apart tells studies of scenarios from analyses.
func apart(chosen []*papers.Study) (simulated, analyses []*papers.Study) {
	for _, s := range chosen {
		if s.Analyze != nil {
			analyses = append(analyses, s)
		} else {
			simulated = append(simulated, s)
		}
	}
	return simulated, analyses
}

// runAnalyses runs what is missing of analyses, one after another.
func (p *program) runAnalyses(ctx context.Context, e *papers.Evaluator, chosen []*papers.Study) (sum runSum, err error) {
	missing := 0
	for _, s := range chosen {
		missing += e.MissingAnalyses(s)
		sum.all += len(e.Analyses[s.ID].Tasks)
	}
	sum.before = sum.all - missing
	var errs []error
	for _, s := range chosen {
		err := e.RunAnalyses(ctx, s, func(t papers.Task) (func(float64), func(error)) {
			sum.now++
			name := strings.TrimSpace(fmt.Sprintf("[%d/%d] %s %s", sum.now, missing, s.ID, t.Label))
			progress, done := p.share(name)
			began := time.Now()
			return progress, func(err error) {
				done()
				if err == nil {
					fmt.Fprintf(p.stderr, "%s: done in %v\n", name, time.Since(began).Round(100*time.Millisecond))
				}
			}
		})
		if ctx.Err() != nil {
			return sum, interruptedf("; finished runs are kept, and the same command continues")
		}
		if err != nil {
			sum.failed++
			errs = append(errs, fmt.Errorf("%s: %w", s.ID, err))
		}
	}
	return sum, errors.Join(errs...)
}

package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/cli/readings"
	"weft/internal/readable"
	"weft/papers"
	"weft/papers/reading"
)

func (p *program) papersPublish() *cobra.Command {
	var flags scaleFlags
	c := &cobra.Command{
		Use:   "publish [STUDY | FIGURE]... --dir LEDGER",
		Short: "Publish runs in a ledger's folder, so that others can check and continue them",
		Long: `Write the metrics, measures and result hashes of finished runs into the folder of a
ledger, as one CSV table per study, next to what is there, and the numbers of analyses
as one JSON file per study. What is published comes with
the ledger: check, page and run use it with --published, and check compares your own
runs with it by their hashes.

The same program, scenario and seed give the same result. So weft refuses a run that
is already published with another hash, and runs of another program. Runs of an older
revision of results are replaced by new ones. Others can continue only runs of release
builds, since they have the same program.`,
		Example: `  weft papers publish --dir papers/sird --scale quick
  weft papers publish fig9 --dir papers/sird --scale quick --out out/papers/sird`,
		ValidArgsFunction: p.withinPaper(&flags.ledgerFlags, studiesAndFigures),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.dir == "" {
				return badInput(fmt.Errorf("name the folder of the ledger with --dir, as in --dir papers/sird; those that come with weft are part of the program"))
			}
			l, names, done, err := p.begin(&flags, args, false)
			if err != nil {
				return err
			}
			defer done()
			chosen, _, err := chosenStudies(l, names, flags.scale, flags.list(l.Name))
			if err != nil {
				return err
			}
			e, err := p.evaluator(l, &flags, false)
			if err != nil {
				return err
			}
			if err := e.Unfit(chosen); err != nil {
				return err
			}
			return p.publish(cmd.Context(), e, chosen)
		},
	}
	flags.add(c)
	return c
}

// publish publishes one study after another, and says of each what came to it.
func (p *program) publish(ctx context.Context, e *papers.Evaluator, chosen []*papers.Study) error {
	defer p.interrupts.hold()()
	runs, added := 0, 0
	for _, s := range chosen {
		if err := ctx.Err(); err != nil {
			return interruptedf("; what was published stays, and the same command continues")
		}
		out, err := e.Publish(s)
		if err != nil {
			return err
		}
		if out.Dropped > 0 {
			p.notices([]string{fmt.Sprintf("%s: dropped %s of another state of the ledger from what is published", s.ID, readable.Count(out.Dropped, "run"))})
		}
		if out.Added+out.Renewed > 0 {
			fmt.Fprintf(p.stdout, "%s: %s, %d new and %d renewed\n", s.ID, readable.Count(out.Runs, "run"), out.Added, out.Renewed)
		}
		runs, added = runs+out.Runs, added+out.Added
	}
	_, err := fmt.Fprintf(p.stdout, "%s at scale %s published in %s, %d of them new\n", readable.Count(runs, "run"), e.Scale, e.Dir, added)
	return err
}

// papersReadings has the commands about readings of papers.
func (p *program) papersReadings() *cobra.Command {
	return readings.Command(readings.Program{
		Stdout: p.stdout, JSON: func(v any) error { return writeJSON(p.stdout, v) }, Notices: p.notices, Wrong: badInput,
		Paper: func(c *cobra.Command, use readings.Use) readings.Paper {
			o := &openPaper{program: p}
			o.flags.add(c)
			if use != readings.Write {
				o.flags.addPublished(c)
			}
			if use == readings.Execute {
				o.runs.engineFlags.add(c)
				o.runs.addWhere(c)
				c.Flags().BoolVar(&o.runs.retry, "retry-failed", false, "also repeat failed runs")
				c.Flags().BoolVar(&o.dry, "dry-run", false, "list the studies and run nothing")
			}
			o.execute, o.write = use == readings.Execute, use == readings.Write
			c.ValidArgsFunction = p.withinPaper(&o.flags.ledgerFlags, readingsAndClaims(use))
			return o
		},
	})
}

// readingsAndClaims are the words of commands about readings.
func readingsAndClaims(use readings.Use) func(*papers.Ledger) []word {
	return func(l *papers.Ledger) []word {
		if use == readings.Look {
			return studiesAndClaims(l)
		}
		f, err := reading.Load(l)
		if err != nil {
			return nil
		}
		var list []word
		for _, r := range f.Readings()[1:] {
			list = append(list, word{r.Name, r.About})
		}
		return list
	}
}

// openPaper opens ledgers for commands about readings.
type openPaper struct {
	*program
	flags               scaleFlags
	runs                studyFlags
	execute, dry, write bool
	name                string
}

// Open opens the ledger that arguments name.
func (o *openPaper) Open(args []string, keep bool) (*papers.Ledger, []string, func(), error) {
	if o.write && o.flags.dir == "" {
		return nil, nil, nil, badInput(errors.New("name the folder of the ledger with --dir, as in --dir papers/fncc; those that come with weft are part of the program"))
	}
	if o.execute {
		if err := o.checkEngine(o.runs.engineFlags); err != nil {
			return nil, nil, nil, badInput(err)
		}
	}
	l, rest, done, err := o.begin(&o.flags, args, keep && !o.dry)
	if err == nil {
		o.name = l.Name
	}
	return l, rest, done, err
}

// Evaluator plans the studies of a ledger.
func (o *openPaper) Evaluator(l *papers.Ledger) (*papers.Evaluator, error) {
	return o.evaluator(l, &o.flags, false)
}

// Run runs studies, or lists them.
func (o *openPaper) Run(ctx context.Context, e *papers.Evaluator, chosen []*papers.Study) error {
	if err := o.verifyStudies(ctx, e, chosen, o.flags.dir != ""); err != nil {
		return err
	}
	if o.dry {
		return o.showStudies(e, chosen, o.runs)
	}
	return o.runStudies(ctx, e, chosen, o.runs, o.Whose())
}

// Publish writes runs of studies into the folder of the ledger.
func (o *openPaper) Publish(ctx context.Context, e *papers.Evaluator, chosen []*papers.Study) error {
	return o.publish(ctx, e, chosen)
}

// Scale is the scale of a flag.
func (o *openPaper) Scale() string { return o.flags.scale }

// Whose names the ledger and its results in other commands.
func (o *openPaper) Whose() string {
	return o.flags.whose(o.name) + " " + o.flags.where(o.name)
}

// readingsOf judges claims under all readings of a ledger, beside what was found under the first; nil if the
// ledger names no readings.
func readingsOf(ctx context.Context, p *program, l *papers.Ledger, first *papers.Result, flags *scaleFlags) (*reading.Result, error) {
	f, err := reading.Load(l)
	if err != nil || !f.Written() {
		return nil, err
	}
	return f.Evaluate(ctx, first, func(l *papers.Ledger) (*papers.Evaluator, error) { return p.evaluator(l, flags, false) })
}

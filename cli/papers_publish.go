package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/papers"
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

package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/analysis"
)

// analyze is the group of commands about graphs of routers. What is computed about
// one thing has a file of its own.
func (p *program) analyze() *cobra.Command {
	c := &cobra.Command{
		Use:   "analyze",
		Short: "Compare fabrics by their graphs, without a simulation",
		Long: `Compare fabrics by their graphs alone, before any packet is simulated.

A FABRIC is a topology with its parameters, as in slim-fly:size=10k or
fat-tree:tiers=3,radix=8 (weft list topologies shows all of them), a scenario file
(its topology is used), or a graph file. Append @3 or @3,4 to set the path lengths
for that fabric alone.`,
		Example: `  weft analyze disjoint slim-fly:size=1k dragonfly:size=1k --lengths 2,3,4
  weft analyze paths slim-fly:size=10k jellyfish:like=slim-fly,size=10k
  weft analyze figure fatpaths-7`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.analyzeDisjoint(), p.analyzePaths(), p.analyzeConnectivity(), p.analyzeCollisions(),
		p.analyzeLoad(), p.analyzeDensity(), p.analyzeFigure(), p.analyzeLayers(),
		p.analyzeThroughput(), p.analyzeCost())
	return c
}

// analysisOutput is how results of analyses are shown.
type analysisOutput struct {
	asJSON bool
	out    string
	// plotless is why there is nothing to draw, and what to do; empty if there is.
	plotless string
}

func (o *analysisOutput) flags(c *cobra.Command) {
	c.Flags().BoolVar(&o.asJSON, "json", false, "print JSON, with the points of the plots")
	c.Flags().StringVar(&o.out, "out", "", "draw the plots into this `file`, which ends in .png, .svg or .pdf")
}

// tablesOnly adds the flags of an analysis that has no plots. One to draw them is
// known, so as to say so.
func (o *analysisOutput) tablesOnly(c *cobra.Command) {
	o.flags(c)
	o.plotless = "the results of weft analyze " + c.Name() + " are tables; leave --out out"
	c.Flags().Lookup("out").Hidden = true
	c.Flags().Lookup("json").Usage = "print JSON"
}

// check finds before anything is computed what keeps plots from being drawn.
func (o analysisOutput) check() error {
	if o.out != "" && o.plotless != "" {
		return fmt.Errorf("--out %s: nothing to draw: %s", o.out, o.plotless)
	}
	return checkChart(o.out)
}

// show runs an analysis under a line of progress and prints and draws its result.
func (p *program) show(ctx context.Context, o analysisOutput, name string, run func(progress func(float64)) (*analysis.Result, error)) error {
	if p.analyzed != nil {
		return p.analyzed(run)
	}
	if err := o.check(); err != nil {
		return badInput(err)
	}
	defer p.interrupts.hold()()
	progress, done := p.share(name)
	r, err := run(progress)
	done()
	if cut := new(analysis.Interrupted); errors.As(err, &cut) && cut.Done > 0 {
		r.Partial = cut.Error()
		if err := p.write(r, o.asJSON); err != nil {
			return err
		}
		return interruptedf(": %w; nothing is stored: run the command again for the rest", cut)
	}
	if err != nil {
		return theoryError(ctx, err)
	}
	if err := p.write(r, o.asJSON); err != nil || o.out == "" {
		return err
	}
	if len(r.Plots) == 0 {
		return badInput(fmt.Errorf("--out %s: nothing to draw; leave it out", o.out))
	}
	return p.drawChart(o.out, r.Plots, o.asJSON)
}

// write prints a result as tables or as JSON.
func (p *program) write(r *analysis.Result, asJSON bool) error {
	if asJSON {
		return writeJSON(p.stdout, r)
	}
	return writeResult(p.stdout, r)
}

// someFabrics demands fabrics as arguments.
func someFabrics(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s takes one fabric or more, and got none; as in weft analyze %s slim-fly:size=1k", c.Name(), c.Name())
	}
	return nil
}

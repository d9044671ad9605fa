package cli

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/config"
	"weft/scenario"
	"weft/study"
)

func (p *program) validate() *cobra.Command {
	var sets []string
	var resolved bool
	c := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check scenarios without running them",
		Long: `Check scenarios and build them, but run nothing. Reports every mistake in one pass,
with file, line, column and remedy. Cross-checks run once the file parses: options
that exclude each other, then faults of links that the topology does not have. So
fixing one mistake may reveal others. The output includes base RTT and BDP.`,
		Example: `  weft validate scenario.yaml
  weft validate scenarios/arcane/*.yaml
  weft validate scenario.yaml --set topology.radix=16 --resolved`,
		Args:              atLeast("a scenario file"),
		ValidArgsFunction: scenarioFiles,
		RunE: func(c *cobra.Command, files []string) error {
			p.allProblems = true
			errs := new(config.Error)
			for _, file := range files {
				errs.Append(p.validateFile(c.Context(), file, sets, resolved))
			}
			return errs.Err()
		},
	}
	addSets(c, &sets)
	c.Flags().BoolVar(&resolved, "resolved", false, "print the scenario with every default filled in, one variant after another")
	return c
}

func addSets(c *cobra.Command, sets *[]string) {
	c.Flags().StringArrayVar(sets, "set", nil, "change a value of the scenario, as in transport.balancer=ops (repeatable)")
}

// validateStudy checks every combination's text, and as many of what they build as
// a short time allows.
func (p *program) validateStudy(ctx context.Context, path string, f *scenario.File) error {
	plan, err := study.NewPlan(f, nil, nil, "")
	if err != nil {
		return err
	}
	p.notices(plan.Notices)
	list, err := p.verifyPlan(ctx, plan)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s: ok (%s)\n", path, product(plan, len(plan.Cells)*len(plan.Seeds)))
	about := ofCells(len(list), len(plan.Cells))
	loads := loadsOf(list, about)
	if more := len(loads) - mostNotices; more > 0 {
		loads = append(loads[:mostNotices], fmt.Sprintf("and %d more expected loads; weft validate with --set shows those of one cell", more))
	}
	for _, text := range slices.Concat(unitsOf(list, about), loads) {
		fmt.Fprintln(p.stdout, text)
	}
	return nil
}

func (p *program) validateFile(ctx context.Context, path string, sets []string, resolved bool) error {
	f, err := scenario.Load(path, p.reg, sets)
	if err != nil {
		return err
	}
	if f.IsStudy() && !resolved {
		return p.validateStudy(ctx, path, f)
	}
	p.notices(f.Notices)
	v, err := p.verify(f.Variants, len(f.Variants))
	if err != nil {
		return err
	}
	p.notices(v.notices)
	if !resolved {
		fmt.Fprintf(p.stdout, "%s: ok (%s)\n", path, strings.Join(v.names, ", "))
		for _, text := range v.units {
			fmt.Fprintln(p.stdout, text)
		}
		return nil
	}
	for i, s := range f.Variants {
		n, err := s.Resolved()
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(p.stdout, "---")
		}
		fmt.Fprintf(p.stdout, "# %s\n%s", s.Variant, n.YAML())
	}
	return nil
}

// verified is what scenarios that were built are called, what should be known of them, and
// what their queues, thresholds and windows are counted in and what links are to carry.
type verified struct{ names, notices, units []string }

// verify finds what is wrong with scenarios beyond their text. All is how many variants
// their file has.
func (p *program) verify(variants []*scenario.Scenario, all int) (v verified, err error) {
	var wrong scenario.Problems
	var list []built
	for _, s := range variants {
		v.names = append(v.names, s.Variant)
		share, done := p.share("checking " + s.Variant)
		b, err := s.BuildTelling(func(_ string, of float64) {
			if share != nil {
				share(of)
			}
		})
		done()
		wrong.Add(s.Variant, err)
		list = append(list, built{s.Variant, b.Notices, b.Derived, b.Load})
	}
	debug.FreeOSMemory() // which runs in other processes need
	about := ofVariants(len(variants))
	v.notices, v.units = gathered(list, about), slices.Concat(unitsOf(list, about), loadsOf(list, about))
	return v, wrong.Err(all)
}

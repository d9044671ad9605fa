package cli

import (
	"context"
	"fmt"
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
		Long: `Check scenarios, and build all but run nothing. Every mistake that can be found in
one pass is listed with its file, line, column and remedy: first what cannot be read,
as unknown keys, wrong units and missing values; if there is none, options that do not
fit together; and then what does not fit the topology, as faults of links that it
does not have. So mending some may bring others to light.`,
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
	c.Flags().BoolVar(&resolved, "resolved", false, "print the scenario with every default filled in, variant by variant")
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
	if err := p.verifyPlan(ctx, plan); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s: ok (%s)\n", path, product(plan, len(plan.Cells)*len(plan.Seeds)))
	return err
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
	names, notices, err := p.verify(f.Variants, len(f.Variants))
	if err != nil {
		return err
	}
	p.notices(notices)
	if !resolved {
		fmt.Fprintf(p.stdout, "%s: ok (%s)\n", path, strings.Join(names, ", "))
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

// verify finds what is wrong with scenarios beyond their text, and returns their
// names and what should be known of them. All is how many variants their file has.
func (p *program) verify(variants []*scenario.Scenario, all int) (names, notices []string, err error) {
	var wrong scenario.Problems
	var list []built
	for _, s := range variants {
		names = append(names, s.Variant)
		told, err := s.Verify()
		wrong.Add(s.Variant, err)
		list = append(list, built{s.Variant, told})
	}
	return names, gathered(list, ofVariants(len(variants))), wrong.Err(all)
}

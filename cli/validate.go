package cli

import (
	"context"
	"errors"
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
	var on string
	var resolved, asJSON bool
	c := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check scenarios without running them",
		Long: `Check scenarios and build them, but run nothing. Reports every mistake in one pass,
with file, line, column and remedy. Cross-checks run once the file parses: options
that exclude each other, then faults of links that the topology does not have. So
fixing one mistake may reveal others. The output includes base RTT and BDP.

--on wire also refuses what real endpoints cannot do on the emulated fabric (weft run --on wire). If
nothing is wrong, it measures for a moment whether this machine keeps up with the fabric.`,
		Example: `  weft validate scenario.yaml
  weft validate scenarios/arcane/*.yaml
  weft validate scenario.yaml --json
  weft validate scenario.yaml --set topology.radix=16 --resolved`,
		Args:              atLeast("a scenario file"),
		ValidArgsFunction: scenarioFiles,
		RunE: func(c *cobra.Command, files []string) error {
			p.allProblems = true
			errs := new(config.Error)
			for _, file := range files {
				if resolved {
					errs.Append(p.printResolved(file, sets))
					continue
				}
				v, err := p.validateFile(c.Context(), file, sets, on == onWire)
				if !asJSON {
					if errs.Append(err); err == nil {
						p.notices(v.Notices)
						p.printValid(v)
					}
					continue
				}
				if err := v.blame(err); err != nil {
					return err
				}
				if err := writeJSONLine(p.stdout, v); err != nil {
					return err
				}
				if !v.OK { // which is told
					errs.Cut = true
				}
			}
			if asJSON && errs.Cut {
				return &exit{code: wrong}
			}
			return errs.Err()
		},
	}
	addSets(c, &sets)
	addOn(c, &on)
	c.Flags().BoolVar(&resolved, "resolved", false, "print the scenario with every default filled in, one variant after another")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per file and line, mistakes included")
	c.MarkFlagsMutuallyExclusive("resolved", "json")
	return c
}

func addSets(c *cobra.Command, sets *[]string) {
	c.Flags().StringArrayVar(sets, "set", nil, "change a value of the scenario, as in transport.balancer=ops (repeatable)")
}

// valid is what is known of a file that was checked.
type valid struct {
	File string `json:"file"`
	OK   bool   `json:"ok"`
	// Variants are those of a scenario, and Size tells how many runs a study has.
	Variants []string `json:"variants,omitempty"`
	Size     string   `json:"study,omitempty"`
	// Notices are what should be known though nothing is wrong, and Facts what queues are counted in and links carry.
	Notices []string `json:"notices,omitempty"`
	Facts   []string `json:"facts,omitempty"`

	Problems []located `json:"problems,omitempty"`
	// More is how many other problems there are at least.
	More int `json:"more_problems,omitempty"`
}

// located is a mistake and its place: a file or an argument of the command line. Lines and columns count from 1, and
// are left out where there is none.
type located struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Path   string `json:"path,omitempty"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// blame adds what is wrong with the file, and returns what is not the file's.
func (v *valid) blame(err error) error {
	if err == nil {
		v.OK = true
		return nil
	}
	list := new(config.Error)
	if !errors.As(err, &list) {
		return err
	}
	for _, q := range list.Problems {
		at := located{Line: q.Place.Line, Column: q.Place.Column, Path: q.Path, Text: q.Text, Remedy: q.Remedy}
		if q.Place.Source != nil {
			at.File = q.Place.Source.Name
		}
		v.Problems = append(v.Problems, at)
	}
	if v.More = list.More; list.Cut {
		v.More = max(v.More, 1)
	}
	return nil
}

func (p *program) printValid(v valid) {
	what := v.Size
	if what == "" {
		what = strings.Join(v.Variants, ", ")
	}
	fmt.Fprintf(p.stdout, "%s: ok (%s)\n", v.File, what)
	for _, text := range v.Facts {
		fmt.Fprintln(p.stdout, text)
	}
}

// validateFile checks a file, and with wire whether real endpoints can carry its messages.
func (p *program) validateFile(ctx context.Context, path string, sets []string, wire bool) (v valid, err error) {
	v.File = path
	f, err := p.load(path, scenario.Sets(sets...), nil, wire)
	if err != nil {
		return v, err
	}
	if f.IsStudy() {
		err = v.study(ctx, f)
	} else {
		var found verified
		found, err = p.verify(f.Variants, len(f.Variants))
		v.Variants, v.Notices, v.Facts = found.names, slices.Concat(f.Notices, found.notices), found.units
	}
	if err == nil && wire {
		err = v.wire(ctx, f)
	}
	return v, err
}

// wire checks whether real endpoints can carry a file's messages, and this machine its fabric.
func (v *valid) wire(ctx context.Context, f *scenario.File) error {
	list, notices, err := wireable(f.Variants, len(f.Variants))
	v.Notices = append(v.Notices, notices...)
	if err != nil {
		return err
	}
	notices, err = keepUp(ctx, list, len(f.Variants))
	v.Notices = append(v.Notices, notices...)
	return err
}

// study checks every combination's text, and as many of what they build as a short time allows.
func (v *valid) study(ctx context.Context, f *scenario.File) error {
	plan, err := study.NewPlan(f, nil, nil, "")
	if err != nil {
		return err
	}
	list, err := buildCells(ctx, plan, "")
	if err != nil {
		return err
	}
	v.Size = product(plan, len(plan.Cells)*len(plan.Seeds))
	about := ofCells(len(list), len(plan.Cells))
	v.Notices = slices.Concat(plan.Notices, gathered(list, about))
	loads := loadsOf(list, about)
	if more := len(loads) - mostNotices; more > 0 {
		loads = append(loads[:mostNotices], fmt.Sprintf("and %d more expected loads; weft validate with --set shows those of one cell", more))
	}
	v.Facts = slices.Concat(unitsOf(list, about), loads)
	return nil
}

// printResolved prints a file's variants with all their defaults.
func (p *program) printResolved(path string, sets []string) error {
	f, err := scenario.Load(path, p.reg, sets)
	if err != nil {
		return err
	}
	p.notices(f.Notices)
	v, err := p.verify(f.Variants, len(f.Variants))
	if err != nil {
		return err
	}
	p.notices(v.notices)
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

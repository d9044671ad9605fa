package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/record"
	"weft/record/section/lateness"
	"weft/scenario"
	"weft/study"
)

func (p *program) diff() *cobra.Command {
	var trace, times, asJSON bool
	c := &cobra.Command{
		Use:   "diff RUN RUN",
		Short: "Find the first difference between two results",
		Long: `Find the first difference between two folders of results. Comparisons are matched by
variant name, studies by cell and seed. The exit code is 0 if the results are the same
and 1 if they differ.

With --trace, scenarios with different results run once more, side by side, up to the
first event that differs.

With --times, it compares how long messages took, by group: the exit code is 0 if medians differ by at
most 10 % and 99th percentiles by 25 %, as a simulation and a run on wire may. A group or a variant that
only one of the two has counts as a difference. --json prints the rows as one JSON object.`,
		Example: `  weft diff out/before out/after
  weft diff --times out/incast-on-wire/simulated out/incast-on-wire/on-wire
  weft diff --times --json out/simulated out/slower`,
		Args: exactly("a folder of results", "another"),
		RunE: func(c *cobra.Command, args []string) error {
			if asJSON && !times {
				return badInput(errors.New("--json prints what --times compares; write weft diff --times --json"))
			}
			if study.IsStudy(args[0]) && study.IsStudy(args[1]) {
				if trace || times {
					return badInput(fmt.Errorf("%s and %s are studies, and --trace and --times compare runs; weft runs unpack writes one as a folder", args[0], args[1]))
				}
				differ, err := p.diffStudies(args[0], args[1])
				if err == nil && differ {
					return &exit{code: failed}
				}
				return badInput(err)
			}
			for i, dir := range args {
				if other := args[1-i]; study.IsStudy(dir) {
					if _, err := record.Variants(other); err != nil {
						return badInput(err)
					}
					return badInput(fmt.Errorf("%s is a study and %s is not; compare one of its runs, which weft runs unpack %s writes as a folder", dir, other, dir))
				}
			}
			differ := false
			if times {
				var err error
				if differ, err = p.diffTimes(args[0], args[1], asJSON); err != nil {
					return err
				}
			} else {
				pairs, err := pairRuns(args[0], args[1])
				if err = cmp.Or(err, unpaired(pairs, args[0], args[1])); err != nil {
					return badInput(err)
				}
				for _, pair := range pairs {
					d, err := p.diffRuns(c.Context(), pair, trace)
					if err != nil {
						return err
					}
					differ = differ || d
				}
			}
			if differ {
				return &exit{code: failed}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&times, "times", false, "compare completion times of messages")
	c.Flags().BoolVar(&asJSON, "json", false, "with --times: print one JSON object")
	c.Flags().BoolVar(&trace, "trace", false, "run both again, and show the first event that differs")
	c.MarkFlagsMutuallyExclusive("trace", "times")
	return c
}

// diffTimes prints how the completion times of two results differ, and tells whether they do by more than the tolerance.
func (p *program) diffTimes(first, second string, asJSON bool) (bool, error) {
	d, err := newTimesDiff(first, second)
	if err != nil {
		return false, badInput(err)
	}
	if asJSON {
		err = writeJSON(p.stdout, d)
	} else {
		err = d.write(p.stdout)
	}
	return !d.Within, err
}

// diffRuns shows how two runs differ and tells whether they do.
func (p *program) diffRuns(ctx context.Context, pair runPair, trace bool) (bool, error) {
	a, err := record.ReadFolder(pair.a)
	if err != nil {
		return false, badInput(err)
	}
	b, err := record.ReadFolder(pair.b)
	if err != nil {
		return false, badInput(err)
	}
	label := ""
	if pair.name != "" {
		label = pair.name + ": "
	}
	d := record.Diff(a, b)
	if d == nil || a.Manifest.Hashes.Result == b.Manifest.Hashes.Result { // or other rows were kept of the same result
		_, err = fmt.Fprintf(p.stdout, "%sthe same result, %s\n", label, a.Manifest.Hashes.Result)
		return false, err
	}
	fmt.Fprintf(p.stdout, "%s%v", label, d)
	if !trace {
		return true, nil
	}
	event, err := p.firstEvent(ctx, pair, a, b)
	if err != nil {
		return true, err
	}
	_, err = fmt.Fprintln(p.stdout, event)
	return true, err
}

// firstEvent describes the first event in which two runs differ, by running them
// again.
func (p *program) firstEvent(ctx context.Context, pair runPair, a, b *record.Result) (string, error) {
	left, err := p.again(pair.a, a)
	if err != nil {
		return "", err
	}
	right, err := p.again(pair.b, b)
	if err != nil {
		return "", err
	}
	event, err := scenario.FirstDifference(ctx, left, right)
	switch {
	case err != nil:
		return "", fmt.Errorf("looking for the first event that differs: %w", err)
	case event == "":
		return "no event differs when this program runs both again; the results were made by " +
			made(a) + " and " + made(b), nil
	}
	return "first event that differs:\n" + event, nil
}

func made(r *record.Result) string {
	text := "weft " + r.Manifest.Program.Version
	if r.Manifest.Program.Revision != "" {
		text += " " + r.Manifest.Program.Revision
	}
	if r.Manifest.Partial {
		text += " (partial)"
	}
	return text
}

// again returns the scenario that a result came from, as its manifest has it.
func (p *program) again(folder string, r *record.Result) (*scenario.Scenario, error) {
	if lateness.Of(r.Summary.Sections) != nil {
		return nil, badInput(fmt.Errorf("%s: it ran at the pace of the clock, and cannot be run again as it was; name what was simulated", folder))
	}
	f, err := scenario.Parse(filepath.Join(folder, "manifest.json"), r.Manifest.Scenario, p.reg, nil)
	if err != nil {
		return nil, fmt.Errorf("this program cannot run the manifest's scenario again; compare with the program that has its algorithms: %w", err)
	}
	return f.Variants[0], nil
}

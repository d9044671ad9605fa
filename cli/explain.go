package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/cli/jobpath"
	"weft/internal/nearest"
	"weft/internal/printable"
	"weft/internal/userfile"
	"weft/record"
	"weft/scenario"
	"weft/study"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	variant, run  string
	group, by     string
	flow          string
	byID          bool
	slowest, list bool
	packets, job  bool
	top           int
	json          bool
	perfetto      string

	// of is the job that the message belongs to, if the job is explained.
	of *scenario.JobExplanation
}

func (p *program) explain() *cobra.Command {
	var flags explainFlags
	c := &cobra.Command{
		Use:   "explain DIR",
		Short: "Explain why a message took as long as it did",
		Long: `Explain why a message of a run took as long as it did. weft simulates the folder's
scenario again until the message is delivered, and splits its completion time along
the critical path. The parts add up exactly: serialisation, propagation, queueing by
port, waiting for the window, for credit, for the host's wire or for retransmissions.
The output explains each part. Without --flow it takes the slowest message.

With --job it finds what decided when the trace of an application ended: the chain of
computations and messages without which it would have ended earlier, and the message of
the network that took the longest in it.

A message has a name, as in train/host25#12: its group of traffic, the host that sends
it, and how many messages of the group that host sent before. --list shows the names of
the slowest messages. Its number works, too: the column id of flows.parquet.`,
		Example: `  weft explain out/plain
  weft explain out/slow-uplink --variant OPS --slowest --by fct
  weft explain out/slow-uplink --variant OPS --list
  weft explain out/llama --variant '2:1 ECMP' --job --perfetto ranks.json
  weft explain out/slow-uplink --variant OPS --flow main/host1#0 --packets`,
		Args: exactly("a folder of results"),
		RunE: func(c *cobra.Command, args []string) error {
			flags.byID = c.Flags().Changed("flow")
			if err := flags.check(); err != nil {
				return badInput(err)
			}
			if study.IsStudy(args[0]) {
				switch {
				case flags.variant != "":
					return badInput(fmt.Errorf("%s is a study; choose a run with --run instead of --variant, by the beginning of a key that weft runs %[1]s lists", args[0]))
				case flags.run == "":
					return badInput(fmt.Errorf("%s is a study; choose a run with --run, by the beginning of a key that weft runs %[1]s lists", args[0]))
				}
				f, err := pickRun(args[0], flags.run)
				if err != nil {
					return badInput(err)
				}
				res, err := f.study.Store().Result(f.Key)
				if err != nil {
					return badInput(err)
				}
				return p.explainResult(c.Context(), f.Name, res, &flags)
			}
			if flags.run != "" {
				return badInput(fmt.Errorf("--run is for studies, and %s is none; --variant chooses a run of a comparison", args[0]))
			}
			folder, err := chooseRun(args[0], flags.variant)
			if err != nil {
				return badInput(err)
			}
			res, err := record.ReadFolder(folder)
			if err != nil {
				return badInput(err)
			}
			return p.explainResult(c.Context(), folder, res, &flags)
		},
	}
	c.Flags().StringVar(&flags.variant, "variant", "", "variant, if the folder holds a comparison")
	completes(c, "variant", recordedVariants)
	c.Flags().StringVar(&flags.run, "run", "", "run of a study, by the beginning of its key; weft runs lists the keys")
	c.Flags().StringVar(&flags.flow, "flow", "", "message: its name, as in train/host25#12, or its number")
	c.Flags().BoolVar(&flags.slowest, "slowest", false, "the message with the largest slowdown among those that finished (the default)")
	c.Flags().StringVar(&flags.by, "by", "slowdown", "measure of slowness: slowdown or fct")
	completes(c, "by", among("slowdown", "fct"))
	c.Flags().StringVar(&flags.group, "group", "", "only messages of this traffic group")
	c.Flags().BoolVar(&flags.list, "list", false, "list the slowest messages instead")
	c.Flags().BoolVar(&flags.job, "job", false, "explain the job of a trace instead: its critical path")
	c.Flags().StringVar(&flags.perfetto, "perfetto", "", "with --job: file to write for ui.perfetto.dev, with what ranks did when")
	c.Flags().IntVar(&flags.top, "top", 10, "number of ports, path steps or messages to show")
	c.Flags().BoolVar(&flags.packets, "packets", false, "also show every packet of the message")
	c.Flags().BoolVar(&flags.json, "json", false, "print JSON, with the whole path")
	return c
}

func (f *explainFlags) check() error {
	_, unnumbered := strconv.ParseUint(f.flow, 10, 64)
	switch {
	case f.byID && unnumbered != nil && !strings.Contains(f.flow, "#"):
		return fmt.Errorf("--flow %q is neither the number of a message nor its name, as in main/host25#12; weft explain DIR --list shows names", printable.Line(f.flow))
	case f.byID && (f.slowest || f.list || f.group != ""):
		return errors.New("--flow names one message; leave out --slowest, --list and --group")
	case f.perfetto != "" && !f.job:
		return errors.New("--perfetto is for the ranks of a trace; write --job beside it")
	case f.job && (f.byID || f.slowest || f.list):
		return errors.New("--job explains a whole trace; leave out --flow, --slowest and --list")
	case f.slowest && f.list:
		return errors.New("--slowest explains one message and --list lists several; leave one of them out")
	}
	if f.by != "slowdown" && f.by != "fct" {
		return fmt.Errorf("--by %s: use slowdown or fct", f.by)
	}
	if f.top < 1 {
		return fmt.Errorf("--top %d: show at least 1", f.top)
	}
	return nil
}

// chooseRun returns the folder of a run, or of a variant of a comparison.
func chooseRun(dir, variant string) (string, error) {
	list, err := record.Variants(dir)
	if err != nil {
		return "", err
	}
	var names []string
	for _, v := range list {
		if v.Name == variant || variant == "" && len(list) == 1 {
			return v.Folder, nil
		}
		names = append(names, v.Name)
	}
	if variant == "" {
		return "", fmt.Errorf("%s holds %d variants; choose one with --variant: %s", dir, len(names), strings.Join(names, ", "))
	}
	hint := "it has"
	if near, ok := nearest.Name(variant, names); ok {
		hint = fmt.Sprintf("did you mean %q? It has", near)
	}
	return "", fmt.Errorf("--variant %s: %s has no such variant; %s %s", variant, dir, hint, strings.Join(names, ", "))
}

// explainResult explains a message of a result, which came from a folder or file.
func (p *program) explainResult(ctx context.Context, from string, res *record.Result, flags *explainFlags) error {
	if flags.job {
		return p.explainJob(ctx, from, res, flags)
	}
	flows, err := flags.candidates(res)
	if err != nil {
		return badInput(fmt.Errorf("%s: %w", from, err))
	}
	if flags.list {
		return p.listSlowest(flows, flags)
	}
	f := flows[0]
	if !flags.byID {
		if n := res.Summary.Unfinished; n > 0 && f.Finished() {
			p.notices([]string{fmt.Sprintf("%d messages did not finish; --flow explains what one of them waits for", n)})
		}
	}
	s, err := p.again(from, res)
	if err != nil {
		return badInput(err)
	}
	show, done := p.repaint(s)
	x, err := scenario.Explain(ctx, s, f, show)
	done()
	if errors.Is(err, scenario.ErrNotTheSame) {
		return fmt.Errorf("%s: message %s: %w; the result was made by %s and this is %s: run the scenario again with this program",
			from, f.Name(), err, made(res), thisProgram())
	}
	if err != nil && ctx.Err() != nil {
		return interruptedf(": %w; the same command starts over", err)
	}
	if err != nil {
		return err
	}
	if !f.Finished() && x.Finished {
		p.notices([]string{"the run ended before the message was delivered; this shows how it would have continued"})
	}
	if flags.json {
		return writeExplanationJSON(p.stdout, x, flags)
	}
	return writeExplanation(p.stdout, x, flags, isTerminal(p.stdout), width(p.stdout, false))
}

// explainJob finds what decided when the trace of a group ended, and why the longest message on that path took
// so long.
func (p *program) explainJob(ctx context.Context, from string, res *record.Result, flags *explainFlags) error {
	s, err := p.again(from, res)
	if err != nil {
		return badInput(err)
	}
	show, done := p.repaint(s)
	x, err := scenario.ExplainJob(ctx, s, flags.group, show)
	done()
	switch {
	case err != nil && ctx.Err() != nil:
		return interruptedf(": %w; the same command starts over", err)
	case err != nil:
		return badInput(fmt.Errorf("%s: %w", from, err))
	}
	if flags.perfetto != "" {
		if err := userfile.Stream(flags.perfetto, x.Perfetto); err != nil {
			return badInput(err)
		}
	}
	if flags.json {
		return writeJSON(p.stdout, jobpath.JSON(x))
	}
	if err := jobpath.Write(p.stdout, x, flags.top); err != nil {
		return err
	}
	longest := x.Longest(1)
	if len(longest) == 0 {
		return nil
	}
	one := *flags
	one.job, one.byID, one.flow, one.group, one.of = false, true, longest[0].Name, "", x
	return p.explainResult(ctx, from, res, &one)
}

func thisProgram() string {
	return made(&record.Result{Manifest: record.Manifest{Program: record.CurrentProgram()}})
}

// candidates returns the message that is asked for, or those to choose from with
// the slowest first and the unfinished last.
func (f *explainFlags) candidates(res *record.Result) ([]record.Flow, error) {
	if f.byID {
		for _, flow := range res.Flows {
			if flow.Name() == f.flow || strconv.FormatUint(flow.ID, 10) == f.flow {
				return []record.Flow{flow}, nil
			}
		}
		return nil, fmt.Errorf("no message %s among the %d recorded; weft explain --list shows the names of the slowest, as in main/host25#12, and the column id of flows.parquet the numbers of all",
			printable.Line(f.flow), len(res.Flows))
	}
	if err := f.checkGroup(res); err != nil {
		return nil, err
	}
	flows := slices.DeleteFunc(slices.Clone(res.Flows), func(flow record.Flow) bool {
		return !flow.Measured || f.group != "" && flow.Group != f.group
	})
	if len(flows) == 0 {
		return nil, fmt.Errorf("it holds no measured message")
	}
	slow := func(flow *record.Flow) float64 {
		switch {
		case !flow.Finished():
			return math.Inf(-1)
		case f.by == "fct":
			return float64(flow.FCT())
		}
		return slowdown(flow)
	}
	slices.SortStableFunc(flows, func(a, b record.Flow) int { return cmp.Compare(slow(&b), slow(&a)) })
	return flows, nil
}

func (f *explainFlags) checkGroup(res *record.Result) error {
	var groups []string
	for _, flow := range res.Flows {
		if !slices.Contains(groups, flow.Group) {
			groups = append(groups, flow.Group)
		}
	}
	if f.group == "" || slices.Contains(groups, f.group) {
		return nil
	}
	hint := "it has"
	if near, ok := nearest.Name(f.group, groups); ok {
		hint = fmt.Sprintf("did you mean %q? It has", near)
	}
	return fmt.Errorf("--group %s: no messages of such a group; %s %s", f.group, hint, strings.Join(groups, ", "))
}

// repaint returns a function that shows on a terminal how far a simulation is, if
// it takes long, and one that takes the line away.
func (p *program) repaint(s *scenario.Scenario) (show func(scenario.Progress), done func()) {
	if !isTerminal(p.stderr) {
		return nil, func() {}
	}
	const patience = 2 * time.Second
	v := &variantRun{program: p, scenario: s, of: 1}
	started := time.Now()
	var last time.Time
	show = func(now scenario.Progress) {
		took := time.Since(started)
		if took < patience || time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		repaintLine(p.stderr, v.line(progressOf(now), took))
	}
	return show, func() {
		if !last.IsZero() {
			control(p.stderr, clearLine)
		}
	}
}

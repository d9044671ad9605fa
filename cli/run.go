package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/emulate"
	"weft/internal/nearest"
	"weft/record"
	"weft/report"
	"weft/scenario"
)

// runFlags are the flags of run.
type runFlags struct {
	sets     []string
	seed     uint64
	threads  int
	out      string
	variants []string
	json     bool
	check    bool
	figures  bool
	report   bool
	wide     bool
	// on is where messages are carried.
	on string
	// told are notices that were shown before the runs.
	told []string
	// own are those of sets that the command line gives by flags of their own.
	own []scenario.Set
}

// short adds a value that the command line sets by a flag of its own.
func (f *runFlags) short(flag, key, value string) {
	set := key + "=" + value
	f.sets = append(f.sets, set)
	f.own = append(f.own, scenario.Set{Text: set, Written: fmt.Sprintf("--%s %s", flag, value)})
}

// assignments returns all that the command line sets, as it is written there.
func (f *runFlags) assignments() []scenario.Set {
	given := f.sets[:len(f.sets)-len(f.own)] // flags of their own come last
	return append(scenario.Sets(given...), f.own...)
}

// command returns the command line that does the same again.
func (f *runFlags) command(path string) string {
	words := []string{"weft", "run", shellWord(path)}
	for _, set := range f.sets {
		words = append(words, "--set", shellWord(set))
	}
	for _, v := range f.variants {
		words = append(words, "--variant", shellWord(v))
	}
	if f.onWire() {
		words = append(words, "--on", f.on)
	}
	if f.out != "" {
		words = append(words, "--out", shellWord(f.out))
	}
	return strings.Join(words, " ")
}

func (p *program) run() *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a scenario, each variant in its own process",
		Long: `Run a scenario, one variant after another, each in its own process. A table shows the
results, with slowdowns over the ideal without headers, and a folder keeps them: one
run, or several if the scenario compares variants. Complete results replace those that
weft wrote there before, but not those of another file, unless --out names the folder.
--variant runs and replaces only the named variants. Table, figures and report then
cover everything in the folder; if its other variants belong to another scenario,
nothing runs.

A second table covers runs with faults. It shows the frames and megabytes lost, and
the frames sent to ports whose link was down. Three columns show the longest time
after a failure: until the last such frame (last), until senders first avoided the
dead port for a base round-trip time (avoided), and until the full rate was regained.
The last column is the 99th percentile of packet round-trip times. "never" means that
it did not happen, "1 of 4 never" that it did not after one of four failures, and "-"
that there was nothing to measure. The table is left out if links were only slow and it
would be empty. docs/results.md defines each column.

--on wire runs each variant twice: simulated, and then by real endpoints (weft wire), one in each
host's network namespace, over the same fabric at the pace of the clock. It needs Linux, and no
root. A further table sets the completion times of both beside each other.

The exit code is 0 if all went well. It is 1 if a run failed, made no progress, is deadlocked, or was on
wire and too late to show anything; 2 if the scenario or a flag is wrong, and 130 if it was interrupted.
That completion times are outside the tolerance does not change it; weft diff --times has a code for that.`,
		Example: `  weft run scenarios/arcane/slow-uplink.yaml
  weft run scenario.yaml --set transport.ack.every=4 --seed 2 --out out/coalesced
  weft run scenario.yaml --variant ARCANE --threads 2 --json
  weft run scenarios/wire/incast.yaml --on wire`,
		Args:              exactly("a scenario file"),
		ValidArgsFunction: argument(scenarioFiles),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("seed") {
				flags.short("seed", "seed", strconv.FormatUint(flags.seed, 10))
			}
			if c.Flags().Changed("threads") {
				flags.short("threads", "engine.threads", strconv.Itoa(flags.threads))
			}
			return p.runFile(c.Context(), args[0], flags)
		},
	}
	addSets(c, &flags.sets)
	c.Flags().Uint64Var(&flags.seed, "seed", 1, "seed of every random choice, instead of the scenario's")
	c.Flags().IntVar(&flags.threads, "threads", 1, "threads of the engine, instead of the scenario's; does not change the result")
	c.Flags().StringVar(&flags.out, "out", "", "folder for the results (default out/NAME, after the scenario)")
	c.Flags().StringArrayVar(&flags.variants, "variant", nil, "run only the variant of this name (repeatable)")
	p.completeVariant(c, &flags.sets)
	c.Flags().BoolVar(&flags.json, "json", false, "print the summaries as one JSON object")
	c.Flags().BoolVar(&flags.figures, "figures", true, "draw figures of the results; not with --json")
	c.Flags().BoolVar(&flags.report, "report", true, "write an HTML report of the results; not with --json")
	addWide(c, &flags.wide)
	addOn(c, &flags.on)
	c.Flags().BoolVar(&flags.check, "check", false, "check every frame and byte at the end of every engine window; slower")
	return c
}

func (p *program) runFile(ctx context.Context, path string, flags runFlags) error {
	if err := readAgain(path); err != nil {
		return err
	}
	f, err := p.load(path, flags.assignments(), flags.variants, flags.onWire())
	if err != nil {
		return err
	}
	chosen, err := pick(f, flags.variants)
	if err != nil {
		return err
	}
	p.notices(f.Notices)
	if f.IsStudy() {
		p.notices([]string{"matrix and seeds are for weft study run; this command runs the file without them"})
	}
	v, err := p.verify(chosen, len(f.Variants))
	if err != nil {
		return err
	}
	p.notices(v.notices)
	flags.told = v.notices
	tasks := tasksOf(f, chosen, flags.onWire())
	if flags.onWire() {
		_, notices, err := wireable(chosen, len(f.Variants))
		if err != nil {
			return err
		}
		p.notices(notices)
		flags.told = append(flags.told, notices...)
		if err := emulate.Available(); err != nil {
			return err
		}
	}
	out := flags.out
	if out == "" {
		out = filepath.Join("out", f.Name)
		if flags.onWire() {
			out += "-on-wire"
		}
		if err := refuseForeign(out, f); err != nil {
			return err
		}
	}
	defer p.interrupts.hold()()
	results, err := newResults(out, f, chosen, tasks, flags.onWire())
	if err != nil {
		return err
	}
	defer results.discard()

	var done []record.Summary
	var errs []error
	for i, t := range tasks {
		if ctx.Err() != nil {
			break
		}
		v := variantRun{program: p, scenario: t.scenario, as: t.as(), carried: t.wire, flags: flags, path: path, dir: results.folders[t.name], number: i + 1, of: len(tasks)}
		summary, err := v.run(ctx)
		if errors.Is(err, errStopped) && ctx.Err() != nil {
			break // before it had anything to keep
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("variant %q: %w", t.name, err))
			continue
		}
		done = append(done, summary)
	}
	if err := p.finish(results, done, flags); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, verdict(done, flags.json))
	if ctx.Err() != nil {
		errs = append(errs, remaining(done, tasks, flags, path, out, len(f.VariantNames())))
	}
	return errors.Join(errs...)
}

// finish puts the results in their place, shows and draws them.
func (p *program) finish(r *results, done []record.Summary, flags runFlags) error {
	if len(done) == 0 {
		return nil
	}
	if err := r.commit(); err != nil {
		return err
	}
	ran := done
	done = r.withKept(done)
	pairs, err := r.beside()
	if err != nil {
		return err
	}
	if flags.json {
		return writeJSON(p.stdout, struct {
			Scenario string           `json:"scenario"`
			Variants []record.Summary `json:"variants"`
			Beside   []beside         `json:"beside,omitempty"`
		}{r.scenario, done, pairs})
	}
	if err := report.Table(p.stdout, placed(done, r.out), report.TableOptions{Color: isTerminal(p.stdout), Width: width(p.stdout, flags.wide)}); err != nil {
		return err
	}
	known, err := r.known(done)
	if err != nil {
		return err
	}
	about := ofVariants(len(known))
	for _, text := range slices.Concat(unitsOf(known, about), loadsOf(known, about)) {
		fmt.Fprintln(p.stdout, text)
	}
	p.notices(slices.Concat(news(known, ran, flags.told), drawn(done), sameResults(done), neverActed(done)))
	if len(pairs) > 0 {
		fmt.Fprintln(p.stdout)
		if err := cmp.Or(writeBeside(p.stdout, pairs, "SIMULATED", "ON WIRE"), tolerated(p.stdout)); err != nil {
			return err
		}
	}
	fmt.Fprintf(p.stdout, "\nresults in %s%s\n", r.out, r.keptText())
	if flags.figures {
		drawn, err := report.Figures(r.out, report.Options{})
		if err != nil {
			return fmt.Errorf("the results are in %s, but cannot be drawn: %w", r.out, err)
		}
		fmt.Fprintf(p.stdout, "%s in %s\n", figuresText(drawn.Files), filepath.Join(r.out, record.FiguresFolder))
	}
	if !flags.report {
		return nil
	}
	path, err := p.writeReport(r.out)
	if err != nil {
		return fmt.Errorf("the results are in %s, but their report cannot be written: %w", r.out, err)
	}
	_, err = fmt.Fprintf(p.stdout, "report: %s\n", path)
	return err
}

// placed writes the folder of results, and of several variants the variant, into the commands
// that causes name.
func placed(done []record.Summary, out string) []record.Summary {
	done = slices.Clone(done)
	for i := range done {
		command := "weft explain " + shellWord(out)
		if len(done) > 1 {
			command += " --variant " + shellWord(done[i].Name)
		}
		done[i].Cause = strings.ReplaceAll(done[i].Cause, "weft explain DIR", command)
	}
	return done
}

// drawn tells what chance chose for faults to hit, which the scenario does not.
func drawn(done []record.Summary) []string {
	var list []built
	for _, s := range done {
		b := built{name: s.Name}
		for _, d := range s.Drawn {
			b.notices = append(b.notices, d.String())
		}
		list = append(list, b)
	}
	return gathered(list, ofVariants(len(done)))
}

// sameResults tells which variants went the same, so that what they set made no
// difference.
func sameResults(done []record.Summary) (notices []string) {
	byHash := map[string][]string{}
	for _, s := range done {
		if s.Partial {
			continue
		}
		byHash[s.ResultHash] = append(byHash[s.ResultHash], s.Name)
	}
	for _, s := range done {
		if names := byHash[s.ResultHash]; len(names) > 1 && names[0] == s.Name {
			notices = append(notices, sameResult(names))
		}
	}
	return notices
}

// sameResult tells that what was compared made no difference, and a likely reason.
func sameResult(names []string) string {
	return fmt.Sprintf("%s gave exactly the same result (same hash): their overrides had no effect. "+
		"For example, a balancer that learns from acknowledgements starts anew with each message unless transport.connection is pair; "+
		"all balancers do the same where there is one shortest path; and credit options do nothing for messages that need no credit", strings.Join(names, ", "))
}

// verdict tells what makes a run a failure, though it has results. The table
// tells the causes; JSON on a pipe shows them to nobody.
func verdict(done []record.Summary, asJSON bool) error {
	var errs []error
	for _, s := range done {
		if why := s.Void(); why != "" {
			errs = append(errs, fmt.Errorf("variant %q shows nothing of the fabric: %s", s.Name, why))
		}
		if s.Ended != record.Stuck {
			continue
		}
		err := fmt.Errorf("variant %q made no progress and was stopped", s.Name)
		if s.Deadlocked {
			err = fmt.Errorf("variant %q was stopped, since pauses of links wait for each other for good", s.Name)
		}
		if asJSON {
			err = fmt.Errorf("%w: %s", err, s.Cause)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// pick returns the variants of those names, or all.
func pick(f *scenario.File, names []string) ([]*scenario.Scenario, error) {
	if len(names) == 0 {
		return f.Variants, nil
	}
	known := f.VariantNames()
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		hint := "it has"
		if near, ok := nearest.Name(name, known); ok {
			hint = fmt.Sprintf("did you mean %q? It has", near)
		}
		return nil, badInput(fmt.Errorf("--variant %s: %s has no such variant; %s %s",
			name, f.Path, hint, strings.Join(known, ", ")))
	}
	return slices.DeleteFunc(slices.Clone(f.Variants), func(s *scenario.Scenario) bool {
		return !slices.Contains(names, s.Variant)
	}), nil
}

package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/cli/emulating"
	"weft/emulate"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// onWire is the value of --on that has real endpoints carry messages.
const (
	onWire      = "wire"
	onSimulator = "simulator"
)

// on is the value of --on.
type on struct{ to *string }

func (o on) String() string {
	if o.to == nil || *o.to == "" {
		return onSimulator
	}
	return *o.to
}

func (on) Type() string { return "where" }

func (o on) Set(text string) error {
	if text != onWire && text != onSimulator {
		return fmt.Errorf("it is %s or %s", onSimulator, onWire)
	}
	*o.to = text
	return nil
}

// addOn adds the flag that says where messages are carried.
func addOn(c *cobra.Command, to *string) {
	c.Flags().Var(on{to}, "on", "simulator, or wire: also by real endpoints over the emulated fabric")
}

func (f *runFlags) onWire() bool { return f.on == onWire }

// task is a run of a variant.
type task struct {
	scenario *scenario.Scenario
	// name is that of the result.
	name string
	// wire tells that real endpoints carry messages, and several that more than one variant was chosen.
	wire, several bool
}

// as returns the name of the result if it is not the variant's.
func (t *task) as() string {
	if t.name == t.scenario.Variant {
		return ""
	}
	return t.name
}

// suffixOnWire is how results of runs on wire are called, after the variant's name.
const suffixOnWire = " on wire"

// tasksOf returns the runs of variants of a file: one of each, or on wire also another one.
func tasksOf(f *scenario.File, chosen []*scenario.Scenario, wire bool) (tasks []task) {
	for _, s := range chosen {
		names := namesOfRuns(s.Variant, wire)
		if wire && !compares(f) {
			names = []string{"simulated", strings.TrimSpace(suffixOnWire)}
		}
		for i, name := range names {
			tasks = append(tasks, task{scenario: s, name: name, wire: i > 0, several: len(chosen) > 1})
		}
	}
	return tasks
}

// namesOfRuns are the names of a variant's results: what is simulated first, and then what is on wire.
func namesOfRuns(variant string, wire bool) []string {
	if wire {
		return []string{variant, variant + suffixOnWire}
	}
	return []string{variant}
}

// remaining tells what an interrupted run leaves, what a command keeps of it, and what that runs again; all is how many variants the file
// has. A variant runs again as a whole, on wire with its simulation.
func remaining(done []record.Summary, tasks []task, flags runFlags, path, out string, all int) error {
	var keeps, again, simulated []string
	runs, complete := "variants", 0
	for _, t := range tasks {
		whole := slices.ContainsFunc(done, func(d record.Summary) bool { return d.Name == t.name && !d.Partial })
		if whole {
			complete++
		}
		if t.wire {
			runs = "runs"
		}
		variant := t.scenario.Variant
		switch last := len(keeps) - 1; {
		case whole && !t.wire:
			keeps = append(keeps, variant)
		case whole: // with its simulation
		case last >= 0 && keeps[last] == variant: // which was simulated, and not carried
			keeps, simulated = keeps[:last], append(simulated, variant)
			again = append(again, variant)
		case !slices.Contains(again, variant):
			again = append(again, variant)
		}
	}
	if len(again) == 0 {
		return interruptedf(": %d of %d %s complete, nothing is left to run", complete, len(tasks), runs)
	}
	kept := "nothing is kept"
	if len(done) > 0 {
		kept = "the rest is missing or marked as partial in " + out
	}
	flags.variants = nil
	if len(again) < all {
		flags.variants = again
	}
	also := ""
	if len(simulated) > 0 {
		also = ", the simulation too"
	}
	left := fmt.Sprintf(": %d of %d %s complete, %s", complete, len(tasks), runs, kept)
	if len(keeps) == 0 {
		return interruptedf("%s; run it again from the beginning%s, with %s", left, also, flags.command(path))
	}
	return interruptedf("%s; continue with %s (keeps %s; runs %s from the beginning%s)",
		left, flags.command(path), strings.Join(keeps, ", "), strings.Join(again, ", "), also)
}

// wired is the messages of a variant that real endpoints can carry.
type wired struct {
	name     string
	messages *emulate.Messages
}

// wireable finds which of a file's variants cannot be carried by real endpoints, and tells what these have otherwise.
func wireable(chosen []*scenario.Scenario, all int) (list []wired, notices []string, err error) {
	var wrong scenario.Problems
	var found []built
	for _, s := range chosen {
		m, err := emulate.CheckMessages(s)
		if err != nil {
			wrong.Add(s.Variant, err)
			continue
		}
		list = append(list, wired{s.Variant, m})
		found = append(found, built{name: s.Variant, notices: m.Notices})
	}
	return list, gathered(found, ofVariants(len(chosen))), wrong.Err(all)
}

// keepUp refuses those of a file's variants that this machine cannot carry, as their runs would, and notes those of which it carries
// only a part, or that nothing was measured.
func keepUp(ctx context.Context, list []wired, all int) (notices []string, err error) {
	var frames []unit.Bytes
	for _, w := range list {
		if f := w.messages.Frame(); !slices.Contains(frames, f) {
			frames = append(frames, f)
		}
	}
	perSecond, err := emulating.Forwarding(ctx, frames)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return []string{fmt.Sprintf("whether this machine keeps up with the fabric was not measured: %v", err)}, nil
	}
	var wrong scenario.Problems
	var found []built
	for _, w := range list {
		note, err := w.messages.KeepUp(perSecond[slices.Index(frames, w.messages.Frame())])
		wrong.Add(w.name, err)
		if note != "" {
			found = append(found, built{name: w.name, notices: []string{note}})
		}
	}
	return gathered(found, ofVariants(len(list))), wrong.Err(all)
}

// load reads the variants of a file that are wanted, all if none are named. With wire real endpoints are to carry their messages.
func (p *program) load(path string, sets []scenario.Set, variants []string, wire bool) (*scenario.File, error) {
	if wire {
		return scenario.LoadOnWire(path, p.reg, sets, variants)
	}
	return scenario.LoadOnly(path, p.reg, sets, variants)
}

// enterFor returns where a process of a variant tells its progress. One whose messages real endpoints carry goes on in namespaces of
// its own, with a space. What that inherits is the standard files, of which it needs no input, so that it tells there.
func enterFor(where string) (to *os.File, space *emulate.Space, err error) {
	to = os.NewFile(progressFile, "progress")
	if where != onWire {
		return to, nil, nil
	}
	if emulate.Entering() {
		to = os.Stdin
	} else {
		os.Stdin = to
	}
	space, status, err := emulate.Enter()
	if err == nil && space == nil { // the other process said all
		err = &exit{code: status}
	}
	return to, space, err
}

// carried runs a scenario by real endpoints.
func carried(ctx context.Context, s *scenario.Scenario, space *emulate.Space, o scenario.RunOptions) (*record.Result, error) {
	r, err := emulate.RunMessages(ctx, s, space, emulate.MessageOptions{Progress: o.Progress, Built: o.Built})
	if err != nil {
		return nil, err
	}
	r.Manifest.Notices = append(r.Manifest.Notices, r.Notes...)
	return r.Result, nil
}

// beside returns what both runs of each pair came to.
func (r *results) beside() (list []beside, err error) {
	if len(r.pairs) == 0 {
		return nil, nil
	}
	variants, err := record.Variants(r.out)
	if err != nil {
		return nil, err
	}
	read := func(name string) (*record.Result, error) {
		i := slices.IndexFunc(variants, func(v record.Variant) bool { return v.Name == name })
		if i < 0 {
			return nil, nil // it failed
		}
		return record.ReadFolder(variants[i].Folder)
	}
	for _, pair := range r.pairs {
		simulated, err := read(pair[0])
		if err != nil {
			return nil, err
		}
		carried, err := read(pair[1])
		if err != nil {
			return nil, err
		}
		if simulated == nil || carried == nil {
			continue
		}
		list = append(list, besides(pair[1], simulated, carried)...)
	}
	return list, nil
}

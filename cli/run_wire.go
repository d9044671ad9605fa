package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/emulate"
	"weft/record"
	"weft/scenario"
)

// onWire is the value of --on that has real endpoints carry messages.
const (
	onWire      = "wire"
	onSimulator = "simulator"
	// mostBurst is the most packets of a burst.
	mostBurst = 64
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
	all := f.VariantNames()
	compares, several := len(all) > 1 || all[0] != f.Name, len(chosen) > 1
	for _, s := range chosen {
		if !wire {
			tasks = append(tasks, task{scenario: s, name: s.Variant, several: several})
			continue
		}
		simulated, real := s.Variant, s.Variant+suffixOnWire
		if !compares {
			simulated, real = "simulated", strings.TrimSpace(suffixOnWire)
		}
		tasks = append(tasks, task{scenario: s, name: simulated, several: several}, task{scenario: s, name: real, wire: true, several: several})
	}
	return tasks
}

// wireable finds which of a file's variants cannot be carried by real endpoints.
func wireable(chosen []*scenario.Scenario, all int) error {
	var wrong scenario.Problems
	for _, s := range chosen {
		wrong.Add(s.Variant, emulate.CheckMessages(s))
	}
	return wrong.Err(all)
}

// validateOnWire finds what real endpoints cannot do of a file.
func (p *program) validateOnWire(path string, sets []string) error {
	f, err := scenario.Load(path, p.reg, sets)
	if err != nil {
		return err
	}
	return wireable(f.Variants, len(f.Variants))
}

// newPairs begins a folder for what is simulated and what is on wire. Pairs of other variants that are there stay.
func newPairs(out string, f *scenario.File, chosen []*scenario.Scenario, tasks []task) (*results, error) {
	r := &results{out: out, scenario: f.Name, folders: map[string]string{}}
	var err error
	if r.comparison, err = record.NewComparison(out, f.Name); err != nil {
		return nil, badInput(err)
	}
	kept, err := keepable(out, f, chosen, func(name string) string { return strings.TrimSuffix(name, suffixOnWire) })
	if err != nil {
		r.discard()
		return nil, err
	}
	for _, variant := range f.VariantNames() {
		for _, name := range []string{variant, variant + suffixOnWire} {
			k, ok := kept[name]
			if !ok {
				continue
			}
			r.kept, r.order = append(r.kept, k), append(r.order, name)
			if err := r.comparison.Keep(name); err != nil {
				r.discard()
				return nil, err
			}
		}
		for i, t := range tasks {
			if t.scenario.Variant != variant {
				continue
			}
			r.folders[t.name] = absolute(r.comparison.Variant(t.name))
			r.order = append(r.order, t.name)
			if t.wire {
				r.pairs = append(r.pairs, [2]string{tasks[i-1].name, t.name})
			}
		}
	}
	return r, nil
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
func carried(ctx context.Context, s *scenario.Scenario, space *emulate.Space, o scenario.RunOptions, burst int) (*record.Result, error) {
	r, err := emulate.RunMessages(ctx, s, space, emulate.MessageOptions{Burst: burst, Progress: o.Progress, Built: o.Built})
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

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"weft/emulate"
	"weft/internal/tabular"
	"weft/record"
	"weft/record/distance"
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
	// wire tells that real endpoints carry messages, and several that the file has more than one variant.
	wire, several bool
}

// as returns the name of the result if it is not the variant's.
func (t *task) as() string {
	if t.name == t.scenario.Variant {
		return ""
	}
	return t.name
}

// tasksOf returns the runs of variants: one of each, or on wire also another one.
func tasksOf(chosen []*scenario.Scenario, wire bool) (tasks []task) {
	several := len(chosen) > 1
	for _, s := range chosen {
		if !wire {
			tasks = append(tasks, task{scenario: s, name: s.Variant, several: several})
			continue
		}
		simulated, real := s.Variant, s.Variant+" on wire"
		if !several {
			simulated, real = "simulated", "on wire"
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

// newPairs begins a folder for what is simulated and what is on wire.
func newPairs(out string, f *scenario.File, tasks []task) (*results, error) {
	r := &results{out: out, scenario: f.Name, folders: map[string]string{}}
	var err error
	if r.comparison, err = record.NewComparison(out, f.Name); err != nil {
		return nil, badInput(err)
	}
	for i, t := range tasks {
		r.folders[t.name] = absolute(r.comparison.Variant(t.name))
		r.order = append(r.order, t.name)
		if t.wire {
			r.pairs = append(r.pairs, [2]string{tasks[i-1].name, t.name})
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
func carried(ctx context.Context, s *scenario.Scenario, space *emulate.Space, o scenario.RunOptions) (*record.Result, error) {
	r, err := emulate.RunMessages(ctx, s, space, emulate.MessageOptions{Progress: o.Progress, Built: o.Built})
	if err != nil {
		return nil, err
	}
	r.Manifest.Notices = append(r.Manifest.Notices, r.Notes...)
	return r.Result, nil
}

// beside is what was simulated and what was on wire, of one group of traffic.
type beside struct {
	Simulated string `json:"simulated"`
	Wire      string `json:"on_wire"`
	distance.Group
	// Void tells that the run on wire shows nothing, so that nothing follows.
	Void bool
}

// MarshalJSON writes times in microseconds.
func (b beside) MarshalJSON() ([]byte, error) {
	type times struct {
		Messages int     `json:"messages"`
		Median   float64 `json:"fct_p50_us"`
		P99      float64 `json:"fct_p99_us"`
	}
	of := func(t distance.Times) times {
		return times{t.Messages, float64(t.Median) / float64(unit.Microsecond), float64(t.P99) / float64(unit.Microsecond)}
	}
	return json.Marshal(struct {
		Simulated string   `json:"simulated"`
		Wire      string   `json:"on_wire"`
		Group     string   `json:"group"`
		First     times    `json:"in_simulation"`
		Second    times    `json:"by_endpoints"`
		Median    *float64 `json:"median_differs,omitempty"`
		P99       *float64 `json:"p99_differs,omitempty"`
		Void      bool     `json:"void"`
		Within    bool     `json:"within_tolerance"`
	}{b.Simulated, b.Wire, b.Name, of(b.First), of(b.Second), finite(b.Median()), finite(b.P99()), b.Void, !b.Void && b.Within(distance.Wire())})
}

func finite(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
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
		void := slices.ContainsFunc(carried.Summary.Noted, func(n record.Notice) bool { return n.Kind == record.NoticeVoid })
		for _, g := range distance.Of(simulated.Flows, carried.Flows) {
			list = append(list, beside{pair[0], pair[1], g, void})
		}
	}
	return list, nil
}

// writeBeside prints a row for each group of traffic.
func writeBeside(to io.Writer, list []beside) error {
	if len(list) == 0 {
		return nil
	}
	rows := [][]string{{"ON WIRE", "GROUP", "MESSAGES", "MEDIAN", "SIMULATED", "DIFFERS", "P99", "SIMULATED", "DIFFERS", "TOLERANCE"}}
	for i := range list {
		b := &list[i]
		verdict := "within"
		switch {
		case b.Void:
			verdict = "void"
		case !b.Within(distance.Wire()):
			verdict = "outside"
		}
		rows = append(rows, []string{
			b.Wire, b.Name, messages(b), completion(b.Second.Median), completion(b.First.Median), differs(b.Median()),
			completion(b.Second.P99), completion(b.First.P99), differs(b.P99()), verdict,
		})
	}
	fmt.Fprintln(to)
	if err := tabular.Write(to, rows, 2, 0); err != nil {
		return err
	}
	t := distance.Wire()
	_, err := fmt.Fprintf(to, "Completion times on wire, and as simulated. Tolerance: %.0f %% at the median, %.0f %% at the 99th percentile.\n", 100*t.Median, 100*t.P99)
	return err
}

func messages(b *beside) string {
	if b.First.Messages == b.Second.Messages {
		return strconv.Itoa(b.Second.Messages)
	}
	return fmt.Sprintf("%d of %d", b.Second.Messages, b.First.Messages)
}

// completion is a time to four figures.
func completion(t unit.Time) string {
	d := time.Duration(t / unit.Nanosecond)
	for unit := time.Nanosecond; unit < time.Second; unit *= 10 {
		if d < 10_000*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Millisecond).String()
}

func differs(share float64) string {
	if math.IsNaN(share) {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*share)
}

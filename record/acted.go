package record

import (
	"fmt"
	"slices"
	"strings"
)

// Idle is an option that a scenario sets but that had no effect on its run, such as a threshold
// that was never reached or a fault that no traffic met. It is a fact about the scenario. The
// run's numbers are still true, so Idle is not a Notice: it neither keeps a run from being ranked
// nor marks numbers.
type Idle struct {
	// Option is where the scenario sets it, as in "fabric.ecn" or "faults[0]".
	Option string `json:"option"`
	// Entry is the entry chosen there, such as "link-down". It is empty if the option does not
	// choose by name.
	Entry string `json:"entry,omitempty"`
	// Text is the evidence.
	Text string `json:"text"`
}

// MostIdle limits how many such options a run, or a list of several runs, reports. Foreign files
// may have more.
const MostIdle = 256

// Name returns the option with its entry.
func (i Idle) Name() string {
	if i.Entry == "" {
		return i.Option
	}
	return fmt.Sprintf("%s (%s)", i.Option, i.Entry)
}

// Same reports whether two have the same option and entry.
func (i Idle) Same(o Idle) bool { return i.Option == o.Option && i.Entry == o.Entry }

// Line returns a line about one run.
func (i Idle) Line() string { return i.Name() + " never acted: " + i.Text }

// IdleIn is an option that had no effect in some of several runs.
type IdleIn struct {
	Idle
	// Runs lists the names of these runs, in order.
	Runs []string
	// Alike is set if the text is the same for all of them. Otherwise Text is the first one's.
	Alike bool
}

// GatherIdle lists the options that had no effect in some of the named runs, each once.
func GatherIdle(names []string, of func(run int) []Idle) []IdleIn {
	var list []IdleIn
	for run, name := range names {
		idle := of(run)
		for _, one := range idle[:min(len(idle), MostIdle)] {
			at := slices.IndexFunc(list, func(o IdleIn) bool { return o.Same(one) })
			if at < 0 && len(list) == MostIdle {
				continue
			}
			if at < 0 {
				list = append(list, IdleIn{Idle: one, Runs: []string{name}, Alike: true})
				continue
			}
			o := &list[at]
			o.Alike = o.Alike && o.Text == one.Text
			if !slices.Contains(o.Runs, name) {
				o.Runs = append(o.Runs, name)
			}
		}
	}
	return list
}

// mostRunsNamed is how many runs a line names.
const mostRunsNamed = 4

// LineOf returns a line about the runs, out of all of them.
func (o IdleIn) LineOf(all int) string {
	line := o.Name() + " never acted"
	if len(o.Runs) < all {
		names := o.Runs
		if more := len(names) - mostRunsNamed; more > 0 {
			names = append(slices.Clone(names[:mostRunsNamed]), fmt.Sprintf("%d more", more))
		}
		line += " in " + strings.Join(names, ", ")
	}
	line += ": " + o.Text
	if !o.Alike {
		line += " (" + o.Runs[0] + ")"
	}
	return line
}

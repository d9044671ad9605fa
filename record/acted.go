package record

import (
	"fmt"
	"slices"
	"strings"
)

// Idle is an option that a scenario sets and that had no effect on its run: a threshold that was never reached,
// a fault that no traffic met. It is a fact about the scenario. Its numbers are none the less true, so it is no
// Notice, bars nothing from being ranked, and marks no number.
type Idle struct {
	// Option is where the scenario sets it, as in "fabric.ecn" or "faults[0]".
	Option string `json:"option"`
	// Entry is what was chosen there, such as "link-down"; empty if nothing is chosen by name.
	Entry string `json:"entry,omitempty"`
	// Text says what shows it.
	Text string `json:"text"`
}

// MostIdle is how many options a run, or a list of several runs, tells of. Files of others may have more.
const MostIdle = 256

// Name names the option with what was chosen.
func (i Idle) Name() string {
	if i.Entry == "" {
		return i.Option
	}
	return fmt.Sprintf("%s (%s)", i.Option, i.Entry)
}

// Same tells whether two lines are about the same option and entry.
func (i Idle) Same(o Idle) bool { return i.Option == o.Option && i.Entry == o.Entry }

// Line says it of a run.
func (i Idle) Line() string { return i.Name() + " never acted: " + i.Text }

// IdleIn is an option that had no effect in some of several runs.
type IdleIn struct {
	Idle
	// Runs names them, in order.
	Runs []string
	// Alike tells that the text is the same for all of them; otherwise it is that of the first.
	Alike bool
}

// GatherIdle lists the options that had no effect, each once, by the names of runs.
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

// LineOf says it of so many runs.
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

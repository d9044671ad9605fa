package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/record"
	"weft/transport"
	"weft/unit"
)

// effect describes how the end of a run decides whether options had an effect
// (docs/design/0019-never-acted.md). Each effect is declared next to the code of its
// feature; effects lists them all.
type effect struct {
	// options are the options that the effect covers, as files write them. [] stands for
	// any entry of a list.
	options []string
	// counter describes what is counted, for the documentation.
	counter string
	// ask adds a line for each option that had no effect.
	ask func(v *review)
}

// review asks, at the end of a run, which options of the scenario had no effect.
type review struct {
	*run
	s *Scenario
	// sum adds up the counters of all ports over the whole run.
	sum    fabric.PortCounters
	ruled  fabric.Acted
	total  transport.Counts
	depths depths
	did    []transport.Acted // by group
	idle   []record.Idle
}

// never adds a line about an option if the scenario sets it. The text continues "never
// acted: ".
func (v *review) never(path, entry, format string, args ...any) {
	if v.s.wrote(path) && len(v.idle) < record.MostIdle {
		v.idle = append(v.idle, record.Idle{Option: path, Entry: entry, Text: fmt.Sprintf(format, args...)})
	}
}

// end returns the end of the run, rounded up for people to read.
func (v *review) end() unit.Time {
	if v.Now < unit.Microsecond {
		return v.Now
	}
	return v.Now.RoundUp(unit.Microsecond)
}

// wrote reports whether the file or the command line gives an option. Defaults brought by
// other parts have no place in a file.
func (s *Scenario) wrote(path string) bool {
	return s.places.Given(path) && s.At(path).Source != nil
}

// byGroup asks every group of traffic about one key of its transport. Groups that inherit
// the key from the same place share one line, which appears only if none of them used the
// option. A group that used it answers "".
func (v *review) byGroup(key string, entry func(t *Transport) string, ask func(g int) string) {
	var paths []string
	texts := map[string]string{}
	entries := map[string]string{}
	g := 0
	for path, t := range v.s.carriers() {
		path = v.s.written(path + "." + key)
		text := ask(g)
		if before, known := texts[path]; !known {
			paths = append(paths, path)
			texts[path], entries[path] = text, entry(t)
		} else if before != "" {
			texts[path] = text
		}
		g++
	}
	for _, path := range paths {
		if text := texts[path]; text != "" {
			v.never(path, entries[path], "%s", text)
		}
	}
}

// noEntry returns no catalog entry, for keys that do not name one.
func noEntry(*Transport) string { return "" }

// Exemption is an option whose effect no run can check, and the reason.
type Exemption struct {
	// Option is the key. For one entry of a catalog, Entry is its name.
	Option, Entry string
	Why           string
}

// Effect lists options whose effect a run checks: a counter that stays at 0 shows that they
// never acted.
type Effect struct {
	Options []string
	Counter string
}

package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/record"
	"weft/transport"
	"weft/unit"
)

// effect is how the end of a run tells whether options had one (docs/design/0019-never-acted.md). It stands beside the
// code of its feature, and effects lists it.
type effect struct {
	// options are what it tells of, as files have it; [] stands for any entry of a list.
	options []string
	// counter says what is counted, for documents.
	counter string
	// ask adds a line for what never acted.
	ask func(v *review)
}

// review is a run at its end, of which the options of its scenario are asked.
type review struct {
	*run
	s *Scenario
	// sum adds up all ports, over the whole run.
	sum    fabric.PortCounters
	ruled  fabric.Acted
	total  transport.Counts
	depths depths
	did    []transport.Acted // by group
	idle   []record.Idle
}

// never adds a line about an option, if the scenario sets it. The text goes on after "never acted: ".
func (v *review) never(path, entry, format string, args ...any) {
	if v.s.wrote(path) && len(v.idle) < record.MostIdle {
		v.idle = append(v.idle, record.Idle{Option: path, Entry: entry, Text: fmt.Sprintf(format, args...)})
	}
}

// end is when the run ended, as people read it.
func (v *review) end() unit.Time {
	if v.Now < unit.Microsecond {
		return v.Now
	}
	return v.Now.RoundUp(unit.Microsecond)
}

// wrote tells whether a file or the command line gives an option. What parts bring stands nowhere.
func (s *Scenario) wrote(path string) bool {
	return s.places.Given(path) && s.At(path).Source != nil
}

// byGroup asks a question of each group of traffic about a key of its transport. Groups that have the key from the same
// place share a line: none of them acted. The texts of those that did are "".
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

// noEntry is for keys that choose nothing by name.
func noEntry(*Transport) string { return "" }

// Exemption is an option of which nothing tells whether it acted, and why.
type Exemption struct {
	// Option is the key; of entries of a catalog Entry is the name.
	Option, Entry string
	Why           string
}

// Effect is what runs tell of options: whether a counter stayed at 0.
type Effect struct {
	Options []string
	Counter string
}

package scenario

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/record"
	"weft/topo"
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

// effects are asked in this order, in which their lines come.
var effects = []effect{
	{[]string{"faults[]"}, "frames that came to the links between beginning and end", (*review).actedFaults},
	{[]string{"routing.policy"}, "choices between next hops, and detours", (*review).actedPolicy},
	{[]string{"routing.reconverge"}, "changes of routes", (*review).actedReconverge},
	{[]string{"fabric.ecn"}, "marks", (*review).actedMarking},
	{[]string{"fabric.queue"}, "frames that found a queue full", (*review).actedLimit},
	{[]string{"fabric.overflow", "fabric.trim"}, "frames cut", (*review).actedTrimming},
	{[]string{"fabric.ports[]"}, "frames that came to the ports", (*review).actedPorts},
	{[]string{"fabric.admission"}, "frames that the rule refused", (*review).actedAdmission},
	{[]string{"fabric.buffer"}, "frames for which there was no room or no share", (*review).actedBuffer},
	{[]string{"fabric.pfc"}, "pauses sent", (*review).actedPauses},
	{[]string{"fabric.pfc.watchdog"}, "pauses that it ended", (*review).actedWatchdog},
	{[]string{"fabric.pfc.slow_hosts[]"}, "pauses that its hosts sent", (*review).actedSlowHosts},
	{[]string{"fabric.telemetry"}, "congestion controls that read stamps", (*review).actedTelemetry},
	{[]string{"fabric.credits"}, "credits sent", (*review).actedCredits},
	{[]string{"fabric.deflect"}, "deflected packets", (*review).actedDeflection},
	{[]string{"traffic[].pattern", "traffic[].arrival", "traffic[].reply", "traffic[].background"}, "messages started", (*review).actedTraffic},
	{[]string{"transport.congestion"}, "connections that their window, credit or pace kept from sending, and signals heard", (*review).actedControls},
	{[]string{"transport.balancer"}, "paths to choose from, and choices changed", (*review).actedBalancers},
	{[]string{"transport.rto", "transport.recovery", "transport.reorder_limit", "transport.nagle"}, "timeouts, packets sent again, connections that the limit kept from sending, last packets that waited", (*review).actedRecoveries},
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

// neverActed lists what of a scenario had no effect on its run: options that it sets, not those that it has by default.
// A run that was interrupted does not tell.
func (s *Scenario) neverActed(r *run) []record.Idle {
	if r.Ended == record.Interrupted {
		return nil
	}
	v := &review{run: r, s: s, ruled: r.Network.Acted(), total: r.Transport.Counts(), did: r.Transport.Acted(), depths: r.window.deepest}
	for id := range topo.PortID(2 * len(r.graph.Links)) {
		c := r.Network.Counters(id, r.Now)
		v.sum.Marks += c.Marks
		v.sum.Trims += c.Trims
		for why, n := range c.Drops {
			v.sum.Drops[why] += n
		}
	}
	v.depths.add(r.plan, r.Network, r.Now)
	for i := range effects {
		effects[i].ask(v)
	}
	return v.idle
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

// Effects lists what runs tell of options, and of which options they cannot. Options are written as in files; [] stands for any
// entry of a list.
func Effects() (counted []Effect, exempt []Exemption) {
	for _, e := range effects {
		counted = append(counted, Effect{slices.Clone(e.options), e.counter})
	}
	return counted, slices.Clone(exemptions)
}

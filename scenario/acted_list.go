package scenario

import (
	"slices"

	"weft/record"
	"weft/topo"
)

// effects returns the checks of a run, in the order of their lines.
func effects() []effect {
	list := slices.Clone(effectsBefore)
	for _, f := range features() {
		list = append(list, f.effects...)
	}
	return append(list, effectsBehind...)
}

// effectsBefore are the checks of faults, routes and queues.
var effectsBefore = []effect{
	{[]string{"faults[]"}, "frames that came to the links between beginning and end", (*review).actedFaults},
	{[]string{"routing.policy"}, "choices between next hops, and packets that went by intermediates", (*review).actedPolicy},
	{[]string{"routing.reconverge"}, "changes of routes", (*review).actedReconverge},
	{[]string{"fabric.ecn"}, "marks", (*review).actedMarking},
	{[]string{"fabric.queue"}, "frames that found a queue full", (*review).actedLimit},
	{[]string{"fabric.overflow", "fabric.trim"}, "frames cut", (*review).actedTrimming},
	{[]string{"fabric.ports[]"}, "frames that came to the ports", (*review).actedPorts},
	{[]string{"fabric.admission"}, "frames that the rule refused", (*review).actedAdmission},
	{[]string{"fabric.buffer"}, "frames for which there was no room or no share", (*review).actedBuffer},
}

// effectsBehind are the checks of traffic and transports.
var effectsBehind = []effect{
	{[]string{"traffic[].pattern", "traffic[].arrival", "traffic[].reply", "traffic[].background"}, "messages started", (*review).actedTraffic},
	{[]string{"transport.congestion"}, "connections that their window, credit or pace kept from sending, and signals heard", (*review).actedControls},
	{[]string{"transport.balancer"}, "paths to choose from, and choices changed", (*review).actedBalancers},
	{[]string{"transport.rto", "transport.recovery", "transport.reorder_limit", "transport.nagle"}, "timeouts, packets sent again, connections that the limit kept from sending, last packets that waited", (*review).actedRecoveries},
}

// Effects lists the options whose effect a run checks and those that it cannot check.
// Options are written as in files; [] stands for any entry of a list.
func Effects() (counted []Effect, exempt []Exemption) {
	for _, e := range effects() {
		counted = append(counted, Effect{slices.Clone(e.options), e.counter})
	}
	return counted, slices.Clone(exemptions)
}

// neverActed lists the options that had no effect on a run. It covers options that the
// scenario sets, not defaults. It is empty for an interrupted run and for a run that
// carries packets of programs, whose traffic nobody can countPending.
func (s *Scenario) neverActed(r *run) []record.Idle {
	if r.Ended == record.Interrupted || r.options.Live != nil {
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
	for _, e := range effects() {
		e.ask(v)
	}
	return v.idle
}

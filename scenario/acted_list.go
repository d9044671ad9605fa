package scenario

import (
	"slices"

	"weft/record"
	"weft/topo"
)

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

// Effects lists what runs tell of options, and of which options they cannot. Options are written as in files; [] stands for any
// entry of a list.
func Effects() (counted []Effect, exempt []Exemption) {
	for _, e := range effects {
		counted = append(counted, Effect{slices.Clone(e.options), e.counter})
	}
	return counted, slices.Clone(exemptions)
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

// Package weft is a laboratory for datacenter and HPC fabrics: one packet
// simulator in which topology, routing, load balancer, transport, workload and
// faults combine freely, with published systems as presets.
//
// A program of a user's own adds its algorithms to the built-in ones and runs
// scenarios with both:
//
//	reg := weft.Builtin()
//	reg.Balancers.Add(mine)
//	file, err := weft.Load("scenario.yaml", reg)
//	result, err := weft.Run(ctx, file.Variants[0])
package weft

import (
	"context"
	"fmt"

	"weft/fault"
	"weft/protocol/arcane"
	"weft/protocol/congestion"
	"weft/protocol/dart"
	"weft/protocol/dcpim"
	"weft/protocol/entropy"
	"weft/protocol/eqds"
	"weft/protocol/expresspass"
	"weft/protocol/homa"
	"weft/protocol/ndp"
	"weft/protocol/phost"
	"weft/protocol/scheduling"
	"weft/protocol/sird"
	"weft/record"
	"weft/route"
	"weft/route/layers"
	"weft/route/paths"
	"weft/scenario"
	"weft/topo"
	"weft/trace/traffic"
	"weft/workload"
)

// Builtin returns a new registry with all that weft itself offers. The caller may
// add to it.
func Builtin() *scenario.Registry {
	reg := new(scenario.Registry)
	for _, err := range []error{
		reg.Topologies.Add(topo.Entries()...),
		reg.Balancers.Add(entropy.Entries()...),
		reg.Balancers.Add(arcane.Entries()...),
		reg.Routings.Add(route.Entries()...),
		reg.Routings.Add(layers.Entries()...),
		reg.Routings.Add(paths.Entries()...),
		reg.Congestion.Add(congestion.Entries()...),
		reg.Congestion.Add(eqds.Entries()...),
		reg.Congestion.Add(ndp.Entries()...),
		reg.Congestion.Add(sird.Entries()...),
		reg.Congestion.Add(homa.Entries()...),
		reg.Congestion.Add(expresspass.Entries()...),
		reg.Congestion.Add(dcpim.Entries()...),
		reg.Congestion.Add(phost.Entries()...),
		reg.Congestion.Add(dart.Entries()...),
		reg.Patterns.Add(workload.Patterns()...),
		reg.Patterns.Add(traffic.Patterns()...),
		reg.Arrivals.Add(workload.Arrivals()...),
		reg.Faults.Add(fault.Entries()...),
		reg.Markings.Add(scenario.Markings()...),
		reg.Admissions.Add(scenario.Admissions()...),
		reg.Schedulers.Add(scheduling.Entries()...),
	} {
		if err != nil {
			// The entries are constants of this module, which its tests add.
			panic(fmt.Sprintf("weft: %v", err))
		}
	}
	return reg
}

// Load reads a scenario file. What is wrong with it is a *config.Error, which
// tells all of it at once. Each of sets changes the file first, as in
// "transport.balancer=ops".
func Load(path string, reg *scenario.Registry, sets ...string) (*scenario.File, error) {
	return scenario.Load(path, reg, sets)
}

// Run executes a scenario in this process and returns what it leaves.
func Run(ctx context.Context, s *scenario.Scenario) (*record.Result, error) {
	return scenario.Run(ctx, s, scenario.RunOptions{})
}

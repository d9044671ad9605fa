package cli

import (
	"slices"

	"weft/scenario"
)

const routingKey = "routing.policy"

// kept is the state that a routing policy needs, and where.
var kept = map[string]string{
	"ecmp":         "in switches: one entry per port of a next-hop set; nothing at hosts",
	"wcmp":         "in switches: replicated next-hop entries, each port as often as its rate in lowest terms, in at most 64 entries, or one per port if there are more; nothing at hosts",
	"hierarchical": "in switches: one entry per port of a next-hop set; nothing at hosts",
	"dor":          "in switches: one entry per port of a next-hop set; nothing at hosts",
	"valiant":      "in switches: one entry per port of a next-hop set, also towards intermediates; in packets: the phase, and the intermediate by their entropy",
	"ugal":         "what valiant keeps, and in switches the length of the path to every switch; with information: global also the queues of all switches; with flowlet a table of flows",
	"par":          "what valiant keeps, and in switches the length of the path to every switch; with flowlet a table of flows",
	"layers":       "in switches: for each layer and edge switch, one entry per next hop; nothing at hosts",
	"ksp":          "at hosts: for each edge switch its paths, as lists of ports; in packets: the list, of which switches read the next port",
	"paths":        "what ksp keeps",
}

// asks is what else in a scenario a routing policy needs, or is refused. docs/routing.md has it as a table.
var asks = map[string][]string{
	"hierarchical": {"switches that all stand in groups"},
	"dor":          {"switches whose names are coordinates, as in r0-1, and links that change one of them"},
	"valiant":      withDetours,
	"ugal":         append([]string{"no fabric.deflect"}, withDetours...),
	"par":          append([]string{"switches that all stand in groups", "no fabric.deflect"}, withDetours...),
	"ksp":          explicitPaths,
	"paths":        explicitPaths,
	"layers":       {"switches that are linked to each other", "a transport.balancer of senders", "a transport.congestion other than fncc and expresspass (both go with scheme: past)"},
}

var explicitPaths = []string{"a transport.balancer of senders", "a transport.congestion other than fncc and expresspass", "with fabric.pfc and routing.lanes: hop a class for each link of the longest path"}

var withDetours = []string{"a transport.congestion other than fncc and expresspass", "with fabric.pfc a class for each lane (routing.lanes) and no controls of switches (rocc, rcp)"}

// sections returns what lists show: the registry's sections, and the workloads.
func (p *program) sections() []scenario.Section {
	all := p.reg.Sections()
	at := 1 + slices.IndexFunc(all, func(s scenario.Section) bool { return s.Key == "traffic[].pattern" })
	return slices.Insert(all, at, scenario.Section{Title: "workloads", Key: workloadsKey, Entries: workloads()})
}

// addKept fills in what routing policies keep.
func addKept(sections []section) {
	for _, s := range sections {
		if s.Key != routingKey {
			continue
		}
		for i := range s.Entries {
			e := &s.Entries[i]
			e.Keeps = kept[e.Name]
			if !e.part {
				e.Needs = asks[e.Name]
			}
		}
	}
}

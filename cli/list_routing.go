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
	"valiant":      "in switches: the same, towards every intermediate; packets carry their intermediate and their phase",
	"ugal":         "in switches: the same, and the length of the path to every switch; with information: global the queues of all switches",
	"par":          "in switches: the same, and the length of the path to every switch",
	"layers":       "in switches: for each layer and edge switch, one entry per next hop; nothing at hosts",
}

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
			s.Entries[i].Keeps = kept[s.Entries[i].Name]
		}
	}
}

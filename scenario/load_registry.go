package scenario

import (
	"weft/catalog"
	"weft/fault"
	"weft/protocol"
	"weft/route"
	"weft/topo"
	"weft/workload"
)

// Registry holds everything that a scenario can name. The zero value is empty;
// a program fills one with the entries of its choice, its own among them. It may
// be read by several goroutines once nothing is added any more.
type Registry struct {
	Topologies catalog.Set[*topo.Graph]
	Balancers  catalog.Set[protocol.Balancer]
	Congestion catalog.Set[protocol.CongestionControl]
	Patterns   catalog.Set[workload.Pattern]
	Arrivals   catalog.Set[workload.Arrival]
	Faults     catalog.Set[fault.Fault]
	Markings   catalog.Set[protocol.Marking]
	Admissions catalog.Set[protocol.Admission]
	Routings   catalog.Set[route.Policy]
}

// Section is the entries for one key of a scenario.
type Section struct {
	// Title is the plural, such as "balancers", and Key where a scenario names
	// one, such as "transport.balancer".
	Title, Key string
	Entries    catalog.Roster
}

// Sections lists what the registry holds.
func (r *Registry) Sections() []Section {
	return []Section{
		{"topologies", "topology", &r.Topologies},
		{"patterns", "traffic[].pattern", &r.Patterns},
		{"arrivals", "traffic[].arrival", &r.Arrivals},
		{"congestion", "transport.congestion", &r.Congestion},
		{"balancers", "transport.balancer", &r.Balancers},
		{"routing", "routing.policy", &r.Routings},
		{"faults", "faults[]", &r.Faults},
		{"ecn", "fabric.ecn", &r.Markings},
		{"admissions", "fabric.admission", &r.Admissions},
	}
}

func (r *Registry) rosters() []catalog.Roster {
	var all []catalog.Roster
	for _, s := range r.Sections() {
		all = append(all, s.Entries)
	}
	return all
}

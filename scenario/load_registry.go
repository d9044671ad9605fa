package scenario

import (
	"weft/catalog"
	"weft/fault"
	"weft/protocol"
	"weft/route"
	"weft/topo"
	"weft/workload"
)

// Registry holds everything that a scenario can name. The zero value is empty. A program
// fills it with entries of its choice, which can be its own. Several goroutines may read it
// once it is complete.
type Registry struct {
	Topologies catalog.Set[*topo.Graph]
	Balancers  catalog.Set[protocol.Balancer]
	Congestion catalog.Set[protocol.CongestionControl]
	Patterns   catalog.Set[workload.Pattern]
	Arrivals   catalog.Set[workload.Arrival]
	Faults     catalog.Set[fault.Fault]
	Markings   catalog.Set[protocol.Marking]
	Admissions catalog.Set[protocol.Admission]
	Schedulers catalog.Set[protocol.Scheduling]
	Routings   catalog.Set[route.Policy]
}

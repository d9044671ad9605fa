package scenario

import "weft/topo"

// Ports lists the ports of a scenario's network.
type Ports struct {
	// Names are the ports' names in results.
	Names []string
	// Recorded holds, for each port, whether its time series are kept.
	Recorded []bool

	graph *topo.Graph
}

// Ports builds the network of the scenario, and returns its ports. Its error is a
// *config.Error about the topology or the recorded ports.
func (s *Scenario) Ports() (*Ports, error) {
	g, err := s.Topology.Build()
	if err != nil {
		return nil, s.placed(at("topology", err))
	}
	chosen := plan{graph: g}
	if err := chosen.planRecord(&Record{Flows: "all", Ports: s.Record.Ports}); err != nil {
		return nil, s.placed(err)
	}
	p := &Ports{Names: g.PortNames(), graph: g}
	p.Recorded = make([]bool, len(p.Names))
	for _, id := range chosen.records.Ports {
		p.Recorded[id] = true
	}
	return p, nil
}

// Check checks a pattern of ports as scenarios write them. Its error suggests similar
// names.
func (p *Ports) Check(pattern string) error {
	_, err := p.graph.MatchPorts(pattern)
	return err
}

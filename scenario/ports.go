package scenario

import "weft/topo"

// Ports are the ports of a scenario's network.
type Ports struct {
	// Names are what results call them.
	Names []string
	// Recorded tells by port whether series of it are kept.
	Recorded []bool

	graph *topo.Graph
}

// Ports builds the network of the scenario, and returns its ports. What is wrong
// with the topology, or with the ports that are recorded, is a *config.Error.
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

// Check finds what is wrong with a pattern of ports as scenarios have them: its
// error names what is near to it.
func (p *Ports) Check(pattern string) error {
	_, err := p.graph.MatchPorts(pattern)
	return err
}

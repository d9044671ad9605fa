package scenario

import (
	"weft/fabric"
	"weft/unit"
)

// QueueOf returns the queue of the one port of a switch that a pattern names.
func (s *Scenario) QueueOf(pattern string) (fabric.PortConfig, error) {
	p, err := s.plan(nil)
	if err != nil {
		return fabric.PortConfig{}, err
	}
	ports, err := p.graph.MatchPorts(pattern)
	if err != nil {
		return fabric.PortConfig{}, err
	}
	return p.port(ports[0]), nil
}

// LaneGroups returns the lanes of priorities.
func (s *Scenario) LaneGroups() (fabric.LaneGroups, error) {
	p, err := s.plan(nil)
	if err != nil {
		return fabric.LaneGroups{}, err
	}
	return p.lanes.groups, nil
}

// LargestOnWire returns the largest frame that any link carries.
func (s *Scenario) LargestOnWire() (unit.Bytes, error) {
	p, err := s.plan(nil)
	if err != nil {
		return 0, err
	}
	return p.frames.onWire, nil
}

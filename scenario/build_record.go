package scenario

import (
	"fmt"
	"strconv"

	"weft/scenario/internal/watch"
	"weft/topo"
)

// planBuffers finds the switches whose buffer occupancy is measured.
func (p *plan) planBuffers(b *Buffers) error {
	if b == nil {
		return nil
	}
	p.records.Buffers = watch.BufferOptions{Interval: b.Interval, Waiting: b.Waiting}
	chosen := map[topo.NodeID]bool{}
	for i, pattern := range b.Switches {
		nodes, err := p.graph.MatchNodes(pattern)
		if err != nil {
			return at(fmt.Sprintf("record.buffers.switches[%d]", i), err)
		}
		for _, n := range nodes {
			if p.graph.Nodes[n].Kind != topo.Switch {
				return at(fmt.Sprintf("record.buffers.switches[%d]", i), fmt.Errorf("%q names %s, which is a host; only switches have buffers", pattern, p.graph.Nodes[n].Name))
			}
			chosen[n] = true
		}
	}
	for n := range p.graph.Nodes {
		if chosen[topo.NodeID(n)] {
			p.records.Switches = append(p.records.Switches, topo.NodeID(n))
		}
	}
	return nil
}

// planRecord decides which messages are recorded, and finds the ports and connections whose
// time series are kept.
func (p *plan) planRecord(r *Record) error {
	p.recorded.all = r.Flows == "all"
	p.recorded.sample = 1
	if r.Flows == "sample" {
		p.recorded.sample = r.Sample.Share
	}
	seen := map[topo.PortID]bool{}
	for i, pattern := range r.Ports {
		ports, err := p.graph.MatchPorts(pattern)
		if err != nil {
			return at("record.ports["+strconv.Itoa(i)+"]", err)
		}
		for _, id := range ports {
			if !seen[id] {
				seen[id] = true
				p.records.Ports = append(p.records.Ports, id)
			}
		}
	}
	for i, pattern := range r.Windows {
		if err := p.records.AddWindows(p.graph, pattern); err != nil {
			return at("record.windows["+strconv.Itoa(i)+"]", err)
		}
	}
	p.recorded.sizes = r.Sizes
	return p.planBuffers(r.Buffers)
}

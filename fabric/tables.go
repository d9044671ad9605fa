package fabric

import (
	"weft/route"
	"weft/sim"
	"weft/topo"
)

// SetTables makes switches forward by new tables from now on.
func (n *Network) SetTables(t *route.Tables) {
	n.layers = uint16(t.Layers())
	if p := t.Paths(); p != nil {
		n.layers = uint16(max(1, p.Most()))
	}
	for i, node := range n.graph.Nodes {
		if node.Kind != topo.Switch {
			continue
		}
		at := n.nodes[i]
		s := &n.domains[at.domain].switches[at.index]
		s.edge = t.Edge(topo.NodeID(i))
		offsets, ports := t.Sets(topo.NodeID(i))
		n.setIndex(s, t, topo.NodeID(i))
		s.offsets = offsets
		s.ports = make([]int32, len(ports))
		for k, p := range ports {
			s.ports[k] = n.ports[p].index
		}
		n.domains[at.domain].resetSprays(s)
	}
	for _, set := range n.hooks.tables {
		set(t)
	}
}

// setIndex gives a switch the next-hop sets of its tables.
func (n *Network) setIndex(s *switchState, t *route.Tables, sw topo.NodeID) {
	if t.Paths() != nil {
		n.setPaths(s, t, sw)
		return
	}
	s.explicit = nil
	if !t.Layered() {
		s.index, s.layered = t.Index(sw), nil
		return
	}
	s.index, s.layered = nil, &layered{uint32(t.Layers()), t.Numbers(sw)}
}

// setPaths gives a switch the explicit paths of its tables.
func (n *Network) setPaths(s *switchState, t *route.Tables, sw topo.NodeID) {
	p := t.Paths()
	e := &explicit{paths: p, row: p.Row(sw), minimal: t.Index(sw)}
	for _, id := range p.Ports(sw) {
		e.out = append(e.out, n.ports[id].index)
	}
	s.index, s.layered, s.explicit = nil, nil, e
}

// resetSprays discards what a switch remembered about its former next-hop sets.
func (d *Domain) resetSprays(s *switchState) {
	most := 0
	for k := 1; k < len(s.offsets); k++ {
		most = max(most, int(s.offsets[k]-s.offsets[k-1]))
	}
	if len(d.sprays.equals) < most {
		d.sprays.equals = make([]uint32, most)
	}
	if s.sprayState == nil {
		return
	}
	s.turns = make([]uint32, max(0, len(s.offsets)-1))
	for k := range s.turns {
		// Switches that start alike would pick the same ports for the next tier.
		s.turns[k] = uint32(sim.Mix(s.salt+uint64(k)) >> 32)
	}
	if s.shuffles {
		s.order = make([]uint32, len(s.ports))
	}
	for k := range s.flowlets {
		s.flowlets[k].forget()
	}
}

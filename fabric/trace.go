package fabric

import (
	"weft/topo"
	"weft/unit"
)

// Down reports whether a directed link is down.
func (n *Network) Down(id topo.PortID) bool {
	_, _, p, _ := n.at(id)
	return p.special&down != 0
}

// Rate returns the current rate of a directed link.
func (n *Network) Rate(id topo.PortID) unit.Rate {
	_, _, _, cold := n.at(id)
	return cold.rate
}

// Path returns the directed links that a hashed frame takes now, and whether they
// reach the destination. Without a route they end early. Where the path depends on
// queues, it is the minimal one.
func (n *Network) Path(src, dst int32, entropy uint16) (path []topo.PortID, reached bool) {
	f := &Frame{Entropy: entropy}
	f.Address(src, dst, 0)
	if n.hooks.path != nil {
		if path, reached, known := n.hooks.path(f); known {
			return path, reached
		}
	}
	n.walk(src, dst, entropy, func(d *Domain, ports []int32) []int32 {
		if len(ports) > 1 {
			ports = []int32{among(ports, pathHash(f, d.salt(ports)))}
		}
		return ports
	}, func(id topo.PortID) bool {
		path = append(path, id)
		_, to := n.graph.Ends(id)
		reached = to == n.graph.Hosts[dst]
		return true
	})
	return path, reached
}

// Reaches reports whether some path that switches may choose now leads from one
// host to another over links that are up, in any layer.
func (n *Network) Reaches(src, dst int32) (reached bool) {
	for layer := uint16(0); layer < n.layers && !reached; layer++ {
		n.walk(src, dst, layer, func(_ *Domain, ports []int32) []int32 { return ports }, func(id topo.PortID) bool {
			if n.Down(id) {
				return false
			}
			_, to := n.graph.Ends(id)
			reached = reached || to == n.graph.Hosts[dst]
			return true
		})
	}
	return reached
}

// salt returns the salt of the switch that owns the ports.
func (d *Domain) salt(ports []int32) uint64 {
	return d.switches[d.cold[ports[0]].sw].salt
}

// walk follows next hops from one host towards another, in the layer of an entropy.
// choose selects among the ports of a switch. cross reports whether to go on beyond
// a link. Each switch is visited once.
func (n *Network) walk(src, dst int32, entropy uint16, choose func(*Domain, []int32) []int32, cross func(topo.PortID) bool) {
	at := n.graph.Hosts[src]
	d := n.domains[n.nodes[at].domain]
	first := topo.PortID(d.cold[d.nics[n.nodes[at].index].port].id)
	seen := map[topo.NodeID]bool{at: true}
	queue := []topo.PortID{first}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		_, to := n.graph.Ends(id)
		if !cross(id) || seen[to] {
			continue
		}
		seen[to] = true
		if n.graph.Nodes[to].Kind == topo.Host {
			continue
		}
		d := n.domains[n.nodes[to].domain]
		s := &d.switches[n.nodes[to].index]
		var ports []int32
		if a := n.attached[dst]; a.edge == s.edge {
			ports = []int32{a.port}
		} else {
			ports, _ = s.choices(n.attached[src].edge, a.edge, entropy)
		}
		if len(ports) == 0 {
			continue
		}
		for _, p := range choose(d, ports) {
			queue = append(queue, topo.PortID(d.cold[p].id))
		}
	}
}

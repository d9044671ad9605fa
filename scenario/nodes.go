package scenario

import (
	"weft/record"
	"weft/topo"
)

// nodeRows returns the hosts and switches, each with its distance from the hosts.
func nodeRows(g *topo.Graph) []record.Node {
	const unreached = -1
	rows := make([]record.Node, len(g.Nodes))
	for i, n := range g.Nodes {
		rows[i] = record.Node{Name: n.Name, Kind: n.Kind.String(), Tier: unreached}
	}
	adjacency := g.Adjacency()
	reached := append([]topo.NodeID(nil), g.Hosts...)
	for _, h := range reached {
		rows[h].Tier = 0
	}
	for len(reached) > 0 {
		n := reached[0]
		reached = reached[1:]
		for _, p := range adjacency.Ports(n) {
			if _, to := g.Ends(p); rows[to].Tier == unreached {
				rows[to].Tier = rows[n].Tier + 1
				reached = append(reached, to)
			}
		}
	}
	return rows
}

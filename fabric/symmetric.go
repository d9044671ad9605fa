package fabric

import (
	"fmt"

	"weft/route"
	"weft/sim"
	"weft/topo"
)

// This file makes the frames between two hosts take the same links both ways
// (protocol.BySymmetricHash). Transports need that if their credits reserve the capacity that
// data uses (ExpressPass, SIGCOMM 2017, §3.1). Switches hash the unordered pair of hosts and
// the entropy, with a salt shared by all switches of a tier, and so choose the same index among
// their next hops. The result is the same path back if an index means the same at all switches
// of a tier, as in leaf-spines and fat trees with all links present. It also is if layers are
// trees, in which two switches have one path. CheckSymmetric tests it.

// tierSalts returns the salt of each node. Nodes at the same distance from the
// nearest host share one.
func tierSalts(g *topo.Graph, seed uint64) []uint64 {
	neighbours := make([][]topo.NodeID, len(g.Nodes))
	for _, l := range g.Links {
		neighbours[l.A] = append(neighbours[l.A], l.B)
		neighbours[l.B] = append(neighbours[l.B], l.A)
	}
	salts := make([]uint64, len(g.Nodes))
	seen := make([]bool, len(g.Nodes))
	front := append([]topo.NodeID(nil), g.Hosts...)
	for _, n := range front {
		seen[n] = true
	}
	for tier := uint64(0); len(front) > 0; tier++ {
		var next []topo.NodeID
		for _, n := range front {
			salts[n] = sim.Mix(seed + sim.Mix(tier))
			for _, m := range neighbours[n] {
				if !seen[m] {
					seen[m] = true
					next = append(next, m)
				}
			}
		}
		front = next
	}
	return salts
}

// Limits of the search by CheckSymmetric.
const (
	symmetricPairs     = 4096
	symmetricEntropies = 16
)

// CheckSymmetric checks that frames hashed symmetrically take the same path back.
// It tries some entropies between hosts of all pairs of edge switches, or of many.
// Its error names two hosts with different paths.
func CheckSymmetric(g *topo.Graph, t *route.Tables, seed uint64) error {
	host := make([]int32, t.Edges())
	for i := range host {
		host[i] = -1
	}
	for i, n := range g.Hosts {
		if e := t.Edge(n); host[e] < 0 {
			host[e] = int32(i)
		}
	}
	salts := tierSalts(g, seed)
	pairs := len(host) * (len(host) - 1) / 2
	stride := max(1, (pairs+symmetricPairs-1)/symmetricPairs)
	k := 0
	for a := range host {
		for b := range a {
			if k++; k%stride != 0 {
				continue
			}
			for i := range max(symmetricEntropies, t.Layers()) {
				if err := samePath(g, t, salts, host[a], host[b], uint16(i*4099)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// samePath compares the paths between two hosts in both directions.
func samePath(g *topo.Graph, t *route.Tables, salts []uint64, a, b int32, entropy uint16) error {
	there, back := hashedPath(g, t, salts, a, b, entropy), hashedPath(g, t, salts, b, a, entropy)
	same := len(there) == len(back)
	for i := 0; same && i < len(there); i++ {
		same = there[i].Link() == back[len(back)-1-i].Link()
	}
	if same {
		return nil
	}
	return fmt.Errorf("frames from %s to %s do not come back over the same links", g.Nodes[g.Hosts[a]].Name, g.Nodes[g.Hosts[b]].Name)
}

// hashedPath returns the links between the edge switches of two hosts.
func hashedPath(g *topo.Graph, t *route.Tables, salts []uint64, src, dst int32, entropy uint16) (path []topo.PortID) {
	at, to := t.EdgeSwitch(t.Edge(g.Hosts[src])), t.Edge(g.Hosts[dst])
	layer := int(entropy) % t.Layers()
	for at != t.EdgeSwitch(to) {
		hops := t.HopsIn(layer, at, to)
		if len(hops) == 0 {
			return nil
		}
		p := among(hops, pairHash(src, dst, entropy, salts[at]))
		path = append(path, p)
		_, at = g.Ends(p)
	}
	return path
}

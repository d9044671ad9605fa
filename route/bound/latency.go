package bound

import (
	"weft/topo"
	"weft/unit"
)

// search finds the least latencies from a switch to all others (Dijkstra 1959).
func (b *Bound) search(from topo.NodeID) {
	if b.nodes == nil {
		a := b.graph.Adjacency()
		b.nodes = &a
		b.latency = make([]unit.Time, len(b.graph.Nodes))
		b.front.Before = func(x, y int32) bool { return b.latency[x] < b.latency[y] }
	}
	for i := range b.latency {
		b.latency[i] = unit.Forever
	}
	b.from, b.latency[from] = from, 0
	b.front.Put(int32(from))
	for b.front.Len() > 0 {
		x := topo.NodeID(b.front.First())
		b.front.Remove(int32(x))
		for _, p := range b.nodes.Ports(x) {
			_, to := b.graph.Ends(p)
			if at := b.latency[x] + b.takes(p); b.graph.Nodes[to].Kind == topo.Switch && at < b.latency[to] {
				b.latency[to] = at
				b.front.Put(int32(to))
			}
		}
	}
}

package bound

import (
	"container/heap"

	"weft/topo"
	"weft/unit"
)

// search finds the least latencies from a switch to all others (Dijkstra 1959).
func (b *Bound) search(from topo.NodeID) {
	if b.nodes == nil {
		a := b.graph.Adjacency()
		b.nodes = &a
		b.latency = make([]unit.Time, len(b.graph.Nodes))
	}
	for i := range b.latency {
		b.latency[i] = unit.Forever
	}
	b.from, b.latency[from] = from, 0
	front := &frontier{{from, 0}}
	for front.Len() > 0 {
		s := heap.Pop(front).(step)
		if s.at > b.latency[s.node] {
			continue
		}
		for _, p := range b.nodes.Ports(s.node) {
			_, to := b.graph.Ends(p)
			if at := s.at + b.takes(p); b.graph.Nodes[to].Kind == topo.Switch && at < b.latency[to] {
				b.latency[to] = at
				heap.Push(front, step{to, at})
			}
		}
	}
}

// step is a switch that can be reached after a time.
type step struct {
	node topo.NodeID
	at   unit.Time
}

// frontier is a heap of steps, the earliest first.
type frontier []step

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, k int) bool { return f[i].at < f[k].at }
func (f frontier) Swap(i, k int)      { f[i], f[k] = f[k], f[i] }
func (f *frontier) Push(s any)        { *f = append(*f, s.(step)) }
func (f *frontier) Pop() any {
	old := *f
	s := old[len(old)-1]
	*f = old[:len(old)-1]
	return s
}

package fabric

import (
	"weft/route"
	"weft/topo"
)

// LinkLayers assigns the links between switches to layers. Each link is in a later layer than
// every link that can precede it on a route, in any layer of the tables and from any switch
// where the route begins. It returns the layer of every directed link, with -1 for links of
// hosts. If that is impossible, it returns a cycle of links that each wait for the next.
//
// With pauses, a frame on a link may wait for the next link of its route. Without a
// cycle of such links there is no deadlock (Dally and Seitz, IEEE ToC 36(5), 1987).
// Deflection must also rise through these layers, or use lanes (LanePerToken).
func LinkLayers(g *topo.Graph, t *route.Tables) (layers []int32, circle []topo.PortID) {
	next := followers(g, t)
	layers = make([]int32, len(next))
	before := make([]int32, len(next)) // number of preceding links without a layer
	for _, list := range next {
		for _, q := range list {
			before[q]++
		}
	}
	var ready []topo.PortID
	for id := range next {
		from, to := g.Ends(topo.PortID(id))
		switch {
		case g.Nodes[from].Kind == topo.Host || g.Nodes[to].Kind == topo.Host:
			layers[id] = -1
		case before[id] == 0:
			ready = append(ready, topo.PortID(id))
		}
	}
	for len(ready) > 0 {
		p := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, q := range next[p] {
			layers[q] = max(layers[q], layers[p]+1)
			if before[q]--; before[q] == 0 {
				ready = append(ready, q)
			}
		}
	}
	for id := range before {
		if before[id] > 0 {
			return nil, circleFrom(topo.PortID(id), next, before)
		}
	}
	return layers, nil
}

// circleFrom returns a cycle of links, given a link without a layer. Such a link is in a
// cycle or behind one: going back from it through links without layers reaches the cycle.
func circleFrom(p topo.PortID, next [][]topo.PortID, before []int32) (circle []topo.PortID) {
	former := make([]topo.PortID, len(next))
	for a, list := range next {
		if before[a] > 0 {
			for _, b := range list {
				former[b] = topo.PortID(a)
			}
		}
	}
	seen := make([]bool, len(next))
	for ; !seen[p]; p = former[p] {
		seen[p] = true
	}
	circle = []topo.PortID{p}
	for q := former[p]; q != p; q = former[q] {
		circle = append(circle, q)
	}
	for i, j := 0, len(circle)-1; i < j; i, j = i+1, j-1 {
		circle[i], circle[j] = circle[j], circle[i]
	}
	return circle
}

// followers returns, for each directed link between switches, the links between
// switches that can follow it on some route.
func followers(g *topo.Graph, t *route.Tables) [][]topo.PortID {
	next := make([][]topo.PortID, 2*len(g.Links))
	into := make([][]topo.PortID, len(g.Nodes)) // links between switches, by the node at their end
	for id := range topo.PortID(len(next)) {
		from, to := g.Ends(id)
		if g.Nodes[from].Kind == topo.Switch && g.Nodes[to].Kind == topo.Switch {
			into[to] = append(into[to], id)
		}
	}
	// taken marks the links on routes to the current edge switch and layer, by 1 plus
	// the number of that pair.
	taken := make([]int32, len(next))
	known := newTurns(g, into)
	for i := range t.Layers() * t.Edges() {
		layer, edge, mark := i/t.Edges(), int32(i%t.Edges()), int32(i+1)
		for n := range g.Nodes {
			if g.Nodes[n].Kind == topo.Switch {
				for _, p := range t.HopsIn(layer, topo.NodeID(n), edge) {
					taken[p] = mark
				}
			}
		}
		for n := range g.Nodes {
			if g.Nodes[n].Kind != topo.Switch || t.Edge(topo.NodeID(n)) == edge {
				continue
			}
			for _, q := range t.HopsIn(layer, topo.NodeID(n), edge) {
				for _, p := range into[n] {
					if taken[p] == mark && known.add(p, q) {
						next[p] = append(next[p], q)
					}
				}
			}
		}
	}
	return next
}

// turns is a set of pairs of links in which the second begins where the first ends.
type turns struct {
	place []int32    // per link between switches, its index among those that begin at the same switch
	words [][]uint64 // per link, a bit for each following link
}

func newTurns(g *topo.Graph, into [][]topo.PortID) *turns {
	s := &turns{make([]int32, 2*len(g.Links)), make([][]uint64, 2*len(g.Links))}
	for _, list := range into {
		for i, p := range list {
			s.place[p.Reverse()] = int32(i)
			s.words[p] = make([]uint64, (len(list)+63)/64)
		}
	}
	return s
}

// add adds a pair and reports whether it is new.
func (s *turns) add(p, q topo.PortID) bool {
	word, bit := &s.words[p][s.place[q]/64], uint64(1)<<(s.place[q]%64)
	fresh := *word&bit == 0
	*word |= bit
	return fresh
}

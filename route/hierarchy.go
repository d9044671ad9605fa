package route

import (
	"fmt"

	"weft/topo"
)

// acrossGroups is the length of a link between groups in tables that prefer paths with few
// such links. A path with one more such link is longer than any with up to this many more
// links within groups.
const acrossGroups = 8

// groupOf returns the group of each switch, numbered from 0, with -1 for hosts, and the
// number of groups. It fails if a switch has no group, or if all have the same.
func groupOf(g *topo.Graph) (of []int32, groups int, err error) {
	of = make([]int32, len(g.Nodes))
	number := map[int32]int32{}
	for n := range g.Nodes {
		of[n] = -1
		if g.Nodes[n].Kind != topo.Switch {
			continue
		}
		k, known := number[g.Nodes[n].Group]
		switch {
		case g.Nodes[n].Group == 0:
			return nil, 0, fmt.Errorf("switch %s stands in no group, and a route by groups needs those of all, as in a dragonfly", g.Nodes[n].Name)
		case !known:
			k = int32(len(number))
			number[g.Nodes[n].Group] = k
		}
		of[n] = k
	}
	if len(number) < 2 {
		return nil, 0, fmt.Errorf("all switches stand in one group, and a route by groups needs several, as in a dragonfly")
	}
	return of, len(number), nil
}

// hierarchical reports whether any two switches of a group, and any two groups, are linked,
// as in a Dragonfly.
func hierarchical(g *topo.Graph, of []int32, groups int) bool {
	size := make([]int, groups)
	for _, k := range of {
		if k >= 0 {
			size[k]++
		}
	}
	type pair [2]topo.NodeID
	within := map[pair]bool{}
	between := map[[2]int32]bool{}
	for _, l := range g.Links {
		a, b := of[l.A], of[l.B]
		switch {
		case a < 0 || b < 0 || l.A == l.B:
		case a == b:
			within[pair{min(l.A, l.B), max(l.A, l.B)}] = true
		default:
			between[[2]int32{min(a, b), max(a, b)}] = true
		}
	}
	pairs := 0
	for _, n := range size {
		pairs += n * (n - 1) / 2
	}
	return len(within) == pairs && len(between) == groups*(groups-1)/2
}

// byGroups returns lengths of links that make paths with the fewest links between groups
// the shortest.
func byGroups(g *topo.Graph, of []int32) func(topo.LinkID) int {
	return func(l topo.LinkID) int {
		if of[g.Links[l].A] != of[g.Links[l].B] {
			return acrossGroups
		}
		return 1
	}
}

// far finds next hops over links of different lengths, backwards from 64 edge switches at a
// time. Each bit of a word stands for an edge switch. Like search it pulls, but from
// neighbours that were reached earlier by the length of the link.
type far struct {
	mesh    *mesh
	lengths []uint8 // of the entries
	seen    []uint64
	// reached marks the searches that reached a switch at a distance, modulo the number of
	// slices. Each slice has one more entry, for no switch.
	reached [][]uint64
	words   []uint64
}

func newFar(m *mesh, length func(topo.LinkID) int) *far {
	f := &far{mesh: m, lengths: make([]uint8, len(m.port)), words: make([]uint64, m.degree())}
	longest := 1
	for i, p := range m.port {
		n := length(p.Link())
		longest = max(longest, n)
		f.lengths[i] = uint8(n)
	}
	rows := len(m.offset) - 1
	f.seen = make([]uint64, rows)
	for range longest + 1 {
		f.reached = append(f.reached, make([]uint64, rows+1))
	}
	return f
}

// run visits all switches that reach a batch of edge switches, given by their rows.
func (f *far) run(start []int32, first int, visit func(*arrival)) {
	for end := min(first+batch, len(start)); first < end; first += laneBits {
		f.lane(start[first:min(first+laneBits, end)], first, visit)
	}
}

func (f *far) lane(start []int32, first int, visit func(*arrival)) {
	clear(f.seen)
	for _, r := range f.reached {
		clear(r)
	}
	for i, r := range start {
		f.seen[r] |= 1 << i
		f.reached[0][r] |= 1 << i
	}
	span, a := len(f.reached), arrival{first: first}
	for distance, last := 1, 0; distance-last < span; distance++ {
		now := f.reached[distance%span]
		for r := range f.seen {
			begin, end := f.mesh.offset[r], f.mesh.offset[r+1]
			a.words, a.reached, a.several = f.words[:end-begin], 0, 0
			for i := begin; i < end; i++ {
				w := f.reached[(distance-int(f.lengths[i])+span)%span][f.mesh.to[i]] &^ f.seen[r]
				a.several |= a.reached & w
				a.reached |= w
				a.words[i-begin] = w
			}
			if now[r] = a.reached; a.reached == 0 {
				continue
			}
			last = distance
			f.seen[r] |= a.reached
			a.row, a.distance = int32(r), int32(distance)
			visit(&a)
		}
	}
}

// measureReach counts in links the distance of the farthest edge switch that reaches each
// edge switch.
func (t *Tables) measureReach() {
	for e, links := range t.Links() {
		t.reach[e] = 0
		for _, sw := range t.edges {
			if n := links[t.row[sw]]; n != Unreached {
				t.reach[e] = max(t.reach[e], int32(n))
			}
		}
	}
}

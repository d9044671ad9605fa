package layers

import (
	"slices"

	"weft/problem"
	"weft/topo"
)

// Shortest finds the k shortest loop-free paths between two routers. It uses Yen's
// algorithm (Management Science 17(11), 1971) with Lawler's rule: a path is varied only
// beyond the point where it left its parent. It counts links; the Dijkstra search in
// FatPaths, Appendix C-D, gives the same. Often there are more than k paths of equal
// length. Then the choice among them is random for each pair.
type Shortest struct {
	// K is the most paths of a pair.
	K    int
	Seed uint64
}

// MaxShortest is the largest K.
const MaxShortest = 4096

func (o Shortest) check() error {
	if o.K < 1 || o.K > MaxShortest {
		return problem.New("%d shortest paths of a pair", o.K).Mend("use from 1 to %d", MaxShortest)
	}
	return nil
}

// Source returns a Source of these paths. Only one goroutine may use it. It is fastest if
// many pairs with one destination follow each other.
func (o Shortest) Source(r *Routers) (Source, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	y := &yen{options: o, routers: r, distances: newDistances(r), search: newGoalSearch(r), goal: -1}
	y.search.random = &y.random
	return y, nil
}

// yen finds k shortest paths for one pair after another.
type yen struct {
	options   Shortest
	routers   *Routers
	distances *distances
	search    *goalSearch
	goal      int
	random    stream
	// found lists the paths found so far, as entries. candidates lists the paths that may
	// follow.
	found, candidates []candidate
	set               pathSet
	paths             [][]topo.PortID
	ports             []topo.PortID
}

// candidate is a path that leaves its parent after a number of links.
type candidate struct {
	path  []int32
	leave int
}

func (y *yen) Paths(from, to int) [][]topo.PortID {
	if y.goal != to {
		y.search.toGoal = y.distances.from(int32(to))
		y.goal = to
	}
	n := uint64(len(y.routers.nodes))
	y.random.start(y.options.Seed, uint64(from)*n+uint64(to), "k shortest paths")
	y.found, y.candidates = y.found[:0], y.candidates[:0]
	y.set.clear()
	y.allow()
	if y.search.toGoal[from] >= 0 {
		y.propose(nil, y.search.find(int32(from), int32(to)))
	}
	for len(y.found) < y.options.K && len(y.candidates) > 0 {
		best := y.best()
		y.found = append(y.found, best)
		if len(y.found) < y.options.K {
			y.vary(int32(from), int32(to), best)
		}
	}
	return y.list()
}

// allow lifts all prohibitions.
func (y *yen) allow() {
	y.search.barred.empty()
	y.search.banned.empty()
}

// propose adds the path of a root and a spur to the candidates, unless it is already there.
func (y *yen) propose(root, spur []int32) {
	if spur == nil {
		return
	}
	path := slices.Concat(root, spur)
	ports := y.set.begin()
	for _, e := range path {
		ports = append(ports, y.routers.port[e])
	}
	if y.set.end(ports, true) {
		y.candidates = append(y.candidates, candidate{path, len(root)})
	}
}

// best removes and returns a shortest candidate, all with the same probability.
func (y *yen) best() candidate {
	at, ties := 0, 0
	for i, c := range y.candidates {
		switch best := y.candidates[at]; {
		case len(c.path) < len(best.path):
			at, ties = i, 1
		case len(c.path) == len(best.path):
			ties++
			if y.random.below(ties) == 0 {
				at = i
			}
		}
	}
	best := y.candidates[at]
	last := len(y.candidates) - 1
	y.candidates[at] = y.candidates[last]
	y.candidates = y.candidates[:last]
	return best
}

// vary proposes new paths. For each router on a path beyond the point where it left its
// parent, it proposes the shortest path that shares the root up to there and then takes a
// link that no found path with this root takes.
func (y *yen) vary(from, to int32, p candidate) {
	r := y.routers
	for i := p.leave; i < len(p.path); i++ {
		y.allow()
		x := from
		for _, e := range p.path[:i] {
			y.search.banned.set(x)
			x = r.to[e]
		}
		for _, f := range y.found {
			if len(f.path) > i && slices.Equal(f.path[:i], p.path[:i]) {
				y.search.barred.set(f.path[i])
			}
		}
		y.propose(p.path[:i], y.search.find(x, to))
	}
}

func (y *yen) list() [][]topo.PortID {
	y.ports, y.paths = y.ports[:0], y.paths[:0]
	for _, p := range y.found {
		for _, e := range p.path {
			y.ports = append(y.ports, y.routers.port[e])
		}
	}
	begin := 0
	for _, p := range y.found {
		y.paths = append(y.paths, y.ports[begin:begin+len(p.path):begin+len(p.path)])
		begin += len(p.path)
	}
	return y.paths
}

package layers

import (
	"weft/problem"
	"weft/topo"
)

// Almost finds the loop-free paths between two routers that are almost as short as
// possible. If there are more than K, it takes the shorter ones, and chooses among equally
// long ones at random.
type Almost struct {
	// K is the most paths of a pair.
	K int
	// Stretch is by how many links a path may exceed the shortest path of its pair.
	Stretch int
	// Longest, if not 0, replaces Stretch: the most links of a path. The shortest paths are
	// always taken.
	Longest int
	Seed    uint64
}

// Limits on the length of paths, since the number of paths grows exponentially with it.
const (
	MaxStretch = 4
	MaxLongest = 8
)

func (o Almost) check() error {
	if err := (Shortest{K: o.K}).check(); err != nil {
		return err
	}
	if o.Stretch < 0 || o.Stretch > MaxStretch {
		return problem.New("paths up to %d links longer than the shortest", o.Stretch).Mend("use from 0 to %d", MaxStretch)
	}
	if o.Longest < 0 || o.Longest > MaxLongest {
		return problem.New("paths of up to %d links", o.Longest).Mend("use from 1 to %d", MaxLongest)
	}
	return nil
}

// Source returns a Source of these paths, to be used like the one of Shortest.
func (o Almost) Source(r *Routers) (Source, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return &almost{options: o, routers: r, distances: newDistances(r), passed: make([]bool, len(r.nodes)), goal: -1}, nil
}

// almost finds paths by trying all ports from which the goal is near enough.
type almost struct {
	options   Almost
	routers   *Routers
	distances *distances
	toGoal    []int32
	goal      int
	random    stream

	passed []bool
	path   []topo.PortID
	length int // of the paths to find
	room   int // how many more paths fit
	seen   int // how many such paths were found

	paths [][]topo.PortID
}

// Paths implements Source.
func (a *almost) Paths(from, to int) [][]topo.PortID {
	if a.goal != to {
		a.toGoal, a.goal = a.distances.from(int32(to)), to
	}
	n := uint64(len(a.routers.nodes))
	a.random.start(a.options.Seed, uint64(from)*n+uint64(to), "almost minimal paths")
	a.paths = a.paths[:0]
	least := int(a.toGoal[from])
	if least <= 0 {
		return nil
	}
	most := least + a.options.Stretch
	if a.options.Longest > 0 {
		most = max(least, a.options.Longest)
	}
	for a.length = least; a.length <= most && len(a.paths) < a.options.K; a.length++ {
		had := len(a.paths)
		a.room, a.seen = a.options.K-had, 0
		a.visit(int32(from))
		for i := len(a.paths) - 1; i > had; i-- {
			j := had + a.random.below(i-had+1)
			a.paths[i], a.paths[j] = a.paths[j], a.paths[i]
		}
	}
	return a.paths
}

// visit continues a path from a router.
func (a *almost) visit(x int32) {
	r := a.routers
	left := int32(a.length - len(a.path))
	if left == 0 {
		a.found()
		return
	}
	a.passed[x] = true
	for e := r.offset[x]; e < r.offset[x+1]; e++ {
		y := r.to[e]
		if d := a.toGoal[y]; d < 0 || d >= left || d == 0 && left > 1 || a.passed[y] {
			continue
		}
		a.path = append(a.path, r.port[e])
		a.visit(y)
		a.path = a.path[:len(a.path)-1]
	}
	a.passed[x] = false
}

// found keeps a path. All paths of its length have the same probability to be kept
// (reservoir sampling).
func (a *almost) found() {
	a.seen++
	if a.seen <= a.room {
		a.paths = append(a.paths, append([]topo.PortID(nil), a.path...))
	} else if i := a.random.below(a.seen); i < a.room {
		copy(a.paths[len(a.paths)-a.room+i], a.path)
	}
}

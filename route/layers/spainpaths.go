package layers

import (
	"math"
	"slices"

	"weft/internal/ranked"
)

// spainPaths computes the paths of Listing 4, lines 6 to 15: k paths from each router to
// one destination that share as few links as possible.
type spainPaths struct {
	routers   *Routers
	k         int
	distances *distances
	search    *goalSearch
	random    stream
	// uses counts how many paths of the pair take a link, by entry.
	uses    []int32
	touched []int32
	queue   ranked.Heap // of routers, by cost
	cost    []int64
	last    []int32
}

func newSpainPaths(r *Routers, k int) *spainPaths {
	n := len(r.nodes)
	s := &spainPaths{
		routers: r, k: k, distances: newDistances(r), search: newGoalSearch(r),
		uses: make([]int32, len(r.to)), cost: make([]int64, n), last: make([]int32, n),
	}
	s.search.firstPort = make([]int32, n)
	s.queue.Before = func(a, b int32) bool { return s.cost[a] < s.cost[b] || s.cost[a] == s.cost[b] && a < b }
	return s
}

// start chooses a destination. The choice among shortest paths depends on a port drawn for
// each router, not on the pair. So paths of different sources continue in the same way
// where they meet, and share a tree.
func (s *spainPaths) start(destination int32) {
	r := s.routers
	s.search.toGoal = s.distances.from(destination)
	for x := range s.search.firstPort {
		s.search.firstPort[x] = int32(s.random.below(int(r.offset[x+1] - r.offset[x])))
	}
}

// paths calls visit with each path of a pair, as entries that are valid during the call.
func (s *spainPaths) paths(from, to int32, visit func([]int32)) {
	var found [][]int32
	for len(found) < s.k {
		path := s.search.find(from, to)
		if path == nil {
			path = s.reuse(from, to)
		}
		if slices.ContainsFunc(found, func(p []int32) bool { return slices.Equal(p, path) }) {
			break
		}
		path = slices.Clone(path)
		found = append(found, path)
		visit(path)
		for _, e := range path {
			s.use(e)
			s.use(s.routers.back[e])
		}
	}
	for _, e := range s.touched {
		s.uses[e] = 0
	}
	s.touched = s.touched[:0]
	s.search.barred.empty()
}

func (s *spainPaths) use(e int32) {
	s.uses[e]++
	s.touched = append(s.touched, e)
	s.search.barred.set(e)
}

// reuse finds a path of the least weight when every path must reuse a link (Dijkstra). A
// link weighs 1, plus |E| for each time that it was taken. So a path of unused links would
// be lighter, whatever its length.
func (s *spainPaths) reuse(from, to int32) []int32 {
	r := s.routers
	for i := range s.cost {
		s.cost[i] = math.MaxInt64
	}
	s.cost[from] = 0
	s.queue.Put(from)
	for s.queue.Len() > 0 {
		x := s.queue.First()
		s.queue.Remove(x)
		if x == to {
			break
		}
		for e := r.offset[x]; e < r.offset[x+1]; e++ {
			cost := s.cost[x] + 1 + int64(s.uses[e])*int64(r.Links())
			if y := r.to[e]; cost < s.cost[y] {
				s.cost[y], s.last[y] = cost, e
				s.queue.Put(y)
			}
		}
	}
	s.queue.Empty()
	var path []int32
	for x := to; x != from; {
		e := s.last[x]
		path = append(path, e)
		x = r.to[r.back[e]]
	}
	slices.Reverse(path)
	return path
}

package workload

import (
	"fmt"
	"slices"

	"weft/analysis/pattern"
	"weft/internal/portable"
	"weft/sim"
)

// ring returns the members in the order in which a pattern counts them. It fails if there are
// fewer than two. name is the pattern's, which selects the random stream for shuffled ranks.
func (s Setting) ring(name, ranks string) ([]int32, error) {
	if len(s.Members) < 2 {
		return nil, fmt.Errorf("%s: only %s takes part; at least two hosts are needed", name, s.HostName(s.Members[0]))
	}
	ring := slices.Clone(s.Members)
	if ranks == string(Shuffled) {
		r := sim.Stream(s.Seed, s.groupHash(), name)
		portable.Shuffle(&r, ring)
	}
	return ring, nil
}

// mapped makes the i-th host of a ring send to the host at place target(i), unless that is
// negative or i itself.
func (s Setting) mapped(ring []int32, target func(i int) int) single {
	to := nowhere(s.Hosts)
	for i, h := range ring {
		if t := target(i); t >= 0 && t != i {
			to[h] = ring[t]
		}
	}
	return to
}

// Shuffle makes every member send to the member whose place is its own place with the bits
// rotated left by i, modulo N, where 2^i < N ≤ 2^(i+1) (FatPaths §II-C). Members that would send
// to themselves are silent. If N is not a power of two, some members receive from two others, and
// some from none.
type Shuffle struct {
	Ranks string `yaml:"ranks" default:"hosts" enum:"hosts,shuffled" doc:"Order in which hosts are counted: as listed, or at random." source:"FatPaths §III-D"`
}

// Resolve implements Pattern.
func (o Shuffle) Resolve(s Setting) (Destinations, error) {
	ring, err := s.ring("shuffle", o.Ranks)
	if err != nil {
		return nil, err
	}
	to := s.mapped(ring, func(i int) int { return pattern.Shuffle(i, len(ring)) })
	if !slices.ContainsFunc(to, func(t int32) bool { return t >= 0 }) {
		return nil, fmt.Errorf("shuffle: of two hosts each would send to itself; at least three are needed")
	}
	return to, nil
}

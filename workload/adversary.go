package workload

import (
	"fmt"
	"slices"

	"weft/analysis/matching"
	"weft/internal/portable"
	"weft/sim"
)

// Adversarial is an off-diagonal that makes all hosts of a switch send to the hosts of one other
// switch. Its offset is a multiple of the number of participating hosts per switch: the least one
// that maximizes the sum of the distances between senders and receivers (FatPaths §II-C: "a
// skewed off-diagonal with large offsets"; the choice is weft's). All messages of a switch then
// share its few minimal paths to the other. If switches differ in their number of hosts, the
// first one's counts.
type Adversarial struct {
	Ranks string `yaml:"ranks" default:"hosts" enum:"hosts,shuffled" doc:"Order of hosts in the ring: as listed, or at random, by the offset that is the worst for them as listed." source:"FatPaths §III-D"`
}

// Resolve implements Pattern.
func (o Adversarial) Resolve(s Setting) (Destinations, error) {
	ring, err := s.ring("adversarial", o.Ranks)
	if err != nil {
		return nil, err
	}
	u, err := s.undersides("adversarial")
	if err != nil {
		return nil, err
	}
	n, step := len(s.Members), len(u.members[0])
	best, most := 0, -1
	for c := step; c < n; c += step {
		sum := 0
		// If every switch has the same number of consecutive hosts, one host represents its
		// switch.
		for i := 0; i < n; i += u.stride {
			sum += u.apart(u.of[i], u.of[(i+c)%n])
		}
		if sum > most {
			best, most = c, sum
		}
	}
	return s.mapped(ring, func(i int) int { return (i + best) % n }), nil
}

// WorstCase pairs switches so that the sum of their distances is maximal: a maximum-weight
// matching in the complete graph of switches with hosts. The hosts of two partners send to each
// other, one to one (TopoBench, SC 2016; FatPaths §VI-C). If the number of switches is odd, one
// is silent, and so are hosts without a counterpart at the partner. Among matchings of equal
// weight, the seed selects one.
type WorstCase struct {
	Ranks string `yaml:"ranks" default:"hosts" enum:"hosts,shuffled" doc:"Whether hosts stand where they are listed, or in random places, so that the same pattern is between random hosts." source:"FatPaths §III-D"`
}

// Resolve implements Pattern.
func (o WorstCase) Resolve(s Setting) (Destinations, error) {
	ring, err := s.ring("worst-case", o.Ranks)
	if err != nil {
		return nil, err
	}
	u, err := s.undersides("worst-case")
	if err != nil {
		return nil, err
	}
	order := make([]int32, len(u.members))
	for i := range order {
		order[i] = int32(i)
	}
	r := sim.Stream(s.Seed, s.groupHash(), "worst-case switches")
	portable.Shuffle(&r, order)
	partner, _, err := matching.Pairs(matching.Weights{N: len(order), At: func(i, j int) int { return u.apart(order[i], order[j]) }})
	if err != nil {
		return nil, fmt.Errorf("worst-case: %w", err)
	}
	to := slices.Repeat([]int{-1}, len(ring))
	for i, j := range partner {
		if j < 0 {
			continue
		}
		from, other := u.members[order[i]], u.members[order[j]]
		for k := range min(len(from), len(other)) {
			to[from[k]] = other[k]
		}
	}
	return s.mapped(ring, func(i int) int { return to[i] }), nil
}

// undersides maps members to their switches, which are numbered in the order of their first
// members, and holds the distances between the switches.
type undersides struct {
	of        []int32 // by index among the members
	members   [][]int // indices of members, by switch
	distances [][]uint8
	// stride is the number of members per switch if all switches have the same number of
	// consecutive members, and otherwise 1.
	stride int
}

func (u *undersides) apart(a, b int32) int { return int(u.distances[a][b]) }

// unreached is the distance between switches that no path connects.
const unreached = 255

// undersides finds the switches of the members. There must be at least two, with a path between
// any two of them.
func (s Setting) undersides(name string) (*undersides, error) {
	if s.Edge == nil || s.Distances == nil {
		return nil, fmt.Errorf("%s: the switch of each host is not known", name)
	}
	u := &undersides{of: make([]int32, len(s.Members))}
	number := map[int32]int32{}
	var edges []int32
	for i, h := range s.Members {
		e := s.Edge(h)
		k, ok := number[e]
		if !ok {
			k = int32(len(edges))
			number[e], edges, u.members = k, append(edges, e), append(u.members, nil)
		}
		u.of[i] = k
		u.members[k] = append(u.members[k], i)
	}
	if len(edges) < 2 {
		return nil, fmt.Errorf("%s: all hosts that take part are under one switch; at least two switches are needed", name)
	}
	u.distances = s.Distances(edges)
	for k, row := range u.distances {
		if j := slices.Index(row, unreached); j >= 0 {
			return nil, fmt.Errorf("%s: no path leads from the switch of %s to that of %s", name, s.HostName(s.Members[u.members[k][0]]), s.HostName(s.Members[u.members[j][0]]))
		}
	}
	u.stride = len(u.members[0])
	for _, list := range u.members {
		if len(list) != u.stride || list[len(list)-1]-list[0] != u.stride-1 {
			u.stride = 1
		}
	}
	return u, nil
}

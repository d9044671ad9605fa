package throughput

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"weft/analysis/matching"
	"weft/analysis/pattern"
	"weft/internal/nearest"
	"weft/sim"
)

// Demand is what one host wants to send to another, as a share of the rate of a host's link. From
// and To are indices in the graph's Hosts.
type Demand struct {
	From, To int32
	Size     float64
}

// Pattern determines which hosts send to which.
type Pattern string

// Patterns. Each is a list of pairs of hosts. Pairs on one router use no link between routers and
// do not count.
const (
	// WorstCase pairs routers so that the sum of their distances is maximal, by a maximum-weight
	// matching (TopoBench; FatPaths §VI-C). The hosts of two partners send to each other, one to
	// one. If the number of routers is odd, one is left out.
	WorstCase Pattern = "worst-case"
	// WorstCaseCycles gives every router one router to send to and one to receive from, so that
	// the sum of distances is maximal: a maximum-weight assignment. It weighs at least as much as
	// WorstCase and leaves no router out.
	WorstCaseCycles Pattern = "worst-case-cycles"
	// Adversarial is the off-diagonal t(s) = s+c mod N whose offset c is a multiple of the hosts
	// per router, so that all hosts of a router send to the same one, and the sum of distances is
	// maximal (FatPaths §II-C: a skewed off-diagonal with many colliding paths).
	Adversarial Pattern = "adversarial"
	// OffDiagonal is t(s) = s+Offset mod N (FatPaths §II-C).
	OffDiagonal Pattern = "off-diagonal"
	// Permutation is a random permutation of hosts.
	Permutation Pattern = "permutation"
	// Uniform sends from every host to one drawn at random.
	Uniform Pattern = "uniform"
	// Shuffle sends to the host whose number has the bits rotated ([pattern.Shuffle]; FatPaths
	// §II-C).
	Shuffle Pattern = "shuffle"
	// Stencil is the four off-diagonals of a two-dimensional stencil ([pattern.StencilOffsets];
	// FatPaths §II-C).
	Stencil Pattern = "stencil"
	// AllToAll sends from every host to all others. Sizes are divided by N-1, so that a
	// throughput of 1 is a full link per host.
	AllToAll Pattern = "all-to-all"
)

// Patterns lists all patterns.
func Patterns() []Pattern {
	return []Pattern{WorstCase, WorstCaseCycles, Adversarial, OffDiagonal, Permutation, Uniform, Shuffle, Stencil, AllToAll}
}

// Traffic describes demands. If only Pattern is set, all pairs of the pattern have a demand of 1.
type Traffic struct {
	Pattern Pattern
	// Intensity is the share of the pattern's pairs of hosts that communicate, drawn at random; 0
	// means 1. FatPaths' Figure 9 uses 0.55. For WorstCase, both directions of a pair are drawn
	// together.
	Intensity float64
	// Elephants is the share of the communicating pairs, drawn at random, whose demand is 1. The
	// others' demand is Small. If Small is 0, all pairs have a demand of 1. FatPaths says that
	// Figure 9 has both kinds, but neither how many nor how large.
	Elephants float64
	// Small is the demand of the other pairs; 0 means that there are none.
	Small float64
	// Offset is the offset of OffDiagonal.
	Offset int
	// Random applies the pattern to a random permutation of the hosts' positions (FatPaths
	// §III-D).
	Random bool
	// Ordered takes the first of equally heavy matchings in order of routers. Otherwise routers
	// are examined in random order, so that neighbours do not all have neighbours as partners.
	Ordered bool
	Seed    uint64
}

// Check reports options that are invalid for any network.
func (t Traffic) Check() error {
	share := func(x float64) bool { return x >= 0 && x <= 1 }
	switch {
	case !slices.Contains(Patterns(), t.Pattern):
		return unknownPattern(t.Pattern)
	case !share(t.Intensity):
		return fmt.Errorf("an intensity of %v; it must be a share of pairs, from 0 to 1", t.Intensity)
	case !share(t.Elephants):
		return fmt.Errorf("%v elephants; they must be a share of pairs, from 0 to 1", t.Elephants)
	case t.Small < 0 || math.IsInf(t.Small, 1) || math.IsNaN(t.Small):
		return fmt.Errorf("small demands of %v; they must be 0 or more", t.Small)
	case t.Elephants > 0 && t.Elephants < 1 && t.Small == 0:
		return errors.New("elephants are a share of the pairs; give the demand of the others, too")
	case t.Pattern == OffDiagonal && t.Offset == 0:
		return errors.New("with an offset of 0 hosts would send to themselves; use another")
	}
	return nil
}

func unknownPattern(p Pattern) error {
	var names []string
	for _, known := range Patterns() {
		names = append(names, string(known))
	}
	return fmt.Errorf("unknown pattern %q; %s", string(p), nearest.Remedy(string(p), "there are", names))
}

// stream returns the random numbers for a purpose.
func (t Traffic) stream(purpose string) *rand.Rand {
	source := sim.Stream(t.Seed, 0, "throughput/"+purpose)
	return rand.New(&source)
}

// Demands returns the demands of a network's hosts. It fails if an option is invalid or the
// network does not suit the pattern.
func (t Traffic) Demands(n *Network) ([]Demand, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	// The elements of pairs are drawn. For WorstCase each stands for both directions.
	pairs, both, err := t.pairs(n)
	if err != nil {
		return nil, err
	}
	if t.Random {
		place := t.stream("places").Perm(len(n.router))
		for i := range pairs {
			pairs[i] = pair{int32(place[pairs[i].from]), int32(place[pairs[i].to])}
		}
	}
	if t.Intensity > 0 && t.Intensity < 1 {
		keep := int(math.Round(t.Intensity * float64(len(pairs))))
		draw := t.stream("pairs")
		draw.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		pairs = pairs[:keep]
	}
	if both {
		for _, p := range pairs {
			pairs = append(pairs, pair{p.to, p.from})
		}
	}
	list := make([]Demand, len(pairs))
	elephants := len(pairs)
	if t.Small > 0 {
		elephants = int(math.Round(t.Elephants * float64(len(pairs))))
	}
	whole := 1.0
	if t.Pattern == AllToAll {
		whole = float64(len(n.router) - 1)
	}
	order := t.stream("elephants").Perm(len(pairs))
	for rank, i := range order {
		size := 1.0
		if rank >= elephants {
			size = t.Small
		}
		list[i] = Demand{pairs[i].from, pairs[i].to, size / whole}
	}
	return list, nil
}

type pair struct{ from, to int32 }

// pairs returns the pattern's pairs of hosts, and whether each stands for both directions.
func (t Traffic) pairs(n *Network) (list []pair, both bool, err error) {
	hosts := len(n.router)
	if hosts < 2 {
		return nil, false, fmt.Errorf("%d host; traffic needs two", hosts)
	}
	to := func(target func(s int) int) {
		for s := range hosts {
			if d := target(s); d != s {
				list = append(list, pair{int32(s), int32(d)})
			}
		}
	}
	switch t.Pattern {
	case WorstCase, WorstCaseCycles:
		list, err = t.worstCase(n)
		return list, t.Pattern == WorstCase, err
	case Adversarial:
		c, err := adversary(n)
		if err != nil {
			return nil, false, err
		}
		to(func(s int) int { return pattern.OffDiagonal(s, c, hosts) })
	case OffDiagonal:
		if t.Offset%hosts == 0 {
			return nil, false, fmt.Errorf("with an offset of %d among %d hosts they would send to themselves; use another", t.Offset, hosts)
		}
		to(func(s int) int { return pattern.OffDiagonal(s, t.Offset, hosts) })
	case Permutation:
		r := sim.Stream(t.Seed, 0, "throughput/permutation")
		p := pattern.Permutation(hosts, &r)
		to(func(s int) int { return int(p[s]) })
	case Uniform:
		draw := t.stream("uniform")
		to(func(s int) int { return (s + 1 + draw.IntN(hosts-1)) % hosts })
	case Shuffle:
		to(func(s int) int { return pattern.Shuffle(s, hosts) })
	case Stencil:
		for _, c := range pattern.StencilOffsets(hosts) {
			to(func(s int) int { return pattern.OffDiagonal(s, c, hosts) })
		}
	case AllToAll:
		for s := range hosts {
			for d := range hosts {
				if s != d {
					list = append(list, pair{int32(s), int32(d)})
				}
			}
		}
	}
	return list, false, nil
}

// worstCase pairs the hosts of matched routers. If partners have different numbers of hosts, the
// surplus hosts are silent.
func (t Traffic) worstCase(n *Network) ([]pair, error) {
	routers := n.EdgeRouters()
	if len(routers) < 2 {
		return nil, fmt.Errorf("there is %d router with hosts; the worst case needs two: choose another pattern, or another fabric", len(routers))
	}
	if !t.Ordered {
		t.stream("routers").Shuffle(len(routers), func(i, j int) { routers[i], routers[j] = routers[j], routers[i] })
	}
	distances, err := n.Distances(routers)
	if err != nil {
		return nil, err
	}
	count := len(routers)
	w := matching.Weights{N: count, At: func(i, j int) int { return int(distances[i*count+j]) }}
	var partner []int
	if t.Pattern == WorstCase {
		partner, _, err = matching.Pairs(w)
	} else {
		partner, _, err = matching.Assignment(w)
	}
	if err != nil {
		return nil, err
	}
	var list []pair
	for i, j := range partner {
		if j < 0 || j == i || t.Pattern == WorstCase && j < i {
			continue
		}
		from, to := n.hosts[routers[i]], n.hosts[routers[j]]
		for h := range min(len(from), len(to)) {
			list = append(list, pair{from[h], to[h]})
		}
	}
	slices.SortFunc(list, func(a, b pair) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return list, nil
}

// adversary returns the offset, a multiple of the hosts of the first router, that maximizes the
// sum of the distances. Among several it returns the least.
func adversary(n *Network) (int, error) {
	distance, err := n.distance()
	if err != nil {
		return 0, err
	}
	hosts, step := len(n.router), len(n.hosts[n.router[0]])
	best, most := 0, -1
	for c := step; c < hosts; c += step {
		sum := 0
		for s := range hosts {
			sum += distance(n.router[s], n.router[(s+c)%hosts])
		}
		if sum > most {
			best, most = c, sum
		}
	}
	if most < 0 {
		return 0, errors.New("all hosts are on one router; an adversarial pattern needs several")
	}
	return best, nil
}

// Aggregate adds up the demands of hosts by pairs of routers, in order of routers. It also
// returns the sum of the demands between hosts on one router, which use no link between routers.
func (n *Network) Aggregate(demands []Demand) (list []Commodity, local float64) {
	for _, d := range demands {
		from, to := n.router[d.From], n.router[d.To]
		if from == to {
			local += d.Size
			continue
		}
		list = append(list, Commodity{from, to, d.Size})
	}
	slices.SortStableFunc(list, func(a, b Commodity) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	kept := list[:0]
	for _, c := range list {
		if last := len(kept) - 1; last >= 0 && kept[last].From == c.From && kept[last].To == c.To {
			kept[last].Size += c.Size
		} else {
			kept = append(kept, c)
		}
	}
	return kept, local
}

// EndpointBound returns the throughput that hosts' links allow: 1 over the largest load of a
// host's link, sending or receiving.
func (n *Network) EndpointBound(demands []Demand) float64 {
	sends, receives := make([]float64, len(n.router)), make([]float64, len(n.router))
	for _, d := range demands {
		sends[d.From] += d.Size
		receives[d.To] += d.Size
	}
	most := 0.0
	for i, rate := range n.rate {
		most = max(most, sends[i]/rate, receives[i]/rate)
	}
	return 1 / most
}

// MeanDistance returns the mean distance of commodities in links, weighted by their sizes.
func (n *Network) MeanDistance(list []Commodity) (float64, error) {
	distance, err := n.distance()
	if err != nil {
		return 0, err
	}
	sum, size := 0.0, 0.0
	for _, c := range list {
		sum += float64(c.Size * float64(distance(c.From, c.To)))
		size += c.Size
	}
	return sum / size, nil
}

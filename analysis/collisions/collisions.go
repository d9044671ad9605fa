// Package collisions counts flows of a workload between the same two routers: colliding paths.
// They depend only on the mapping of hosts to routers, not on the links between routers.
package collisions

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/nearest"
	"weft/internal/portable"
	"weft/sim"
)

// Pattern is a traffic pattern among endpoints 0 to N-1.
type Pattern string

// The five patterns of FatPaths §IV-A, and an adversarial one.
const (
	// Permutation: endpoint s sends to π(s) for a random permutation π.
	Permutation Pattern = "permutation"
	// OffDiagonal: s sends to (s+c) mod N.
	OffDiagonal Pattern = "off-diagonal"
	// Shuffle: s sends to the endpoint whose number has the bits of s rotated
	// ([pattern.Shuffle]).
	Shuffle Pattern = "shuffle"
	// Permutations: four random permutations at once.
	Permutations Pattern = "4-permutations"
	// Stencil: four off-diagonals ([pattern.StencilOffsets]).
	Stencil Pattern = "stencil"
	// Adversarial: an off-diagonal whose offset is the number of endpoints on the fullest router.
	// Without a random mapping, all flows of a router go to the next one.
	Adversarial Pattern = "adversarial"
)

// Patterns lists all patterns.
func Patterns() []Pattern {
	return []Pattern{Permutation, OffDiagonal, Shuffle, Permutations, Stencil, Adversarial}
}

// ParsePattern parses the name of a pattern. The error suggests the nearest name.
func ParsePattern(text string) (Pattern, error) {
	var names []string
	for _, p := range Patterns() {
		if string(p) == text {
			return p, nil
		}
		names = append(names, string(p))
	}
	hint := "use"
	if near, ok := nearest.Name(text, names); ok {
		hint = fmt.Sprintf("did you mean %q? There are", near)
	}
	return "", fmt.Errorf("there is no pattern %q; %s %v", text, hint, names)
}

// Options configures Count.
type Options struct {
	// Hosts is the number of endpoints on each router. Endpoints are numbered router by router.
	Hosts   []int32
	Pattern Pattern
	// Offset is c of the off-diagonal; 0 means 1. With a random mapping it affects only the
	// lengths of cycles.
	Offset int
	// Linear leaves every endpoint in its place. Otherwise endpoints are mapped to places at
	// random, as in the paper.
	Linear bool
	// Trials is the number of random mappings to count; 0 means 1.
	Trials int
	Seed   uint64
}

// Histogram counts ordered pairs of different routers with hosts, over all trials.
type Histogram struct {
	// Pairs[c] is the number of pairs with c flows between them.
	Pairs []int64
	// Local counts flows that stay on one router, and Flows all others.
	Local, Flows int64
}

// most is the largest number of endpoints. Their pairs of routers are sorted in memory.
const most = 1 << 24

// Count maps the flows of a pattern to pairs of routers. It ignores flows from an endpoint to
// itself, which random permutations and shuffles contain.
//
// Source: FatPaths §IV-A, Figure 4; patterns §II-C.
func Count(o Options) (*Histogram, error) {
	var at []int32 // router of each endpoint
	var with, fullest int
	for v, n := range o.Hosts {
		if n < 0 {
			return nil, fmt.Errorf("router %d has %d hosts; use 0 or more", v, n)
		}
		if n > 0 {
			with++
		}
		fullest = max(fullest, int(n))
		if len(at)+int(n) > most {
			return nil, fmt.Errorf("more than %d hosts; take a smaller instance, which has the same shares", most)
		}
		for range n {
			at = append(at, int32(v))
		}
	}
	if with < 2 {
		return nil, fmt.Errorf("%d routers have hosts; paths collide only between two or more", with)
	}
	if o.Pattern == Adversarial {
		o.Offset = fullest
	} else if o.Offset == 0 {
		o.Offset = 1
	}
	h := new(Histogram)
	pairs := make([]uint64, 0, len(at))
	for trial := range max(1, o.Trials) {
		mapped := at
		if !o.Linear {
			mapped = slices.Clone(at)
			r := sim.Stream(o.Seed, uint64(trial), "mapping of endpoints")
			portable.Shuffle(&r, mapped)
		}
		pairs = pairs[:0]
		send := func(s, t int) {
			switch from, to := mapped[s], mapped[t]; {
			case s == t:
			case from == to:
				h.Local++
			default:
				pairs = append(pairs, uint64(from)<<32|uint64(to))
			}
		}
		if err := o.flows(len(at), trial, send); err != nil {
			return nil, err
		}
		h.add(pairs, int64(with)*int64(with-1))
	}
	return h, nil
}

// add counts the flows of one trial. all is the number of pairs of routers.
func (h *Histogram) add(pairs []uint64, all int64) {
	slices.SortFunc(pairs, cmp.Compare[uint64])
	h.Flows += int64(len(pairs))
	for i := 0; i < len(pairs); {
		j := i + 1
		for j < len(pairs) && pairs[j] == pairs[i] {
			j++
		}
		h.grow(j - i)
		h.Pairs[j-i]++
		all--
		i = j
	}
	h.grow(0)
	h.Pairs[0] += all
}

func (h *Histogram) grow(count int) {
	for len(h.Pairs) <= count {
		h.Pairs = append(h.Pairs, 0)
	}
}

// AtLeast returns the share of pairs with at least count flows.
func (h *Histogram) AtLeast(count int) float64 {
	all, above := int64(0), int64(0)
	for c, n := range h.Pairs {
		all += n
		if c >= count {
			above += n
		}
	}
	return float64(above) / float64(all)
}

// Independent returns the share of pairs that would have at least count flows if every flow chose
// its pair independently: Poisson's law with the same mean. Random mappings come close to it if
// routers have many hosts. If it is far below a claimed share, no draw will show that share.
func (h *Histogram) Independent(count int) float64 {
	pairs := int64(0)
	for _, n := range h.Pairs {
		pairs += n
	}
	if pairs == 0 || count <= 0 {
		return 1
	}
	mean := float64(h.Flows) / float64(pairs)
	term, head := portable.Exp(-mean), 0.0
	for c := range count {
		head += term
		term *= mean / float64(c+1)
	}
	if mean >= float64(count) {
		return 1 - head
	}
	// Sum a small tail directly, because 1 - head would lose it.
	tail := 0.0
	for c := count; tail+term != tail; c++ {
		tail += term
		term *= mean / float64(c+1)
	}
	return tail
}

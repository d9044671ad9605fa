package topo

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"weft/problem"
	"weft/sim"
)

// Xpander is a random lift of the clique (Valadarsky et al., Xpander, CoNEXT 2016, §3).
// Each of the clique's k'+1 switches becomes a group of l switches (a meta-node) without
// links inside. Each of its links becomes a random matching of two groups. Switch r of
// group g is "g‹g›r‹r›"; hosts host0, host1, … are in the order of the switches.
//
// By default it is one lift of l = k' (FatPaths, Table V). With two_lifts it is that many
// lifts of 2 in sequence, so that l is a power of 2. They are drawn at random; Xpander's
// authors also offer a choice by eigenvalues.
//
// A draw is discarded and repeated if it is not connected, or if its diameter exceeds
// max_diameter.
type Xpander struct {
	Size           *string `yaml:"size" enum:"1k,10k,100k,1M" doc:"About how many hosts: takes the degree 16, 32, 58 or 126 and one lift of the same size." source:"FatPaths §II-B, Table V; Table IV (10k)"`
	Degree         *int    `yaml:"degree" doc:"Links k' of each switch to others; there are k'+1 groups." min:"2"`
	Lift           *int    `yaml:"lift" doc:"Switches per group, made by one lift (default: the degree)." min:"1" source:"FatPaths Table V"`
	TwoLifts       *int    `yaml:"two_lifts" doc:"Number of lifts of 2 instead of one lift." min:"0" max:"20"`
	HostsPerSwitch *int    `yaml:"hosts_per_switch" doc:"Hosts on each switch (default: half its links to others, rounded up)." min:"1" source:"FatPaths Table V"`
	MaxDiameter    *int    `yaml:"max_diameter" doc:"Largest distance allowed between two switches of a draw (default: any). FatPaths' Xpanders have at most 3." min:"1"`
	Seed           uint64  `yaml:"seed" default:"1" doc:"Seed of the matchings. The seed of a scenario does not change the graph."`
	Cables
}

// Build builds the graph.
func (o Xpander) Build() (*Graph, error) {
	g, err := o.build()
	if err != nil {
		return nil, fmt.Errorf("xpander: %w", err)
	}
	return g, nil
}

// attempts is the most random graphs that are drawn until one is connected.
const attempts = 100

func (o Xpander) build() (*Graph, error) {
	c, err := o.cabling()
	if err != nil {
		return nil, err
	}
	degree, lift, err := o.shape()
	if err != nil {
		return nil, err
	}
	f := flat{
		switches: (degree + 1) * lift, degree: degree, group: lift,
		hostsPerSwitch: orElse(o.HostsPerSwitch, divideUp(degree, 2)), name: grouped(lift),
	}
	for attempt := range uint64(attempts) {
		b, err := f.start(c)
		if err != nil {
			return nil, err
		}
		stream := sim.Stream(o.Seed, attempt, "xpander")
		random := rand.New(&stream)
		first := NodeID(len(b.graph.Hosts))
		for g := range degree + 1 {
			for h := g + 1; h < degree+1; h++ {
				var matching []int
				if o.TwoLifts != nil {
					matching = twoLifts(*o.TwoLifts, random)
				} else {
					matching = random.Perm(lift)
				}
				for r, s := range matching {
					b.link(first+NodeID(g*lift+r), first+NodeID(h*lift+s), c.uplink, c.delay)
				}
			}
		}
		if f.accept(b.graph, o.MaxDiameter) {
			return b.graph, nil
		}
	}
	return nil, problem.New("%s of degree %d with groups of %d switches was found in %d draws", wanted(o.MaxDiameter), degree, lift, attempts).Mend("take a larger degree")
}

// twoLifts returns the matching of two groups after n lifts of 2. Each lift doubles every
// link, straight or crossed.
func twoLifts(n int, random *rand.Rand) []int {
	matching := []int{0}
	for range n {
		next := make([]int, 0, 2*len(matching))
		for _, s := range matching {
			crossed := int(random.Uint64() & 1)
			next = append(next, 2*s+crossed, 2*s+1-crossed)
		}
		matching = next
	}
	return matching
}

// shape returns the degree, and the number of switches in a group.
func (o Xpander) shape() (degree, lift int, err error) {
	if o.Size != nil {
		class, err := bySize(*o.Size, [4]int{16, 32, 58, 126})
		if err == nil {
			err = without(option{"degree", o.Degree}, option{"lift", o.Lift}, option{"two_lifts", o.TwoLifts})
		}
		if err != nil {
			return 0, 0, err
		}
		o.Degree = &class
	}
	const mostLifts = 20
	switch {
	case o.Degree == nil:
		return 0, 0, errors.New("give degree or size")
	case o.Lift != nil && o.TwoLifts != nil:
		return 0, 0, errors.New("give lift or two_lifts, not both")
	case o.TwoLifts != nil && (*o.TwoLifts < 0 || *o.TwoLifts > mostLifts):
		return 0, 0, problem.At("two_lifts", "two_lifts is %d", *o.TwoLifts).Mend("it must be from 0 to %d", mostLifts)
	}
	degree = *o.Degree
	lift = orElse(o.Lift, degree)
	if o.TwoLifts != nil {
		lift = 1 << *o.TwoLifts
	}
	if err := positive(count{"degree", degree}, count{"lift", lift}); err != nil {
		return 0, 0, err
	}
	if degree < 2 {
		return 0, 0, problem.At("degree", "degree is %d, which connects no more than two switches", degree).Mend("use 2 or more")
	}
	if degree+1 > maxNodes/lift {
		return 0, 0, fmt.Errorf("%d groups of %d switches are too many", degree+1, lift)
	}
	return degree, lift, nil
}

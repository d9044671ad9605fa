package topo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/problem"
	"weft/sim"
	"weft/unit"
)

// Jellyfish is a random regular graph (Singla et al., Jellyfish, NSDI 2012, §3). Links join
// two random switches that have free ports and are not linked yet, until there are none.
// Then random links are split to use the remaining ports. Switches are r0, r1, …; hosts
// host0, host1, … are in the order of the switches.
//
// The graph is simple, and all switches have the same degree. A draw is discarded and
// repeated if it is not connected, or if its diameter exceeds max_diameter. A regular graph
// needs an even number of switches or an even degree; Jellyfish itself would leave a port
// free.
//
// With like, it uses the hardware of another topology of that size: as many switches, links
// and hosts ("X-JF" in FatPaths, §II-B). The switches of a fat tree are not alike. FatPaths
// then keeps their radix k and uses about four of five ports for links, which gives k' = 29
// and p = 7 for k = 36. Equivalent does the same for any graph.
type Jellyfish struct {
	Size           *string `yaml:"size" enum:"1k,10k,100k,1M" doc:"About how many hosts: the size of the topology whose hardware is used (like)."`
	Like           *string `yaml:"like" enum:"slim-fly,dragonfly,hyperx,xpander,fat-tree,clique" doc:"Topology whose hardware at that size to use: its switches, links and hosts (default: slim-fly)." source:"FatPaths §II-B (X-JF)"`
	Switches       *int    `yaml:"switches" doc:"Number of switches." min:"3"`
	Degree         *int    `yaml:"degree" doc:"Links of each switch to others; switches times degree must be even." min:"2"`
	HostsPerSwitch *int    `yaml:"hosts_per_switch" doc:"Hosts on each switch (default: half its links to others, rounded up)." min:"1"`
	MaxDiameter    *int    `yaml:"max_diameter" doc:"Largest distance allowed between two switches of a draw (default: any)." min:"1"`
	Seed           uint64  `yaml:"seed" default:"1" doc:"Seed of the links. The seed of a scenario does not change the graph."`
	Cables
}

// Build builds the graph.
func (o Jellyfish) Build() (*Graph, error) {
	g, err := o.build()
	if err != nil {
		return nil, fmt.Errorf("jellyfish: %w", err)
	}
	return g, nil
}

func (o Jellyfish) build() (*Graph, error) {
	c, err := o.cabling()
	if err != nil {
		return nil, err
	}
	if o.Size != nil && o.Like == nil {
		family := "slim-fly"
		o.Like = &family
	}
	switch {
	case o.Like != nil && o.Size == nil:
		return nil, problem.At("like", "like and size go together: they select whose hardware to use").Mend("or give switches and degree")
	case o.Like != nil:
		if err := without(option{"switches", o.Switches}, option{"degree", o.Degree}); err != nil {
			return nil, err
		}
		if o, err = o.equip(); err != nil {
			return nil, err
		}
	case o.Switches == nil || o.Degree == nil:
		return nil, errors.New("give switches and degree, or size")
	}
	n, degree := *o.Switches, *o.Degree
	if err := positive(count{"switches", n}, count{"degree", degree}); err != nil {
		return nil, err
	}
	if degree < 2 || degree >= n || n*degree%2 != 0 {
		return nil, refuseRegular(n, degree)
	}
	f := flat{
		switches: n, degree: degree,
		hostsPerSwitch: orElse(o.HostsPerSwitch, divideUp(degree, 2)), name: counted("r"),
	}
	for attempt := range uint64(attempts) {
		b, err := f.start(c)
		if err != nil {
			return nil, err
		}
		stream := sim.Stream(o.Seed, attempt, "jellyfish")
		r := newRegular(n, degree, rand.New(&stream))
		if !r.draw() {
			continue
		}
		first := NodeID(len(b.graph.Hosts))
		for s := range r.to {
			slices.Sort(r.to[s])
			for _, t := range r.to[s] {
				if int32(s) < t {
					b.link(first+NodeID(s), first+NodeID(t), c.uplink, c.delay)
				}
			}
		}
		if f.accept(b.graph, o.MaxDiameter) {
			return b.graph, nil
		}
	}
	return nil, problem.New("%s of %d switches with %d links each was found in %d draws", wanted(o.MaxDiameter), n, degree, attempts).Mend("take a larger degree")
}

// refuseRegular explains why no connected regular graph has n switches of a degree, and
// suggests values that work.
func refuseRegular(n, degree int) error {
	switch {
	case n < 3:
		return problem.At("switches", "switches is %d", n).Mend("use 3 or more")
	case degree < 2 || degree >= n:
		return problem.At("degree", "degree is %d", degree).Mend("with %d switches it must be from 2 to %d", n, n-1)
	}
	degrees := nearby(degree, 2, n-1, func(d int) bool { return d%2 == 0 })
	return problem.New("%d switches with %d links each have an odd number of ends, so links cannot join them in pairs", n, degree).Mend("use %s links or %d or %d switches", degrees, n-1, n+1)
}

// equip takes the numbers of switches, links and hosts from the topology in Like.
func (o Jellyfish) equip() (Jellyfish, error) {
	cables := Cables{Rate: unit.Gbps}
	var other interface{ Build() (*Graph, error) }
	switch *o.Like {
	case "slim-fly":
		other = SlimFly{Size: o.Size, Cables: cables}
	case "dragonfly":
		other = Dragonfly{Size: o.Size, Cables: cables}
	case "hyperx":
		other = HyperX{Size: o.Size, Cables: cables}
	case "xpander":
		other = Xpander{Size: o.Size, Cables: cables}
	case "clique":
		other = Clique{Size: o.Size, Cables: cables}
	case "fat-tree":
		other = FatTree{Tiers: 3, Size: o.Size, Rate: unit.Gbps}
	default:
		return o, problem.At("like", "like is %q", shorten(*o.Like)).Mend("use slim-fly, dragonfly, hyperx, xpander, fat-tree or clique")
	}
	g, err := other.Build()
	if err != nil {
		return o, err
	}
	same, err := Equivalent(g)
	if err != nil {
		return o, err
	}
	o.Switches, o.Degree = same.Switches, same.Degree
	if o.HostsPerSwitch == nil {
		o.HostsPerSwitch = same.HostsPerSwitch
	}
	return o, nil
}

// Equivalent returns the Jellyfish with the hardware of g: its number of switches, and the
// links and hosts of each. The caller sets rates, delays and the seed. The switches of g
// may differ as long as they have one radix k, as in a fat tree. Then p = k/5 ports of each
// serve hosts and k' = k - p links, with one more or fewer if the number of link ends would
// be odd (FatPaths, Appendix A-F: k'/p about 4). It fails if the radices differ.
func Equivalent(g *Graph) (Jellyfish, error) {
	f := Survey(g)
	switch {
	case f.Degree.regular() && f.HostsPerSwitch.regular() && f.EdgeSwitches == f.Switches:
		return Jellyfish{Switches: &f.Switches, Degree: &f.Degree.Least, HostsPerSwitch: &f.HostsPerSwitch.Least}, nil
	case !f.Radix.regular():
		return Jellyfish{}, problem.New("the switches have from %d to %d ports, so no Jellyfish has the same hardware", f.Radix.Least, f.Radix.Most).Mend("give switches, degree and hosts_per_switch")
	}
	radix := f.Radix.Least
	hosts := max(1, (radix+2)/5)
	if f.Switches%2 != 0 && (radix-hosts)%2 != 0 {
		hosts++
	}
	degree := radix - hosts
	return Jellyfish{Switches: &f.Switches, Degree: &degree, HostsPerSwitch: &hosts}, nil
}

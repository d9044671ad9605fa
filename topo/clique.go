package topo

import (
	"fmt"

	"weft/problem"
)

// Clique is the full mesh: every switch is linked to every other one. Switches are r0, r1,
// …; hosts host0, host1, … are in the order of the switches. By default a switch has as
// many hosts as links to other switches.
type Clique struct {
	Size           *string `yaml:"size" enum:"1k,10k,100k,1M" doc:"About how many hosts: takes 32, 101, 317 or 1001 switches." source:"FatPaths §II-B, Table V; Table IV (10k)"`
	Switches       *int    `yaml:"switches" doc:"Number of switches." min:"2"`
	HostsPerSwitch *int    `yaml:"hosts_per_switch" doc:"Hosts on each switch (default: its links to others)." min:"1" source:"FatPaths Table V"`
	Cables
}

// Build builds the graph.
func (o Clique) Build() (*Graph, error) {
	g, err := o.build()
	if err != nil {
		return nil, fmt.Errorf("clique: %w", err)
	}
	return g, nil
}

func (o Clique) build() (*Graph, error) {
	c, err := o.cabling()
	if err != nil {
		return nil, err
	}
	if o.Size != nil {
		class, err := bySize(*o.Size, [4]int{32, 101, 317, 1001})
		if err == nil {
			err = without(option{"switches", o.Switches})
		}
		if err != nil {
			return nil, err
		}
		o.Switches = &class
	}
	const most = 11585 // the most switches whose links do not exceed maxFlatLinks
	switch {
	case o.Switches == nil:
		return nil, fmt.Errorf("give switches or size")
	case *o.Switches < 2 || *o.Switches > most:
		return nil, problem.At("switches", "switches is %d", *o.Switches).Mend("it must be from 2 to %d", most)
	}
	n := *o.Switches
	f := flat{switches: n, degree: n - 1, hostsPerSwitch: orElse(o.HostsPerSwitch, n-1), name: counted("r")}
	b, err := f.start(c)
	if err != nil {
		return nil, err
	}
	first := NodeID(len(b.graph.Hosts))
	for i := range n {
		for j := i + 1; j < n; j++ {
			b.link(first+NodeID(i), first+NodeID(j), c.uplink, c.delay)
		}
	}
	return b.graph, f.check(b.graph, 1)
}

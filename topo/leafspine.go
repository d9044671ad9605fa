package topo

import (
	"errors"
	"fmt"

	"weft/problem"
	"weft/unit"
)

// LeafSpine is a two-tier network given by counts: every ToR is linked to every spine.
// Hosts host0, host1, … are in the order of their ToRs tor0, tor1, …; the spines are
// spine0, spine1, ….
type LeafSpine struct {
	Size          *string    `yaml:"size" enum:"1k,10k,100k,1M" doc:"About how many hosts at 1:1: takes 44, 142, 448 or 1414 ToRs with half as many hosts each, and as many spines."`
	ToRs          int        `yaml:"tors" default:"0" doc:"Number of ToR (leaf) switches; by size when 0."`
	HostsPerToR   int        `yaml:"hosts_per_tor" default:"0" doc:"Hosts on each ToR; by size when 0."`
	Spines        int        `yaml:"spines" default:"0" doc:"Number of spine switches; by size when 0."`
	LinksPerSpine int        `yaml:"links_per_spine" default:"1" doc:"Parallel links from each ToR to each spine." min:"1"`
	Rate          unit.Rate  `yaml:"rate" default:"400Gbps" doc:"Rate of the host links." source:"ARCANE §4.1"`
	UplinkRate    *unit.Rate `yaml:"uplink_rate" doc:"Rate of the links between ToRs and spines (default: that of the host links)."`
	Delay         unit.Time  `yaml:"delay" default:"500ns" doc:"Propagation delay of every link." source:"ARCANE §4.1"`
	UplinkDelay   *unit.Time `yaml:"uplink_delay" doc:"Propagation delay of the links between ToRs and spines (default: that of every link)." source:"SIRD §6.2"`
	SwitchLatency unit.Time  `yaml:"switch_latency" default:"500ns" doc:"Traversal time of every switch." source:"ARCANE §4.1"`
}

// Build builds the graph. 0 links per spine mean one.
func (o LeafSpine) Build() (*Graph, error) {
	if o.LinksPerSpine == 0 {
		o.LinksPerSpine = 1
	}
	c, err := newCabling(o.Rate, o.UplinkRate, o.Delay, o.SwitchLatency)
	if o.UplinkDelay != nil {
		c.uplinkDelay = *o.UplinkDelay
	}
	if err == nil && c.uplinkDelay < 0 {
		err = problem.At("uplink_delay", "uplink_delay is %v", c.uplinkDelay).Mend("it cannot be negative")
	}
	if err == nil {
		err = o.sized()
	}
	if err == nil {
		err = positive(count{"tors", o.ToRs}, count{"hosts_per_tor", o.HostsPerToR}, count{"spines", o.Spines}, count{"links_per_spine", o.LinksPerSpine})
	}
	if err != nil {
		return nil, fmt.Errorf("leaf-spine: %w", err)
	}
	g, err := twoTiers(o.ToRs, o.HostsPerToR, o.Spines, o.LinksPerSpine, c)
	if err != nil {
		return nil, fmt.Errorf("leaf-spine: %w", err)
	}
	return g, nil
}

// sized fills in the counts of a size class.
func (o *LeafSpine) sized() error {
	none := o.ToRs == 0 && o.HostsPerToR == 0 && o.Spines == 0
	switch {
	case o.Size == nil && (o.ToRs == 0 || o.HostsPerToR == 0 || o.Spines == 0):
		return errors.New("give tors, hosts_per_tor and spines, or size")
	case o.Size == nil:
		return nil
	case !none:
		return problem.At("size", "size says tors, hosts_per_tor and spines already").Mend("leave one of the two out")
	}
	radix, err := bySize(*o.Size, twoTierRadix())
	o.ToRs, o.HostsPerToR, o.Spines = radix, radix/2, radix/2
	return err
}

// twoTiers links every ToR to every spine. Parallel links are consecutive.
func twoTiers(tors, hostsPerToR, spines, parallel int, c cabling) (*Graph, error) {
	hosts := tors * hostsPerToR
	uplinks := spines * parallel
	if uplinks > maxLinks {
		return nil, fmt.Errorf("%d uplinks per ToR are too many", uplinks)
	}
	b, err := newBuilder(hosts, tors+spines, hosts+tors*uplinks)
	if err != nil {
		return nil, err
	}
	b.hosts(hosts)
	tor := b.switches("tor", 0, tors, 1, c.latency)
	spine := b.switches("spine", 0, spines, 2, c.latency)
	for h := range hosts {
		b.link(NodeID(h), tor+NodeID(h/hostsPerToR), c.rate, c.delay)
	}
	for t := range tors {
		for s := range spines {
			for range parallel {
				b.link(tor+NodeID(t), spine+NodeID(s), c.uplink, c.uplinkDelay)
			}
		}
	}
	return b.graph, checkTree(b.graph, twoTierJoints(tors, hostsPerToR, spines, parallel)...)
}

// twoTierJoints returns the joints of a tree in which every ToR reaches every spine, so
// that any two ToRs are 2 links apart.
func twoTierJoints(tors, hostsPerToR, spines, parallel int) []joint {
	return []joint{
		hostJoint(tors, hostsPerToR),
		{blocks: 1, lower: tors, upper: spines, each: parallel, below: consecutive(tors), above: consecutive(spines)},
	}
}

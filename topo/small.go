package topo

import (
	"errors"
	"fmt"

	"weft/problem"
	"weft/unit"
)

// Dumbbell is two switches, named left and right, with hosts on each and one link between
// them. The hosts host0, host1, … are on the left switch first.
type Dumbbell struct {
	Left            int        `yaml:"left" default:"1" doc:"Hosts on the left switch." min:"1"`
	Right           int        `yaml:"right" default:"1" doc:"Hosts on the right switch." min:"1"`
	Rate            unit.Rate  `yaml:"rate" default:"400Gbps" doc:"Rate of the host links." source:"ARCANE §4.1"`
	BottleneckRate  *unit.Rate `yaml:"bottleneck_rate" doc:"Rate of the link between the switches (default: that of the host links)."`
	Delay           unit.Time  `yaml:"delay" default:"500ns" doc:"Propagation delay of the host links." source:"ARCANE §4.1"`
	BottleneckDelay *unit.Time `yaml:"bottleneck_delay" doc:"Propagation delay of the link between the switches (default: that of the host links)."`
	SwitchLatency   unit.Time  `yaml:"switch_latency" default:"500ns" doc:"Traversal time of both switches." source:"ARCANE §4.1"`
}

// Build builds the graph.
func (o Dumbbell) Build() (*Graph, error) {
	g, err := o.build()
	if err != nil {
		return nil, fmt.Errorf("dumbbell: %w", err)
	}
	return g, nil
}

func (o Dumbbell) build() (*Graph, error) {
	c, err := newCabling(o.Rate, nil, o.Delay, o.SwitchLatency)
	if err != nil {
		return nil, err
	}
	bottleneck, delay := c.rate, c.delay
	if o.BottleneckRate != nil {
		bottleneck = *o.BottleneckRate
	}
	if o.BottleneckDelay != nil {
		delay = *o.BottleneckDelay
	}
	if bottleneck <= 0 {
		return nil, problem.At("bottleneck_rate", "bottleneck_rate is %v", bottleneck).Mend("a link needs more than 0")
	}
	if delay < 0 {
		return nil, problem.At("bottleneck_delay", "bottleneck_delay is %v", delay).Mend("it cannot be negative")
	}
	if err := positive(count{"left", o.Left}, count{"right", o.Right}); err != nil {
		return nil, err
	}
	hosts := o.Left + o.Right
	b, err := newBuilder(hosts, 2, hosts+1)
	if err != nil {
		return nil, err
	}
	b.hosts(hosts)
	left := NodeID(len(b.graph.Nodes))
	right := left + 1
	for _, name := range []string{"left", "right"} {
		b.graph.Nodes = append(b.graph.Nodes, Node{Name: name, Kind: Switch, Tier: 1, Latency: c.latency})
	}
	for h := range hosts {
		end := left
		if h >= o.Left {
			end = right
		}
		b.link(NodeID(h), end, c.rate, c.delay)
	}
	b.link(left, right, bottleneck, delay)
	return b.graph, nil
}

// Star is one switch, named tor0, with all hosts.
type Star struct {
	Size          *string   `yaml:"size" enum:"1k,10k,100k,1M" doc:"How many hosts: takes 1000, 10000, 100000 or 1000000."`
	Hosts         int       `yaml:"hosts" default:"0" doc:"Number of hosts; by size when 0."`
	Rate          unit.Rate `yaml:"rate" default:"400Gbps" doc:"Rate of the links." source:"ARCANE §4.1"`
	Delay         unit.Time `yaml:"delay" default:"500ns" doc:"Propagation delay of every link." source:"ARCANE §4.1"`
	SwitchLatency unit.Time `yaml:"switch_latency" default:"500ns" doc:"Traversal time of the switch." source:"ARCANE §4.1"`
}

// Build builds the graph.
func (o Star) Build() (*Graph, error) {
	g, err := o.build()
	if err != nil {
		return nil, fmt.Errorf("star: %w", err)
	}
	return g, nil
}

func (o Star) build() (*Graph, error) {
	c, err := newCabling(o.Rate, nil, o.Delay, o.SwitchLatency)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Size == nil && o.Hosts == 0:
		return nil, errors.New("give hosts, or size")
	case o.Size != nil && o.Hosts != 0:
		return nil, problem.At("size", "size says hosts already").Mend("leave one of the two out")
	case o.Size != nil:
		if o.Hosts, err = bySize(*o.Size, [4]int{1_000, 10_000, 100_000, 1_000_000}); err != nil {
			return nil, err
		}
	}
	if err := positive(count{"hosts", o.Hosts}); err != nil {
		return nil, err
	}
	b, err := newBuilder(o.Hosts, 1, o.Hosts)
	if err != nil {
		return nil, err
	}
	b.hosts(o.Hosts)
	tor := b.switches("tor", 0, 1, 1, c.latency)
	for h := range o.Hosts {
		b.link(NodeID(h), tor, c.rate, c.delay)
	}
	return b.graph, nil
}

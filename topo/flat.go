package topo

import (
	"fmt"
	"strconv"

	"weft/unit"
)

// Cables holds the link and switch options of direct networks, in which every switch has
// hosts.
type Cables struct {
	Rate          unit.Rate  `yaml:"rate" default:"400Gbps" doc:"Rate of the host links." source:"ARCANE §4.1"`
	UplinkRate    *unit.Rate `yaml:"uplink_rate" doc:"Rate of the links between switches (default: that of the host links)."`
	Delay         unit.Time  `yaml:"delay" default:"500ns" doc:"Propagation delay of every link." source:"ARCANE §4.1"`
	SwitchLatency unit.Time  `yaml:"switch_latency" default:"500ns" doc:"Traversal time of every switch." source:"ARCANE §4.1"`
}

func (o Cables) cabling() (cabling, error) {
	return newCabling(o.Rate, o.UplinkRate, o.Delay, o.SwitchLatency)
}

// flat is a network of equal switches with equally many hosts.
type flat struct {
	switches, hostsPerSwitch int
	// degree is the number of links of each switch to others.
	degree int
	// group is the number of switches in a group; 0 without groups.
	group int
	// name appends the name of switch i.
	name func(text []byte, i int) []byte
}

// maxFlatLinks is the most links between switches of a direct network: as many as fit into
// a few gigabytes.
const maxFlatLinks = 1 << 26

// start creates hosts, switches and the links of hosts. It allocates the other links, which
// the caller adds. Node number hosts is the first switch.
func (f flat) start(c cabling) (builder, error) {
	if err := positive(count{"hosts_per_switch", f.hostsPerSwitch}); err != nil {
		return builder{}, err
	}
	if f.switches > maxNodes || f.degree > 2*maxFlatLinks/f.switches {
		return builder{}, fmt.Errorf("%d switches with %d links each are too many; at most %d nodes, and %d links between switches, are possible", f.switches, f.degree, maxNodes, maxFlatLinks)
	}
	hosts := f.switches * f.hostsPerSwitch
	b, err := newBuilder(hosts, f.switches, hosts+f.switches*f.degree/2)
	if err != nil {
		return builder{}, err
	}
	b.hosts(hosts)
	first := NodeID(hosts)
	for i, name := range names(f.switches, f.name) {
		node := Node{Name: name, Kind: Switch, Tier: 1, Latency: c.latency}
		if f.group > 0 {
			node.Group = int32(i/f.group) + 1
		}
		b.graph.Nodes = append(b.graph.Nodes, node)
	}
	for h := range hosts {
		b.link(NodeID(h), first+NodeID(h/f.hostsPerSwitch), c.rate, c.delay)
	}
	return b, nil
}

// check refuses a graph that is not connected, or in which a switch does not have the given
// degree. If the diameter is known (not 0), the graph must have it. Every switch must be
// equivalent, by symmetry, to one of those in like; the default is the first switch. Only
// these are checked for the diameter.
func (f flat) check(g *Graph, diameter int, like ...int) error {
	m := newMesh(g)
	for s := range f.switches {
		if n := len(m.neighbours(s)); n != f.degree {
			return fmt.Errorf("switch %q got %d links to others instead of %d", g.Nodes[m.nodes[s]].Name, n, f.degree)
		}
	}
	if len(like) == 0 {
		like = []int{0}
	}
	for _, s := range like {
		far, reached := m.eccentricity(s)
		if reached != f.switches {
			return fmt.Errorf("only %d of %d switches are connected with %q", reached, f.switches, g.Nodes[m.nodes[s]].Name)
		}
		if diameter > 0 && far != diameter {
			return fmt.Errorf("a switch is %d links from %q instead of at most %d", far, g.Nodes[m.nodes[s]].Name, diameter)
		}
	}
	return nil
}

// accept reports whether a random draw meets the requirements: regular, connected and,
// unless diameter is nil, with at most that diameter.
func (f flat) accept(g *Graph, diameter *int) bool {
	return f.check(g, 0) == nil && (diameter == nil || MeasureDistances(g, 0).Diameter <= *diameter)
}

// wanted returns the beginning of the message that every draw was refused.
func wanted(diameter *int) string {
	if diameter == nil {
		return "no connected graph"
	}
	return fmt.Sprintf("no connected graph of a diameter of at most %d", *diameter)
}

// names returns n names that share one string. That takes a fraction of the time and memory
// of n strings.
func names(n int, name func(text []byte, i int) []byte) []string {
	const usual = 10
	text := make([]byte, 0, usual*n)
	ends := make([]int, n)
	for i := range n {
		text = name(text, i)
		ends[i] = len(text)
	}
	all := string(text)
	list := make([]string, n)
	start := 0
	for i, end := range ends {
		list[i] = all[start:end]
		start = end
	}
	return list
}

// counted names things by a prefix and a number, as in host7.
func counted(prefix string) func([]byte, int) []byte {
	return func(text []byte, i int) []byte {
		return strconv.AppendInt(append(text, prefix...), int64(i), 10)
	}
}

// grouped names switches by their group and their number in it, as in g3r5.
func grouped(size int) func([]byte, int) []byte {
	return func(text []byte, i int) []byte {
		text = strconv.AppendInt(append(text, 'g'), int64(i/size), 10)
		return strconv.AppendInt(append(text, 'r'), int64(i%size), 10)
	}
}

// divideUp returns n/d rounded up.
func divideUp(n, d int) int { return (n + d - 1) / d }

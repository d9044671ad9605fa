package topo

import (
	"errors"
	"fmt"
	"strconv"

	"weft/problem"
	"weft/unit"
)

// cabling holds the builders' options for links and switches.
type cabling struct {
	rate, uplink   unit.Rate
	delay, latency unit.Time
	uplinkDelay    unit.Time
}

// newCabling fills in the rate of uplinks, and checks the values.
func newCabling(rate unit.Rate, uplink *unit.Rate, delay, latency unit.Time) (cabling, error) {
	c := cabling{rate: rate, uplink: rate, delay: delay, latency: latency, uplinkDelay: delay}
	if uplink != nil {
		c.uplink = *uplink
	}
	switch {
	case c.rate <= 0:
		return c, problem.At("rate", "rate is %v", c.rate).Mend("a link needs more than 0")
	case c.uplink <= 0:
		return c, problem.At("uplink_rate", "uplink_rate is %v", c.uplink).Mend("a link needs more than 0")
	case c.delay < 0:
		return c, problem.At("delay", "delay is %v", c.delay).Mend("it cannot be negative")
	case c.latency < 0:
		return c, problem.At("switch_latency", "switch_latency is %v", c.latency).Mend("it cannot be negative")
	}
	return c, nil
}

// count is the value of an option that counts something.
type count struct {
	option string
	n      int
}

// positive checks that every count is at least 1, and small enough that the product of two
// does not overflow.
func positive(counts ...count) error {
	for _, c := range counts {
		if c.n < 1 || c.n > maxNodes {
			return problem.At(c.option, "%s is %d", c.option, c.n).Mend("it must be from 1 to %d", maxNodes)
		}
	}
	return nil
}

// builder grows a graph whose size is known in advance.
type builder struct{ graph *Graph }

// newBuilder allocates a graph. It refuses sizes that exceed the range of identifiers.
func newBuilder(hosts, switches, links int) (builder, error) {
	if hosts+switches > maxNodes || links > maxLinks {
		return builder{}, fmt.Errorf("%d hosts, %d switches and %d links are too many; at most %d nodes and %d links are possible", hosts, switches, links, maxNodes, maxLinks)
	}
	if hosts > MaxHosts {
		return builder{}, errors.New(tooManyHosts(hosts))
	}
	return builder{graph: &Graph{
		Nodes: make([]Node, 0, hosts+switches),
		Links: make([]Link, 0, links),
		Hosts: make([]NodeID, 0, hosts),
	}}, nil
}

// hosts adds n hosts named host0, host1 and so on.
func (b builder) hosts(n int) {
	for _, name := range names(n, counted("host")) {
		b.graph.Hosts = append(b.graph.Hosts, NodeID(len(b.graph.Nodes)))
		b.graph.Nodes = append(b.graph.Nodes, Node{Name: name, Kind: Host})
	}
}

// addHost adds a host with the next number.
func (g *Graph) addHost() NodeID {
	id := NodeID(len(g.Nodes))
	name := "host" + strconv.Itoa(len(g.Hosts))
	g.Nodes = append(g.Nodes, Node{Name: name, Kind: Host})
	g.Hosts = append(g.Hosts, id)
	return id
}

// switches adds n switches, named by the prefix and a number that counts from first. It
// returns the first of them.
func (b builder) switches(prefix string, first, n, tier int, latency unit.Time) NodeID {
	id := NodeID(len(b.graph.Nodes))
	for i := range n {
		b.graph.Nodes = append(b.graph.Nodes, Node{
			Name: prefix + strconv.Itoa(first+i), Kind: Switch, Tier: tier, Latency: latency,
		})
	}
	return id
}

func (b builder) link(x, y NodeID, rate unit.Rate, delay unit.Time) {
	b.graph.Links = append(b.graph.Links, Link{A: x, B: y, Rate: rate, Delay: delay})
}

package load

import (
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// Options defines how packets travel, and limits the work.
type Options struct {
	// Intermediates sends every packet on minimal paths to a random intermediate edge
	// switch and from there to its destination, as Valiant's scheme does. The intermediate
	// differs from source and destination.
	Intermediates bool
	// Rate returns the rate of a port; nil means the rate in the graph.
	Rate func(topo.PortID) unit.Rate
	// Most limits the work, in ports of switches per destination and layer; 0 means no
	// limit. Beyond it, only some of the destinations are computed.
	Most int
}

// Loads holds the expected loads of all ports.
type Loads struct {
	// Bits is the load of each port in bits per second. It is nil if only some destinations
	// were computed.
	Bits []float64
	// Looked is the number of destinations computed, out of Edges.
	Looked, Edges int

	tiers []Tier
}

// Spread computes the loads of demands over tables. With several layers, packets take all
// layers equally often.
func Spread(g *topo.Graph, t *route.Tables, demands []Demand, o Options) *Loads {
	s := spreader{
		graph: g, tables: t, o: o,
		bits: make([]float64, 2*len(g.Links)),
		flow: make([]float64, len(g.Nodes)),
		mark: make([]int32, len(g.Nodes)),
	}
	edge := func(host int32) int32 { return t.Edge(g.Hosts[host]) }
	sets := gather(demands, edge)
	s.hosts(sets)
	looked := s.switches(sets)
	l := &Loads{Bits: s.bits, Looked: looked, Edges: t.Edges()}
	l.tiers = s.tiers(float64(l.Edges) / float64(max(1, looked)))
	if looked < l.Edges {
		l.Bits = nil
	}
	return l
}

// spreader adds up the loads of ports.
type spreader struct {
	graph  *topo.Graph
	tables *route.Tables
	o      Options
	bits   []float64 // by port

	// For one destination and layer: the flow into each switch, and the visited switches in
	// order.
	flow  []float64
	mark  []int32
	stamp int32
	order []topo.NodeID
}

// hosts adds the loads of the hosts' links.
func (s *spreader) hosts(sets []*set) {
	n := len(s.graph.Hosts)
	sends, gets := make([]float64, n), make([]float64, n)
	for _, one := range sets {
		one.hosts(sends, gets)
	}
	place := make([]int32, len(s.graph.Nodes))
	for i, node := range s.graph.Hosts {
		place[node] = int32(i)
	}
	for p := range topo.PortID(len(s.bits)) {
		from, to := s.graph.Ends(p)
		if s.graph.Nodes[from].Kind == topo.Host {
			s.bits[p] += sends[place[from]]
		}
		if s.graph.Nodes[to].Kind == topo.Host {
			s.bits[p] += gets[place[to]]
		}
	}
}

// switches adds the loads of links between switches, and returns the number of destinations
// computed.
func (s *spreader) switches(sets []*set) (looked int) {
	edges := s.tables.Edges()
	if edges < 2 {
		return edges
	}
	m := newMatrix(sets, edges)
	c := &column{inflow: make([]float64, edges)}
	var between *intermediates
	if s.o.Intermediates && edges > 2 {
		between = newIntermediates(m, c, edges)
	}
	looked = edges
	if work := (len(s.bits) - 2*len(s.graph.Hosts)) * s.tables.Layers(); s.o.Most > 0 && work > 0 {
		looked = min(edges, max(1, s.o.Most/work))
	}
	for i := range looked {
		e := int32(i)
		if looked < edges {
			e = int32(i * stride(edges) % edges)
		}
		m.column(c, e)
		if between != nil {
			between.replace(c, e)
		}
		for layer := range s.tables.Layers() {
			s.towards(c, e, layer)
		}
	}
	return looked
}

// stride returns a step with which multiples modulo n visit all numbers below n once, far
// apart from each other.
func stride(n int) int {
	step := max(1, int(float64(n)*0.6180339887))
	for gcd(step, n) != 1 {
		step++
	}
	return step
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// towards adds a column's share for a layer to the ports on the paths to its edge switch.
func (s *spreader) towards(c *column, edge int32, layer int) {
	s.stamp++
	s.order = s.order[:0]
	target := s.tables.EdgeSwitch(edge)
	s.mark[target] = s.stamp
	each := 1 / float64(s.tables.Layers())
	for _, e := range c.from {
		from := s.tables.EdgeSwitch(e)
		s.visit(from, edge, layer)
		s.flow[from] += float64(c.inflow[e] * each)
	}
	// A switch comes after all switches that it sends to. So in reverse order, the flow
	// into a switch is known before it is split.
	for i := len(s.order) - 1; i >= 0; i-- {
		sw := s.order[i]
		hops := s.tables.HopsIn(layer, sw, edge)
		out := s.flow[sw] / float64(len(hops))
		s.flow[sw] = 0
		for _, p := range hops {
			s.bits[p] += out
			if _, next := s.graph.Ends(p); next != target {
				s.flow[next] += out
			}
		}
	}
}

// visit lists a switch after those that it leads to.
func (s *spreader) visit(sw topo.NodeID, edge int32, layer int) {
	if s.mark[sw] == s.stamp {
		return
	}
	s.mark[sw] = s.stamp
	for _, p := range s.tables.HopsIn(layer, sw, edge) {
		_, next := s.graph.Ends(p)
		s.visit(next, edge, layer)
	}
	s.order = append(s.order, sw)
}

// intermediates converts traffic between two edge switches to traffic to and from a third
// one.
type intermediates struct {
	out []float64 // rate that each edge switch sends to others
	n   float64   // number of possible intermediates
}

func newIntermediates(m *matrix, c *column, edges int) *intermediates {
	d := &intermediates{out: make([]float64, edges), n: float64(edges - 2)}
	for e := range int32(edges) {
		m.column(c, e)
		for _, from := range c.from {
			d.out[from] += c.inflow[from]
		}
	}
	return d
}

// replace replaces the rates sent to an edge switch by the rates on the two legs of detours:
// those sent to it as an intermediate, and those sent to it as the destination.
func (d *intermediates) replace(c *column, edge int32) {
	in := 0.0
	for _, e := range c.from {
		in += c.inflow[e]
	}
	for e := range int32(len(c.inflow)) {
		if e == edge {
			continue
		}
		straight := c.inflow[e]
		if bent := (d.out[e] - straight + in - straight) / d.n; bent > 0 {
			if straight == 0 {
				c.from = append(c.from, e)
			}
			c.inflow[e] = bent
		} else if straight > 0 {
			c.inflow[e] = 0
		}
	}
}

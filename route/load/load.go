package load

import (
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// Options say how packets go, and how much work may be done.
type Options struct {
	// Intermediates sends every packet minimally to an intermediate edge switch, drawn from all but those of
	// its source and its destination, and minimally on from there, as Valiant's scheme does.
	Intermediates bool
	// Rate is the rate of a port; nil is that of the graph.
	Rate func(topo.PortID) unit.Rate
	// Most bounds the work, in ports of switches that are looked at for each destination and layer; 0 is
	// no bound. Beyond it only some of the destinations are looked at.
	Most int
}

// Loads are the expected loads of all ports.
type Loads struct {
	// Bits is what each port carries, in bits per second, as far as it is known; nil if only
	// some destinations were looked at.
	Bits []float64
	// Looked is at how many destinations, of Edges, the computation looked.
	Looked, Edges int

	tiers []Tier
}

// Spread computes the loads of demands over tables. With several layers packets take each as often
// as the others.
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

// spreader adds up what ports carry.
type spreader struct {
	graph  *topo.Graph
	tables *route.Tables
	o      Options
	bits   []float64 // by port

	// Of one destination and layer: what comes to each switch, which were visited, and in what order.
	flow  []float64
	mark  []int32
	stamp int32
	order []topo.NodeID
}

// hosts adds what the links of hosts carry.
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

// switches adds what links between switches carry, and returns at how many destinations it looked.
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
			between.bend(c, e)
		}
		for layer := range s.tables.Layers() {
			s.towards(c, e, layer)
		}
	}
	return looked
}

// stride visits numbers below n far apart from each other, each once.
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

// towards adds a column's share of a layer to the ports on the ways to its edge switch.
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
	// A switch comes after all those that it sends to, so that what reaches it is known from the back.
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

// intermediates turn traffic between two edge switches into traffic to and from a third.
type intermediates struct {
	out []float64 // what each edge switch sends to others
	n   float64   // how many a packet can go by
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

// bend replaces what is sent to an edge switch by what comes to it on the two legs of detours: as an
// intermediate of what others send, and as the destination.
func (d *intermediates) bend(c *column, edge int32) {
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

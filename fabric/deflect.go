package fabric

import (
	"fmt"
	"math/rand/v2"

	"weft/internal/packet"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// This file deflects short messages from hot links, all packets of a message the same way (Dart §IV, in-order
// flow deflection). The start packet is deflected if its queue is long, and the switch remembers the port for those
// that follow. docs/design/0011-deflection.md says why order holds, and what the lanes are for.
//
// Departures from the paper: rows are told apart by the walk so far beside the message (the tokens left, and the phase of a
// detour), so that each visit of a message has its own; a row whose message fell silent is freed, since its end packet may be lost; resent packets are not
// deflected; and before the link to its destination no packet is. The sender of a frame decides
// whether it has tokens: connections (internal/connection/sending) give none to parts of messages, nor to messages whose
// receivers grant credit.

// DeflectConfig is how switches deflect. Without tokens they do not.
type DeflectConfig struct {
	// Tokens is how often a packet may be deflected, from 1 to MostTokens.
	Tokens int
	// Threshold is the queue above which a start packet is deflected: what its port holds in the lanes of its priority and in
	// the classes served before.
	Threshold unit.Bytes
	// Table is how many messages a switch remembers.
	Table int
	// Age is how long after the last packet of a message its row is freed; 0 is never.
	Age sim.Time
	// Lanes are the priority classes in which deflected frames travel, and Class that of frames that were not
	// deflected yet.
	Lanes Lanes
	Class uint8
	// Ends tells whether a frame is the first of its message, and whether it is the last. It may be asked in several
	// domains at once.
	Ends func(d *Domain, f *Frame) (first, last bool)
}

// Lanes are ways to choose the class of frames with tokens.
type Lanes uint8

const (
	// OneLane leaves frames in their class.
	OneLane Lanes = iota
	// TwoLanes has frames travel in Class as long as they have tokens, and one class before it when they have none left
	// (Dart §IV-B, the escape lane). With pauses they can deadlock.
	TwoLanes
	// LanePerToken has frames travel as many classes before Class as they were deflected before their last hop. The
	// lanes of links have no circle, if minimal routes have none: see LinkLayers.
	LanePerToken
)

// MostTokens is the most tokens that frames can carry.
const MostTokens = packet.MostTokens

// On tells whether switches deflect.
func (c *DeflectConfig) On() bool { return c.Tokens > 0 }

func (c *DeflectConfig) check() error {
	switch {
	case !c.On():
		return nil
	case c.Tokens > MostTokens:
		return fmt.Errorf("fabric: %d tokens; frames carry at most %d", c.Tokens, MostTokens)
	case c.Table < 0 || c.Threshold < 0 || c.Age < 0:
		return fmt.Errorf("fabric: deflection has a table of %d, a threshold of %v and an age of %v; none may be negative", c.Table, c.Threshold, c.Age)
	case c.Ends == nil:
		return fmt.Errorf("fabric: nobody tells which frames are the first and the last of their messages")
	case int(c.Class) < c.below():
		return fmt.Errorf("fabric: frames of class %d have %d lanes before it; there must be as many classes", c.Class, c.below())
	}
	return nil
}

// below returns how many classes before Class the lanes take.
func (c *DeflectConfig) below() int {
	switch c.Lanes {
	case TwoLanes:
		return 1
	case LanePerToken:
		return c.Tokens
	}
	return 0
}

// lane returns the class of a frame with some tokens left.
func (c *DeflectConfig) lane(tokens int) uint8 {
	switch {
	case c.Lanes == TwoLanes && tokens == 0:
		return c.Class - 1
	case c.Lanes == LanePerToken:
		return c.Class - uint8(c.Tokens-tokens)
	}
	return c.Class
}

// deflecting returns what a domain knows that deflects; nil for others.
func (d *Domain) deflecting() *deflecting {
	g, _ := d.hooks.diverter.(*deflecting)
	return g
}

// Tokens returns how often the domain's switches may deflect a frame.
func (d *Domain) Tokens() int {
	if g := d.deflecting(); g != nil {
		return g.Tokens
	}
	return 0
}

// deflecting is what a domain that deflects knows.
type deflecting struct {
	DeflectConfig
	d      *Domain
	tables []deflectTable // of the switches
	to     []int32        // the node at the end of each port, -1 for a host
	from   []int32        // the node at the beginning of each wire, -1 for a host
	// layers of links, by port and by wire, with LanePerToken: see there. Hosts' links come before all others.
	out, in []int32
	routes  *route.Tables // the minimal ones, which deflection makes longer
	links   [][]uint8     // of routes
	counts  Deflections
}

// deflectTable is what a switch remembers of messages that it deflected.
type deflectTable struct {
	self   topo.NodeID // the switch
	rows   []row
	ports  []int32 // to other switches, in the order of their numbers
	random rand.PCG
}

// row is the port of a message at a visit.
type row struct {
	src             int32
	message, serial uint32
	port            int32
	walk            uint8 // so far
	since, last     sim.Time
}

// diverts implements diverter.
func (g *deflecting) diverts(f *Frame) bool { return f.HasTokens() }

// divert returns the port by which a frame with tokens goes on, whose minimal one is given, and puts it into its lane.
func (g *deflecting) divert(s *switchState, minimal int32, f *Frame, from via, now sim.Time) (port int32, came via) {
	d, wire := g.d, from.wire()
	tokens, _ := f.Tokens()
	g.counts.Links++
	if g.from[wire] < 0 {
		g.counts.Links++ // that of its host
	}
	if g.Lanes != OneLane {
		lane := g.lane(tokens)
		from = from.into(f.Priority(), lane)
		f.SetPriority(lane)
	}
	if d.attached[f.Dst()].edge == s.edge {
		return minimal, from
	}
	first, last := g.Ends(d, f)
	t := &g.tables[d.wires[wire].node]
	if r := g.find(t, f, now); r != nil {
		port = r.port
		if r.last = now; last {
			g.free(t, r, now)
		}
		g.pay(t, f, minimal, port)
		return port, from
	}
	if !first {
		return minimal, from
	}
	switch {
	case g.position(minimal, f, now) <= g.Threshold:
		g.counts.Refused[BelowThreshold]++
		return minimal, from
	case tokens == 0:
		g.counts.Refused[NoTokens]++
		return minimal, from
	case !last && len(t.rows) >= g.Table:
		g.counts.Refused[TableFull]++
		return minimal, from
	}
	if port = g.another(t, minimal, from); port < 0 {
		g.counts.Refused[NoPort]++
		return minimal, from
	}
	if !last {
		t.rows = append(t.rows, row{f.Src(), f.Message, f.Serial, port, f.Walk(), now, now})
		g.counts.Rows++
		g.counts.Most = max(g.counts.Most, len(t.rows))
	}
	g.counts.Messages++
	g.pay(t, f, minimal, port)
	return port, from
}

// pay takes a token of a frame that is deflected from its minimal port to another, and counts how much longer its way gets.
func (g *deflecting) pay(t *deflectTable, f *Frame, minimal, port int32) {
	f.SpendToken()
	g.counts.Hops++
	if extra, ok := g.longer(t, f, minimal, port); ok {
		g.counts.Extra += extra
		g.counts.ExtraBytes += extra * int64(f.Size)
	}
}

// find returns the row of a frame's message at this visit, and frees rows that are too old.
func (g *deflecting) find(t *deflectTable, f *Frame, now sim.Time) (found *row) {
	for i := len(t.rows) - 1; i >= 0; i-- {
		r := &t.rows[i]
		if g.Age > 0 && now-r.last > g.Age {
			g.counts.Aged++
			g.free(t, r, r.last+g.Age)
			found = nil // which may have moved
			i = len(t.rows)
			continue
		}
		if r.message == f.Message && r.serial == f.Serial && r.src == f.Src() && r.walk == f.Walk() {
			found = r
		}
	}
	return found
}

// free frees a row.
func (g *deflecting) free(t *deflectTable, r *row, now sim.Time) {
	g.counts.Held += now - r.since
	n := len(t.rows) - 1
	*r = t.rows[n]
	t.rows = t.rows[:n]
}

// position returns what a port sends before a frame that comes to it.
func (g *deflecting) position(i int32, f *Frame, now sim.Time) unit.Bytes {
	d := g.d
	p := &d.ports[i]
	if p.due(now) {
		d.drain(p, i, now)
	}
	if p.disc == nil {
		return unit.Bytes(p.queued)
	}
	return unit.Bytes(p.disc.heldBefore(f.Priority()))
}

// another draws a port to another switch than that to which the minimal port leads by that port, and than that
// from which the frame came. It returns a negative number if there is none.
func (g *deflecting) another(t *deflectTable, minimal int32, from via) int32 {
	n := uint64(0)
	for _, i := range t.ports {
		if g.mayDeflect(i, minimal, from) {
			n++
		}
	}
	if n == 0 {
		return -1
	}
	at := t.random.Uint64() >> 32 * n >> 32
	for _, i := range t.ports {
		if !g.mayDeflect(i, minimal, from) {
			continue
		}
		if at == 0 {
			return i
		}
		at--
	}
	return -1
}

// mayDeflect tells whether a frame may be deflected to port i.
func (g *deflecting) mayDeflect(i, minimal int32, from via) bool {
	wire := from.wire()
	if i == minimal || g.to[i] == g.from[wire] || g.d.ports[i].special&down != 0 {
		return false
	}
	// After a deflected hop the lane is another one.
	return g.Lanes != LanePerToken || from.changed() || g.in[wire] < g.out[i]
}

// placeDeflection gives switches tables, empty ones.
func (n *Network) placeDeflection(c *DeflectConfig) error {
	if !c.On() {
		return nil
	}
	for _, d := range n.domains {
		if len(d.wires) >= maxWires {
			return fmt.Errorf("fabric: %d links into a domain are too many to deflect; cut it into more domains", len(d.wires))
		}
		g := &deflecting{DeflectConfig: *c, d: d, tables: make([]deflectTable, len(d.switches))}
		g.to, g.out = make([]int32, len(d.ports)), make([]int32, len(d.ports))
		g.from, g.in = make([]int32, len(d.wires)), make([]int32, len(d.wires))
		d.hooks.diverter = g
	}
	for i, node := range n.graph.Nodes {
		if node.Kind == topo.Switch {
			d := n.domains[n.nodes[i].domain]
			s := n.nodes[i].index
			t := &d.deflecting().tables[s]
			t.self, t.rows = topo.NodeID(i), make([]row, 0, c.Table)
			sim.SeedStream(&t.random, n.seed, sim.Hash(node.Name), "deflection")
		}
	}
	for id := range topo.PortID(len(n.ports)) {
		from, to := n.graph.Ends(id)
		tx, rx := n.ports[id], n.wires[id]
		a, b := n.domains[tx.domain].deflecting(), n.domains[rx.domain].deflecting()
		a.to[tx.index], b.from[rx.index] = int32(to), int32(from)
		if n.graph.Nodes[to].Kind == topo.Host {
			a.to[tx.index] = -1
		}
		if n.graph.Nodes[from].Kind == topo.Host {
			b.from[rx.index] = -1
			continue
		}
		if n.graph.Nodes[to].Kind == topo.Switch {
			t := &a.tables[n.nodes[from].index]
			t.ports = append(t.ports, tx.index)
		}
	}
	n.hooks.tables = append(n.hooks.tables, n.deflectBy)
	return nil
}

// deflectBy has switches know of new routes.
func (n *Network) deflectBy(t *route.Tables) {
	for _, d := range n.domains {
		g := d.deflecting()
		g.routes, g.links = t, t.Links()
	}
	if n.domains[0].deflecting().Lanes == LanePerToken {
		n.layerLinks(t)
	}
}

// layerLinks tells domains the layers of their links. Without any, a frame is deflected only after a deflected hop, or where it
// comes from a host.
func (n *Network) layerLinks(t *route.Tables) {
	layers, _ := LinkLayers(n.graph, t)
	for id := range topo.PortID(len(n.ports)) {
		tx, rx := n.ports[id], n.wires[id]
		a, b := n.domains[tx.domain].deflecting(), n.domains[rx.domain].deflecting()
		if layers == nil {
			a.out[tx.index], b.in[rx.index] = 0, 0
			if from, _ := n.graph.Ends(id); b.from[rx.index] < 0 && n.graph.Nodes[from].Kind == topo.Host {
				b.in[rx.index] = -1
			}
			continue
		}
		a.out[tx.index], b.in[rx.index] = layers[id], layers[id]
	}
}

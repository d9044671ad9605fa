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

// This file deflects short messages from hot links, with all packets of a message taking
// the same path (Dart §IV, in-order flow deflection). The start packet is deflected if its
// queue is long, and the switch remembers the port for the packets that follow.
// docs/design/0011-deflection.md explains why order holds and what the lanes are for.
//
// Departures from the paper:
//
//   - A row is keyed by the message and the walk so far (the tokens left and the
//     phase of a detour), so each visit of a message has its own row.
//   - A row is freed when its message falls silent, since the end packet may be
//     lost.
//   - Resent packets are not deflected.
//   - No packet is deflected at the switch of its destination.
//
// The sender of a frame decides whether it gets tokens. Connections (internal/connection/sending)
// give none to parts of messages, nor to messages whose receivers grant credit.

// DeflectConfig configures deflection. Without tokens, switches do not deflect.
type DeflectConfig struct {
	// Tokens is how often a packet may be deflected, from 1 to MostTokens.
	Tokens int
	// Threshold is the backlog above which a start packet is deflected: the bytes that
	// its port holds in the lanes of its priority and in the classes served before them.
	Threshold unit.Bytes
	// Table is the number of messages that a switch can remember.
	Table int
	// Age is how long after the last packet of a message its row is freed; 0 means never.
	Age sim.Time
	// Lanes selects the priority classes of deflected frames. Class is the class of
	// frames that have not been deflected yet.
	Lanes Lanes
	Class uint8
	// Ends reports whether a frame is the first of its message and whether it is the
	// last. Several domains may call it concurrently.
	Ends func(d *Domain, f *Frame) (first, last bool)
}

// Lanes is a way to choose the class of frames with tokens.
type Lanes uint8

const (
	// OneLane leaves frames in their class.
	OneLane Lanes = iota
	// TwoLanes sends frames in Class while they have tokens, and one class before it when
	// they have none left (Dart §IV-B, the escape lane). With pauses it can deadlock.
	TwoLanes
	// LanePerToken puts a frame n classes before Class if it was deflected n times before its
	// last hop. If minimal routes form no cycle of links, neither do these lanes: see LinkLayers.
	LanePerToken
)

// MostTokens is the most tokens that frames can carry.
const MostTokens = packet.MostTokens

// On reports whether switches deflect.
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

// below returns how many classes before Class the lanes occupy.
func (c *DeflectConfig) below() int {
	switch c.Lanes {
	case TwoLanes:
		return 1
	case LanePerToken:
		return c.Tokens
	}
	return 0
}

// lane returns the class of a frame with a number of tokens left.
func (c *DeflectConfig) lane(tokens int) uint8 {
	switch {
	case c.Lanes == TwoLanes && tokens == 0:
		return c.Class - 1
	case c.Lanes == LanePerToken:
		return c.Class - uint8(c.Tokens-tokens)
	}
	return c.Class
}

// deflecting returns the deflection state of a domain; nil if it does not deflect.
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

// deflecting is the deflection state of a domain.
type deflecting struct {
	DeflectConfig
	d      *Domain
	tables []deflectTable // per switch
	to     []int32        // per port, the node at its far end, -1 for a host
	from   []int32        // per wire, the node at its sending end, -1 for a host
	// out and in are the layers of links, by port and by wire, for LanePerToken: see
	// layerLinks. Links of hosts come before all others.
	out, in []int32
	routes  *route.Tables // the minimal routes, which deflection makes longer
	links   [][]uint8     // number of links left, by edge switch and row of routes
	counts  Deflections
}

// deflectTable is what a switch remembers about the messages that it deflected.
type deflectTable struct {
	self   topo.NodeID // the switch
	rows   []row
	ports  []int32 // to other switches, ordered by link
	random rand.PCG
}

// row is the port of one message at one visit.
type row struct {
	src             int32
	message, serial uint32
	port            int32
	walk            uint8 // walk of the message's frames so far
	since, last     sim.Time
}

// diverts implements diverter.
func (g *deflecting) diverts(f *Frame) bool { return f.HasTokens() }

// divert returns the port by which a frame with tokens goes on, given its minimal
// port, and puts the frame into its lane.
func (g *deflecting) divert(s *switchState, minimal int32, f *Frame, from via, now sim.Time) (port int32, updated via) {
	d, wire := g.d, from.wire()
	tokens, _ := f.Tokens()
	g.counts.Links++
	if g.from[wire] < 0 {
		g.counts.Links++ // the link from its host
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
		g.spendToken(t, f, minimal, port)
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
	g.spendToken(t, f, minimal, port)
	return port, from
}

// spendToken takes a token from a frame that is deflected from its minimal port to
// another, and counts how much longer its path becomes.
func (g *deflecting) spendToken(t *deflectTable, f *Frame, minimal, port int32) {
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
			found = nil // it may have moved
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

// position returns the bytes that a port would send before a frame that joins it now.
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

// another draws a port for a deflected frame. The port must lead neither to the
// switch behind the minimal port nor back to the switch from which the frame came.
// It returns a negative number if there is no such port.
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

// mayDeflect reports whether a frame may be deflected to port i.
func (g *deflecting) mayDeflect(i, minimal int32, from via) bool {
	wire := from.wire()
	if i == minimal || g.to[i] == g.from[wire] || g.d.ports[i].special&down != 0 {
		return false
	}
	// A frame that changed its class is in another lane, where any layer is allowed.
	return g.Lanes != LanePerToken || from.changed() || g.in[wire] < g.out[i]
}

// placeDeflection gives every switch an empty table.
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

// deflectBy passes new routes to the deflection state of all domains.
func (n *Network) deflectBy(t *route.Tables) {
	for _, d := range n.domains {
		g := d.deflecting()
		g.routes, g.links = t, t.Links()
	}
	if n.domains[0].deflecting().Lanes == LanePerToken {
		n.layerLinks(t)
	}
}

// layerLinks sets the layers of links in all domains. If the links have no layers,
// a frame is deflected only after a deflected hop or at the switch of its host.
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

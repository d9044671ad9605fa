// Package fabric is the network that frames cross: links, ports with their
// queues, switches, and the NICs of hosts. A transport attaches to its hosts as
// an Endpoint; the fabric does not know which.
//
// A hop costs one event, the arrival. Plain ports (one class, fixed rate, marking at
// enqueue) know a departure when they accept the frame; ports with priorities, trimming or
// marking at dequeue begin transmissions when they are touched next, as of the time at
// which they were due. A class of credits, links without delay and those that lose frames
// at random pay for events of their own. The NIC of a host pulls: it asks the endpoint
// for a frame when the wire is free.
//
// Simplification: a plain port draws whether a link loses a frame when it accepts
// the frame, so that a change of the loss probability reaches frames accepted
// from then on and not those queued already.
package fabric

import (
	"cmp"
	"fmt"
	"math"

	"weft/route"
	"weft/sim"
	"weft/topo"
)

// MaxDomains is the largest number of domains.
const MaxDomains = math.MaxInt16

// place is where something stands: its domain and its number there.
type place struct{ domain, index int32 }

// Network is a fabric with its endpoints, ready to run.
type Network struct {
	graph   *topo.Graph
	seed    uint64
	domains []*Domain
	engine  *sim.Engine
	ports   []place  // sending ends by topo.PortID
	wires   []place  // receiving ends by topo.PortID
	nodes   []place  // switches by NodeID; for hosts their NIC
	names   []uint64 // hashes of the directed links' names
	// attached is shared by all domains.
	attached []attachment
	post     post
	cuts     uint64   // links that failed so far
	quiet    sim.Time // see Outages
	detours  *detours // nil without detours and lanes of walks
	layers   uint16
	// Lookahead is the longest window in which domains may run apart; Forever
	// if there is one domain.
	Lookahead sim.Time
	// Fallback tells why windows are not swept, though the queue was to be Swept; nil if
	// they are.
	Fallback  error
	batches   []batch // of the workers
	running   bool
	quantised bool     // stamps
	refreshed sim.Time // how often tables of stamps are written; 0 without
	lossless  uint8    // classes
	lapses    bool     // pauses expire
	watchdog  Watchdog
}

// New builds a network.
func New(c Config) (*Network, error) {
	g := c.Graph
	if len(g.Nodes) > math.MaxInt32/4 || len(g.Links) > math.MaxInt32/8 {
		return nil, fmt.Errorf("fabric: %d nodes and %d links are more than it can number", len(g.Nodes), len(g.Links))
	}
	if len(g.Hosts) > topo.MaxHosts {
		return nil, fmt.Errorf("fabric: %d hosts; frames tell %d apart", len(g.Hosts), topo.MaxHosts)
	}
	n := &Network{
		graph: g, seed: c.Seed, Lookahead: sim.Forever,
		ports: make([]place, 2*len(g.Links)),
		wires: make([]place, 2*len(g.Links)),
		nodes: make([]place, len(g.Nodes)),
	}
	count := int32(1)
	for _, d := range c.Domain {
		count = max(count, d+1)
	}
	if count > MaxDomains {
		return nil, fmt.Errorf("fabric: %d domains; at most %d", count, MaxDomains)
	}
	n.domains = make([]*Domain, count)
	for i := range n.domains {
		n.domains[i] = &Domain{network: n, exported: sim.Forever, self: int32(i), post: &n.post, order: order{turn: noTurn}, tick: noTick}
	}
	if err := cmp.Or(checkSprays(c.Sprays), c.Control.check(), c.Deflect.check(), c.checkWalks(), c.LaneGroups.check(c.Graph, c.Port), c.Pause.check(c.Graph, c.Port)); err != nil {
		return nil, err
	}
	if l := c.Tables.Layers(); l > MaxLayers {
		return nil, fmt.Errorf("fabric: %d layers; entropies tell %d apart", l, MaxLayers)
	}
	n.nameLinks()
	n.placeNodes(c.Domain, c.Jitter)
	n.placeLinks(c)
	n.attach(c.Tables)
	n.prepareSprays(c.Sprays)
	if n.Lookahead <= 0 {
		return nil, fmt.Errorf("fabric: a link without delay leads from one domain to another; keep its ends together, as topo.Partition does")
	}
	n.orderWires()
	if c.Deflect.On() {
		if err := n.placeDeflection(&c.Deflect); err != nil {
			return nil, err
		}
	}
	if c.Detours != nil || c.Lanes != NoLanes {
		if err := n.placeDetours(&c); err != nil {
			return nil, err
		}
	}
	n.SetTables(c.Tables)
	if c.Pause.on() {
		n.placeNotices()
		n.placeHolds(&c.Pause.Quanta)
		n.lossless, n.watchdog = c.Pause.Classes, c.Pause.Watchdog
		if w := n.watchdog; w.on() {
			n.Lookahead = min(n.Lookahead, w.Detect, max(1, w.Restore))
		}
	}
	n.shareBuffers(c.Buffer, &c.Pause)
	if c.Pause.on() {
		n.addSlowHosts(&c.Pause)
	}
	if c.Telemetry.On {
		n.placeStamps(&c.Telemetry)
	}
	if c.Control.On() {
		n.placeControls(&c.Control)
	}
	if c.SignalDelay > 0 {
		if least := LeastSignalDelay(g); c.SignalDelay > least {
			return nil, fmt.Errorf("fabric: signals take %v, but between domains they may take at most %v", c.SignalDelay, least)
		}
		n.Lookahead = min(n.Lookahead, c.SignalDelay)
	}
	if c.Queue == sim.Swept {
		window, why := n.sweepable(&c)
		if n.Fallback = why; why != nil {
			c.Queue = sim.Calendar
		} else {
			n.Lookahead = window
		}
	}
	allotting, attaching := stage{c.Progress, 0.5, 0.75}, stage{c.Progress, 0.75, 1}
	for i, d := range n.domains {
		allotting.reached(i, len(n.domains))
		if d.sweeping = c.Queue == sim.Swept; d.sweeping {
			d.wheel = newWheel(n.Lookahead)
			d.soon = newGroups(len(d.nics))
			for _, w := range d.wires[:d.hostWires] {
				if w.port >= 0 {
					d.ports[w.port].remote = int16(d.self)
				}
			}
		}
		d.allotRings()
	}
	ranks := n.rank()
	parts := make([]*sim.Domain, count)
	for i, d := range n.domains {
		d.sched = sim.NewScheduler(c.Queue, ranks[i])
		d.batches = &n.batches
		if !d.sweeping {
			d.punctual = punctual
		}
		parts[i] = &sim.Domain{Scheduler: d.sched, Handler: d}
		if c.Observe != nil {
			parts[i].Handler = observed{d, n, c.Observe}
			for k := range d.ports {
				d.ports[k].special |= stepped // so that no event depends on the cut
			}
		}
	}
	if c.Follow != nil {
		if count > 1 {
			return nil, fmt.Errorf("fabric: frames can be followed in one domain, not in %d", count)
		}
		parts[0].Handler = n.follow(c.Follow)
	}
	n.openPassages(&c)
	n.engine = sim.NewEngine(n.Lookahead, parts)
	if c.Pause.on() {
		n.engine.KeepWindows()
	}
	for i, d := range n.domains {
		attaching.reached(i, len(n.domains))
		d.endpoint = c.Endpoint(d)
	}
	if c.SignalDelay > 0 {
		return n, n.allowSignals(c.SignalDelay)
	}
	return n, nil
}

// placeNodes gives every switch and host its number in its domain.
func (n *Network) placeNodes(domain []int32, j Jitter) {
	for i, node := range n.graph.Nodes {
		if node.Kind == topo.Switch {
			d := n.domains[domain[i]]
			n.nodes[i] = place{domain[i], int32(len(d.switches))}
			s := switchState{edge: -1, first: -1}
			name := sim.Hash(node.Name)
			stream := sim.Stream(n.seed, name, "ecmp salt")
			s.salt = stream.Uint64()
			sim.SeedStream(&s.random, n.seed, name, "spray")
			d.switches = append(d.switches, s)
		}
	}
	for i, node := range n.graph.Hosts {
		d := n.domains[domain[node]]
		n.nodes[node] = place{domain[node], int32(len(d.nics))}
		d.nics = append(d.nics, nic{})
		if j.on() {
			d.jitters = append(d.jitters, newJitter(j, n.seed, n.graph.Nodes[node].Name))
		}
		d.Hosts = append(d.Hosts, int32(i))
	}
}

// reserve makes room for the ends of links in every domain.
func (n *Network) reserve() {
	ports, wires := make([]int, len(n.domains)), make([]int, len(n.domains))
	for i := range n.ports {
		from, to := n.graph.Ends(topo.PortID(i))
		ports[n.nodes[from].domain]++
		wires[n.nodes[to].domain]++
	}
	for i, d := range n.domains {
		d.ports, d.cold, d.wires = make([]port, 0, ports[i]), make([]portCold, 0, ports[i]), make([]wire, 0, wires[i])
	}
}

// placeLinks builds the sending and receiving ends of every link.
func (n *Network) placeLinks(c Config) {
	g := n.graph
	n.reserve()
	linking := stage{c.Progress, 0, 0.5}
	for i := range n.ports {
		linking.reached(i, len(n.ports))
		id := topo.PortID(i)
		from, to := g.Ends(id)
		a, b := n.nodes[from], n.nodes[to]
		tx, rx := n.domains[a.domain], n.domains[b.domain]
		n.ports[i] = place{a.domain, int32(len(tx.ports))}
		n.wires[i] = place{b.domain, int32(len(rx.wires))}
		l := g.Links[id.Link()]
		p := port{
			limit: math.MaxUint32, kmin: noECN, remote: -1,
			wire:  n.wires[i].index,
			delay: l.Delay + g.Nodes[to].Latency,
		}
		cold := portCold{id: int32(i), rate: n.clocked(id, l.Rate), flight: l.Delay}
		w := wire{delay: p.delay, port: n.ports[i].index, node: b.index}
		if g.Nodes[to].Kind == topo.Host {
			w.node = ^b.index
			rx.nics[b.index].in = sim.Entity(n.wires[i].index)
		}
		if a.domain != b.domain {
			w.port = -1
			p.remote = int16(b.domain)
			n.Lookahead = min(n.Lookahead, p.delay)
		}
		p.setRate(cold.rate)
		if g.Nodes[from].Kind == topo.Host {
			tx.nics[a.index].port = n.ports[i].index
		} else {
			tx.configure(&p, &cold, c.Port(id), &c.LaneGroups, c.Pause.on() || c.Telemetry.On || c.Control.On(), n.seed, n.names[id])
			cold.sw = a.index
			if s := &tx.switches[a.index]; s.first < 0 {
				s.first = n.ports[i].index
			}
		}
		tx.ports = append(tx.ports, p)
		tx.cold = append(tx.cold, cold)
		rx.wires = append(rx.wires, w)
	}
	for _, d := range n.domains {
		d.firstService = sim.Entity(len(d.wires))
		for i := range d.ports {
			if d.ports[i].disc != nil {
				d.cold[i].service = d.firstService + sim.Entity(len(d.services))
				d.services = append(d.services, int32(i))
			}
		}
		d.firstHost = d.firstService + sim.Entity(len(d.services))
		for h := range d.nics {
			d.nics[h].wake = d.firstHost + sim.Entity(2*h)
		}
		d.firstNotice = d.firstHost + sim.Entity(2*len(d.nics))
	}
}

// ringStart is the capacity that every ring begins with: one block of memory
// holds them all, so that a sweep over the ports finds them in order.
const ringStart = 8

// allotRings gives every ring of the domain its first buffer.
func (d *Domain) allotRings() {
	rings := make([]*ring, 0, len(d.ports)+len(d.wires))
	for i := range d.ports {
		rings = append(rings, &d.ports[i].ring)
	}
	d.remote = make([]ring, 0, len(d.wires))
	for i := range d.wires {
		switch w := &d.wires[i]; {
		case d.sweeping && int32(i) < d.hostWires: // the wheel has what is under way
		case w.port < 0:
			d.remote = append(d.remote, ring{})
			w.ring = &d.remote[len(d.remote)-1]
			rings = append(rings, w.ring)
		default:
			w.ring = &d.ports[w.port].ring
		}
	}
	block := make([]transit, ringStart*len(rings))
	for i, r := range rings {
		r.buf = block[i*ringStart : (i+1)*ringStart : (i+1)*ringStart]
	}
}

// nameLinks hashes the stable name of every directed link: its ends and, among
// parallel links, its place.
func (n *Network) nameLinks() {
	g := n.graph
	nodes := make([]uint64, len(g.Nodes))
	for i := range g.Nodes {
		nodes[i] = sim.Hash(g.Nodes[i].Name)
	}
	n.names = make([]uint64, 2*len(g.Links))
	parallel := make(map[uint64]uint64, len(g.Links))
	for i, l := range g.Links {
		a, b := nodes[l.A], nodes[l.B]
		twin := a ^ b
		k := parallel[twin]
		parallel[twin]++
		n.names[2*i] = sim.Mix(a+sim.Mix(b)) + k
		n.names[2*i+1] = sim.Mix(b+sim.Mix(a)) + k
	}
}

// attach notes where every host hangs.
func (n *Network) attach(t *route.Tables) {
	n.attached = make([]attachment, len(n.graph.Hosts))
	host := make(map[topo.NodeID]int, len(n.graph.Hosts))
	for i, node := range n.graph.Hosts {
		host[node] = i
	}
	for i := range n.ports {
		from, to := n.graph.Ends(topo.PortID(i))
		if h, ok := host[to]; ok {
			n.attached[h] = attachment{t.Edge(from), n.ports[i].index}
		}
	}
	for _, d := range n.domains {
		d.attached = n.attached
	}
}

// SetTables makes switches forward by new tables from now on.
func (n *Network) SetTables(t *route.Tables) {
	n.layers = uint16(t.Layers())
	if p := t.Paths(); p != nil {
		n.layers = uint16(max(1, p.Most()))
	}
	if n.detours != nil {
		n.detours.setTables(t)
		n.forgetDecisions()
	}
	for i, node := range n.graph.Nodes {
		if node.Kind != topo.Switch {
			continue
		}
		at := n.nodes[i]
		s := &n.domains[at.domain].switches[at.index]
		s.edge = t.Edge(topo.NodeID(i))
		offsets, ports := t.Sets(topo.NodeID(i))
		n.setIndex(s, t, topo.NodeID(i))
		s.offsets = offsets
		s.ports = make([]int32, len(ports))
		for k, p := range ports {
			s.ports[k] = n.ports[p].index
		}
		n.domains[at.domain].resetSprays(s)
	}
	if g := n.domains[0].deflecting; g != nil {
		for _, d := range n.domains {
			d.deflecting.routes, d.deflecting.links = t, t.Links()
		}
		if g.Lanes == LanePerToken {
			n.layerLinks(t)
		}
	}
}

// rank returns the ranks of every domain's entities.
func (n *Network) rank() [][]uint32 {
	ranks := make([][]uint32, len(n.domains))
	var names []uint64
	var at []place
	for i, w := range n.wires {
		names = append(names, n.names[i])
		at = append(at, w)
	}
	for di, d := range n.domains {
		for k, p := range d.services {
			names = append(names, sim.Mix(n.names[d.cold[p].id]+1))
			at = append(at, place{int32(di), int32(d.firstService) + int32(k)})
		}
	}
	for _, node := range n.graph.Hosts {
		name := sim.Hash(n.graph.Nodes[node].Name)
		p := n.nodes[node]
		first := int32(n.domains[p.domain].firstHost) + 2*p.index
		names = append(names, name, sim.Mix(name+1))
		at = append(at, place{p.domain, first}, place{p.domain, first + 1})
	}
	for i, d := range n.domains {
		entities := int(d.firstNotice) + len(d.notices)
		if d.controls != nil {
			entities++
		}
		ranks[i] = make([]uint32, entities)
		if d.controls != nil {
			ranks[i][d.tick] = math.MaxUint32
		}
	}
	for i, r := range sim.Ranks(n.seed, names) {
		ranks[at[i].domain][at[i].index] = 2*r + 1
	}
	// A notice comes just before what comes over the same link at its instant.
	for i, p := range n.ports {
		if d := n.domains[p.domain]; d.notices != nil {
			over := n.wires[topo.PortID(i).Reverse()]
			ranks[p.domain][int(d.firstNotice)+int(p.index)] = ranks[over.domain][over.index] - 1
		}
	}
	return ranks
}

// Domains returns the network's domains.
func (n *Network) Domains() []*Domain { return n.domains }

// Run handles all events before until.
func (n *Network) Run(until sim.Time, threads int) {
	for len(n.post) < threads || len(n.post) == 0 {
		n.post = append(n.post, [2][]mailbox{make([]mailbox, len(n.domains)), make([]mailbox, len(n.domains))})
	}
	for len(n.batches) < len(n.post) {
		n.batches = append(n.batches, batch{})
	}
	for _, d := range n.domains {
		d.limit = until
	}
	n.running = true
	if g := n.detours; g != nil && g.known != nil {
		n.runInformed(until, threads)
	} else {
		n.engine.Run(until, threads)
	}
	n.running = false
	for _, d := range n.domains {
		d.enter(noTurn)
	}
}

// Bound returns a time that no pending event precedes; Forever when drained, or when all that still comes is that slow hosts resume
// their switches.
func (n *Network) Bound() sim.Time { return n.engine.Bound() }

// Next returns a time that nothing to come precedes, those resumes included.
func (n *Network) Next() sim.Time { return n.engine.Next() }

// Waiting tells whether a frame is in the network, on a wire or in a queue.
func (n *Network) Waiting() bool {
	t, _ := n.Totals()
	return t.Injected+t.Originated != t.Delivered+t.Dropped
}

// Quiet returns when the last frame sent so far came to the end of its link, or
// would have but for its loss, and when the last pause or resume did that was decided by then. Timers do not count, and nor does
// how the network is cut, as the last event would.
func (n *Network) Quiet() sim.Time {
	t := n.still()
	return max(t, n.heeded(t))
}

// still returns when the last frame came to the end of its link, and the last one that reached a host went on to the endpoint.
func (n *Network) still() (t sim.Time) {
	for _, d := range n.domains {
		for i := range d.ports {
			if p := &d.ports[i]; p.frames > 0 {
				d.drain(p, int32(i), d.limit)
				t = max(t, p.busyUntil+p.delay)
			}
		}
		t = max(t, d.lastIn())
	}
	return t
}

// SweptWindows returns how many windows were swept so far.
func (n *Network) SweptWindows() uint64 {
	if !n.domains[0].sweeping {
		return 0
	}
	return n.engine.Windows()
}

// Events returns the number of events handled so far.
func (n *Network) Events() uint64 { return n.engine.Events() }

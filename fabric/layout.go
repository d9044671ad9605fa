package fabric

import (
	"math"

	"weft/protocol"
	"weft/route"
	"weft/sim"
	"weft/topo"
)

// placeNodes gives every switch and host its number in its domain.
func (n *Network) placeNodes(domain []int32) {
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
		d.Hosts = append(d.Hosts, int32(i))
	}
}

// reserve allocates room for the ends of links in every domain.
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

// placeLinks builds the sending and receiving ends of every link. With classes set,
// all switch ports have classes.
func (n *Network) placeLinks(c *Config, classes bool) {
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
		cold := portCold{id: int32(i), rate: l.Rate, flight: l.Delay}
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
			tx.configure(&p, &cold, c.Port(id), c.groups, classes, n.seed, n.names[id])
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
		d.numbers.firstService = sim.Entity(len(d.wires))
		for i := range d.ports {
			if d.ports[i].disc != nil {
				d.cold[i].service = d.numbers.firstService + sim.Entity(len(d.services))
				d.services = append(d.services, int32(i))
			}
		}
		d.numbers.firstHost = d.numbers.firstService + sim.Entity(len(d.services))
		for h := range d.nics {
			d.nics[h].wake = d.numbers.firstHost + sim.Entity(2*h)
		}
		d.numbers.firstOther = d.numbers.firstHost + sim.Entity(2*len(d.nics))
		d.numbers.beyond = d.numbers.firstOther
	}
}

// ringStart is the initial capacity of every ring. One block of memory holds all
// rings, so that a sweep over the ports reads them in order.
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
		case d.swept.sweeping && int32(i) < d.numbers.hostWires: // the wheel holds the frames under way
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
// parallel links, its index.
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

// attach records the edge switch and port of every host.
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

// rank returns the ranks of the entities of every domain.
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
			at = append(at, place{int32(di), int32(d.numbers.firstService) + int32(k)})
		}
	}
	for _, node := range n.graph.Hosts {
		name := sim.Hash(n.graph.Nodes[node].Name)
		p := n.nodes[node]
		first := int32(n.domains[p.domain].numbers.firstHost) + 2*p.index
		names = append(names, name, sim.Mix(name+1))
		at = append(at, place{p.domain, first}, place{p.domain, first + 1})
	}
	for i, d := range n.domains {
		ranks[i] = make([]uint32, d.numbers.beyond)
	}
	for i, r := range sim.Ranks(n.seed, names) {
		ranks[at[i].domain][at[i].index] = 2*r + 1
	}
	for i, d := range n.domains {
		for _, o := range d.hooks.others {
			for k := range o.count {
				ranks[i][o.first+sim.Entity(k)] = o.rank(k, ranks)
			}
		}
	}
	return ranks
}

// orderWires sorts the wires of every domain in the order in which windows are
// swept: wires into switches by rank, then wires into hosts by host number.
func (n *Network) orderWires() {
	order := make([]topo.PortID, len(n.wires))
	for i, r := range sim.Ranks(n.seed, n.names) {
		order[r] = topo.PortID(i)
	}
	ordered := make([][]wire, len(n.domains))
	for i, d := range n.domains {
		d.numbers.hostWires = int32(len(d.wires) - len(d.nics)) // each host has one
		ordered[i] = make([]wire, len(d.wires))
	}
	index, placed := make([]int32, len(n.wires)), make([]int32, len(n.domains))
	for _, id := range order {
		at := n.wires[id]
		d := n.domains[at.domain]
		w := d.wires[at.index]
		i := d.numbers.hostWires + ^w.node
		if w.node >= 0 {
			i = placed[at.domain]
			placed[at.domain]++
		}
		index[id] = i
		ordered[at.domain][i] = w
	}
	for i, d := range n.domains {
		d.wires = ordered[i]
	}
	for id := range n.wires {
		at := &n.wires[id]
		at.index = index[id]
		d := n.domains[at.domain]
		if w := &d.wires[at.index]; w.node < 0 {
			d.nics[^w.node].in = sim.Entity(at.index)
		}
		sender := n.ports[id]
		n.domains[sender.domain].ports[sender.index].wire = at.index
	}
}

// configure gives a switch port its queue, with classes if the configuration needs them.
func (d *Domain) configure(p *port, cold *portCold, c PortConfig, groups func(classes int) *grouping, classes bool, seed, name uint64) {
	p.limit = clampBytes(c.Limit)
	if c.ECN {
		p.kmin, cold.kmax = clampBytes(c.KMin), clampBytes(c.KMax)
		cold.pmax = uint32(min(float64(c.PMax)*(1<<32), math.MaxUint32))
		sim.SeedStream(&cold.mark, seed, name, "ecn")
		if c.SpareFirst && !c.MarkAtDequeue {
			cold.spells = new(spells)
			for k := range cold.spells {
				cold.spells[k] = noFrame
			}
		}
	}
	if c.plain() && !classes {
		return
	}
	p.special |= classed
	if p.delay == 0 || c.limited() {
		// Nothing would happen on the link after a transmission, or waiting credits may
		// have to wait for tokens.
		p.special |= stepped
	}
	p.disc = newDiscipline(&c, groups(max(1, c.Classes)), c.limiter(), cold.rate, seed, name)
}

// placeSchedulers gives each port with several classes a scheduler, if there is one.
func (n *Network) placeSchedulers(c *SchedulingConfig) error {
	if c.New == nil {
		return nil
	}
	for _, d := range n.domains {
		for i := range d.ports {
			q := d.ports[i].disc
			if q == nil || len(q.classes) < 2 {
				continue
			}
			rule, err := c.New(protocol.SchedulerEnv{
				Rate: d.cold[i].rate, Classes: len(q.classes), Reserved: c.Reserved, Frame: c.Frame,
			})
			if err != nil {
				return err
			}
			q.scheduler = &scheduler{rule: rule}
			q.chooses, q.notes, q.more = true, true, true
		}
	}
	return nil
}

// stage is a part of building that takes about a known share of the time.
type stage struct {
	report   func(share float64)
	from, to float64
}

// reached reports progress when done of a number of equal steps are complete.
func (s stage) reached(done, of int) {
	const often = 1 << 10
	if s.report != nil && done%often == 0 {
		s.report(s.from + (s.to-s.from)*float64(done)/float64(of))
	}
}

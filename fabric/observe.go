package fabric

import (
	"fmt"

	"weft/internal/packet"
	"weft/sim"
	"weft/topo"
)

// Event is an observer's view of an event, just before it is handled.
type Event struct {
	At   sim.Time
	Kind EventKind
	// Port is the directed link of an Arrival, Service or Notice.
	Port topo.PortID
	// Host is the host of a Wake or Timer.
	Host int32
	// Frame is the frame of an Arrival. Its Message, Serial and Aux are 0, since they
	// would reveal the domain that it comes from.
	Frame Frame
}

// Digest returns a hash of the event that does not depend on the partition into domains.
func (e Event) Digest() uint64 {
	f := &e.Frame
	h := sim.Mix(uint64(e.At)) + uint64(e.Kind)
	h = sim.Mix(h ^ uint64(uint32(e.Port))<<32 ^ uint64(uint32(e.Host)))
	h = sim.Mix(h ^ uint64(uint32(f.Src()))<<32 ^ uint64(uint32(f.Dst())))
	h = sim.Mix(h ^ uint64(f.Seq)<<32 ^ uint64(f.Size)<<16 ^ uint64(f.Entropy))
	return sim.Mix(h ^ uint64(f.Group())<<32 ^ uint64(f.Kind)<<24 ^ uint64(f.Bits)<<16 ^ uint64(f.Walk())<<40 ^ uint64(f.Flags)<<8 ^ uint64(f.Spray())<<3 ^ uint64(f.Priority()))
}

// Describe returns the event in words.
func (e Event) Describe(g *topo.Graph) string {
	host := func(h int32) string { return g.Nodes[g.Hosts[h]].Name }
	switch e.Kind {
	case Service:
		return fmt.Sprintf("%v: %s may send", e.At, g.PortName(e.Port))
	case Wake:
		return fmt.Sprintf("%v: the wire of %s is free", e.At, host(e.Host))
	case Notice:
		return fmt.Sprintf("%v: %s is paused or resumed", e.At, g.PortName(e.Port))
	case Tick:
		return fmt.Sprintf("%v: controllers of queues have their turn", e.At)
	case Timer:
		return fmt.Sprintf("%v: timer of %s", e.At, host(e.Host))
	}
	f := &e.Frame
	text := fmt.Sprintf("%v: frame of %d B from %s to %s, packet %d, entropy %d, kind %d, class %d, arrives over %s",
		e.At, f.Size, host(f.Src()), host(f.Dst()), f.Seq, f.Entropy, f.Kind, f.Priority(), g.PortName(e.Port))
	if f.Flags&packet.Marked != 0 {
		text += ", marked"
	}
	if f.Flags&packet.Trimmed != 0 {
		text += ", trimmed"
	}
	return text
}

// observed shows each event to an observer before its domain handles it.
type observed struct {
	*Domain
	network *Network
	observe func(domain int, e Event)
}

// Handle implements sim.Handler.
func (o observed) Handle(e sim.Entity, now sim.Time) {
	d := o.Domain
	ev := Event{At: now}
	switch {
	case e < d.numbers.firstService:
		ev.Port = d.arrivals(o.network)[e]
		if id := d.wires[e].at(d.wires[e].head).frame; id != gone {
			ev.Frame = d.Packets[id]
			ev.Frame.Message, ev.Frame.Serial, ev.Frame.Aux = 0, 0, 0
		}
	case e < d.numbers.firstHost:
		ev.Kind = Service
		ev.Port = topo.PortID(d.cold[d.services[e-d.numbers.firstService]].id)
	case e >= d.numbers.firstOther:
		o := d.other(e)
		if ev.Kind = o.kind; o.ports {
			ev.Port = topo.PortID(d.cold[e-o.first].id)
		}
	default:
		ev.Kind = Wake + EventKind((e-d.numbers.firstHost)&1)
		ev.Host = d.Hosts[(e-d.numbers.firstHost)>>1]
	}
	o.observe(int(d.mail.self), ev)
	d.Handle(e, now)
}

// arrivals returns the directed link of each of the domain's wires.
func (d *Domain) arrivals(n *Network) []topo.PortID {
	if d.links == nil {
		d.links = make([]topo.PortID, len(d.wires))
		for id, at := range n.wires {
			if at.domain == d.mail.self {
				d.links[at.index] = topo.PortID(id)
			}
		}
	}
	return d.links
}

// FollowedClass returns the class of a frame. It needs a Follower.
func (n *Network) FollowedClass(id FrameID) uint8 { return n.domains[0].Packets[id].Priority() }

// following is a sim.Handler that shows a domain's frames to its Follower.
type following struct {
	*Domain
	network *Network
}

// follow attaches a Follower to the network.
func (n *Network) follow(f Follower) following {
	d := n.domains[0]
	d.follow = &follow{Follower: f}
	for i := range d.ports {
		d.ports[i].special |= followed
	}
	return following{d, n}
}

// Handle implements sim.Handler.
func (o following) Handle(e sim.Entity, now sim.Time) {
	d := o.Domain
	d.follow.now = now
	if e < d.numbers.firstService {
		if t := d.wires[e].at(d.wires[e].head); t.frame != gone {
			d.follow.Arrived(now, d.arrivals(o.network)[e], t.frame, now-t.departs-d.wires[e].delay)
		}
	}
	d.Handle(e, now)
}

package fabric

import (
	"math/bits"

	"weft/sim"
	"weft/topo"
)

// Hosts are not exact to the picosecond. With Config.HostJitter each frame is late twice: between the
// wire of the host that sends it and the node at the far end, and between the wire of the host that
// it reaches and the endpoint. It draws each delay evenly from 0 on, and keeps its order among all frames of
// the host and direction, whatever their class: it goes on when its delay is over and the one before it has
// gone on. Wires are no less busy, and the counters of their ports know nothing of it; pauses are not late.
// Hosts that take frames slowly count them when they have gone on. Where a link joins two hosts, frames are
// late once.
//
// A draw is a function of the seed, the host and the packet, so that neither cuts nor threads nor what
// else a run does changes it. A frame costs no event more: that of its wire is later.
//
// Source: Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, CCR 21(2),
// 1991; docs/design/0016-host-jitter.md has the size.

// passage is where the frames of a wire are late, at either end.
type passage struct {
	key  uint64   // of the draws; 0 if they are not
	from sim.Time // the next one goes on no earlier
}

// lateness is what a domain knows of frames that are late.
type lateness struct {
	passages []passage // of the wires; nil if hosts are exact
	below    uint64    // how many picoseconds frames are late at most, and one more; at most 2³²
	pulls    bool      // frames of hosts are late at switches of a swept domain
	sending  *passage  // of the host whose frame is being sent, if it is late at a switch of a swept domain
}

// openPassages makes hosts inexact, whose frames are late by a time at most.
func (n *Network) openPassages(most sim.Time) {
	if most <= 0 {
		return
	}
	for _, d := range n.domains {
		d.late.below = uint64(most) + 1
		d.late.passages = make([]passage, len(d.wires))
	}
	for id := range topo.PortID(len(n.wires)) {
		from, to := n.graph.Ends(id)
		at := n.wires[id]
		key := &n.domains[at.domain].late.passages[at.index].key
		for _, node := range []topo.NodeID{from, to} {
			if n.graph.Nodes[node].Kind == topo.Host {
				stream := sim.Stream(n.seed, sim.Hash(n.graph.Nodes[node].Name), "host jitter")
				*key ^= stream.Uint64() | 1<<63
			}
		}
		if n.graph.Nodes[from].Kind == topo.Host {
			sender := n.nodes[from]
			n.domains[sender.domain].nics[sender.index].out.key = *key
		}
	}
}

// draw returns how late a frame is.
func (d *Domain) draw(key uint64, f *Frame) sim.Time {
	packet := uint64(f.Dst())<<40 ^ uint64(f.Seq)<<8 ^ uint64(f.Kind) ^ uint64(f.Group())<<3
	hi, lo := bits.Mul64((uint64(uint32(f.Src()))<<32|uint64(f.Serial))^key, packet^0x9e3779b97f4a7c15)
	x := hi ^ lo
	late, _ := bits.Mul64((x^x>>32)*0xd6e8feb86659fd93, d.late.below)
	return sim.Time(late)
}

// goesOn returns when the first frame of a wire goes on, all of whose frames keep their order. It is ready at a
// time. One that was lost only has to be taken from the ring.
func (d *Domain) goesOn(e sim.Entity, ready sim.Time) sim.Time {
	p := &d.late.passages[e]
	if p.key == 0 {
		return ready
	}
	if id := d.wires[e].at(d.wires[e].head).frame; id != gone {
		ready += d.draw(p.key, &d.Packets[id])
	}
	return max(ready, p.from)
}

// followLate schedules the next frame of a wire after one that goes on, unless that was lost.
func (d *Domain) followLate(e sim.Entity, w *wire, now sim.Time, went bool) {
	p := &d.late.passages[e]
	from := now // no earlier did one before it go on
	if went {
		if w.node >= 0 { // which two frames do not reach over a wire at once
			from++
		}
		p.from = from
	}
	r := w.ring
	if r.head == r.tail {
		return
	}
	next := r.at(r.head)
	at := next.departs + w.delay
	if p.key != 0 {
		if next.frame != gone {
			at += d.draw(p.key, &d.Packets[next.frame])
		}
		at = max(at, from)
	}
	d.sched.Schedule(e, at)
}

// sendLate returns by how many picoseconds a frame is late at the switch at the far end of its host's wire, at
// which it is ready at a time.
func (d *Domain) sendLate(f *Frame, ready sim.Time) int32 {
	p := d.late.sending
	at := max(ready+d.draw(p.key, f), p.from)
	p.from = at + 1
	return int32(at - ready)
}

// lastIn returns when the last frame so far went on to an endpoint.
func (d *Domain) lastIn() (t sim.Time) {
	if d.late.passages == nil {
		return 0
	}
	for i := range d.late.passages[d.numbers.hostWires:] {
		t = max(t, d.late.passages[int(d.numbers.hostWires)+i].from)
	}
	return t
}

// resend has the frames of a host that it sends from now on go on after those that are on their way over a link to a switch
// of a swept domain, and no earlier than a time. It returns the host's way out, nil if no host sends there or none is late.
func (n *Network) resend(id topo.PortID, from sim.Time) *passage {
	out := n.wayOut(id)
	if out == nil {
		return nil
	}
	out.from = from
	rx, e, _ := n.underway(id)
	for f := range rx.swept.wheel.all {
		if f.wire == int32(e) {
			out.from = max(out.from, f.arrives+1)
		}
	}
	return out
}

// wayOut returns where the frames of a link's sender are late that is a host; nil if no host sends there or none is late.
func (n *Network) wayOut(id topo.PortID) *passage {
	node, _ := n.graph.Ends(id)
	at := n.nodes[node]
	d := n.domains[at.domain]
	if d.late.passages == nil || n.graph.Nodes[node].Kind != topo.Host {
		return nil
	}
	return &d.nics[at.index].out
}

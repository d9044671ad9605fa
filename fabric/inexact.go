package fabric

import (
	"math/bits"

	"weft/sim"
	"weft/topo"
)

// Real hosts are not exact to the picosecond. With Config.HostJitter each frame is late twice:
// between the wire of its sender and the node at the far end, and between the wire of its
// receiver and the endpoint. Each delay is uniform from 0 on. Frames of one host and direction
// keep their order, whatever their class: a frame goes on when its delay is over and the frame
// before it has gone on. The wires are busy no longer than otherwise, and their ports' counters
// exclude the delays. Pauses are not late. Hosts that take frames slowly count a frame when it
// has gone on. On a link between two hosts, frames are late once.
//
// A draw is a function of the seed, the host and the packet. Neither partition nor threads
// nor other activity of a run changes it. It adds no event: the arrival moves instead.
//
// Source: Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, CCR 21(2),
//   1991. docs/design/0016-host-jitter.md derives the size.

// passage delays the frames of a wire at one of its ends.
type passage struct {
	key  uint64   // of the draws; 0 if frames are not late
	from sim.Time // earliest time at which the next frame goes on
}

// lateness is a domain's state for late frames.
type lateness struct {
	passages []passage // per wire; nil if hosts are exact
	below    uint64    // largest delay in picoseconds, plus 1; at most 2³²
	pulls    bool      // frames of hosts are late at switches of a swept domain
	sending  *passage  // of the host that is sending, if its frames are late at a switch of a swept domain
}

// openPassages makes hosts inexact: it delays their frames by at most most.
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

// goesOn returns when the first frame of a wire goes on, given when it is ready. All
// frames of the wire keep their order. A lost frame is only taken from the ring.
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

// followLate schedules the next frame of a wire. went reports whether a frame has
// just gone on, rather than a lost one been removed.
func (d *Domain) followLate(e sim.Entity, w *wire, now sim.Time, went bool) {
	p := &d.late.passages[e]
	from := now // no frame goes on before the one ahead of it
	if went {
		if w.node >= 0 { // two frames do not reach a switch over one wire at once
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

// sendLate returns by how many picoseconds a frame is late at the switch at the far
// end of its host's wire, given when it is ready there.
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

// resend resets the order of a host's frames on a link to a switch of a swept domain.
// Frames sent from now on go on after those under way, and no earlier than from. It
// returns the host's passage; nil if no host sends there or its frames are not late.
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

// wayOut returns the passage of the host that sends on a link; nil if no host sends
// there or frames are not late.
func (n *Network) wayOut(id topo.PortID) *passage {
	node, _ := n.graph.Ends(id)
	at := n.nodes[node]
	d := n.domains[at.domain]
	if d.late.passages == nil || n.graph.Nodes[node].Kind != topo.Host {
		return nil
	}
	return &d.nics[at.index].out
}

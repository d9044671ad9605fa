package fabric

import (
	"math/bits"

	"weft/sim"
	"weft/topo"
)

// Hosts are not exact to the picosecond. With Config.HostJitter each frame is late twice: between the
// wire of the host that sends it and the node at the far end, and between the wire of the host that
// it reaches and the endpoint. It draws each delay evenly from 0 on, and keeps its order: on the way out
// among all frames of the host, on the way in among those of its class. It goes on when its delay is over
// and the one before it has gone on. Wires are no less busy, and the counters of their ports know
// nothing of it; pauses are not late. Where a link joins two hosts, frames are late once.
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

// openPassages makes hosts inexact.
func (n *Network) openPassages(c *Config) {
	if c.HostJitter <= 0 {
		return
	}
	for _, d := range n.domains {
		d.hostJitter = uint64(c.HostJitter)
		d.passages = make([]passage, len(d.wires))
	}
	for id := range topo.PortID(len(n.wires)) {
		from, to := n.graph.Ends(id)
		at := n.wires[id]
		key := &n.domains[at.domain].passages[at.index].key
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
	n.openClasses(c)
}

// draw returns how late a frame is.
func (d *Domain) draw(key uint64, f *Frame) sim.Time {
	hi, lo := bits.Mul64((uint64(uint32(f.Src))<<32|uint64(f.Serial))^key, (uint64(f.Seq)<<8|uint64(f.Kind))^0x9e3779b97f4a7c15^key>>7)
	x := hi ^ lo
	hi, _ = bits.Mul64((x^x>>32)*0xd6e8feb86659fd93, d.hostJitter+1)
	return sim.Time(hi)
}

// goesOn returns when the first frame of a wire goes on, all of whose frames keep their order. It is ready at a
// time. One that was lost only has to be taken from the ring.
func (d *Domain) goesOn(e sim.Entity, ready sim.Time) sim.Time {
	p := &d.passages[e]
	if p.key == 0 {
		return ready
	}
	if id := d.wires[e].at(d.wires[e].head).frame; id != gone {
		ready += d.draw(p.key, &d.frames[id])
	}
	return max(ready, p.from)
}

// wentOn notes that a frame of a wire goes on. Two frames do not reach a switch over a wire at once.
func (p *passage) wentOn(now sim.Time, host bool) {
	p.from = now
	if !host {
		p.from++
	}
}

// sendLate returns by how much a frame is late at the switch at the far end of its host's wire, at
// which it is ready at a time. Other frames are not.
func (d *Domain) sendLate(f *Frame, ready sim.Time) sim.Time {
	p := d.sending
	if p == nil || !d.sweeping {
		return 0
	}
	at := max(ready+d.draw(p.key, f), p.from)
	p.wentOn(at, false)
	return at - ready
}

// lastIn returns when the last frame so far went on to an endpoint.
func (d *Domain) lastIn() (t sim.Time) {
	if d.passages == nil {
		return 0
	}
	for i := range d.passages[d.hostWires:] {
		t = max(t, d.passages[int(d.hostWires)+i].from)
	}
	for h := range d.classes {
		for _, from := range d.classes[h].from {
			t = max(t, from)
		}
	}
	return t
}

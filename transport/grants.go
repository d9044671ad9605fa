package transport

import (
	"math/rand/v2"

	"weft/fabric"
	"weft/protocol"
	"weft/sim"
)

// grants is the receiving side of a host's receiver-driven congestion control.
type grants struct {
	protocol.Receiver
	rng     rand.PCG // of the receiver
	entropy rand.PCG // of pulls and requests
	peers   []peer   // by number
	pairs   map[pair]int32
	armed   bool // a deadline is set for the next grant
}

// peer is whom a grant is sent to.
type peer struct {
	group, src, part int32
	message, serial  uint32
}

// noPeer is the number of no connection.
const noPeer int32 = -1

// openReceiver makes the receiving side of a host, if any group has one.
func (e *Endpoint) openReceiver(h *host) {
	for i := range e.t.groups {
		g := &e.t.groups[i]
		if g.Congestion.NewReceiver == nil {
			continue
		}
		r := &grants{}
		sim.SeedStream(&r.rng, e.t.seed, h.name, "grants")
		sim.SeedStream(&r.entropy, e.t.seed, h.name, "grant paths")
		r.Receiver = g.Congestion.NewReceiver(protocol.HostEnv{
			Rand: &r.rng, LineRate: e.t.lineRate(h.id),
			Packet: g.Env.Packet, BDP: g.Env.BDP, BaseRTT: g.Env.BaseRTT,
		})
		h.grants = r
		return
	}
}

// tellReceiver tells the receiving side of a host that a data frame or a request arrived.
func (e *Endpoint) tellReceiver(now sim.Time, h *host, en *entry, f *fabric.Frame, asked *asked) {
	n := e.peer(now, h, en, f, asked.part)
	if n == noPeer {
		return
	}
	a := &e.arrival
	*a = protocol.Arrival{
		Now: now, Peer: n, Wire: asked.wire, Ask: asked.Ask,
		Overdue: f.Kind == request && f.Bits&overdue != 0,
		Trimmed: f.Flags&fabric.Trimmed != 0 && en.inbound != complete && !e.inbound[en.inbound].Has(f.Seq),
		Marked:  f.Flags&fabric.Marked != 0,
	}
	h.grants.Arrived(a)
}

// peer returns the number of the connection that a frame came over, a new one if it is
// the first, and none if it needs nothing any more.
func (e *Endpoint) peer(now sim.Time, h *host, en *entry, f *fabric.Frame, part int32) int32 {
	r := h.grants
	group := int32(f.Group())
	if e.t.groups[group].PerPair {
		key := pair{group, f.Src(), part}
		n, known := r.pairs[key]
		if !known {
			if r.pairs == nil {
				r.pairs = map[pair]int32{}
			}
			n = r.open(now, peer{group: group, src: f.Src(), part: part})
			r.pairs[key] = n
		}
		return n
	}
	if en.inbound == complete {
		return noPeer
	}
	in := &e.inbound[en.inbound]
	if in.peer == noPeer {
		in.peer = r.open(now, peer{group, f.Src(), part, f.Message, f.Serial})
	}
	return in.peer
}

func (r *grants) open(now sim.Time, p peer) int32 {
	n := r.Open(now)
	if int(n) == len(r.peers) {
		r.peers = append(r.peers, peer{})
	}
	r.peers[n] = p
	return n
}

// leave ends the connection of a message that arrived in full.
func (e *Endpoint) leave(now sim.Time, h *host, in *inbound) {
	if in.peer != noPeer {
		h.grants.Close(now, in.peer)
		in.peer = noPeer
	}
}

// grant sends the grants that are due and sets a deadline for the next one.
func (e *Endpoint) grant(now sim.Time, h int32) {
	host := &e.hosts[h]
	r := host.grants
	g := &e.granted
	for r.Next(now, g) {
		p := &r.peers[g.Peer]
		id := e.control(host, &e.t.groups[p.group], p.group, pull, p.src)
		f := e.d.Frame(id)
		f.Message, f.Serial, f.Seq, f.Aux = p.message, p.serial, g.Total, uint32(p.part)
		host.control.push(id)
		e.counts.Pulls++
		e.counts.CreditGranted += uint64(g.New)
		e.counts.CreditGrantedAgain += uint64(g.Again)
	}
	if r.armed {
		return
	}
	if at, ok := r.Deadline(); ok {
		r.armed = true
		e.setDeadline(host, h, deadline{at: at, source: dueGrant})
	}
}

// receiveRequest handles a sender's request for credit.
func (e *Endpoint) receiveRequest(now sim.Time, h int32, id fabric.FrameID) {
	host := &e.hosts[h]
	asked := e.takeAsk(id)
	f := e.d.Frame(id)
	entry := e.incoming(host, f, f.Aux)
	if entry == nil {
		e.d.Free(id)
		return
	}
	e.tellReceiver(now, host, entry, f, &asked)
	if entry.inbound == complete { // acknowledgements were lost; this one is for all packets
		f.Seq = noPacket
		e.reply(id, ack, f.Aux)
		host.control.push(id)
	} else {
		e.d.Free(id)
	}
	e.grant(now, h)
}

// noPacket is the number of no packet.
const noPacket = 1<<32 - 1

// otherDeadline handles the deadlines of credit, probes, pacing and controls.
func (e *Endpoint) otherDeadline(now sim.Time, h int32, d deadline) {
	host := &e.hosts[h]
	again := false
	switch d.source {
	case dueGrant:
		host.grants.armed = false
		e.grant(now, h)
	case overdueCredit:
		d.at, again = e.starved(now, h, d)
	case dueProbe:
		e.probeAgain(now, d)
	case duePacket:
		d.at, again = e.paced(now, h, d)
	case dueControl:
		e.expireControl(now, h, d)
	case dueBundle:
		d.at, again = e.spaced(now, h, d)
	}
	if again {
		host.deadlines.push(d)
	}
}

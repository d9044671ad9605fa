package receiving

import (
	"math/rand/v2"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// grants is the receiving side of a host's receiver-driven congestion control.
type grants struct {
	protocol.Receiver
	rng   rand.PCG // the receiver's stream
	paths rand.PCG // stream of the entropies it sends with
	peers []peer   // by connection number
	pairs map[end.Pair]int32
	armed bool // a deadline is set for the next grant
}

// peer is the destination of a grant.
type peer struct {
	group, src, part int32
	message, serial  uint32
}

// openGrants creates a host's receiving side, if any group has one.
func (s *Side) openGrants(h *host) {
	for i := range s.Network.Groups {
		g := &s.Network.Groups[i]
		if g.Congestion.NewReceiver == nil {
			continue
		}
		r := &grants{}
		h.Seed(&r.rng, s.Network, "grants")
		h.GrantPaths = &r.paths
		h.Seed(&r.paths, s.Network, "grant paths")
		r.Receiver = g.Congestion.NewReceiver(protocol.HostEnv{
			Rand: &r.rng, LineRate: h.Line,
			Packet: g.Env.Packet, BDP: g.Env.BDP, BaseRTT: g.Env.BaseRTT,
		})
		h.grants = r
		return
	}
}

// reportArrival tells a host's receiving side that a data packet or a request arrived.
func (s *Side) reportArrival(now unit.Time, h *host, en *entry, p *packet.Packet, asked *packet.Ask) {
	n := s.peer(now, h, en, p, asked.Part)
	if n == noPeer {
		return
	}
	a := &s.arrival
	*a = protocol.Arrival{
		Now: now, Peer: n, Wire: unit.Bytes(asked.Wire), Ask: asked.Ask,
		Overdue: p.Kind == end.Request && p.Bits&end.Overdue != 0,
		Trimmed: p.Flags&packet.Trimmed != 0 && en.inbound != complete && !s.inbound[en.inbound].Has(p.Seq),
		Marked:  p.Flags&packet.Marked != 0,
	}
	h.grants.Arrived(a)
}

// peer returns the number of a packet's connection, opened if needed. It returns noPeer if the
// message is complete and needs no more credit.
func (s *Side) peer(now unit.Time, h *host, en *entry, p *packet.Packet, part int32) int32 {
	r := h.grants
	group := int32(p.Group())
	if s.Network.Groups[group].PerPair {
		key := end.Pair{Group: group, Peer: p.Src(), Part: part}
		n, known := r.pairs[key]
		if !known {
			if r.pairs == nil {
				r.pairs = map[end.Pair]int32{}
			}
			n = r.open(now, peer{group: group, src: p.Src(), part: part})
			r.pairs[key] = n
		}
		return n
	}
	if en.inbound == complete {
		return noPeer
	}
	in := &s.inbound[en.inbound]
	if in.peer == noPeer {
		in.peer = r.open(now, peer{group, p.Src(), part, p.Message, p.Serial})
	}
	return in.peer
}

func (r *grants) open(now unit.Time, p peer) int32 {
	n := r.Open(now)
	if int(n) == len(r.peers) {
		r.peers = append(r.peers, peer{})
	}
	r.peers[n] = p
	return n
}

// closeConnection closes the connection of a message that is done.
func (h *host) closeConnection(now unit.Time, in *inbound) {
	if in.peer != noPeer {
		h.grants.Close(now, in.peer)
		in.peer = noPeer
	}
}

// Due handles the deadline of a host's next grant.
func (s *Side) Due(now unit.Time, local int32) {
	s.hosts[local].grants.armed = false
	s.Grant(now, local)
}

// Grant sends the grants that are due and sets a deadline for the next one.
func (s *Side) Grant(now unit.Time, local int32) {
	h := &s.hosts[local]
	r := h.grants
	g := &s.granted
	for r.Next(now, g) {
		to := &r.peers[g.Peer]
		id := h.Control(s.Store, &s.Network.Groups[to.group], uint8(to.group), end.Pull, to.src, h.GrantEntropy())
		p := s.Store.At(id)
		p.Message, p.Serial, p.Seq, p.Aux = to.message, to.serial, g.Total, uint32(to.part)
		h.Out.Push(id)
		s.Counts.Pulls++
		s.Counts.CreditGranted += uint64(g.New)
		s.Counts.CreditGrantedAgain += uint64(g.Again)
	}
	if r.armed {
		return
	}
	if at, ok := r.Deadline(); ok {
		r.armed = true
		s.Await(h.Host, end.Deadline{At: at, What: end.DueGrant})
	}
}

// Request handles a sender's request for credit.
func (s *Side) Request(now unit.Time, local int32, id packet.ID) {
	h := &s.hosts[local]
	p := s.Store.At(id)
	asked := *s.Store.Ask(p)
	s.Store.Strip(id)
	entry := s.incoming(now, h, p, p.Aux)
	if entry == nil {
		s.Store.Free(id)
		return
	}
	s.reportArrival(now, h, entry, p, &asked)
	if entry.inbound == complete { // the acknowledgements were lost; this one covers all packets
		p.Seq = end.NoPacket
		s.reply(id, end.Ack, p.Aux)
		h.Out.Push(id)
	} else {
		s.Store.Free(id)
	}
	s.Grant(now, local)
}

package receiving

import (
	"math/rand/v2"
	"reflect"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// answers is a host's receiving end of a congestion control that adds information to
// acknowledgements (protocol.Answerer).
type answers struct {
	protocol.Answerer
	rng   rand.PCG
	paths rand.PCG // of advices
	// advertiser is the Answerer if it advises hosts, else nil.
	advertiser protocol.Advertiser
	pairs      map[end.Pair]int32 // numbers of connections with PerPair
}

// openAnswers creates a host's receiving ends. Groups share one as protocol.Answerer says.
func (s *Side) openAnswers(h *host) {
	for i := range s.Network.Groups {
		g := &s.Network.Groups[i]
		if g.Congestion.NewAnswerer == nil {
			continue
		}
		if s.answers == nil {
			s.answers = make([]*answers, len(s.Hosts)*len(s.Network.Groups))
		}
		at := &s.answers[int(h.Local)*len(s.Network.Groups)+i]
		if *at = s.sharedAnswers(h, i); *at != nil {
			continue
		}
		a := &answers{pairs: map[end.Pair]int32{}}
		sim.SeedStream(&a.rng, s.Network.Seed, h.Name+uint64(i), "answers")
		env := protocol.HostEnv{
			Rand: &a.rng, LineRate: h.Line,
			Packet: g.Env.Packet, BDP: g.Env.BDP, BaseRTT: g.Env.BaseRTT,
			Host: h.ID, Hosts: int32(len(s.Network.Names)), Payload: g.Payload, Header: g.Header, Control: g.AckSize,
			Tenants: s.Network.Tenants, Convergence: s.Convergence,
		}
		a.Answerer = g.Congestion.NewAnswerer(env)
		if g.Congestion.Advertise {
			a.advertiser, _ = a.Answerer.(protocol.Advertiser)
			sim.SeedStream(&a.paths, s.Network.Seed, h.Name+uint64(i), "advices")
		}
		*at = a
	}
}

// answersOf returns a group's receiving end at a host, or nil. s.answers must not be nil.
func (s *Side) answersOf(h *host, group uint8) *answers {
	return s.answers[int(h.Local)*len(s.Network.Groups)+int(group)]
}

// sharedAnswers returns the receiving end of an earlier group that serves group i too, or nil.
func (s *Side) sharedAnswers(h *host, i int) *answers {
	for j := range i {
		if with := s.Network.Groups[j].Congestion.Receivers; s.answersOf(h, uint8(j)) != nil && with != nil &&
			reflect.DeepEqual(with, s.Network.Groups[i].Congestion.Receivers) {
			return s.answersOf(h, uint8(j))
		}
	}
	return nil
}

// hear tells the receiving end of a packet's group that the packet arrived, for the first time or
// again.
func (s *Side) hear(now unit.Time, h *host, in *inbound, p *packet.Packet, incast *protocol.Incast, copied, ends bool) {
	group := int32(p.Group())
	a := s.answersOf(h, uint8(group))
	if a == nil {
		return
	}
	begins := in.heard == noPeer
	if begins {
		g := &s.Network.Groups[group]
		in.heard = a.connection(now, g.PerPair, end.Pair{Group: group, Peer: p.Src()}, g.Tenant)
	}
	in.backlog = in.backlog || p.Flags&end.Backlog != 0
	heard := &s.heard
	*heard = protocol.Heard{
		Now: now, Peer: in.heard, Wire: unit.Bytes(p.Size),
		Marked: p.Flags&packet.Marked != 0, Trimmed: p.Flags&packet.Trimmed != 0, Again: copied,
		Begins: begins, Ends: ends, Incast: incast, Confirms: p.Bits&end.Confirms != 0,
		Message: p.Serial, Backlog: ends && in.backlog,
	}
	a.Heard(heard)
	for a.advertiser != nil && a.advertiser.Advise(now, &s.advice) {
		s.advices = append(s.advices, advice{s.advice, uint8(group), uint16(a.paths.Uint64() >> 48)})
	}
	if heard.Kept && heard.Marked && !copied && !heard.Trimmed {
		s.Packets[group].Kept++
	}
}

// advice is a share for a host that has not begun to send, with the path of the packet that carries it.
type advice struct {
	protocol.Advice
	group   uint8
	entropy uint16
}

// Advise sends the advices that the last data packet at a host caused. It runs after that packet is released, since new
// packets may move the packets of the store.
func (s *Side) Advise(local int32) {
	h := &s.hosts[local]
	for _, a := range s.advices {
		g := &s.Network.Groups[a.group]
		id := h.Control(s.Store, g, a.group, end.Advice, a.Host, a.entropy)
		p := s.Store.At(id)
		p.Size += uint16(g.Congestion.AnswerBytes)
		*s.Store.AddAnswer(p) = a.Answer
		h.Out.Push(id)
		s.Counts.Advices++
	}
	s.advices = s.advices[:0]
}

// Advises reports whether Advise has something to send.
func (s *Side) Advises() bool { return len(s.advices) > 0 }

// connection returns the number of a message's connection and opens it if needed.
func (a *answers) connection(now unit.Time, perPair bool, key end.Pair, tenant uint8) int32 {
	if !perPair {
		return a.Open(now, key.Peer, tenant)
	}
	n, known := a.pairs[key]
	if !known {
		n = a.Open(now, key.Peer, tenant)
		a.pairs[key] = n
	}
	return n
}

// answer adds the receiving end's answer to an acknowledgement.
func (s *Side) answer(now unit.Time, h *host, in *inbound, id packet.ID) {
	p := s.Store.At(id)
	group := p.Group()
	a := s.answersOf(h, uint8(group))
	if a == nil {
		return
	}
	if words, ok := a.Answer(now, in.heard); ok {
		p.Size += uint16(s.Network.Groups[group].Congestion.AnswerBytes)
		*s.Store.AddAnswer(p) = words
	}
}

// endAnswers closes the connection of a message that is done, unless it serves a pair of hosts.
func (s *Side) endAnswers(now unit.Time, h *host, in *inbound, group uint8) {
	if a := s.answersOf(h, group); a != nil && !s.Network.Groups[group].PerPair {
		a.Close(now, in.heard)
	}
	in.heard = noPeer
}

// withdrawn tells a group's receiving end that a message will not arrive in full. peer is the
// number of its connection, or noPeer if nothing of the message has arrived.
func (s *Side) withdrawn(now unit.Time, h *host, src int32, group uint8, peer int32, serial uint32, backlog bool) {
	g := &s.Network.Groups[group]
	if s.answers == nil || !g.PerPair || peer == noPeer && !g.Congestion.Backlog {
		return
	}
	a := s.answersOf(h, group)
	if a == nil {
		return
	}
	w, ok := a.Answerer.(protocol.Withdrawer)
	if !ok {
		return
	}
	m := protocol.Withdrawn{Peer: peer, Message: serial, Backlog: backlog, Begun: peer != noPeer}
	if !m.Begun {
		m.Peer = a.connection(now, true, end.Pair{Group: int32(group), Peer: src}, g.Tenant)
	}
	w.Withdrawn(now, m)
}

// takeList reads the list of senders from a data packet, if it has one, and subtracts the list
// from the packet's size.
func (s *Side) takeList(p *packet.Packet) *protocol.Incast {
	l := s.Store.List(p)
	if l == nil {
		return nil
	}
	in := &s.incast
	in.ID = uint64(p.Group())<<32 | uint64(l.Number)
	in.Senders = append(in.Senders[:0], l.Senders[:l.Length]...)
	if p.Flags&packet.Trimmed == 0 {
		g := &s.Network.Groups[p.Group()]
		p.Size -= uint16(g.Congestion.ListBytes * unit.Bytes(len(in.Senders)))
	}
	return in
}

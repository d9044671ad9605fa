package transport

import (
	"math/rand/v2"
	"reflect"

	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// answers is the receiving end at a host of a congestion control that has something to say in
// acknowledgements.
type answers struct {
	protocol.Answerer
	rng   rand.PCG
	pairs map[pair]int32 // numbers of connections that pairs of hosts keep
}

// openAnswers makes the receiving ends of a host. Groups share one as protocol.Answerer says.
func (e *Endpoint) openAnswers(h *host) {
	for i := range e.t.groups {
		g := &e.t.groups[i]
		if g.Congestion.NewAnswerer == nil {
			continue
		}
		if h.answers == nil {
			h.answers = make([]*answers, len(e.t.groups))
		}
		if h.answers[i] = e.sharedAnswers(h, i); h.answers[i] != nil {
			continue
		}
		a := &answers{pairs: map[pair]int32{}}
		sim.SeedStream(&a.rng, e.t.seed, h.name+uint64(i), "answers")
		env := protocol.HostEnv{
			Rand: &a.rng, LineRate: h.line,
			Packet: g.Env.Packet, BDP: g.Env.BDP, BaseRTT: g.Env.BaseRTT,
			Host: h.id, Hosts: int32(len(e.t.names)), Payload: g.Payload, Header: g.Header, Control: g.AckSize,
			Tenants: tenants{e.t},
		}
		a.Answerer = g.Congestion.NewAnswerer(env)
		h.answers[i] = a
	}
}

// sharedAnswers returns the receiving end of a group before number i that serves that one too,
// or nil.
func (e *Endpoint) sharedAnswers(h *host, i int) *answers {
	for j := range i {
		if with := e.t.groups[j].Congestion.Receivers; h.answers[j] != nil && with != nil &&
			reflect.DeepEqual(with, e.t.groups[i].Congestion.Receivers) {
			return h.answers[j]
		}
	}
	return nil
}

// hear tells the receiving end of a frame's group that it arrived, for the first time or again.
func (e *Endpoint) hear(now sim.Time, h *host, in *inbound, f *fabric.Frame, incast *protocol.Incast, copied, ends bool) {
	group := int32(f.Group())
	a := h.answers[group]
	if a == nil {
		return
	}
	begins := in.heard == noPeer
	if begins {
		g := &e.t.groups[group]
		in.heard = a.connection(now, g.PerPair, pair{group: group, dst: f.Src()}, g.Tenant)
	}
	heard := &e.heard
	*heard = protocol.Heard{
		Now: now, Peer: in.heard, Wire: unit.Bytes(f.Size),
		Marked: f.Flags&fabric.Marked != 0, Trimmed: f.Flags&fabric.Trimmed != 0, Again: copied,
		Begins: begins, Ends: ends, Incast: incast,
	}
	a.Heard(heard)
	if heard.Kept && heard.Marked && !copied && !heard.Trimmed {
		e.packets[group].Kept++
	}
}

// connection returns the number of the connection that a message's first frame came over.
func (a *answers) connection(now sim.Time, perPair bool, key pair, tenant uint8) int32 {
	if !perPair {
		return a.Open(now, key.dst, tenant)
	}
	n, known := a.pairs[key]
	if !known {
		n = a.Open(now, key.dst, tenant)
		a.pairs[key] = n
	}
	return n
}

// answer puts what the receiving end says into an acknowledgement.
func (e *Endpoint) answer(now sim.Time, h *host, in *inbound, id fabric.FrameID) {
	f := e.d.Frame(id)
	group := f.Group()
	a := h.answers[group]
	if a == nil {
		return
	}
	words, ok := a.Answer(now, in.heard)
	if !ok {
		return
	}
	f.Bits |= answered
	f.Size += uint16(e.t.groups[group].Congestion.AnswerBytes)
	x := e.d.Extension(id)
	if x == nil || !e.t.groups[group].coalesces() {
		before := e.aux(id)
		if x == nil {
			x = e.d.Extend(id)
		}
		x[0] = uint64(before)
	} else if n := x[5] & 0xffff; n > AnsweredEntropies {
		x[5] -= n - AnsweredEntropies
	}
	copy(x[answerWord:], words[:])
}

// answerWord is where the answer stands in an extension, behind AnsweredEntropies, the most that
// a coalesced acknowledgement returns beside one.
const (
	answerWord        = 8
	AnsweredEntropies = 8
)

// takeAnswer reads what answer wrote, and returns the report that was there before, or, if that
// is nil, what the acknowledgement of a single packet has in its place.
func takeAnswer(g *Group, x *fabric.Extension, a *protocol.Ack) (report *fabric.Extension, before uint32) {
	a.Answered, a.Answer = true, protocol.Answer(x[answerWord:])
	if g.coalesces() {
		return x, 0
	}
	return nil, uint32(x[0])
}

// endAnswers ends the connection of a message that arrived in full.
func (e *Endpoint) endAnswers(now sim.Time, h *host, in *inbound, group uint8) {
	if a := h.answers[group]; a != nil && !e.t.groups[group].PerPair {
		a.Close(now, in.heard)
	}
	in.heard = noPeer
}

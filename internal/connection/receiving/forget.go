package receiving

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/unit"
)

// This file ends messages that will not arrive in full.

// Withdraw handles the news that a message was cancelled. Packets of the message that come later
// count as late copies.
func (s *Side) Withdraw(now unit.Time, local int32, id packet.ID) {
	h, p := &s.hosts[local], s.Store.At(id)
	backlog := p.Flags&end.Backlog != 0
	switch en := h.incoming.find(p.Src(), p.Message); {
	case en == nil || int32(p.Serial-en.serial) > 0:
		if en != nil && en.inbound != complete {
			s.abandon(now, h, en, false)
		}
		en, _ = h.incoming.at(p.Src(), p.Message)
		en.serial, en.inbound = p.Serial, complete
		s.withdrawn(now, h, p.Src(), p.Group(), noPeer, p.Serial, backlog)
	case en.serial == p.Serial && en.inbound != complete:
		s.abandon(now, h, en, backlog)
	}
	delete(h.parts, end.Identify(int32(p.Group()), p.Src(), p.Serial))
	s.Store.Free(id)
}

// Forget discards all of a host's state about another host: partial messages, and the connections
// of its receiving ends. A later host with the same number is a new one.
func (s *Side) Forget(now unit.Time, local, peer int32) {
	h := &s.hosts[local]
	old := h.incoming.entries
	h.incoming = table{entries: make([]entry, tableStart)}
	for i := range old {
		switch en := &old[i]; {
		case en.src == 0:
		case en.src == peer+1:
			if en.inbound != complete {
				s.abandon(now, h, en, false)
			}
		default:
			kept, _ := h.incoming.at(en.src-1, en.message)
			*kept = *en
		}
	}
	for name := range h.parts {
		if int32(name>>32)&(packet.MaxHosts-1) == peer {
			delete(h.parts, name)
		}
	}
	if h.grants != nil {
		for _, key := range end.PairsWith(h.grants.pairs, peer) {
			h.grants.Close(now, h.grants.pairs[key])
			delete(h.grants.pairs, key)
		}
	}
	if s.answers == nil {
		return
	}
	for group := range s.Network.Groups {
		a := s.answersOf(h, uint8(group))
		if a == nil {
			continue
		}
		for _, key := range end.PairsWith(a.pairs, peer) { // groups that share it find no keys left
			a.Close(now, a.pairs[key])
			delete(a.pairs, key)
		}
	}
}

// abandon ends a message that has arrived in part. backlog says whether other messages wait
// behind it.
func (s *Side) abandon(now unit.Time, h *host, en *entry, backlog bool) {
	in := &s.inbound[en.inbound]
	s.releaseHeld(in)
	h.closeConnection(now, in)
	if in.heard != noPeer {
		s.withdrawn(now, h, en.src-1, in.group, in.heard, en.serial, backlog)
	}
	if s.answers != nil {
		s.endAnswers(now, h, in, in.group)
	}
	in.generation++ // invalidates its deadline
	s.spare = append(s.spare, en.inbound)
	en.inbound = complete
}

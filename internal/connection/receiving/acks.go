package receiving

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// reply turns a data packet into the acknowledgement or report that answers it.
// It keeps the packet's entropy, by which it is routed too. It has the packet's mark, also if
// the receiving end of the control kept that from the sender's (protocol.Heard.Kept).
func (s *Side) reply(id packet.ID, kind uint8, aux uint32) {
	p := s.Store.At(id)
	g := &s.Network.Groups[p.Group()]
	p.TurnBack()
	p.Size = uint16(g.AckSize)
	p.Kind = kind
	p.Bits &= end.Again
	if p.Flags&(packet.Marked|packet.Trimmed) != 0 { // a trimmed one met a full queue
		p.Bits |= end.Marked
	}
	if p.Tracked() {
		s.Store.Return(id, aux)
	} else {
		p.Flags, p.Aux = 0, aux
	}
	p.SetClass(g.AckClass, g.Spray)
	s.Counts.Acks++
}

// track gives an acknowledgement of a group a trail, if switches stamp those.
func (s *Side) track(g *end.Group, id packet.ID) {
	if g.Congestion.Stamping == protocol.OnAcks {
		s.Store.Track(id, packet.Backward, uint16(g.Congestion.StampBytes))
	}
}

// coalesce reports a packet with others, at once if need be, as for one that had arrived before.
func (s *Side) coalesce(now unit.Time, h *host, g *end.Group, in *inbound, id packet.ID, atOnce, copied bool) {
	p := s.Store.At(id)
	if !in.Spans(p.Seq) {
		extra := s.Store.Alloc()
		p = s.Store.At(id)
		x := s.Store.At(extra)
		*x = *p
		x.Flags = 0
		x.Seq, x.Entropy = in.seq, in.entropy
		x.Bits |= end.Again // perhaps: which copy came is not remembered
		if in.marked {
			x.Flags |= packet.Marked
		}
		s.flush(now, h, in, extra)
		p = s.Store.At(id)
	}
	in.seq, in.entropy, in.marked = p.Seq, p.Entropy, p.Flags&packet.Marked != 0
	prompt := in.marked && g.Congestion.PromptMarks
	if in.Note(p.Seq, in.marked, p.Entropy) >= g.AckEvery || atOnce || copied || prompt || p.Bits&end.AskAck != 0 {
		s.flush(now, h, in, id)
		if copied {
			s.Store.At(id).Bits |= end.Copied
		}
		return
	}
	s.letGo(in)
	if p.Way() != packet.Forward {
		s.Store.Free(id)
		return
	}
	in.held, in.keeps = id, true
}

// letGo frees the packet that a message keeps.
func (s *Side) letGo(in *inbound) {
	if in.keeps {
		in.keeps = false
		s.Store.Free(in.held)
	}
}

// Report acknowledges what has waited for AckDelay, and returns when to look again, if need be.
func (s *Side) Report(now unit.Time, local int32, d end.Deadline) (at unit.Time, again bool) {
	in := &s.inbound[d.Slot]
	if in.generation != d.Serial {
		return 0, false
	}
	at, in.armed = s.reportOverdue(now, &s.hosts[local], in)
	return at, in.armed
}

func (s *Side) reportOverdue(now unit.Time, h *host, in *inbound) (unit.Time, bool) {
	due := in.since + s.Network.Groups[in.group].AckDelay
	if in.Pending() == 0 || due > now {
		return due, in.Pending() > 0
	}
	if in.keeps {
		in.keeps = false
		s.Store.At(in.held).Bits |= end.Again
		s.flush(now, h, in, in.held)
		return 0, false
	}
	id := s.Store.Alloc()
	p := s.Store.At(id)
	p.Address(in.src, h.ID, in.group)
	p.Message, p.Serial, p.Seq = in.message, in.serial, in.seq
	p.Entropy, p.Bits = in.entropy, end.Again
	if in.marked {
		p.Flags = packet.Marked
	}
	s.flush(now, h, in, id)
	return 0, false
}

// flush sends all that is pending as the answer to a data packet.
func (s *Side) flush(now unit.Time, h *host, in *inbound, id packet.ID) {
	s.letGo(in)
	g := &s.Network.Groups[s.Store.At(id).Group()]
	if g.AckBitmap {
		in.FlushWide(&s.flushed)
	} else {
		in.Flush(&s.flushed)
	}
	s.reply(id, end.Ack, 0)
	end.WriteReport(&s.flushed, s.Store.AddReport(s.Store.At(id)))
	if s.answers != nil {
		s.answer(now, h, in, id)
	}
	s.track(g, id)
	h.Out.Push(id)
}

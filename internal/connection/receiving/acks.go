package receiving

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// reply turns a data packet into the acknowledgement or report that answers it. The answer keeps
// the packet's entropy, which also routes it. It carries the packet's mark even if the receiving
// end of the control withheld that from the sender's control (protocol.Heard.Kept).
func (s *Side) reply(id packet.ID, kind uint8, aux uint32) {
	p := s.Store.At(id)
	g := &s.Network.Groups[p.Group()]
	p.TurnBack()
	p.Size = uint16(g.AckSize)
	p.Kind = kind
	p.Bits &= end.Again
	if p.Flags&(packet.Marked|packet.Trimmed) != 0 { // a trimmed packet met a full queue
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

// track gives an acknowledgement a trail if switches stamp the group's acknowledgements.
func (s *Side) track(g *end.Group, id packet.ID) {
	if g.Congestion.Stamping == protocol.OnAcks {
		s.Store.Track(id, packet.Backward, uint16(g.Congestion.StampBytes))
	}
}

// coalesce adds a packet to the pending acknowledgement and sends that if it is due: atOnce
// forces it, as do copied packets, which had arrived before.
func (s *Side) coalesce(now unit.Time, h *host, g *end.Group, in *inbound, id packet.ID, atOnce, copied bool) {
	p := s.Store.At(id)
	if !in.Spans(p.Seq) {
		extra := s.Store.Alloc()
		p = s.Store.At(id)
		x := s.Store.At(extra)
		*x = *p
		x.Flags = 0
		x.Seq, x.Entropy = in.seq, in.entropy
		x.Bits |= end.Again // perhaps a copy: which one arrived is not remembered
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
	s.releaseHeld(in)
	if p.Way() != packet.Forward {
		s.Store.Free(id)
		return
	}
	in.held, in.keeps = id, true
}

// releaseHeld frees the packet that a message keeps.
func (s *Side) releaseHeld(in *inbound) {
	if in.keeps {
		in.keeps = false
		s.Store.Free(in.held)
	}
}

// Report acknowledges packets that have waited for AckDelay. It returns the time of the next
// check if one is needed.
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

// flush acknowledges all pending packets in the answer to a data packet.
func (s *Side) flush(now unit.Time, h *host, in *inbound, id packet.ID) {
	s.releaseHeld(in)
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

package receiving

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol/reliable"
)

// inquire answers a sender that asks what has arrived of a message. By then, all packets sent
// earlier on the inquiry's path have arrived or are lost. A trimmed inquiry has overtaken
// packets, so it gets no answer.
func (s *Side) inquire(local int32, id packet.ID) {
	h, p := &s.hosts[local], s.Store.At(id)
	r, en := &s.flushed, h.incoming.find(p.Src(), p.Message)
	switch {
	case p.Flags&packet.Trimmed != 0 || en != nil && int32(p.Serial-en.serial) < 0:
		s.Store.Free(id)
		return
	case en == nil || en.serial != p.Serial: // nothing of it has arrived
		*r = reliable.Report{}
		if p.Seq >= reliable.SelectiveBits {
			r.Base = p.Seq
		}
	case en.inbound == complete:
		*r = reliable.Report{Expected: s.Store.Aux(p)}
	default:
		in := &s.inbound[en.inbound]
		s.releaseHeld(in)
		in.About(p.Seq)
		in.FlushWide(r)
	}
	p.TurnBack()
	p.Kind, p.Bits = end.Echo, end.Inquiry
	p.Flags &= packet.Extended
	p.SetClass(s.Network.Groups[p.Group()].AckClass, s.Network.Groups[p.Group()].Spray)
	end.WriteReport(r, s.Store.AddReport(p))
	h.Out.Push(id)
}

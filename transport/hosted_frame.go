package transport

import (
	"weft/fabric"
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// A packet of a host transport fits into the frame alone if its numbers are small and
// it has no other fields, as most data packets and grants do. Otherwise it has a view:
//
//	Kind     end.Hosted
//	Bits     the transport's kind, and the bits below
//	Serial   the message's ordinal, from the tag
//	Message  its number in 26 bits, and bits 17 to 12 of the amount
//	Seq      the offset in 26 bits, and bits 11 to 6 of the amount
//	Aux      the size in 26 bits, and bits 5 to 0 of the amount
//
// With a view (packet.Host), Seq is a number that distinguishes the packets of a
// message: see fabric.Config.HostJitter. The packet alone determines whether it has
// a view, so that this does not depend on how the network is partitioned.

// Bits of a frame, above the transport's kind.
const (
	hostKindMask uint8 = protocol.HostKinds - 1

	taggedBit    uint8 = 1 << 4 // the message is recorded
	payloadBit   uint8 = 1 << 5
	resentBit    uint8 = 1 << 6
	congestedBit uint8 = 1 << 7
)

const (
	smallBits   = 26
	small       = 1<<smallBits - 1
	amountBits  = 3 * (32 - smallBits)
	smallAmount = 1<<amountBits - 1
	partBits    = 32 - smallBits
	part6       = 1<<partBits - 1
)

// inline are the flags that fit into a frame's bits or that receivers ignore.
const inline = protocol.Resent | protocol.Congested | protocol.Pinned

// compact reports whether a packet fits into a frame without a view.
func (e *Endpoint) compact(p *protocol.Packet, g *end.Group) bool {
	if p.Flags&^inline != 0 || p.More != nil || uint64(p.Message)|uint64(p.Offset)|uint64(p.Size) > small || uint64(p.Amount) > smallAmount {
		return false
	}
	if uint64(p.Number)|uint64(p.Extra)|uint64(p.SentAt)|uint64(p.EchoAt)|uint64(p.Echo) != 0 {
		return false
	}
	if p.Payload == 0 {
		return true
	}
	// A receiver must know the payload of trimmed or padded packets without their
	// size. For all others the size determines it.
	padded := g.Congestion.Host.Padded
	return (padded || p.Wire == natural(p, g)) &&
		(!g.Env.Trims && !padded || p.Payload == min(g.Payload+lighter(g, p.Kind), p.Size-p.Offset))
}

// lighter returns how many bytes of header the data packets of a kind save.
func lighter(g *end.Group, kind uint8) unit.Bytes {
	return unit.Bytes(g.Congestion.Host.Lighter[kind%protocol.HostKinds])
}

// hostedPacket is a packet with room for its More.
type hostedPacket struct {
	protocol.Packet
	more protocol.More
}

// writePacket returns a frame that carries a packet from a host to its peer.
func (e *Endpoint) writePacket(src int32, p *protocol.Packet) fabric.FrameID {
	g := &e.t.net.Groups[p.Group]
	id := e.d.Alloc()
	f := e.d.Frame(id)
	f.Address(src, p.Peer, p.Group)
	f.Size, f.Entropy = uint16(p.Wire), p.Entropy
	f.Kind = end.Hosted
	f.Bits = p.Kind & hostKindMask
	if p.Tag&measuredTag != 0 {
		f.Bits |= taggedBit
	}
	f.Serial = uint32(p.Tag)
	f.SetClass(p.Class, g.Spray)
	if p.Payload > 0 {
		f.Bits |= payloadBit
	}
	if p.Flags&protocol.Resent != 0 {
		f.Bits |= resentBit
	}
	if p.Flags&protocol.Congested != 0 {
		f.Bits |= congestedBit
	}
	if e.compact(p, g) {
		amount := uint32(p.Amount)
		f.Message = p.Message<<partBits | amount>>(2*partBits)
		f.Seq = uint32(p.Offset)<<partBits | amount>>partBits&part6
		f.Aux = uint32(p.Size)<<partBits | amount&part6
		return id
	}
	f.Seq = uint32(p.Offset) ^ uint32(p.Amount)<<16 ^ p.Number*0x9e3779b1
	*e.d.AddHost(f) = packet.Host{
		Message: p.Message, Payload: uint32(p.Payload), Offset: p.Offset, Size: p.Size, Amount: p.Amount,
		Flags: p.Flags, Echo: p.Echo, Number: p.Number, Extra: p.Extra, SentAt: p.SentAt, EchoAt: p.EchoAt,
	}
	if p.More != nil {
		*e.d.Store.AddMore(f) = *p.More
	}
	return id
}

// countOther counts a packet that is not payload sent for the first time.
func (e *Endpoint) countOther(h *host, p *protocol.Packet) {
	if p.Payload == 0 {
		e.Counts.Acks++
		return
	}
	e.countResent(h, p)
}

// countResent counts a retransmission.
func (e *Endpoint) countResent(h *host, p *protocol.Packet) {
	e.Counts.Retransmits++
	if o, _ := h.hosted.outgoing[p.Group].at(p.Tag); o.record >= 0 {
		e.records.at(o.record).Retransmits++
	}
}

// readPacket reads what writePacket wrote. It copies More, since the frame is freed
// before More is used.
func (e *Endpoint) readPacket(id fabric.FrameID, to *hostedPacket) {
	f := e.d.Frame(id)
	g := &e.t.net.Groups[f.Group()]
	p := &to.Packet
	*p = protocol.Packet{
		Peer: f.Src(), Kind: f.Bits & hostKindMask, Group: f.Group(),
		Entropy: f.Entropy, Tag: uint64(f.Serial), Wire: unit.Bytes(f.Size),
	}
	if f.Bits&taggedBit != 0 {
		p.Tag |= measuredTag
	}
	if x := e.d.Store.Host(f); x != nil {
		p.Message, p.Payload = x.Message, unit.Bytes(x.Payload)
		p.Offset, p.Size, p.Amount = x.Offset, x.Size, x.Amount
		p.Flags, p.Echo = x.Flags&^(protocol.Pinned|protocol.Marked|protocol.WasTrimmed), x.Echo
		p.Number, p.Extra = x.Number, x.Extra
		p.SentAt, p.EchoAt = x.SentAt, x.EchoAt
		if more := e.d.Store.More(f); more != nil {
			to.more = *more
			p.More = &to.more
		}
	} else {
		p.Message, p.Offset, p.Size = f.Message>>partBits, unit.Bytes(f.Seq>>partBits), unit.Bytes(f.Aux>>partBits)
		p.Amount = unit.Bytes(f.Message&part6<<(2*partBits) | f.Seq&part6<<partBits | f.Aux&part6)
		if f.Bits&resentBit != 0 {
			p.Flags |= protocol.Resent
		}
		if f.Bits&congestedBit != 0 {
			p.Flags |= protocol.Congested
		}
		if f.Bits&payloadBit != 0 {
			p.Payload = p.Wire - g.Header + lighter(g, p.Kind)
			if f.Flags&packet.Trimmed != 0 || g.Congestion.Host.Padded {
				p.Payload = min(g.Payload+lighter(g, p.Kind), p.Size-p.Offset)
			}
		}
	}
	if f.Flags&packet.Marked != 0 {
		p.Flags |= protocol.Marked
	}
	if f.Flags&packet.Trimmed != 0 {
		p.Flags |= protocol.WasTrimmed
	}
}

package transport

import (
	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// A packet of a host's transport stands in the frame alone if its numbers are small and
// it says nothing beyond them, which is so of most data and grants; otherwise in an
// extension:
//
//	Kind     hostFrame
//	Bits     the transport's kind, and the bits below
//	Serial   the message's ordinal, from the tag
//	Message  its number in 26 bits, and bits 17 to 12 of the amount
//	Seq      the offset in 26 bits, and bits 11 to 6 of the amount
//	Aux      the size in 26 bits, and bits 5 to 0 of the amount
//
// With an extension Seq is some number that tells packets of a message apart: see fabric.Domain.HostJitter.
// What stays small is decided by the packet alone, so that it is the same for any cut
// of the network.

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

// inline are the flags that stand in a frame's bits, or say nothing to whom receives it.
const inline = protocol.Resent | protocol.Congested | protocol.Pinned

// compact tells whether a packet fits a frame without extension.
func (e *Endpoint) compact(p *protocol.Packet, g *Group) bool {
	if p.Flags&^inline != 0 || uint64(p.Message)|uint64(p.Offset)|uint64(p.Size) > small || uint64(p.Amount) > smallAmount {
		return false
	}
	if uint64(p.Number)|uint64(p.Extra)|uint64(p.SentAt)|uint64(p.EchoAt)|uint64(p.Echo) != 0 {
		return false
	}
	if p.Payload == 0 {
		return true
	}
	// What a switch trims, or is padded, must be known without looking at its size; of all
	// else the size tells it.
	padded := g.Congestion.Host.Padded
	return (padded || p.Wire == natural(p, g)) &&
		(!g.Env.Trims && !padded || p.Payload == min(g.Payload+lighter(g, p.Kind), p.Size-p.Offset))
}

// lighter is how many bytes of header data packets of a kind do without.
func lighter(g *Group, kind uint8) unit.Bytes {
	return unit.Bytes(g.Congestion.Host.Lighter[kind%protocol.HostKinds])
}

// writePacket puts a packet into a new frame.
func (e *Endpoint) writePacket(now sim.Time, h *host, p *protocol.Packet) fabric.FrameID {
	g := &e.t.groups[p.Group]
	if p.Flags&protocol.Pinned == 0 {
		if p.Payload > 0 {
			p.Entropy = e.chooser(now, h, int32(p.Group), p.Peer).Next(now)
		} else {
			p.Entropy = uint16(h.hosted.entropy.Uint64() >> 48)
		}
	}
	id := e.d.Alloc()
	f := e.d.Frame(id)
	f.Address(h.id, p.Peer, p.Group)
	f.Size, f.Entropy = uint16(p.Wire), p.Entropy
	f.Kind = hostFrame
	f.Bits = p.Kind & hostKindMask
	if p.Tag&measuredTag != 0 {
		f.Bits |= taggedBit
	}
	f.Serial = uint32(p.Tag)
	f.SetClass(p.Class, g.Spray)
	if p.Payload > 0 {
		f.Bits |= payloadBit
		if p.Flags&protocol.Resent != 0 {
			e.countResent(h, p)
		} else {
			h.load.Sent += p.Payload
		}
	} else {
		e.counts.Acks++
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
	x := e.d.Extend(id)
	*x = fabric.Extension{
		uint64(p.Message) | uint64(p.Payload)<<32,
		uint64(p.Offset), uint64(p.Size), uint64(p.Amount),
		uint64(p.Flags) | uint64(p.Echo)<<16,
		uint64(p.Number) | uint64(p.Extra)<<32,
		uint64(p.SentAt), uint64(p.EchoAt),
	}
	return id
}

// countResent counts a retransmission.
func (e *Endpoint) countResent(h *host, p *protocol.Packet) {
	e.counts.Retransmits++
	if o, _ := h.hosted.outgoing[p.Group].at(p.Tag); o.record >= 0 {
		e.records.at(o.record).Retransmits++
	}
}

// readPacket reads what writePacket wrote.
func (e *Endpoint) readPacket(id fabric.FrameID, p *protocol.Packet) {
	f := e.d.Frame(id)
	g := &e.t.groups[f.Group()]
	*p = protocol.Packet{
		Peer: f.Src(), Kind: f.Bits & hostKindMask, Group: f.Group(),
		Entropy: f.Entropy, Tag: uint64(f.Serial), Wire: unit.Bytes(f.Size),
	}
	if f.Bits&taggedBit != 0 {
		p.Tag |= measuredTag
	}
	if x := e.d.Extension(id); x != nil {
		p.Message, p.Payload = uint32(x[0]), unit.Bytes(x[0]>>32)
		p.Offset, p.Size, p.Amount = unit.Bytes(x[1]), unit.Bytes(x[2]), unit.Bytes(x[3])
		p.Flags, p.Echo = protocol.PacketFlags(x[4])&^(protocol.Pinned|protocol.Marked|protocol.WasTrimmed), uint16(x[4]>>16)
		p.Number, p.Extra = uint32(x[5]), uint32(x[5]>>32)
		p.SentAt, p.EchoAt = unit.Time(x[6]), unit.Time(x[7])
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
			if f.Flags&fabric.Trimmed != 0 || g.Congestion.Host.Padded {
				p.Payload = min(g.Payload+lighter(g, p.Kind), p.Size-p.Offset)
			}
		}
	}
	if f.Flags&fabric.Marked != 0 {
		p.Flags |= protocol.Marked
	}
	if f.Flags&fabric.Trimmed != 0 {
		p.Flags |= protocol.WasTrimmed
	}
}

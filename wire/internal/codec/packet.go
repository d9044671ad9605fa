package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"weft/protocol"
	"weft/unit"
)

const (
	// packetFixed is the size of the fields at fixed offsets, before Wire.
	packetFixed = 12
	maxWire     = 1<<16 - 1
	// maxInt63 and maxInt32 are the largest sizes of uvarints that fit an int64 and a uint32.
	maxInt63, maxInt32 = 9, 5
)

// maxPacketHead is the largest size of an encoded packet without payload: the fixed part, Wire,
// Tag, Echo, five fields of 63 bits, two of 32, and More. It includes neither HeadSize nor
// SealOverhead.
const maxPacketHead = packetFixed + 3 + 8 + 2 + 5*maxInt63 + 2*maxInt32 + 2 + protocol.MostMore

// Bits of presence.
const (
	hasTag = 1 << iota
	hasEcho
	hasSize
	hasOffset
	hasAmount
	hasNumber
	hasExtra
	hasSentAt
	hasEchoAt
	hasMore
	hasUnknown = 1<<16 - 1<<iota
)

const (
	ofNetwork  = protocol.Marked | protocol.WasTrimmed
	travelling = protocol.Pinned | protocol.Echoes | protocol.EchoMarked | protocol.Resent | protocol.Congested |
		protocol.Own1 | protocol.Own2 | protocol.Own3 | protocol.Own4
)

var (
	errTruncated = errors.New("codec: packet is truncated")
	errKind      = errors.New("codec: packet of unknown kind")
	errFlags     = errors.New("codec: packet has flags that do not travel")
	errPresence  = errors.New("codec: packet has unknown fields")
	errMore      = errors.New("codec: packet says more than is asked for")
	errZero      = errors.New("codec: packet has a field of value 0 that should be absent")
	errUvarint   = errors.New("codec: packet has a number in more bytes than it needs")
	errRange     = errors.New("codec: packet has a number that is too large")
	errEnd       = errors.New("codec: payload ends after its message")
)

// AppendPacket appends the body of a packet. If the packet cannot be encoded exactly, it returns
// b unchanged and an error. The reasons are a negative number, an unknown kind or flag, a Wire
// outside 1 to 65535, a Payload that is not the payload's length, a payload that ends after its
// message, and an empty More. AppendPacket omits Peer, Class and the flags Marked and WasTrimmed.
func AppendPacket(b []byte, p *protocol.Packet, payload []byte) ([]byte, error) {
	flags := p.Flags &^ ofNetwork
	if p.Kind >= protocol.HostKinds || flags&^travelling != 0 || p.Wire < 1 || p.Wire > maxWire ||
		p.Size < 0 || p.Offset < 0 || p.Amount < 0 || p.SentAt < 0 || p.EchoAt < 0 ||
		p.Payload != unit.Bytes(len(payload)) || endsLate(p) || !sayable(p.More) {
		return b, unencodable(p, len(payload))
	}
	at := len(b)
	b = append(b, p.Kind, p.Group)
	b = binary.BigEndian.AppendUint16(b, uint16(flags))
	b = append(b, 0, 0)
	b = binary.BigEndian.AppendUint32(b, p.Message)
	b = binary.BigEndian.AppendUint16(b, p.Entropy)
	b = binary.AppendUvarint(b, uint64(p.Wire))
	presence := uint16(0)
	if p.Tag != 0 {
		presence |= hasTag
		b = binary.BigEndian.AppendUint64(b, p.Tag)
	}
	if p.Echo != 0 {
		presence |= hasEcho
		b = binary.BigEndian.AppendUint16(b, p.Echo)
	}
	if p.Size != 0 {
		presence |= hasSize
		b = binary.AppendUvarint(b, uint64(p.Size))
	}
	if p.Offset != 0 {
		presence |= hasOffset
		b = binary.AppendUvarint(b, uint64(p.Offset))
	}
	if p.Amount != 0 {
		presence |= hasAmount
		b = binary.AppendUvarint(b, uint64(p.Amount))
	}
	if p.Number != 0 {
		presence |= hasNumber
		b = binary.AppendUvarint(b, uint64(p.Number))
	}
	if p.Extra != 0 {
		presence |= hasExtra
		b = binary.AppendUvarint(b, uint64(p.Extra))
	}
	if p.SentAt != 0 {
		presence |= hasSentAt
		b = binary.AppendUvarint(b, uint64(p.SentAt))
	}
	if p.EchoAt != 0 {
		presence |= hasEchoAt
		b = binary.AppendUvarint(b, uint64(p.EchoAt))
	}
	if p.More != nil {
		presence |= hasMore
		b = binary.AppendUvarint(b, uint64(p.More.Length))
		b = append(b, p.More.Said()...)
	}
	binary.BigEndian.PutUint16(b[at+4:], presence)
	return append(b, payload...), nil
}

// HeadOf returns the size of a packet's encoding without payload.
func HeadOf(p *protocol.Packet) (int, error) {
	q := *p
	q.Payload = 0
	b, err := AppendPacket(nil, &q, nil)
	return len(b), err
}

// sayable reports whether More is nil or has a valid length.
func sayable(m *protocol.More) bool {
	return m == nil || m.Length >= 1 && m.Length <= protocol.MostMore
}

// endsLate reports whether a payload ends after its message, or beyond the largest offset. No
// field may be negative.
func endsLate(p *protocol.Packet) bool {
	if p.Payload == 0 {
		return false
	}
	end := p.Size
	if end == 0 {
		end = math.MaxInt64
	}
	return p.Offset > end-p.Payload
}

// unencodable returns an error that says why AppendPacket cannot encode a packet.
func unencodable(p *protocol.Packet, payload int) error {
	for _, f := range [...]struct {
		name  string
		value int64
	}{{"Size", int64(p.Size)}, {"Offset", int64(p.Offset)}, {"Amount", int64(p.Amount)}, {"SentAt", int64(p.SentAt)}, {"EchoAt", int64(p.EchoAt)}} {
		if f.value < 0 {
			return fmt.Errorf("codec: %s of a packet is %d; it must be 0 or more", f.name, f.value)
		}
	}
	switch {
	case p.Kind >= protocol.HostKinds:
		return fmt.Errorf("codec: Kind of a packet is %d; it must be below %d", p.Kind, protocol.HostKinds)
	case p.Flags&^(travelling|ofNetwork) != 0:
		return fmt.Errorf("codec: Flags of a packet are %#x; only %#x have a name", uint16(p.Flags), uint16(travelling|ofNetwork))
	case p.Wire < 1 || p.Wire > maxWire:
		return fmt.Errorf("codec: Wire of a packet is %d B; it must be from 1 to %d", int64(p.Wire), maxWire)
	case !sayable(p.More):
		return fmt.Errorf("codec: More of a packet has %d B; it must have 1 to %d, or be nil", p.More.Length, protocol.MostMore)
	case p.Payload != unit.Bytes(payload):
		return fmt.Errorf("codec: Payload of a packet is %d B, but %d B are given", int64(p.Payload), payload)
	}
	return fmt.Errorf("codec: payload of a packet has %d B at %d, which is after the end of its message of %d B", int64(p.Payload), int64(p.Offset), int64(p.Size))
}

// ParsePacket decodes the body of a packet into p and returns its payload, a slice of body. It
// sets all fields: Peer and Class to 0, and Marked is left for the caller to set. It decodes More
// into more and points p.More there. If more is nil, a packet with More is an error. After an
// error, p is unchanged.
func ParsePacket(body []byte, p *protocol.Packet, more *protocol.More) (payload []byte, err error) {
	if len(body) < packetFixed {
		return nil, errTruncated
	}
	if body[0] >= protocol.HostKinds {
		return nil, errKind
	}
	flags := protocol.PacketFlags(binary.BigEndian.Uint16(body[2:]))
	if flags&^travelling != 0 {
		return nil, errFlags
	}
	presence := binary.BigEndian.Uint16(body[4:])
	if presence&hasUnknown != 0 {
		return nil, errPresence
	}
	q := protocol.Packet{
		Kind:    body[0],
		Group:   body[1],
		Flags:   flags,
		Message: binary.BigEndian.Uint32(body[6:]),
		Entropy: binary.BigEndian.Uint16(body[10:]),
	}
	r := reader{rest: body[packetFixed:]}
	q.Wire = unit.Bytes(r.uvarint(maxWire))
	if presence&hasTag != 0 {
		q.Tag = r.fixed(8)
	}
	if presence&hasEcho != 0 {
		q.Echo = uint16(r.fixed(2))
	}
	if presence&hasSize != 0 {
		q.Size = unit.Bytes(r.uvarint(math.MaxInt64))
	}
	if presence&hasOffset != 0 {
		q.Offset = unit.Bytes(r.uvarint(math.MaxInt64))
	}
	if presence&hasAmount != 0 {
		q.Amount = unit.Bytes(r.uvarint(math.MaxInt64))
	}
	if presence&hasNumber != 0 {
		q.Number = uint32(r.uvarint(math.MaxUint32))
	}
	if presence&hasExtra != 0 {
		q.Extra = uint32(r.uvarint(math.MaxUint32))
	}
	if presence&hasSentAt != 0 {
		q.SentAt = unit.Time(r.uvarint(math.MaxInt64))
	}
	if presence&hasEchoAt != 0 {
		q.EchoAt = unit.Time(r.uvarint(math.MaxInt64))
	}
	if presence&hasMore != 0 {
		if more == nil {
			return nil, errMore
		}
		more.Length = uint8(r.uvarint(protocol.MostMore))
		copy(more.Bytes[:], r.bytes(int(more.Length)))
		q.More = more
	}
	if r.err != nil {
		return nil, r.err
	}
	q.Payload = unit.Bytes(len(r.rest))
	if endsLate(&q) {
		return nil, errEnd
	}
	*p = q
	return r.rest, nil
}

package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// sometimes draws 0 as often as another number, and numbers of all lengths.
func sometimes(t *rapid.T, name string, most uint64) uint64 {
	if rapid.Bool().Draw(t, name+" is 0") {
		return 0
	}
	return rapid.Uint64().Draw(t, name) >> rapid.IntRange(0, 63).Draw(t, name+" shift") & most
}

func drawPacket(t *rapid.T) (protocol.Packet, []byte) {
	payload := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "payload")
	p := protocol.Packet{
		Kind:    rapid.Uint8Max(protocol.HostKinds-1).Draw(t, "kind"),
		Group:   rapid.Uint8().Draw(t, "group"),
		Flags:   protocol.PacketFlags(rapid.Uint16().Draw(t, "flags")) & travelling,
		Entropy: rapid.Uint16().Draw(t, "entropy"),
		Echo:    uint16(sometimes(t, "echo", math.MaxUint16)),
		Message: rapid.Uint32().Draw(t, "message"),
		Tag:     sometimes(t, "tag", math.MaxUint64),
		Size:    unit.Bytes(sometimes(t, "size", math.MaxInt64)),
		Offset:  unit.Bytes(sometimes(t, "offset", math.MaxInt64)),
		Payload: unit.Bytes(len(payload)),
		Wire:    unit.Bytes(rapid.IntRange(1, maxWire).Draw(t, "wire")),
		Amount:  unit.Bytes(sometimes(t, "amount", math.MaxInt64)),
		Number:  uint32(sometimes(t, "number", math.MaxUint32)),
		Extra:   uint32(sometimes(t, "extra", math.MaxUint32)),
		SentAt:  unit.Time(sometimes(t, "sent", math.MaxInt64)),
		EchoAt:  unit.Time(sometimes(t, "echo at", math.MaxInt64)),
	}
	if rapid.Bool().Draw(t, "says more") {
		said := rapid.SliceOfN(rapid.Byte(), 1, protocol.MostMore).Draw(t, "more")
		p.More = &protocol.More{Length: uint8(len(said))}
		copy(p.More.Bytes[:], said)
	}
	if len(payload) > 0 {
		p.Offset = min(p.Offset, math.MaxInt64-p.Payload)
		if p.Size > 0 {
			p.Size = max(p.Size, p.Offset+p.Payload)
		}
	}
	return p, payload
}

func TestPacketRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, payload := drawPacket(t)
		sent := p
		sent.Peer, sent.Class = rapid.Int32().Draw(t, "peer"), rapid.Uint8().Draw(t, "class")
		sent.Flags |= protocol.PacketFlags(rapid.Uint16().Draw(t, "network")) & ofNetwork
		before := rapid.SliceOf(rapid.Byte()).Draw(t, "before")
		b, err := AppendPacket(before, &sent, payload)
		if err != nil || !bytes.HasPrefix(b, before) {
			t.Fatalf("%x, error %v", b, err)
		}
		body := b[len(before):]
		if head := len(body) - len(payload); head > maxPacketHead {
			t.Fatalf("head of %d bytes", head)
		}
		got, more := protocol.Packet{Peer: 9, Class: 9, Flags: 9, Tag: 9, Extra: 9}, protocol.More{}
		rest, err := ParsePacket(body, &got, &more)
		if err != nil || !reflect.DeepEqual(got, p) || !bytes.Equal(rest, payload) {
			t.Fatalf("got %+v, payload %x, error %v; want %+v, %x", got, rest, err, p, payload)
		}
		if len(rest) > 0 && &rest[0] != &body[len(body)-len(rest)] {
			t.Fatal("the payload is a copy")
		}
		for n := range len(body) - len(payload) {
			if _, err := ParsePacket(body[:n:n], &got, new(protocol.More)); err == nil {
				t.Fatalf("%d bytes of a head of %d parse", n, len(body)-len(payload))
			}
		}
	})
}

// TestGoldenPacketParses checks what the golden packet becomes.
func TestGoldenPacketParses(t *testing.T) {
	want := goldenPacket
	want.Peer, want.Class, want.Flags = 0, 0, want.Flags&^protocol.Marked
	var got protocol.Packet
	if payload, err := ParsePacket(unhex(t, packetHex), &got, nil); err != nil || got != want || string(payload) != "weft" {
		t.Errorf("got %+v, payload %q, error %v; want %+v", got, payload, err, want)
	}
}

func TestMaxPacketHead(t *testing.T) {
	p := protocol.Packet{
		Kind: protocol.HostKinds - 1, Group: math.MaxUint8, Flags: travelling, Entropy: math.MaxUint16, Echo: math.MaxUint16,
		Message: math.MaxUint32, Tag: math.MaxUint64, Size: math.MaxInt64, Offset: math.MaxInt64 - 1, Payload: 1, Wire: maxWire,
		Amount: math.MaxInt64, Number: math.MaxUint32, Extra: math.MaxUint32, SentAt: math.MaxInt64, EchoAt: math.MaxInt64,
		More: &protocol.More{Length: protocol.MostMore},
	}
	b, err := AppendPacket(nil, &p, []byte{1})
	if err != nil || len(b) != maxPacketHead+1 {
		t.Errorf("%d bytes, error %v; want %d", len(b), err, maxPacketHead+1)
	}
	if n, err := HeadOf(&p); err != nil || n != maxPacketHead || p.Payload != 1 {
		t.Errorf("a head of %d bytes, error %v; want %d", n, err, maxPacketHead)
	}
	p = protocol.Packet{Wire: 1}
	if b, err := AppendPacket(nil, &p, nil); err != nil || len(b) != packetFixed+1 {
		t.Errorf("%d bytes, error %v; want %d", len(b), err, packetFixed+1)
	}
}

func TestAppendPacketRefuses(t *testing.T) {
	for _, c := range []struct {
		p       protocol.Packet
		payload int
		want    string
	}{
		{protocol.Packet{Wire: 1, Size: -1}, 0, "Size of a packet is -1"},
		{protocol.Packet{Wire: 1, Offset: -2}, 0, "Offset of a packet is -2"},
		{protocol.Packet{Wire: 1, Amount: -3}, 0, "Amount of a packet is -3"},
		{protocol.Packet{Wire: 1, SentAt: -4}, 0, "SentAt of a packet is -4"},
		{protocol.Packet{Wire: 1, EchoAt: math.MinInt64}, 0, "EchoAt of a packet is -9223372036854775808"},
		{protocol.Packet{Wire: 1, Kind: protocol.HostKinds}, 0, "Kind of a packet is 16"},
		{protocol.Packet{Wire: 1, Flags: protocol.Own4 << 1}, 0, "Flags of a packet are 0x800"},
		{protocol.Packet{}, 0, "Wire of a packet is 0 B"},
		{protocol.Packet{Wire: -1}, 0, "Wire of a packet is -1 B"},
		{protocol.Packet{Wire: maxWire + 1}, 0, "Wire of a packet is 65536 B"},
		{protocol.Packet{Wire: 1, More: &protocol.More{}}, 0, "More of a packet has 0 B"},
		{protocol.Packet{Wire: 1, More: &protocol.More{Length: protocol.MostMore + 1}}, 0, "More of a packet has 129 B"},
		{protocol.Packet{Wire: 1}, 1, "Payload of a packet is 0 B, but 1 B are given"},
		{protocol.Packet{Wire: 1, Payload: -1}, 0, "Payload of a packet is -1 B, but 0 B are given"},
		{protocol.Packet{Wire: 1, Size: 3, Offset: 2, Payload: 2}, 2, "has 2 B at 2, which is after the end of its message of 3 B"},
		{protocol.Packet{Wire: 1, Size: 1, Payload: 2}, 2, "has 2 B at 0"},
		{protocol.Packet{Wire: 1, Size: 1, Offset: math.MaxInt64, Payload: 1}, 1, "after the end"},
		{protocol.Packet{Wire: 1, Offset: math.MaxInt64, Payload: 1}, 1, "after the end"},
	} {
		b, err := AppendPacket([]byte("before"), &c.p, make([]byte, c.payload))
		if err == nil || !strings.Contains(err.Error(), c.want) || string(b) != "before" {
			t.Errorf("%+v: %q, error %v; want one with %q", c.p, b, err, c.want)
		}
	}
}

func TestParsePacketRefuses(t *testing.T) {
	// fixed is the fixed part of a packet with fields present.
	const fixed = "00 00 0000 %% 00000000 0000"
	for _, c := range []struct {
		presence, rest string
		want           error
	}{
		{"0000", "01", nil},
		{"0000", "00", errZero},
		{"0000", "8000", errUvarint},
		{"0000", "8100", errUvarint},
		{"0000", "80 80 04", errRange}, // 65536
		{"0000", "ff ff 03", nil},
		{"0000", "80", errTruncated},
		{"0000", "", errTruncated},
		{"0400", "01 01", errPresence},
		{"0200", "01 01 aa", nil},
		{"0200", "01 00", errZero},
		{"0200", "01 02 aa", errTruncated},
		{"0200", "01 8101", errRange}, // 129
		{"8000", "01 01", errPresence},
		{"0001", "01 0000000000000000", errZero},
		{"0001", "01 00000000000001", errTruncated},
		{"0002", "01 0000", errZero},
		{"0002", "01 01", errTruncated},
		{"0004", "01 00", errZero},
		{"0008", "01 ffffffffffffffff7f", nil},
		{"0008", "01 ffffffffffffffff7f 00", errEnd},
		{"0008", "01 ffffffffffffffffff01", errRange},
		{"0008", "01 80808080808080808001", errRange},
		{"0008", "01 ffffffffffffffffff02", errRange}, // would lose its top bit
		{"0008", "01 80808080808080808080808001", errRange},
		{"0010", "01 ffffffffffffffffff", errTruncated},
		{"0010", "01 ffffffffffffffff00", errUvarint},
		{"0020", "01 ffffffff0f", nil},
		{"0020", "01 8080808010", errRange}, // 1<<32
		{"0040", "01 8080808010", errRange},
		{"0100", "01 8000", errUvarint},
		{"000c", "01 04 02 aaaa", nil},
		{"000c", "01 04 03 aaaa", errEnd},
		{"000c", "01 04 05", nil},
		{"0004", "01 01 aaaa", errEnd},
	} {
		p := protocol.Packet{Tag: 42}
		payload, err := ParsePacket(unhex(t, strings.Replace(fixed, "%%", c.presence, 1)+c.rest), &p, new(protocol.More))
		if !errors.Is(err, c.want) {
			t.Errorf("presence %s, then %s: error %v, want %v", c.presence, c.rest, err, c.want)
		}
		if err != nil && (p != (protocol.Packet{Tag: 42}) || payload != nil) {
			t.Errorf("presence %s, then %s: the packet is %+v, payload %x", c.presence, c.rest, p, payload)
		}
	}
	for at, want := range map[int]error{0: errKind, 2: errFlags, 3: errFlags} {
		b := make([]byte, packetFixed+1)
		b[packetFixed] = 1
		b[at] = map[int]byte{0: protocol.HostKinds, 2: 0x08, 3: 0x01}[at]
		if _, err := ParsePacket(b, new(protocol.Packet), nil); !errors.Is(err, want) {
			t.Errorf("byte %d: error %v, want %v", at, err, want)
		}
	}
}

// TestUvarint compares the reader with encoding/binary.
func TestUvarint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := max(1, sometimes(t, "value", math.MaxInt64))
		b := append(binary.AppendUvarint(nil, v), 7)
		r := reader{rest: b}
		if got := r.uvarint(math.MaxInt64); got != v || r.err != nil || len(r.rest) != 1 {
			t.Fatalf("got %d, error %v, rest %x; want %d", got, r.err, r.rest, v)
		}
	})
}

func TestPacketAllocatesNothing(t *testing.T) {
	payload := []byte("weft")
	b := make([]byte, 0, maxPacketHead+len(payload))
	var p protocol.Packet
	var more protocol.More
	if n := testing.AllocsPerRun(1000, func() {
		body, err := AppendPacket(b, &goldenPacket, payload)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParsePacket(body, &p, &more); err != nil {
			t.Fatal(err)
		}
		if _, err := ParsePacket(body[:20], &p, &more); err == nil {
			t.Fatal("half a head parses")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParsePacket(f *testing.F) {
	f.Add(unhex(f, packetHex))
	f.Add(unhex(f, "00 00 0000 0000 00000000 0000 01"))
	f.Add(unhex(f, "01 00 0010 0240 00000007 1234 ad01 05 03 010203"))
	f.Add(unhex(f, "00 00 0020 000c 00000000 0000 dc0b 8827 e807 aaaa"))
	f.Fuzz(func(t *testing.T, body []byte) {
		var p protocol.Packet
		payload, err := ParsePacket(body, &p, new(protocol.More))
		if err != nil {
			return
		}
		again, err := AppendPacket(nil, &p, payload)
		if err != nil || !bytes.Equal(again, body) {
			t.Errorf("%x became %x, error %v", body, again, err)
		}
		if len(body)-len(payload) > maxPacketHead {
			t.Errorf("head of %d bytes", len(body)-len(payload))
		}
	})
}

// data is a packet of SIRD with payload in the middle of a message of 1 MB.
var data = protocol.Packet{Tag: 1 << 40, Message: 1000, Size: 1e6, Offset: 5e5, Payload: 1400, Wire: 1500, Amount: 1e5, Entropy: 50000}

func BenchmarkAppendPacket(b *testing.B) {
	payload, room := make([]byte, data.Payload), make([]byte, 0, 2048)
	b.ReportAllocs()
	b.SetBytes(int64(data.Payload))
	for b.Loop() {
		if _, err := AppendPacket(room, &data, payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParsePacket(b *testing.B) {
	body, err := AppendPacket(nil, &data, make([]byte, data.Payload))
	if err != nil {
		b.Fatal(err)
	}
	var p protocol.Packet
	var more protocol.More
	b.ReportAllocs()
	b.SetBytes(int64(data.Payload))
	for b.Loop() {
		if _, err := ParsePacket(body, &p, &more); err != nil {
			b.Fatal(err)
		}
	}
}

package codec

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// unhex reads hexadecimal digits with spaces between.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// counted returns n bytes that count from a first one.
func counted(first byte, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = first + byte(i)
	}
	return b
}

var goldenGreeting = Greeting{
	Session: 0x0102030405060708, ID: [16]byte(counted(0x10, 16)), Life: 0x1112131415161718, Epoch: 0x21222324,
	Cookie: [24]byte(counted(0x50, 24)), MTU: 1472, Sealed: true, Transport: 0x71727374,
}

const greetingHex = `0102030405060708 101112131415161718191a1b1c1d1e1f 1112131415161718 21222324
	505152535455565758595a5b5c5d5e5f6061626364656667 05c0 01 71727374`

// golden has a datagram of each type, written by hand from the tables in doc.go.
var golden = []struct {
	head Head
	body func(b []byte) []byte
	want string
}{
	{Head{Hello, 0, 0, 0}, func(b []byte) []byte {
		return AppendHello(b, AppendGreeting(nil, &goldenGreeting), counted(0x81, OfferSize))
	},
		"21 0000000000000000 000000000000" + greetingHex + hex.EncodeToString(counted(0x81, OfferSize)) + strings.Repeat("00", 30)},
	{Head{Challenge, 0xa1a2a3a4a5a6a7a8, 1, 0}, func(b []byte) []byte { return AppendChallenge(b, [24]byte(counted(1, 24))) },
		"22 a1a2a3a4a5a6a7a8 000000000001 0102030405060708090a0b0c0d0e0f101112131415161718"},
	{Head{Accept, 0xa1a2a3a4a5a6a7a8, 2, 0}, func(b []byte) []byte { return AppendGreeting(b, &goldenGreeting) },
		"23 a1a2a3a4a5a6a7a8 000000000002" + greetingHex},
	{Head{Packet, 0xa1a2a3a4a5a6a7a8, 0x31b2b3b4b5b6, 1}, func(b []byte) []byte {
		b, _ = AppendPacket(b, &goldenPacket, []byte("weft"))
		return b
	}, "24 a1a2a3a4a5a6a7a8 b1b2b3b4b5b6" + packetHex},
	{Head{Reset, 0xa1a2a3a4a5a6a7a8, MaxNumber - 1, 0}, func(b []byte) []byte { return b },
		"25 a1a2a3a4a5a6a7a8 7fffffffffff"},
	{Head{Refusal, 0xa1a2a3a4a5a6a7a8, 3, 0}, func(b []byte) []byte { return AppendRefused(b, Refused{0xc1c2c3c4, 0xd1d2d3d4d5d6d7d8, 9}) },
		"26 a1a2a3a4a5a6a7a8 000000000003 c1c2c3c4 d1d2d3d4d5d6d7d8 09"},
	{Head{Ping, 0xa1a2a3a4a5a6a7a8, 4, 0}, func(b []byte) []byte { return Pad(AppendToken(b, 0xe1e2e3e4), HeadSize+7) },
		"27 a1a2a3a4a5a6a7a8 000000000004 e1e2e3e4 000000"},
	{Head{Pong, 0xa1a2a3a4a5a6a7a8, 5, 0}, func(b []byte) []byte { return AppendToken(b, 0xe1e2e3e4) },
		"28 a1a2a3a4a5a6a7a8 000000000005 e1e2e3e4"},
	{Head{Piece, 0xa1a2a3a4a5a6a7a8, 6, 0}, func(b []byte) []byte { return AppendFragment(b, Fragment{0xb1b2b3b4, 1, 2, 5}, []byte("above")) },
		"29 a1a2a3a4a5a6a7a8 000000000006 b1b2b3b4 01 02 0005 7665"},
	{Head{Unawaited, 0xa1a2a3a4a5a6a7a8, 7, 0}, func(b []byte) []byte { return AppendUnawaited(b, 0xd1d2d3d4d5d6d7d8) },
		"2b a1a2a3a4a5a6a7a8 000000000007 d1d2d3d4d5d6d7d8"},
}

// TestGolden pins the bytes of a datagram of each type.
func TestGolden(t *testing.T) {
	for _, g := range golden {
		got, want := g.body(AppendHead(nil, g.head)), unhex(t, g.want)
		if !bytes.Equal(got, want) {
			t.Errorf("%v is\n%x, want\n%x", g.head.Type, got, want)
		}
		if h, err := parse(want); err != nil || h != g.head {
			t.Errorf("%v: head %+v, error %v; want %+v", g.head.Type, h, err, g.head)
		}
	}
}

// parse parses a plain datagram as a whole.
func parse(b []byte) (Head, error) {
	h, body, err := ParseHead(b)
	if err != nil {
		return h, err
	}
	switch h.Type {
	case Hello:
		_, _, _, err = ParseHello(body)
	case Accept:
		if len(body) != AnswerSize { // else it is sealed
			_, err = ParseGreeting(body)
		}
	case Challenge:
		_, err = ParseChallenge(body)
	case Packet:
		var p protocol.Packet
		_, err = ParsePacket(body, &p, nil)
	case Refusal:
		_, err = ParseRefused(body)
	case Ping:
		_, err = ParsePing(body)
	case Pong:
		_, err = ParsePong(body)
	case Piece:
		_, _, err = ParseFragment(body)
	case Unawaited:
		_, err = ParseUnawaited(body)
	}
	return h, err
}

// TestTruncated checks that every datagram that is cut is an error, and so is one that is
// longer. A packet may lose or gain payload, and a ping zeros.
func TestTruncated(t *testing.T) {
	for _, g := range golden {
		b := unhex(t, g.want)
		least := len(b)
		if g.head.Type == Packet {
			least -= int(goldenPacket.Payload)
		}
		if g.head.Type == Ping {
			least = HeadSize + tokenSize
		}
		for n := range least {
			if _, err := parse(b[:n:n]); err == nil {
				t.Errorf("%v: %d of %d bytes parse", g.head.Type, n, len(b))
			}
		}
		if _, err := parse(append(b, 0)); err == nil && g.head.Type != Packet && g.head.Type != Ping {
			t.Errorf("%v parses with a byte more", g.head.Type)
		}
		if _, err := parse(append(b, 1)); err == nil && g.head.Type != Packet {
			t.Errorf("%v parses with another byte more", g.head.Type)
		}
	}
}

func TestHeadRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Head{
			Type:    rapid.SampledFrom([]Type{Packet, Refusal}).Draw(t, "type"),
			Session: rapid.Uint64().Draw(t, "session"),
			Phase:   rapid.Uint8Max(1).Draw(t, "phase"),
			Number:  rapid.Uint64Max(MaxNumber-1).Draw(t, "number"),
		}
		rest := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		before := rapid.SliceOf(rapid.Byte()).Draw(t, "before")
		b := append(AppendHead(before, h), rest...)
		if !bytes.HasPrefix(b, before) {
			t.Fatalf("%x does not begin with %x", b, before)
		}
		got, body, err := ParseHead(b[len(before):])
		if err != nil || got != h || !bytes.Equal(body, rest) {
			t.Fatalf("got %+v, body %x, error %v; want %+v, %x", got, body, err, h, rest)
		}
	})
}

func TestHeadRefused(t *testing.T) {
	for first, want := range map[byte]error{
		0x04: errVersion, 0x14: errVersion, 0xf4: errVersion,
		0x20: errType, 0x2c: errType, 0x2f: errType,
		0x21: errSize, 0x22: errSize, 0x23: errSize, 0x25: errSize,
	} {
		b := make([]byte, HeadSize+1)
		b[0] = first
		if _, _, err := ParseHead(b); !errors.Is(err, want) {
			t.Errorf("first byte %#x: error %v, want %v", first, err, want)
		}
	}
}

func TestHeadWraps(t *testing.T) {
	got := AppendHead(nil, Head{Type: 0x34, Session: 1, Number: 5<<47 | 7, Phase: 2})
	if want := unhex(t, "24 0000000000000001 000000000007"); !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestTypeString(t *testing.T) {
	for typ, want := range map[Type]string{0: "type 0", Hello: "hello", Challenge: "challenge", Accept: "accept", Packet: "packet", Reset: "reset", Refusal: "refusal", Ping: "ping", Pong: "pong", Piece: "piece", Closed: "closed", Unawaited: "unawaited", 12: "type 12"} {
		if got := typ.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestRefusedRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Refused{rapid.Uint32().Draw(t, "message"), rapid.Uint64().Draw(t, "tag"), rapid.Uint8().Draw(t, "reason")}
		if got, err := ParseRefused(AppendRefused(nil, r)); err != nil || got != r {
			t.Fatalf("got %+v, error %v; want %+v", got, err, r)
		}
	})
}

func FuzzParseHead(f *testing.F) {
	for _, g := range golden {
		f.Add(unhex(f, g.want))
	}
	f.Add([]byte{})
	f.Add([]byte{0x14})
	f.Add([]byte("$00000000000000\x030\x040\x030000000")) // more than there is room for
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = parse(b)
		h, body, err := ParseHead(b)
		if err != nil {
			return
		}
		if again := append(AppendHead(nil, h), body...); !bytes.Equal(again, b) {
			t.Errorf("%x became %x", b, again)
		}
		if c, err := ParseChallenge(body); err == nil && !bytes.Equal(AppendChallenge(nil, c), body) {
			t.Errorf("challenge %x became %x", body, c)
		}
		if r, err := ParseRefused(body); err == nil && !bytes.Equal(AppendRefused(nil, r), body) {
			t.Errorf("refusal %x became %+v", body, r)
		}
	})
}

// goldenPacket has a value in every field, those that do not travel included.
var goldenPacket = protocol.Packet{
	Peer: 7, Kind: 3, Class: 2, Group: 5, Flags: protocol.Marked | protocol.Echoes | protocol.Own4, Entropy: 0xe1e2, Echo: 0xf1f2,
	Message: 0x01020304, Tag: 0x1112131415161718, Size: 300, Offset: 128, Payload: 4, Wire: 1500, Amount: 1,
	Number: 1<<32 - 1, Extra: 127, SentAt: unit.Forever, EchoAt: 16384,
}

const packetHex = `03 05 0408 01ff 01020304 e1e2 dc0b 1112131415161718 f1f2 ac02 8001 01 ffffffff0f 7f
	ffffffffffffffff7f 808001 77656674`

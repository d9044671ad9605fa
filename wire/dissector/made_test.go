package dissector_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
	"weft/wire/internal/pcapng"
)

const session = 0x0123456789abcdef

func summed(b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func head(t codec.Type) []byte {
	return codec.AppendHead(nil, codec.Head{Type: t, Session: session, Number: 1<<47 - 2, Phase: 1})
}

// wrapped returns a capture of datagrams between ports where nobody expects weft.
func wrapped(list [][]byte) []byte {
	var b bytes.Buffer
	w := pcapng.New(&b, pcapng.Interface{})
	for _, d := range list {
		w.Write(pcapng.Datagram{From: netip.MustParseAddrPort("127.0.0.1:40001"), To: netip.MustParseAddrPort("127.0.0.1:40002"), Data: d})
	}
	return b.Bytes()
}

// packets returns random packets of all kinds, with fields of all lengths.
func packets(t *testing.T, n int) (list [][]byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	number := func(bits int) int64 { return int64(rng.Uint64() >> (64 - bits) >> rng.IntN(bits+1)) }
	for i := range n {
		payload := make([]byte, max(0, rng.IntN(40)-10))
		for i := range payload {
			payload[i] = byte(rng.Uint32())
		}
		p := protocol.Packet{
			Kind: uint8(i) % protocol.HostKinds, Group: uint8(number(8)), Flags: protocol.PacketFlags(number(11)) &^ 3, Message: uint32(number(32)),
			Entropy: uint16(number(16)), Wire: unit.Bytes(1 + number(15)), Payload: unit.Bytes(len(payload)), Tag: uint64(number(62)) << rng.IntN(3), Echo: uint16(number(16)),
			Amount: unit.Bytes(number(63)), Number: uint32(number(32)), Extra: uint32(number(32)), SentAt: unit.Time(number(63)), EchoAt: unit.Time(number(63)),
		}
		if more := uint8(number(7)); more > 0 && i%3 == 0 {
			p.More = &protocol.More{Length: more}
			for i := range p.More.Bytes {
				p.More.Bytes[i] = byte(rng.Uint32())
			}
		}
		p.Offset = unit.Bytes(number(62))
		p.Size = p.Offset + p.Payload + unit.Bytes(number(62))
		d, err := codec.AppendPacket(head(codec.Packet), &p, payload)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, summed(d))
	}
	return list
}

// TestMade compares the values of datagrams of all types and kinds with what the codec reads.
func TestMade(t *testing.T) {
	g := codec.Greeting{Session: 1 << 63, ID: [16]byte{1, 2, 3}, Life: 4, Epoch: 1<<32 - 1, Cookie: [24]byte{23: 6}, MTU: 65_000, Transport: 5}
	sealed := g
	sealed.Session, sealed.Sealed = 7, true
	hello := func(g codec.Greeting, offer []byte) []byte {
		return summed(codec.AppendHello(codec.AppendHead(nil, codec.Head{Type: codec.Hello}), codec.AppendGreeting(nil, &g), offer))
	}
	asks := sealed
	asks.Cookie = [24]byte{}
	list := [][]byte{
		hello(g, nil), hello(asks, nil), hello(sealed, bytes.Repeat([]byte{9}, codec.OfferSize)),
		summed(codec.AppendChallenge(head(codec.Challenge), [24]byte{7})),
		summed(codec.AppendGreeting(head(codec.Accept), &g)),
		summed(head(codec.Packet)),
		summed(head(codec.Reset)),
		summed(codec.AppendToken(head(codec.Ping), 1<<31)),
		summed(append(codec.AppendToken(head(codec.Ping), 2), make([]byte, 1000)...)),
		summed(codec.AppendToken(head(codec.Pong), 3)),
		summed(head(codec.Closed)),
		summed(codec.AppendUnawaited(head(codec.Unawaited), 1<<63)),
		summed(codec.AppendFragment(head(codec.Piece), codec.Fragment{Packet: 1 << 31, Index: 2, Count: 3, Total: 8}, []byte("12345678"))),
	}
	for reason := range uint8(5) {
		list = append(list, summed(codec.AppendRefused(head(codec.Refusal), codec.Refused{Message: 1 << 31, Tag: 1<<64 - 1, Reason: reason})))
	}
	list = append(list, packets(t, 300)...)
	compare(t, wrapped(list), false)
}

// TestSealed: a session that greeted as sealed is shown so, and one of which no greeting was captured by its checksums.
func TestSealed(t *testing.T) {
	g := codec.Greeting{Session: session, Sealed: true}
	looksPlain := summed(codec.AppendToken(head(codec.Ping), 1))
	other := summed(codec.AppendHead(nil, codec.Head{Type: codec.Packet, Session: 9}))
	broken := bytes.Clone(other)
	broken[len(broken)-1]++
	greeting := summed(codec.AppendGreeting(head(codec.Accept), &g))
	got := tshark(t, wrapped([][]byte{broken, other, broken, greeting, looksPlain}))
	want := []string{"", "packet, empty", "packet, empty, wrong checksum", "accept, sealed", "ping, sealed, 8 B"}
	for i := range want {
		if i == 0 && got[i]["weft.type"] != "" {
			t.Error("a broken datagram of an unknown session is taken for one of weft")
		} else if i > 0 && got[i][info] != want[i] {
			t.Errorf("datagram %d: %q, not %q", i, got[i][info], want[i])
		}
	}
	// At the port of weft it is one, though what it holds is not known.
	if got = tshark(t, wrapped([][]byte{broken}), "-o", "weft.ports:40002"); got[0][info] != "packet, sealed, 4 B" {
		t.Errorf("%q", got[0][info])
	}
}

// TestWords has the info column tell what a packet asks for.
func TestWords(t *testing.T) {
	const own1 = protocol.Own1
	says(t, []row{
		{protocol.Packet{Kind: 0, Message: 7, Tag: 8, Size: 5000, Offset: 1385, Payload: 3, Flags: protocol.Resent | protocol.Congested}, "data, message 7: 3 bytes from 1385 of 5000, resent, congested"},
		{protocol.Packet{Kind: 1, Size: 5000}, "request, message 0: announces 5000 bytes"},
		{protocol.Packet{Kind: 1, Size: 5000, Flags: own1}, "request, message 0: asks what became of 5000 bytes"},
		{protocol.Packet{Kind: 2, Amount: 9, Size: 8}, "status, message 0: sent up to 9, 8 credit held"},
		{protocol.Packet{Kind: 2, Flags: own1}, "status, message 0: the sender has forgotten it"},
		{protocol.Packet{Kind: 3, Amount: 1385, Offset: 2770}, "credit, message 0: grants 1385, 2770 in all"},
		{protocol.Packet{Kind: 4, Offset: 1, Size: 1 << 60}, "query, message 0: asks for bytes 1 to 1152921504606846976"},
		{protocol.Packet{Kind: 5, Flags: protocol.Echoes | protocol.EchoMarked}, "done, message 0: arrived in full, echo marked"},
		{protocol.Packet{Kind: 5, Flags: own1}, "done, message 0: cancelled"},
		{protocol.Packet{Kind: 6}, "ack"},
		{protocol.Packet{Kind: 15}, "kind 15"},
	})
	says(t, []row{
		{protocol.Packet{Kind: 0, Message: 7, Tag: 8, Size: 5000, Offset: 1417, Payload: 3, Flags: own1}, "data, message 7: 3 bytes from 1417 of 5000"},
		{protocol.Packet{Kind: 0, Message: 7, Tag: 8, Size: 5000, Offset: 4997, Payload: 3, Flags: protocol.Own4 | protocol.Resent}, "data, message 7: 3 bytes from 4997 of 5000, others wait, resent"},
		{protocol.Packet{Kind: 1, Message: 7, Extra: 5, Offset: 4, Flags: protocol.Own3 | protocol.Resent}, "ack, message 7: packet 5, all before 4, marked, resent"},
		{protocol.Packet{Kind: 2, Message: 7}, "probe"},
		{protocol.Packet{Kind: 4, Message: 7, Number: 3}, "withdrawal, message 7: number 3"},
		{protocol.Packet{Kind: 4, Message: 7, Number: 3, Flags: protocol.Own2 | protocol.Own4}, "withdrawal, message 7: number 3, others wait"},
		{protocol.Packet{Kind: 5, Message: 7, Number: 3}, "withdrawn, message 7: number 3"},
		{protocol.Packet{Kind: 6, Message: 7, Number: 3, Extra: 4, Offset: 9}, "inquiry, message 7: asks whether packet 4 of 9 arrived"},
		{protocol.Packet{Kind: 7, Message: 7, Number: 3, Extra: 4, Offset: 2}, "answer, message 7: asked for packet 4, all before 2"},
	}, "-o", "weft.transport:connections")
}

// row is a packet, and what the info column says of it.
type row struct {
	p    protocol.Packet
	want string
}

func says(t *testing.T, rows []row, options ...string) {
	t.Helper()
	var list [][]byte
	for _, r := range rows {
		r.p.Wire = 100
		d, err := codec.AppendPacket(head(codec.Packet), &r.p, make([]byte, r.p.Payload))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, summed(d))
	}
	for i, v := range tshark(t, wrapped(list), options...) {
		if diff := cmp.Diff(rows[i].want, v[info]); diff != "" {
			t.Errorf("%d:\n%s", i, diff)
		}
	}
}

// TestDamage cuts and changes datagrams: the script itself never fails, and what the codec refuses is told as malformed. It does
// not look for values that are 0 or too large, or for numbers in more bytes than they need.
func TestDamage(t *testing.T) {
	var list [][]byte
	for _, d := range packets(t, 20) {
		whole := d[:len(d)-4]
		for n := codec.HeadSize; n <= len(whole); n += 3 {
			list = append(list, summed(bytes.Clone(whole[:n])))
		}
		for i := codec.HeadSize; i < len(whole); i += 5 {
			changed := bytes.Clone(whole)
			changed[i] ^= 0xff
			list = append(list, summed(changed))
		}
	}
	for _, n := range []int{0, 1, 14, 15, 17, 18, 19, 93} {
		list = append(list, append(head(codec.Accept), make([]byte, 100)...)[:n])
	}
	malformed := 0
	for i, v := range tshark(t, wrapped(list), "-o", "weft.ports:40002") {
		d := list[i]
		if strings.Contains(v[info], "malformed") {
			malformed++
		}
		if len(d) < codec.HeadSize+4 || d[0]&15 != byte(codec.Packet) {
			continue
		}
		body := d[codec.HeadSize : len(d)-4]
		var p protocol.Packet
		if _, err := codec.ParsePacket(body, &p, new(protocol.More)); err == nil && strings.Contains(v[info], "malformed") {
			t.Errorf("datagram %d, %x, is %q, and the codec reads %+v", i, d, v[info], p)
		} else if err != nil && strings.Contains(err.Error(), "truncated") && len(body) > 0 && !strings.Contains(v[info], "malformed") {
			t.Errorf("datagram %d, %x, is %q: %v", i, d, v[info], err)
		}
	}
	if malformed < len(list)/4 {
		t.Errorf("%d are malformed of %d", malformed, len(list))
	}
}

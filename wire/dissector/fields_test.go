package dissector_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"

	"weft/protocol"
	"weft/wire/internal/codec"
)

const info = "_ws.col.Info"

// fields are all that the dissector has, and the info column.
var fields = []string{
	info, "weft.version", "weft.type", "weft.session", "weft.number", "weft.checksum", "weft.checksum.status", "weft.sealed", "weft.malformed",
	"weft.greeting.session", "weft.greeting.id", "weft.greeting.life", "weft.greeting.epoch", "weft.greeting.cookie",
	"weft.greeting.mtu", "weft.greeting.sealed", "weft.greeting.transport", "weft.greeting.padding", "weft.greeting.offer", "weft.greeting.answer",
	"weft.phase", "weft.ping.token", "weft.ping.padding", "weft.piece.packet", "weft.piece.index", "weft.piece.count", "weft.piece.total", "weft.piece.data",
	"weft.unawaited.request",
	"weft.challenge.cookie", "weft.refusal.message", "weft.refusal.tag", "weft.refusal.reason",
	"weft.packet.kind", "weft.packet.group", "weft.packet.flags", "weft.packet.flags.marked", "weft.packet.flags.trimmed", "weft.packet.flags.pinned",
	"weft.packet.flags.echoes", "weft.packet.flags.echo_marked", "weft.packet.flags.resent", "weft.packet.flags.congested", "weft.packet.flags.own1",
	"weft.packet.flags.own2", "weft.packet.flags.own3", "weft.packet.flags.own4",
	"weft.packet.presence", "weft.packet.message", "weft.packet.entropy", "weft.packet.wire", "weft.packet.tag", "weft.packet.tag.kind",
	"weft.packet.tag.empty", "weft.packet.tag.number", "weft.packet.echo", "weft.packet.size", "weft.packet.offset", "weft.packet.amount",
	"weft.packet.number", "weft.packet.extra", "weft.packet.sent_at", "weft.packet.echo_at", "weft.packet.more", "weft.packet.payload_length", "weft.packet.payload",
}

// expected returns the values that a datagram has by the codec. The test's datagrams are right.
func expected(d []byte, sealed bool) map[string]string {
	v := map[string]string{}
	h, _, err := codec.ParseHead(d[:codec.HeadSize])
	if err != nil { // of a type with a fixed size
		h = codec.Head{Type: codec.Type(d[0] & 15), Session: binary.BigEndian.Uint64(d[1:]), Number: binary.BigEndian.Uint64(d[7:]) & (codec.MaxNumber - 1), Phase: d[9] >> 7}
	}
	v["weft.version"], v["weft.type"] = strconv.Itoa(int(d[0]>>4)), strconv.Itoa(int(h.Type))
	v["weft.session"], v["weft.number"] = hexed(h.Session, 16), decimal(h.Number)
	v["weft.phase"] = decimal(h.Phase)
	if sealed && codec.Sealable(h.Type) {
		v["weft.sealed"] = hex.EncodeToString(d[codec.HeadSize:])
		return v
	}
	whole, right := checked(d)
	v["weft.checksum"], v["weft.checksum.status"] = "0x"+hex.EncodeToString(d[len(d)-4:]), "0"
	if right {
		v["weft.checksum.status"] = "1"
	}
	body := whole[codec.HeadSize:]
	switch h.Type {
	case codec.Hello, codec.Accept:
		greetingOf(v, h.Type, body)
	case codec.Challenge:
		cookie, err := codec.ParseChallenge(body)
		v["weft.challenge.cookie"] = hex.EncodeToString(cookie[:])
		note(v, err)
	case codec.Refusal:
		r, err := codec.ParseRefused(body)
		v["weft.refusal.message"], v["weft.refusal.tag"], v["weft.refusal.reason"] = decimal(r.Message), hexed(r.Tag, 16), decimal(r.Reason)
		note(v, err)
	case codec.Ping:
		token, err := codec.ParsePing(body)
		v["weft.ping.token"] = hexed(uint64(token), 8)
		rest(v, "weft.ping.padding", body[4:])
		note(v, err)
	case codec.Pong:
		token, err := codec.ParsePong(body)
		v["weft.ping.token"] = hexed(uint64(token), 8)
		note(v, err)
	case codec.Unawaited:
		number, err := codec.ParseUnawaited(body)
		v["weft.unawaited.request"] = decimal(number)
		note(v, err)
	case codec.Piece:
		f, piece, err := codec.ParseFragment(body)
		v["weft.piece.packet"], v["weft.piece.index"], v["weft.piece.count"], v["weft.piece.total"] = decimal(f.Packet), decimal(f.Index), decimal(f.Count), decimal(f.Total)
		rest(v, "weft.piece.data", piece)
		note(v, err)
	case codec.Packet:
		packetOf(v, body)
	}
	return v
}

// note has the comparison fail if the codec does not read what the test made.
func note(v map[string]string, err error) {
	if err != nil {
		v["error"] = err.Error()
	}
}

// rest is of bytes that may be none.
func rest(v map[string]string, name string, b []byte) {
	if len(b) > 0 {
		v[name] = hex.EncodeToString(b)
	}
}

func greetingOf(v map[string]string, t codec.Type, body []byte) {
	if t == codec.Accept && len(body) == codec.AnswerSize {
		v["weft.greeting.answer"] = hex.EncodeToString(body)
		return
	}
	g, err := codec.ParseGreeting(body[:codec.GreetingSize])
	note(v, err)
	v["weft.greeting.session"], v["weft.greeting.id"], v["weft.greeting.life"] = hexed(g.Session, 16), hex.EncodeToString(g.ID[:]), hexed(g.Life, 16)
	v["weft.greeting.epoch"], v["weft.greeting.cookie"] = decimal(g.Epoch), hex.EncodeToString(g.Cookie[:])
	v["weft.greeting.mtu"], v["weft.greeting.sealed"], v["weft.greeting.transport"] = decimal(g.MTU), bit(g.Sealed), hexed(uint64(g.Transport), 8)
	after := body[codec.GreetingSize:]
	if t == codec.Hello {
		_, _, offer, err := codec.ParseHello(body)
		note(v, err)
		rest(v, "weft.greeting.offer", offer)
		after = after[len(offer):]
	}
	rest(v, "weft.greeting.padding", after)
}

func packetOf(v map[string]string, body []byte) {
	if len(body) == 0 {
		return
	}
	var p protocol.Packet
	payload, err := codec.ParsePacket(body, &p, new(protocol.More))
	note(v, err)
	v["weft.packet.kind"], v["weft.packet.group"], v["weft.packet.flags"] = decimal(p.Kind), decimal(p.Group), hexed(p.Flags, 4)
	for i, name := range []string{"marked", "trimmed", "pinned", "echoes", "echo_marked", "resent", "congested", "own1", "own2", "own3", "own4"} {
		v["weft.packet.flags."+name] = bit(p.Flags>>i&1 != 0)
	}
	presence := uint16(0)
	optional := func(i int, name string, value uint64, text string) {
		if value != 0 {
			presence |= 1 << i
			v["weft.packet."+name] = text
		}
	}
	optional(0, "tag", p.Tag, hexed(p.Tag, 16))
	if p.Tag != 0 {
		v["weft.packet.tag.kind"], v["weft.packet.tag.empty"], v["weft.packet.tag.number"] = decimal(p.Tag&3), bit(p.Tag&4 != 0), decimal(p.Tag>>3)
	}
	for i, value := range []uint64{uint64(p.Echo), uint64(p.Size), uint64(p.Offset), uint64(p.Amount), uint64(p.Number), uint64(p.Extra), uint64(p.SentAt), uint64(p.EchoAt)} {
		optional(i+1, []string{"echo", "size", "offset", "amount", "number", "extra", "sent_at", "echo_at"}[i], value, decimal(value))
	}
	if p.More != nil {
		presence |= 1 << 9
		v["weft.packet.more"] = hex.EncodeToString(p.More.Said())
	}
	v["weft.packet.presence"] = hexed(presence, 4)
	v["weft.packet.message"], v["weft.packet.entropy"], v["weft.packet.wire"] = decimal(p.Message), decimal(p.Entropy), decimal(int64(p.Wire))
	v["weft.packet.payload_length"] = decimal(len(payload))
	if len(payload) > 0 {
		v["weft.packet.payload"] = hex.EncodeToString(payload)
	}
}

func decimal[T ~int | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](n T) string {
	return fmt.Sprintf("%d", n)
}

func hexed[T ~uint16 | ~uint64](n T, digits int) string {
	return fmt.Sprintf("0x%0*x", digits, uint64(n))
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

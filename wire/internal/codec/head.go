package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// version is the version of the format. Datagrams with another version are rejected.
const version = 2

// HeadSize is the size of the head of every datagram.
const HeadSize = 15

// MaxNumber is the least number that does not fit into a head.
const MaxNumber = 1 << phaseBit

const phaseBit = 47

// Type is the type of a datagram.
type Type uint8

// Types of datagram.
const (
	// Hello begins a session, or continues with the cookie of a challenge.
	Hello Type = iota + 1
	// Challenge answers a hello that has no valid cookie.
	Challenge
	// Accept answers a hello with a valid cookie.
	Accept
	// Packet carries a packet of the transport.
	Packet
	// Reset says that the session in its head is unknown.
	Reset
	// Refusal says that a message will not be received.
	Refusal
	// Ping asks whether the peer is there and receives this size; Pong answers it.
	Ping
	Pong
	// Piece carries a fragment of a packet that is too large for the path.
	Piece
	// Closed says that its sender is closed.
	Closed
	// Unawaited says that its sender no longer waits for the reply to a request.
	Unawaited
)

var typeNames = [...]string{Hello: "hello", Challenge: "challenge", Accept: "accept", Packet: "packet", Reset: "reset", Refusal: "refusal", Ping: "ping", Pong: "pong", Piece: "piece", Closed: "closed", Unawaited: "unawaited"}

// String names the type.
func (t Type) String() string {
	if t.known() {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

func (t Type) known() bool { return t >= Hello && t <= Unawaited }

// errVersion reports a datagram with another version.
var errVersion = errors.New("codec: datagram of another version")

var (
	errHead      = errors.New("codec: datagram is shorter than its head")
	errType      = errors.New("codec: datagram of unknown type")
	errSize      = errors.New("codec: datagram has not the size of its type")
	errChallenge = errors.New("codec: challenge is not 24 bytes")
	errEcho      = errors.New("codec: ping or pong has not its token alone")
	errRefused   = errors.New("codec: refusal is not 13 bytes")
	errUnawaited = errors.New("codec: unawaited is not 8 bytes")
)

// Head is the beginning of every datagram.
type Head struct {
	Type    Type
	Session uint64
	// Number has 47 bits.
	Number uint64
	// Phase is the lowest bit of the key generation, 0 if nothing is sealed.
	Phase uint8
}

// AppendHead appends a head. It drops bits of Number above 47, of Type above 4, and of Phase
// above 1.
func AppendHead(b []byte, h Head) []byte {
	b = append(b, version<<4|byte(h.Type)&15)
	b = binary.BigEndian.AppendUint64(b, h.Session)
	number := h.Number%MaxNumber | uint64(h.Phase)<<phaseBit
	b = binary.BigEndian.AppendUint16(b, uint16(number>>32))
	return binary.BigEndian.AppendUint32(b, uint32(number))
}

// sizes has the sizes of datagrams whose type has a fixed size.
var sizes = [16]int{Hello: helloSize, Challenge: HeadSize + 24, Accept: HeadSize + GreetingSize, Reset: HeadSize}

// sealedAccept is the second possible size of an accept.
const sealedAccept = HeadSize + AnswerSize

// ParseHead returns the head and the body of a datagram. The body is a slice of b. It rejects
// datagrams whose size does not fit their type: hellos, challenges and resets have one possible
// size, accepts two.
func ParseHead(b []byte) (h Head, body []byte, err error) {
	if len(b) < HeadSize {
		return Head{}, nil, errHead
	}
	if b[0]>>4 != version {
		return Head{}, nil, errVersion
	}
	h.Type = Type(b[0] & 15)
	if !h.Type.known() {
		return Head{}, nil, errType
	}
	if size := sizes[h.Type]; size != 0 && size != len(b) && (h.Type != Accept || len(b) != sealedAccept) {
		return Head{}, nil, errSize
	}
	h.Session = binary.BigEndian.Uint64(b[1:])
	number := uint64(binary.BigEndian.Uint16(b[9:]))<<32 | uint64(binary.BigEndian.Uint32(b[11:]))
	h.Number, h.Phase = number%MaxNumber, uint8(number>>phaseBit)
	return h, b[HeadSize:], nil
}

// AppendChallenge appends the body of a challenge.
func AppendChallenge(b []byte, cookie [24]byte) []byte { return append(b, cookie[:]...) }

// ParseChallenge returns the cookie of a challenge.
func ParseChallenge(body []byte) (cookie [24]byte, err error) {
	if len(body) != len(cookie) {
		return cookie, errChallenge
	}
	return [24]byte(body), nil
}

const tokenSize = 4

// AppendToken appends the body of a pong, or the beginning of a ping's body, which zeros may
// follow.
func AppendToken(b []byte, token uint32) []byte { return binary.BigEndian.AppendUint32(b, token) }

// ParsePing returns the token of a ping. The pong returns the same token.
func ParsePing(body []byte) (token uint32, err error) {
	if len(body) < tokenSize {
		return 0, errEcho
	}
	for _, v := range body[tokenSize:] {
		if v != 0 {
			return 0, errEcho
		}
	}
	return binary.BigEndian.Uint32(body), nil
}

// ParsePong returns the token of a pong.
func ParsePong(body []byte) (token uint32, err error) {
	if len(body) != tokenSize {
		return 0, errEcho
	}
	return binary.BigEndian.Uint32(body), nil
}

// Refused says which message to the datagram's receiver was refused, and why.
type Refused struct {
	Message uint32
	Tag     uint64
	Reason  uint8
}

const refusedSize = 13

// AppendRefused appends the body of a refusal.
func AppendRefused(b []byte, r Refused) []byte {
	b = binary.BigEndian.AppendUint32(b, r.Message)
	b = binary.BigEndian.AppendUint64(b, r.Tag)
	return append(b, r.Reason)
}

// AppendUnawaited appends the number of a request.
func AppendUnawaited(b []byte, number uint64) []byte { return binary.BigEndian.AppendUint64(b, number) }

// ParseUnawaited decodes what AppendUnawaited wrote.
func ParseUnawaited(body []byte) (number uint64, err error) {
	if len(body) != 8 {
		return 0, errUnawaited
	}
	return binary.BigEndian.Uint64(body), nil
}

// ParseRefused decodes the body of a refusal.
func ParseRefused(body []byte) (Refused, error) {
	if len(body) != refusedSize {
		return Refused{}, errRefused
	}
	return Refused{
		Message: binary.BigEndian.Uint32(body),
		Tag:     binary.BigEndian.Uint64(body[4:]),
		Reason:  body[12],
	}, nil
}

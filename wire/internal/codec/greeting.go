package codec

import (
	"encoding/binary"
	"errors"
	"slices"
)

const (
	// GreetingSize is the size of a greeting without padding.
	GreetingSize = 83
	// HelloSize is the size of every hello datagram, head and padding included.
	HelloSize = 160

	paddedSize = HelloSize - HeadSize
)

var (
	errGreeting = errors.New("codec: greeting has neither 83 bytes nor those of a padded hello")
	errPadding  = errors.New("codec: padding of a hello is not zero")
	errSealed   = errors.New("codec: greeting has unknown bits")
)

// Greeting is the body of a hello and of an accept.
type Greeting struct {
	// Session is the sender's own: later datagrams to it bear this one.
	Session uint64
	// ID names the sender's endpoint, and Life one run of it.
	ID   [16]byte
	Life uint64
	// Epoch counts how often the sender gave up on the receiver.
	Epoch uint32
	// Nonce is random, and goes into the keys.
	Nonce [16]byte
	// Cookie is that of the receiver's challenge, or zero.
	Cookie [24]byte
	// MTU is the size of the largest datagram that the sender takes.
	MTU uint16
	// Sealed tells that the sender seals, and takes sealed packets only.
	Sealed bool
	// Transport tells transports and their options apart. Those of both sides must be the same.
	Transport uint32
}

// AppendGreeting appends a greeting without padding.
func AppendGreeting(b []byte, g *Greeting) []byte {
	b = binary.BigEndian.AppendUint64(b, g.Session)
	b = append(b, g.ID[:]...)
	b = binary.BigEndian.AppendUint64(b, g.Life)
	b = binary.BigEndian.AppendUint32(b, g.Epoch)
	b = append(b, g.Nonce[:]...)
	b = append(b, g.Cookie[:]...)
	b = binary.BigEndian.AppendUint16(b, g.MTU)
	sealed := byte(0)
	if g.Sealed {
		sealed = 1
	}
	return binary.BigEndian.AppendUint32(append(b, sealed), g.Transport)
}

// ParseGreeting decodes a greeting, with or without the padding of a hello. It does not know
// the type; ParseHead checks that hellos are padded and accepts are not.
func ParseGreeting(body []byte) (Greeting, error) {
	if len(body) != GreetingSize && len(body) != paddedSize {
		return Greeting{}, errGreeting
	}
	for _, b := range body[GreetingSize:] {
		if b != 0 {
			return Greeting{}, errPadding
		}
	}
	if body[78] > 1 {
		return Greeting{}, errSealed
	}
	return Greeting{
		Session: binary.BigEndian.Uint64(body),
		ID:      [16]byte(body[8:24]),
		Life:    binary.BigEndian.Uint64(body[24:]),
		Epoch:   binary.BigEndian.Uint32(body[32:]),
		Nonce:   [16]byte(body[36:52]),
		Cookie:  [24]byte(body[52:76]),
		MTU:     binary.BigEndian.Uint16(body[76:]),
		Sealed:  body[78] == 1,

		Transport: binary.BigEndian.Uint32(body[79:]),
	}, nil
}

// Pad appends zeros until b has size bytes. It leaves a b that is as long or longer.
func Pad(b []byte, size int) []byte {
	if len(b) >= size {
		return b
	}
	b = slices.Grow(b, size-len(b))
	clear(b[len(b):size])
	return b[:size]
}

package codec

import (
	"encoding/binary"
	"errors"
	"slices"
)

const (
	// GreetingSize is the size of a greeting without padding.
	GreetingSize = 67
	// helloSize is the size of every hello datagram, head and padding included.
	helloSize = 160

	paddedSize = helloSize - HeadSize
)

var (
	errGreeting = errors.New("codec: greeting has not its 67 bytes")
	errHello    = errors.New("codec: hello has not its size")
	errPadding  = errors.New("codec: padding of a hello is not zero")
	errSealed   = errors.New("codec: greeting has unknown bits")
)

// Greeting is how each side introduces itself.
type Greeting struct {
	// Session is the sender's own: later datagrams to it carry this number.
	Session uint64
	// ID identifies the sender's endpoint, and Life one run of it.
	ID   [16]byte
	Life uint64
	// Epoch counts how often the sender gave up on the receiver.
	Epoch uint32
	// Cookie is the cookie of the receiver's challenge, or zero.
	Cookie [24]byte
	// MTU is the size of the largest datagram that the sender makes. It determines how messages
	// are divided, so both sides need the same.
	MTU uint16
	// Sealed is set if the sender seals, and accepts only sealed packets.
	Sealed bool
	// Transport is a hash of the transport and its options. It must be equal on both sides.
	Transport uint32
}

// AppendGreeting appends a greeting without padding.
func AppendGreeting(b []byte, g *Greeting) []byte {
	b = binary.BigEndian.AppendUint64(b, g.Session)
	b = append(b, g.ID[:]...)
	b = binary.BigEndian.AppendUint64(b, g.Life)
	b = binary.BigEndian.AppendUint32(b, g.Epoch)
	b = append(b, g.Cookie[:]...)
	b = binary.BigEndian.AppendUint16(b, g.MTU)
	sealed := byte(0)
	if g.Sealed {
		sealed = 1
	}
	return binary.BigEndian.AppendUint32(append(b, sealed), g.Transport)
}

// ParseGreeting decodes a greeting.
func ParseGreeting(b []byte) (Greeting, error) {
	if len(b) != GreetingSize {
		return Greeting{}, errGreeting
	}
	if b[62] > 1 {
		return Greeting{}, errSealed
	}
	return Greeting{
		Session:   binary.BigEndian.Uint64(b),
		ID:        [16]byte(b[8:24]),
		Life:      binary.BigEndian.Uint64(b[24:]),
		Epoch:     binary.BigEndian.Uint32(b[32:]),
		Cookie:    [24]byte(b[36:60]),
		MTU:       binary.BigEndian.Uint16(b[60:]),
		Sealed:    b[62] == 1,
		Transport: binary.BigEndian.Uint32(b[63:]),
	}, nil
}

// Offers reports whether the hello with this greeting carries an offer: it will be sealed, and
// the peer has sent a cookie.
func (g *Greeting) Offers() bool { return g.Sealed && g.Cookie != [24]byte{} }

// AppendHello appends the body of a hello: an encoded greeting, an offer (which may be empty),
// and padding.
func AppendHello(b, greeting, offer []byte) []byte {
	at := len(b)
	b = append(append(b, greeting...), offer...)
	return Pad(b, at+paddedSize)
}

// ParseHello decodes the body of a hello. greeting is the encoded greeting. offer is nil if the
// greeting has none. Both are slices of the body.
func ParseHello(body []byte) (g Greeting, greeting, offer []byte, err error) {
	if len(body) != paddedSize {
		return Greeting{}, nil, nil, errHello
	}
	greeting, rest := body[:GreetingSize], body[GreetingSize:]
	if g, err = ParseGreeting(greeting); err != nil {
		return Greeting{}, nil, nil, err
	}
	if g.Offers() {
		offer, rest = rest[:OfferSize], rest[OfferSize:]
	}
	for _, v := range rest {
		if v != 0 {
			return Greeting{}, nil, nil, errPadding
		}
	}
	return g, greeting, offer, nil
}

// Pad appends zeros until b has size bytes. It leaves a longer b alone.
func Pad(b []byte, size int) []byte {
	if len(b) >= size {
		return b
	}
	b = slices.Grow(b, size-len(b))
	clear(b[len(b):size])
	return b[:size]
}

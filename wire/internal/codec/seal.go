package codec

import "errors"

// SealOverhead is how much larger a sealed body is than a plain one.
const SealOverhead = 16

const (
	keySize   = 32
	nonceSize = 12
)

var (
	// errNumber is the error of sealing with a number that is too large, or not larger than the
	// last one. The session cannot go on with large ones; it needs new keys.
	errNumber = errors.New("codec: number of a sealed datagram must grow, and stay below 1<<47")
	// errForged is the error of opening what was not sealed with the peer's key, or was changed.
	errForged = errors.New("codec: datagram is forged or damaged")

	errSecret   = errors.New("codec: secret is empty")
	errUnsealed = errors.New("codec: handshakes are not sealed")
	errEarly    = errors.New("codec: the peer has not confirmed the present key")
)

// Keys seal the datagrams of a session and open those of its peer. Each direction goes from one generation of keys to the next
// by itself. Calls must not overlap.
type Keys struct {
	out direction
	// sent is the generation of out, and confirmed the latest of which the peer has opened something.
	sent, confirmed uint64
	// next is the least number that Seal takes.
	next uint64
	worn Wear

	// in is of the generation came, after of the one that follows, and before of the one that was, until it is retired.
	before, in, after direction
	came              uint64
	// from is the least number that in opened, if there was a generation before.
	from uint64
}

// Wear is what a key has sealed.
type Wear struct{ Datagrams, Bytes uint64 }

// newKeys derives the keys of a session from two secrets that both sides agreed on: first is that of datagrams of the
// initiator, who said hello.
func newKeys(first, second [32]byte, initiator bool) (*Keys, error) {
	if !initiator {
		first, second = second, first
	}
	k := new(Keys)
	var err error
	if k.out, err = newDirection(first); err != nil {
		return nil, err
	}
	if k.in, err = newDirection(second); err != nil {
		return nil, err
	}
	k.after, err = k.in.next()
	return k, err
}

// Sealable tells whether datagrams of a type are sealed where there is a secret: all but those of handshakes.
func Sealable(t Type) bool { return t == Packet || t >= Refusal && t.known() }

// Seal appends a datagram to dst: the head with the phase of the key, and the body sealed. It allocates only if dst lacks
// capacity. The body must not overlap what is appended, or must stand where the sealed one will,
// at HeadSize after the end of dst: b = Seal(b[:0], head, b[HeadSize:]) seals in place.
//
// The number must be larger than that of every call before, and below MaxNumber, or else the
// error is errNumber. To send a datagram again, send the bytes that Seal returned.
func (k *Keys) Seal(dst []byte, head Head, body []byte) ([]byte, error) {
	if !Sealable(head.Type) {
		return dst, errUnsealed
	}
	if head.Number < k.next || head.Number >= MaxNumber {
		return dst, errNumber
	}
	k.next = head.Number + 1
	k.worn.Datagrams++
	k.worn.Bytes += uint64(len(body))
	at := len(dst)
	head.Phase = uint8(k.sent & 1)
	dst = AppendHead(dst, head)
	return k.out.seal(dst, head.Number, body, dst[at:]), nil
}

// Worn returns what the present key has sealed.
func (k *Keys) Worn() Wear { return k.worn }

// Rotated returns the generation that Seal uses, from 0 on, and Followed the one that Open has come to.
func (k *Keys) Rotated() uint64  { return k.sent }
func (k *Keys) Followed() uint64 { return k.came }

// Confirm tells that the peer has opened something of a generation of Seal's keys.
func (k *Keys) Confirm(generation uint64) {
	if generation <= k.sent {
		k.confirmed = max(k.confirmed, generation)
	}
}

// Confirmed tells whether the peer has opened something of the generation that Seal uses. The first one is that of the handshake.
func (k *Keys) Confirmed() bool { return k.sent == k.confirmed }

// Rotate has Seal go to the next key. It is an error before the present one is confirmed: the peer opens one generation ahead only.
func (k *Keys) Rotate() error {
	if !k.Confirmed() {
		return errEarly
	}
	next, err := k.out.next()
	if err != nil {
		return err
	}
	k.out, k.worn = next, Wear{}
	k.sent++
	return nil
}

// Retire forgets the peer's key that was before the present one: datagrams that were late so long are no longer opened.
func (k *Keys) Retire() { k.before = direction{} }

// Open appends the opened body of a sealed datagram to dst, and returns what it appended. It
// allocates only if dst lacks capacity, or if the peer has gone to its next key. It takes a number as often as it comes: see
// Window. The caller checks the session. It tries one key only, and only what that one opens changes which keys are used.
//
// What is appended must not overlap the datagram, or must begin where its body does:
// Open(b[HeadSize:HeadSize], b) opens in place. An error leaves zeros there.
func (k *Keys) Open(dst, datagram []byte) (h Head, body []byte, err error) {
	h, sealed, err := ParseHead(datagram)
	if err != nil {
		return Head{}, nil, err
	}
	if !Sealable(h.Type) {
		return Head{}, nil, errUnsealed
	}
	key := &k.in
	switch same := h.Phase == uint8(k.came&1); {
	case !same && h.Number < k.from:
		key = &k.before
	case !same:
		key = &k.after
	}
	if body, err = key.open(dst, h.Number, sealed, datagram[:HeadSize]); err != nil {
		return Head{}, nil, err
	}
	switch key {
	case &k.in:
		k.from = min(k.from, h.Number)
	case &k.after:
		err = k.follow(h.Number)
	}
	return h, body, err
}

// follow goes to the peer's next key, which opened a number.
func (k *Keys) follow(number uint64) (err error) {
	k.before, k.in, k.from = k.in, k.after, number
	k.came++
	k.after, err = k.in.next()
	return err
}

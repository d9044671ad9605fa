package codec

import "errors"

// SealOverhead is by how much a sealed body exceeds a plain one, in bytes.
const SealOverhead = 16

const (
	keySize   = 32
	nonceSize = 12
)

var (
	// errNumber reports a number that is not larger than the last one, or too large to seal with.
	// In the latter case the session needs new keys.
	errNumber = errors.New("codec: number of a sealed datagram must grow, and stay below 1<<47")
	// errForged reports a datagram that was not sealed with the peer's key, or was changed.
	errForged = errors.New("codec: datagram is forged or damaged")

	errSecret   = errors.New("codec: secret is empty")
	errUnsealed = errors.New("codec: handshakes are not sealed")
	errEarly    = errors.New("codec: the peer has not confirmed the present key")
)

// Keys seal the datagrams of a session and open the peer's. Each direction moves from one
// generation of keys to the next independently. Keys are not safe for concurrent use.
type Keys struct {
	out direction
	// sent is the generation of out. confirmed is the last generation from which the peer has
	// opened a datagram.
	sent, confirmed uint64
	// next is the least number that Seal accepts.
	next uint64
	worn Wear

	// in is the peer's generation came, after the next one, and before the previous one until
	// Retire.
	before, in, after direction
	came              uint64
	// from is the least number that in has opened, if there was an earlier generation.
	from uint64
}

// Wear counts what a key has sealed.
type Wear struct{ Datagrams, Bytes uint64 }

// newKeys derives a session's keys from two secrets that both sides agreed on. first is for
// datagrams of the initiator, which sent the hello.
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

// Sealable reports whether datagrams of a type are sealed if there is a secret. Only handshakes
// are not.
func Sealable(t Type) bool { return t == Packet || t >= Refusal && t.known() }

// Seal appends a datagram to dst: the head with the phase of the key, and the sealed body. It
// allocates only if dst lacks capacity. The body must not overlap the appended bytes, unless it
// starts at HeadSize after the end of dst: b = Seal(b[:0], head, b[HeadSize:]) seals in place.
//
// The number must be larger than in every earlier call and below MaxNumber; otherwise the error
// is errNumber. To send a datagram again, send the bytes that Seal returned.
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

// Rotated returns the generation that Seal uses, from 0. Followed returns the one that Open has
// reached.
func (k *Keys) Rotated() uint64  { return k.sent }
func (k *Keys) Followed() uint64 { return k.came }

// Confirm notes that the peer has opened a datagram of a generation of Seal's keys.
func (k *Keys) Confirm(generation uint64) {
	if generation <= k.sent {
		k.confirmed = max(k.confirmed, generation)
	}
}

// Confirmed reports whether the peer has opened a datagram of the generation that Seal uses. The
// handshake confirms the first generation.
func (k *Keys) Confirmed() bool { return k.sent == k.confirmed }

// Rotate makes Seal use the next key. It fails if the present key is not confirmed, because the
// peer opens only one generation ahead.
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

// Retire forgets the peer's previous key. Later datagrams sealed with it are not opened.
func (k *Keys) Retire() { k.before = direction{} }

// Open appends the opened body of a sealed datagram to dst and returns the appended part. It
// allocates only if dst lacks capacity, or if the peer has moved to its next key. It does not
// detect repeated numbers (see Window), and the caller checks the session. It tries one key, and
// only a datagram that this key opens changes which keys are used.
//
// The appended bytes must not overlap the datagram, unless they begin where its body does:
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

// follow moves to the peer's next key, which opened the given number.
func (k *Keys) follow(number uint64) (err error) {
	k.before, k.in, k.from = k.in, k.after, number
	k.came++
	k.after, err = k.in.next()
	return err
}

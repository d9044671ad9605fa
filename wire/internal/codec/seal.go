package codec

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// SealOverhead is how much larger a sealed body is than a plain one.
const SealOverhead = 16

const (
	keySize   = 32
	nonceSize = 12
)

var (
	// errNumber is the error of sealing with a number that is too large, or not larger than the
	// last one. The session cannot go on with large ones; it needs new keys.
	errNumber = errors.New("codec: number of a sealed datagram must grow, and stay below 1<<48")
	// errForged is the error of opening what was not sealed with the peer's key, or was changed.
	errForged = errors.New("codec: datagram is forged or damaged")

	errSecret   = errors.New("codec: secret is empty")
	errUnsealed = errors.New("codec: only packets and refusals are sealed")
)

// Keys seal the datagrams of a session and open those of its peer. Calls must not overlap.
type Keys struct {
	out, in direction
	// next is the least number that Seal takes.
	next uint64
}

// direction is what one side seals with.
type direction struct {
	aead cipher.AEAD
	mask [nonceSize]byte
	// nonce is here, and not on the stack, so that sealing allocates nothing.
	nonce [nonceSize]byte
}

// NewKeys derives the keys of a session from a secret, which should have 32 random bytes, and
// from the nonces of both sides: that of the initiator first, on either side. The initiator is
// the one that said hello.
func NewKeys(secret []byte, nonceA, nonceB [16]byte, initiator bool) (*Keys, error) {
	if len(secret) == 0 {
		return nil, errSecret
	}
	salt := append(nonceA[:len(nonceA):len(nonceA)], nonceB[:]...)
	prk, err := hkdf.Extract(sha256.New, secret, salt)
	if err != nil {
		return nil, err
	}
	k := new(Keys)
	first, second := &k.out, &k.in
	if !initiator {
		first, second = second, first
	}
	if err := first.derive(prk, "weft wire v1 initiator"); err != nil {
		return nil, err
	}
	return k, second.derive(prk, "weft wire v1 responder")
}

func (d *direction) derive(prk []byte, label string) error {
	out, err := hkdf.Expand(sha256.New, prk, label, keySize+nonceSize)
	if err != nil {
		return err
	}
	block, err := aes.NewCipher(out[:keySize])
	if err != nil {
		return err
	}
	copy(d.mask[:], out[keySize:])
	d.aead, err = cipher.NewGCM(block)
	return err
}

// nonceOf returns the nonce of a number, which is valid until the next call.
func (d *direction) nonceOf(number uint64) []byte {
	d.nonce = d.mask
	tail := d.nonce[nonceSize-8:]
	binary.BigEndian.PutUint64(tail, binary.BigEndian.Uint64(tail)^number)
	return d.nonce[:]
}

// Sealable tells whether datagrams of a type are sealed where there is a secret: all but those of handshakes.
func Sealable(t Type) bool { return t == Packet || t >= Refusal && t.known() }

// Seal appends a datagram to dst: the head, and the body sealed. It allocates only if dst lacks
// capacity. The body must not overlap what is appended, or must stand where the sealed one will,
// at HeadSize after the end of dst: b = Seal(b[:0], head, b[HeadSize:]) seals in place.
//
// The number must be larger than that of every call before, and below maxNumber, or else the
// error is errNumber. To send a datagram again, send the bytes that Seal returned.
func (k *Keys) Seal(dst []byte, head Head, body []byte) ([]byte, error) {
	if !Sealable(head.Type) {
		return dst, errUnsealed
	}
	if head.Number < k.next || head.Number >= maxNumber {
		return dst, errNumber
	}
	k.next = head.Number + 1
	at := len(dst)
	dst = AppendHead(dst, head)
	return k.out.aead.Seal(dst, k.out.nonceOf(head.Number), body, dst[at:]), nil
}

// Open appends the opened body of a sealed datagram to dst, and returns what it appended. It
// allocates only if dst lacks capacity. It takes a number as often as it comes: see Window. The
// caller checks the session.
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
	out, err := k.in.aead.Open(dst, k.in.nonceOf(h.Number), sealed, datagram[:HeadSize])
	if err != nil {
		return Head{}, nil, errForged
	}
	return h, out[len(dst):], nil
}

package codec

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
)

// direction holds the keys of one direction in one generation.
type direction struct {
	secret [keySize]byte
	aead   cipher.AEAD
	mask   [nonceSize]byte
	// nonce is a field so that sealing allocates nothing.
	nonce [nonceSize]byte
}

// newDirection derives the key and mask of a generation from its secret.
func newDirection(secret [keySize]byte) (d direction, err error) {
	d.secret = secret
	out, err := hkdf.Expand(sha256.New, secret[:], "weft wire v2 key", keySize+nonceSize)
	if err != nil {
		return direction{}, err
	}
	block, err := aes.NewCipher(out[:keySize])
	if err != nil {
		return direction{}, err
	}
	copy(d.mask[:], out[keySize:])
	d.aead, err = cipher.NewGCM(block)
	return d, err
}

// next returns the next generation, from which this one cannot be computed.
func (d *direction) next() (direction, error) {
	secret, err := hkdf.Expand(sha256.New, d.secret[:], "weft wire v2 next", keySize)
	if err != nil {
		return direction{}, err
	}
	return newDirection([keySize]byte(secret))
}

// nonceOf returns the nonce for a number. It is valid until the next call.
func (d *direction) nonceOf(number uint64) []byte {
	d.nonce = d.mask
	tail := d.nonce[nonceSize-8:]
	binary.BigEndian.PutUint64(tail, binary.BigEndian.Uint64(tail)^number)
	return d.nonce[:]
}

func (d *direction) seal(dst []byte, number uint64, body, head []byte) []byte {
	return d.aead.Seal(dst, d.nonceOf(number), body, head)
}

func (d *direction) open(dst []byte, number uint64, sealed, head []byte) ([]byte, error) {
	if d.aead == nil {
		return nil, errForged
	}
	out, err := d.aead.Open(dst, d.nonceOf(number), sealed, head)
	if err != nil {
		return nil, errForged
	}
	return out[len(dst):], nil
}

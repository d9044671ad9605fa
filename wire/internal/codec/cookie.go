package codec

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"io"

	"weft/unit"
)

// cookieSlot is how long one key makes cookies.
const cookieSlot = 60 * unit.Second

// cookieMAC is the length of the MAC in a cookie; the rest is the slot.
const cookieMAC = 16

// CookieJar makes and checks cookies, which prove that a peer receives at its address. It keeps
// no state per cookie. It is safe for concurrent use.
type CookieJar struct{ root [32]byte }

// NewCookieJar draws the root key from rand, which should be crypto/rand.Reader.
func NewCookieJar(rand io.Reader) (*CookieJar, error) {
	j := new(CookieJar)
	if _, err := io.ReadFull(rand, j.root[:]); err != nil {
		return nil, err
	}
	return j, nil
}

// Make returns the cookie for an address and a session. It is valid in the minute of now and the
// next one. The time must not be negative.
func (j *CookieJar) Make(now unit.Time, addr []byte, session uint64) [24]byte {
	return j.cookie(uint64(now/cookieSlot), addr, session)
}

// Check reports whether a cookie was made for the address and the session, in this minute or the
// one before.
func (j *CookieJar) Check(now unit.Time, addr []byte, session uint64, cookie [24]byte) bool {
	current, slot := uint64(now/cookieSlot), binary.BigEndian.Uint64(cookie[cookieMAC:])
	// A future slot wraps around to a large age.
	if current-slot > 1 {
		return false
	}
	want := j.cookie(slot, addr, session)
	return hmac.Equal(cookie[:], want[:])
}

func (j *CookieJar) cookie(slot uint64, addr []byte, session uint64) (c [24]byte) {
	when := binary.BigEndian.AppendUint64(nil, slot)
	key := hmac.New(sha256.New, j.root[:])
	key.Write([]byte("weft wire v1 cookie"))
	key.Write(when)
	mac := hmac.New(sha256.New, key.Sum(nil))
	mac.Write(binary.BigEndian.AppendUint64(nil, session))
	mac.Write(addr)
	copy(c[:cookieMAC], mac.Sum(nil))
	copy(c[cookieMAC:], when)
	return c
}

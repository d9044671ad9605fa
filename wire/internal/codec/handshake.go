package codec

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"io"

	"github.com/flynn/noise"
)

const (
	// OfferSize is the size of the offer in a sealed hello: a public key and a tag.
	OfferSize = publicSize + SealOverhead
	// AnswerSize is the size of the answer in a sealed accept: a public key, the greeting and a
	// tag.
	AnswerSize = publicSize + GreetingSize + SealOverhead

	publicSize = 32
	// prologue is known to both sides; the hello's greeting follows it.
	prologue = "weft wire v2"
)

// errStranger reports a handshake whose sender lacks the secret, or which was changed on the way.
var errStranger = errors.New("codec: handshake is not by who has the secret")

// Secret is the key that peers share, from which all others are derived.
type Secret [32]byte

// NewSecret makes a secret from bytes of any length. They should have the entropy of 32 random
// bytes, because an attacker who sees a handshake can test guesses.
func NewSecret(b []byte) (Secret, error) {
	if len(b) == 0 {
		return Secret{}, errSecret
	}
	prk, err := hkdf.Extract(sha256.New, b, []byte("weft wire v2 secret"))
	if err != nil {
		return Secret{}, err
	}
	return Secret(prk), nil
}

// pattern returns the handshake Noise_NNpsk0_25519_AESGCM_SHA256 (The Noise Protocol Framework,
// revision 34, §7.4 and §9).
func pattern(secret *Secret, greeting []byte, initiator bool, random io.Reader) (*noise.HandshakeState, error) {
	return noise.NewHandshakeState(noise.Config{
		CipherSuite: noise.NewCipherSuite(noise.DH25519, noise.CipherAESGCM, noise.HashSHA256),
		Pattern:     noise.HandshakeNN, Random: random, Initiator: initiator,
		Prologue:     append([]byte(prologue), greeting...),
		PresharedKey: secret[:],
	})
}

// Offer is a handshake that this side has begun and that is not yet answered.
type Offer struct {
	secret            Secret
	private, greeting []byte
}

// NewOffer begins a handshake with an encoded greeting and returns the offer to put into the
// hello. A greeting with another cookie needs a new offer.
func NewOffer(secret Secret, greeting []byte, random io.Reader) (*Offer, []byte, error) {
	o := &Offer{secret: secret, private: make([]byte, publicSize), greeting: bytes.Clone(greeting)}
	if _, err := io.ReadFull(random, o.private); err != nil {
		return nil, nil, err
	}
	_, message, err := o.begin()
	return o, message, err
}

// begin returns the handshake after its first message. Each answer needs a fresh one, since a
// forged answer may spoil the state.
func (o *Offer) begin() (*noise.HandshakeState, []byte, error) {
	s, err := pattern(&o.secret, o.greeting, true, bytes.NewReader(o.private))
	if err != nil {
		return nil, nil, err
	}
	message, _, _, err := s.WriteMessage(nil, nil)
	return s, message, err
}

// Take processes an answer and returns the peer's greeting and the keys. A forged answer changes
// nothing.
func (o *Offer) Take(answer []byte) (greeting []byte, keys *Keys, err error) {
	if len(answer) != AnswerSize {
		return nil, nil, errStranger
	}
	s, _, err := o.begin()
	if err != nil {
		return nil, nil, err
	}
	greeting, first, second, err := s.ReadMessage(nil, answer)
	if err != nil {
		return nil, nil, errStranger
	}
	keys, err = newKeys(first.UnsafeKey(), second.UnsafeKey(), true)
	return greeting, keys, err
}

// Offered is a handshake begun by a peer that has the secret.
type Offered struct{ state *noise.HandshakeState }

// ReadOffer checks the offer in a hello. It performs no public-key operation. Answer later draws
// a key from random.
func ReadOffer(secret Secret, greeting, offer []byte, random io.Reader) (*Offered, error) {
	if len(offer) != OfferSize {
		return nil, errStranger
	}
	s, err := pattern(&secret, greeting, false, random)
	if err != nil {
		return nil, err
	}
	if _, _, _, err := s.ReadMessage(nil, offer); err != nil {
		return nil, errStranger
	}
	return &Offered{s}, nil
}

// Answer returns the answer for the accept, which contains this side's greeting, and the keys. It
// may be called once.
func (o *Offered) Answer(greeting []byte) (answer []byte, keys *Keys, err error) {
	answer, first, second, err := o.state.WriteMessage(nil, greeting)
	if err != nil {
		return nil, nil, errStranger // the offer's public key is invalid
	}
	keys, err = newKeys(first.UnsafeKey(), second.UnsafeKey(), false)
	return answer, keys, err
}

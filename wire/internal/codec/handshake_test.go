package codec

import (
	"bytes"
	"errors"
	"testing"
)

var (
	testSecret    = counted(0x80, 32)
	testGreetingA = counted(0, GreetingSize)
	testGreetingB = counted(100, GreetingSize)
)

func secretOf(t testing.TB, b []byte) Secret {
	t.Helper()
	s, err := NewSecret(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shake has two sides agree on keys, with private keys that count from 1 and from 0x41.
func shake(t testing.TB) (offer, answer []byte, initiator, responder *Keys) {
	t.Helper()
	secret := secretOf(t, testSecret)
	o, offer, err := NewOffer(secret, testGreetingA, bytes.NewReader(counted(1, 32)))
	if err != nil {
		t.Fatal(err)
	}
	heard, err := ReadOffer(secret, testGreetingA, offer, bytes.NewReader(counted(0x41, 32)))
	if err != nil {
		t.Fatal(err)
	}
	answer, responder, err = heard.Answer(testGreetingB)
	if err != nil {
		t.Fatal(err)
	}
	greeting, initiator, err := o.Take(answer)
	if err != nil || !bytes.Equal(greeting, testGreetingB) {
		t.Fatalf("the greeting came as %x, error %v", greeting, err)
	}
	return offer, answer, initiator, responder
}

// The golden handshake and its datagrams were made by Python's cryptography, from doc.go and Noise's specification.
const (
	goldenOffer  = "07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7c e4f596ab72f873bc85ab24a6cf9adb62"
	goldenAnswer = `64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d48466
		52d759bf9f2a54389d9e9a691a0875817daa71f9ca98283892732f1637cee4f81bcb092e56f4d149bb7e393df63bd00643788865b52349188f4bed49344f8829bf0332
		b2973944496370c7d4e17a3d8851cf96`
)

var goldenSealed = []struct{ initiator, responder string }{ // by generation, each with the next number
	{"24a1a2a3a4a5a6a7a83132333435b68f7bcb9182abd4ce7548d5abd05e1e9eb8b39aea", "24a1a2a3a4a5a6a7a83132333435b6423b8a9dc5b1c08c52271834ef6bc2c5e0cda727"},
	{"24a1a2a3a4a5a6a7a8b132333435b78dc5eb11451a12a65f391ff9cadec5e0b5093b3c", "24a1a2a3a4a5a6a7a8b132333435b7fa58292f78c9cb5ec47a8f68fd02ce8a45abec1c"},
	{"24a1a2a3a4a5a6a7a83132333435b86ae7d56ed92bda61612431e4be386e25012f5d8d", "24a1a2a3a4a5a6a7a83132333435b8a7cb1818f55a3cd6098f6254314294469e0e6ce7"},
}

func TestGoldenHandshake(t *testing.T) {
	offer, answer, a, b := shake(t)
	if !bytes.Equal(offer, unhex(t, goldenOffer)) || len(offer) != OfferSize {
		t.Errorf("the offer is %x", offer)
	}
	if !bytes.Equal(answer, unhex(t, goldenAnswer)) || len(answer) != AnswerSize {
		t.Errorf("the answer is %x", answer)
	}
	for generation, want := range goldenSealed {
		head := testSealedHead
		head.Number += uint64(generation)
		for _, c := range []struct {
			keys, peer *Keys
			want       string
		}{{a, b, want.initiator}, {b, a, want.responder}} {
			got, err := c.keys.Seal(nil, head, []byte("weft"))
			if want := unhex(t, c.want); err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %x, error %v; want %x", got, err, want)
			}
			if _, body, err := c.peer.Open(nil, got); err != nil || string(body) != "weft" {
				t.Errorf("got %q, error %v", body, err)
			}
		}
		for _, k := range []*Keys{a, b} {
			k.Confirm(uint64(generation))
			if err := k.Rotate(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestStrangers checks that neither side believes who has another secret or changed a bit, and that the one who began still
// takes the answer after forged ones.
func TestStrangers(t *testing.T) {
	secret, other := secretOf(t, testSecret), secretOf(t, counted(0x81, 32))
	o, offer, err := NewOffer(secret, testGreetingA, bytes.NewReader(counted(1, 32)))
	if err != nil {
		t.Fatal(err)
	}
	random := func() *bytes.Reader { return bytes.NewReader(counted(0x41, 32)) }
	if _, err := ReadOffer(other, testGreetingA, offer, random()); !errors.Is(err, errStranger) {
		t.Errorf("an offer of who has another secret: %v", err)
	}
	greeting := bytes.Clone(testGreetingA)
	for bit := range 8 * (GreetingSize + OfferSize) {
		part, at := greeting, bit
		if bit >= 8*GreetingSize {
			part, at = offer, bit-8*GreetingSize
		}
		part[at/8] ^= 1 << (at % 8)
		if _, err := ReadOffer(secret, greeting, offer, random()); !errors.Is(err, errStranger) {
			t.Errorf("an offer with bit %d changed: %v", bit, err)
		}
		part[at/8] ^= 1 << (at % 8)
	}
	heard, err := ReadOffer(secret, greeting, offer, random())
	if err != nil {
		t.Fatal(err)
	}
	answer, _, err := heard.Answer(testGreetingB)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(answer) {
		answer[bit/8] ^= 1 << (bit % 8)
		if _, _, err := o.Take(answer); !errors.Is(err, errStranger) {
			t.Errorf("an answer with bit %d changed: %v", bit, err)
		}
		answer[bit/8] ^= 1 << (bit % 8)
	}
	none := append(make([]byte, publicSize), answer[publicSize:]...) // no point of the curve that gives a secret
	for _, b := range [][]byte{nil, none, answer[:AnswerSize-1]} {
		if _, _, err := o.Take(b); !errors.Is(err, errStranger) {
			t.Errorf("an answer of %d bytes: %v", len(b), err)
		}
	}
	if _, _, err := o.Take(answer); err != nil {
		t.Errorf("the answer after forged ones: %v", err)
	}
	if _, err := NewSecret(nil); err == nil {
		t.Error("an empty secret is one")
	}
}

// TestForwardSecrecy checks that the secret and all that was sent give no keys: with other private keys they are others.
func TestForwardSecrecy(t *testing.T) {
	secret := secretOf(t, testSecret)
	_, answer, a, _ := shake(t)
	datagram, err := a.Seal(nil, testSealedHead, []byte("weft"))
	if err != nil {
		t.Fatal(err)
	}
	o, offer, err := NewOffer(secret, testGreetingA, bytes.NewReader(counted(2, 32)))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := o.Take(answer); !errors.Is(err, errStranger) {
		t.Errorf("another private key takes the answer: %v", err)
	}
	heard, err := ReadOffer(secret, testGreetingA, offer, bytes.NewReader(counted(0x41, 32)))
	if err != nil {
		t.Fatal(err)
	}
	_, b, err := heard.Answer(testGreetingB)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Open(nil, datagram); !errors.Is(err, errForged) {
		t.Errorf("another handshake opens the datagram: %v", err)
	}
}

func FuzzReadOffer(f *testing.F) {
	offer, answer, _, _ := shake(f)
	secret := secretOf(f, testSecret)
	f.Add(testGreetingA, offer)
	f.Add(testGreetingA, answer)
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, greeting, b []byte) {
		if _, err := ReadOffer(secret, greeting, b, nil); err == nil && !(bytes.Equal(greeting, testGreetingA) && bytes.Equal(b, offer)) {
			t.Errorf("%x is an offer", b)
		}
		o, _, err := NewOffer(secret, testGreetingA, bytes.NewReader(counted(1, 32)))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := o.Take(b); err == nil && !bytes.Equal(b, answer) {
			t.Errorf("%x is an answer", b)
		}
	})
}

func BenchmarkHandshake(b *testing.B) {
	for b.Loop() {
		shake(b)
	}
}

func BenchmarkReadOffer(b *testing.B) {
	offer, _, _, _ := shake(b)
	secret := secretOf(b, testSecret)
	for b.Loop() {
		if _, err := ReadOffer(secret, testGreetingA, offer, nil); err != nil {
			b.Fatal(err)
		}
	}
}

package codec

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

var (
	testFirst, testSecond = [32]byte(counted(1, 32)), [32]byte(counted(0x41, 32))
	testSealedHead        = Head{Type: Packet, Session: 0xa1a2a3a4a5a6a7a8, Number: 0x3132333435b6}
)

// newPair returns the keys of both sides.
func newPair(t testing.TB) (initiator, responder *Keys) {
	t.Helper()
	initiator, err := newKeys(testFirst, testSecond, true)
	if err != nil {
		t.Fatal(err)
	}
	responder, err = newKeys(testFirst, testSecond, false)
	if err != nil {
		t.Fatal(err)
	}
	return initiator, responder
}

func TestSealRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, err := newKeys(testFirst, testSecond, true)
		if err != nil {
			t.Fatal(err)
		}
		b, err := newKeys(testFirst, testSecond, false)
		if err != nil {
			t.Fatal(err)
		}
		number := uint64(0)
		for range rapid.IntRange(1, 5).Draw(t, "datagrams") {
			h := Head{
				Type:    rapid.SampledFrom([]Type{Packet, Refusal}).Draw(t, "type"),
				Session: rapid.Uint64().Draw(t, "session"),
				Number:  number + rapid.Uint64Max(1<<40).Draw(t, "skip"),
			}
			number = h.Number + 1
			body := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
			before := rapid.SliceOf(rapid.Byte()).Draw(t, "before")
			sealed, err := a.Seal(bytes.Clone(before), h, body)
			if err != nil || !bytes.HasPrefix(sealed, before) {
				t.Fatalf("%x, error %v", sealed, err)
			}
			datagram := sealed[len(before):]
			if len(datagram) != HeadSize+len(body)+SealOverhead {
				t.Fatalf("%d bytes for a body of %d", len(datagram), len(body))
			}
			got, opened, err := b.Open(before, datagram)
			if err != nil || got != h || !bytes.Equal(opened, body) {
				t.Fatalf("got %+v, body %x, error %v; want %+v, %x", got, opened, err, h, body)
			}
		}
	})
}

// TestSealInPlace seals and opens a datagram where it stands, without allocation.
func TestSealInPlace(t *testing.T) {
	a, b := newPair(t)
	room := make([]byte, HeadSize, 2048)
	want := counted(0, 1400)
	h := Head{Type: Packet, Session: 1}
	n := testing.AllocsPerRun(100, func() {
		h.Number++
		datagram := append(room, want...)
		datagram, err := a.Seal(datagram[:0], h, datagram[HeadSize:])
		if err != nil || &datagram[0] != &room[0] {
			t.Fatal("not in place", err)
		}
		got, body, err := b.Open(datagram[HeadSize:HeadSize], datagram)
		if err != nil || got != h || &body[0] != &datagram[HeadSize] || !bytes.Equal(body, want) {
			t.Fatal("not opened in place", err)
		}
		if _, _, err := b.Open(datagram[HeadSize:HeadSize], datagram); err == nil {
			t.Fatal("a plain datagram opens")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSealedBits checks that no datagram opens of which a bit is flipped, or that is cut.
func TestSealedBits(t *testing.T) {
	a, b := newPair(t)
	body, err := AppendPacket(nil, &goldenPacket, []byte("weft"))
	if err != nil {
		t.Fatal(err)
	}
	datagram, err := a.Seal(nil, Head{Type: Packet, Session: 5, Number: 1000}, body)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(datagram) {
		datagram[bit/8] ^= 1 << (bit % 8)
		if _, _, err := b.Open(nil, datagram); err == nil {
			t.Errorf("opens with bit %d flipped", bit)
		}
		datagram[bit/8] ^= 1 << (bit % 8)
	}
	for n := range datagram {
		if _, _, err := b.Open(nil, datagram[:n:n]); err == nil {
			t.Errorf("%d bytes of %d open", n, len(datagram))
		}
	}
	if _, _, err := b.Open(nil, append(datagram, 0)); err == nil {
		t.Error("opens with a byte more")
	}
	if _, got, err := b.Open(nil, datagram); err != nil || !bytes.Equal(got, body) {
		t.Errorf("does not open: %v", err)
	}
}

// TestSealNumbers checks that no number is used twice.
func TestSealNumbers(t *testing.T) {
	a, _ := newPair(t)
	for _, c := range []struct {
		number uint64
		want   error
	}{{0, nil}, {0, errNumber}, {1, nil}, {5, nil}, {4, errNumber}, {5, errNumber}, {1<<64 - 1, errNumber}, {MaxNumber, errNumber}, {MaxNumber - 1, nil}, {MaxNumber - 1, errNumber}, {6, errNumber}} {
		b, err := a.Seal([]byte("before"), Head{Type: Packet, Number: c.number}, nil)
		if !errors.Is(err, c.want) || err != nil && string(b) != "before" {
			t.Errorf("number %d: %q, error %v, want %v", c.number, b, err, c.want)
		}
	}
}

// TestSealTypes checks that all but handshakes is sealed.
func TestSealTypes(t *testing.T) {
	a, b := newPair(t)
	for typ := range Type(16) {
		_, err := a.Seal(nil, Head{Type: typ, Number: uint64(typ)}, make([]byte, 24-SealOverhead))
		if want := typ == Packet || typ == Refusal || typ == Ping || typ == Pong || typ == Piece || typ == Closed || typ == Unawaited; want != (err == nil) {
			t.Errorf("%v: error %v", typ, err)
		}
	}
	challenge := AppendChallenge(AppendHead(nil, Head{Type: Challenge}), [24]byte{})
	if _, _, err := b.Open(nil, challenge); !errors.Is(err, errUnsealed) {
		t.Errorf("error %v", err)
	}
}

// TestKeysDiffer checks that each direction has keys of its own, of one secret.
func TestKeysDiffer(t *testing.T) {
	a, _ := newPair(t)
	datagram, err := a.Seal(nil, testSealedHead, []byte("weft"))
	if err != nil {
		t.Fatal(err)
	}
	changed := testFirst
	changed[31] ^= 1
	for _, c := range []struct{ first, second [32]byte }{{changed, testSecond}, {testSecond, testFirst}} {
		k, err := newKeys(c.first, c.second, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := k.Open(nil, datagram); !errors.Is(err, errForged) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	if _, _, err := a.Open(nil, datagram); !errors.Is(err, errForged) {
		t.Errorf("a side opens its own datagram: error %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	a, b := newPair(f)
	for number, typ := range []Type{Packet, Refusal} {
		d, err := a.Seal(nil, Head{Type: typ, Session: 3, Number: uint64(number)}, counted(0, 20*number))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(d)
	}
	for _, g := range golden {
		f.Add(unhex(f, g.want))
	}
	f.Fuzz(func(t *testing.T, datagram []byte) {
		h, body, err := b.Open(nil, datagram)
		if err != nil {
			return
		}
		a, _ := newPair(t)
		if again, err := a.Seal(nil, h, body); err != nil || !bytes.Equal(again, datagram) {
			t.Errorf("%x became %x, error %v", datagram, again, err)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	keys, _ := newPair(b)
	room := make([]byte, HeadSize+1400, 2048)
	h := Head{Type: Packet}
	b.ReportAllocs()
	b.SetBytes(1400)
	for b.Loop() {
		h.Number++
		if _, err := keys.Seal(room[:0], h, room[HeadSize:]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	a, keys := newPair(b)
	datagram, err := a.Seal(nil, Head{Type: Packet}, make([]byte, 1400))
	if err != nil {
		b.Fatal(err)
	}
	room := make([]byte, 0, 2048)
	b.ReportAllocs()
	b.SetBytes(1400)
	for b.Loop() {
		if _, _, err := keys.Open(room, datagram); err != nil {
			b.Fatal(err)
		}
	}
}

package codec

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func drawGreeting(t *rapid.T) Greeting {
	draw := func(name string, n int) []byte { return rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, name) }
	return Greeting{
		Session: rapid.Uint64().Draw(t, "session"),
		ID:      [16]byte(draw("id", 16)),
		Life:    rapid.Uint64().Draw(t, "life"),
		Epoch:   rapid.Uint32().Draw(t, "epoch"),
		Nonce:   [16]byte(draw("nonce", 16)),
		Cookie:  [24]byte(draw("cookie", 24)),
		MTU:     rapid.Uint16().Draw(t, "mtu"),
		Sealed:  rapid.Bool().Draw(t, "sealed"),

		Transport: rapid.Uint32().Draw(t, "transport"),
	}
}

func TestGreetingRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGreeting(t)
		b := AppendGreeting(nil, &g)
		if len(b) != GreetingSize {
			t.Fatalf("greeting of %d bytes", len(b))
		}
		for _, body := range [][]byte{b, Pad(b, HelloSize-HeadSize)} {
			if got, err := ParseGreeting(body); err != nil || got != g {
				t.Fatalf("got %+v, error %v; want %+v", got, err, g)
			}
		}
	})
}

// TestGreetingSizes checks that a greeting has no other size than its two, and that its padding
// is zero.
func TestGreetingSizes(t *testing.T) {
	b := AppendGreeting(nil, &goldenGreeting)
	for n := range 2 * HelloSize {
		body := Pad(bytes.Clone(b), n)[:n]
		_, err := ParseGreeting(body)
		if good := n == GreetingSize || n == paddedSize; good != (err == nil) {
			t.Errorf("%d bytes: error %v", n, err)
		}
	}
	b = Pad(b, paddedSize)
	for i := GreetingSize; i < paddedSize; i++ {
		b[i] = 1
		if _, err := ParseGreeting(b); err == nil {
			t.Errorf("byte %d of the padding may be 1", i)
		}
		b[i] = 0
	}
	b[78] = 3
	if _, err := ParseGreeting(b); err == nil {
		t.Error("unknown bits parse")
	}
}

func TestPad(t *testing.T) {
	b := make([]byte, 2, 8)
	copy(b[:8], "abcdefgh")
	if got := Pad(b, 5); string(got) != "ab\x00\x00\x00" || &got[0] != &b[0] {
		t.Errorf("got %q", got)
	}
	if got := Pad([]byte("abc"), 2); string(got) != "abc" {
		t.Errorf("got %q", got)
	}
	room := make([]byte, 0, HelloSize)
	if n := testing.AllocsPerRun(100, func() { Pad(room, HelloSize) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParseGreeting(f *testing.F) {
	b := AppendGreeting(nil, &goldenGreeting)
	f.Add(b)
	f.Add(Pad(bytes.Clone(b), paddedSize))
	f.Add(make([]byte, GreetingSize))
	f.Fuzz(func(t *testing.T, body []byte) {
		g, err := ParseGreeting(body)
		if err != nil {
			return
		}
		if again := Pad(AppendGreeting(nil, &g), len(body)); !bytes.Equal(again, body) {
			t.Errorf("%x became %x", body, again)
		}
	})
}

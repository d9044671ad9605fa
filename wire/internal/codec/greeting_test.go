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
		if got, err := ParseGreeting(b); err != nil || got != g {
			t.Fatalf("got %+v, error %v; want %+v", got, err, g)
		}
		var offer []byte
		if g.Offers() {
			offer = rapid.SliceOfN(rapid.Byte(), OfferSize, OfferSize).Draw(t, "offer")
		}
		hello := AppendHello([]byte("before"), b, offer)[len("before"):]
		got, greeting, offered, err := ParseHello(hello)
		if err != nil || got != g || !bytes.Equal(greeting, b) || !bytes.Equal(offered, offer) || len(hello) != helloSize-HeadSize {
			t.Fatalf("got %+v, %x, %x, error %v", got, greeting, offered, err)
		}
	})
}

// TestGreetingSizes checks that greetings and hellos have no other size than theirs, and that the padding is zero.
func TestGreetingSizes(t *testing.T) {
	plain := goldenGreeting
	plain.Sealed = false
	for _, g := range []*Greeting{&goldenGreeting, &plain} {
		b := AppendGreeting(nil, g)
		for n := range 2 * helloSize {
			body := Pad(bytes.Clone(b), n)[:n]
			if _, err := ParseGreeting(body); (n == GreetingSize) != (err == nil) {
				t.Errorf("a greeting of %d bytes: error %v", n, err)
			}
			if _, _, _, err := ParseHello(body); (n == paddedSize) != (err == nil) {
				t.Errorf("a hello of %d bytes: error %v", n, err)
			}
		}
		padding := GreetingSize
		if g.Sealed {
			padding += OfferSize
		}
		b = Pad(b, paddedSize)
		for i := GreetingSize; i < paddedSize; i++ {
			b[i] = 1
			if _, _, _, err := ParseHello(b); (i < padding) != (err == nil) {
				t.Errorf("byte %d of a hello is 1: error %v", i, err)
			}
			b[i] = 0
		}
		b[62] = 3
		if _, err := ParseGreeting(b[:GreetingSize]); err == nil {
			t.Error("unknown bits parse")
		}
	}
}

// TestAnswersAreSmaller: nothing that answers a hello is larger, whatever its checksum has.
func TestAnswersAreSmaller(t *testing.T) {
	for _, size := range []int{HeadSize + 24, HeadSize + GreetingSize, HeadSize + AnswerSize} {
		if size > helloSize {
			t.Errorf("an answer has %d bytes, a hello %d", size, helloSize)
		}
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
	room := make([]byte, 0, helloSize)
	if n := testing.AllocsPerRun(100, func() { Pad(room, helloSize) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParseHello(f *testing.F) {
	b := AppendGreeting(nil, &goldenGreeting)
	f.Add(AppendHello(nil, b, counted(0x81, OfferSize)))
	f.Add(AppendHello(nil, b, nil))
	f.Add(b)
	f.Add(make([]byte, paddedSize))
	f.Fuzz(func(t *testing.T, body []byte) {
		g, greeting, offer, err := ParseHello(body)
		if err != nil {
			return
		}
		if again := AppendHello(nil, AppendGreeting(nil, &g), offer); !bytes.Equal(again, body) || !bytes.Equal(greeting, body[:GreetingSize]) {
			t.Errorf("%x became %x", body, again)
		}
	})
}

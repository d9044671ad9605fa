package codec

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

func newJar(t testing.TB, root byte) *CookieJar {
	t.Helper()
	j, err := NewCookieJar(bytes.NewReader(counted(root, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestCookieExpires(t *testing.T) {
	const minute = 60 * unit.Second
	j, addr := newJar(t, 1), []byte("10.0.0.1:4000")
	for _, c := range []struct {
		made, now unit.Time
		want      bool
	}{
		{0, 0, true},
		{0, minute, true},
		{0, 2*minute - 1, true},
		{0, 2 * minute, false},
		{minute - 1, minute - 1, true},
		{minute - 1, 2*minute - 1, true},
		{minute - 1, 2 * minute, false},
		{minute, 0, false}, // of a later minute
		{5 * minute, 7 * minute, false},
		{5 * minute, 4 * minute, false},
		{unit.Forever, unit.Forever, true},
		{unit.Forever, 0, false},
	} {
		if got := j.Check(c.now, addr, 7, j.Make(c.made, addr, 7)); got != c.want {
			t.Errorf("made at %v, checked at %v: %v, want %v", c.made, c.now, got, c.want)
		}
	}
}

// TestCookieIsBound checks that a cookie is for one address, session and jar, and that every
// bit of it counts.
func TestCookieIsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := &CookieJar{root: [32]byte(counted(1, 32))}
		now := unit.Time(rapid.Int64Range(0, int64(unit.Forever)).Draw(t, "now"))
		addr := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "addr")
		session := rapid.Uint64().Draw(t, "session")
		cookie := j.Make(now, addr, session)
		if !j.Check(now, addr, session, cookie) {
			t.Fatal("the cookie does not check")
		}
		other := &CookieJar{root: [32]byte(counted(2, 32))}
		if j.Check(now, append(addr, 0), session, cookie) || j.Check(now, addr, session^1, cookie) || other.Check(now, addr, session, cookie) {
			t.Fatal("the cookie checks for another peer or jar")
		}
		for bit := range 8 * len(cookie) {
			cookie[bit/8] ^= 1 << (bit % 8)
			if j.Check(now, addr, session, cookie) {
				t.Fatalf("the cookie checks without bit %d", bit)
			}
			cookie[bit/8] ^= 1 << (bit % 8)
		}
	})
}

// TestGoldenCookie makes a cookie as doc.go says.
func TestGoldenCookie(t *testing.T) {
	mac := func(key []byte, parts ...string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(strings.Join(parts, "")))
		return h.Sum(nil)
	}
	const slot = "\x00\x00\x00\x00\x00\x00\x00\x02"
	key := mac(counted(1, 32), "weft wire v1 cookie", slot)
	want := append(mac(key, "\x00\x00\x00\x00\x00\x00\x01\x02", "addr")[:16], slot...)
	if got := newJar(t, 1).Make(150*unit.Second, []byte("addr"), 0x102); !bytes.Equal(got[:], want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestCookieJarNeedsRandomness(t *testing.T) {
	if _, err := NewCookieJar(bytes.NewReader(make([]byte, 31))); err == nil {
		t.Error("31 bytes are enough")
	}
}

func BenchmarkCookie(b *testing.B) {
	j, addr := newJar(b, 1), make([]byte, 18)
	cookie := j.Make(0, addr, 1)
	b.ReportAllocs()
	for b.Loop() {
		j.Check(0, addr, 1, cookie)
	}
}

package codec

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestFragments cuts packets and puts them together again.
func TestFragments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 1<<16-1).Draw(t, "total")
		most := rapid.IntRange((total+MostFragments-1)/MostFragments, 1<<16).Draw(t, "most")
		packet := make([]byte, total)
		for i := range packet {
			packet[i] = byte(i * 7)
		}
		count := FragmentsOf(total, most)
		if count > MostFragments || count > (total+most-1)/most {
			t.Fatalf("%d pieces of at most %d B for %d B", count, most, total)
		}
		if count == 1 {
			return
		}
		var whole []byte
		for i := range count {
			f := Fragment{Packet: 9, Index: uint8(i), Count: uint8(count), Total: uint16(total)}
			got, piece, err := ParseFragment(AppendFragment(nil, f, packet))
			from, to := f.Span()
			if err != nil || got != f || len(piece) == 0 || len(piece) > most || from != len(whole) || to != from+len(piece) {
				t.Fatalf("piece %d of %d from %d to %d: %+v, %d B, error %v", i, count, from, to, got, len(piece), err)
			}
			whole = append(whole, piece...)
		}
		if !bytes.Equal(whole, packet) {
			t.Fatal("the packet came changed")
		}
	})
}

func FuzzParseFragment(f *testing.F) {
	for _, v := range []Fragment{{1, 0, 2, 100}, {1, 1, 2, 99}, {1 << 31, 254, 255, 1<<16 - 1}} {
		f.Add(AppendFragment(nil, v, make([]byte, v.Total)))
	}
	f.Add([]byte{0, 0, 0, 0, 5, 6, 0, 10})
	f.Fuzz(func(t *testing.T, body []byte) {
		v, piece, err := ParseFragment(body)
		if err != nil {
			return
		}
		from, to := v.Span()
		packet := make([]byte, v.Total)
		copy(packet[from:to], piece)
		if again := AppendFragment(nil, v, packet); !bytes.Equal(again, body) {
			t.Errorf("%x became %x", body, again)
		}
	})
}

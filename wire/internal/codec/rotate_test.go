package codec

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// TestRotate has two sides go to new keys while datagrams are lost, repeated, late and forged: what opens is what was sealed by
// the key in use, by the one that follows, or by the one before unless it was retired, and nothing forged changes which those are.
func TestRotate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type sent struct {
			datagram   []byte
			generation uint64
		}
		var sides [2]*Keys
		for i := range sides {
			k, err := newKeys(testFirst, testSecond, i == 0)
			if err != nil {
				t.Fatal(err)
			}
			sides[i] = k
		}
		var under [2][]sent // by who sent
		var retired [2]bool
		numbers := [2]uint64{}
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			i := rapid.IntRange(0, 1).Draw(t, "side")
			k, other := sides[i], sides[1-i]
			switch rapid.IntRange(0, 7).Draw(t, "step") {
			case 0, 1, 2:
				d, err := k.Seal(nil, Head{Type: Packet, Number: numbers[i]}, []byte{byte(numbers[i])})
				if err != nil {
					t.Fatal(err)
				}
				numbers[i]++
				under[i] = append(under[i], sent{d, k.Rotated()})
			case 3:
				confirmed := k.Confirmed()
				if err := k.Rotate(); errors.Is(err, errEarly) == confirmed {
					t.Fatalf("a key that is confirmed: %v; rotated with %v", confirmed, err)
				}
			case 4:
				k.Retire()
				retired[i] = true
			default:
				if len(under[i]) == 0 {
					continue
				}
				n := rapid.IntRange(0, len(under[i])-1).Draw(t, "which")
				s := under[i][n]
				if rapid.Bool().Draw(t, "forged") {
					forged, before := bytes.Clone(s.datagram), *other
					forged[9] ^= rapid.SampledFrom([]byte{0x80, 1, 0x81, 0x40}).Draw(t, "bits")
					if _, _, err := other.Open(nil, forged); !errors.Is(err, errForged) || other.came != before.came || other.from != before.from {
						t.Fatalf("a forged phase or number: %v", err)
					}
					continue
				}
				came := other.came
				_, body, err := other.Open(nil, s.datagram)
				want := s.generation == came || s.generation == came+1 || s.generation+1 == came && !retired[1-i]
				if want != (err == nil) || err == nil && len(body) != 1 {
					t.Fatalf("generation %d opens: %v; the one in use is %d", s.generation, err, came)
				}
				if other.came != came {
					retired[1-i] = false
				}
				if other.came > k.sent || k.sent > other.came+1 {
					t.Fatalf("one side seals with generation %d, the other has come to %d", k.sent, other.came)
				}
				if err == nil && rapid.Bool().Draw(t, "answered") {
					k.Confirm(s.generation)
				}
			}
		}
	})
}

// TestRotateGoesOneWay checks that the secret of a generation differs from all others, and that nothing of an earlier one is kept once
// it is retired.
func TestRotateGoesOneWay(t *testing.T) {
	a, b := newPair(t)
	seen := map[[keySize]byte]bool{a.out.secret: true}
	for n := range uint64(5) {
		if err := a.Rotate(); err != nil {
			t.Fatal(err)
		}
		if seen[a.out.secret] {
			t.Fatal("a secret came twice")
		}
		seen[a.out.secret] = true
		if err := a.Rotate(); !errors.Is(err, errEarly) {
			t.Errorf("two generations ahead: %v", err)
		}
		d, err := a.Seal(nil, Head{Type: Ping, Number: n}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Open(nil, d); err != nil {
			t.Fatal(err)
		}
		a.Confirm(n + 2) // of a generation that is to come
		a.Confirm(n + 1)
		if a.Worn().Datagrams != 1 {
			t.Errorf("the key of generation %d has sealed %+v", a.Rotated(), a.Worn())
		}
		b.Retire()
		if b.before != (direction{}) {
			t.Error("a retired key is kept")
		}
	}
}

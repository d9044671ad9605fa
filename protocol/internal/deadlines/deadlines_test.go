package deadlines

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// set is what Set and Wheel have in common.
type set interface {
	Put(i int32, at unit.Time)
	Remove(i int32)
	First() (i int32, at unit.Time)
	Len() int
}

func kinds() map[string]func() set {
	return map[string]func() set{
		"Set":                func() set { return new(Set) },
		"Wheel":              func() set { return new(Wheel) },
		"Wheel with buckets": func() set { return withBuckets() },
	}
}

// withBuckets returns a wheel that is empty after it had many deadlines.
func withBuckets() *Wheel {
	w := new(Wheel)
	for i := range int32(few + 1) {
		w.Put(i, 0)
	}
	for i := range int32(few + 1) {
		w.Remove(i)
	}
	return w
}

// TestAgainstMap compares with a map, at times that are close, and so far apart that a wheel
// has them in buckets and beyond; with few deadlines, and with so many others that a wheel
// begins to need buckets.
func TestAgainstMap(t *testing.T) {
	for name, empty := range kinds() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := empty()
				want := map[int32]unit.Time{}
				unitOfTime := rapid.SampledFrom([]unit.Time{1, 1 << (width - 3), 1 << width, buckets << (width - 4), buckets << width}).Draw(t, "unit")
				now := unit.Time(0)
				const things = 20
				for i := range rapid.SampledFrom([]int32{0, few - things/2}).Draw(t, "others") {
					at := unitOfTime * unit.Time(i*7%31)
					s.Put(things+1+i, at)
					want[things+1+i] = at
				}
				for range rapid.IntRange(1, 300).Draw(t, "steps") {
					i := rapid.Int32Range(0, things).Draw(t, "thing")
					switch rapid.IntRange(0, 4).Draw(t, "what") {
					case 0:
						s.Remove(i)
						delete(want, i)
					case 1: // the first one is met
						if k, at := s.First(); k >= 0 {
							now, i = max(now, at), k
						}
						fallthrough
					default:
						at := now + unitOfTime*unit.Time(rapid.IntRange(0, 30).Draw(t, "at"))
						if rapid.IntRange(0, 5).Draw(t, "odd") == 0 {
							at += unit.Time(rapid.IntRange(0, 5).Draw(t, "more"))
						}
						s.Put(i, at)
						want[i] = at
					}
					first, least := int32(-1), unit.Forever
					for k, at := range want {
						if at < least || at == least && k < first {
							first, least = k, at
						}
					}
					if k, at := s.First(); k != first || at != least || s.Len() != len(want) {
						t.Fatalf("%d at %v of %d, want %d at %v of %d", k, at, s.Len(), first, least, len(want))
					}
				}
			})
		})
	}
}

// TestFewAreSmall: there is a wheel at each host of the largest fabrics.
func TestFewAreSmall(t *testing.T) {
	const allowed = 1024
	took := uint64(math.MaxUint64) // the least: other goroutines allocate, too
	for range 20 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := new(Wheel)
		for i := range int32(8) {
			w.Put(i, unit.Time(i))
		}
		runtime.ReadMemStats(&after)
		took = min(took, after.TotalAlloc-before.TotalAlloc)
	}
	if took > allowed {
		t.Errorf("a wheel of 8 deadlines takes %d bytes", took)
	}
}

// TestMeetingDoesNotAllocate: once a set has grown to what it holds.
func TestMeetingDoesNotAllocate(t *testing.T) {
	for name, empty := range kinds() {
		for _, things := range []int32{few / 2, few, 4 * few} {
			m := newMeeting(empty(), things)
			if allocs := testing.AllocsPerRun(200_000, m.meet); allocs > 0 { // which rounds down
				t.Errorf("%s of %d: %v allocations", name, things, allocs)
			}
		}
	}
}

// meeting meets the first of many deadlines and puts it a round trip later, somewhat
// jittered.
type meeting struct {
	set
	jitter unit.Time
}

func newMeeting(s set, things int32) *meeting {
	for i := range things {
		s.Put(i, unit.Time(i)*7919%(10*unit.Microsecond))
	}
	return &meeting{s, 1}
}

func (m *meeting) meet() {
	i, at := m.First()
	m.jitter = (m.jitter*69621 + 1) % (1 << 21)
	m.Put(i, at+10*unit.Microsecond+m.jitter)
}

// BenchmarkMeet is of as few deadlines as most hosts have, of the most that a wheel holds
// without buckets, and of thousands.
func BenchmarkMeet(b *testing.B) {
	for name, empty := range kinds() {
		for _, things := range []int32{16, few, 5700} {
			b.Run(fmt.Sprintf("%s/%d", name, things), func(b *testing.B) {
				m := newMeeting(empty(), things)
				b.ReportAllocs()
				for b.Loop() {
					m.meet()
				}
			})
		}
	}
}

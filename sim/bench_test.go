package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkScheduler holds n events and replaces each that is served by one a
// random time later, of the mix of a fabric: mostly within a microsecond or two,
// some at once, a few at a retransmission timeout.
func BenchmarkScheduler(b *testing.B) {
	for _, n := range []int{256, 2048, 16384} {
		for _, queue := range []struct {
			kind QueueKind
			name string
		}{{Calendar, "calendar"}, {Heap, "heap"}} {
			b.Run(fmt.Sprint(n, "/", queue.name), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				ranks := make([]uint32, n)
				for i, r := range rng.Perm(n) {
					ranks[i] = uint32(r)
				}
				delays := make([]Time, 1<<12)
				for i := range delays {
					switch i % 16 {
					case 0:
						delays[i] = 70_000_000
					case 1, 2, 3:
						delays[i] = 5120
					default:
						delays[i] = 333_000 + Time(rng.Int64N(1_000_000))
					}
				}
				s := NewScheduler(queue.kind, ranks)
				for i := range n {
					s.Schedule(Entity(i), delays[i%len(delays)])
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					e, at, _ := s.Next(Forever)
					s.Schedule(e, at+delays[i&(len(delays)-1)])
					i++
				}
			})
		}
	}
}

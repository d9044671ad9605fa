package collective

import (
	"slices"
	"testing"

	"weft/trace"
	"weft/unit"
	"weft/workload"
)

// TestAsPatterns: each rank sends the messages of weft's own patterns, in their order.
func TestAsPatterns(t *testing.T) {
	type message struct {
		to   int32
		size int64
	}
	for _, c := range []struct {
		pattern   workload.Pattern
		algorithm Algorithm
		ranks     []int
	}{
		{workload.RingAllReduce{Collective: workload.Collective{Repeat: 1}}, Ring, []int{2, 3, 8, 11}},
		{workload.ButterflyAllReduce{Collective: workload.Collective{Repeat: 1}}, halvingDoubling, []int{2, 4, 16}},
	} {
		for _, n := range c.ranks {
			const size = 1000
			s := workload.Setting{Hosts: n}
			for h := range n {
				s.Members = append(s.Members, int32(h))
			}
			d, err := c.pattern.Resolve(s)
			if err != nil {
				t.Fatal(err)
			}
			sources, err := d.(workload.Schedule).Sources(workload.Traffic{Sizes: workload.Fixed(size)}, s)
			if err != nil {
				t.Fatal(err)
			}
			group := s.Members
			for place := range n {
				var want, got []message
				src := sources[place].(workload.Receiver)
				for k := uint64(0); ; k++ {
					m, ok := src.Next()
					if !ok {
						break
					}
					want = append(want, message{m.Dst, int64(m.Size)})
					src.Received(unit.Time(k), 0, k)
				}
				var b trace.Builder
				if _, err := (Call{Kind: AllReduce, Size: size}).Lower(&b, c.algorithm, group, place, nil); err != nil {
					t.Fatal(err)
				}
				schedule := b.Schedule()
				for i := range uint32(schedule.Len()) {
					if o := schedule.At(i); o.Kind == trace.Send {
						got = append(got, message{o.Peer, o.Size})
					}
				}
				if len(want) < 2 || !slices.Equal(want, got) {
					t.Errorf("%v over %d ranks: rank %d sends %v, and the pattern %v", c.algorithm, n, place, got, want)
				}
			}
		}
	}
}

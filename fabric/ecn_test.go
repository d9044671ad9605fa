package fabric_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/fabric"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// TestThresholds lets five frames of 1000 bytes meet at a port: the first is in
// service while the others wait. Their queue is compared with the threshold
// before each is added, or when its transmission begins, without itself.
func TestThresholds(t *testing.T) {
	tests := []struct {
		name      string
		threshold unit.Bytes
		dequeue   bool
		marked    []uint32
		spare     bool
	}{
		{"enqueue, nothing allowed", 0, false, []uint32{1, 2, 3, 4}, false},
		{"enqueue, just under two frames", 1999, false, []uint32{2, 3, 4}, false},
		{"enqueue, two frames", 2000, false, []uint32{3, 4}, false},
		{"enqueue, all", 4000, false, nil, false},
		{"enqueue, the first above is spared", 1999, false, []uint32{3, 4}, true},
		{"enqueue, one above is spared", 3000, false, nil, true},
		// Departing, the frames leave behind 0, 3, 2, 1 and 0 others.
		{"dequeue, nothing allowed", 0, true, []uint32{1, 2, 3}, false},
		{"dequeue, one frame", 1000, true, []uint32{1, 2}, false},
		{"dequeue, just under two frames", 1999, true, []uint32{1, 2}, false},
		{"dequeue, two frames", 2000, true, []uint32{1}, false},
		{"dequeue, three frames", 3000, true, nil, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := setup{Graph: funnel(5, 8*unit.Gbps, 1000, 0), Port: func(topo.PortID) fabric.PortConfig {
				return fabric.PortConfig{
					Limit: unit.MiB, ECN: true, KMin: test.threshold, KMax: test.threshold, PMax: 1,
					MarkAtDequeue: test.dequeue, SpareFirst: test.spare,
				}
			}}
			for i := range uint32(5) {
				s.Sends = append(s.Sends, send{At: sim.Time(i), Src: int32(i), Dst: 5, ID: i, Size: 1000})
			}
			n := s.build(t)
			n.drain(t)
			var marked []uint32
			for _, d := range n.logs[5] {
				if d.Marked {
					marked = append(marked, d.ID)
				}
			}
			if !slices.Equal(marked, test.marked) {
				t.Errorf("marked %v, want %v", marked, test.marked)
			}
			c := n.Counters(n.port(t, "left", "right"), unit.Second)
			if c.Marks != uint64(len(test.marked)) {
				t.Errorf("%d marks counted, want %d", c.Marks, len(test.marked))
			}
		})
	}
}

// TestRED holds a queue at a level, frames arriving as others leave, and
// compares the share of marked frames with the line from Kmin to Kmax.
func TestRED(t *testing.T) {
	const (
		size   = 1000
		frames = 4000
		kmin   = 10 * size
		kmax   = 50 * size
		pmax   = 0.4
	)
	for _, dequeue := range []bool{false, true} {
		for level, want := range map[int]float64{
			5: 0, 10: 0, 11: pmax * 1 / 40, 20: pmax / 4, 30: pmax / 2, 40: pmax * 3 / 4, 49: pmax * 39 / 40, 50: 1, 60: 1,
		} {
			t.Run(fmt.Sprintf("%d frames/dequeue %v", level, dequeue), func(t *testing.T) {
				// At first level+1 frames are queued, one of them in service. A
				// frame that arrives as another leaves finds level of them. One
				// that arrives earlier waits; the frame that begins then leaves
				// behind level others.
				queued, most := level+1, level+1
				early := sim.Time(0)
				if dequeue {
					early, most = unit.Nanosecond, level+2
				}
				s := setup{Graph: funnel(queued+1, 8*unit.Gbps, 1000, 0), Port: func(topo.PortID) fabric.PortConfig {
					return fabric.PortConfig{Limit: unit.MiB, ECN: true, KMin: kmin, KMax: kmax, PMax: pmax, MarkAtDequeue: dequeue}
				}}
				for i := range queued {
					s.Sends = append(s.Sends, send{Src: int32(i), Dst: int32(queued + 1), Size: size})
				}
				for i := range frames {
					at := sim.Time(i+1)*unit.Microsecond - early
					s.Sends = append(s.Sends, send{At: at, Src: int32(queued), Dst: int32(queued + 1), ID: uint32(i + 1), Size: size})
				}
				n := s.build(t)
				n.drain(t)
				log := n.logs[queued+1][queued:]
				if dequeue {
					log = log[:frames-queued] // the rest leave when no more arrive
				}
				marked := 0
				for _, d := range log {
					if d.Marked {
						marked++
					}
				}
				total := float64(len(log))
				got := float64(marked) / total
				if deviation := math.Sqrt(want * (1 - want) / total); math.Abs(got-want) > 4.5*deviation {
					t.Errorf("%.4f of the frames were marked, want %.4f ± %.4f", got, want, deviation)
				}
				if c := n.Counters(n.port(t, "left", "right"), unit.Second); int(c.QueueMax) != most*size {
					t.Fatalf("the queue reached %d bytes, the test wants %d", c.QueueMax, most*size)
				}
			})
		}
	}
}

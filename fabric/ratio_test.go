package fabric_test

import (
	"fmt"
	"testing"

	"weft/fabric"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// TestRatio fills two classes at once: of class 0 as many frames go as may, then one of class 1,
// again and again, until class 0 has no more. Without a ratio all of class 0 goes first.
func TestRatio(t *testing.T) {
	const first, others = 220, 60
	var classes []uint8
	for i := range first + others {
		classes = append(classes, uint8(min(1, i/first)))
	}
	for _, ratio := range []int{0, 1, 3, 10, 1000} {
		t.Run(fmt.Sprint(ratio), func(t *testing.T) {
			n := meet(t, fabric.PortConfig{Classes: 2, Limit: unit.GiB, Trim: &fabric.TrimConfig{Header: 64, Limit: unit.GiB, Ratio: ratio}}, classes...)
			log := n.logs[len(classes)]
			if len(log) != len(classes) {
				t.Fatalf("%d of %d frames were delivered", len(log), len(classes))
			}
			// The first frame goes before any other is there, and does not overtake.
			left, passed := [2]int{first - 1, others}, 0
			for i, d := range log[1:] {
				want := uint8(0)
				if left[0] == 0 || left[1] > 0 && ratio > 0 && passed == ratio {
					want = 1
				}
				if got := classes[d.ID]; got != want {
					t.Fatalf("frame %d is of class %d, want %d", i+1, got, want)
				}
				left[want]--
				passed++
				if want == 1 {
					passed = 0
				}
			}
		})
	}
}

// TestRatioOfSaturatedClasses keeps two classes full with frames of unlike sizes: they
// share the link by frames, ten to one, whatever these take.
func TestRatioOfSaturatedClasses(t *testing.T) {
	const frames = 4000
	s := setup{Graph: funnel(2, 8*unit.Gbps, 1000, 0), Port: func(p topo.PortID) fabric.PortConfig {
		return fabric.PortConfig{Classes: 2, Limit: unit.GiB, Trim: &fabric.TrimConfig{Header: 64, Limit: unit.GiB, Ratio: 10}}
	}}
	for i := range frames {
		s.Sends = append(s.Sends,
			send{At: 0, Src: 0, Dst: 2, ID: uint32(2 * i), Size: 64, Class: 0},
			send{At: 0, Src: 1, Dst: 2, ID: uint32(2*i + 1), Size: 1500, Class: 1})
	}
	n := s.build(t)
	link := n.port(t, "left", "right")
	// Hosts send 44 times as fast as the link, so that soon both classes wait. In 11 turns
	// 10 frames of 64 B and one of 1500 B go, in 2.14 us.
	const from, to = 40 * unit.Microsecond, 340 * unit.Microsecond
	n.run(t, from)
	before := n.Served(link, from)
	n.run(t, to)
	after := n.Served(link, to)
	if !before.Waits || !after.Waits {
		t.Fatal("class 1 does not wait")
	}
	headers, data := after.First-before.First, after.Others-before.Others
	turns := float64(to-from) / float64(transmit(8*unit.Gbps, 640+1500))
	if d := float64(data) - turns; d < -1 || d > 1 {
		t.Errorf("%d frames of class 1 went, want %.1f", data, turns)
	}
	if d := int(headers) - 10*int(data); d < -10 || d > 10 {
		t.Errorf("%d frames of class 0 went and %d of class 1, want ten for each", headers, data)
	}
}

// TestServed counts what a port with priorities has begun to send, also where nobody has
// looked since, and of plain ports nothing.
func TestServed(t *testing.T) {
	for classes := 1; classes <= 2; classes++ {
		c := fabric.PortConfig{Classes: classes, Limit: unit.MiB}
		s := setup{Graph: funnel(6, 8*unit.Gbps, 1000, 0), Port: func(topo.PortID) fabric.PortConfig { return c }}
		for i, class := range []uint8{1, 1, 1, 0, 0, 0} {
			s.Sends = append(s.Sends, send{At: sim.Time(i), Src: int32(i), Dst: 6, ID: uint32(i), Size: 1000, Class: class})
		}
		n := s.build(t)
		for _, step := range []struct {
			at   sim.Time
			want fabric.Served
		}{
			{500 * unit.Nanosecond, fabric.Served{Others: 1, Waits: true}},
			{3500 * unit.Nanosecond, fabric.Served{First: 3, Others: 1, Waits: true}},
			{5500 * unit.Nanosecond, fabric.Served{First: 3, Others: 3}},
		} {
			n.run(t, step.at)
			if classes == 1 {
				step.want = fabric.Served{}
			}
			if got := n.Served(n.port(t, "left", "right"), step.at); got != step.want {
				t.Errorf("%d classes, at %v: %+v, want %+v", classes, step.at, got, step.want)
			}
		}
	}
}

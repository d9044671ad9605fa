package fabric_test

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// TestSpareFirst lets two spells above the threshold pass a port, the second while frames
// of another class come in between: of each spell the first frame is spared, and classes
// do not end each other's.
func TestSpareFirst(t *testing.T) {
	for _, classes := range []int{1, 2} {
		s := setup{Graph: funnel(5, 8*unit.Gbps, 1000, 0), Port: func(topo.PortID) fabric.PortConfig {
			return fabric.PortConfig{Classes: classes, Limit: unit.MiB, ECN: true, KMin: 1999, KMax: 1999, PMax: 1, SpareFirst: true}
		}}
		for i := range uint32(5) {
			s.Sends = append(s.Sends, send{At: sim.Time(i), Src: int32(i), Dst: 5, ID: i, Size: 1000})
		}
		later := 100 * sim.Time(unit.Microsecond)
		for i := range uint32(5) {
			s.Sends = append(s.Sends, send{At: later + sim.Time(2*i), Src: int32(i), Dst: 5, ID: 10 + i, Size: 1000})
			if classes > 1 {
				s.Sends = append(s.Sends, send{At: later + sim.Time(2*i+1), Src: int32(i), Dst: 5, ID: 20 + i, Size: 100, Class: 1})
			}
		}
		n := s.build(t)
		n.drain(t)
		var marked []uint32
		for _, d := range n.logs[5] {
			if d.Marked {
				marked = append(marked, d.ID)
			}
		}
		slices.Sort(marked)
		if want := []uint32{3, 4, 13, 14}; !slices.Equal(marked, want) {
			t.Errorf("%d classes: marked %v, want %v", classes, marked, want)
		}
	}
}

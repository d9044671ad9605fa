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
// do not end each other's. If the port is compared as a whole, or both classes are lanes, they are one queue.
func TestSpareFirst(t *testing.T) {
	alone := []uint32{3, 4, 13, 14}
	for _, test := range []struct {
		classes int
		port    bool
		lanes   uint8
		want    []uint32
	}{
		{1, false, 0, alone},
		{1, true, 0, alone},
		{2, false, 0, alone},
		{2, true, 0, []uint32{3, 4, 12, 13, 14, 22, 23, 24}},
		{2, false, 3, []uint32{3, 4, 12, 13, 14, 22, 23, 24}},
		{3, false, 6, alone},
	} {
		s := setup{Graph: funnel(10, 8*unit.Gbps, 1000, 0), Port: func(topo.PortID) fabric.PortConfig {
			return fabric.PortConfig{Classes: test.classes, Limit: unit.MiB, ECN: true, KMin: 1999, KMax: 1999, PMax: 1, SpareFirst: true, MarkByPort: test.port}
		}}
		for i := range uint32(5) {
			s.Sends = append(s.Sends, send{At: sim.Time(i), Src: int32(i), Dst: 10, ID: i, Size: 1000})
		}
		if test.lanes != 0 {
			s.Groups.Masks = []uint8{test.lanes}
		}
		later := 100 * sim.Time(unit.Microsecond)
		between := later + 900 // frames reach the port a picosecond a byte after they were sent
		for i := range uint32(5) {
			s.Sends = append(s.Sends, send{At: later + sim.Time(2*i), Src: int32(i), Dst: 10, ID: 10 + i, Size: 1000})
			if test.classes > 1 {
				s.Sends = append(s.Sends, send{At: between + sim.Time(2*i+1), Src: int32(5 + i), Dst: 10, ID: 20 + i, Size: 100, Class: 1})
			}
		}
		n := s.build(t)
		n.drain(t)
		var marked []uint32
		for _, d := range n.logs[10] {
			if d.Marked {
				marked = append(marked, d.ID)
			}
		}
		slices.Sort(marked)
		if !slices.Equal(marked, test.want) {
			t.Errorf("%d classes, by port %v, lanes %b: marked %v, want %v", test.classes, test.port, test.lanes, marked, test.want)
		}
	}
}

package fabric_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// drawLanes draws priorities with several lanes, or none.
func drawLanes(t *rapid.T) (c fabric.LaneGroups) {
	for k := 0; k < 7; k++ {
		if n := rapid.SampledFrom([]int{1, 1, 2, 3, 4}).Draw(t, "lanes"); n > 1 && k+n <= 8 {
			c.Masks = append(c.Masks, uint8(1<<n-1)<<k)
			k += n - 1
		}
	}
	c.Order = rapid.SampledFrom([]fabric.LaneOrder{fabric.ByArrival, fabric.ByArrival, fabric.InTurns}).Draw(t, "order")
	c.MarkEach = rapid.IntRange(0, 5).Draw(t, "marks") == 0
	return c
}

// laneMeet is meet with lanes: frames of 1000 bytes come one a picosecond to one port.
func laneMeet(t *testing.T, lanes fabric.LaneGroups, c fabric.PortConfig, classes ...uint8) []uint32 {
	t.Helper()
	last := int32(len(classes))
	s := setup{Graph: funnel(len(classes), 8*unit.Gbps, 1000, 0), Groups: lanes, Port: func(topo.PortID) fabric.PortConfig { return c }}
	for i, class := range classes {
		s.Sends = append(s.Sends, send{At: sim.Time(i), Src: int32(i), Dst: last, ID: uint32(i), Size: 1000, Class: class})
	}
	n := s.build(t)
	n.drain(t)
	return n.ids(last)
}

func TestLaneOrder(t *testing.T) {
	ample := fabric.PortConfig{Classes: 8, Limit: unit.MiB}
	for _, test := range []struct {
		name    string
		lanes   fabric.LaneGroups
		config  fabric.PortConfig
		classes []uint8
		want    []uint32
	}{
		{"in the order of arrival", fabric.LaneGroups{Masks: []uint8{0b111}}, ample, []uint8{2, 2, 1, 0, 1, 0, 2}, []uint32{0, 1, 2, 3, 4, 5, 6}},
		{"in turns", fabric.LaneGroups{Masks: []uint8{0b111}, Order: fabric.InTurns}, ample, []uint8{2, 2, 2, 0, 1, 0, 1}, []uint32{0, 3, 4, 1, 5, 6, 2}},
		{"within a priority", fabric.LaneGroups{Masks: []uint8{0b0110, 0b11000}}, ample, []uint8{4, 4, 3, 2, 1, 5, 0, 2}, []uint32{0, 6, 3, 4, 7, 1, 2, 5}},
		{"with one limit", fabric.LaneGroups{Masks: []uint8{0b11}}, fabric.PortConfig{Classes: 3, Limit: 2000}, []uint8{1, 0, 1, 0, 2, 2, 2}, []uint32{0, 1, 4, 5}},
		{"beyond the classes of ports", fabric.LaneGroups{Masks: []uint8{0b111}}, fabric.PortConfig{Classes: 2, Limit: unit.MiB}, []uint8{1, 2, 0, 1}, []uint32{0, 1, 2, 3}},
	} {
		if diff := cmp.Diff(test.want, laneMeet(t, test.lanes, test.config, test.classes...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// everyThird is a rule that marks each third frame that comes, and remembers what it saw.
type everyThird struct{ n, seen uint64 }

func (m *everyThird) Arrived(q protocol.Queue) bool {
	m.n++
	m.seen = sim.Mix(m.seen + uint64(q.Class))
	return m.n%3 == 0 || m.seen%4 == 0
}
func (m *everyThird) Left(q protocol.Queue, _ unit.Time) bool {
	m.seen = sim.Mix(m.seen + uint64(q.Class))
	return m.seen%5 == 0
}

// TestLanesAreOneQueue sends random frames in random lanes of one priority, and in its last class alone: the same arrive at the
// same times, with the same marks, whatever the limits, the thresholds, the rules, the buffer and the other classes are.
func TestLanesAreOneQueue(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, new(scene))
		ports := drawPorts(t)
		classes := rapid.IntRange(2, 8).Draw(t, "number of classes")
		low := rapid.IntRange(0, classes-2).Draw(t, "first lane")
		high := rapid.IntRange(low+1, classes-1).Draw(t, "last lane")
		ruled := rapid.IntRange(0, 2).Draw(t, "rules") == 0
		s := setup{Graph: g, Seed: rapid.Uint64().Draw(t, "seed")}
		s.Port = func(p topo.PortID) fabric.PortConfig {
			c := ports(p)
			c.Classes, c.Trim, c.Credit = classes, nil, protocol.CreditClass{}
			if ruled {
				c.ECN, c.Marking = false, func(protocol.QueueEnv) protocol.Marker { return &everyThird{} }
			}
			return c
		}
		s.Groups.Masks = []uint8{uint8(1<<(high+1) - 1<<low)}
		if rapid.Bool().Draw(t, "shared") {
			s.Buffer = fabric.BufferConfig{Size: 60 * unit.KiB, Alpha: rapid.SampledFrom([]float64{0, 0.5, 2}).Draw(t, "alpha")}
		}
		hosts := int32(len(g.Hosts))
		for i := range rapid.IntRange(10, 120).Draw(t, "frames") {
			src := rapid.Int32Range(0, hosts-1).Draw(t, "source")
			dst := rapid.Int32Range(0, hosts-2).Draw(t, "destination") / 2
			if dst >= src {
				dst++
			}
			s.Sends = append(s.Sends, send{
				At: sim.Time(rapid.Int64Range(0, 3_000_000).Draw(t, "at")), Src: src, Dst: dst, ID: uint32(i),
				Size: uint16(rapid.IntRange(64, 4160).Draw(t, "size")), Entropy: rapid.Uint16().Draw(t, "entropy"), Class: uint8(rapid.IntRange(0, classes-1).Draw(t, "class")),
			})
		}
		run := func(s setup, lane bool) outcome {
			if !lane { // all of the priority in its last class
				s.Groups = fabric.LaneGroups{}
				s.Sends = slices.Clone(s.Sends)
				for i := range s.Sends {
					if k := &s.Sends[i].Class; int(*k) >= low && int(*k) <= high {
						*k = uint8(high)
					}
				}
			}
			n := s.build(t)
			n.drain(t)
			n.Finish(unit.Second)
			o := outcome{Logs: n.logs}
			for p := range topo.PortID(2 * len(g.Links)) {
				o.Ports = append(o.Ports, n.Counters(p, unit.Second))
			}
			return o
		}
		want := run(s, false)
		s.Queue, s.Domains, s.Threads = sim.Swept, rapid.IntRange(1, 3).Draw(t, "domains"), 2
		if diff := cmp.Diff(want, run(s, true)); diff != "" {
			t.Fatalf("in one class and in lanes (-one +lanes):\n%s", diff)
		}
		cover.note("cases", true)
		for _, p := range want.Ports {
			cover.note("drops", p.Drops[fabric.QueueFull] > 0)
			cover.note("marks", p.Marks > 0)
		}
	})
	cover.report(t, 10)
}

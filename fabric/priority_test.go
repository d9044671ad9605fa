package fabric_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// meet sends frames of 1000 bytes, one a picosecond, to one port of 8 Gbps with
// the given queue, classes as listed, and returns the network when it is empty.
func meet(t *testing.T, c fabric.PortConfig, classes ...uint8) *network {
	t.Helper()
	last := int32(len(classes))
	link := topo.PortID(2 * (last + 1))
	s := setup{Graph: funnel(len(classes), 8*unit.Gbps, 1000, 0), Port: func(p topo.PortID) fabric.PortConfig {
		if p == link {
			return c
		}
		return unlimited(p)
	}}
	for i, class := range classes {
		s.Sends = append(s.Sends, send{At: sim.Time(i), Src: int32(i), Dst: last, ID: uint32(i), Size: 1000, Class: class})
	}
	n := s.build(t)
	n.drain(t)
	return n
}

func TestStrictPriority(t *testing.T) {
	tests := []struct {
		name    string
		config  fabric.PortConfig
		classes []uint8
		want    []uint32
	}{
		{
			"lower classes first, the frame in service is not interrupted",
			fabric.PortConfig{Classes: 3, Limit: unit.MiB},
			[]uint8{2, 2, 1, 0, 1, 0, 2},
			[]uint32{0, 3, 5, 2, 4, 1, 6},
		},
		{
			"classes beyond the last are the last",
			fabric.PortConfig{Classes: 2, Limit: unit.MiB},
			[]uint8{7, 5, 1, 0},
			[]uint32{0, 3, 1, 2},
		},
		{
			"all eight",
			fabric.PortConfig{Classes: 8, Limit: unit.MiB},
			[]uint8{7, 6, 7, 5, 4, 3, 2, 1, 0},
			[]uint32{0, 8, 7, 6, 5, 4, 3, 1, 2},
		},
		{
			"each class has a limit of its own; the frame in service counts in its class",
			fabric.PortConfig{Classes: 2, Limit: 2000},
			[]uint8{1, 1, 1, 0, 0, 0, 1},
			[]uint32{0, 3, 4, 1},
		},
		{
			"without classes their numbers mean nothing",
			fabric.PortConfig{Limit: 3000},
			[]uint8{7, 1, 0, 0},
			[]uint32{0, 1, 2},
		},
		{
			"a frame that fits exactly is taken",
			fabric.PortConfig{Limit: 1000},
			[]uint8{0, 0},
			[]uint32{0},
		},
		{
			"a byte less and it is not",
			fabric.PortConfig{Limit: 999},
			[]uint8{0, 0},
			nil,
		},
		{"the zero value holds nothing", fabric.PortConfig{}, []uint8{0}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := meet(t, test.config, test.classes...)
			if diff := cmp.Diff(test.want, n.ids(int32(len(test.classes)))); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTrimming fills a queue of three frames, the first in service, with six.
func TestTrimming(t *testing.T) {
	trim := func(limit unit.Bytes) fabric.PortConfig {
		return fabric.PortConfig{Classes: 2, Limit: 3000, Trim: &fabric.TrimConfig{Header: 64, Limit: limit}}
	}
	type event struct {
		ID      uint32
		Size    uint16
		Trimmed bool
	}
	full := func(id uint32) event { return event{id, 1000, false} }
	header := func(id uint32) event { return event{id, 64, true} }
	tests := []struct {
		name   string
		config fabric.PortConfig
		want   []event
		drops  uint64
	}{
		{
			"headers overtake what waits",
			trim(unit.KiB),
			[]event{full(0), header(3), header(4), header(5), full(1), full(2)},
			0,
		},
		{
			"headers that don't fit are dropped",
			trim(128),
			[]event{full(0), header(3), header(4), full(1), full(2)},
			1,
		},
		{
			"no room for headers",
			trim(63),
			[]event{full(0), full(1), full(2)},
			3,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := meet(t, test.config, 1, 1, 1, 1, 1, 1)
			var got []event
			for _, d := range n.logs[6] {
				got = append(got, event{d.ID, d.Size, d.Trimmed})
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("deliveries (-want +got):\n%s", diff)
			}
			c := n.Counters(n.port(t, "left", "right"), unit.Second)
			if c.Drops[fabric.HeaderQueueFull] != test.drops || c.Drops[fabric.QueueFull] != 0 || c.DroppedBytes != 64*test.drops {
				t.Errorf("%d headers and %d frames dropped, %d bytes; want %d, 0, %d",
					c.Drops[fabric.HeaderQueueFull], c.Drops[fabric.QueueFull], c.DroppedBytes, test.drops, 64*test.drops)
			}
			if c.Trims != 3 || c.TrimmedBytes != 3*936 {
				t.Errorf("%d trims of %d bytes, want 3 of %d", c.Trims, c.TrimmedBytes, 3*936)
			}
			total, _ := n.Totals()
			if total.InjectedBytes != 6000 || total.TrimmedBytes != 3*936 || total.DroppedBytes != 64*test.drops {
				t.Errorf("totals are %+v", total)
			}
		})
	}
}

// TestTrimCoin fills a queue with the frames 0, in service, 1 and 2; of each
// pair of a newcomer and the last frame, a coin says which is cut.
func TestTrimCoin(t *testing.T) {
	const newcomers = 2000
	classes := make([]uint8, 3+newcomers)
	for i := range classes {
		classes[i] = 1
	}
	config := fabric.PortConfig{Classes: 2, Limit: 3000, Trim: &fabric.TrimConfig{Header: 64, Limit: unit.MiB, Coin: true}}
	n := meet(t, config, classes...)
	log := n.logs[len(classes)]
	if len(log) != len(classes) || log[0].ID != 0 || log[len(log)-2].ID != 1 {
		t.Fatalf("%d frames delivered, %d first and %d before the last", len(log), log[0].ID, log[len(log)-2].ID)
	}
	// Headers leave in the order of the cuts. The one that is cut is the
	// newcomer, or else the frame that the last coin left in the queue.
	arriving, last := 0, uint32(2)
	for k, d := range log[1 : 1+newcomers] {
		newcomer := uint32(3 + k)
		switch {
		case !d.Trimmed || d.Size != 64:
			t.Fatalf("delivery %d is not a header: %+v", k+1, d)
		case d.ID == newcomer:
			arriving++
		case d.ID == last:
			last = newcomer
		default:
			t.Fatalf("frame %d was cut, neither the newcomer %d nor the last in the queue, %d", d.ID, newcomer, last)
		}
	}
	if end := log[len(log)-1]; end.ID != last || end.Trimmed {
		t.Errorf("the last delivery is %+v, want frame %d whole", end, last)
	}
	if deviation := math.Sqrt(newcomers) / 2; math.Abs(float64(arriving)-newcomers/2) > 4.5*deviation {
		t.Errorf("%d of %d newcomers were cut, want half ± %.0f", arriving, newcomers, deviation)
	}
	c := n.Counters(n.port(t, "left", "right"), unit.Second)
	if c.Frames != uint64(len(classes)) || c.SentFrames != c.Frames || c.Bytes != 3000+64*newcomers || c.SentBytes != c.Bytes {
		t.Errorf("accepted %d frames of %d bytes, sent %d of %d; want %d of %d",
			c.Frames, c.Bytes, c.SentFrames, c.SentBytes, len(classes), 3000+64*newcomers)
	}
}

// TestTrimCoinSparesWhatCannotBeReplaced lets a large frame meet a queue whose
// last frame is too small to make room, or none waits.
func TestTrimCoinSparesWhatCannotBeReplaced(t *testing.T) {
	for seed := range uint64(20) {
		s := setup{
			Graph: funnel(3, 8*unit.Gbps, 1000, 0), Seed: seed,
			Port: func(p topo.PortID) fabric.PortConfig {
				return fabric.PortConfig{Classes: 2, Limit: 3000, Trim: &fabric.TrimConfig{Header: 64, Limit: unit.MiB, Coin: true}}
			},
			Sends: []send{
				{At: 0, Src: 0, Dst: 3, ID: 0, Size: 2000, Class: 1},
				{At: 2000, Src: 1, Dst: 3, ID: 1, Size: 100, Class: 1},
				{At: 3000, Src: 2, Dst: 3, ID: 2, Size: 1500, Class: 1},
			},
		}
		n := s.build(t)
		n.drain(t)
		var trimmed []uint32
		for _, d := range n.logs[3] {
			if d.Trimmed {
				trimmed = append(trimmed, d.ID)
			}
		}
		if diff := cmp.Diff([]uint32{2}, trimmed); diff != "" {
			t.Fatalf("seed %d: trimmed (-want +got):\n%s", seed, diff)
		}
	}
}

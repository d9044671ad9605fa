package fabric_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/fault"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// slowStar is a star of links that carry a byte in a nanosecond and are 100 ns
// long; its switch takes 50 ns.
func slowStar(hosts int) *topo.Graph {
	g, err := topo.Star{Hosts: hosts, Rate: 8 * unit.Gbps, Delay: 100 * unit.Nanosecond, SwitchLatency: 50 * unit.Nanosecond}.Build()
	if err != nil {
		panic(err)
	}
	return g
}

// frames are sent from host 0 to host 1, all at once.
func frames(n int) []send {
	var sends []send
	for i := range n {
		sends = append(sends, send{Src: 0, Dst: 1, ID: uint32(i), Size: 1000})
	}
	return sends
}

// TestNICs lets five frames of a microsecond each wait at a host while things
// happen to its link, and compares the arrivals at the other host.
func TestNICs(t *testing.T) {
	const ns = unit.Nanosecond
	g := slowStar(2)
	g.Links[1].Rate = instant // so that frames don't wait at the switch
	up := portOf(t, g, "host0", "tor0")
	change := func(at sim.Time, what fault.Effect) fault.Change {
		return fault.Change{At: at * ns, Port: up, What: what}
	}
	rate := func(at sim.Time, r unit.Rate) fault.Change {
		return fault.Change{At: at * ns, Port: up, What: fault.SetRate, Rate: r}
	}
	const pipe = 251 // from the end of a frame's serialisation to its delivery
	tests := []struct {
		name    string
		changes []fault.Change
		want    map[uint32]sim.Time // in ns
	}{
		{"nothing happens", nil, map[uint32]sim.Time{0: 1000, 1: 2000, 2: 3000, 3: 4000, 4: 5000}},
		{
			"the frame in service is lost, the rest wait for the link",
			[]fault.Change{change(1500, fault.Down), change(9000, fault.Up)},
			map[uint32]sim.Time{0: 1000, 2: 10_000, 3: 11_000, 4: 12_000},
		},
		{
			"the frame on the wire is lost too",
			[]fault.Change{change(1050, fault.Down), change(9000, fault.Up)},
			map[uint32]sim.Time{2: 10_000, 3: 11_000, 4: 12_000},
		},
		{
			"one that comes to the end of the wire at that instant survives",
			[]fault.Change{change(1100, fault.Down), change(9000, fault.Up)},
			map[uint32]sim.Time{0: 1000, 2: 10_000, 3: 11_000, 4: 12_000},
		},
		{
			"between two frames: the next has not begun",
			[]fault.Change{change(3000, fault.Down), change(9000, fault.Up)},
			map[uint32]sim.Time{0: 1000, 1: 2000, 3: 10_000, 4: 11_000},
		},
		{
			"up again before the lost frame would have been out",
			[]fault.Change{change(1200, fault.Down), change(1300, fault.Up)},
			map[uint32]sim.Time{0: 1000, 2: 2300, 3: 3300, 4: 4300},
		},
		{
			"up and slower at one instant",
			[]fault.Change{change(1500, fault.Down), change(9000, fault.Up), rate(9000, 4*unit.Gbps)},
			map[uint32]sim.Time{0: 1000, 2: 11_000, 3: 13_000, 4: 15_000},
		},
		{
			"down twice",
			[]fault.Change{change(1200, fault.Down), change(2200, fault.Up), change(2700, fault.Down), change(4000, fault.Up)},
			map[uint32]sim.Time{0: 1000, 3: 5000, 4: 6000},
		},
		{
			"slower: the frame in service keeps its departure",
			[]fault.Change{rate(1500, 4*unit.Gbps)},
			map[uint32]sim.Time{0: 1000, 1: 2000, 2: 4000, 3: 6000, 4: 8000},
		},
		{
			"faster at the instant of a departure",
			[]fault.Change{rate(2000, 16*unit.Gbps)},
			map[uint32]sim.Time{0: 1000, 1: 2000, 2: 2500, 3: 3000, 4: 3500},
		},
		{
			"twice within a frame",
			[]fault.Change{rate(1200, 2*unit.Gbps), rate(1800, 4*unit.Gbps)},
			map[uint32]sim.Time{0: 1000, 1: 2000, 2: 4000, 3: 6000, 4: 8000},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := setup{Graph: g, Sends: frames(5)}.build(t)
			for _, c := range test.changes {
				n.change(t, c)
			}
			n.drain(t)
			got := map[uint32]sim.Time{}
			for id, at := range n.times(1) {
				got[id] = at/ns - pipe
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("ends of serialisation at the host, in ns (-want +got):\n%s", diff)
			}
			c := n.Counters(up, 20*unit.Microsecond)
			if lost := uint64(5 - len(test.want)); c.Drops[fabric.LinkDown] != lost || c.DroppedBytes != 1000*lost || c.Frames != 5 {
				t.Errorf("%d frames accepted, %d lost of %d bytes, want 5 and %d", c.Frames, c.Drops[fabric.LinkDown], c.DroppedBytes, lost)
			}
		})
	}
}

// TestNICsOfShortFrames fails the link of a host whose frames are short beside it:
// those that have not begun by then wait in the host, though nothing else happens
// there.
func TestNICsOfShortFrames(t *testing.T) {
	const ns = unit.Nanosecond
	g := slowStar(2)
	g.Links[0].Delay = 3 * unit.Microsecond
	s := setup{Graph: g}
	for i := range 200 {
		s.Sends = append(s.Sends, send{Src: 0, Dst: 1, ID: uint32(i), Size: 10})
	}
	n := s.build(t)
	up := portOf(t, g, "host0", "tor0")
	n.change(t, fault.Change{At: 505 * ns, Port: up, What: fault.Down})
	n.change(t, fault.Change{At: 700 * ns, Port: up, What: fault.Up})
	n.change(t, fault.Change{At: 1005 * ns, Port: up, What: fault.SetRate, Rate: 80 * unit.Gbps})
	n.drain(t)
	want := map[uint32]sim.Time{}
	for i := range sim.Time(149) {
		out := 710*ns + i*10*ns // the 51st has begun, and is lost with those before
		if i > 30 {
			out = 1010*ns + (i-30)*ns // the 31st of these has begun at the old rate
		}
		want[uint32(51+i)] = out + 3050*ns
	}
	// The link to the other host holds them, at 10 ns each.
	free := sim.Time(0)
	for i := range uint32(149) {
		free = max(free, want[51+i]) + 10*ns
		want[51+i] = free + 100*ns
	}
	if diff := cmp.Diff(want, n.times(1)); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
	if c := n.Counters(up, unit.Millisecond); c.Drops[fabric.LinkDown] != 51 || c.FlushedFrames != 1 {
		t.Errorf("%d frames lost, %d of them unsent; want 51 and 1", c.Drops[fabric.LinkDown], c.FlushedFrames)
	}
}

func TestFailureOfOneDirection(t *testing.T) {
	g := slowStar(2)
	n := setup{Graph: g, Sends: []send{
		{Src: 0, Dst: 1, ID: 1, Size: 1000},
		{Src: 1, Dst: 0, ID: 2, Size: 1000},
	}}.build(t)
	n.change(t, fault.Change{At: 10, Port: portOf(t, g, "tor0", "host1"), What: fault.Down})
	n.drain(t)
	if len(n.logs[1]) != 0 || len(n.logs[0]) != 1 {
		t.Errorf("host 1 received %d frames over the failed direction, host 0 received %d over the other", len(n.logs[1]), len(n.logs[0]))
	}
}

// TestFailureSparesTheFarSwitch fails a link when its frames are everywhere:
// those that came to the end of the wire are in the hands of the far switch.
func TestFailureSparesTheFarSwitch(t *testing.T) {
	for _, domains := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d domains", domains), func(t *testing.T) {
			const ns = unit.Nanosecond
			// Frames leave the left switch at 1001, 2001, … ns, take 2000 ns on
			// the wire and 3000 ns through the switch.
			s := setup{Graph: funnel(10, 8*unit.Gbps, 2000*ns, 3000*ns), Domains: domains}
			for i := range 10 {
				s.Sends = append(s.Sends, send{At: sim.Time(i), Src: int32(i), Dst: 10, ID: uint32(i), Size: 1000})
			}
			n := s.build(t)
			link := n.port(t, "left", "right")
			n.change(t, fault.Change{At: 5500 * ns, Port: link, What: fault.Down})
			n.drain(t)
			want := []uint32{0, 1, 2} // out at 1001, 2001 and 3001, at the switch by 5001
			if diff := cmp.Diff(want, n.ids(10)); diff != "" {
				t.Errorf("delivered (-want +got):\n%s", diff)
			}
			c := n.Counters(link, unit.Millisecond)
			// Frames 3 and 4 were on the wire, 5 in service, 6 to 9 in the queue.
			if c.Drops[fabric.LinkDown] != 7 || c.FlushedFrames != 5 || c.FlushedBytes != 5000 || c.SentFrames != 5 {
				t.Errorf("lost %d, of them %d flushed with %d bytes; sent %d; want 7, 5, 5000, 5",
					c.Drops[fabric.LinkDown], c.FlushedFrames, c.FlushedBytes, c.SentFrames)
			}
		})
	}
}

// TestFailureForgetsWhatHadBegun slows a link down while a frame is in service
// that a failure loses then: it must not be taken for a later frame whose
// departure comes first.
func TestFailureForgetsWhatHadBegun(t *testing.T) {
	const us = unit.Microsecond
	for _, domains := range []int{1, 2} {
		s := setup{Graph: funnel(3, unit.Gbps, 1000, 0), Domains: domains, Sends: []send{
			{At: us - 1000, Src: 0, Dst: 3, ID: 0, Size: 1000}, // would leave at 9 µs
			{At: 3*us - 1000, Src: 1, Dst: 3, ID: 1, Size: 1000},
			{At: 3*us - 900, Src: 2, Dst: 3, ID: 2, Size: 1000},
		}}
		n := s.build(t)
		link := n.port(t, "left", "right")
		for _, c := range []fault.Change{
			{At: 2 * us, What: fault.SetRate, Rate: 8 * unit.Gbps},
			{At: 2*us + 1, What: fault.Down},
			{At: 3*us - 1, What: fault.Up},
			{At: 4 * us, What: fault.SetRate, Rate: 4 * unit.Gbps}, // between frames 1 and 2
		} {
			c.Port = link
			n.change(t, c)
		}
		n.drain(t)
		want := map[uint32]sim.Time{1: 4*us + 2000, 2: 6*us + 2000}
		if diff := cmp.Diff(want, n.times(3)); diff != "" {
			t.Errorf("%d domains: deliveries (-want +got):\n%s", domains, diff)
		}
	}
}

func TestRandomLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics of one thread")
	}
	const total = 20_000
	for _, probability := range []unit.Ratio{0.001, 0.03, 0.5, 0.999, 1} {
		for _, classes := range []int{1, 2} {
			t.Run(fmt.Sprintf("%v/%d classes", probability, classes), func(t *testing.T) {
				g := slowStar(2)
				s := setup{Graph: g, Seed: 7, Port: func(topo.PortID) fabric.PortConfig {
					return fabric.PortConfig{Limit: unit.GiB, Classes: classes}
				}}
				for i := range 2 * total {
					s.Sends = append(s.Sends, send{At: sim.Time(i) * unit.Nanosecond, Src: 0, Dst: 1, ID: uint32(i), Size: 1})
				}
				n := s.build(t)
				link := portOf(t, g, "tor0", "host1")
				n.Apply(0, fault.Change{Port: link, What: fault.SetLoss, Loss: probability})
				half := total*unit.Nanosecond + 151*unit.Nanosecond // the first half has come to the port
				n.change(t, fault.Change{At: half, Port: link, What: fault.SetLoss, Loss: 0})
				n.drain(t)
				c := n.Counters(link, unit.Second)
				p := float64(probability)
				mean, deviation := p*total, math.Sqrt(p*(1-p)*total)
				if lost := float64(c.Drops[fabric.Loss]); math.Abs(lost-mean) > 4.5*deviation {
					t.Errorf("lost %.0f of %d frames, want %.0f ± %.0f", lost, total, mean, deviation)
				}
				if c.Frames != 2*total || c.SentFrames != 2*total {
					t.Errorf("%d frames accepted and %d sent; those lost on the wire take their time on it", c.Frames, c.SentFrames)
				}
				if got := len(n.logs[1]) + int(c.Drops[fabric.Loss]); got != 2*total {
					t.Errorf("delivered and lost are %d frames, want %d", got, 2*total)
				}
				seen := map[uint32]bool{}
				for _, id := range n.ids(1) {
					seen[id] = true
				}
				for id := range uint32(total) {
					if !seen[total+id] {
						t.Fatalf("frame %d was lost after the link was mended", total+id)
					}
				}
			})
		}
	}
}

// TestLossDoesNotDelayOthers compares the arrivals over a lossy link with those
// over a faultless one, within a domain and across.
func TestLossDoesNotDelayOthers(t *testing.T) {
	const total = 500
	run := func(domains int, loss unit.Ratio) map[uint32]sim.Time {
		s := setup{Graph: funnel(5, 8*unit.Gbps, 3*unit.Microsecond, 0), Domains: domains}
		for i := range total {
			s.Sends = append(s.Sends, send{At: sim.Time(i) * 900 * unit.Nanosecond, Src: int32(i % 5), Dst: 5, ID: uint32(i), Size: 1000})
		}
		n := s.build(t)
		n.Apply(0, fault.Change{Port: n.port(t, "left", "right"), What: fault.SetLoss, Loss: loss})
		// Loss and a changing rate together: the rings of the two ends differ.
		for k := range 20 {
			n.change(t, fault.Change{
				At: sim.Time(k) * 11 * unit.Microsecond, Port: n.port(t, "left", "right"),
				What: fault.SetRate, Rate: []unit.Rate{4, 16, 8}[k%3] * unit.Gbps,
			})
		}
		n.drain(t)
		return n.times(5)
	}
	all := run(1, 0)
	for _, domains := range []int{1, 2} {
		some := run(domains, 0.3)
		if len(all) != total || len(some) < total/2 || len(some) > total*4/5 {
			t.Fatalf("%d domains: %d frames of %d arrived over the faultless link, %d over the lossy one", domains, len(all), total, len(some))
		}
		for id, at := range some {
			if at != all[id] {
				t.Fatalf("%d domains: frame %d arrives at %d, without loss at %d", domains, id, at, all[id])
			}
		}
	}
}

// twoSpines is two ToRs with a host each and two ways between them.
func twoSpines(t *testing.T) *topo.Graph {
	return graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: 2, Rate: 8 * unit.Gbps, Delay: 100 * unit.Nanosecond, SwitchLatency: 50 * unit.Nanosecond})
}

// TestReconvergence fails a spine's link under traffic that is spread over two
// spines: its share is lost until the routes change, and comes back with it.
func TestReconvergence(t *testing.T) {
	const us = unit.Microsecond
	g := twoSpines(t)
	dead := portOf(t, g, "spine0", "tor1")
	for _, domains := range []int{1, 4} {
		t.Run(fmt.Sprintf("%d domains", domains), func(t *testing.T) {
			s := setup{Graph: g, Domains: domains}
			for i := range 4000 {
				s.Sends = append(s.Sends, send{At: sim.Time(i) * us, Src: 0, Dst: 1, ID: uint32(i), Size: 500, Entropy: uint16(i)})
			}
			n := s.build(t)
			n.change(t, fault.Change{At: 1000 * us, Port: dead, What: fault.Down})
			n.run(t, 2000*us)
			n.SetTables(tables(t, g, func(l topo.LinkID) bool { return l == dead.Link() }))
			n.change(t, fault.Change{At: 3000 * us, Port: dead, What: fault.Up})
			n.SetTables(tables(t, g, nil))
			n.drain(t)

			var perPhase [4]int
			for _, id := range n.ids(1) {
				perPhase[id/1000]++
			}
			if perPhase[0] != 1000 || perPhase[2] != 1000 || perPhase[3] != 1000 {
				t.Errorf("delivered %v of 1000 frames in each phase; only the second may lose some", perPhase)
			}
			if perPhase[1] < 430 || perPhase[1] > 570 {
				t.Errorf("%d of 1000 frames were delivered while one of two ways was dead", perPhase[1])
			}
			c := n.Counters(dead, 5000*us)
			if int(c.Drops[fabric.LinkDown]) != 1000-perPhase[1] {
				t.Errorf("the dead link dropped %d frames, but %d are missing", c.Drops[fabric.LinkDown], 1000-perPhase[1])
			}
			if c.Frames < 900 || c.Frames > 1100 {
				t.Errorf("the mended link took %d frames in all, want about half of 2000", c.Frames)
			}
		})
	}
}

// TestNoRoute takes all ways between two ToRs from the tables.
func TestNoRoute(t *testing.T) {
	g := twoSpines(t)
	s := setup{Graph: g}
	for i := range 30 {
		s.Sends = append(s.Sends, send{At: sim.Time(i) * 100 * unit.Microsecond, Src: 0, Dst: 1, ID: uint32(i), Size: 500, Entropy: uint16(i), Extended: true})
	}
	n := s.build(t)
	n.run(t, 1000*unit.Microsecond)
	n.SetTables(tables(t, g, func(l topo.LinkID) bool { return g.Nodes[g.Links[l].A].Kind == topo.Switch }))
	n.run(t, 2000*unit.Microsecond)
	n.SetTables(tables(t, g, nil))
	n.drain(t)
	want := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29}
	if diff := cmp.Diff(want, n.ids(1)); diff != "" {
		t.Errorf("delivered (-want +got):\n%s", diff)
	}
	// They end at the first switch, whichever of its ports counts them.
	drops := uint64(0)
	for p := range topo.PortID(2 * len(g.Links)) {
		c := n.Counters(p, unit.Second)
		if from, _ := g.Ends(p); c.Drops[fabric.NoRoute] > 0 && g.Nodes[from].Name != "tor0" {
			t.Errorf("%s dropped for want of a route", g.PortName(p))
		}
		drops += c.Drops[fabric.NoRoute]
	}
	if drops != 10 {
		t.Errorf("%d frames dropped for want of a route, want 10", drops)
	}
}

// TestOutage sends frames to a port while its link is down, with pauses, and reads
// when the last was sent and when the port was first left alone.
func TestOutage(t *testing.T) {
	const ns = unit.Nanosecond
	const pipe = 150*ns + 100 // from a host's wire to the port: 1 ps a byte
	for _, test := range []struct {
		name         string
		sends        []sim.Time // in ns; the link is down from 1000 to 5000
		quiet        sim.Time
		last, before int // places in sends; -1 if there is none
	}{
		{"nothing", []sim.Time{100}, 500, -1, -1},
		{"one, and then nothing", []sim.Time{1500}, 500, 0, 0},
		{"the last pause is too short", []sim.Time{4500}, 500, 0, -1},
		{"without pauses", []sim.Time{1500, 1900, 2300, 2700, 3100, 3500, 3900, 4300, 4700}, 500, 8, -1},
		{"a pause, and another", []sim.Time{1500, 1900, 2400, 2600, 4100}, 500, 4, 1},
		{"before and after", []sim.Time{100, 1500, 1600, 6000}, 500, 2, 2},
		{"pauses that are not asked for", []sim.Time{1500, 1900, 2400}, 0, 2, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := slowStar(2)
			g.Links[0].Rate = instant
			down := portOf(t, g, "tor0", "host1")
			var sends []send
			for i, at := range test.sends {
				sends = append(sends, send{At: at * ns, Src: 0, Dst: 1, ID: uint32(i), Size: 100})
			}
			n := setup{Graph: g, Sends: sends}.build(t)
			n.Outages(test.quiet * ns)
			n.change(t, fault.Change{At: 1000 * ns, Port: down, What: fault.Down})
			n.Run(5000*ns, 1)
			got := n.Losses(down, 5000*ns)
			at := func(i int) sim.Time {
				if i < 0 {
					return -1
				}
				return test.sends[i]*ns + pipe
			}
			refused := uint64(0)
			for _, s := range test.sends {
				if s >= 1000 && s < 5000 {
					refused++
				}
			}
			want := fabric.Losses{Down: refused, DownBytes: 100 * refused, Refused: refused, RefusedBytes: 100 * refused, Last: at(test.last), Before: at(test.before)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			n.change(t, fault.Change{At: 5000 * ns, Port: down, What: fault.Up})
			n.change(t, fault.Change{At: 8000 * ns, Port: down, What: fault.Down})
			if got := n.Losses(down, 8000*ns); got.Last != -1 || got.Before != -1 {
				t.Errorf("when the link fails again, it is left at %v and %v", got.Last, got.Before)
			}
		})
	}
}

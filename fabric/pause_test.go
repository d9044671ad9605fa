package fabric_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/internal/packet"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

const largestFrame = 9000

// safeLimits returns limits of links with as much headroom as can be needed.
func safeLimits(g *topo.Graph, l fabric.PauseLimits) func(topo.PortID) fabric.PauseLimits {
	fastest := unit.Rate(0)
	for _, link := range g.Links {
		fastest = max(fastest, link.Rate)
	}
	return func(id topo.PortID) fabric.PauseLimits {
		link := g.Links[id.Link()]
		_, to := g.Ends(id)
		l := l
		// The slower direction may hold a pause up for longer than a frame takes at this rate.
		l.Headroom = fabric.Headroom(400*unit.Gbps, link.Delay, g.Nodes[to].Latency, largestFrame) + 400*largestFrame/25
		return l
	}
}

// drawPauses makes a scene lossless.
func drawPauses(t *rapid.T, s *scene) {
	classes := rapid.IntRange(1, 3).Draw(t, "classes")
	for i := range s.Sends {
		s.Sends[i].Class %= uint8(classes)
	}
	c := fabric.PortConfig{Limit: unit.GiB, Classes: classes}
	if rapid.Bool().Draw(t, "ECN") {
		c.ECN, c.KMin, c.KMax, c.PMax = true, 5*unit.KiB, 20*unit.KiB, 1
		c.MarkAtDequeue = rapid.Bool().Draw(t, "at dequeue")
	}
	s.Port = func(topo.PortID) fabric.PortConfig { return c }
	if s.Telemetry.On = rapid.Bool().Draw(t, "telemetry"); s.Telemetry.On {
		s.Telemetry.Refresh = rapid.SampledFrom([]sim.Time{0, unit.Microsecond}).Draw(t, "refresh")
		for i := range s.Sends {
			s.Sends[i].Track = rapid.SampledFrom([]packet.Flags{0, packet.Forward, packet.Backward}).Draw(t, "track")
		}
	}
	p := &s.Pause
	p.Classes = uint8(rapid.IntRange(1, 1<<classes-1).Draw(t, "lossless"))
	p.Of = rapid.SampledFrom([]fabric.PauseScope{fabric.OfIngress, fabric.OfIngress, fabric.OfEgress, fabric.OfSwitch}).Draw(t, "scope")
	p.PoolFirst = rapid.Bool().Draw(t, "pool first")
	var l fabric.PauseLimits
	if rapid.Bool().Draw(t, "fixed") {
		l.Off = unit.Bytes(rapid.IntRange(1, 30).Draw(t, "off")) * unit.KiB
	}
	l.Gap = unit.Bytes(rapid.IntRange(0, 12).Draw(t, "gap")) * unit.KiB
	l.Reserve = unit.Bytes(rapid.SampledFrom([]int{0, 0, 4096}).Draw(t, "reserve"))
	s.Buffer = fabric.BufferConfig{AtBegin: rapid.Bool().Draw(t, "freed at begin")}
	if l.Off == 0 {
		l.Alpha = rapid.SampledFrom([]float64{0.0625, 0.125, 0.5, 1}).Draw(t, "alpha")
		if p.Of != fabric.OfIngress {
			l.Off = 10 * unit.KiB
		}
	}
	p.Limits = safeLimits(s.Graph, l)
	if rapid.Bool().Draw(t, "watchdog") {
		p.Watchdog = fabric.Watchdog{
			Detect:  sim.Time(rapid.IntRange(1, 8).Draw(t, "detect")) * unit.Microsecond,
			Restore: sim.Time(rapid.IntRange(1, 20).Draw(t, "restore")) * unit.Microsecond,
			Forward: rapid.Bool().Draw(t, "forward"),
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "quanta") == 0 {
		p.Quanta = fabric.Quanta{
			Count:   rapid.SampledFrom([]int{40, 300, 2000, fabric.MostQuanta}).Draw(t, "count"),
			Refresh: rapid.SampledFrom([]float64{0, 0, 0.5, 0.9}).Draw(t, "refreshed"),
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "slow host") == 0 {
		on := unit.Bytes(rapid.IntRange(0, 10).Draw(t, "host on")) * unit.KiB
		p.Slow = []fabric.SlowHost{{
			Host: int32(len(s.Graph.Hosts) - 1), Rate: rapid.SampledFrom([]unit.Rate{unit.Gbps, 7 * unit.Gbps, 33 * unit.Gbps}).Draw(t, "host rate"),
			Off: on + unit.Bytes(rapid.IntRange(1, 10).Draw(t, "host off"))*unit.KiB, On: on,
		}}
	}
	if rapid.Bool().Draw(t, "finite buffer") || l.Off == 0 {
		shared := unit.Bytes(rapid.IntRange(5, 60).Draw(t, "shared")) * unit.KiB
		kept, most := map[topo.NodeID]unit.Bytes{}, unit.Bytes(0)
		for id := range topo.PortID(2 * len(s.Graph.Links)) {
			_, to := s.Graph.Ends(id)
			kept[to] += unit.Bytes(bits.OnesCount8(p.Classes)) * (p.Limits(id).Headroom + l.Reserve)
			most = max(most, kept[to])
		}
		s.Buffer.Size = shared + most
	}
	if rapid.Bool().Draw(t, "headroom taken away") {
		safe := p.Limits
		p.Limits = func(id topo.PortID) fabric.PauseLimits {
			l := safe(id)
			l.Headroom = 2000
			return l
		}
	}
	if classes > 1 && rapid.Bool().Draw(t, "lanes") {
		s.Groups = fabric.LaneGroups{Masks: []uint8{uint8(1<<classes - 1)}, Order: rapid.SampledFrom([]fabric.LaneOrder{fabric.ByArrival, fabric.InTurns}).Draw(t, "order")}
	}
}

// pausesOf returns what all links had to do with pauses.
func pausesOf(n *network, at sim.Time) (all []fabric.Pauses) {
	for id := range topo.PortID(2 * len(n.graph.Links)) {
		all = append(all, n.Pauses(id, at))
	}
	return all
}

// TestLosslessScenes runs random scenes with pauses. The result depends on neither the cut into domains, nor
// threads, nor the event queue, nor on whether transmissions have events. Accounts agree with frames at every
// stop. With headroom enough nothing is dropped but by faults.
func TestLosslessScenes(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		drawPauses(t, s)
		var pauses []fabric.Pauses
		s.drained = func(n *network) { pauses = pausesOf(n, unit.Second) }
		want, _ := s.play(t)
		wantPauses := pauses
		domains := 1
		variants := []setup{
			{Domains: 3, Threads: 2, Queue: sim.Heap},
			{Domains: 100, Threads: 3, Queue: sim.Swept},
			{Domains: 1, Threads: 1, Queue: sim.Calendar},
			{Observed: true},
		}
		for _, variant := range variants {
			v := *s
			v.Domains, v.Threads, v.Queue, v.Observed = variant.Domains, variant.Threads, variant.Queue, variant.Observed
			got, cuts := v.play(t)
			domains = max(domains, cuts)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%d domains, %d threads, queue %d, observed %v (-one domain +these):\n%s", cuts, v.Threads, v.Queue, v.Observed, diff)
			}
			if diff := gocmp.Diff(wantPauses, pauses); diff != "" {
				t.Fatalf("%d domains, %d threads, queue %d, observed %v (-one domain +these):\n%s", cuts, v.Threads, v.Queue, v.Observed, diff)
			}
		}
		lapses := s.Pause.Quanta.Count > 0 && s.Pause.Quanta.Refresh == 0
		drops, heard, bitten, safe := uint64(0), uint64(0), uint64(0), !lapses && (s.Pause.Watchdog == fabric.Watchdog{} || !s.Pause.Watchdog.Forward)
		for id, p := range want.Ports {
			drops += p.Drops[fabric.HeadroomFull]
			bitten += p.Drops[fabric.Watchdogged]
			for _, h := range wantPauses[id].Heard {
				heard += h
			}
			safe = safe && s.Pause.Limits(topo.PortID(id)).Headroom > 2000
			if p.Drops[fabric.QueueFull] > 0 && s.Pause.Classes == 1<<s.Port(0).Classes-1 {
				t.Fatalf("%d frames found a queue full that holds all", p.Drops[fabric.QueueFull])
			}
		}
		if safe && drops > 0 {
			t.Fatalf("%d frames were dropped for want of headroom, of which there is enough", drops)
		}
		cover.note("scenes", true)
		cover.note("pauses", heard > 0)
		cover.note("stamps", s.Telemetry.On)
		cover.note("watchdogs fire", bitten > 0)
		cover.note("pauses that expire", lapses && heard > 0)
		cover.note("pauses that are refreshed", s.Pause.Quanta.Refresh > 0 && heard > 0)
		cover.note("slow hosts", len(s.Pause.Slow) > 0)
		cover.note("faults and pauses", heard > 0 && len(s.changes) > 0)
		cover.note("headroom full", drops > 0)
		cover.note("several domains", domains > 1)
		cover.note("finite buffers", s.Buffer.Size > 0 && heard > 0)
		cover.note("by egress", s.Pause.Of == fabric.OfEgress && heard > 0)
		cover.note("lanes", len(s.Groups.Masks) > 0 && heard > 0)
		cover.note("by switch", s.Pause.Of == fabric.OfSwitch && heard > 0)
	})
	cover.report(t, 2)
}

// overload is a star in which hosts 0 and 1 send at line rate to host 2.
func overload(t *testing.T, frames int, limits fabric.PauseLimits) (*network, sim.Time) {
	const rate, delay = 100 * unit.Gbps, unit.Microsecond
	g := graph(t, topo.Star{Hosts: 3, Rate: rate, Delay: delay})
	var sends []send
	for i := range frames {
		for h := range int32(2) {
			sends = append(sends, send{Src: h, Dst: 2, ID: uint32(2*i) + uint32(h), Size: 1000})
		}
	}
	n := setup{Graph: g, Sends: sends, Pause: fabric.PauseConfig{
		Classes: 1, Limits: func(topo.PortID) fabric.PauseLimits { return limits },
	}}.build(t)
	return n, transmit(rate, 1000)
}

// Two hosts send at line rate into one port. What the switch holds of each grows by half of the line rate, so
// that the threshold is reached after Off·8/(C/2). With headroom nothing is dropped; without, some is.
func TestPauseAtThreshold(t *testing.T) {
	const off, gap = 100_000, 20_000
	for _, headroom := range []unit.Bytes{unit.MiB, 0} {
		n, took := overload(t, 2000, fabric.PauseLimits{Off: off, Gap: gap, Headroom: headroom})
		first := sim.Time(0)
		for at := sim.Time(0); first == 0 && at < 100*unit.Microsecond; at += took {
			n.run(t, at)
			if p := n.Pauses(n.port(t, "host0", "tor0"), at); p.Sent[0] > 0 {
				first = at
			}
		}
		if want := unit.Microsecond + (100 * unit.Gbps).Transmit(2*off); first < want-2*took || first > want+3*took {
			t.Errorf("headroom %v: paused at %v, want %v", headroom, first, want)
		}
		n.drain(t)
		total, _ := n.Totals()
		if headroom > 0 && total.Dropped > 0 || headroom == 0 && total.Dropped == 0 {
			t.Errorf("headroom %v: %d frames were dropped", headroom, total.Dropped)
		}
		if headroom == 0 {
			continue
		}
		var heard, resumes [2]uint64
		for h := range 2 {
			p := n.Pauses(n.port(t, fmt.Sprintf("host%d", h), "tor0"), unit.Millisecond)
			heard[h], resumes[h] = p.Heard[0], p.Resumes[0]
			if p.Heard[0] != p.Sent[0] || p.Sent[0] != p.Resumes[0] || p.Time[0] == 0 || p.Paused != 0 {
				t.Errorf("host%d: %+v", h, p)
			}
			// What comes after the decision: both ways of propagation and two frames.
			most := off + (100 * unit.Gbps).In(2*unit.Microsecond) + 4000
			if p.Most[0] < off || p.Most[0] > most {
				t.Errorf("host%d: the switch held up to %v of it, want from %v to %v", h, p.Most[0], unit.Bytes(off), most)
			}
		}
		if heard[0] < 3 || heard[0] > heard[1]+1 || heard[1] > heard[0]+1 {
			t.Errorf("pauses of the two hosts: %v", heard)
		}
		// The port to the receiver is never idle: 4000 frames one after another.
		log := n.logs[2]
		if last := log[len(log)-1].At; last > log[0].At+sim.Time(len(log)-1)*took {
			t.Errorf("the receiver's link was idle: the last frame came at %v", last)
		}
	}
}

// Ports that fill equally under a dynamic threshold settle at alpha·pool/(1 + k·alpha).
func TestDynamicPauses(t *testing.T) {
	const pool, rate = 400_000, 100 * unit.Gbps
	for _, k := range []int{2, 4, 8} {
		for _, alpha := range []float64{0.125, 0.5, 1} {
			g := graph(t, topo.Star{Hosts: k + 1, Rate: rate, Delay: 10 * unit.Nanosecond})
			var sends []send
			for h := range int32(k) {
				for i := range 3000 {
					sends = append(sends, send{Src: h, Dst: int32(k), ID: uint32(i*k) + uint32(h), Size: 1000})
				}
			}
			const headroom = 20_000
			n := setup{
				Graph: g, Sends: sends, Buffer: fabric.BufferConfig{Size: pool + unit.Bytes(k+1)*headroom},
				Pause: fabric.PauseConfig{Classes: 1, Limits: func(topo.PortID) fabric.PauseLimits {
					return fabric.PauseLimits{Alpha: alpha, Gap: 2000, Headroom: headroom}
				}},
			}.build(t)
			var node topo.NodeID
			for g.Nodes[node].Kind != topo.Switch {
				node++
			}
			b := n.Buffer(node, unit.Microsecond, false)
			n.run(t, 100*unit.Microsecond)
			b.Open(100 * unit.Microsecond)
			n.run(t, 200*unit.Microsecond)
			got := b.Close(200 * unit.Microsecond)
			n.drain(t)
			want := alpha * pool / (1 + float64(k)*alpha) * float64(k)
			if math.Abs(float64(got.Mean)-want) > 1500*float64(k) {
				t.Errorf("%d ports, alpha %v: the switch holds %v, want %.0f", k, alpha, got.Mean, want)
			}
			if total, _ := n.Totals(); total.Dropped > 0 {
				t.Errorf("%d ports, alpha %v: %d frames dropped", k, alpha, total.Dropped)
			}
		}
	}
}

// A pause stops its class alone.
func TestPauseOfOneClass(t *testing.T) {
	g := graph(t, topo.Star{Hosts: 4, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	var sends []send
	for i := range uint32(1000) {
		sends = append(sends,
			send{Src: 0, Dst: 2, ID: 4 * i, Size: 1000, Class: 1},
			send{Src: 1, Dst: 2, ID: 4*i + 1, Size: 1000, Class: 1},
			send{Src: 3, Dst: 2, ID: 4*i + 2, Size: 200, Class: 0, At: sim.Time(i) * 100 * unit.Nanosecond})
	}
	n := setup{
		Graph: g, Sends: sends, Port: func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: unit.GiB, Classes: 2} },
		Pause: fabric.PauseConfig{Classes: 3, Limits: safeLimits(g, fabric.PauseLimits{Off: 20_000, Gap: 5000})},
	}.build(t)
	n.drain(t)
	if p := n.Pauses(n.port(t, "host3", "tor0"), unit.Second); p.Heard != [8]uint64{} {
		t.Errorf("the host of class 0 was paused: %+v", p)
	}
	if p := n.Pauses(n.port(t, "host0", "tor0"), unit.Second); p.Heard[1] == 0 || p.Heard[0] != 0 {
		t.Errorf("the host of class 1: %+v", p)
	}
}

// A link that fails takes back its pauses at both ends.
func TestFailureLiftsPauses(t *testing.T) {
	for _, from := range []string{"host0", "tor0"} {
		n, _ := overload(t, 2000, fabric.PauseLimits{Off: 50_000, Gap: 49_000, Headroom: unit.MiB})
		id := n.port(t, "host0", "tor0")
		at := sim.Time(0)
		for n.Pauses(id, at).Paused == 0 {
			at += 100 * unit.Nanosecond
			n.run(t, at)
		}
		other := "tor0"
		if from == other {
			other = "host0"
		}
		n.Apply(at, fault.Change{Port: n.port(t, from, other), What: fault.Down})
		if p := n.Pauses(id, at); p.Paused != 0 {
			t.Errorf("%s fails: %+v", from, p)
		}
		n.run(t, at+10*unit.Microsecond)
		n.Apply(at+10*unit.Microsecond, fault.Change{Port: n.port(t, from, other), What: fault.Up})
		n.drain(t)
	}
}

// A host that takes frames at 40 Gb/s from a link of 100 Gb/s pauses its switch: what was sent comes at the host's rate, but for what
// waits at the NIC.
func TestSlowHost(t *testing.T) {
	const frames, size, off, on = 3000, 1000, 50_000, 30_000
	g := graph(t, topo.Star{Hosts: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	var sends []send
	for i := range uint32(frames) {
		sends = append(sends, send{Src: 0, Dst: 1, ID: i, Size: size})
	}
	n := setup{Graph: g, Sends: sends, Pause: fabric.PauseConfig{
		Classes: 1, Limits: safeLimits(g, fabric.PauseLimits{Off: 100_000, Gap: 20_000}),
		Slow: []fabric.SlowHost{{Host: 1, Rate: 40 * unit.Gbps, Off: off, On: on}},
	}}.build(t)
	n.drain(t)
	log := n.logs[1]
	if len(log) != frames {
		t.Fatalf("%d frames came", len(log))
	}
	took := log[frames-1].At - log[0].At
	least, most := (40 * unit.Gbps).Transmit(frames*size-off-40_000), (40 * unit.Gbps).Transmit(frames*size)
	if took < least || took > most {
		t.Errorf("the frames came within %v, want %v to %v", took, least, most)
	}
	p := n.Pauses(n.port(t, "tor0", "host1"), unit.Second)
	if p.Heard[0] < 10 || p.Heard[0] != p.Sent[0] || p.Paused != 0 {
		t.Errorf("%+v", p)
	}
	if up := n.Pauses(n.port(t, "host0", "tor0"), unit.Second); up.Heard[0] == 0 {
		t.Error("the switch did not pause the sender")
	}
}

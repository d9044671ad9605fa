package fabric_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// drawDirect draws a network with hosts on all switches, or a fat tree.
func drawDirect(t *rapid.T) *topo.Graph {
	cables := topo.Cables{Rate: 100 * unit.Gbps, Delay: 300 * unit.Nanosecond}
	hosts := ptr(rapid.IntRange(1, 2).Draw(t, "hosts"))
	switch rapid.IntRange(0, 3).Draw(t, "family") {
	case 0:
		return graph(t, topo.Jellyfish{Switches: ptr(8), Degree: ptr(3), HostsPerSwitch: hosts, Seed: rapid.Uint64().Draw(t, "links"), Cables: cables})
	case 1:
		return graph(t, topo.FatTree{Tiers: 3, HostsPerToR: hosts, UplinksPerToR: ptr(2), ToRsPerPod: ptr(2), Pods: ptr(2), Rate: cables.Rate, Delay: cables.Delay})
	}
	return graph(t, topo.Dragonfly{GlobalLinks: ptr(1), SwitchesPerGroup: ptr(rapid.IntRange(2, 3).Draw(t, "switches")), HostsPerSwitch: hosts, Cables: cables})
}

// drawWalks draws detours and lanes.
func drawWalks(t *rapid.T, s *setup) {
	s.Lanes = rapid.SampledFrom([]fabric.WalkLanes{fabric.NoLanes, fabric.LanePerHop, fabric.LanePerPhase}).Draw(t, "lanes")
	d := &route.Detours{
		Decide:    rapid.SampledFrom([]route.Decision{route.Always, route.ByLocalQueues, route.ByAllQueues, route.Progressively}).Draw(t, "decide"),
		Threshold: unit.Bytes(rapid.SampledFrom([]int{0, 0, 1000, 20_000}).Draw(t, "threshold")),
	}
	if _, groups := route.Groups(s.Graph); groups > 0 {
		d.ByGroup = rapid.Bool().Draw(t, "by group")
	} else if d.Decide == route.Progressively {
		d.Decide = route.ByLocalQueues
	}
	if d.Decide == route.ByAllQueues {
		d.Delay = rapid.SampledFrom([]unit.Time{100 * unit.Nanosecond, unit.Microsecond, 7*unit.Microsecond + 1}).Draw(t, "delay")
	}
	if d.Decide != route.Always && rapid.Bool().Draw(t, "decisions are kept") {
		d.Flowlet = rapid.SampledFrom([]unit.Time{1, 300 * unit.Nanosecond, 5 * unit.Microsecond, unit.Second}).Draw(t, "flowlet")
		d.Flowlets = rapid.SampledFrom([]int{1, 4, 512}).Draw(t, "flowlets")
	}
	s.Detours = d
}

// TestDetourScenes runs random scenes with detours: no result depends on cuts, threads, event queues, or events for transmissions.
func TestDetourScenes(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		s := &scene{setup: setup{Seed: rapid.Uint64().Draw(t, "seed"), Graph: drawDirect(t)}}
		drawWalks(t, &s.setup)
		s.draw(t)
		if a, b := s.Port(0), s.Port(1); a.Trim == nil && b.Trim == nil && !a.Credit.On() && !b.Credit.On() {
			s.Groups = drawLanes(t)
		}
		want, _ := s.play(t)
		checkSums(t, s, want)
		for _, variant := range []setup{
			{Domains: 3, Threads: 2, Queue: sim.Swept}, {Domains: 100, Threads: 1, Queue: sim.Heap}, {Queue: sim.Swept}, {Observed: true},
		} {
			v := *s
			v.Domains, v.Threads, v.Queue, v.Observed = variant.Domains, variant.Threads, variant.Queue, variant.Observed
			got, cuts := v.play(t)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%d domains, %d threads, queue %d, observed %v (-one domain +these):\n%s", cuts, v.Threads, v.Queue, v.Observed, diff)
			}
		}
		cover.note("detours", want.Detours.Detours > 0)
		cover.note("minimal frames beside detours", want.Detours.Detours > 0 && want.Detours.Detours < want.Detours.Frames)
		cover.note("decisions are kept", s.Detours.Flowlet > 0)
		cover.note("faults", len(s.changes) > 0)
	})
	cover.report(t, 20)
}

// floodTo has all hosts send frames to random others, at once and more than links take.
func floodTo(s *setup, frames int, class uint8) {
	hosts := int32(len(s.Graph.Hosts))
	for h := range hosts {
		for i := range frames {
			draw := sim.Mix(s.Seed + uint64(h)<<32 + uint64(i))
			s.Sends = append(s.Sends, send{Src: h, Dst: (h + 1 + int32(draw%uint64(hosts-1))) % hosts, ID: uint32(len(s.Sends)), Size: 1000, Entropy: uint16(draw >> 40), Class: class})
		}
	}
}

// TestLanesPreventDeadlock floods lossless networks. Valiant's walks lock them up in one class, and in as many classes as walks have links all
// frames arrive. None is dropped.
func TestLanesPreventDeadlock(t *testing.T) {
	cables := topo.Cables{Rate: 100 * unit.Gbps, Delay: 300 * unit.Nanosecond}
	for _, c := range []struct {
		name string
		g    *topo.Graph
	}{
		{"slim fly", graph(t, topo.SlimFly{Order: ptr(3), HostsPerSwitch: ptr(4), Cables: cables})},
		{"dragonfly", graph(t, topo.Dragonfly{GlobalLinks: ptr(1), SwitchesPerGroup: ptr(4), HostsPerSwitch: ptr(4), Cables: cables})},
	} {
		for _, d := range []*route.Detours{{}, {Decide: route.ByLocalQueues}, {Decide: route.Progressively}} {
			for order, lanes := range []fabric.WalkLanes{fabric.NoLanes, fabric.LanePerHop, fabric.LanePerHop} {
				s := setup{Graph: c.g, Detours: d, Lanes: lanes, Queue: sim.Swept, Seed: 1}
				classes := lanes.Needed(d.Phases(), d.LongestWalk(s.tables(t, nil)))
				if lanes != fabric.NoLanes {
					s.Groups = fabric.LaneGroups{Masks: []uint8{1<<classes - 1}, Order: fabric.LaneOrder(order - 1)}
				}
				s.Port = func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: unit.GiB, Classes: classes} }
				s.Pause = fabric.PauseConfig{Classes: uint8(1<<classes - 1), Limits: safeLimits(c.g, fabric.PauseLimits{Off: 10_000, Gap: 2000})}
				floodTo(&s, 200, uint8(classes-1))
				n := s.build(t)
				for at := unit.Microsecond; at < 40*unit.Microsecond; at += 3 * unit.Microsecond {
					n.run(t, at) // and compare accounts with what switches hold
				}
				n.run(t, sim.Forever)
				cut := s
				cut.Domains, cut.Threads, cut.Queue = 7, 2, sim.Calendar
				other := cut.build(t)
				other.run(t, sim.Forever)
				if diff := gocmp.Diff(n.logs, other.logs); diff != "" {
					t.Errorf("%s, decision %d, lanes %d: the cut changes what arrives", c.name, d.Decide, lanes)
				}
				total, _ := n.Totals()
				stuck := n.Deadlock() != nil
				switch {
				case total.Dropped > 0:
					t.Errorf("%s, decision %d, lanes %d: %d frames were dropped", c.name, d.Decide, lanes, total.Dropped)
				case lanes == fabric.NoLanes && d.Decide == route.Always && !stuck:
					t.Errorf("%s: no deadlock without lanes", c.name)
				case lanes == fabric.LanePerHop && (stuck || total.Delivered != uint64(len(s.Sends))):
					t.Errorf("%s, decision %d: deadlock %v, %d of %d frames arrived", c.name, d.Decide, stuck, total.Delivered, len(s.Sends))
				}
			}
		}
	}
}

// walker follows frames and notes their hops between switches.
type walker struct {
	g    *topo.Graph
	d    *fabric.Domain
	hops map[uint32][]topo.PortID
	lane map[uint32][]uint8
}

func (w *walker) Queued(sim.Time, topo.PortID, fabric.FrameID) {}
func (w *walker) Sent(link topo.PortID, id fabric.FrameID, _, _ sim.Time) {
	if from, to := w.g.Ends(link); w.g.Nodes[from].Kind == topo.Switch && w.g.Nodes[to].Kind == topo.Switch {
		f := w.d.Frame(id)
		w.hops[f.Message] = append(w.hops[f.Message], link)
		w.lane[f.Message] = append(w.lane[f.Message], f.Priority())
	}
}
func (w *walker) Arrived(sim.Time, topo.PortID, fabric.FrameID, sim.Time)      {}
func (w *walker) Dropped(sim.Time, topo.PortID, fabric.FrameID, fabric.Reason) {}
func (w *walker) Paused(sim.Time, topo.PortID, uint8, bool)                    {}
func (w *walker) Trimmed(sim.Time, topo.PortID, fabric.FrameID)                {}

// TestWalksEnd sends frames through random networks with links down. Those between switches that are linked arrive, by walks
// within the bound of the policy, in a class that falls by one with each hop after the first or stays.
func TestWalksEnd(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		g := drawDirect(t)
		s := setup{Seed: rapid.Uint64().Draw(t, "seed"), Graph: g}
		drawWalks(t, &s)
		dead := rapid.SliceOfN(rapid.SampledFrom([]bool{false, false, false, true}), len(g.Links), len(g.Links)).Draw(t, "dead")
		down := func(l topo.LinkID) bool {
			k := g.Links[l]
			return dead[l] && g.Nodes[k.A].Kind == topo.Switch && g.Nodes[k.B].Kind == topo.Switch
		}
		s.Port = func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: unit.GiB, Classes: 8} }
		floodTo(&s, 6, 7)
		w := &walker{g: g, hops: map[uint32][]topo.PortID{}, lane: map[uint32][]uint8{}}
		s.Follow = w
		n := s.build(t)
		w.d = n.Domains()[0]
		routes := s.tables(t, down)
		n.SetTables(routes)
		n.drain(t)
		bound := s.Detours.LongestWalk(routes)
		arrived := map[uint32]bool{}
		for _, log := range n.logs {
			for _, d := range log {
				arrived[d.ID] = true
			}
		}
		for _, what := range s.Sends {
			from, to := routes.Edge(g.Hosts[what.Src]), routes.Edge(g.Hosts[what.Dst])
			distance := routes.Distance(routes.EdgeSwitch(from), to)
			if arrived[what.ID] != (distance >= 0) {
				t.Fatalf("frame %d over a distance of %d arrived: %v", what.ID, distance, arrived[what.ID])
			}
			hops := w.hops[what.ID]
			if len(hops) > bound {
				t.Fatalf("frame %d over a distance of %d took %d links, and the longest walk has %d", what.ID, distance, len(hops), bound)
			}
			if path, reached := n.Path(what.Src, what.Dst, what.Entropy); s.Detours.Decide == route.Always && reached && !slices.Equal(hops, path[1:len(path)-1]) {
				t.Fatalf("frame %d took the links %v, and its path is %v", what.ID, hops, path)
			}
			fell := uint8(0)
			for k, p := range hops {
				if dead[p.Link()] {
					t.Fatalf("frame %d passed a link that is down", what.ID)
				}
				switch fall := 7 - w.lane[what.ID][k]; {
				case s.Lanes == fabric.LanePerHop && fall != min(7, uint8(k)), s.Lanes == fabric.NoLanes && fall != 0,
					s.Lanes == fabric.LanePerPhase && (fall < fell || fall >= uint8(s.Lanes.Needed(s.Detours.Phases(), bound))):
					t.Fatalf("frame %d travels in the classes %d", what.ID, w.lane[what.ID])
				default:
					fell = fall
				}
			}
			cover.note("frames", true)
			cover.note("detours", len(hops) != distance)
		}
	})
	cover.report(t, 10)
}

// TestUGALRule has nine hosts of a switch send one frame each, which arrive at the same instant, to another switch of three that
// are linked each to each: one link, or two over the third switch. What goes either way follows from the rule, in whatever
// order they are handled.
func TestUGALRule(t *testing.T) {
	const frames, size = 9, 1000
	g := graph(t, topo.Clique{Switches: ptr(3), HostsPerSwitch: ptr(frames), Cables: topo.Cables{Rate: 100 * unit.Gbps, Delay: unit.Microsecond}})
	for _, c := range []struct {
		decide    route.Decision
		threshold unit.Bytes
		want      uint64 // detours
	}{
		{route.ByLocalQueues, 0, 3}, // q · 1 against q · 2
		{route.ByLocalQueues, 2500, 2},
		{route.ByLocalQueues, 3 * size, 2},
		{route.ByLocalQueues, frames * size, 0},
		{route.ByAllQueues, 0, 4}, // q against q, as nothing is known of others yet
		{route.ByAllQueues, 3 * size, 3},
		{route.Always, 0, frames},
	} {
		minimal, detours := unit.Bytes(0), unit.Bytes(0)
		for range frames {
			links := unit.Bytes(2)
			if c.decide == route.ByAllQueues {
				links = 1
			}
			if c.decide == route.Always || minimal > detours*links+c.threshold {
				detours += size
			} else {
				minimal += size
			}
		}
		if uint64(detours/size) != c.want {
			t.Errorf("%+v: by the rule %d frames take the detour", c, detours/size)
		}
		s := setup{Graph: g, Detours: &route.Detours{Decide: c.decide, Threshold: c.threshold, Delay: 100 * unit.Microsecond}}
		for h := range int32(frames) {
			s.Sends = append(s.Sends, send{Src: h, Dst: frames + h, ID: uint32(h), Size: size, Entropy: uint16(h)})
		}
		n := s.build(t)
		n.drain(t)
		if got := n.Detoured(); got.Frames != frames || got.Detours != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// TestIntermediatesAreUniform counts by which switches all entropies lead, on a clique and by groups on a Dragonfly.
func TestIntermediatesAreUniform(t *testing.T) {
	cables := topo.Cables{Rate: 100 * unit.Gbps, Delay: unit.Microsecond}
	for _, c := range []struct {
		name    string
		g       *topo.Graph
		byGroup bool
		dst     int32
		places  int
	}{
		{"clique", graph(t, topo.Clique{Switches: ptr(12), HostsPerSwitch: ptr(1), Cables: cables}), false, 7, 10},
		{"dragonfly", graph(t, topo.Dragonfly{GlobalLinks: ptr(1), SwitchesPerGroup: ptr(4), HostsPerSwitch: ptr(1), Cables: cables}), true, 9, 3},
	} {
		n := setup{Graph: c.g, Detours: &route.Detours{ByGroup: c.byGroup}}.build(t)
		of, _ := route.Groups(c.g)
		counts := map[int32]int{}
		for entropy := range 1 << 16 {
			path, reached := n.Path(0, c.dst, uint16(entropy))
			if !reached {
				t.Fatalf("%s: entropy %d does not arrive", c.name, entropy)
			}
			seen := map[int32]bool{}
			for _, p := range path[1 : len(path)-1] {
				_, to := c.g.Ends(p)
				place := int32(to)
				if c.byGroup {
					place = of[to]
				}
				seen[place] = true
			}
			for place := range seen {
				counts[place]++
			}
		}
		within := 0
		for _, count := range counts {
			mean := float64(1<<16) / float64(c.places)
			if diff := float64(count) - mean; diff*diff < 25*mean { // five standard deviations
				within++ // those of source and destination are passed more often
			}
		}
		if within != c.places {
			t.Errorf("%s: %d intermediates, want %d as often as others: %v", c.name, within, c.places, counts)
		}
	}
}

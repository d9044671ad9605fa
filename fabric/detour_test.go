package fabric_test

import (
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
	s.Detours = d
}

// TestDetourScenes runs random scenes with detours: no result depends on cuts, threads, event queues, or events for transmissions.
func TestDetourScenes(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		s := &scene{setup: setup{Seed: rapid.Uint64().Draw(t, "seed"), Graph: drawDirect(t)}}
		drawWalks(t, &s.setup)
		s.draw(t)
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
		cover.note("faults", len(s.changes) > 0)
	})
	cover.report(t, 20)
}

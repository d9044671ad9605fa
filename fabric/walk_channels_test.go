package fabric_test

import (
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// leg is the part of a walk that a frame is on.
type leg int

const (
	straight  leg = iota // minimal for good
	wavering             // minimal, but may still change at the second switch
	thither              // to an intermediate that was chosen at the first switch
	aside                // to one that was chosen at the second
	homewards            // from an intermediate to the destination
)

// stroll is all that matters of a frame on its way.
type stroll struct {
	over        channel // link -1 from a host
	at          topo.NodeID
	on          leg
	mid, edge   int32
	sourceGroup int32
}

// strolls returns which channels can wait for which, by all walks of frames with all intermediates and decisions, and the
// most links of a walk. Frames begin in a lane of their own choice, and lane 0 is the last.
func strolls(g *topo.Graph, t *route.Tables, d *route.Detours, lanes fabric.WalkLanes, first int) (graph map[channel]map[channel]bool, longest int) {
	of, _ := route.Groups(g)
	group := func(sw topo.NodeID) int32 {
		if of == nil {
			return int32(sw)
		}
		return of[sw]
	}
	graph = map[channel]map[channel]bool{}
	links := map[stroll]int{}
	var todo []stroll
	visit := func(s stroll, n int) {
		if old, ok := links[s]; !ok || n > old {
			links[s] = n
			longest = max(longest, n)
			todo = append(todo, s)
		}
	}
	for edge := range int32(t.Edges()) {
		for from := range int32(t.Edges()) {
			if from == edge {
				continue
			}
			src := t.EdgeSwitch(from)
			home := group(src)
			begin := stroll{over: channel{-1, first}, at: src, edge: edge, sourceGroup: home}
			visit(begin, 0)
			if d == nil {
				continue
			}
			progressive := d.Decide == route.Progressively && home != group(t.EdgeSwitch(edge))
			for mid := range int32(t.Edges()) {
				if mid == from || mid == edge || d.ByGroup && (group(t.EdgeSwitch(mid)) == home || group(t.EdgeSwitch(mid)) == group(t.EdgeSwitch(edge)) || home == group(t.EdgeSwitch(edge))) {
					continue
				}
				begin.mid = mid
				begin.on = thither
				visit(begin, 0)
				if progressive {
					begin.on = wavering // and mid is that of the second switch
					visit(begin, 0)
				}
			}
		}
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := links[s]
		if s.at == t.EdgeSwitch(s.edge) {
			continue
		}
		was := s.on
		ons := []leg{was}
		switch fresh := s.over.link < 0; {
		case was == wavering && !fresh && group(s.at) == s.sourceGroup && s.at != t.EdgeSwitch(s.mid):
			ons = []leg{straight, aside}
		case was == wavering && !fresh:
			ons = []leg{straight}
		case was == thither || was == aside:
			if s.at == t.EdgeSwitch(s.mid) || d.ByGroup && group(s.at) == group(t.EdgeSwitch(s.mid)) {
				ons = []leg{homewards}
			}
		}
		for _, on := range ons {
			next := s
			next.on = on
			to := s.edge
			if on == thither || on == aside {
				to = s.mid
			} else if on != wavering {
				next.mid = 0 // of no importance any more
			}
			next.over.lane = s.over.lane
			if falls := lanes == fabric.LanePerHop || lanes == fabric.LanePerPhase && on != was && on != straight; falls && s.over.link >= 0 {
				next.over.lane = max(0, s.over.lane-1)
			}
			for _, q := range t.Hops(s.at, to) {
				next.over.link = q
				_, next.at = g.Ends(q)
				if s.over.link >= 0 {
					if graph[s.over] == nil {
						graph[s.over] = map[channel]bool{}
					}
					graph[s.over][next.over] = true
				}
				visit(next, n+1)
			}
		}
	}
	return graph, longest
}

// hierarchicalTables returns those with fewest links between groups.
func hierarchicalTables(t rapid.TB, g *topo.Graph, down func(topo.LinkID) bool) *route.Tables {
	t.Helper()
	for _, e := range route.Entries() {
		if e.Name != "hierarchical" {
			continue
		}
		options, err := e.Defaults()
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Build(options)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Prepare(g, 1)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := r(route.Options{Down: down})
		if err != nil {
			t.Fatal(err)
		}
		return tables
	}
	t.Fatal("no policy is hierarchical")
	return nil
}

// TestWalkLanes walks all ways of frames with each policy, in each family of networks. With the lanes that are said
// to be needed channels have no circle. The longest walk has as many links as the policy says, or fewer where it says at most.
func TestWalkLanes(t *testing.T) {
	cables := topo.Cables{Rate: unit.Gbps}
	hop, phase := fabric.LanePerHop, fabric.LanePerPhase
	for _, c := range []struct {
		name    string
		g       *topo.Graph
		grouped bool
		tight   bool             // one lane less has a circle; elsewhere the last two hops can share one
		lanes   fabric.WalkLanes // the fewest without a circle
		// walks are those of minimal routes, Valiant and UGAL, these by group, PAR, and that by group.
		walks [5]int
	}{
		{"slim fly", graph(t, topo.SlimFly{Order: ptr(3), HostsPerSwitch: ptr(1), Cables: cables}), false, true, hop, [5]int{2, 4}},
		{"dragonfly", graph(t, topo.Dragonfly{GlobalLinks: ptr(1), SwitchesPerGroup: ptr(4), HostsPerSwitch: ptr(1), Cables: cables}), true, false, hop, [5]int{3, 6, 5, 7, 6}},
		{"hyperx", graph(t, topo.HyperX{Widths: []int{3, 3}, HostsPerSwitch: ptr(1), Cables: cables}), false, true, hop, [5]int{2, 4}},
		{"fat tree", graph(t, topo.FatTree{Tiers: 3, HostsPerToR: ptr(1), UplinksPerToR: ptr(2), ToRsPerPod: ptr(2), Pods: ptr(2), Rate: unit.Gbps}), false, false, phase, [5]int{4, 8}},
		{"jellyfish", graph(t, topo.Jellyfish{Switches: ptr(12), Degree: ptr(3), HostsPerSwitch: ptr(1), Seed: 1, Cables: cables}), false, false, hop, [5]int{4, 7}},
	} {
		routes := tables(t, c.g, nil)
		if c.grouped {
			routes = hierarchicalTables(t, c.g, nil)
		}
		for i, d := range []*route.Detours{nil, {Decide: route.ByLocalQueues}, {ByGroup: true}, {Decide: route.Progressively}, {Decide: route.Progressively, ByGroup: true}} {
			if c.walks[i] == 0 {
				continue
			}
			longest := d.LongestWalk(routes)
			if longest != c.walks[i] {
				t.Errorf("%s, policy %d: walks of up to %d links, want %d", c.name, i, longest, c.walks[i])
			}
			for _, lanes := range []fabric.WalkLanes{fabric.NoLanes, phase, hop} {
				needed := lanes.Needed(d.Phases(), longest)
				waits, walked := strolls(c.g, routes, d, lanes, needed-1)
				circle := circleOf(waits)
				safe := lanes == hop || c.lanes == phase && (lanes == phase || d == nil)
				if (circle == nil) != safe {
					t.Errorf("%s, policy %d, lanes %d: %d lanes have the circle %s", c.name, i, lanes, needed, describe(c.g, circle))
				}
				if walked != longest {
					t.Errorf("%s, policy %d: a walk of %d links, want %d", c.name, i, walked, longest)
				}
				if fewer, _ := strolls(c.g, routes, d, lanes, max(0, needed-2)); safe && d != nil && c.tight && circleOf(fewer) == nil {
					t.Errorf("%s, policy %d: %d lanes have no circle either", c.name, i, needed-1)
				}
			}
		}
	}
}

package fabric_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// channel is a link between switches and the lane in which a frame crosses it: the room at its end for which
// pauses answer.
type channel struct {
	link topo.PortID
	lane int
}

// scheme is a way to choose lanes: that of a frame with some tokens left, and with how many it counts when it
// is deflected.
type scheme struct {
	name   string
	lane   func(tokens int) int
	early  bool // the deflected hop is in the next lane already
	rising bool // deflections obey the layers of links
}

func schemes(tokens int) []scheme {
	perToken := func(left int) int { return tokens - left }
	return []scheme{
		{name: "1", lane: func(int) int { return 0 }},
		{name: "2", lane: func(left int) int { return min(left, 1) }},
		{name: "one per deflection", lane: perToken, early: true},
		{name: "one per deflection, late", lane: perToken},
		{name: "per-token", lane: perToken, rising: true},
	}
}

// walk is all that can happen to frames: where one is, with how many tokens, and where it goes.
type walk struct {
	over   channel // -1 from a host
	at     topo.NodeID
	tokens int
	edge   int32
	long   bool // never had tokens
}

// waits returns which channels can wait for which, by walking all ways that switches can send frames.
func waits(g *topo.Graph, t *route.Tables, tokens int, s scheme) map[channel]map[channel]bool {
	layers, _ := fabric.LinkLayers(g, t)
	if layers == nil {
		layers = make([]int32, 2*len(g.Links))
	}
	graph := map[channel]map[channel]bool{}
	seen := map[walk]bool{}
	var todo []walk
	visit := func(w walk) {
		if !seen[w] {
			seen[w] = true
			todo = append(todo, w)
		}
	}
	for edge := range int32(t.Edges()) {
		for from := range int32(t.Edges()) {
			visit(walk{channel{-1, -1}, t.EdgeSwitch(from), tokens, edge, false})
			visit(walk{channel{-1, -1}, t.EdgeSwitch(from), 0, edge, true})
		}
	}
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t.EdgeSwitch(w.edge) == w.at {
			continue // the host takes it, whatever happens
		}
		lane := s.lane(w.tokens)
		if w.long {
			lane = s.lane(tokens)
		}
		step := func(q topo.PortID, lane, left int) {
			c := channel{q, lane}
			if w.over.link >= 0 {
				if graph[w.over] == nil {
					graph[w.over] = map[channel]bool{}
				}
				graph[w.over][c] = true
			}
			_, to := g.Ends(q)
			visit(walk{c, to, left, w.edge, w.long})
		}
		for _, minimal := range t.Hops(w.at, w.edge) {
			step(minimal, lane, w.tokens)
			if w.tokens == 0 {
				continue
			}
			for q := range topo.PortID(2 * len(g.Links)) {
				from, to := g.Ends(q)
				if from != w.at || g.Nodes[to].Kind != topo.Switch || q == minimal {
					continue
				}
				hopped := w.over.link >= 0 && w.over.lane != lane
				if w.over.link >= 0 {
					if came, _ := g.Ends(w.over.link); came == to || s.rising && !hopped && layers[w.over.link] >= layers[q] {
						continue
					}
				}
				if s.early {
					step(q, s.lane(w.tokens-1), w.tokens-1)
				} else {
					step(q, lane, w.tokens-1)
				}
			}
		}
	}
	return graph
}

// circleOf returns channels of which each can wait for the next one, and the last one for the first; nil if there are none.
func circleOf(graph map[channel]map[channel]bool) (circle []channel) {
	const open, closed = 1, 2
	state := map[channel]int{}
	var path []channel
	var search func(c channel) bool
	search = func(c channel) bool {
		state[c] = open
		path = append(path, c)
		for next := range graph[c] {
			if state[next] == open {
				circle = slices.Clone(path[slices.Index(path, next):])
				return true
			}
			if state[next] == 0 && search(next) {
				return true
			}
		}
		path = path[:len(path)-1]
		state[c] = closed
		return false
	}
	for c := range graph {
		if state[c] == 0 && search(c) {
			return circle
		}
	}
	return nil
}

func describe(g *topo.Graph, circle []channel) string {
	var list []string
	for _, c := range circle {
		list = append(list, fmt.Sprintf("%s lane %d", g.PortName(c.link), c.lane))
	}
	return strings.Join(list, ", ")
}

// TestChannels looks for circles of channels with each way to choose lanes: the result of docs/design/0011-deflection.md.
func TestChannels(t *testing.T) {
	leafSpine := func(tors, spines, parallel int) *topo.Graph {
		return graph(t, topo.LeafSpine{ToRs: tors, HostsPerToR: 1, Spines: spines, LinksPerSpine: parallel, Rate: unit.Gbps})
	}
	fatTree := func(pods, tors, uplinks int) *topo.Graph {
		return graph(t, topo.FatTree{Tiers: 3, HostsPerToR: ptr(1), UplinksPerToR: ptr(uplinks), ToRsPerPod: ptr(tors), Pods: ptr(pods), Rate: unit.Gbps})
	}
	for _, c := range []struct {
		name     string
		g        *topo.Graph
		circular string // schemes with a circle
	}{
		{"2 leaves, 4 spines", leafSpine(2, 4, 1), ""},
		{"3 leaves, 1 spine", leafSpine(3, 1, 1), "1; 2; one per deflection"},
		{"3 leaves, 2 spines", leafSpine(3, 2, 1), "1; 2; one per deflection"},
		{"4 leaves, 3 spines by 2 links", leafSpine(4, 3, 2), "1; 2; one per deflection"},
		{"fat tree, 3 pods", fatTree(3, 2, 2), "1; 2; one per deflection; one per deflection, late"},
		{"ring of 3", ring(3), "1; 2; one per deflection"},
		{"ring of 5", ring(5), "1; 2; one per deflection; one per deflection, late; per-token"},
	} {
		for _, tokens := range []int{2, 4} {
			routes := tables(t, c.g, nil)
			if circle := circleOf(waits(c.g, routes, 0, scheme{lane: func(int) int { return 0 }})); (circle != nil) != (c.name == "ring of 5") {
				t.Errorf("%s without deflection: circle %s", c.name, describe(c.g, circle))
			}
			var circular []string
			for _, s := range schemes(tokens) {
				circle := circleOf(waits(c.g, routes, tokens, s))
				t.Logf("%s, %d tokens, lanes %s: %s", c.name, tokens, s.name, describe(c.g, circle))
				if circle != nil {
					circular = append(circular, s.name)
				}
			}
			if got := strings.Join(circular, "; "); got != c.circular {
				t.Errorf("%s, %d tokens: circles with lanes %q, want %q", c.name, tokens, got, c.circular)
			}
		}
	}
}

// TestLayers looks at the layers of links in a fat tree, and at the circle that a ring has in their place.
func TestLayers(t *testing.T) {
	g := graph(t, topo.FatTree{Tiers: 3, HostsPerToR: ptr(1), UplinksPerToR: ptr(2), ToRsPerPod: ptr(2), Pods: ptr(2), Rate: unit.Gbps})
	layers, circle := fabric.LinkLayers(g, tables(t, g, nil))
	if circle != nil {
		t.Fatalf("a fat tree has the circle %v", circle)
	}
	for _, c := range []struct {
		from, to string
		want     int32
	}{{"host0", "tor0", -1}, {"tor0", "agg0", 0}, {"agg0", "core0", 1}, {"core0", "agg0", 2}, {"agg0", "tor0", 3}, {"tor0", "host0", -1}} {
		if got := layers[portOf(t, g, c.from, c.to)]; got != c.want {
			t.Errorf("the link from %s to %s is in layer %d, want %d", c.from, c.to, got, c.want)
		}
	}
	g = ring(5)
	layers, circle = fabric.LinkLayers(g, tables(t, g, nil))
	if layers != nil || len(circle) != 5 {
		t.Fatalf("a ring has layers %v, circle %v", layers, circle)
	}
	for i, p := range circle {
		_, to := g.Ends(p)
		if from, _ := g.Ends(circle[(i+1)%5]); from != to {
			t.Errorf("%s is not followed by %s", g.PortName(p), g.PortName(circle[(i+1)%5]))
		}
	}
}

// deadlockRing is three switches in a circle, whose hosts send to the next one what its link cannot take. Minimal routes are of one
// link between switches and wait for nothing, deflected ones go around the other way.
func deadlockRing(lanes fabric.Lanes, tokens int, queue sim.QueueKind) setup {
	g := ring(3)
	for i := range g.Links {
		if g.Nodes[g.Links[i].A].Kind == topo.Host {
			g.Links[i].Rate *= 4
		}
	}
	c := fabric.DeflectConfig{Tokens: tokens, Threshold: 5000, Table: 64, Lanes: lanes, Class: uint8(tokens), Ends: ends}
	priority := fabric.LaneGroups{Masks: []uint8{uint8(1<<(tokens+1) - 1)}}
	s := setup{Graph: g, Queue: queue, Deflect: c, Groups: priority, Port: func(topo.PortID) fabric.PortConfig {
		return fabric.PortConfig{Limit: unit.GiB, Classes: tokens + 1}
	}, Pause: fabric.PauseConfig{Classes: 1<<(tokens+1) - 1, Limits: safeLimits(g, fabric.PauseLimits{Off: 20_000, Gap: 5000})}}
	for h := range int32(3) {
		for i := range uint32(2000) {
			s.Sends = append(s.Sends, send{Src: h, Dst: (h + 1) % 3, ID: 3*i + uint32(h), Size: 1000, Class: c.Class, Tokens: true,
				Of: 3*(i/4) + uint32(h) + 1, Seq: i % 4, Last: i%4 == 3})
		}
	}
	return s
}

// TestTwoLanesDeadlock has deflected frames fill a ring, each link of which then waits for the next one: the lanes of the paper do
// not prevent that, since a frame at the head of a paused queue cannot change to the escape lane. Without deflection, and
// with a lane for each token, all frames arrive.
func TestTwoLanesDeadlock(t *testing.T) {
	for _, c := range []struct {
		lanes    fabric.Lanes
		tokens   int
		deadlock uint8 // its class, 0 is none
	}{{fabric.OneLane, 4, 4}, {fabric.TwoLanes, 4, 4}, {fabric.TwoLanes, 1, 0}, {fabric.LanePerToken, 4, 0}, {fabric.LanePerToken, 1, 0}} {
		for _, queue := range []sim.QueueKind{sim.Swept, sim.Calendar} {
			s := deadlockRing(c.lanes, c.tokens, queue)
			n := s.build(t)
			n.run(t, sim.Forever)
			var stuck []string
			for _, p := range n.Deadlock() {
				if from, _ := s.Graph.Ends(p.Port); s.Graph.Nodes[from].Kind == topo.Switch {
					stuck = append(stuck, s.Graph.PortName(p.Port))
					if p.Class != c.deadlock {
						t.Errorf("lanes %d, %d tokens: class %d of %s is stuck, want %d", c.lanes, c.tokens, p.Class, s.Graph.PortName(p.Port), c.deadlock)
					}
				}
			}
			total, _ := n.Totals()
			got := n.Deflections(unit.Second)
			if got.Hops == 0 {
				t.Errorf("lanes %d: nothing was deflected", c.lanes)
			}
			if c.deadlock == 0 {
				if stuck != nil || total.Delivered != 6000 || got.Left != 0 {
					t.Errorf("lanes %d, %d tokens: %d frames arrived, %v is stuck, %d rows left", c.lanes, c.tokens, total.Delivered, stuck, got.Left)
				}
				continue
			}
			if want := []string{"switch0->switch2", "switch1->switch0", "switch2->switch1"}; !slices.Equal(sorted(stuck), want) {
				t.Errorf("lanes %d, %d tokens: %v are stuck, want %v", c.lanes, c.tokens, stuck, want)
			}
		}
	}
	s := deadlockRing(fabric.OneLane, 4, sim.Swept)
	s.Deflect.Threshold = unit.GiB
	n := s.build(t)
	n.drain(t)
	if total, _ := n.Totals(); total.Delivered != 6000 {
		t.Errorf("without deflection %d frames arrived", total.Delivered)
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

package fabric_test

import (
	"fmt"
	"testing"

	"weft/fabric"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// ring is switches in a circle, with a host each.
func ring(switches int) *topo.Graph {
	g := &topo.Graph{}
	for i := range switches {
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("host%d", i), Kind: topo.Host})
		g.Hosts = append(g.Hosts, topo.NodeID(i))
	}
	const rate, delay = 100 * unit.Gbps, unit.Microsecond
	for i := range switches {
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("switch%d", i), Kind: topo.Switch, Tier: 1})
		g.Links = append(g.Links, topo.Link{A: topo.NodeID(i), B: topo.NodeID(switches + i), Rate: rate, Delay: delay})
	}
	for i := range switches {
		g.Links = append(g.Links, topo.Link{A: topo.NodeID(switches + i), B: topo.NodeID(switches + (i+1)%switches), Rate: rate, Delay: delay})
	}
	return g
}

// Hosts of a ring of five send to the second host clockwise: minimal routes lead around the ring, so each link
// between switches waits for the next one. All five are named, and nothing else of the switches.
func TestDeadlockOfRing(t *testing.T) {
	const switches = 5
	g := ring(switches)
	for _, scope := range []fabric.PauseScope{fabric.OfIngress, fabric.OfEgress} {
		for _, queue := range []sim.QueueKind{sim.Swept, sim.Calendar} {
			s := setup{Graph: g, Queue: queue, Pause: fabric.PauseConfig{
				Classes: 1, Of: scope, Limits: safeLimits(g, fabric.PauseLimits{Off: 50_000, Gap: 10_000}),
			}}
			for h := range int32(switches) {
				for i := range 2000 {
					s.Sends = append(s.Sends, send{Src: h, Dst: (h + 2) % switches, ID: uint32(switches*i) + uint32(h), Size: 1000})
				}
			}
			n := s.build(t)
			n.run(t, sim.Forever)
			var stuck []string
			for _, p := range n.Deadlock() {
				if from, _ := g.Ends(p.Port); g.Nodes[from].Kind == topo.Switch {
					stuck = append(stuck, g.PortName(p.Port))
					if p.Waiting == 0 {
						t.Errorf("nothing waits at %s", g.PortName(p.Port))
					}
				}
			}
			if len(stuck) != switches {
				t.Fatalf("scope %d: the deadlock is of %v", scope, stuck)
			}
			for i := range switches {
				want := fmt.Sprintf("switch%d->switch%d", i, (i+1)%switches)
				found := false
				for _, s := range stuck {
					found = found || s == want
				}
				if !found {
					t.Errorf("scope %d: %s is not among %v", scope, want, stuck)
				}
			}
			if total, _ := n.Totals(); total.Injected == total.Delivered {
				t.Errorf("all was delivered")
			}
		}
	}
}

// A chain of switches whose last link is slow looks like a deadlock: all are paused again and again. Yet at no time is
// there one.
func TestSlowChainIsNoDeadlock(t *testing.T) {
	g := ring(5)
	for i := range g.Links {
		if g.Nodes[g.Links[i].A].Name == "host2" {
			g.Links[i].Rate = unit.Gbps
		}
	}
	s := setup{Graph: g, Pause: fabric.PauseConfig{
		Classes: 1, Limits: safeLimits(g, fabric.PauseLimits{Off: 50_000, Gap: 10_000}),
	}}
	for h := range int32(2) {
		for i := range 1000 {
			s.Sends = append(s.Sends, send{Src: h, Dst: 2, ID: uint32(2*i) + uint32(h), Size: 1000})
		}
	}
	n := s.build(t)
	paused := 0
	for at := sim.Time(0); n.Bound() < sim.Forever; at += 10 * unit.Microsecond {
		n.run(t, at)
		if stuck := n.Deadlock(); stuck != nil {
			t.Fatalf("at %v: a deadlock of %v", at, stuck)
		}
		if n.Pauses(n.port(t, "switch0", "switch1"), at).Paused != 0 && n.Pauses(n.port(t, "switch1", "switch2"), at).Paused != 0 {
			paused++
		}
	}
	if paused < 10 {
		t.Errorf("both links of the chain were paused %d times", paused)
	}
	if total, _ := n.Totals(); total.Delivered != 2000 {
		t.Errorf("%d frames were delivered", total.Delivered)
	}
}

// With a watchdog, the ring of TestDeadlockOfRing gets going again: some frames are dropped, or sent against the pause, and nothing is stuck
// in the end.
func TestWatchdogBreaksRing(t *testing.T) {
	const switches = 5
	g := ring(switches)
	for _, forward := range []bool{false, true} {
		s := setup{Graph: g, Pause: fabric.PauseConfig{
			Classes: 1, Limits: safeLimits(g, fabric.PauseLimits{Off: 50_000, Gap: 10_000}),
			Watchdog: fabric.Watchdog{Detect: 50 * unit.Microsecond, Restore: 50 * unit.Microsecond, Forward: forward},
		}}
		for h := range int32(switches) {
			for i := range 2000 {
				s.Sends = append(s.Sends, send{Src: h, Dst: (h + 2) % switches, ID: uint32(switches*i) + uint32(h), Size: 1000})
			}
		}
		n := s.build(t)
		n.run(t, sim.Forever)
		if stuck := n.Deadlock(); stuck != nil {
			t.Errorf("forward %v: still a deadlock of %v", forward, stuck)
		}
		dropped := uint64(0)
		for id := range topo.PortID(2 * len(g.Links)) {
			dropped += n.Counters(id, unit.Second).Drops[fabric.Watchdogged]
		}
		total, _ := n.Totals()
		if total.Injected != total.Delivered+total.Dropped || total.Injected != 2000*switches {
			t.Errorf("forward %v: %+v", forward, total)
		}
		if forward != (dropped == 0) {
			t.Errorf("forward %v: the watchdog dropped %d frames", forward, dropped)
		}
	}
}

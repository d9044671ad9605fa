package fabric_test

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Two hosts send at line rate into one port, whose switch stays above its threshold. A pause holds for its quanta and no
// longer. Then a frame goes at once, comes to the switch after its time on the link and the propagation, and has the
// switch pause again, which takes 64 B and the propagation: that is the period of pauses, of which the quanta are paused.
// (Shorter ones expire while frames still come that were sent before the pause.)
func TestPausesExpire(t *testing.T) {
	const ns, delay, rate = unit.Nanosecond, unit.Microsecond, 100 * unit.Gbps
	g := graph(t, topo.Star{Hosts: 3, Rate: rate, Delay: delay, SwitchLatency: 0})
	var sends []send
	for i := range 4000 {
		sends = append(sends, send{Src: int32(i % 2), Dst: 2, ID: uint32(i), Size: 1000})
	}
	for _, queue := range []sim.QueueKind{sim.Calendar, sim.Swept} {
		for _, count := range []int{215, 250, 350, 400} {
			n := setup{Graph: g, Sends: sends, Queue: queue, Pause: fabric.PauseConfig{
				Classes: 1, Quanta: fabric.Quanta{Count: count},
				Limits: func(topo.PortID) fabric.PauseLimits {
					return fabric.PauseLimits{Off: 10_000, Gap: 5000, Headroom: unit.GiB}
				},
			}}.build(t)
			holds := sim.Time(count) * 5120 * unit.Picosecond
			period := holds + 80*ns + 2*delay + 5120*unit.Picosecond
			id, at := n.port(t, "host0", "tor0"), sim.Time(0)
			for n.Pauses(id, at).Heard[0] == 0 {
				at += ns
				n.run(t, at)
			}
			first := at - n.Pauses(id, at).Time[0]
			end := first + 20*period
			n.run(t, end)
			p := n.Pauses(id, end)
			if p.Heard[0] != 20 || p.Time[0] != 20*holds {
				t.Errorf("%d quanta: paused %d times, for %v in all, within %v; want 20 times %v", count, p.Heard[0], p.Time[0], end-first, holds)
			}
			if n.run(t, end+1); n.Pauses(id, end+1).Heard[0] != 21 {
				t.Errorf("%d quanta: not paused again after %v", count, period)
			}
			n.drain(t)
		}
	}
}

// A pause that is refreshed holds until it is taken back: all is as without quanta but for the number of
// pause frames, one more per refresh.
func TestPausesAreRefreshed(t *testing.T) {
	const rate, delay = 100 * unit.Gbps, unit.Microsecond
	g := graph(t, topo.Star{Hosts: 3, Rate: rate, Delay: delay, SwitchLatency: 0})
	for i := range g.Links {
		if g.Nodes[g.Links[i].A].Name == "host2" || g.Nodes[g.Links[i].B].Name == "host2" {
			g.Links[i].Rate = unit.Gbps
		}
	}
	var sends []send
	for i := range 400 {
		sends = append(sends, send{Src: 0, Dst: 2, ID: uint32(i), Size: 1000})
	}
	run := func(q fabric.Quanta, slow []fabric.SlowHost) (*network, []fabric.Pauses) {
		n := setup{Graph: g, Sends: sends, Pause: fabric.PauseConfig{
			Classes: 1, Quanta: q, Slow: slow, Limits: safeLimits(g, fabric.PauseLimits{Off: 50_000, Gap: 49_000}),
		}}.build(t)
		n.run(t, 200*unit.Microsecond)
		within := pausesOf(n, 200*unit.Microsecond)
		n.drain(t)
		return n, append(within, pausesOf(n, unit.Second)...)
	}
	for _, slow := range [][]fabric.SlowHost{nil, {{Host: 2, Rate: 200 * unit.Mbps, Off: 10_000, On: 1000}}} {
		plain, want := run(fabric.Quanta{}, slow)
		n, got := run(fabric.Quanta{Count: 1000, Refresh: 0.5}, slow)
		if diff := gocmp.Diff(plain.logs, n.logs); diff != "" {
			t.Errorf("what is received differs (-without +with quanta):\n%s", diff)
		}
		id := n.port(t, "host0", "tor0")
		// The first pause is not over yet. It was decided when its frame began on the way back.
		if p := want[id]; p.Heard[0] != 1 || p.Paused == 0 {
			t.Fatalf("the pause is over: %+v", p)
		}
		since := 200*unit.Microsecond - want[id].Time[0] - delay - rate.Transmit(64)
		if repeats := uint64((200*unit.Microsecond - since - 1) / (2560 * unit.Nanosecond)); got[id].Sent[0] != 1+repeats || repeats < 60 {
			t.Errorf("%d pause frames, want 1 and %d", got[id].Sent[0], repeats)
		}
		more := uint64(0)
		for i := range want {
			if got[i].Sent[0] < want[i].Sent[0] {
				t.Errorf("link %d: %d pause frames, and %d without quanta", i, got[i].Sent[0], want[i].Sent[0])
			}
			more += got[i].Sent[0] - want[i].Sent[0]
			got[i].Sent = want[i].Sent
		}
		if diff := gocmp.Diff(want, got); diff != "" || more == 0 {
			t.Errorf("(-without +with quanta, %d frames more):\n%s", more, diff)
		}
		if slow != nil {
			down := n.port(t, "tor0", "host2")
			if p := want[down]; p.Heard[0] == 0 {
				t.Errorf("the slow host paused nobody: %+v", p)
			}
		}
	}
}

// The ring that deadlocks moves on when pauses expire, and loses what finds no headroom. Refreshed pauses leave it locked.
func TestQuantaBreakDeadlock(t *testing.T) {
	const switches = 5
	for _, q := range []fabric.Quanta{{Count: 500}, {Count: 500, Refresh: 0.5}} {
		s := setup{Graph: ring(switches), Pause: fabric.PauseConfig{
			Classes: 1, Quanta: q, Limits: func(topo.PortID) fabric.PauseLimits {
				return fabric.PauseLimits{Off: 50_000, Gap: 10_000, Headroom: 100_000}
			},
		}}
		for h := range int32(switches) {
			for i := range 2000 {
				s.Sends = append(s.Sends, send{Src: h, Dst: (h + 2) % switches, ID: uint32(switches*i) + uint32(h), Size: 1000})
			}
		}
		n := s.build(t)
		locked := false
		for at := sim.Time(0); at < 2*unit.Millisecond; at += 100 * unit.Microsecond {
			n.run(t, at)
			locked = locked || n.Deadlock() != nil
		}
		n.run(t, sim.Forever)
		total, _ := n.Totals()
		if over := total.Injected == total.Delivered+total.Dropped; over == locked || locked != (q.Refresh > 0) || !locked && total.Dropped == 0 {
			t.Errorf("%+v: deadlock %v; %d of %d frames delivered, %d dropped", q, locked, total.Delivered, total.Injected, total.Dropped)
		}
	}
}

func TestNewRefusesQuanta(t *testing.T) {
	g := graph(t, topo.Star{Hosts: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	for want, q := range map[string]fabric.Quanta{
		"a pause holds for -1 quanta":              {Count: -1},
		"a pause holds for 65536 quanta":           {Count: 1 << 16},
		"a pause is refreshed after 1 of its time": {Count: 9, Refresh: 1},
	} {
		_, err := fabric.New(fabric.Config{
			Graph: g, Domain: make([]int32, len(g.Nodes)), Port: unlimited,
			Pause: fabric.PauseConfig{Classes: 1, Quanta: q, Limits: safeLimits(g, fabric.PauseLimits{Off: 1000})},
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

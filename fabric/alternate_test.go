package fabric_test

import (
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// detour sends frames that a queue refuses to another switch, as DIBS does (Zarifis et al.,
// EuroSys 2014), by a hash of the frame.
func detour(g *topo.Graph, limit int, asked func(times int)) *fabric.Alternate {
	towards := make([][]topo.PortID, len(g.Nodes))
	for id := range topo.PortID(2 * len(g.Links)) {
		if from, to := g.Ends(id); g.Nodes[from].Kind == topo.Switch && g.Nodes[to].Kind == topo.Switch {
			towards[from] = append(towards[from], id)
		}
	}
	return &fabric.Alternate{Limit: limit, Port: func(at topo.NodeID, refused topo.PortID, f *fabric.Frame, times int) (topo.PortID, bool) {
		asked(times)
		n := len(towards[at])
		if n == 0 {
			return 0, false
		}
		p := towards[at][int(sim.Mix(uint64(f.Message)<<8|uint64(times))%uint64(n))]
		return p, p != refused
	}}
}

// TestAlternate has three hosts send to one. Its port holds 4 frames, and what that refuses
// goes back up and comes again, as often as the limit lets it.
func TestAlternate(t *testing.T) {
	g := graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 3, Spines: 2, LinksPerSpine: 1, Rate: 8 * unit.Gbps, Delay: 100 * unit.Nanosecond})
	var sends []send
	for i := range uint32(24) {
		sends = append(sends, send{Src: int32(i % 3), Dst: 5, ID: i, Size: 1000, Entropy: uint16(i)})
	}
	port := func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: 4000} }
	lost := uint64(24)
	for _, limit := range []int{0, 1, 3, 7} {
		for _, queue := range []sim.QueueKind{sim.Calendar, sim.Swept} {
			var asked, most atomic.Int64
			s := setup{Graph: g, Sends: sends, Port: port, Queue: queue}
			if limit > 0 {
				s.Alternate = detour(g, limit, func(times int) {
					asked.Add(1)
					most.Store(max(most.Load(), int64(times)))
				})
			}
			n := s.build(t)
			n.drain(t)
			total, hops := n.Totals()
			switch {
			case limit == 0:
				lost = total.Dropped
				if lost == 0 || hops >= 24*4 {
					t.Fatalf("%d dropped after %d hops; the test needs drops", lost, hops)
				}
			case asked.Load() == 0 || most.Load() >= int64(limit):
				t.Errorf("limit %d: asked %d times, once after %d times", limit, asked.Load(), most.Load())
			case total.Dropped > lost, limit == fabric.MaxAlternates && total.Dropped >= lost:
				t.Errorf("limit %d: %d dropped, and %d without", limit, total.Dropped, lost)
			}
		}
	}
}

func TestAlternateChecks(t *testing.T) {
	g := graph(t, topo.Star{Hosts: 2, Rate: unit.Gbps})
	for _, limit := range []int{0, fabric.MaxAlternates + 1} {
		if _, err := fabric.New(fabric.Config{Graph: g, Domain: make([]int32, len(g.Nodes)), Alternate: &fabric.Alternate{Limit: limit}}); err == nil {
			t.Errorf("a limit of %d was accepted", limit)
		}
	}
}

// drawAlternate draws where scenes send what queues refuse.
func drawAlternate(t *rapid.T, g *topo.Graph) *fabric.Alternate {
	if !rapid.Bool().Draw(t, "alternate") {
		return nil
	}
	return detour(g, rapid.IntRange(1, fabric.MaxAlternates).Draw(t, "times"), func(int) {})
}

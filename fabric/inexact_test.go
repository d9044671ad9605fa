package fabric_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// drawHostJitter draws a jitter of hosts that may be none.
func drawHostJitter(t *rapid.T) sim.Time {
	return rapid.SampledFrom([]sim.Time{0, 0, 1, 20_000, 333_333, 3_000_000}).Draw(t, "host jitter")
}

// lateModel follows a network of one domain and works out when every frame goes on: after its delay and after the one
// before it.
type lateModel struct {
	t    rapid.TB
	n    *network
	from map[topo.PortID]sim.Time

	frames int
}

func (m *lateModel) Arrived(now sim.Time, link topo.PortID, id fabric.FrameID, late sim.Time) {
	d := m.n.Domains()[0]
	f := d.Frame(id)
	from, to := m.n.graph.Ends(link)
	out, in := m.n.graph.Nodes[from].Kind == topo.Host, m.n.graph.Nodes[to].Kind == topo.Host
	if !out && !in {
		if late != 0 {
			m.t.Fatalf("a frame is %v late between switches", late)
		}
		return
	}
	m.frames++
	ready := now - late
	want := max(ready+d.Late(link, f), m.from[link])
	if now != want {
		m.t.Fatalf("over %s a frame that is ready at %d goes on at %d, want %d", m.n.graph.PortName(link), ready, now, want)
	}
	if m.from[link] = now; !in {
		m.from[link]++
	}
}

func (m *lateModel) Queued(sim.Time, topo.PortID, fabric.FrameID)                 {}
func (m *lateModel) Sent(topo.PortID, fabric.FrameID, sim.Time, sim.Time)         {}
func (m *lateModel) Dropped(sim.Time, topo.PortID, fabric.FrameID, fabric.Reason) {}
func (m *lateModel) Paused(sim.Time, topo.PortID, uint8, bool)                    {}
func (m *lateModel) Trimmed(sim.Time, topo.PortID, fabric.FrameID)                {}

// TestHostJitterAgainstModel runs random scenes, and compares when frames go on after the wires of hosts with a model.
// TestScenes has the same in several domains and by other queues.
func TestHostJitterAgainstModel(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		s.Queue = sim.Calendar
		s.HostJitter = rapid.SampledFrom([]sim.Time{1, 100_000, 2_000_000, 4_000_000}).Draw(t, "host jitter")
		m := &lateModel{t: t, from: map[topo.PortID]sim.Time{}}
		s.Follow = m
		s.built = func(n *network) { m.n = n }
		followed, _ := s.play(t)
		s.Follow, s.Queue = nil, sim.Swept
		s.built = nil
		if got, _ := s.play(t); !gocmp.Equal(followed, got) {
			t.Fatalf("what is not followed differs (-followed +other):\n%s", gocmp.Diff(followed, got))
		}
		cover.note("scenes", true)
		cover.note("frames", m.frames > 0)
		cover.note("links that fail", slices.ContainsFunc(s.changes, func(c fault.Change) bool { return c.What == fault.Down }))
	})
	cover.report(t, 10)
}

// TestHostJitterDraws looks at the delays of many packets: they are spread evenly, differ by host and by seed, and
// those of neighbours have nothing to do with each other.
func TestHostJitterDraws(t *testing.T) {
	const total, most = 4000, 999
	g := slowStar(3)
	delays := func(seed uint64, vary func(i uint32, f *fabric.Frame)) []sim.Time {
		n := setup{Graph: g, Seed: seed, HostJitter: most}.build(t)
		d := n.Domains()[0]
		list := make([]sim.Time, total)
		for i := range list {
			f := fabric.Frame{Serial: 5, Kind: 1}
			f.Address(1, 2, 0)
			vary(uint32(i), &f)
			list[i] = d.Late(portOf(t, g, "tor0", fmt.Sprintf("host%d", f.Dst())), &f)
		}
		return list
	}
	ways := map[string]func(uint32, *fabric.Frame){
		"packets":         func(i uint32, f *fabric.Frame) { f.Seq = i },
		"messages":        func(i uint32, f *fabric.Frame) { f.Serial = i },
		"senders":         func(i uint32, f *fabric.Frame) { f.Address(int32(i), f.Dst(), 0) },
		"kinds":           func(i uint32, f *fabric.Frame) { f.Seq, f.Kind = i>>3, uint8(i&7) },
		"large numbers":   func(i uint32, f *fabric.Frame) { f.Seq = i << 20 },
		"packets by kind": func(i uint32, f *fabric.Frame) { f.Seq, f.Kind = i/2, uint8(i%2) },
	}
	for name, vary := range ways {
		list := delays(1, vary)
		counts, pairs := make([]float64, 10), make([]float64, 16)
		for i, u := range list {
			if u < 0 || u > most {
				t.Fatalf("%s: a delay of %d ps, which is not from 0 to %d", name, u, most)
			}
			counts[u/100]++
			if i > 0 {
				pairs[list[i-1]/250*4+u/250]++
			}
		}
		for what, c := range map[string][]float64{"delays": counts, "pairs of neighbours": pairs} {
			if off := chiSquare(c); math.Abs(off) > 4.5 {
				t.Errorf("%s: %s are spread as %v, %.1f standard deviations from evenly", name, what, c, off)
			}
		}
		if slices.Equal(list, delays(2, vary)) {
			t.Errorf("%s: seeds 1 and 2 draw alike", name)
		}
	}
	other := func(i uint32, f *fabric.Frame) { f.Seq = i; f.Address(f.Src(), 0, 0) }
	if slices.Equal(delays(1, ways["packets"]), delays(1, other)) {
		t.Error("two hosts draw alike")
	}
}

// arrivals notes when frames are at the far end of a link.
type arrivals struct {
	lateModel
	link  topo.PortID
	ready []sim.Time
}

func (a *arrivals) Arrived(now sim.Time, link topo.PortID, _ fabric.FrameID, late sim.Time) {
	if link == a.link {
		a.ready = append(a.ready, now-late)
	}
}

// TestHostJitterAndFailures has a link fail while frames are on its wire and on their way in at its host: those
// that had arrived are delivered.
func TestHostJitterAndFailures(t *testing.T) {
	g := slowStar(2)
	link := portOf(t, g, "tor0", "host1")
	s := setup{Graph: g, HostJitter: 5 * unit.Microsecond, Queue: sim.Calendar}
	for i := range uint32(20) {
		s.Sends = append(s.Sends, send{Src: 0, Dst: 1, ID: i, Size: 1000})
	}
	whole := &arrivals{link: link}
	s.Follow = whole
	s.build(t).drain(t)
	fails := whole.ready[9] + 1
	for _, kind := range []sim.QueueKind{sim.Calendar, sim.Swept} {
		s.Follow, s.Queue = nil, kind
		n := s.build(t)
		n.change(t, fault.Change{At: fails, Port: link, What: fault.Down})
		before := len(n.logs[1])
		n.drain(t)
		if len(n.logs[1]) != 10 || before == 10 {
			t.Errorf("%d frames are delivered, %d of them before the link fails; 10 of 20 had arrived then", len(n.logs[1]), before)
			continue
		}
		if at := n.logs[1][9].At; n.Quiet() < at {
			t.Errorf("the last frame is delivered at %v, and the network is quiet from %v on", at, n.Quiet())
		}
	}
}

package fabric_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// drawBuffer draws the shared buffer of scenes.
func drawBuffer(t *rapid.T) (c fabric.BufferConfig) {
	if !rapid.Bool().Draw(t, "shared buffer") {
		return c
	}
	c.Size = unit.Bytes(rapid.IntRange(5, 60).Draw(t, "buffer")) * unit.KiB
	c.Alpha = rapid.SampledFrom([]float64{0, 0.25, 0.5, 1, 2, 8}).Draw(t, "alpha")
	c.AtBegin = rapid.Bool().Draw(t, "freed at begin")
	return c
}

// poolOracle follows a network of one domain, and says of each frame that comes to a switch
// whether that has to take it. It forgets nothing and adds everything up each time.
type poolOracle struct {
	t       rapid.TB
	n       *network
	config  fabric.BufferConfig
	port    func(topo.PortID) fabric.PortConfig
	stays   []*frameStay
	at      map[fabric.FrameID]*frameStay // where each is expected to have been taken
	over    map[fabric.FrameID]topo.PortID
	now     sim.Time
	refused map[string]int
}

// frameStay is a frame at a port.
type frameStay struct {
	port, over     topo.PortID
	class          uint8
	size           unit.Bytes
	begin, departs sim.Time
	enters         sim.Time
	sent, refused  bool
}

func (o *poolOracle) Arrived(now sim.Time, link topo.PortID, id fabric.FrameID, _ sim.Time) {
	o.now = now
	o.over[id] = link
	delete(o.at, id)
}

func (o *poolOracle) switched(port topo.PortID) bool {
	from, _ := o.n.graph.Ends(port)
	return o.n.graph.Nodes[from].Kind == topo.Switch
}

// plain tells whether a port says that a frame came only by what becomes of it.
func (o *poolOracle) plain(port topo.PortID) bool {
	return o.port(port).Classes <= 1
}

// offer expects what becomes of a frame.
func (o *poolOracle) offer(port topo.PortID, id fabric.FrameID) {
	f := o.n.Domains()[0].Frame(id)
	config := o.port(port)
	s := &frameStay{port: port, over: o.over[id], class: min(f.Priority(), uint8(max(1, config.Classes)-1)), size: unit.Bytes(f.Size)}
	node, _ := o.n.graph.Ends(port)
	class, used := unit.Bytes(0), unit.Bytes(0)
	for _, other := range o.stays {
		gone := other.sent && other.departs <= o.now
		free := gone || o.config.AtBegin && other.sent && other.begin <= o.now
		at, _ := o.n.graph.Ends(other.port)
		if at == node && !free {
			used += other.size
		}
		if other.port == port && other.class == s.class && !gone {
			class += other.size
		}
	}
	size := o.config.Size
	switch {
	case class+s.size > config.Limit:
		o.refused["limit"]++
		return
	case used+s.size <= size && (o.config.Alpha == 0 || float64(class+s.size) <= math.Floor(o.config.Alpha*float64(size-used))):
	case used+s.size > size:
		o.refused["size"]++
		return
	default:
		o.refused["share"]++
		return
	}
	o.at[id] = s
	o.stays = append(o.stays, s)
}

func (o *poolOracle) Queued(_ sim.Time, port topo.PortID, id fabric.FrameID) {
	if o.switched(port) {
		o.offer(port, id)
	}
}

func (o *poolOracle) Sent(port topo.PortID, id fabric.FrameID, begin, departs sim.Time) {
	if !o.switched(port) {
		return
	}
	if o.plain(port) { // which tells only this
		o.offer(port, id)
	}
	s := o.at[id]
	if s == nil {
		o.t.Fatalf("at %v: %s took frame %d, which it has to refuse", o.now, o.n.graph.PortName(port), id)
	}
	s.begin, s.departs, s.sent = begin, departs, true
}

func (o *poolOracle) Dropped(_ sim.Time, port topo.PortID, id fabric.FrameID, why fabric.Reason) {
	if o.plain(port) {
		o.offer(port, id)
	}
	if why != fabric.QueueFull || o.at[id] != nil {
		o.t.Fatalf("at %v: %s refused frame %d (%v), which it has to take", o.now, o.n.graph.PortName(port), id, why)
	}
}

func (o *poolOracle) Trimmed(sim.Time, topo.PortID, fabric.FrameID) {}

func (o *poolOracle) Paused(sim.Time, topo.PortID, uint8, bool) {}

// TestSharedBufferAgainstModel compares every decision of switches that share buffers with
// that of a model.
func TestSharedBufferAgainstModel(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		s.changes, s.reroute = nil, nil
		s.Buffer = drawBuffer(t)
		if s.Buffer.Size == 0 {
			s.Buffer.Size = 20 * unit.KiB
		}
		var kinds [2]fabric.PortConfig
		for k := range kinds {
			kinds[k] = fabric.PortConfig{Limit: unit.Bytes(rapid.IntRange(9, 60).Draw(t, "limit")) * unit.KiB, Classes: rapid.IntRange(1, 3).Draw(t, "classes")}
		}
		s.Port = func(p topo.PortID) fabric.PortConfig { return kinds[p&1] }
		o := &poolOracle{
			t: t, config: s.Buffer, port: s.Port, refused: map[string]int{},
			at: map[fabric.FrameID]*frameStay{}, over: map[fabric.FrameID]topo.PortID{},
		}
		s.Follow = o
		s.built = func(n *network) { o.n = n }
		s.play(t)
		for why, n := range o.refused {
			seen[why] += n
		}
	})
	t.Log(seen)
	for _, why := range []string{"limit", "size", "share"} {
		if seen[why] == 0 {
			t.Errorf("nothing was refused by the %s", why)
		}
	}
}

// TestDynamicThreshold overloads some ports of a switch. Each then holds alpha times the
// buffer over 1 + alpha times their number (Choudhury and Hahne, ToN 1998, §III).
func TestDynamicThreshold(t *testing.T) {
	const frame, buffer = 1000, 400_000
	for _, classes := range []int{1, 2} {
		for _, ports := range []int{1, 2, 4} {
			for _, alpha := range []float64{0.5, 1, 2} {
				t.Run(fmt.Sprintf("%d classes, %d ports, alpha %v", classes, ports, alpha), func(t *testing.T) {
					var sends []send
					for to := range ports {
						for from := range 2 {
							for k := range 1000 {
								sends = append(sends, send{
									Src: int32(ports + 2*to + from), Dst: int32(to), ID: uint32(len(sends)), Size: frame,
									Class: uint8(classes - 1), At: sim.Time(k) * unit.Microsecond,
								})
							}
						}
					}
					g := graph(t, topo.Star{Hosts: 3 * ports, Rate: 8 * unit.Gbps, Delay: 100 * unit.Nanosecond})
					n := setup{
						Graph: g, Sends: sends, Buffer: fabric.BufferConfig{Size: buffer, Alpha: alpha},
						Port: func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: unit.GiB, Classes: classes} },
					}.build(t)
					var node topo.NodeID
					for g.Nodes[node].Kind != topo.Switch {
						node++
					}
					b := n.Buffer(node, unit.Microsecond, false)
					n.run(t, 900*unit.Microsecond)
					b.Open(900 * unit.Microsecond)
					n.run(t, unit.Millisecond)
					each := alpha * buffer / (1 + alpha*float64(ports))
					got := b.Close(unit.Millisecond)
					if want := each * float64(ports); math.Abs(float64(got.Mean)-want) > float64(2*frame*ports) {
						t.Errorf("the switch holds %d, want %.0f", got.Mean, want)
					}
					for to := range ports {
						id := portOf(t, g, g.Nodes[node].Name, g.Nodes[g.Hosts[to]].Name)
						if most := n.Counters(id, unit.Millisecond).QueueMax; math.Abs(float64(most)-each) > 2*frame {
							t.Errorf("a port held up to %d, want %.0f", most, each)
						}
					}
				})
			}
		}
	}
}

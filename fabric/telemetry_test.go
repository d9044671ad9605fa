package fabric_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// stampOracle follows a network of one domain and remembers when each frame was at each port. Afterwards it works
// out what every switch has to stamp on each frame.
type stampOracle struct {
	t      rapid.TB
	n      *network
	now    sim.Time
	over   map[fabric.FrameID]topo.PortID
	open   map[fabric.FrameID]*passage
	ports  map[topo.PortID][]*passage
	visits map[uint32][]visit // of each message
}

// passage is a frame at a port.
type passage struct {
	enters, begin, departs sim.Time
	size                   uint64
}

// visit is a frame at a switch: it came over a link, and left by a port.
type visit struct {
	at   sim.Time
	over topo.PortID
	out  *passage
	by   topo.PortID
}

func (o *stampOracle) Arrived(now sim.Time, link topo.PortID, id fabric.FrameID, _ sim.Time) {
	o.now = now
	o.over[id] = link
}

func (o *stampOracle) Queued(now sim.Time, port topo.PortID, id fabric.FrameID) {
	f := o.n.Domains()[0].Frame(id)
	p := &passage{enters: now, begin: sim.Forever, departs: sim.Forever}
	o.open[id] = p
	o.ports[port] = append(o.ports[port], p)
	if from, _ := o.n.graph.Ends(port); o.n.graph.Nodes[from].Kind == topo.Switch {
		o.visits[f.Message] = append(o.visits[f.Message], visit{now, o.over[id], p, port})
	}
}

func (o *stampOracle) Sent(port topo.PortID, id fabric.FrameID, begin, departs sim.Time) {
	from, _ := o.n.graph.Ends(port)
	if o.n.graph.Nodes[from].Kind != topo.Switch {
		return
	}
	p := o.open[id]
	p.begin, p.departs, p.size = begin, departs, uint64(o.n.Domains()[0].Frame(id).Size)
}

func (o *stampOracle) Dropped(sim.Time, topo.PortID, fabric.FrameID, fabric.Reason) {
	o.t.Fatal("a frame was dropped")
}
func (o *stampOracle) Trimmed(sim.Time, topo.PortID, fabric.FrameID) {}
func (o *stampOracle) Paused(sim.Time, topo.PortID, uint8, bool)     {}

// state returns what waits at a port, without the frame in service, and what it has sent.
func (o *stampOracle) state(port topo.PortID, at sim.Time, whole bool) (queue, sent uint64) {
	for _, p := range o.ports[port] {
		switch {
		case p.enters > at:
		case p.begin >= at && !(whole && p.begin == at):
			queue += p.size
		case p.departs <= at:
			sent += p.size
		case !whole:
			sent += p.size * uint64(at-p.begin) / uint64(p.departs-p.begin)
		}
	}
	return queue, sent
}

// tied tells whether something else happens at a port at an instant, before or after by rank.
func (o *stampOracle) tied(port topo.PortID, at sim.Time, of *passage) bool {
	return slices.ContainsFunc(o.ports[port], func(p *passage) bool { return p != of && (p.enters == at || p.begin == at) })
}

// TestStampsAgainstModel compares the stamps of all frames with those that a model works out from what every frame
// did: at begin of transmission for frames stamped forward, at arrival for those stamped backward.
func TestStampsAgainstModel(t *testing.T) {
	forward, backward := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		s.changes, s.reroute, s.stops = nil, nil, nil
		s.Jitter = fabric.Jitter{Delay: 777 * unit.Nanosecond} // so that hardly anything happens at once
		drawPauses(t, s)
		s.Pause.Limits = safeLimits(s.Graph, s.Pause.Limits(0))
		s.Buffer, s.Pause.Watchdog = fabric.BufferConfig{}, fabric.Watchdog{}
		if s.Pause.Of == fabric.OfSwitch || s.Pause.Limits(0).Off == 0 {
			s.Pause = fabric.PauseConfig{}
		}
		s.Telemetry.On = true
		s.Telemetry.Refresh = rapid.SampledFrom([]sim.Time{0, 0, 100 * unit.Nanosecond, 3 * unit.Microsecond}).Draw(t, "refresh")
		for i := range s.Sends {
			s.Sends[i].Track = []packet.Flags{packet.Forward, packet.Backward}[i%2]
		}
		o := &stampOracle{
			t: t, over: map[fabric.FrameID]topo.PortID{}, open: map[fabric.FrameID]*passage{},
			ports: map[topo.PortID][]*passage{}, visits: map[uint32][]visit{},
		}
		s.Follow = o
		s.built = func(n *network) { o.n = n }
		outcome, _ := s.play(t)
		for _, log := range outcome.Logs {
			for _, d := range log {
				var want []protocol.Stamp
				tied := false
				for _, v := range o.visits[d.ID] {
					port, at, ahead := v.by, v.out.begin, true
					if d.ID%2 == 1 {
						port, at, ahead = v.over^1, v.at, false
						if every := s.Telemetry.Refresh; every > 0 {
							at -= at % every
						}
						backward++
					} else {
						forward++
					}
					tied = tied || o.tied(port, at, v.out)
					queue, sent := o.state(port, at, ahead)
					want = append(want, protocol.Stamp{At: at, Queue: unit.Bytes(queue), Sent: unit.Bytes(sent), Rate: o.n.graph.Links[port.Link()].Rate})
				}
				var path uint32
				got := d.Stamps
				if _, err := fmt.Sscan(got, &path); err != nil {
					t.Fatal(err)
				}
				if text := fmt.Sprint(path, want[:min(len(want), protocol.MostStamps)]); text != got && !tied {
					t.Fatalf("frame %d: stamps\n%s\nwant\n%s", d.ID, got, text)
				}
				size := s.Sends[slices.IndexFunc(s.Sends, func(x send) bool { return x.ID == d.ID })].Size
				if d.ID%2 == 1 {
					size += uint16(8 * len(want))
				}
				if d.Size != size {
					t.Fatalf("frame %d arrived with %d B, want %d", d.ID, d.Size, size)
				}
			}
		}
	})
	if forward == 0 || backward == 0 {
		t.Errorf("%d stamps forward, %d backward", forward, backward)
	}
}

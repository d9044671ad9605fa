package transport

import (
	"strings"
	"testing"

	"weft/fabric"
	"weft/protocol"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// onlooker is a watcher that checks what it is told.
type onlooker struct {
	t       *testing.T
	state   State
	message uint64
	started int
	pulled  int
	blocked map[Blocked]int
	gaveUp  int
	replies int
	sent    map[fabric.FrameID]bool // on its way
	way     int                     // frames that the fabric told of
}

func (o *onlooker) Started(_ sim.Time, m Started) bool {
	o.started++
	o.message = m.Message
	return m.Src == 0
}

func (o *onlooker) Pulled(now sim.Time, host int32, s Sight) {
	o.sent[s.ID] = true
	if host != 0 || s.Kind != DataFrame {
		return
	}
	o.pulled++
	if o.state.Blocked != NotBlocked {
		o.t.Errorf("at %v packet %d is sent, and the connection was blocked by %d", now, s.Seq, o.state.Blocked)
	}
}

func (o *onlooker) Received(now sim.Time, _ int32, s Sight) {
	if !o.sent[s.ID] {
		o.t.Errorf("at %v frame %d arrives that nobody sent", now, s.ID)
	}
	delete(o.sent, s.ID)
}

func (o *onlooker) Replied(now sim.Time, host int32, s Sight, timed bool) {
	if s.Kind != AckFrame || host != 1 || s.Message != o.message || timed {
		o.t.Errorf("at %v host %d replies %+v, timed %v", now, host, s, timed)
	}
	o.replies++
}

func (o *onlooker) GaveUp(_ sim.Time, p PacketName, cause protocol.LossCause) {
	if p.Message != o.message || cause != protocol.Timeout {
		o.t.Errorf("message %d lost a packet because of %d", p.Message, cause)
	}
	o.gaveUp++
}

func (o *onlooker) Delivered(sim.Time, uint64) { o.t.Error("no host has a transport of its own") }

func (o *onlooker) State(_ sim.Time, s State) {
	o.state = s
	o.blocked[s.Blocked]++
}

func (o *onlooker) Sent(topo.PortID, fabric.FrameID, sim.Time, sim.Time)    { o.way++ }
func (o *onlooker) Arrived(sim.Time, topo.PortID, fabric.FrameID, sim.Time) {}
func (o *onlooker) Dropped(_ sim.Time, _ topo.PortID, id fabric.FrameID, _ fabric.Reason) {
	delete(o.sent, id)
}
func (o *onlooker) Trimmed(sim.Time, topo.PortID, fabric.FrameID) {}

func (o *onlooker) Paused(sim.Time, topo.PortID, uint8, bool) {}

func (o *onlooker) Queued(sim.Time, topo.PortID, fabric.FrameID) {}

// TestWatcher watches a connection whose window changes at random, sometimes to
// less than a packet, over a port that drops: it is told of every frame, and knows
// at any time whether the connection may send. The run is the same without it.
func TestWatcher(t *testing.T) {
	g := graph(t, topo.Dumbbell{Left: 1, Right: 1, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, BottleneckRate: ptr(25 * unit.Gbps)})
	run := func(o *onlooker, domains int) ([]Message, error) {
		tables, err := route.Minimal(g, route.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := params(0)
		p.Congestion.New = func(env protocol.Env) protocol.Congestion { return wandering(env) }
		p.RTO, p.ReorderLimit = 20*unit.Microsecond, 9
		p.Env = protocol.Env{Payload: payload}
		c := Config{Seed: 5, MeasureTo: sim.Forever, HostName: func(h int32) string { return g.Nodes[g.Hosts[h]].Name }}
		c.Groups = []Group{{Params: p, Sources: from(0, 2, message1(300*payload))}}
		f := fabric.Config{
			Graph: g, Tables: tables, Domain: make([]int32, len(g.Nodes)), Seed: 5,
			Port: func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: 5 * (payload + header)} },
		}
		f.Domain[g.Hosts[0]] = int32(domains - 1)
		if o != nil {
			c.Watch, f.Follow = o, o
		}
		tr := New(c, len(g.Hosts), domains)
		f.Endpoint = tr.Attach
		n, err := fabric.New(f)
		if err != nil {
			return nil, err
		}
		n.Run(unit.Second, 1)
		if err := n.Check(); err != nil {
			t.Fatal(err)
		}
		return collect(tr), nil
	}
	o := &onlooker{t: t, blocked: map[Blocked]int{}, sent: map[fabric.FrameID]bool{}}
	watched, err := run(o, 1)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := run(nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(watched) != 1 || len(alone) != 1 || watched[0] != alone[0] {
		t.Errorf("watched %+v, alone %+v", watched, alone)
	}
	m := &watched[0]
	if o.started != 1 || o.pulled != int(m.Packets+m.Retransmits) || o.gaveUp != int(m.Timeouts) || o.gaveUp == 0 || o.replies == 0 || o.way == 0 || len(o.sent) != 0 {
		t.Errorf("%+v of %+v", o, m)
	}
	for _, b := range []Blocked{NotBlocked, NothingToSend, ByWindow, ByReorderLimit} {
		if o.blocked[b] == 0 {
			t.Errorf("state %d was never seen: %v", b, o.blocked)
		}
	}
	if _, err := run(o, 2); err == nil || !strings.Contains(err.Error(), "one domain") {
		t.Errorf("following in two domains: %v", err)
	}
}

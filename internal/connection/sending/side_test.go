package sending

import (
	"slices"
	"testing"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// deaf is a carrier that does nothing.
type deaf struct{}

func (deaf) SetTimer(int32, unit.Time)                  {}
func (deaf) Delivered(unit.Time, int32, end.Delivery)   {}
func (deaf) Completed(unit.Time, int32, end.Completion) {}

// open is a window without end.
type open struct{ at unit.Time }

func (open) Start(unit.Time)        {}
func (open) Acked(*protocol.Ack)    {}
func (open) Lost(*protocol.Loss)    {}
func (open) Window() unit.Bytes     { return unit.GB }
func (o *open) Deadline() unit.Time { return o.at }
func (o *open) Expire(unit.Time)    { o.at = unit.Forever }

// prober is a chooser that notes echoes.
type echoed struct{ echoes []uint16 }

func (*echoed) Start(unit.Time)       {}
func (*echoed) Resume(unit.Time)      {}
func (*echoed) Next(unit.Time) uint16 { return 0 }
func (*echoed) Acked(*protocol.Ack)   {}
func (*echoed) Lost(*protocol.Loss)   {}
func (*echoed) Probe(unit.Time) (uint16, bool, unit.Time) {
	return 0, false, unit.Forever
}
func (e *echoed) Probed(_ unit.Time, entropy uint16, _ bool) { e.echoes = append(e.echoes, entropy) }

// side returns the sending side of a host, among so many.
func side(hosts int, control protocol.Congestion, chooser protocol.Entropy) *Side {
	g := end.Group{Params: end.Params{Payload: 1000, Header: 50, AckSize: 50, RTO: unit.Millisecond}}
	g.Congestion.New = func(protocol.Env) protocol.Congestion { return control }
	g.Balancer.New = func(protocol.Env) protocol.Entropy { return chooser }
	local := make([]end.Host, 1)
	return New(Config{
		Site: end.Site{
			Store: &packet.Store{}, Network: &end.Network{Groups: []end.Group{g}, Names: make([]uint64, hosts)},
			Hosts: local, Carrier: deaf{}, Counts: &end.Counts{},
		},
		Stride: 1,
	})
}

// TestEchoesOfEarlierConnections: echoes of a connection that ended are not told to the next one that uses its memory.
func TestEchoesOfEarlierConnections(t *testing.T) {
	chooser := &echoed{}
	s := side(2, &open{at: unit.Forever}, chooser)
	c := s.newConnection(0)
	s.open(0, 0, c, end.Pair{Peer: 1}, 7)
	before := c.prober.life
	s.open(0, 0, c, end.Pair{Peer: 1}, 8)
	c.active = 1
	echo := func(life uint32) {
		id := s.Store.Alloc()
		*s.Store.At(id) = packet.Packet{Message: c.prober.slot, Serial: life, Kind: end.Echo, Entropy: 9}
		s.Echo(0, id)
	}
	if echo(before); len(chooser.echoes) != 0 {
		t.Error("an echo of an earlier connection was told")
	}
	if echo(c.prober.life); !slices.Equal(chooser.echoes, []uint16{9}) {
		t.Errorf("echoes %v, want 9", chooser.echoes)
	}
}

// TestAlarmsAreTakenOver: a connection takes over the alarm of one that ended, so that there are no more than
// connections at a time.
func TestAlarmsAreTakenOver(t *testing.T) {
	s := side(2, &open{at: unit.Second}, &echoed{})
	for i := range 100 {
		now := unit.Time(i) * unit.Microsecond
		s.Start(now, 0, &Message{Dst: 1, Size: 1000, Ordinal: uint64(i)})
		id, _, ok := s.Next(now, 0)
		if !ok {
			t.Fatalf("message %d sends nothing", i)
		}
		p := s.Store.At(id)
		p.TurnBack()
		p.Kind, p.Aux = end.Ack, 1
		s.Ack(now+1, 0, id)
	}
	if a := s.hosts[0].alarms; len(a.list) != 1 || len(a.free) != 1 {
		t.Errorf("%d alarms, of which %d are free, after messages one by one", len(a.list), len(a.free))
	}
	if waits := len(s.hosts[0].Agenda); waits > 2 {
		t.Errorf("%d deadlines wait", waits)
	}
}

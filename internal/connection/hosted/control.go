package hosted

import (
	"fmt"
	"math"
	"math/rand/v2"

	"weft/internal/connection/end"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/unit"
)

const (
	// leastRTO is above what processes usually wait for a processor.
	leastRTO = 5 * unit.Millisecond
	// leastTrips is how many round trips of an unloaded network a timeout is at least. A queue may grow to some of them before a
	// connection has seen one, and what waits in it is not lost.
	leastTrips = 8
	// late is how late timers may be for paces to last: as long as what carriers make good for.
	late = 2 * unit.Millisecond
	// ackEvery is how many packets an acknowledgement reports, where nothing needs one for each.
	ackEvery = 4
	// duplicates is after how many later packets one is taken for lost where packets keep to one path (RFC 6675).
	duplicates = 3
	// silence is after how many round trips a probe follows a packet that nothing was heard of. It is more than in the
	// simulator, since a host may be busy for as long as a round trip.
	silence = 2
	// mostPackets is how many packets a message can have, which carriers see to.
	mostPackets = 1<<31 - 1
)

// Groups of traffic at a host.
const (
	short = iota
	long
	groups
)

// Control returns the transport of a host that is connections with a control and a balancer, which the
// connections use for all that they send. Both hosts need the same. It fails if either needs what a host cannot give.
func Control(c protocol.CongestionControl, b protocol.Balancer) (protocol.CongestionControl, error) {
	if err := CheckControl(&c); err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("the control: %w", err)
	}
	if err := CheckBalancer(&b, c.Provides()); err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("the balancer: %w", err)
	}
	return protocol.CongestionControl{
		NewHost:  func(env protocol.HostEnv) protocol.HostTransport { return newHost(c, b, env) },
		Settings: c.Settings,
		Needs:    c.Needs,
		Host:     protocol.HostTraits{Fullest: fullest()},
	}, nil
}

// fullest is a data packet with all that one says.
func fullest() protocol.Packet {
	return protocol.Packet{Wire: math.MaxUint16, Tag: math.MaxUint64, Message: math.MaxUint32, Number: mostNumbers - 1, Size: math.MaxInt64, Offset: math.MaxInt64}
}

// CheckControl tells why connections at a host cannot have a control, by what that says itself, as "it" goes on.
func CheckControl(c *protocol.CongestionControl) error {
	switch {
	case c.New == nil:
		return fmt.Errorf("it is no control of connections")
	case c.Controller.On():
		return fmt.Errorf("it has switches compute rates, which a host cannot make them do")
	}
	if why := Lacking(c.Needs.Must); why != "" {
		return fmt.Errorf("it %s", why)
	}
	if c.NewReceiver != nil {
		return fmt.Errorf("it has receivers grant credit, which connections have in the simulator only")
	}
	return nil
}

// CheckBalancer tells why a host cannot have a balancer, with a transport that provides so much.
func CheckBalancer(b *protocol.Balancer, provided protocol.Need) error {
	switch {
	case b.New == nil:
		return fmt.Errorf("it chooses nothing")
	case b.Spray.Way != protocol.ByHash:
		return fmt.Errorf("it leaves the choice of paths to switches, which a host cannot make them do")
	case b.Subflows > 1:
		return fmt.Errorf("it divides messages into subflows, which connections do in the simulator only")
	}
	if _, ok := b.New(protocol.Env{Rand: rand.NewPCG(1, 1), BDPPackets: 1, BDP: 1, Packet: 1, Payload: 1}).(protocol.PathChooser); ok {
		return fmt.Errorf("it chooses among explicit paths, of which a host knows none")
	}
	if why := Lacking(b.Requires().Must &^ (provided | b.Provides())); why != "" {
		return fmt.Errorf("it %s", why)
	}
	return nil
}

// given is what a carrier over sockets has: marks, as far as the path leaves them, and the hope for deep queues.
const given = protocol.Marks | protocol.DeepQueues | protocol.OneLayer

// Lacking says how a host is without something that a part needs, as "it" goes on; empty if there is all.
func Lacking(must protocol.Need) string {
	for _, l := range [...]struct {
		need protocol.Need
		why  string
	}{
		{protocol.Trimming, "needs switches that trim packets, which a host cannot make them do"},
		{protocol.Telemetry, "needs switches that stamp packets with what their queues hold, which a host cannot make them do"},
		{protocol.Credits, "needs switches that limit credits, which a host cannot make them do"},
		{protocol.Symmetric, "needs data to retrace the path of what it answers, which a host cannot see to"},
		{protocol.Pauses, "needs switches that pause in place of dropping, which a host cannot make them do"},
		{protocol.SharedBuffer, "needs a buffer that ports of switches share, of which a host knows nothing"},
		{protocol.OnePath, "needs a balancer that keeps to one path"},
		{protocol.AckClock, "needs acknowledgements that clock packets out, which the transport does not send"},
		{protocol.PacketAcks, "needs an acknowledgement for each packet, which the transport does not send"},
		{protocol.PathEchoes, "needs to hear of the packets that arrived, which the transport does not tell"},
		{protocol.Connections, "needs connections, which the transport has none of"},
	} {
		if must&l.need != 0 {
			return l.why
		}
	}
	if must &^= given; must != 0 {
		return fmt.Sprintf("needs what no host has (%#x)", uint32(must))
	}
	return ""
}

// Params returns how connections at a host are.
func Params(c protocol.CongestionControl, b protocol.Balancer, env *protocol.HostEnv) end.Params {
	if !b.Oblivious {
		c.PromptMarks = true // each mark is of a path
	}
	rto := max(leastTrips*env.BaseRTT, leastRTO)
	p := end.Params{
		Payload: env.Payload, Header: env.Header, AckSize: env.Control, PerPair: true,
		AckEvery: ackEvery, AckDelay: max(1, env.BaseRTT/2), AckBitmap: true, Unmarked: !b.Oblivious,
		RTO: rto, Adaptive: true, Congestion: c, Balancer: b,
		Env: protocol.Env{
			Payload: env.Payload, Packet: env.Packet, BDP: env.BDP, BDPPackets: int((env.BDP-1)/env.Packet) + 1,
			BaseRTT: env.BaseRTT, RTO: rto, LineRate: env.LineRate,
		},
	}
	if (c.Needs.Must | b.Needs.Must).Has(protocol.PacketAcks) {
		p.AckEvery = 1
	}
	// Packets from one source port keep to one path, on which they stay in order.
	p.Recovery = end.Recovery{Kind: end.Order, Silence: silence, Paths: env.Paths}
	if b.InOrder() {
		p.Recovery = end.Recovery{Kind: end.SACK, Duplicates: duplicates}
	}
	return p
}

// Acknowledgements have room for the entropies of all that they report.
const _ = uint(reliable.MaxEntropies - ackEvery)

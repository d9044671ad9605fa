package hosted

import (
	"fmt"
	"math"

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
	if err := checkConnections(&c); err != nil {
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

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
	// leastRTO is the least timeout. It exceeds the time that a process usually waits for a
	// processor.
	leastRTO = 5 * unit.Millisecond
	// leastTrips is the least timeout in round trips of an unloaded network. A queue may grow to
	// several round trips before a connection has measured one, and packets waiting in it are not
	// lost.
	leastTrips = 8
	// late is how late timers may be without slowing paced packets down. Carriers compensate the
	// same delay.
	late = 2 * unit.Millisecond
	// ackEvery is how many packets an acknowledgement reports, unless the control or the balancer
	// needs one per packet.
	ackEvery = 4
	// duplicates is the number of later packets after which a packet counts as lost, if packets
	// keep to one path (RFC 6675).
	duplicates = 3
	// silence is the number of round trips after which a probe follows an unanswered packet. It
	// is more than in the simulator because a host may be busy for a round trip.
	silence = 2
	// mostPackets is the largest number of packets in a message. Carriers enforce it.
	mostPackets = 1<<31 - 1
)

// Groups of traffic at a host: messages up to a BDP, and longer ones.
const (
	short = iota
	long
	groups
)

// Control returns a host transport made of connections. They use the given congestion control and
// balancer for everything they send, and both hosts must use the same. Control fails if either
// needs something that a host cannot provide.
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

// fullest is a data packet whose fields all have their largest value. Its encoding is the
// longest.
func fullest() protocol.Packet {
	return protocol.Packet{Wire: math.MaxUint16, Tag: math.MaxUint64, Message: math.MaxUint32, Number: mostNumbers - 1, Size: math.MaxInt64, Offset: math.MaxInt64}
}

// Params returns the parameters of connections at a host.
func Params(c protocol.CongestionControl, b protocol.Balancer, env *protocol.HostEnv) end.Params {
	if !b.Oblivious {
		c.PromptMarks = true // each mark belongs to a path
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
	// Packets from one source port keep to one path and stay in order on it.
	p.Recovery = end.Recovery{Kind: end.Order, Silence: silence, Paths: env.Paths}
	if b.InOrder() {
		p.Recovery = end.Recovery{Kind: end.SACK, Duplicates: duplicates}
	}
	return p
}

// An acknowledgement has room for the entropies of all packets that it reports.
const _ = uint(reliable.MaxEntropies - ackEvery)

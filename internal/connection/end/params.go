package end

import (
	"weft/protocol"
	"weft/unit"
)

// Params describes the transport of a group of traffic.
type Params struct {
	// Payload is the largest payload of a packet. Header is the size of a data frame without its
	// payload.
	Payload, Header unit.Bytes
	// AckSize is the size of an acknowledgement frame.
	AckSize unit.Bytes
	// AckEvery is the number of packets that one acknowledgement reports. An acknowledgement is
	// sent earlier in these cases: the message is complete; the sender waits for the
	// acknowledgement; the packet arrived before; the packet is marked and the congestion control
	// wants marks at once; one bitmap would not cover the pending packets; or AckDelay has
	// passed.
	AckEvery int
	// AckDelay limits how long a packet waits for an acknowledgement that reports several; 0 is
	// no limit. It covers senders whose window shrinks meanwhile, which may not have asked for an
	// acknowledgement.
	AckDelay unit.Time
	// Unmarked makes a coalesced acknowledgement return the entropies of all unmarked packets
	// that it reports, at most reliable.MaxEntropies. Otherwise it returns the entropy of the
	// packet that triggered it.
	Unmarked bool
	// AckBitmap makes every acknowledgement carry a bitmap of the reliable.SelectiveBits packets
	// from the first missing one on, so that it replaces lost acknowledgements.
	AckBitmap bool
	// RTO is the retransmission timeout, counted from when a packet leaves for the wire.
	RTO unit.Time
	// TimedFromQueue counts timeouts from when packets enter the NIC's queue (NICQueue).
	TimedFromQueue bool
	// Adaptive makes timeouts follow the connection's round-trip times, with RTO as their minimum
	// (reliable.Patience).
	Adaptive bool
	// LeastRTO is the minimum of an adaptive timeout if it exceeds RTO. FirstRTO is its length
	// until the first acknowledgement.
	LeastRTO, FirstRTO unit.Time
	// Recovery says how lost packets are detected and sent again.
	Recovery Recovery
	// ConnectionTimer gives each connection one adaptive timer, whose minimum is RTO. When it
	// expires, all packets in flight count as lost (reliable.Timer).
	ConnectionTimer bool
	// Nagle holds back the last packet of a message, if it is not full, while anything of its
	// connection is in flight (RFC 896).
	Nagle bool
	// PerPair keeps one connection per pair of hosts, instead of one per message.
	PerPair bool
	// Pool, if not 0, is the number of connections per pair of hosts. A message takes the idle
	// connection that was released last. If none is idle, messages wait in order. A connection is
	// released when its message is fully acknowledged.
	Pool int
	// Turns assigns messages to the pool's connections round-robin, even to busy ones, where they
	// queue. Every message then restarts its connection's window if the control is a
	// protocol.Restarter.
	Turns bool
	// Reply is the number of bytes added to the acknowledgement that completes a message, as if
	// it carried a response.
	Reply unit.Bytes
	// ReorderLimit is how many packets the newest may be ahead of the oldest unacknowledged
	// packet; 0 is no limit.
	ReorderLimit uint32
	// Short is the largest message whose packets switches may deflect; 0 is none.
	Short unit.Bytes
	// Class and AckClass are the priority classes of data and acknowledgements.
	Class, AckClass uint8
	// Ahead is by how many classes retransmissions precede Class. It is at most Class.
	Ahead uint8
	// Spray is the index of the balancer's spraying method in the network's table of them.
	// transport.Sprays sets it.
	Spray uint8

	Congestion protocol.CongestionControl
	Balancer   protocol.Balancer
	// Env is passed to the control and the balancer of each connection, with a random stream of
	// its own.
	Env protocol.Env
}

// CountPackets returns the number of packets of a message.
func (p *Params) CountPackets(size unit.Bytes) uint32 {
	return uint32(max(1, (size+p.Payload-1)/p.Payload))
}

// Coalesces reports whether acknowledgements report several packets together, or carry a bitmap.
func (p *Params) Coalesces() bool { return p.AckEvery > 1 || p.AckBitmap }

// RecoveryKind is a method to detect and repair losses.
type RecoveryKind uint8

// Kinds of recovery. In each of them, a message has packet numbers of its own.
const (
	// Selective resends packets that timed out or whose trimmed header arrived.
	Selective RecoveryKind = iota
	// GoBackN is the recovery of RoCE NICs. The receiver drops packets after a missing one and
	// asks for that. The sender goes back to it and resends it and everything after it.
	GoBackN
	// IRN is the recovery of Mittal et al., SIGCOMM 2018. The receiver reports every packet that
	// comes after a missing one, and the sender resends only the missing ones.
	IRN
	// SACK is TCP's recovery (RFC 6675): the sender resends a packet that enough later packets
	// have overtaken.
	SACK
	// Order resends packets that the order of packets on a path, or else a probe, shows to be
	// lost (reliable.Order). It requires AckBitmap.
	Order
)

// ReportsGaps reports whether a receiver acknowledges at once each packet that comes after a
// missing one.
func (k RecoveryKind) ReportsGaps() bool { return k == IRN || k == SACK }

// Recovery is a kind of recovery with its options.
type Recovery struct {
	Kind RecoveryKind
	// Again is, for GoBackN, how long a receiver waits before it asks for the same packet again.
	Again unit.Time
	// Duplicates is, for SACK, how many later packets must be acknowledged before a packet counts
	// as missing.
	Duplicates uint32
	// Tolerance is, for IRN, how many packets may overtake another one before it counts as
	// missing.
	Tolerance uint32
	// High is the timeout for IRN while more than Few packets of a message are in flight.
	// Otherwise the timeout is Params.RTO, which must not be longer.
	High unit.Time
	Few  uint32
	// Silence is, for Order, the time after which a probe follows an unanswered packet, in round
	// trips.
	Silence unit.Ratio
	// Paths is, for Order, how many paths entropies select from (reliable.Order); 0 is one per
	// entropy.
	Paths uint16
}

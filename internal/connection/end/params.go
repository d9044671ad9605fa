package end

import (
	"weft/protocol"
	"weft/unit"
)

// Params describes the transport of a group of traffic.
type Params struct {
	// Payload is the largest payload of a packet; Header is what a data frame
	// has beside it.
	Payload, Header unit.Bytes
	// AckSize is the size of acknowledgement frames.
	AckSize unit.Bytes
	// AckEvery is how many packets one acknowledgement reports. It is sent earlier when the message is complete, when the sender says that it must
	// wait for it, for a packet that arrived before, for a marked one if the
	// congestion control asks for that, when one bitmap would not cover what is
	// pending, and after AckDelay.
	AckEvery int
	// AckDelay is how long a packet waits at most for an acknowledgement that reports several, 0 for no limit: a
	// sender whose window shrinks meanwhile may not have asked.
	AckDelay unit.Time
	// Unmarked makes a coalesced acknowledgement return the entropies of all
	// unmarked packets that it reports, at most reliable.MaxEntropies, instead
	// of that of the packet that triggered it.
	Unmarked bool
	// AckBitmap makes every acknowledgement carry a bitmap of the
	// reliable.SelectiveBits packets from the first that is missed, so that one
	// acknowledgement makes good for those before it that were lost.
	AckBitmap bool
	// RTO is the time after which a packet that is not acknowledged is taken for lost, from when it leaves for the wire.
	RTO unit.Time
	// TimedFromQueue begins timeouts where packets enter the queue of the NIC (NICQueue) instead.
	TimedFromQueue bool
	// Adaptive makes RTO the least of a timeout that follows the connection's round trips (reliable.Patience).
	Adaptive bool
	// LeastRTO is the least of a timeout that follows, if that is longer than RTO, and FirstRTO its length until something was heard.
	LeastRTO, FirstRTO unit.Time
	// Recovery is how losses are made good for.
	Recovery Recovery
	// ConnectionTimer makes it the least timeout of a connection's one timer, which gives up all in flight (reliable.Timer).
	ConnectionTimer bool
	// Nagle holds the last packet of a message back, if it is not full, while anything of
	// its connection is in flight (RFC 896).
	Nagle bool
	// PerPair keeps one connection from each host to each other one, instead of one per message.
	PerPair bool
	// Pool, if not 0, is how many connections there are from each host to each other
	// one. A message takes the one that was freed last, waits for one if none is free,
	// first come first served, and frees it when all of it is acknowledged.
	Pool int
	// Turns makes messages take the connections of the pool in turn instead, busy ones too, behind the messages that
	// these carry already. Every message restarts its connection's window then, if its control is a protocol.Restarter.
	Turns bool
	// Reply is how many bytes longer the acknowledgement is that completes a message,
	// as if an answer to it went with it.
	Reply unit.Bytes
	// ReorderLimit is how many packets the newest may be ahead of the oldest one not acknowledged; 0 sets no limit.
	ReorderLimit uint32
	// Short is the largest message that switches may deflect; 0 is none.
	Short unit.Bytes
	// Class and AckClass are the priority classes of data and acknowledgements.
	Class, AckClass uint8
	// Ahead is how many classes before Class retransmissions travel, at most Class.
	Ahead uint8
	// Spray is the number of the balancer's way to spray in the network's table of them; transport.Sprays sets it.
	Spray uint8

	Congestion protocol.CongestionControl
	Balancer   protocol.Balancer
	// Env is handed to the cores of each connection, with a stream of its own.
	Env protocol.Env
}

// CountPackets returns how many packets a message of a size has.
func (p *Params) CountPackets(size unit.Bytes) uint32 {
	return uint32(max(1, (size+p.Payload-1)/p.Payload))
}

// Coalesces tells whether acknowledgements report packets together, or with a bitmap.
func (p *Params) Coalesces() bool { return p.AckEvery > 1 || p.AckBitmap }

// RecoveryKind is how losses are made good for.
type RecoveryKind uint8

// Kinds of recovery. Message has its own sequence of packets in each.
const (
	// Selective sends again what is known to be lost: by timeouts, or trimmed headers.
	Selective RecoveryKind = iota
	// GoBackN is that of RoCE NICs. The receiver drops what comes after a missing packet,
	// and asks for that. The sender goes back to it, and sends all after it again.
	GoBackN
	// IRN is that of Mittal et al., SIGCOMM 2018. The receiver reports every packet that
	// comes after a missing one, and the sender sends the missing ones again.
	IRN
	// SACK is TCP's (RFC 6675): the sender sends again what enough later packets have
	// overtaken.
	SACK
	// Order sends again what the order of packets on a path, or else a probe, shows to be lost (reliable.Order). It goes
	// with AckBitmap.
	Order
)

// ReportsGaps tells whether a receiver reports at once what comes after a missing packet.
func (k RecoveryKind) ReportsGaps() bool { return k == IRN || k == SACK }

// Recovery is a kind of recovery with its options.
type Recovery struct {
	Kind RecoveryKind
	// Again is, with GoBackN, how long after it asked for a packet a receiver asks for it
	// again.
	Again unit.Time
	// Duplicates is, with SACK, how many later packets are acknowledged before a packet counts as
	// missing.
	Duplicates uint32
	// Tolerance is, with IRN, how many packets may overtake another before that counts as
	// missing.
	Tolerance uint32
	// High is the timeout of IRN while more than Few packets of a message are in flight;
	// otherwise it is Params.RTO, which must not be longer.
	High unit.Time
	Few  uint32
	// Silence is, with Order, after how many round trips a probe follows a packet of which nothing was heard.
	Silence unit.Ratio
	// Paths is, with Order, how many paths entropies choose among (reliable.Order); 0 is one for each entropy.
	Paths uint16
}

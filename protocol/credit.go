package protocol

import (
	"math/rand/v2"

	"weft/problem"
	"weft/unit"
)

// This file has the promise between the two ends of a receiver-driven transport
// of connections (EQDS, NDP): the receiving host grants credit,
// and the sender of a connection spends it.
//
// Credit is counted in wire bytes, headers included, and in totals since the
// connection began, modulo 2³²: a grant that is lost is made good by the next
// one, and one that comes late or twice does no harm.

// Credited is a congestion control whose sender sends what its receiver granted
// to it. A packet may go while Credit is positive, whatever its size, and if the
// window has room for it.
type Credited interface {
	Congestion
	// Resume tells that the connection was idle (all was acknowledged) and is
	// about to send again.
	Resume(now unit.Time)
	// Sent tells that a data frame of the given wire size was handed to the network.
	Sent(now unit.Time, wire unit.Bytes)
	// Granted tells that a grant arrived. It returns by how much the total grew.
	Granted(now unit.Time, g *Grant) unit.Bytes
	// Credit is what may be sent now; it is negative after a packet that was
	// larger than what was left.
	Credit() unit.Bytes
	// Ask returns what the next frame to the receiver says, which goes at once.
	// Backlog is what the connection has yet to send or to send again.
	Ask(backlog unit.Bytes) Ask
	// MustAsk tells that the sender would wait for ever: it has no credit, and its
	// receiver does not know that it needs any. A request goes at once then.
	MustAsk(backlog unit.Bytes) bool
	// Balance is for checks: what was sent so far, what was granted, and what could
	// be sent without a grant. The first is never above the sum of the others by a
	// packet or more.
	Balance() (sent, granted, unsolicited unit.Bytes)
}

// Ask is what a sender tells its receiver in the header of every data frame, and
// in a request, a frame of its own.
type Ask struct {
	// Target is the total credit that the sender would be content with, less the
	// packets that were reported to it as trimmed: the receiver adds those that it
	// reported, when it reports them.
	Target uint32
	// Granted is the total that reached the sender.
	Granted uint32
}

// Arrival is a frame of a sender that reached its receiver.
type Arrival struct {
	Now unit.Time
	// Peer is the connection, as numbered by Open.
	Peer int32
	// Wire is the frame's size before it was trimmed; 0 of a request.
	Wire unit.Bytes
	// Trimmed tells that only the header of a packet came that is still missed.
	Trimmed bool
	// Overdue tells that the sender waited for credit in vain for a retransmission
	// timeout: grants above Ask.Granted were lost.
	Overdue bool
	// Marked tells that it met congestion.
	Marked bool
	Ask    Ask
}

// Grant is what a receiver sends to a peer.
type Grant struct {
	Peer int32
	// Total is what was granted to the connection so far.
	Total uint32
	// New is what of it is granted for the first time, Again what was granted
	// before in grants that were lost. They are for checks.
	New, Again unit.Bytes
}

// HostEnv is what the receiving side of a host, or the transport of a host as a
// whole, knows when it is made.
type HostEnv struct {
	// Rand is the host's own stream for this purpose.
	Rand *rand.PCG
	// LineRate is the rate of the host's link.
	LineRate unit.Rate
	// Packet, BDP and BaseRTT are those of Env.
	Packet, BDP unit.Bytes
	BaseRTT     unit.Time
	// Tenants, for an Answerer, tells who is whose; nil without any.
	Tenants Tenants
	// Convergence, for an Answerer, is told how long senders take to take notice of others; nil if nobody asks.
	Convergence Convergence

	// What follows is for a HostTransport only.

	// Host is the host's own number, Hosts how many there are.
	Host, Hosts int32
	// Payload is the largest payload of a packet, Header what a packet with payload has
	// beside it, and Control the size of one without.
	Payload, Header, Control unit.Bytes
	// Class and ControlClass are the priority classes that the scenario asks for; Classes
	// is how many the ports have.
	Class, ControlClass uint8
	Classes             int
	// Queue is the limit of a switch's queue; 0 if there is none, as where pauses keep the
	// transport's classes from losses.
	Queue unit.Bytes
	// Credits is the class of credits that ports have, if any.
	Credits CreditClass
	// Largest is the largest message that peers may send: what is about a larger one is not heeded. 0 is no limit, as
	// where all peers are trusted.
	Largest unit.Bytes
	// Echo has the groups whose balancers learn from echoes, so that the entropy and mark of
	// each of their data packets should come back to its sender (Packet.EchoOf).
	Echo GroupSet
	// Paths is how many source ports stand for entropies, which are divided by it to choose one. 0 is where each entropy
	// is its own, as in the simulator.
	Paths uint16
	// Out is where events are reported.
	Out *HostOutput
}

// CheckWait fails if a wait for an answer, that of the option of that name, may end before the
// answer can come: it must be at least 4 base round-trip times. The error names a bound that
// one can type, which is rounded up.
func (e *HostEnv) CheckWait(option string, wait unit.Time) error {
	least := 4 * e.BaseRTT
	if wait >= least {
		return nil
	}
	return problem.At(option, "%s is %v, but an answer can take as long", option, wait).Mend("it must be at least 4 base round-trip times, %v", least.RoundUp(unit.Microsecond))
}

// CheckControl fails if packets without payload are larger than full ones.
func (e *HostEnv) CheckControl() error {
	if e.Control <= e.Packet {
		return nil
	}
	return problem.New("control frames of %v are larger than full data frames of %v", e.Control, e.Packet).Mend("make ack.size smaller").Due("ack.size")
}

// Receiver is the receiving side of a host: it serves all connections to the host
// and decides who is granted how much, and when. Like all pieces it is given the
// time; it allocates only when there are more peers than ever before.
type Receiver interface {
	// Open begins a connection and returns its number, which is that of one that
	// was closed if there is any.
	Open(now unit.Time) (peer int32)
	// Close ends a connection to which nothing needs to be granted any more.
	Close(now unit.Time, peer int32)
	// Arrived tells that a frame arrived. Calls of Next follow.
	Arrived(a *Arrival)
	// Next fills the next grant that is due; the transport sends it. It returns
	// false if none is due.
	Next(now unit.Time, g *Grant) bool
	// Deadline returns when the next grant is due, or false if none will be
	// before another frame arrives.
	Deadline() (unit.Time, bool)
}

// CreditCounts counts credits that are packets of their own (ExpressPass).
type CreditCounts struct {
	// Issued is how many receivers made: Refused found the queue of their own NIC full,
	// and Sent left it.
	Issued, Refused, Sent uint64
	// Received reached their senders: Used brought a packet of data, Wasted none, for want
	// of any to send.
	Received, Used, Wasted uint64
}

// Add adds the counts of another host.
func (c *CreditCounts) Add(o CreditCounts) {
	c.Issued += o.Issued
	c.Refused += o.Refused
	c.Sent += o.Sent
	c.Received += o.Received
	c.Used += o.Used
	c.Wasted += o.Wasted
}

// Deferrer is a HostTransport that does not ask to be woken for deadlines of which nobody
// would notice anything yet, as of credits that find the queue of the NIC full. It catches up
// by itself with what was due before the time of a call. A carrier that has an order among the
// events of an instant tells it first whether its turn at that instant has passed.
type Deferrer interface {
	// CatchUp does what was due before now, and if passed is true what is due now, too.
	CatchUp(now unit.Time, passed bool)
}

// CreditCounter is a HostTransport whose credits can be counted.
type CreditCounter interface {
	CreditCounts() CreditCounts
}

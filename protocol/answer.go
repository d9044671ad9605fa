package protocol

import "weft/unit"

// This file has what a receiver may say to the sender's congestion control in
// acknowledgements (a notification of congestion, a rate, a count, an echo), and what a host
// keeps about a receiver for all connections to it.

// Answer is what an acknowledgement carries for the congestion control, in words whose meaning
// is the control's own. They are numbers that do not depend on memory.
type Answer [2]uint64

// Answerer is the receiving end of a congestion control at a host: it hears of the data
// frames that arrive and says what their acknowledgements carry. One serves all connections
// of a group of traffic to the host, and those of other groups too whose control has deeply
// equal CongestionControl.Receivers, if that is not nil. It allocates only when there are
// more connections, or hosts that send, than ever before.
type Answerer interface {
	// Open begins a connection from a host and returns its number, which is that of one that
	// was closed if there is any. It is called for the first frame that arrives. The subflows
	// of two hosts that keep connections for pairs count as one connection. The tenant is whose
	// traffic it carries, from 0; all is of one where nothing tells tenants apart.
	Open(now unit.Time, src int32, tenant uint8) (peer int32)
	// Close ends a connection that carried one message, which arrived in full and was answered.
	// Connections of pairs of hosts stay open.
	Close(now unit.Time, peer int32)
	// Heard tells that a data frame arrived, before Answer is called for its
	// acknowledgement. It is not told of copies that come when all of a message had arrived.
	Heard(h *Heard)
	// Answer returns what an acknowledgement that is made now carries, or false if that is
	// nothing. The acknowledgement may report several frames, or a copy of one, and it may be
	// lost. It is not asked for NACKs, which go-back-N sends and which report trimmed packets; nor
	// for acknowledgements that answer a trimmed packet which had arrived before; nor for those of a
	// message that are repeated after all of it arrived.
	Answer(now unit.Time, peer int32) (Answer, bool)
}

// Heard is a data frame that reached its receiver.
type Heard struct {
	Now unit.Time
	// Peer is the connection, as numbered by Open.
	Peer int32
	// Wire is the frame's size as it arrived.
	Wire unit.Bytes
	// Marked tells that it met congestion (ECN CE), Trimmed that only its header came, and Again
	// that the packet had arrived before, or is dropped since an earlier one is missing (go-back-N).
	Marked, Trimmed, Again bool
	// Begins tells that it is the first frame of its message, or of a part of one that is divided,
	// that arrived, Ends that all of that has arrived with it. Either is told once.
	Begins, Ends bool
	// Message orders the messages of a connection: what its sender began later has a larger number, modulo 2^32. The parts of a
	// divided one have the same.
	Message uint32
	// Backlog tells, with Ends, that others came to the connection after this message, before it was sent to its end
	// (CongestionControl.Backlog). If none of them has begun to arrive, they wait at the sender or are under way.
	Backlog bool
	// Kept is set by a receiving end that keeps the mark from the sender's control. It is counted,
	// and changes nothing else: the acknowledgement has the mark, and balancers that look at marks
	// see it.
	Kept bool
	// Confirms is what the sender's bundle said when the packet left (Confirmer); false if it is none.
	Confirms bool
	// Incast, if not nil, is what the first packet of the message says of others that come with
	// it, for a control with ListBytes. It is not to be kept.
	Incast *Incast
}

// Withdrawer is an [Answerer] that is told of messages that will not arrive in full, because their senders took them back. It is
// told of those of connections that pairs of hosts keep; others close.
type Withdrawer interface {
	Answerer
	Withdrawn(now unit.Time, m Withdrawn)
}

// Withdrawn is a message that its sender took back.
type Withdrawn struct {
	// Peer is the connection, and Message as in [Heard].
	Peer    int32
	Message uint32
	// Begun tells that something of it arrived, so that Heard said that it begins. Receiving ends of controls without
	// CongestionControl.Backlog are told of no other.
	Begun bool
	// Backlog tells that others waited on the connection then, of which nothing had been sent.
	Backlog bool
}

// Advertiser is an [Answerer] that tells hosts their share before it hears of them, for controls with
// CongestionControl.Advertise. The carrier sends what it says to the bundles of these hosts ([Advised]).
type Advertiser interface {
	Answerer
	// Advise fills in the next advice to send, or returns false if there is none. It is called after Heard until it returns
	// false. An advice may be lost.
	Advise(now unit.Time, a *Advice) bool
}

// Advice is what a receiver tells a host that has not begun to send to it.
type Advice struct {
	Host   int32
	Answer Answer
}

// Incast is messages that an application sends to one receiver together, and knows of before.
type Incast struct {
	// ID names it among those of a tenant to the receiver.
	ID uint64
	// Senders are the hosts that have a message each.
	Senders []int32
}

// Tenants tells whose traffic hosts send.
type Tenants interface {
	// Has tells whether a host sends traffic of a tenant.
	Has(tenant uint8, host int32) bool
}

// Convergence is told of a sender that has taken notice of another one that came: when the first packet of the other one came, and
// when the first packet of the sender that shows it did.
type Convergence interface {
	Add(since, now unit.Time)
}

// MostListed is the most senders that a list can name.
const MostListed = 36

// Bundle is what the connections of a host to another one have in common at the sending end: a
// pace that they keep together, each beside its own. One serves the groups of traffic of a tenant
// whose CongestionControl.Receivers are deeply equal and not nil. Whoever sends a frame has all
// wait as [Pace] says, and then they send in turn.
type Bundle interface {
	// Start tells that a message begins while none of the bundle is under way.
	Start(now unit.Time)
	// Answered tells what an acknowledgement of any of the connections carried, before their
	// control is told.
	Answered(now unit.Time, a Answer)
	// Pace returns the common pace, which has a Rate. It is asked after each of these calls.
	Pace() Pace
}

// Advised is a [Bundle] that may hear of its share before a message begins.
type Advised interface {
	Bundle
	// Advised tells what the receiver advertised, and whether a message of the bundle is under way by now. Pace is asked after
	// it as after the other calls.
	Advised(now unit.Time, a Answer, underWay bool)
}

// Confirmer is a [Bundle] that tells the receiving end what it heard last, by a bit that all data packets of its connections
// carry (Heard.Confirms). So a receiver learns when a sender has taken notice of an answer.
type Confirmer interface {
	Bundle
	// Confirms returns the bit. It is asked after each call of Answered, and false before the first.
	Confirms() bool
}

package protocol

import (
	"iter"

	"weft/unit"
)

// This file has the promise of transports of a host as a whole: SIRD, Homa, dcPIM,
// pHost, ExpressPass. Such a transport owns all messages of its host, those that
// it sends and those that it receives. It orders them, decides which packet the NIC
// takes next, and grants what others may send to it.
//
// Whoever runs one (a simulated host, or an endpoint over UDP) is called its carrier.
// It calls the methods one at a time with a clock that never runs backwards, carries
// packets, and reads the output after every call. The simulator's carrier checks what it is
// told as far as that costs next to nothing, and ends the run at what breaks the rules below.

// HostTransport is the transport of one host, sender and receiver in one. After it was
// made it allocates for messages and peers at most, never for packets.
type HostTransport interface {
	// Submit hands over a message to send.
	Submit(now unit.Time, m *HostMessage)
	// Receive takes a packet that arrived, and returns how much of its payload had not
	// arrived before, which is 0 of a packet without any. It may change the packet, and does
	// not keep it.
	Receive(now unit.Time, p *Packet) (fresh unit.Bytes)
	// Next fills the next packet to send, now that the wire is free, and returns false
	// if there is none now. The packet is zero when it is called. Control packets and
	// data leave in the order that the transport chooses.
	Next(now unit.Time, p *Packet) bool
	// Ready returns from when on Next may yield a packet if nothing happens before;
	// false if it will not. A time that has passed means at once. It is asked after
	// every call, so it must cost little; it may name a time too early, which costs a
	// vain call of Next, but none too late.
	Ready() (unit.Time, bool)
	// Deadline returns when Expire is to be called: for what waits for an answer that
	// may be lost, for the begin of a phase. It is false if the host waits for nothing,
	// as when all its messages are done: a run ends when nothing is left to happen, so
	// hosts with a common clock reckon their epochs from time 0 and sleep between
	// messages. It may be early, and Expire then does nothing, but once Expire was called at a
	// time it must be later than that.
	Deadline() (unit.Time, bool)
	// Expire tells that the deadline has come. It may come early.
	Expire(now unit.Time)
	// Check tells what is wrong with the host's books, for tests and at the end of runs.
	Check() error
}

// HostMessage is a message to send.
type HostMessage struct {
	// Peer is the receiver.
	Peer int32
	// Group is the group of traffic, or tenant, that the message belongs to.
	Group uint8
	// Tag is the caller's name for the message. All packets that carry payload of it or
	// announce it have this tag, all bits of it, and so do the reports of its end.
	Tag uint64
	// Bytes is its payload, at least 1.
	Bytes unit.Bytes
}

// Is tells whether a host's message to a peer, of a group and with a tag, is this one.
func (m *HostMessage) Is(peer int32, group uint8, tag uint64) bool {
	return m.Peer == peer && m.Group == group && m.Tag == tag
}

// GroupSet is a set of groups of traffic, a bit for each.
type GroupSet uint32

// Has tells whether a group is in the set.
func (s GroupSet) Has(group uint8) bool { return s>>group&1 != 0 }

// Packet is what hosts send each other. Its fields are numbers with a meaning that does
// not depend on memory, so that a codec can write them into a datagram; a transport says
// which ones its kinds of packet use, and all others are 0.
type Packet struct {
	// Peer is the other host: whom a packet goes to, which is never oneself, or where one
	// comes from.
	Peer int32
	// Kind is the transport's own, below HostKinds. The carrier knows nothing of kinds:
	// data is what has payload.
	Kind uint8
	// Class is the priority class in which it travels, below HostEnv.Classes: 0 goes first.
	// It means nothing of a packet that arrived.
	Class uint8
	// Group is that of its message; of a packet about no message it is the one in whose
	// name it travels, such as that of a packet that it answers.
	Group uint8
	Flags PacketFlags
	// Entropy is what switches hash. The carrier chooses it for packets that are sent,
	// unless Pinned is set: of data by the balancer, of others at random. Of a packet that
	// arrived it is the one that it came with.
	Entropy uint16
	// Echo is, with the flag Echoes, the entropy of a data packet of the peer that arrived.
	Echo uint16

	// Message numbers the messages from one host to another, from 0 on, in the order in
	// which they were submitted. Whether a packet is about a message of its sender or of
	// its receiver follows from its kind.
	Message uint32
	// Tag is that of HostMessage. With payload it must be that of a message to the peer, of
	// the group, that was submitted and not yet reported as completed.
	Tag uint64
	// Size is the payload of the whole message.
	Size unit.Bytes
	// Offset is where the payload stands in the message, or what a kind makes of it.
	Offset unit.Bytes
	// Payload is the payload that the packet carries: at most HostEnv.Payload and what
	// HostTraits.Lighter saves of its kind. Of a trimmed packet it is what it carried before.
	Payload unit.Bytes
	// Wire is the size of the packet, headers included, as it is sent or arrived. One that
	// is sent with payload must have the payload and HostEnv.Header, less what
	// HostTraits.Lighter says of its kind; if that is below HostEnv.Control it may be filled up
	// to that. With HostTraits.Padded it must have HostEnv.Packet. Others have any size from 1
	// to 65535 B.
	Wire unit.Bytes
	// Amount is what is granted, asked for or given: a credit, a token, a window.
	Amount unit.Bytes

	// Number and Extra are for what else a kind of packet says: the number of a credit
	// that data echoes, an epoch, a round, a level of priority.
	Number, Extra uint32
	// SentAt is a time that the sender wrote, by its own clock, and that may be returned
	// to it as EchoAt.
	SentAt, EchoAt unit.Time
	// More, if not nil, is what else the packet says. It belongs to whoever filled the packet: a packet that is kept needs a
	// copy of it.
	More *More
}

// More is what a packet says that its fields have no room for, in bytes whose meaning is the transport's own: what a report
// lists, an answer in words.
type More struct {
	// Length is how many of Bytes are said, at least 1.
	Length uint8
	Bytes  [MostMore]byte
}

// MostMore is the most that a packet says beyond its fields.
const MostMore = 128

// Said returns the bytes.
func (m *More) Said() []byte { return m.Bytes[:m.Length] }

// HostKinds is the number of kinds of packet that a HostTransport may have.
const HostKinds = 16

// PacketFlags are bits of a packet.
type PacketFlags uint16

// Flags of a packet.
const (
	// Marked: it met congestion (ECN CE). The network sets it.
	Marked PacketFlags = 1 << iota
	// WasTrimmed: a switch cut its payload off.
	WasTrimmed
	// Pinned: the transport chose the entropy.
	Pinned
	// Echoes: Echo has the entropy of a data packet that arrived, which is reported to
	// the balancer that chose it. EchoMarked: that packet was marked.
	Echoes
	EchoMarked

	// Resent and Congested travel with every packet at no cost, as Pinned does; all others
	// may cost a view beside the simulated packet.

	// Resent: the payload was sent before.
	Resent
	// Congested: the sender has more to send than its uplink takes (sird.csn).
	Congested
	// Own1 to Own4 are the transport's own.
	Own1
	Own2
	Own3
	Own4
)

// EchoOf makes p return what the balancer of a data packet's sender may learn from.
func (p *Packet) EchoOf(entropy uint16, marked bool) {
	p.Echo = entropy
	p.Flags |= Echoes
	if marked {
		p.Flags |= EchoMarked
	}
}

// HostOutput is what a HostTransport reports to its carrier, which empties it after
// every call.
type HostOutput struct {
	Events []HostEvent
}

// HostEventKind tells what happened.
type HostEventKind uint8

// Kinds of event.
const (
	// MessageDelivered: the last byte of a message from Peer arrived, within the call of
	// Receive that reports it, once, with the tag of the packet that brought it.
	MessageDelivered HostEventKind = iota
	// MessageCompleted: a message to Peer needs nothing more from this host: its receiver
	// confirmed it, or as a transport without confirmation has it, all was sent (Unconfirmed).
	// It is reported once.
	MessageCompleted
	// PacketLost: a packet of a message to Peer that is not completed is taken for lost; the
	// balancer is told.
	PacketLost
	// MessageWithdrawn: a message from Peer that was not delivered never will be, since its sender cancelled it. Tag is
	// its number (Packet.Message). Only a Canceler reports it.
	MessageWithdrawn
)

// HostEvent is something that happened.
type HostEvent struct {
	Kind  HostEventKind
	Cause LossCause // of a loss
	Group uint8
	// Unconfirmed, of a message that is completed: all was sent, and nobody told that it came.
	Unconfirmed bool
	Peer        int32
	Tag         uint64
	// Bytes is the payload of the message, or the wire size of the lost packet.
	Bytes unit.Bytes
}

// Report adds an event.
func (o *HostOutput) Report(e HostEvent) { o.Events = append(o.Events, e) }

// CreditPlaces is where the credit of a host is, in wire bytes.
type CreditPlaces struct {
	// Limit is what the host may have outstanding as a receiver; Outstanding is what it has:
	// granted, not yet returned by data, and not taken back.
	Limit, Outstanding unit.Bytes
	// Held is what the host has as a sender: granted to it and not yet spent. Own is what it
	// gave itself, as for an unscheduled prefix, and has not yet spent.
	Held, Own unit.Bytes
}

// CreditKeeper is a HostTransport that can tell where its credit is.
type CreditKeeper interface {
	Credit() CreditPlaces
}

// RTTKeeper is a HostTransport that measures round trips of its packets.
type RTTKeeper interface {
	// RTTs yields the round-trip times so far, rounded as the transport likes, and how many packets had each. It is nil of
	// one that measures none. What it yields is good until the next call of the transport.
	RTTs() iter.Seq2[unit.Time, uint64]
}

// RTTsOf returns what a transport yields, nil if it is no RTTKeeper.
func RTTsOf(t HostTransport) iter.Seq2[unit.Time, uint64] {
	if k, ok := t.(RTTKeeper); ok {
		return k.RTTs()
	}
	return nil
}

// Permitter is a HostTransport that can tell whether a message may be sent, for whoever
// wants to know why it took its time.
type Permitter interface {
	// MaySend tells whether a packet with payload of a message that was submitted could
	// go now, if the wire were free and no other message came first.
	MaySend(now unit.Time, m *HostMessage) bool
}

// Canceler is a HostTransport whose messages can be taken back, as real hosts need it: who waited for one gave up.
type Canceler interface {
	// Cancel takes back a message that was submitted, and tells whether it was there: not reported as completed. Nothing
	// more is reported of it. The transport frees what it has of the message on both sides, as far as packets reach the
	// other one, and as soon as that is silent or forgotten in any case.
	Cancel(now unit.Time, m *HostMessage) bool
}

// Forgetter is a HostTransport whose peers come and go: a number that was forgotten may be that of another host later.
type Forgetter interface {
	// Forget ends all messages to and from a peer, which are reported no more, and all that the transport knows of it.
	// Packets of the peer that come later begin anew, so that carriers do not hand over those that the peer sent before.
	Forget(now unit.Time, peer int32)
}

// Setting is what an option comes to. Its value is a unit.Bytes, a unit.Time, a unit.Rate or a
// float64, of what its meaning says.
type Setting struct {
	Name    string
	Value   any
	Meaning string
}

// Silences is how many times Silence a message may stand still, where waits double: longer than
// five questions in a row that are lost take.
const Silences = 32

// HostTraits is what a HostTransport is like, for what carries it and what reports on it.
type HostTraits struct {
	// Lighter is how many bytes of header data packets of each kind do without.
	Lighter [HostKinds]uint8
	// Padded tells that packets with payload are all as large as full ones.
	Padded bool
	// Recovery is how long a message may stand still of which some packets and the questions
	// after them are lost, a few in a row; a run is not stuck before. 0 is Silences times Silence.
	Recovery unit.Time
	// Silence is the time without an answer after which a host asks for what is missing of a
	// message, and SilenceOption the option that a shorter one is written with. A long one is
	// worth a notice where frames are lost; 0 says nothing of it.
	Silence       unit.Time
	SilenceOption string
	// Groups is how many groups of traffic options tell apart, as by weights, or of a control of connections how many tenants. More than
	// there are is worth a notice, of a transport of hosts.
	Groups int
	// Fullest, if its Wire is not 0, is a packet with each field at its largest that packets with payload use, so that a carrier
	// knows how large their heads become. Size, Offset and Amount are less where messages are smaller. A transport that does
	// not say has no More with payload.
	Fullest Packet
	// MostControl is the largest packet without payload on the wire; 0 is that none is larger than HostEnv.Control or a full
	// packet.
	MostControl unit.Bytes
	// CommonClock tells that hosts act in epochs of a clock that all have in common.
	CommonClock bool
	// ControlClass tells that packets without payload may take HostEnv.ControlClass.
	ControlClass bool
	// PairBytes is the memory that a host takes for every other one from the start, as in tables by
	// host, and PeerBytes what it and a host that it sends to take together once it has: a run
	// that the machine does not hold is refused. 0 is DefaultPairBytes and
	// DefaultPeerBytes.
	PairBytes, PeerBytes int
}

// What a transport takes that does not say, as SIRD does: a pointer for each host that is sent
// to and each that sends, and what these point to.
const (
	DefaultPairBytes = 16
	DefaultPeerBytes = 480
)

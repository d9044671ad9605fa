// Package protocol states what the pure pieces of a transport promise each
// other: congestion controls and entropy choosers are state machines that are
// given the time and an input and change only themselves. They open no socket,
// read no clock, draw only from the stream they were handed, start no goroutine
// and allocate nothing after they were made. The same code serves the simulator
// and a real endpoint.
package protocol

import (
	"math/rand/v2"

	"weft/unit"
)

// Env is what a connection knows about its path when its pieces are made.
// The values do not change while the connection lives.
type Env struct {
	// Rand is the connection's own stream for this purpose. It is seeded anew
	// before each Start.
	Rand *rand.PCG
	// Payload is the largest payload of one packet.
	Payload unit.Bytes
	// Packet is the wire size of a full packet, headers included.
	Packet unit.Bytes
	// BDP is the bandwidth-delay product of the fabric, in wire bytes.
	BDP unit.Bytes
	// BDPPackets is BDP in full packets, rounded up; at least 1.
	BDPPackets int
	// BaseRTT is the unloaded round-trip time that BDP was computed with.
	BaseRTT unit.Time
	// RTO is the retransmission timeout.
	RTO unit.Time
	// Untimed tells that acknowledgements say no round-trip times, as what the transport
	// of a host echoes.
	Untimed bool
	// LineRate is the rate of the sending host's link, and PeerRate, for a Bundle, that of the
	// receiving host's.
	LineRate, PeerRate unit.Rate
	// Queue is the limit of a switch's queue; 0 if it is not known.
	Queue unit.Bytes
	// Trims tells that switches trim packets for which a queue has no room, in
	// place of dropping them.
	Trims bool
	// Layers is how many layers routes have: a packet takes that of its entropy modulo this
	// number. 0 and 1 are routes without layers.
	Layers int
}

// Ack is what a sender learns from one acknowledgement frame about one path.
type Ack struct {
	Now unit.Time
	// Entropy is the entropy value of the data packet that triggered the
	// acknowledgement, as echoed.
	Entropy uint16
	// Marked tells that the data packet arrived with a congestion mark (ECN CE).
	Marked bool
	// Packets counts the packets that this frame newly acknowledged; it is 0
	// for a duplicate.
	Packets int32
	// MarkedPackets is how many of the packets that this frame reports arrived
	// marked; with an acknowledgement a packet it is 1 if Marked and else 0.
	MarkedPackets int32
	// RTT is the round-trip time of the packet that triggered the
	// acknowledgement, or 0 if it was sent more than once.
	RTT unit.Time
	// Answer is what the receiving end of the control put into the acknowledgement, if
	// Answered is set.
	Answered bool
	Answer   Answer
	// Stamps are those of the switches on the path, for a control with Stamping.
	Stamps Stamps
	// Field is what the data packet that triggered the acknowledgement carried when it arrived, if
	// Fielded is set (Controller.Fields).
	Fielded bool
	Field   Field
	// InFlight is the payload in flight when this frame came, with what it newly acknowledges.
	InFlight unit.Bytes
	// Room is the payload that may be sent now that the congestion control has
	// taken notice of the acknowledgement; negative if more is in flight than the
	// window allows. Entropy choosers are told, congestion controls are not.
	Room unit.Bytes
	// Cut tells that the congestion control has made its window smaller for the acknowledgement. Entropy
	// choosers are told, congestion controls are not.
	Cut bool
}

// LossCause tells how a sender learned that a packet was lost.
type LossCause uint8

// Causes of loss.
const (
	// Timeout means no acknowledgement came within the retransmission timeout.
	Timeout LossCause = iota
	// Trimmed means the packet's trimmed header arrived and was reported.
	Trimmed
	// Missing means that the receiver reported packets that were sent after it. Of a
	// receiver that takes packets in order only, those that it dropped are sent again too,
	// but no loss is told of them.
	Missing
)

// Loss is what a sender learns about one lost packet.
type Loss struct {
	Now unit.Time
	// Entropy is that of the packet, unless Unplaced tells that it is not known: who
	// infers losses from silence, as transports of hosts do, keeps none.
	Entropy  uint16
	Unplaced bool
	Cause    LossCause
	// SentAt is when the lost copy was handed to the network.
	SentAt unit.Time
	// Wire is its size as a frame, before it was trimmed.
	Wire unit.Bytes
	// Silent tells of a timeout that nothing at all was acknowledged for its time, and
	// that all that was in flight is given up, each packet by a call of its own.
	Silent bool
	// Cut is that of Ack, for the loss.
	Cut bool
}

// Congestion is a congestion control. The sender may have Window bytes of
// payload outstanding, and at least one packet.
type Congestion interface {
	// Start resets the state for a new connection.
	Start(now unit.Time)
	// Acked is called once for each acknowledgement frame.
	Acked(a *Ack)
	// Lost is called once for each lost packet.
	Lost(l *Loss)
	// Window is the payload that may be in flight.
	Window() unit.Bytes
}

// Restarter is a [Congestion] that takes notice of a message that finds its
// connection idle, with nothing in flight, or, where messages take connections in turn, of
// any. It is not called for the first message of a connection, which follows Start.
type Restarter interface {
	Restart(now unit.Time)
}

// HopCounter is a [Congestion] that is told, after Start, how many switches the
// connection's packets pass.
type HopCounter interface {
	SetHops(switches int)
}

// Entropy chooses the entropy value of each data packet: the header bits that
// switches hash to choose among equal paths.
type Entropy interface {
	// Start resets the state for a new connection.
	Start(now unit.Time)
	// Resume tells that the connection was idle (nothing outstanding and
	// nothing to send) and is about to send again.
	Resume(now unit.Time)
	// Next returns the entropy of the data packet about to be sent.
	Next(now unit.Time) uint16
	// Acked is called once for each acknowledgement frame; with the variant
	// that returns all unmarked entropies, once for each of them.
	Acked(a *Ack)
	// Lost is called once for each lost packet, after the congestion control.
	Lost(l *Loss)
}

// Sibling is an [Entropy] that is told, after Start, which subflow of a message it serves (Balancer.Subflows): its
// number, from 0, and a random number that all subflows of the message are told alike.
type Sibling interface {
	SetSubflow(number int, shared uint64)
}

// Reactive is an [Entropy] that tells whether it ever did what Balancer.Reaction says, since it was made: Start changes
// nothing of it. It notes so where it does it, and is asked when a run is over.
type Reactive interface {
	Reacted() bool
}

// Path is an explicit path that a sender's packets can take.
type Path struct {
	// Entropy is one that takes it. Paths are told in the order of their entropies, which is that of their links where
	// routes are computed.
	Entropy uint16
	// Weight is how often it counts, at least 1.
	Weight int
	// Links is how many links between switches it has, and Delay how long light takes over them.
	Links int
	Delay unit.Time
}

// PathChooser is an [Entropy] that chooses among explicit paths: it is told of those to its destination after each Start, and
// anew when routes have changed, whereupon what it knew of the paths is void. There may be none. It is not called where
// routes are not explicit.
type PathChooser interface {
	SetPaths(paths []Path)
}

// Prober is an [Entropy] that tests paths with probes: small frames of a given
// entropy that carry no payload, are not sent again when lost, and are echoed by
// the receiver. A transport that cannot send them may leave them out; the chooser
// must then go on without.
type Prober interface {
	// Probe tells whether a probe is to be sent now, and with which entropy. It
	// is asked after each call of Lost, and when the time has come that it
	// returned last, which is Forever if only another loss calls for probes.
	Probe(now unit.Time) (entropy uint16, send bool, again unit.Time)
	// Probed is called when the echo of a probe came back, with the entropy that
	// the probe had and whether it arrived with a congestion mark. It is not
	// called for a probe that was sent before the last Start.
	Probed(now unit.Time, entropy uint16, marked bool)
}

// Balancer makes entropy choosers and tells the fabric how to treat their packets.
type Balancer struct {
	// Spray is how switches choose the next hop of these packets, and of their
	// acknowledgements. The zero value hashes.
	Spray Spray
	// Needs is what the balancer relies on. Of what follows from other fields (Oblivious,
	// Subflows) it says nothing.
	Needs Needs
	// Oblivious tells that choosers learn nothing from acknowledgements. Others rely on
	// PathEchoes, so that a transport of hosts sends some for them.
	Oblivious bool
	// OnePath tells that a chooser keeps to one entropy, so that a flow keeps to one path if
	// switches hash. A transport that needs Symmetric may then choose the path itself.
	OnePath bool
	// Entropies is how many different entropies a chooser uses, where an option of the balancer sets it; 0 elsewhere. A run on wire
	// reports where endpoints have fewer source ports.
	Entropies int
	// StateBits is the state that one connection keeps, as a NIC would count
	// it; 0 when it keeps none.
	StateBits int
	// Memory is what the lists of one chooser take in this program, where that depends on options and is not little.
	Memory unit.Bytes
	// SwitchBits is the state that one switch keeps for all connections; 0 when
	// it keeps none beyond its queues and tables of routes.
	SwitchBits int
	// Reserve is how long a connection keeps to paths that it knows after it took a loss
	// for a failure; 0 if failures change nothing or another thing ends that.
	Reserve unit.Time
	// Subflows, if above 1, divides every message into that many parts, at most
	// MaxSubflows, which are sent side by side, each over a connection of its own:
	// with its own window, entropy, acknowledgement and retransmission. A message of
	// fewer packets has as many parts as packets.
	Subflows int
	// Routes is how many layers or explicit paths of a pair it is for; with fewer it works, as Fewer says.
	Routes int
	Fewer  string
	// Run is how many data packets in a row have the entropy that was chosen for the first, up to MaxRun; 0 is 1. Carriers
	// see to it (Runs), so that choosers do not know.
	Run int
	// DivideBDP lets the congestion control of each of n subflows reckon with 1/n of
	// the bandwidth-delay product, so that together they have the windows of one.
	DivideBDP bool
	// New makes a chooser for one connection, or one subflow.
	New func(env Env) Entropy
	// Reaction is what choosers do that are Reactive, as "no connection" goes on: "changed its path after
	// marks". Runs in which none did say so; if ReactsBy is not empty, only where a scenario sets one of these
	// options.
	Reaction string
	ReactsBy []string
}

// MaxSubflows is the most parts that a message can be divided into.
const MaxSubflows = 16

// CongestionControl makes congestion controls.
type CongestionControl struct {
	// New makes the control of one connection.
	New func(env Env) Congestion
	// NewReceiver, if not nil, makes the receiving side of a host, of which there is
	// one for all traffic; New then makes controls that are Credited.
	NewReceiver func(env HostEnv) Receiver
	// NewAnswerer, if not nil, makes the receiving end at a host that says what
	// acknowledgements carry. It goes with New only.
	NewAnswerer func(env HostEnv) Answerer
	// AnswerBytes is how much longer on the wire an acknowledgement is for what it carries.
	AnswerBytes unit.Bytes
	// NewBundle, if not nil, makes what the connections of a host to another one share. It goes
	// with New.
	NewBundle func(env Env) Bundle
	// ListBytes, if not 0, has the first packet of a message list the senders of its incast, where
	// the traffic tells them, and is how much longer the packet is for each.
	ListBytes unit.Bytes
	// SourceMarks has hosts mark the data of the control (ECN) as a port of a switch would behind
	// which that waits which their NIC could not send yet.
	SourceMarks bool
	// Backlog has the last packet of a message say whether others wait behind it on its connection (Heard.Backlog), of
	// connections that pairs of hosts keep.
	Backlog bool
	// Advertise has receivers tell hosts their share before they begin, by packets of an acknowledgement's size and AnswerBytes:
	// NewAnswerer makes an Advertiser then, and NewBundle an Advised.
	Advertise bool
	// Receivers are all options that NewReceiver, NewAnswerer or NewHost depends on: groups of
	// traffic share the receiving side, or the transport, only if theirs are deeply equal. If it
	// is nil, all options count that the scenario gives, with their defaults, and answerers and bundles are
	// not shared.
	Receivers any
	// NewHost, if not nil, makes the transport of a host as a whole, which takes the
	// place of connections: New and NewReceiver are nil then. A host has one for all
	// traffic that asks for it, so that groups share it only if Receivers agree.
	NewHost func(env HostEnv) HostTransport
	// CheckHost, if not nil, tells what is wrong with the options in an environment, and
	// what is allowed but worth a warning. Its Rand and Out are nil.
	CheckHost func(env HostEnv) (warnings []string, err error)
	// Settings, if not nil, lists what options of a transport of hosts, or of a receiving end, come to in an
	// environment: what is absent, from the preset, amounts in bytes, and what is computed.
	Settings func(env HostEnv) []Setting
	// Stamping is how switches stamp for the control, and StampBytes how long one stamp is on the
	// wire: a data packet has room for MostStampBytes from its sender on, an acknowledgement grows
	// by StampBytes at each switch.
	Stamping                   Stamping
	StampBytes, MostStampBytes unit.Bytes
	// Controller is what the control has switches compute for their queues. It goes with New,
	// which makes controls that are Notified, or Fielders. Groups of traffic must have deeply equal Receivers,
	// or no controller, and one class.
	Controller Controller
	// Needs is what the control, or the transport of hosts, relies on.
	Needs Needs
	// Fixed tells that windows never change, whatever happens.
	Fixed bool
	// Setup is what its source has around it, which scenarios get that leave it open.
	Setup Setup
	// Host is what the transport of a host is like.
	Host HostTraits
	// Echoes tells that the transport of a host returns the entropy and mark of every data
	// packet if HostEnv.Echo asks for it. Without, balancers that learn are refused.
	Echoes bool
	// PromptMarks makes a receiver that coalesces acknowledgements send one at once for
	// a packet with a congestion mark, for controls that must hear of every mark.
	PromptMarks bool
}

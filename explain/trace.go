package explain

import "weft/unit"

// Never stands for a time that did not come, None for no port.
const (
	Never unit.Time = -1
	None  int32     = -1
)

// Trace holds the events of one message.
type Trace struct {
	// Start is when the message was handed to the transport. End is when its last
	// byte was delivered or, if it is unfinished, when the run ended.
	Start, End unit.Time
	Finished   bool
	// Last is the data packet whose delivery completed the message. For an unfinished message it
	// is the packet that it waits for: one that was sent, or one that is still to be sent at End.
	Last *Frame
	// Blocked is why the sender of an unfinished message may not send.
	Blocked Reason
	// Frames are all data packets, acknowledgements and reports of the message.
	Frames []*Frame
	// Wire lists what the wire of the sending host carried, Down the times when its
	// link was down, both in order.
	Wire []Busy
	Down []Span
	// Uplink is the port of the sending host.
	Uplink int32
	// Hosted reports that a host transport decided what was sent. It leaves the wire
	// idle only if nothing may be sent.
	Hosted bool
	// Pauses lists, per class of a port, the times when the far end of its link
	// paused the class, in order. AnyClass has the times when any class was paused.
	// Class is the class of the message's data.
	Pauses map[Paused][]Span
	Class  int8
}

// Paused identifies a class of a port.
type Paused struct {
	Port  int32
	Class int8
}

// AnyClass stands for all classes, and for an unknown class.
const AnyClass int8 = -1

// Span is the time from From up to To.
type Span struct{ From, To unit.Time }

// Busy is a time during which a wire carried a frame.
type Busy struct {
	Span
	// Own reports that the frame was a data packet of the message.
	Own bool
}

// FrameKind is the role of a frame.
type FrameKind uint8

// Kinds of frame.
const (
	Data FrameKind = iota
	Ack
	// Report reports to the sender that a packet arrived trimmed, or that one is missing.
	Report
	// Grant is a control packet by which a receiver lets others send: a credit, a
	// grant, a token, a pull, or another control packet of its transport.
	Grant
	// Request is a control packet of a sender to its receiver, for example to ask for credit.
	Request
)

// String returns the kind's name.
func (k FrameKind) String() string {
	return [...]string{"data", "ack", "report", "grant", "request"}[k]
}

// Frame is the journey of a frame from host to host.
type Frame struct {
	Kind FrameKind
	// Own reports that it belongs to the message rather than to another message of
	// the same connection.
	Own bool
	// Packet is the number of the data packet, or of the packet that the frame
	// answers. Copy counts transmissions from 1.
	Packet, Copy uint32
	Size         unit.Bytes
	Entropy      uint16
	// Class is the class in which it left its host, or AnyClass.
	Class int8
	// Sent is when the host's wire took it.
	Sent unit.Time
	Hops []Hop
	// Delivered is when it reached its host, even if only as a trimmed packet's header.
	Delivered unit.Time
	// LostAt is when it was lost, for the given reason, at port LostPort.
	LostAt   unit.Time
	LostPort int32
	Why      string
	// TrimmedAt is when it was trimmed to its header, at port TrimPort.
	TrimmedAt unit.Time
	TrimPort  int32
	// Marked reports that it arrived with a congestion mark.
	Marked bool
	// Deflected is how often switches deflected it.
	Deflected int

	// For data and requests: Opening is the event that let the connection send. Loss
	// is the loss that made it a retransmission, nil for a first copy.
	Opening *Opening
	Loss    *Loss

	// For acknowledgements, reports and grants: Trigger is the data packet that caused it. It
	// may be the request of a sender whose packets had all arrived, if acknowledgements were
	// lost. For a grant it is the latest packet of the message that the receiver had when it
	// sent the grant. Since is when Trigger arrived, Ready when the receiver wanted to send.
	Trigger      *Frame
	Since, Ready unit.Time
}

// NewFrame returns a frame without events.
func NewFrame() *Frame {
	return &Frame{Class: AnyClass, Sent: Never, Delivered: Never, LostAt: Never, TrimmedAt: Never, LostPort: None, TrimPort: None, Since: Never, Ready: Never}
}

// Hop is a frame's crossing of one link.
type Hop struct {
	Port int32
	// Ready is when the frame was ready at the port, Begin and Departs are when its
	// serialisation began and ended, and Arrives is when it was ready at the far end.
	// A time that did not come is Never.
	Ready, Begin, Departs, Arrives unit.Time
	// Late is how much of that time an inexact host added on its way out or in.
	Late unit.Time
	// Class is the frame's class at the port.
	Class int8
}

// Reason is why a connection was not allowed to send.
type Reason uint8

// Reasons not to send.
const (
	// Free: nothing forbade it.
	Free Reason = iota
	// NoPacket: all packets had been sent, and none was known to be lost.
	NoPacket
	ByWindow
	ByReorderLimit
	ByCredit
	// ByPace: packets are spaced, and the next one was not due.
	ByPace
)

// Opening is the event that allowed a blocked connection to send.
type Opening struct {
	At unit.Time
	// After is what had blocked it.
	After Reason
	// Loss is set if the event is that a loss became known. Otherwise Ack is set if an
	// acknowledgement or a grant arrived, perhaps earlier. If both are nil, a message started.
	Ack  *Frame
	Loss *Loss
	// Before is, after ByPace, the previous packet of the connection, from which the
	// next one had to keep its distance.
	Before *Frame
}

// Loss is the event that a sender learns of the loss of a copy of a packet.
type Loss struct {
	At   unit.Time
	Copy *Frame
	// Report is the frame that reported the loss. It is nil after a timeout, or if a
	// probe found it, which Asked reports.
	Report *Frame
	Asked  bool
}

// Queueing returns how long the frame waited at ports before it was serialised.
func (f *Frame) Queueing() (t unit.Time) {
	for _, h := range f.Hops {
		if h.Begin != Never {
			t += h.Begin - h.Ready
		}
	}
	return t
}

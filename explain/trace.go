package explain

import "weft/unit"

// Never stands for an instant that did not come, None for a port that there is not.
const (
	Never unit.Time = -1
	None  int32     = -1
)

// Trace is what happened to one message.
type Trace struct {
	// Start is when the message was handed to the transport, End when its last
	// byte was delivered or, of an unfinished one, when the run ended.
	Start, End unit.Time
	Finished   bool
	// Last is the data packet whose delivery completed the message. Of an
	// unfinished one it is the packet that it waits for: one that was sent, or
	// one that is still to be sent at End.
	Last *Frame
	// Blocked is why the sender of an unfinished message may not send.
	Blocked Reason
	// Frames are all data packets, acknowledgements and reports of the message.
	Frames []*Frame
	// Wire is what the wire of the sending host carried, Down the times in which
	// its link was down; both in order.
	Wire []Busy
	Down []Span
	// Uplink is the port of the sending host.
	Uplink int32
	// Hosted tells that a transport of the host as a whole decided what was sent: it
	// leaves the wire idle only if nothing may be sent.
	Hosted bool
	// Pauses are the times in which a class of a port was paused by the far end of its link, in order; of AnyClass
	// those in which any was. Class is that of the message's data.
	Pauses map[Paused][]Span
	Class  int8
}

// Paused names a class of a port.
type Paused struct {
	Port  int32
	Class int8
}

// AnyClass stands for all classes, and for one that is not known.
const AnyClass int8 = -1

// Span is the time from From up to To.
type Span struct{ From, To unit.Time }

// Busy is a time in which a wire carried a frame.
type Busy struct {
	Span
	// Own tells that the frame was a data packet of the message.
	Own bool
}

// FrameKind tells frames apart.
type FrameKind uint8

// Kinds of frame.
const (
	Data FrameKind = iota
	Ack
	// Report tells the sender that a packet arrived trimmed, or that one is missing.
	Report
	// Grant is what a receiver sends that lets others send: a credit, a grant, a token,
	// a pull, or another control packet of its transport.
	Grant
	// Request is a control packet of a sender to its receiver, as to ask for credit.
	Request
)

// String returns the kind's name.
func (k FrameKind) String() string {
	return [...]string{"data", "ack", "report", "grant", "request"}[k]
}

// Frame is a frame's way from host to host.
type Frame struct {
	Kind FrameKind
	// Own tells that it belongs to the message, and not to another one of the
	// same connection.
	Own bool
	// Packet is the number of the data packet, or of the one that is answered;
	// Copy counts its transmissions from 1.
	Packet, Copy uint32
	Size         unit.Bytes
	Entropy      uint16
	// Class is that in which it left its host, or AnyClass.
	Class int8
	// Sent is when the host's wire took it.
	Sent unit.Time
	Hops []Hop
	// Delivered is when it reached its host. A trimmed packet's header counts.
	Delivered unit.Time
	// LostAt is when it was lost, for the given reason, at port LostPort.
	LostAt   unit.Time
	LostPort int32
	Why      string
	// TrimmedAt is when it was cut to its header, at port TrimPort.
	TrimmedAt unit.Time
	TrimPort  int32
	// Marked tells that it arrived with a congestion mark.
	Marked bool
	// Deflected is how often switches deflected it.
	Deflected int

	// Of data and requests: Opening is what let the connection send, and Loss the loss that
	// made it a retransmission, nil for a first copy.
	Opening *Opening
	Loss    *Loss

	// Of acknowledgements, reports and grants: Trigger is the data packet that caused it; or the
	// request of a sender whose packets had all arrived, as acknowledgements were lost; or of a
	// grant the latest packet of the message that its receiver had when it was sent. Since is
	// when that arrived, Ready when the receiver wanted to send it.
	Trigger      *Frame
	Since, Ready unit.Time
}

// NewFrame returns a frame to which nothing has happened.
func NewFrame() *Frame {
	return &Frame{Class: AnyClass, Sent: Never, Delivered: Never, LostAt: Never, TrimmedAt: Never, LostPort: None, TrimPort: None, Since: Never, Ready: Never}
}

// Hop is a frame's crossing of a link.
type Hop struct {
	Port int32
	// Ready is when the frame was ready at the port, Begin and Departs when its
	// serialisation began and ended, and Arrives when it was ready at the far end.
	// What did not come about is Never.
	Ready, Begin, Departs, Arrives unit.Time
	// Late is by how much of that a host that is inexact made it late, on its way out or in.
	Late unit.Time
	// Class is the frame's at the port.
	Class int8
}

// Reason tells why a connection was not allowed to send.
type Reason uint8

// Reasons not to send.
const (
	// Free: nothing forbade it.
	Free Reason = iota
	// NoPacket: all packets were sent, and none was known to be lost.
	NoPacket
	ByWindow
	ByReorderLimit
	ByCredit
	// ByPace: packets are spaced, and the next one was not due.
	ByPace
)

// Opening is the event that let a connection send that was not allowed to.
type Opening struct {
	At unit.Time
	// After is what had forbidden it.
	After Reason
	// Loss is the event if a loss became known, or else Ack if an acknowledgement or a
	// grant arrived, which may have been before; without either a message started.
	Ack  *Frame
	Loss *Loss
	// Before is, after ByPace, the packet of the connection before, which the next one had to
	// keep its distance from.
	Before *Frame
}

// Loss is a sender's learning that a copy of a packet was lost.
type Loss struct {
	At   unit.Time
	Copy *Frame
	// Report is what told it, nil after a timeout, or if a probe told it, which is Asked.
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

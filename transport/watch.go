package transport

import (
	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// Watcher sees what the hosts of a network of one domain do, for whoever wants to
// know why a message took as long as it did. It must change nothing. It stands
// between fabric and endpoint, so that a run without it pays nothing for it.
type Watcher interface {
	// Started tells that a message was handed to the transport. The connection of
	// one for which it returns true is watched from then on.
	Started(now sim.Time, m Started) (watch bool)
	// Pulled tells that a host's wire takes a frame.
	Pulled(now sim.Time, host int32, s Sight)
	// Received tells that a frame reached its host, before the transport handles it.
	Received(now sim.Time, host int32, s Sight)
	// Replied tells that a host wants to send an acknowledgement or a report, for
	// the frame received last, or if timed since the oldest packet to acknowledge
	// waited for long enough.
	Replied(now sim.Time, host int32, s Sight, timed bool)
	// GaveUp tells that a sender took the copy of a packet that it sent last for lost.
	GaveUp(now sim.Time, message uint64, seq uint32, cause protocol.LossCause)
	// State tells whether the watched connection may send, after anything happened
	// at its host.
	State(now sim.Time, s State)
}

// Started is a message that was handed to the transport.
type Started struct {
	Group, Src, Dst int32
	Ordinal         uint64
	// Message is the message's number, unmistakable in the run.
	Message uint64
	Packets uint32
}

// FrameKind tells what a frame is to the transport.
type FrameKind uint8

// Kinds of frame.
const (
	// DataFrame is a data packet, or its header if it was trimmed.
	DataFrame = FrameKind(data)
	// AckFrame is an acknowledgement.
	AckFrame = FrameKind(ack)
	// TrimReport tells a sender that a packet arrived trimmed.
	TrimReport = FrameKind(nack)
	// PullFrame grants credit to a sender, and RequestFrame asks for it.
	PullFrame    = FrameKind(pull)
	RequestFrame = FrameKind(request)
	// ProbeFrame tests a path and ProbeEcho answers it; they belong to no message.
	ProbeFrame = FrameKind(probeFrame)
	ProbeEcho  = FrameKind(probeEcho)
)

// Sight is a frame as it is seen at a host.
type Sight struct {
	ID   fabric.FrameID
	Kind FrameKind
	// Message and Seq name the message and its packet.
	Message         uint64
	Seq             uint32
	Size            unit.Bytes
	Entropy         uint16
	Trimmed, Marked bool
}

// Blocked tells why a connection may not send.
type Blocked uint8

// Reasons not to send.
const (
	// NotBlocked: it may send.
	NotBlocked Blocked = iota
	// NothingToSend: all packets were sent, and none is known to be lost.
	NothingToSend
	// ByWindow: the congestion window is used up.
	ByWindow
	// ByReorderLimit: the oldest packet must be acknowledged first.
	ByReorderLimit
	// ByCredit: all credit is spent.
	ByCredit
)

// State is what a sender knows of a connection.
type State struct {
	Blocked Blocked
	// Window is the congestion window, InFlight what of it is used.
	Window, InFlight unit.Bytes
}

// watched shows a watcher what an endpoint does.
type watched struct {
	*Endpoint
	watcher Watcher
	conn    *connection // nil until its message started
}

// Receive implements fabric.Endpoint.
func (w *watched) Receive(now sim.Time, h int32, id fabric.FrameID) bool {
	host := &w.hosts[h]
	last := host.control.tail
	w.watcher.Received(now, host.id, w.sight(id))
	ready := w.Endpoint.Receive(now, h, id)
	w.tell(now, h, last, false)
	return ready
}

// Pull implements fabric.Endpoint.
func (w *watched) Pull(now sim.Time, h int32) (fabric.FrameID, bool, bool) {
	id, more, ok := w.Endpoint.Pull(now, h)
	if ok {
		w.watcher.Pulled(now, w.hosts[h].id, w.sight(id))
	}
	w.tell(now, h, w.hosts[h].control.tail, false)
	return id, more, ok
}

// Timer implements fabric.Endpoint.
func (w *watched) Timer(now sim.Time, h int32) bool {
	last := w.hosts[h].control.tail
	ready := w.Endpoint.Timer(now, h)
	w.tell(now, h, last, true)
	return ready
}

// tell tells of the replies from number last on, and of the watched connection.
func (w *watched) tell(now sim.Time, h int32, last uint32, timed bool) {
	q := &w.hosts[h].control
	for i := last; i != q.tail; i++ {
		w.watcher.Replied(now, w.hosts[h].id, w.sight(q.buf[i&uint32(len(q.buf)-1)]), timed)
	}
	if c := w.conn; c != nil && c.src == h {
		w.watcher.State(now, State{w.blocked(c), c.window, c.inflight})
	}
}

// started is told of every message by its endpoint.
func (w *watched) started(now sim.Time, m *message) {
	c := m.conn
	src := w.hosts[c.src].id
	s := Started{c.group, src, c.dst, m.ordinal, identify(c.group, src, m.serial), m.packets}
	if w.watcher.Started(now, s) {
		w.conn = c
	}
}

func (w *watched) sight(id fabric.FrameID) Sight {
	f := w.d.Frame(id)
	src := f.Src
	kind := f.Kind & kindMask
	if kind != data && kind != request {
		src = f.Dst
	}
	message := identify(int32(f.Kind>>groupShift), src, f.Serial)
	if kind == probeFrame || kind == probeEcho {
		message = noMessage
	}
	return Sight{
		ID: id, Kind: FrameKind(kind), Message: message, Seq: f.Seq, Size: unit.Bytes(f.Size), Entropy: f.Entropy,
		Trimmed: f.Flags&fabric.Trimmed != 0, Marked: f.Flags&fabric.Marked != 0,
	}
}

// noMessage is the number of no message.
const noMessage = 1<<64 - 1

// blocked tells what sendable would find, and leaves the connection as it is.
func (e *Endpoint) blocked(c *connection) Blocked {
	for m := c.queue.head; m != nil; m = m.next {
		seq, ok := m.Next()
		switch {
		case ok && (c.inflight+e.payload(m, seq) <= c.window || c.inflight == 0 && c.credits == nil):
			return NotBlocked
		case ok && c.credits != nil && c.credits.Credit() <= 0:
			return ByCredit
		case ok:
			return ByWindow
		case m.Unsent() > 0:
			return ByReorderLimit
		}
	}
	return NothingToSend
}

package transport

import (
	"slices"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/internal/connection/sending"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// Watcher sees what the hosts of a network of one domain do, to explain why a
// message took its time. It must change nothing. It sits between fabric and
// endpoint, so a run without it pays nothing.
type Watcher interface {
	// Started is called when a message, or a part of one, is handed to the transport. If it returns
	// true, the connection, or the message in the host transport, is watched from then on.
	Started(now sim.Time, m Started) (watch bool)
	// Pulled is called when a host's wire takes a frame.
	Pulled(now sim.Time, host int32, s Sight)
	// Received is called when a frame reaches its host, before the transport handles it.
	Received(now sim.Time, host int32, s Sight)
	// Replied is called when a host wants to send an acknowledgement or a report. It
	// answers the frame received last. If timed is set, the oldest packet to
	// acknowledge has waited for long enough instead.
	Replied(now sim.Time, host int32, s Sight, timed bool)
	// GaveUp is called when a sender takes the last copy of a packet for lost. Host
	// transports do not report this.
	GaveUp(now sim.Time, p PacketName, cause protocol.LossCause)
	// Delivered is called when a message of a host transport has arrived in full,
	// with the frame received last.
	Delivered(now sim.Time, message uint64)
	// State reports whether a watched connection or message may send, after any event at its host.
	State(now sim.Time, s State)
}

// PacketName identifies a data packet within a run.
type PacketName struct {
	// Message is the number of the message. Part distinguishes the parts of a divided
	// message. Seq distinguishes the packets of a part: by their number or, for host
	// transports, by the offset of their payload.
	Message uint64
	Part    uint32
	Seq     uint64
}

// Started is a message that was handed to the transport.
type Started struct {
	Group, Src, Dst int32
	Ordinal         uint64
	// Message is the number of the message, unique in the run.
	Message uint64
	// Packets and Bytes are the size of the part. Part is its number in names of packets.
	Packets uint32
	Bytes   unit.Bytes
	Part    uint32
	// Hosted reports that a host transport owns the message.
	Hosted bool
}

// FrameKind is the role of a frame in the transport.
type FrameKind uint8

// Kinds of frame.
const (
	// DataFrame is a data packet, or its header if it was trimmed.
	DataFrame = FrameKind(end.Data)
	// AckFrame is an acknowledgement.
	AckFrame = FrameKind(end.Ack)
	// TrimReport reports to a sender that a packet arrived trimmed or, with GoBackN,
	// that a packet is missing.
	TrimReport = FrameKind(end.Nack)
	// PullFrame grants credit to a sender, and RequestFrame asks for it.
	PullFrame    = FrameKind(end.Pull)
	RequestFrame = FrameKind(end.Request)
	// ProbeFrame tests a path and ProbeEcho answers it; they belong to no message.
	ProbeFrame = FrameKind(end.Probe)
	ProbeEcho  = FrameKind(end.Echo)
	// HostControl is a packet of a host transport without payload.
	HostControl = FrameKind(end.Hosted)
	// SwitchNotice is a notice from a switch; it belongs to no message.
	SwitchNotice FrameKind = end.Kinds
)

// Sight is a frame as seen at a host.
type Sight struct {
	ID   fabric.FrameID
	Kind FrameKind
	// PacketName identifies the data packet, or the packet that the frame answers.
	PacketName
	Src, Dst int32 // hosts
	// Conn is the number of the watched connection of pulled data, or -1.
	Conn int32
	Size unit.Bytes
	// Payload is set for data of host transports.
	Payload         unit.Bytes
	Entropy         uint16
	Trimmed, Marked bool
	// Discarded reports, for arriving data, that the receiver drops it because an
	// earlier packet is missing.
	Discarded bool
}

// State is what a sender knows about a connection or a message.
type State struct {
	// Conn is the number of the connection among those watched, in the order in which they began.
	Conn    int32
	Blocked Blocked
	// Window is the congestion window, InFlight the used part of it.
	Window, InFlight unit.Bytes
}

// watched shows a Watcher what an endpoint does.
type watched struct {
	*Endpoint
	watcher Watcher
	conns   []sending.Handle // connections with watched messages
	// hosted is the watched message of a host transport, whose host has the number
	// sender in its domain.
	hosted *protocol.HostMessage
	sender int32
}

// Receive implements fabric.Endpoint.
func (w *watched) Receive(now sim.Time, h int32, id fabric.FrameID) bool {
	host := &w.hosts[h]
	last := host.Out.Pushed()
	s := w.sight(id)
	s.Discarded = w.Receiving.Discards(h, w.d.Frame(id))
	w.watcher.Received(now, host.ID, s)
	ready := w.Endpoint.Receive(now, h, id)
	w.tell(now, h, last, false)
	return ready
}

// Pull implements fabric.Endpoint.
func (w *watched) Pull(now sim.Time, h int32) (fabric.FrameID, bool, bool) {
	id, more, ok := w.Endpoint.Pull(now, h)
	if ok {
		s := w.sight(id)
		s.Conn = w.number(id)
		w.watcher.Pulled(now, w.hosts[h].ID, s)
	}
	w.tell(now, h, w.hosts[h].Out.Pushed(), false)
	return id, more, ok
}

// Timer implements fabric.Endpoint.
func (w *watched) Timer(now sim.Time, h int32) bool {
	last := w.hosts[h].Out.Pushed()
	ready := w.Endpoint.Timer(now, h)
	w.tell(now, h, last, true)
	return ready
}

// tell reports the replies queued since a count, and the state of the watched connections.
func (w *watched) tell(now sim.Time, h int32, last uint32, timed bool) {
	for id := range w.hosts[h].Out.Since(last) {
		w.watcher.Replied(now, w.hosts[h].ID, w.sight(id), timed)
	}
	for i, c := range w.conns {
		if c.Host() == h {
			blocked, window, inflight := w.Sending.State(c)
			w.watcher.State(now, State{int32(i), blocked, window, inflight})
		}
	}
	if w.hosted != nil && w.sender == h {
		w.watcher.State(now, State{Blocked: w.permission(now, h)})
	}
}

// permission reports whether the watched message of a host transport may be sent.
// If the transport cannot tell, all waiting counts as waiting for credit.
func (w *watched) permission(now sim.Time, h int32) Blocked {
	p, tells := w.hosts[h].hosted.HostTransport.(protocol.Permitter)
	if tells && p.MaySend(now, w.hosted) {
		return NotBlocked
	}
	return ByCredit
}

// number returns the number of a data frame's watched connection, or -1.
func (w *watched) number(id fabric.FrameID) int32 {
	f := w.d.Frame(id)
	if f.Kind == end.Data {
		return int32(slices.Index(w.conns, w.Sending.Carries(f)))
	}
	if f.Kind == end.Hosted && w.hosted != nil {
		return 0
	}
	return -1
}

// Started implements sending.Observer.
func (w *watched) Started(now sim.Time, m sending.Started) {
	if w.watcher.Started(now, Started{
		Group: m.Group, Src: m.Src, Dst: m.Dst, Ordinal: m.Ordinal, Message: end.Identify(m.Group, m.Src, uint32(m.Ordinal)),
		Packets: m.Packets, Bytes: m.Bytes, Part: m.Message,
	}) && !slices.Contains(w.conns, m.Handle) {
		w.conns = append(w.conns, m.Handle)
	}
}

// GaveUp implements sending.Observer.
func (w *watched) GaveUp(now sim.Time, group, src int32, m sending.Named, cause protocol.LossCause) {
	w.watcher.GaveUp(now, PacketName{end.Identify(group, src, m.Serial), m.Message, uint64(m.Seq)}, cause)
}

// submitted is called for every message that is handed to a host transport.
func (w *watched) submitted(now sim.Time, h int32, m *protocol.HostMessage, ordinal uint64, packets uint32) {
	src, group := w.hosts[h].ID, int32(m.Group)
	if w.watcher.Started(now, Started{
		Group: group, Src: src, Dst: m.Peer, Ordinal: ordinal, Message: end.Identify(group, src, uint32(m.Tag)),
		Packets: packets, Bytes: m.Bytes, Hosted: true,
	}) {
		copied := *m
		w.hosted, w.sender = &copied, h
	}
}

func (w *watched) sight(id fabric.FrameID) Sight {
	f := w.d.Frame(id)
	s := Sight{
		ID: id, Kind: FrameKind(f.Kind), Src: f.Src(), Dst: f.Dst(), Conn: -1, Size: unit.Bytes(f.Size), Entropy: f.Entropy,
		Trimmed: f.Flags&packet.Trimmed != 0, Marked: f.Flags&packet.Marked != 0,
	}
	if f.Originated() {
		s.Kind, s.Message = SwitchNotice, noMessage
		return s
	}
	group := int32(f.Group())
	switch f.Kind {
	case end.Hosted:
		s.Message = noMessage
		var p hostedPacket
		w.readPacket(id, &p)
		if p.Payload > 0 {
			s.Kind, s.Payload = DataFrame, p.Payload
			s.PacketName = PacketName{Message: end.Identify(group, f.Src(), f.Serial), Seq: uint64(p.Offset)}
		}
	case end.Probe, end.Echo:
		s.Message = noMessage
	case end.Data, end.Request:
		s.PacketName = PacketName{end.Identify(group, f.Src(), f.Serial), f.Message, uint64(f.Seq)}
	default:
		s.PacketName = PacketName{end.Identify(group, f.Dst(), f.Serial), f.Message, uint64(f.Seq)}
	}
	return s
}

// noMessage marks frames that belong to no message.
const noMessage = 1<<64 - 1

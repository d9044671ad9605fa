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

// Watcher sees what the hosts of a network of one domain do, for whoever wants to
// know why a message took as long as it did. It must change nothing. It stands
// between fabric and endpoint, so that a run without it pays nothing for it.
type Watcher interface {
	// Started tells that a message, or a part of one, was handed to the transport. The
	// connection of one for which it returns true is watched from then on, or the
	// message in the transport of its host.
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
	// Transports of hosts do not tell.
	GaveUp(now sim.Time, p PacketName, cause protocol.LossCause)
	// Delivered tells that a message of a transport of hosts arrived in full, with the
	// frame received last.
	Delivered(now sim.Time, message uint64)
	// State tells whether a watched connection or message may send, after anything
	// happened at its host.
	State(now sim.Time, s State)
}

// PacketName names a data packet, unmistakably in the run.
type PacketName struct {
	// Message is the number of the message. Part tells the parts apart into which it may
	// be divided, Seq the packets of a part: by their number, or of a transport of a host
	// by where their payload stands.
	Message uint64
	Part    uint32
	Seq     uint64
}

// Started is a message that was handed to the transport.
type Started struct {
	Group, Src, Dst int32
	Ordinal         uint64
	// Message is the message's number, unmistakable in the run.
	Message uint64
	// Packets and Bytes are of the part, Part its number in names of packets.
	Packets uint32
	Bytes   unit.Bytes
	Part    uint32
	// Hosted tells that the transport of its host has it.
	Hosted bool
}

// FrameKind tells what a frame is to the transport.
type FrameKind uint8

// Kinds of frame.
const (
	// DataFrame is a data packet, or its header if it was trimmed.
	DataFrame = FrameKind(end.Data)
	// AckFrame is an acknowledgement.
	AckFrame = FrameKind(end.Ack)
	// TrimReport tells a sender that a packet arrived trimmed, or with GoBackN that one is
	// missing.
	TrimReport = FrameKind(end.Nack)
	// PullFrame grants credit to a sender, and RequestFrame asks for it.
	PullFrame    = FrameKind(end.Pull)
	RequestFrame = FrameKind(end.Request)
	// ProbeFrame tests a path and ProbeEcho answers it; they belong to no message.
	ProbeFrame = FrameKind(end.Probe)
	ProbeEcho  = FrameKind(end.Echo)
	// HostControl is a packet without payload of a transport of a host.
	HostControl = FrameKind(end.Hosted)
	// SwitchNotice is what a switch told; it belongs to no message.
	SwitchNotice FrameKind = end.Kinds
)

// Sight is a frame as it is seen at a host.
type Sight struct {
	ID   fabric.FrameID
	Kind FrameKind
	// PacketName is that of the data packet, or of the one that is answered.
	PacketName
	Src, Dst int32 // hosts
	// Conn is, of data that is pulled, the number of its watched connection, or -1.
	Conn int32
	Size unit.Bytes
	// Payload is of data of transports of hosts.
	Payload         unit.Bytes
	Entropy         uint16
	Trimmed, Marked bool
	// Discarded tells, of data that arrives, that the receiver drops it since an earlier
	// packet is missing.
	Discarded bool
}

// State is what a sender knows of a connection, or of a message.
type State struct {
	// Conn is its number among those watched, in the order in which they were begun.
	Conn    int32
	Blocked Blocked
	// Window is the congestion window, InFlight what of it is used.
	Window, InFlight unit.Bytes
}

// watched shows a watcher what an endpoint does.
type watched struct {
	*Endpoint
	watcher Watcher
	conns   []sending.Handle // of messages that started
	// hosted is the watched message of the transport of a host: its domain's number sender.
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

// tell tells of the replies that were queued since a count, and of the watched connections.
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

// permission tells whether the watched message of the transport of a host may be sent. Of
// one that cannot tell it is not known, and all waiting counts as for credit.
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

// submitted is told of every message that is handed to the transport of a host.
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

// noMessage is the number of no message.
const noMessage = 1<<64 - 1

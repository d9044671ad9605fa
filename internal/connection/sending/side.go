package sending

import (
	"weft/internal/connection/end"
	"weft/internal/histogram"
	"weft/internal/packet"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/unit"
)

// Config is the environment of some hosts' sending side.
type Config struct {
	end.Site
	// Stride and Offset define message numbers: packets carry a message's slot times Stride plus
	// Offset. They keep numbers distinct if several sides share a number space.
	Stride, Offset uint32
	// Tokens is how often switches may deflect a packet of a short message.
	Tokens int
	// Observer, if not nil, sees what happens to messages.
	Observer Observer
}

// Observer sees what happens to the messages of a side. It must change nothing.
type Observer interface {
	// Started reports that a message, or a part of one, was handed to a connection.
	Started(now unit.Time, m Started)
	// GaveUp reports that the last sent copy of a packet is considered lost.
	GaveUp(now unit.Time, group, src int32, m Named, cause protocol.LossCause)
}

// Named identifies a packet as packets' headers do.
type Named struct{ Message, Serial, Seq uint32 }

// Started is a message, or a part of one, that was handed to a connection.
type Started struct {
	Group, Src, Dst int32
	Ordinal         uint64
	// Packets and Bytes are the size of the part. Message is its number in packets.
	Packets uint32
	Bytes   unit.Bytes
	Message uint32
	// Handle identifies its connection.
	Handle Handle
}

// Side is the sending side of a carrier's hosts.
type Side struct {
	Config
	hosts    []host
	messages []*message // by slot
	// free lists ended messages, by host and group, the one freed last first. Their slots serve
	// the next messages of the same host and group, so serials in a slot only grow. Which late
	// copies find their message's number taken must not depend on the carrier's other hosts.
	free []*message
	// connections holds all connections in allocation order. idle holds those without a message,
	// by group.
	connections [][]connection
	idle        [][]*connection
	fresh       fresh
	splits      splits
	slots       slots
	rtts        []*histogram.Histogram // in picoseconds, by group; nil without samples
	breach      *end.Breach            // first broken contract of a congestion control
	scratch
}

// fresh is memory that is allocated but not yet used.
type fresh struct {
	messages    []message
	connections []connection
}

// slots holds the objects that deadlines and packets name by index: connections that spend
// credit, that test paths, and whose controls have clocks, and bundles.
type slots struct {
	borrowers []*connection
	probers   []*connection
	clocked   []*connection
	bundles   []*bundle
	// freeBundles lists unused indices of bundles.
	freeBundles []uint32
}

// scratch holds arguments of interface calls, so that these do not escape to the heap.
type scratch struct {
	acked    protocol.Ack
	lost     protocol.Loss
	granted  protocol.Grant
	stamps   [protocol.MostStamps]protocol.Stamp
	report   reliable.Report // the one being read
	pathList []protocol.Path
}

// host is the sending side of one host.
type host struct {
	*end.Host
	load end.Load
	turns
	pairs map[end.Pair]*connection
	pools map[end.Pair]*pool
	// alarms serves controls with deadlines of their own. It is nil if there are none.
	alarms *alarms
	// bundles holds the bundles of connections to other hosts, and backlog the model for source
	// marks. Each is nil if unused.
	bundles map[end.Pair]*bundle
	backlog *backlog
	nic     nicQueue
}

func (s *Side) group(c *connection) *end.Group { return &s.Network.Groups[c.group] }

// control returns a new packet without payload to the other end of c, in the class of
// acknowledgements.
func (s *Side) control(c *connection, kind uint8, entropy uint16) packet.ID {
	return s.hosts[c.src].Control(s.Store, s.group(c), uint8(c.group), kind, c.dst, entropy)
}

// number returns the number of a message in packets.
func (s *Side) number(m *message) uint32 { return m.slot*s.Stride + s.Offset }

// of returns the message that a packet belongs to, or nil if the message is complete or never
// existed.
func (s *Side) of(p *packet.Packet) *message {
	if slot := p.Message / s.Stride; slot < uint32(len(s.messages)) {
		if m := s.messages[slot]; m.live && m.serial == p.Serial {
			return m
		}
	}
	return nil
}

// payload returns the payload size of a packet of m.
func (s *Side) payload(m *message, seq uint32) unit.Bytes {
	full := s.Network.Groups[m.conn.group].Payload
	if seq+1 == m.packets {
		return m.size - unit.Bytes(seq)*full
	}
	return full
}

// Handle identifies a connection under observation. Handles of the same connection are equal.
type Handle struct{ c *connection }

// Host returns the connection's host, among its side's hosts.
func (h Handle) Host() int32 { return h.c.src }

// nicQueue is the state of a host's NIC queue.
type nicQueue struct {
	queued unit.Bytes // bytes of data
	above  bool       // the last data packet found more than the threshold
}

// wire returns the frame size of a packet of m.
func (s *Side) wire(m *message, seq uint32) unit.Bytes {
	return s.payload(m, seq) + s.group(m.conn).Header
}

// vacate detaches an ended message from its connection and frees its slot.
func (s *Side) vacate(local int32, m *message) {
	c := m.conn
	m.live, m.conn = false, nil
	free := s.freed(local, c.group)
	m.next, *free = *free, m
	c.active--
	if c.bundle != nil {
		c.bundle.active--
	}
}

// freed returns the head of the list of free messages of a host and group.
func (s *Side) freed(local, group int32) **message {
	return &s.free[int(local)*len(s.Network.Groups)+int(group)]
}

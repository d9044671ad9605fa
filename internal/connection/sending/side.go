package sending

import (
	"weft/internal/connection/end"
	"weft/internal/histogram"
	"weft/internal/packet"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/unit"
)

// Config is what the sending side of some hosts stands on.
type Config struct {
	end.Site
	// Packets carry the number of a message among those of the side times Stride, plus Offset, which a carrier gives
	// its sides where several share a space of numbers.
	Stride, Offset uint32
	// Tokens is how often switches may deflect a packet of a short message.
	Tokens int
	// Observer, if not nil, sees what happens to messages.
	Observer Observer
}

// Observer sees what happens to the messages of a side. It must change nothing.
type Observer interface {
	// Started tells that a message, or a part of one, was handed to a connection.
	Started(now unit.Time, m Started)
	// GaveUp tells that the copy of a packet that was sent last is taken for lost.
	GaveUp(now unit.Time, group, src int32, m Named, cause protocol.LossCause)
}

// Named names a packet of a message as packets do.
type Named struct{ Message, Serial, Seq uint32 }

// Started is a message that was handed to a connection.
type Started struct {
	Group, Src, Dst int32
	Ordinal         uint64
	// Packets and Bytes are of the part, and Message its number in packets.
	Packets uint32
	Bytes   unit.Bytes
	Message uint32
	// Handle is that of its connection.
	Handle Handle
}

// Side is the sending side of the hosts of a carrier.
type Side struct {
	Config
	hosts    []host
	messages []*message // by slot
	// free are past messages, by host and group, whose slots are for the next ones, so that serials
	// on a slot only grow: which late copies find their message's number taken
	// must not depend on who else has the carrier. The one freed last comes first.
	free []*message
	// connections are all that were made, as they were allocated, and idle those without a message, by group.
	connections [][]connection
	idle        [][]*connection
	fresh       fresh
	splits      splits
	slots       slots
	rtts        []*histogram.Histogram // in picoseconds, by group; nil without any
	breach      *end.Breach            // of a congestion control, the first
	scratch
}

// fresh is allocated and not yet used.
type fresh struct {
	messages    []message
	connections []connection
}

// slots are the connections that deadlines and packets name by number: those that spend credit, those that test
// paths, those whose controls have clocks, and bundles.
type slots struct {
	borrowers []*connection
	probers   []*connection
	clocked   []*connection
	bundles   []*bundle
	// freeBundles are the slots of bundles that are gone.
	freeBundles []uint32
}

// scratch is what interfaces are handed, which so does not escape.
type scratch struct {
	acked    protocol.Ack
	lost     protocol.Loss
	granted  protocol.Grant
	stamps   [protocol.MostStamps]protocol.Stamp
	report   reliable.Report // being read
	pathList []protocol.Path
}

// host is the sending side of one host.
type host struct {
	*end.Host
	load end.Load
	turns
	pairs map[end.Pair]*connection
	pools map[end.Pair]*pool
	// alarms are those of controls with deadlines of their own, nil without any.
	alarms *alarms
	// bundles are those of connections to other hosts, and backlog what marks; nil without any.
	bundles map[end.Pair]*bundle
	backlog *backlog
	nic     nicQueue
}

func (s *Side) group(c *connection) *end.Group { return &s.Network.Groups[c.group] }

// control returns a new packet without payload to the other end of c, in the class of acknowledgements.
func (s *Side) control(c *connection, kind uint8, entropy uint16) packet.ID {
	return s.hosts[c.src].Control(s.Store, s.group(c), uint8(c.group), kind, c.dst, entropy)
}

// number is the message's in packets.
func (s *Side) number(m *message) uint32 { return m.slot*s.Stride + s.Offset }

// of returns the message that a packet is about, nil if it is complete, or there never was one.
func (s *Side) of(p *packet.Packet) *message {
	if slot := p.Message / s.Stride; slot < uint32(len(s.messages)) {
		if m := s.messages[slot]; m.live && m.serial == p.Serial {
			return m
		}
	}
	return nil
}

// payload returns the payload of a packet of m.
func (s *Side) payload(m *message, seq uint32) unit.Bytes {
	full := s.Network.Groups[m.conn.group].Payload
	if seq+1 == m.packets {
		return m.size - unit.Bytes(seq)*full
	}
	return full
}

// Handle is a connection that is watched. Handles of the same connection are equal.
type Handle struct{ c *connection }

// Host returns the connection's host, among those of its side.
func (h Handle) Host() int32 { return h.c.src }

// nicQueue is what a host with a queue at the NIC has in it.
type nicQueue struct {
	queued unit.Bytes // data
	above  bool       // the last data packet found more than its threshold
}

// wire returns the size of a packet of m as a frame.
func (s *Side) wire(m *message, seq uint32) unit.Bytes {
	return s.payload(m, seq) + s.group(m.conn).Header
}

// vacate takes a message that ended off its connection, and frees its slot.
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

// freed is the first free message of a host and group.
func (s *Side) freed(local, group int32) **message {
	return &s.free[int(local)*len(s.Network.Groups)+int(group)]
}

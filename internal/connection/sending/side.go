package sending

import (
	"math/rand/v2"

	"weft/internal/connection/end"
	"weft/internal/histogram"
	"weft/internal/packet"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/unit"
)

// Config is what the sending side of some hosts stands on.
type Config struct {
	Store   *packet.Store
	Network *end.Network
	Hosts   []end.Host
	Carrier end.Carrier
	Counts  *end.Counts
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
	// free are the slots of past messages, by host and group, for the next ones, so that serials
	// on a slot only grow: which late copies find their message's number taken
	// must not depend on who else has the carrier.
	free [][]uint32
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

// connection is the sending end of a conversation.
type connection struct {
	identity
	window   unit.Bytes
	inflight unit.Bytes
	// queue lists the connection's messages that have something to send.
	queue messageList
	// active counts the messages that are not acknowledged.
	active int32
	kept   kept
	turn
	cores
	credits  *credits           // nil unless receivers grant what it sends
	prober   *prober            // nil unless the chooser tests paths
	clock    *clock             // nil unless its control has timers, paces or counts
	timer    *reliable.Timer    // nil unless it has one for all packets
	patience *reliable.Patience // nil unless it adapts the timeout of its packets
	pool     *pool              // nil unless it is of one
	bundle   *bundle            // nil unless its control has bundles
}

// identity is whose connection it is.
type identity struct {
	group    int32
	src, dst int32  // host of the carrier; host in the network
	part     int32  // of messages, that it carries
	number   int32  // in its pool, from 1; 0 in none
	told     uint32 // how often paths had changed when it was told of them
}

// cores are the protocols of a connection, and their random streams.
type cores struct {
	congestion    protocol.Congestion
	entropy       protocol.Entropy
	fielder       protocol.Fielder // nil unless its packets carry fields
	tracks        bool             // switches write on its packets
	congestionRng rand.PCG
	entropyRng    rand.PCG
}

// New returns the sending side of hosts.
func New(c Config) *Side {
	groups := len(c.Network.Groups)
	s := &Side{Config: c, hosts: make([]host, len(c.Hosts)), free: make([][]uint32, len(c.Hosts)*groups), idle: make([][]*connection, groups), rtts: make([]*histogram.Histogram, groups)}
	for i := range s.hosts {
		h := &s.hosts[i]
		h.Host = &c.Hosts[i]
		s.openBacklog(h)
	}
	return s
}

func (s *Side) group(c *connection) *end.Group { return &s.Network.Groups[c.group] }

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

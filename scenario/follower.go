package scenario

import (
	"weft/explain"
	"weft/fabric"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// follower records what happens to one message while it is simulated, and to the
// other messages of its connection. It is a fabric.Follower and a
// transport.Watcher.
type follower struct {
	group, src, dst int32
	ordinal         uint64
	perPair         bool
	hosted          bool
	ackDelay        unit.Time
	uplink          topo.PortID
	network         *fabric.Network

	trace   explain.Trace
	started bool
	done    bool
	message uint64 // its number
	packets uint32
	bytes   unit.Bytes // of it, and of that what was sent, of a transport of a host
	sent    unit.Bytes
	// bases are the numbers of the first packets of its parts, numbers those of its
	// packets, and names the reverse, in the order in which they were first sent.
	bases   map[uint32]uint32
	numbers map[transport.PacketName]uint32
	names   []transport.PacketName
	arrived map[uint32]bool // packets of the message

	under []*explain.Frame // by frame in the network, nil for those of others
	// messages of the connection, by number; the last copy and the last loss of
	// each of their packets.
	messages map[uint64]bool
	copies   map[transport.PacketName]*explain.Frame
	losses   map[transport.PacketName]*explain.Loss
	delivery map[uint64][]*explain.Frame // data that arrived, in order, by message

	// What is being handled at a host.
	trigger *explain.Frame // data or a request that arrived
	answer  *explain.Frame // acknowledgement, report or grant that arrived
	loss    *explain.Loss  // that became known

	// heard is the latest packet of the connection, or control packet of the sender, that
	// the receiver has; granted the latest grant that its sender has.
	heard, granted *explain.Frame

	conns  []sending
	since  unit.Time // of their states
	paused map[topo.PortID]uint8
	own    bool // the frame that the sender's wire takes is the message's
	asks   bool // it is a request of the message's sender, whose time counts as waiting
	counts Counts
}

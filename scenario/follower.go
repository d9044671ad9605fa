package scenario

import (
	"weft/explain"
	"weft/fabric"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// follower records what happens to one message, and to the other messages of its
// connection, while they are simulated. It is a fabric.Follower and a transport.Watcher.
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
	// bytes is the size of the message; sent is how much of it a host transport has sent.
	bytes unit.Bytes
	sent  unit.Bytes
	// bases maps each part to the number of its first packet, and numbers each packet to
	// its number. names lists the packets in the order in which they were first sent.
	bases   map[uint32]uint32
	numbers map[transport.PacketName]uint32
	names   []transport.PacketName
	arrived map[uint32]bool // packets of the message

	under []*explain.Frame // by frame in the network; nil for frames that are not followed
	// The messages of the connection, by number, and for each of their packets the last
	// copy and the last loss.
	messages map[uint64]bool
	copies   map[transport.PacketName]*explain.Frame
	losses   map[transport.PacketName]*explain.Loss
	delivery map[uint64][]*explain.Frame // data that arrived, in order, by message

	// The event that a host is handling.
	trigger *explain.Frame // data or a request that arrived
	answer  *explain.Frame // an acknowledgement, report or grant that arrived
	loss    *explain.Loss  // a loss that became known

	// heard is the latest packet that the receiver got, of the connection or of the
	// sender's control packets. granted is the latest grant that the sender got.
	heard, granted *explain.Frame

	conns  []sending
	since  unit.Time // start of the current states
	paused map[topo.PortID]uint8
	own    bool // the frame on the sender's wire belongs to the message
	asks   bool // the frame is a request of the sender, whose time on the wire counts as waiting
	counts Counts
}

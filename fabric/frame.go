package fabric

import (
	"weft/internal/packet"
	"weft/topo"
)

// Frame is the header of a packet, which travels over links.
type Frame = packet.Packet

// FrameID names a frame in its domain's store.
type FrameID = packet.ID

// gone is the ID of a frame that is in no store.
const gone = packet.None

// Frames can number all hosts of a graph.
const _ = uint(packet.MaxHosts - topo.MaxHosts)

// MaxSprays is the number of spraying policies that a frame can select from.
const MaxSprays = packet.MaxSprays

// MaxFrame is the largest frame on the wire, in bytes.
const MaxFrame = packet.MaxSize

package fabric

import (
	"weft/internal/packet"
	"weft/topo"
)

// Frame is what travels over links: the header of a packet.
type Frame = packet.Packet

// FrameID names a frame in its domain's store.
type FrameID = packet.ID

// gone is the number of a frame that is in no store.
const gone = packet.None

// All hosts of a graph have numbers in frames.
const _ = uint(packet.MaxHosts - topo.MaxHosts)

// MaxSprays is the number of ways to spray that frames can tell apart.
const MaxSprays = packet.MaxSprays

// MaxFrame is the largest frame on the wire in bytes.
const MaxFrame = packet.MaxSize

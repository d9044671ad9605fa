package fabric

import (
	"weft/sim"
	"weft/topo"
)

// Follower sees the path of every frame through a network of one domain, in which a
// frame keeps its ID from its NIC to its end. It must not change anything. A run
// without a Follower pays nothing; in a run with one, all ports leave the plain path.
type Follower interface {
	// Queued is called when a frame reaches a port whose discipline decides when to
	// send it, before it is known whether there is room.
	Queued(now sim.Time, link topo.PortID, id FrameID)
	// Sent is called when a link is to carry a frame from begin until departs. It is
	// called again if the link's rate changes before that.
	Sent(link topo.PortID, id FrameID, begin, departs sim.Time)
	// Arrived is called when a frame is ready at the far end of a link, before it is
	// processed there. late is the delay that an inexact host added.
	Arrived(now sim.Time, link topo.PortID, id FrameID, late sim.Time)
	// Dropped is called when a frame ends at a link's port or on the link. For a
	// random loss, that is when its transmission is decided.
	Dropped(now sim.Time, link topo.PortID, id FrameID, why Reason)
	// Paused is called when the sending end of a link must stop sending a class, or may resume.
	Paused(now sim.Time, link topo.PortID, class uint8, pause bool)
	// Trimmed is called when a frame is trimmed to its header at a link's port.
	Trimmed(now sim.Time, link topo.PortID, id FrameID)
}

// follow passes the frames of a domain to its Follower.
type follow struct {
	Follower
	now sim.Time // of the event under way
}

func (o *follow) queued(link int32, id FrameID, now sim.Time) {
	o.Queued(now, topo.PortID(link), id)
}

// sent reports a transmission that takes a time and ends at departs.
func (o *follow) sent(link int32, id FrameID, took, departs sim.Time) {
	o.Sent(topo.PortID(link), id, departs-took, departs)
}

func (o *follow) dropped(link int32, id FrameID, why Reason) {
	o.Dropped(o.now, topo.PortID(link), id, why)
}

func (o *follow) trimmed(link int32, id FrameID) { o.Trimmed(o.now, topo.PortID(link), id) }

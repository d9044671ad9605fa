package fabric

import (
	"weft/sim"
	"weft/topo"
)

// Follower sees the way of every frame through a network of one domain, in which
// a frame keeps its number from its NIC to its end. It must change nothing.
// Following costs a run without it nothing: all ports of one with it leave the
// plain path.
type Follower interface {
	// Queued tells that a frame came to a link's port whose discipline decides when it
	// is sent, before it is known whether there is room for it.
	Queued(now sim.Time, link topo.PortID, id FrameID)
	// Sent tells that a link's wire will carry a frame from begin until departs.
	// It is told again if the link's rate changes before.
	Sent(link topo.PortID, id FrameID, begin, departs sim.Time)
	// Arrived tells that a frame is ready at the far end of a link, before
	// anything is done with it there. By some of the time since it departed a host that is
	// inexact made it late.
	Arrived(now sim.Time, link topo.PortID, id FrameID, late sim.Time)
	// Dropped tells that a frame ended at a link's port, or on the link. One that
	// is lost at random is told when its transmission is decided.
	Dropped(now sim.Time, link topo.PortID, id FrameID, why Reason)
	// Paused tells that a link's sending end must not send a class from now on, or may again.
	Paused(now sim.Time, link topo.PortID, class uint8, pause bool)
	// Trimmed tells that a frame was cut to its header at a link's port.
	Trimmed(now sim.Time, link topo.PortID, id FrameID)
}

// follow is who follows the frames of a domain.
type follow struct {
	Follower
	now sim.Time // of the event under way
}

func (o *follow) queued(link int32, id FrameID, now sim.Time) {
	o.Queued(now, topo.PortID(link), id)
}

// sent tells of a transmission that takes some time and ends at another.
func (o *follow) sent(link int32, id FrameID, took, departs sim.Time) {
	o.Sent(topo.PortID(link), id, departs-took, departs)
}

func (o *follow) dropped(link int32, id FrameID, why Reason) {
	o.Dropped(o.now, topo.PortID(link), id, why)
}

func (o *follow) trimmed(link int32, id FrameID) { o.Trimmed(o.now, topo.PortID(link), id) }

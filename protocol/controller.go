package protocol

import "weft/unit"

// This file has what switches may do by themselves: compute something for each queue, now and
// then, and tell the sources of all flows in it (RoCC, CoNEXT 2020).

// Controller makes what runs at each queue of a class at the switches. The zero value is none.
type Controller struct {
	// Period is the time between ticks, which are at Offset and its multiples from there. Offset is
	// less than Period.
	Period, Offset unit.Time
	// NoticeBytes is the size of a notice on the wire.
	NoticeBytes unit.Bytes
	// New makes the controller of one queue.
	New func(env QueueEnv) QueueController
}

// On tells whether there is one.
func (c *Controller) On() bool { return c.New != nil }

// QueueController is what runs at one queue of a switch port.
type QueueController interface {
	// Tick is called at every tick with what the queue holds, the frame in
	// service included. If it says so, all flows that have a packet waiting are sent the notice.
	//
	// While the queue is empty, calls may come late, all before the next one for a queue that
	// is not, each with its own time. Nobody gets a notice then.
	Tick(now unit.Time, queue unit.Bytes) (notice Notice, tell bool)
	// Settled tells that further ticks with an empty queue change nothing, so that they are left
	// out.
	Settled() bool
}

// Notice is what a controller tells a flow, in words whose meaning is the control's own.
type Notice [2]uint64

// Notified is a [Congestion] that takes notices of controllers.
type Notified interface {
	// Notify tells of a notice that came from a queue. The number tells queues apart.
	Notify(now unit.Time, from int32, n Notice)
}

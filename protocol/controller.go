package protocol

import "weft/unit"

// This file has what switches may do by themselves: compute something for each queue, now and
// then, and tell it to the sources of all flows in it by notices (RoCC, CoNEXT 2020), or to the
// packets that pass, in fields that they carry (RCP, IWQoS 2005).

// Controller makes what runs at each queue of a class at the switches. The zero value is none.
type Controller struct {
	// Period is the time between ticks, which are at Offset and its multiples from there; 0 is the base
	// RTT of the fabric. Offset is less than Period.
	Period, Offset unit.Time
	// NoticeBytes is the size of a notice on the wire; 0 where the controller tells nobody.
	NoticeBytes unit.Bytes
	// NoticeGap is the least time between two notices of a queue to a flow, if that is longer than Period.
	NoticeGap unit.Time
	// Fields tells that data packets carry a [Field], which makes them, and their acknowledgements,
	// longer on the wire by FieldBytes. The controls of connections are Fielders then.
	Fields     bool
	FieldBytes unit.Bytes
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

// FieldController is a [QueueController] that sees the frames of its queue, and reads and changes what
// they carry. Both methods are told of all frames, in order of time, before the tick of their
// instant; field is nil for those that carry none, as acknowledgements.
type FieldController interface {
	// Arrived tells of a frame that came to the queue, which may be full and drop it.
	Arrived(now unit.Time, wire unit.Bytes, field *Field)
	// Left tells of a frame whose transmission begins.
	Left(now unit.Time, wire unit.Bytes, field *Field)
}

// Field is what a data packet carries for the controllers of the queues that it passes, in words
// whose meaning is the control's own. The receiver copies it into the acknowledgement.
type Field [2]uint64

// Fielder is a [Congestion] whose data packets carry a field. What switches made of it comes back as
// Ack.Field.
type Fielder interface {
	// Field returns what the packet carries that is sent now.
	Field(now unit.Time) Field
}

// FieldProber is a [Fielder] that may send its field in a frame without payload, which the receiver sends back
// and nobody sends again: where it sends too little data to hear of switches in time. It is Timed or a Pacer as well.
type FieldProber interface {
	Fielder
	// Probe tells whether such a frame is to be sent now. It is asked after every call of another method
	// but Field, and of itself if it says so.
	Probe(now unit.Time) bool
	// Probed brings the field back of a frame that was sent so long ago, unless the connection was idle since.
	Probed(now unit.Time, field Field, rtt unit.Time)
}

// Notice is what a controller tells a flow, in words whose meaning is the control's own.
type Notice [2]uint64

// Notified is a [Congestion] that takes notices of controllers.
type Notified interface {
	// Notify tells of a notice that came from a queue. The number tells queues apart.
	Notify(now unit.Time, from int32, n Notice)
}

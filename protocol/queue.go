package protocol

import (
	"math/rand/v2"

	"weft/unit"
)

// QueueEnv is what a rule knows of its queue, one class of one port of a switch, when it is
// made. The values do not change.
type QueueEnv struct {
	// Rand is the rule's own stream.
	Rand *rand.PCG
	// Rate is the nominal rate of the port's link.
	Rate unit.Rate
	// Class is the priority class, of Classes; class 0 goes first.
	Class, Classes int
	// Limit is what the class may hold.
	Limit unit.Bytes
	// BaseRTT is the unloaded round-trip time of the fabric. Only controllers are told; others have 0.
	BaseRTT unit.Time
}

// Queue is what a rule is shown when it decides on a frame. What is held includes the frame in
// service, until it is sent, and leaves out the frame that is decided on.
type Queue struct {
	Now unit.Time
	// Frame is the size of the frame.
	Frame unit.Bytes
	// Class and Port are what the frame's class and all classes of the port hold.
	Class, Port unit.Bytes
	// Free is what is left of the buffer that the ports of the switch share; 0 without one.
	Free unit.Bytes
}

// Marker marks the frames of one queue for congestion (ECN). It is told of both ends of a
// frame's stay, and may mark at either.
type Marker interface {
	// Arrived is called for a frame that is about to be queued.
	Arrived(q Queue) (mark bool)
	// Left is called when the transmission of a frame begins that waited so long.
	Left(q Queue, waited unit.Time) (mark bool)
}

// Marking is a law by which ports mark frames for congestion: RED on the queue at this
// instant, or a rule. A queue up to KMin marks nothing, one beyond KMax marks everything, and
// in between the probability rises linearly to PMax. The zero value marks nothing.
type Marking struct {
	// On is RED.
	On bool
	// KMin and KMax are in bytes, bandwidth-delay products of the port's link, or as
	// a share of the limit of its queue.
	KMin, KMax unit.Amount
	PMax       unit.Ratio
	// AtDequeue decides when transmission begins, and otherwise when the frame
	// arrives.
	AtDequeue bool
	// SpareFirst lets the first frame above the threshold after one below it go unmarked.
	SpareFirst bool
	// ByPort compares what all classes of a port hold, instead of the frame's class alone.
	ByPort bool

	// Core leaves out the ports that lead to hosts, and those of hosts.
	Core bool
	// New, if not nil, makes the rule of one queue, which decides instead of RED.
	New func(env QueueEnv) Marker
	// Needs is what the rule relies on.
	Needs Needs
}

// Marks tells whether the law marks anything.
func (m *Marking) Marks() bool { return m.On || m.New != nil }

// Admitter decides which frames one queue takes.
type Admitter interface {
	// Admits tells whether the queue takes a frame. It is asked of frames for which the limit
	// of the class has room; what it refuses is dropped, or trimmed, as at a full queue.
	Admits(q Queue) bool
}

// Admission is a rule that must agree before a port takes a frame, beside the limit of the
// class and the buffer that ports share. The zero value always agrees.
type Admission struct {
	// New, if not nil, makes the rule of one queue.
	New func(env QueueEnv) Admitter
	// Needs is what the rule relies on.
	Needs Needs
}

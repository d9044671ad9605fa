package protocol

import "weft/unit"

// MaxClasses is the largest number of priority classes that a port has.
const MaxClasses = 8

// SchedulerEnv is what a scheduler knows of its port when it is made. The values do not change.
type SchedulerEnv struct {
	// Rate is the nominal rate of the port's link.
	Rate unit.Rate
	// Classes is the number of classes of the port, at most MaxClasses.
	Classes int
	// Reserved is how many of the first classes hold trimmed headers or credits only.
	Reserved int
	// Frame is the size of a full data frame.
	Frame unit.Bytes
}

// Ready shows a scheduler the classes of its port when the wire is free.
type Ready struct {
	// Waiting has bit k set if a frame of class k waits, and Open if one waits and the far end of the link has not paused
	// the class. Open has at least one bit.
	Waiting, Open uint8
	// Heads are the sizes of the first waiting frames, 0 for a class in which none waits.
	Heads [MaxClasses]unit.Bytes
}

// Scheduler chooses which class of one port sends next. It learns no time: a port may ask for several decisions at once, late, but
// always with what had come by the time of each (docs/design/0032-schedulers.md). Frames of one class keep their order.
type Scheduler interface {
	// Queued reports a frame that begins to wait, and whether no other frame of its class waits. A frame that finds the port
	// idle is reported, too, and Next follows.
	Queued(class int, size unit.Bytes, first bool)
	// Next returns the class whose first frame is sent, one of r.Open.
	Next(r *Ready) (class int)
}

// Scheduling is how ports choose among their classes. The zero value is strict priority, class 0 first.
type Scheduling struct {
	// New, if not nil, makes the scheduler of one port. It refuses a port that its options do not fit.
	New func(env SchedulerEnv) (Scheduler, error)
	// Ahead returns how many full queues a port sends at most while one full queue of a class drains, that one included. Timeouts
	// allow for it. Nil counts all classes.
	Ahead func(env SchedulerEnv, class int) int
	// Needs is what the scheduler relies on.
	Needs Needs
}

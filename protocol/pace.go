package protocol

import "weft/unit"

// This file has what a [Congestion] may do beside stating a window. Each interface is
// optional, and a control that has none of them costs what it did without. Whatever a
// control is asked for here it is asked after every call, so that no change needs to be
// announced, and the methods that answer must cost little.

// Timed is a [Congestion] that acts at times of its own: it lets a rate recover, or a
// share decay, when nothing was heard for a while.
type Timed interface {
	// Deadline returns when Expire is to be called, [unit.Forever] if never. It may change
	// to an earlier or a later time with any call. A time that has passed means at once.
	Deadline() unit.Time
	// Expire tells that the deadline has come, at that time exactly. Deadline must be later
	// than now after it.
	//
	// An idle connection, all of whose messages are acknowledged, sets no timers: a run ends
	// when nothing is left to happen. What it missed is made up for when it goes on, each call
	// with the time of its deadline, before anything else is told to the control. So a
	// control that is at rest returns Forever.
	Expire(now unit.Time)
}

// Pacer is a [Congestion] that spaces its packets, beside its window or, with a window that is
// never full, in place of one.
type Pacer interface {
	Pace() Pace
}

// Pace is how a connection spaces its data frames. The zero value is not at all.
type Pace struct {
	// Rate is that at which frames leave at most, headers included, and retransmissions as
	// well. After a frame the connection waits as long as it takes at that rate, from when the
	// frame was begun, with no credit for having been idle. If the rate changes meanwhile,
	// what is left of the wait changes by old/new. No fraction of a picosecond is lost: n
	// frames of s bits after another take n·s/Rate, rounded down.
	//
	// At the rate of the host's link or above nothing waits, since the link itself takes as
	// long.
	Rate unit.Rate
	// Gap, where Rate is 0, is the time from a frame to the next, whatever its size, for
	// controls that may want less than one packet in flight. A wait for it ends early only
	// when Pace becomes zero. A change between Rate and Gap counts from the next frame on.
	Gap unit.Time
}

// SendCounter is a [Congestion] that is told of every data frame of its connection that is
// handed to the network, with its size on the wire: for counters of bytes, and for those that
// must know what was sent when they acted last.
type SendCounter interface {
	Sent(now unit.Time, wire unit.Bytes)
}

package scenario

import (
	"context"

	"weft/fabric"
	"weft/record"
	"weft/scenario/internal/watch"
	"weft/sim"
	"weft/transport"
	"weft/unit"
)

// run is a scenario in execution.
type run struct {
	*plan
	*watch.Scene
	*watch.Moment
	options   RunOptions
	threads   int
	domains   int
	kind      sim.QueueKind
	swept     uint64 // windows, once the network is gone
	observers []watch.Observer
	window    *window // one of them
	steps     int     // of the engine, so far
}

// RunOptions say how to execute a scenario. They never change results.
type RunOptions struct {
	// Threads is the number of threads of the engine; 0 is the scenario's.
	Threads int
	// Domains is the number of domains to cut the fabric into; 0 is the scenario's.
	Domains int
	// Check counts all frames and bytes at the end of every window.
	Check bool
	// Progress, if not nil, is called now and then from the running goroutine.
	Progress func(Progress)
	// Building, if not nil, is told what of the network is being built, and which share of that is
	// done, from 0 to 1. It may be called by any goroutine, by one at a time.
	Building func(what string, share float64)
	// Built, if not nil, is called before the first event, when all is built.
	Built func()
	// Live, if not nil, is what the fabric carries in place of the packets of the scenario's traffic. That starts only if it is a
	// LiveMessages.
	Live Live

	observe func(domain int, e fabric.Event)
	follow  *follower
	// tap sees the way of every frame, in tests, in one domain.
	tap fabric.Follower
}

// Live is packets that come from outside of the simulation, and go there. The fabric is one domain.
type Live interface {
	// Attach returns what the fabric calls for hosts.
	Attach(d *fabric.Domain) fabric.Endpoint
	// Follower sees the way of frames.
	Follower() fabric.Follower
	// Advance runs a network up to a time, and returns sooner if the context ends. Over tells that the time to which
	// the network came is the last one.
	Advance(ctx context.Context, n *fabric.Network, until unit.Time) (now unit.Time, over bool, err error)
}

// LiveMessages is a Live that carries the messages of the scenario's traffic by means of its own.
type LiveMessages interface {
	Live
	transport.Outside
	// Window tells that the measured window begins, or that it ends. It returns at once.
	Window(begins bool)
	// Told returns what those that carried messages counted, once the run is over.
	Told() Told
	// Carry says, before the network runs, whom it tells of messages that arrive, and what hosts do at their times.
	Carry(to *transport.Transport)
	// AttachBeside is Attach for a host that has an endpoint for messages, too: that wants timers only.
	AttachBeside(d *fabric.Domain, messages fabric.Endpoint) fabric.Endpoint
}

// Told is what those that carried the messages of a live run counted. They know nothing of groups of traffic.
type Told struct {
	// Packets are those that arrived in the measured window, but for those that a control keeps the mark of. Retransmits and Timeouts
	// are in it, too.
	Packets               record.Packets
	Retransmits, Timeouts int64
	// RTT is over packets acknowledged in the measured window; empty if nobody measured any.
	RTT record.RTTs
	// Spurious is how many copies came of packets that had come, over the whole run.
	Spurious int64
}

// Progress tells how far a run is.
type Progress struct {
	// Now is the simulated time, Until the scenario's end, Forever if it drains.
	Now, Until unit.Time
	// Delivered is the payload delivered so far; Total the payload of all
	// messages, 0 if it isn't known.
	Delivered, Total unit.Bytes
	// Messages and Completed count messages that have started and those whose
	// last byte was delivered.
	Messages, Completed uint64
	Events              uint64
}

// Share returns how much of the run is done, from 0 to 1, as far as that is known.
func (p Progress) Share() float64 {
	switch {
	case p.Total > 0:
		return min(1, float64(p.Delivered)/float64(p.Total))
	case p.Until > 0 && p.Until != unit.Forever:
		return min(1, float64(p.Now)/float64(p.Until))
	}
	return 0
}

// settled tells whether every message that started was acknowledged in full. A
// network in which nothing moves any more before that has not drained: a repair
// may come, or else the run is stuck.
func settled(t *transport.Transport) bool {
	c := t.Counts()
	return c.Completed == c.Started
}

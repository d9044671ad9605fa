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
	swept     uint64 // windows swept, once the network is freed
	observers []watch.Observer
	window    *window // one of the observers
	steps     int     // steps of the engine so far
}

// RunOptions are options of executing a scenario. They never change results.
type RunOptions struct {
	// Threads is the number of threads of the engine. 0 means the scenario's number.
	Threads int
	// Domains is the number of domains to cut the fabric into. 0 means the scenario's
	// number.
	Domains int
	// Check counts all frames and bytes at the end of every window.
	Check bool
	// Progress, if not nil, is called from time to time from the running goroutine.
	Progress func(Progress)
	// Building, if not nil, is called with the step of building and the share of it that is
	// done, from 0 to 1. Any goroutine may call it, but only one at a time.
	Building func(what string, share float64)
	// Built, if not nil, is called after everything is built, before the first event.
	Built func()
	// Live, if not nil, provides the packets that the fabric carries instead of the
	// scenario's traffic. The traffic starts only if Live is a LiveMessages.
	Live Live

	observe func(domain int, e fabric.Event)
	follow  *follower
	// tap follows every frame, in tests, in a single domain.
	tap fabric.Follower
}

// Live exchanges packets with the world outside the simulation. The fabric is then one
// domain.
type Live interface {
	// Attach returns the endpoint that the fabric calls for hosts.
	Attach(d *fabric.Domain) fabric.Endpoint
	// Follower follows the frames through the fabric.
	Follower() fabric.Follower
	// Advance runs a network up to a time, or until the context ends. It returns the time
	// that the network reached; over reports that this is the end of the run.
	Advance(ctx context.Context, n *fabric.Network, until unit.Time) (now unit.Time, over bool, err error)
}

// LiveMessages is a Live that carries the messages of the scenario's traffic by its own
// means.
type LiveMessages interface {
	Live
	transport.Outside
	// Window announces the beginning or the end of the measured window. It returns at once.
	Window(begins bool)
	// Told returns the counts of the endpoints that carried the messages, once the run is
	// over.
	Told() Told
	// Carry sets, before the network runs, the transport that is notified of arriving
	// messages and of hosts' times to act.
	Carry(to *transport.Transport)
	// AttachBeside is Attach for a host that also has an endpoint for messages, which only
	// wants timers.
	AttachBeside(d *fabric.Domain, messages fabric.Endpoint) fabric.Endpoint
}

// Told holds the counts of the endpoints that carried the messages of a live run. They do
// not distinguish groups of traffic.
type Told struct {
	// Packets counts the packets that arrived in the measured window, except packets whose
	// mark a control keeps. Retransmits and Timeouts count events in the measured window,
	// too.
	Packets               record.Packets
	Retransmits, Timeouts int64
	// RTT covers the packets acknowledged in the measured window. It is empty if nobody
	// measured any.
	RTT record.RTTs
	// Spurious counts copies of packets that had already arrived, over the whole run.
	Spurious int64
}

// Progress describes the progress of a run.
type Progress struct {
	// Now is the simulated time. Until is the scenario's end, or Forever if the run ends
	// when it has drained.
	Now, Until unit.Time
	// Delivered is the payload delivered so far. Total is the payload of all messages, or 0
	// if it isn't known.
	Delivered, Total unit.Bytes
	// Messages counts the messages that have started; Completed counts those whose last
	// byte was delivered.
	Messages, Completed uint64
	Events              uint64
}

// Share returns the share of the run that is done, from 0 to 1, as well as it is known.
func (p Progress) Share() float64 {
	switch {
	case p.Total > 0:
		return min(1, float64(p.Delivered)/float64(p.Total))
	case p.Until > 0 && p.Until != unit.Forever:
		return min(1, float64(p.Now)/float64(p.Until))
	}
	return 0
}

// settled reports whether every message that started was acknowledged in full. If nothing
// moves any more before that, the network has not drained: a repair may still come, or else
// the run is stuck.
func settled(t *transport.Transport) bool {
	c := t.Counts()
	return c.Completed == c.Started
}

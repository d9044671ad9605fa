package fabric

import (
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// The engine knows no features. It calls hooks, which features set while the
// network is built (addFeatures in build.go). An unset hook costs one check. Each
// question about a frame goes to one hook of one feature; only taps may be several.

// A router chooses where a frame goes on, instead of the tables.
type router interface {
	// next returns the port by which a frame leaves a switch, or a negative number if there is
	// none. from is how the frame came; updated is from, adjusted if the class of the frame changed.
	next(s *switchState, f *Frame, from via, now sim.Time) (port int32, updated via)
}

// A diverter may override the port chosen by tables or router.
type diverter interface {
	// diverts reports whether a frame may be diverted. It depends on the frame alone.
	diverts(f *Frame) bool
	// divert returns the port by which such a frame goes on, given the port chosen for it.
	divert(s *switchState, port int32, f *Frame, from via, now sim.Time) (other int32, updated via)
}

// A tap sees the frames of a port with a discipline.
type tap interface {
	// onArrival sees a frame that reached the port for class k, before it is known whether there
	// is room. It reports whether it let the frame through; if not, it has dropped it.
	onArrival(p *port, i int32, f *Frame, id FrameID, k uint8, from via, now sim.Time) (through bool)
	// onStart sees a frame of class k whose transmission begins. The frame still counts as queued.
	onStart(p *port, i int32, f *Frame, k uint8, now sim.Time)
	// onHeld is called when a frame begins to wait in class k while the far end pauses that class.
	onHeld(i int32, k uint8, now sim.Time)
}

// taps are several taps of one port.
type taps []tap

func (l taps) onArrival(p *port, i int32, f *Frame, id FrameID, k uint8, from via, now sim.Time) bool {
	for _, t := range l {
		if !t.onArrival(p, i, f, id, k, from, now) {
			return false
		}
	}
	return true
}

func (l taps) onStart(p *port, i int32, f *Frame, k uint8, now sim.Time) {
	for _, t := range l {
		t.onStart(p, i, f, k, now)
	}
}

func (l taps) onHeld(i int32, k uint8, now sim.Time) {
	for _, t := range l {
		t.onHeld(i, k, now)
	}
}

// A witness sees a port before its state changes.
type witness interface {
	before(p *port, i int32, now sim.Time)
}

// A limiter controls when frames of class 0 of a port go.
type limiter interface {
	// fits reports whether there is room for another frame, and the reason if not.
	fits(size uint32) (fits bool, why Reason)
	// waits adds a frame to the queue.
	waits(size uint32)
	// take removes the first waiting frame if it may go now. If not, it may go at due.
	take(rate unit.Rate, size unit.Bytes, now sim.Time) bool
	due() sim.Time
	// clear forgets the waiting frames.
	clear()
}

// A meter is told the time before the bytes held by a switch change.
type meter interface{ measure(now sim.Time) }

// A waiter keeps the wire of a host idle for a while before its next frame.
type waiter interface {
	wait(h int32, p *port, now sim.Time)
}

// A receiver sees a frame that reaches a host, before the endpoint does.
type receiver interface {
	received(h int32, f *Frame, now sim.Time)
}

// events are the entities of a feature.
type events interface {
	// event handles the event of the feature's entity i.
	event(i int32, now sim.Time)
	// rank returns the rank of entity i, given the ranks of all domains' wires, services and hosts.
	rank(i int32, ranks [][]uint32) uint32
}

// others describes a feature's entities within a domain, from first on.
type others struct {
	events
	first sim.Entity
	count int32
	kind  EventKind
	ports bool // one entity per port
}

// notices are messages to the sending ends of links from their far ends.
type notices interface {
	// addNotice schedules a notice for port i.
	addNotice(i int32, n notice)
	// gather adds to a batch the notices for switch ports that are due in a swept
	// window. handleSwept acts on the notices of one port.
	gather(b *batch, from, to sim.Time)
	handleSwept(i int32, now sim.Time)
}

// instants act after everything else of an instant.
type instants interface {
	// sweep handles the keys of a swept window up to the last such instant, and the
	// instants themselves. It returns the remaining keys.
	sweep(b *batch, keys []uint64, from, to sim.Time) []uint64
	// expect tells the scheduler when the next instant is.
	expect()
}

// A windowEnd runs at the end of a window and returns the latest time at which the
// next one must begin.
type windowEnd func(end sim.Time) (next sim.Time)

// domainHooks are the hooks of a domain.
type domainHooks struct {
	router   router   // nil if the tables choose the port
	diverter diverter // nil if nothing overrides that port
	waiter   waiter
	receiver receiver
	notices  notices
	instants instants
	others   []others
	served   []windowEnd // after switches have done everything due in the window, before hosts act in a swept one
	closed   []windowEnd // when the window is over
}

// networkHooks are the hooks of a network.
type networkHooks struct {
	check  []func() error                                         // compares the accounts of a feature with the actual state
	clock  func(topo.PortID, unit.Rate) unit.Rate                 // rate of a link by the clock of its sender
	path   func(*Frame) (path []topo.PortID, reached, known bool) // of a hashed frame, if it differs from the tables' path
	run    func(until sim.Time, threads int)                      // replaces the engine's Run
	tables []func(*route.Tables)                                  // when routes change
	cut    []func(topo.PortID, sim.Time)                          // when a link fails
	change []func(sim.Time)                                       // when a link changes
	finish []func(sim.Time)                                       // when the run ends
	quiet  []func(sim.Time) sim.Time                              // returns when the last event happened that had been decided by a given time
}

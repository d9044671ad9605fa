package fabric

import (
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// The engine knows no feature. It calls hooks, which features set where the network is built (addFeatures in build.go). A hook that nothing
// sets costs a look at whether it is set. What is asked of each frame is one hook of one feature; only several taps are a list.

// A router says where a frame goes on, in place of the tables.
type router interface {
	// next returns the port by which a frame goes on from a switch, or a negative number if there is none. The
	// frame came as from says, which next returns anew if the class of the frame changed.
	next(s *switchState, f *Frame, from via, now sim.Time) (port int32, came via)
}

// A diverter may send a frame another way than tables or a router.
type diverter interface {
	// diverts tells whether a frame is one that may be sent another way. It depends on the frame alone.
	diverts(f *Frame) bool
	// divert returns the port by which such a frame goes on that would go by the given one.
	divert(s *switchState, port int32, f *Frame, from via, now sim.Time) (other int32, came via)
}

// A tap sees the frames of a port with a discipline.
type tap interface {
	// came sees a frame that came to the port, for class k, before it is known whether there is room for it. It tells whether
	// it let the frame through, which else it dropped.
	came(p *port, i int32, f *Frame, id FrameID, k uint8, from via, now sim.Time) (through bool)
	// begins sees a frame of class k whose transmission begins. It is queued still.
	begins(p *port, i int32, f *Frame, k uint8, now sim.Time)
	// held sees that a frame began to wait in class k while the far end pauses that.
	held(i int32, k uint8, now sim.Time)
}

// taps are several.
type taps []tap

func (l taps) came(p *port, i int32, f *Frame, id FrameID, k uint8, from via, now sim.Time) bool {
	for _, t := range l {
		if !t.came(p, i, f, id, k, from, now) {
			return false
		}
	}
	return true
}

func (l taps) begins(p *port, i int32, f *Frame, k uint8, now sim.Time) {
	for _, t := range l {
		t.begins(p, i, f, k, now)
	}
}

func (l taps) held(i int32, k uint8, now sim.Time) {
	for _, t := range l {
		t.held(i, k, now)
	}
}

// A witness sees a port before anything happens to it at a time.
type witness interface {
	before(p *port, i int32, now sim.Time)
}

// A limiter says when frames of class 0 of a port go.
type limiter interface {
	// fits tells whether there is room for one more, and why not.
	fits(size uint32) (fits bool, why Reason)
	// waits takes one in.
	waits(size uint32)
	// take lets the one that waits first go, if it may. If not, it may when it is due.
	take(rate unit.Rate, size unit.Bytes, now sim.Time) bool
	due() sim.Time
	// clear forgets what waits.
	clear()
}

// A meter sees what a switch holds, up to a time, before that changes.
type meter interface{ pass(now sim.Time) }

// A waiter has the wire of a host idle for a while before its next frame.
type waiter interface {
	wait(h int32, p *port, now sim.Time)
}

// A receiver sees a frame that comes to a host, before its endpoint does.
type receiver interface {
	received(h int32, f *Frame, now sim.Time)
}

// events are entities of a feature.
type events interface {
	// event lets entity i of them have its turn.
	event(i int32, now sim.Time)
	// rank returns its rank, given those of all domains' wires, services and hosts.
	rank(i int32, ranks [][]uint32) uint32
}

// others are the entities of a feature among those of a domain, from first on.
type others struct {
	events
	first sim.Entity
	count int32
	kind  EventKind
	ports bool // there is one for each port
}

// notices are what sending ends hear from the far ends of their links.
type notices interface {
	// hear has port i heed a notice at its time.
	hear(i int32, n notice)
	// gather adds to a batch those for ports of switches that are due in a swept window, and heedSwept lets such a port have
	// its turn.
	gather(b *batch, from, to sim.Time)
	heedSwept(i int32, now sim.Time)
}

// instants have their turn after all else of an instant.
type instants interface {
	// sweep handles what precedes the last of them in a swept window, and themselves, and returns what is left.
	sweep(b *batch, keys []uint64, from, to sim.Time) []uint64
	// expect has the schedule expect the next one.
	expect()
}

// A windowEnd has its turn at the end of a window, and returns a time by which the next one must begin.
type windowEnd func(end sim.Time) (next sim.Time)

// domainHooks are those of a domain.
type domainHooks struct {
	router   router   // nil if tables say how frames go on
	diverter diverter // nil if that is the end of it
	waiter   waiter
	receiver receiver
	notices  notices
	instants instants
	others   []others
	served   []windowEnd // once switches have done all that is due in the window, and before hosts take their turns in a swept one
	closed   []windowEnd // when the window is over
}

// networkHooks are those of a network.
type networkHooks struct {
	check  []func() error                                         // compares what the feature accounts for with what there is
	clock  func(topo.PortID, unit.Rate) unit.Rate                 // what a rate comes to by the clock of a link's sender
	path   func(*Frame) (path []topo.PortID, reached, known bool) // of a hashed frame, if it is another one than the tables'
	run    func(until sim.Time, threads int)                      // in place of the engine's
	tables []func(*route.Tables)                                  // routes change
	cut    []func(topo.PortID, sim.Time)                          // a link failed
	change []func(sim.Time)                                       // a link did
	finish []func(sim.Time)                                       // the run ends
	quiet  []func(sim.Time) sim.Time                              // returns when the last thing happened that was decided by a time
}

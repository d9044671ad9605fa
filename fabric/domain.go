package fabric

import (
	"weft/internal/packet"
	"weft/sim"
	"weft/topo"
)

// Endpoint is the transport side of the hosts of one domain. Hosts are numbered
// within the domain. Its methods are called while an event is handled. They may
// call SetTimer and use the domain's store.
type Endpoint interface {
	// Receive takes over a frame that reached its host: the endpoint must free it or
	// send it on. It reports whether the host has something to send.
	Receive(now sim.Time, host int32, id FrameID) (ready bool)
	// Pull returns the next frame of a host whose wire is free. more reports whether
	// another frame will follow at once.
	Pull(now sim.Time, host int32) (id FrameID, more, ok bool)
	// Timer signals that the time set with SetTimer has come. It reports whether the
	// host has something to send.
	Timer(now sim.Time, host int32) (ready bool)
	// Paused sets the classes, one bit each, that the host must not send from now on.
	// It reports whether the host has something to send in the others.
	Paused(now sim.Time, host int32, classes uint8) (ready bool)
}

// Warmer is an endpoint that can read in advance, without side effects, what a busy
// window will need of all its hosts, so that the cache misses overlap. frames is
// how many frames arrived in the last window: reading more than that costs more
// than it saves. The result only keeps the compiler from removing the reads.
type Warmer interface{ Warm(frames uint64) uint64 }

// wire is the receiving end of a directed link: the frames under way on it and the
// node where they arrive. Its arrival event is the entity of the same number.
type wire struct {
	*ring
	delay sim.Time // from departure until the frame is ready at the node
	port  int32    // the sending end, or -1 if that is in another domain
	node  int32    // the receiving switch, or the bitwise complement of the receiving host
}

// nic is a host's sending end.
type nic struct {
	port    int32
	in      sim.Entity // arrivals at the host
	wake    sim.Entity // fires when the wire is free; the host's timer follows it
	notices sim.Entity // pauses from the far end of its link; 0 if it cannot be paused
	pauses  uint8      // classes that it must not send
	out     passage    // lateness of its frames to a switch of a swept domain; otherwise their wire has it
}

// attachment is the place of a host: its edge switch, and the port of that switch
// as numbered in the switch's domain.
type attachment struct{ edge, port int32 }

// Domain is the part of a network that one scheduler runs. It implements sim.Handler.
type Domain struct {
	packet.Store
	order
	layout
	numbers  entities
	swept    window
	mail     mail
	tally    tally
	sprays   sprays
	late     lateness
	hooks    domainHooks
	network  *Network
	endpoint Endpoint
	follow   *follow  // nil without a Follower
	behind   []int32  // see serveAfter
	punctual special  // see there
	limit    sim.Time // up to which the network runs
	// Hosts maps the domain's host numbers to host indices of the graph.
	Hosts []int32
}

// layout holds the nodes and links of a domain.
type layout struct {
	wires    []wire
	ports    []port
	cold     []portCold
	switches []switchState
	nics     []nic
	services []int32       // port of each service entity
	remote   []ring        // rings of wires from other domains; in a swept domain, only of wires into hosts
	attached []attachment  // of all hosts of the network; shared, read only
	links    []topo.PortID // see arrivals
}

// entities are the ranges of entity numbers. Those of wires come first.
type entities struct {
	firstService, firstHost, firstOther sim.Entity
	beyond                              sim.Entity // one past the last
	hostWires                           int32      // first wire into a host; wires into switches come before, ordered by rank
}

// window is the state of swept windows.
type window struct {
	sweeping bool
	wheel    wheel      // frames on their way to switches
	soon     []sim.Time // per group of hosts: see hostTurns
	together [][]int32  // per host, the hosts that act together with it, including itself; or nil
	known    sim.Time   // all arrivals at hosts before this time are under way
	batches  *[]batch   // one per worker
	batch    *batch     // batch of the worker that runs the domain
}

// tally holds the counts of a domain.
type tally struct {
	hops              uint64
	totals            Totals
	warmedAt, warmSum uint64 // see warm
}

// addEvents reserves entities of the domain for a feature and returns the first of them.
func (d *Domain) addEvents(o others) sim.Entity {
	o.first = d.numbers.beyond
	d.numbers.beyond += sim.Entity(o.count)
	d.hooks.others = append(d.hooks.others, o)
	return o.first
}

// other returns the feature to which an entity belongs.
func (d *Domain) other(e sim.Entity) *others {
	k := len(d.hooks.others) - 1
	for d.hooks.others[k].first > e {
		k--
	}
	return &d.hooks.others[k]
}

// Frame returns a frame. The pointer is valid until the next Alloc.
func (d *Domain) Frame(id FrameID) *Frame { return &d.Packets[id] }

// SetTimer schedules a call of the endpoint's Timer for a host at the given time.
// If an earlier call is pending, that one stays instead.
func (d *Domain) SetTimer(h int32, at sim.Time) {
	e := d.numbers.firstHost + sim.Entity(2*h+1)
	if t, ok := d.sched.Pending(e); ok && t <= at {
		return
	}
	d.sched.Schedule(e, at)
	d.stir(h, at)
}

// TimerPassed reports whether a timer of the host due at this instant would precede
// the current event.
func (d *Domain) TimerPassed(h int32) bool {
	return d.precedes(d.numbers.firstHost + sim.Entity(2*h+1))
}

// EventKind is the kind of an event of a fabric.
type EventKind uint8

// Kinds of event.
const (
	// Arrival: a frame is ready at the far end of a link.
	Arrival EventKind = iota
	// Service: a port with a discipline may begin its next transmission.
	Service
	// Wake: a host's wire is free.
	Wake
	// Timer: the time that a host's transport asked for has come.
	Timer
	// Notice: the far end of a link pauses or resumes a class.
	Notice
	// Tick: the controllers of queues run.
	Tick
)

// order is a domain's schedule and the position in it. Things that happen at the
// instant of the current event come before or after it by rank.
type order struct {
	sched   *sim.Scheduler
	current sim.Entity // entity of the current event, or noEvent
}

// noEvent stands for actions between events, which precede the events of their instant.
const noEvent sim.Entity = -1

// enter begins the turn of an entity and returns the entity whose turn it was.
func (o *order) enter(e sim.Entity) (was sim.Entity) {
	was, o.current = o.current, e
	return was
}

// precedes reports whether an entity due at this instant would precede the current event.
func (o *order) precedes(e sim.Entity) bool {
	return o.current != noEvent && o.sched.Precedes(e, o.current)
}

// follows reports whether an entity due at this instant follows the current event.
func (o *order) follows(e sim.Entity) bool {
	return o.current == noEvent || o.sched.Precedes(o.current, e)
}

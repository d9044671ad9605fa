package fabric

import (
	"weft/internal/packet"
	"weft/sim"
	"weft/topo"
)

// Endpoint is the transport side of the hosts of one domain. Hosts are numbered
// within the domain. Its methods are called while an event is handled, and may
// call SetTimer, and use the domain's store.
type Endpoint interface {
	// Receive takes over a frame that reached its host: the endpoint frees it or
	// sends it on. It reports whether the host has something to send.
	Receive(now sim.Time, host int32, id FrameID) (ready bool)
	// Pull yields the next frame the host sends, now that its wire is free, and
	// whether there will be another one right after it.
	Pull(now sim.Time, host int32) (id FrameID, more, ok bool)
	// Timer tells that the time set with SetTimer has come. It reports whether
	// the host has something to send.
	Timer(now sim.Time, host int32) (ready bool)
	// Paused tells that from now on the host must not send frames of some classes, a bit
	// each, but of all others. It reports whether the host has something to send.
	Paused(now sim.Time, host int32, classes uint8) (ready bool)
}

// Warmer is an endpoint that can read, without effect, what a busy window will
// need of all its hosts, so that the cache misses overlap. It is told how many frames
// arrived in the last window: reading more than that costs more than it saves. What it
// returns is of no use but to keep the reads.
type Warmer interface{ Warm(frames uint64) uint64 }

// wire is the receiving end of a directed link: what is under way on it, and
// where it arrives. Its arrival event is the entity of the same number.
type wire struct {
	*ring
	delay sim.Time // from departure until the frame is ready at the node
	port  int32    // the sending end if it is in this domain, or -1
	node  int32    // the receiving switch, or the complement of the host
}

// nic is a host's sending end.
type nic struct {
	port   int32
	in     sim.Entity // arrivals at the host
	wake   sim.Entity // fires when the wire is free; the host's timer follows it
	heeds  sim.Entity // of what it hears from the far end of its link; 0 if it hears nothing
	pauses uint8      // classes that it must not send
	out    passage    // of its frames to a switch of a swept domain; else their wire's
}

// attachment says where a host hangs: on which edge switch, and on which port
// of it, as numbered in the switch's domain.
type attachment struct{ edge, port int32 }

// Domain is the part of a network that one scheduler runs. It implements
// sim.Handler.
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
	follow   *follow  // nil without
	behind   []int32  // see serveAfter
	punctual special  // see there
	limit    sim.Time // up to which the network runs
	// Hosts maps the domain's host numbers to those of the graph.
	Hosts []int32
}

// layout is what a domain consists of.
type layout struct {
	wires    []wire
	ports    []port
	cold     []portCold
	switches []switchState
	nics     []nic
	services []int32       // port of each service entity
	remote   []ring        // of the wires that end at hosts, or of all, and come from other domains
	attached []attachment  // of all hosts of the network; shared, read only
	links    []topo.PortID // see arrivals
}

// entities says which numbers they have: those of wires come first.
type entities struct {
	firstService, firstHost, firstOther sim.Entity
	beyond                              sim.Entity // one past the last
	hostWires                           int32      // the first wire into a host; those into switches come before, by rank
}

// window is what belongs to windows that are swept.
type window struct {
	sweeping bool
	wheel    wheel      // of what is on its way to switches
	soon     []sim.Time // of groups of hosts: see hostTurns
	together [][]int32  // by host: those that act together with it, and itself; nil without
	known    sim.Time   // all arrivals at hosts before it are under way
	batches  *[]batch   // of the workers
	batch    *batch     // of the worker that runs the domain
}

// tally is what a domain counts.
type tally struct {
	hops              uint64
	totals            Totals
	warmedAt, warmSum uint64 // see warm
}

// addEvents gives a feature entities of the domain, and returns the first of them.
func (d *Domain) addEvents(o others) sim.Entity {
	o.first = d.numbers.beyond
	d.numbers.beyond += sim.Entity(o.count)
	d.hooks.others = append(d.hooks.others, o)
	return o.first
}

// other returns of which feature an entity is.
func (d *Domain) other(e sim.Entity) *others {
	k := len(d.hooks.others) - 1
	for d.hooks.others[k].first > e {
		k--
	}
	return &d.hooks.others[k]
}

// Frame returns a frame. The pointer is good until the next Alloc.
func (d *Domain) Frame(id FrameID) *Frame { return &d.Packets[id] }

// SetTimer asks for a call of the endpoint's Timer for a host at the given time
// or before. An earlier one that is pending stays.
func (d *Domain) SetTimer(h int32, at sim.Time) {
	e := d.numbers.firstHost + sim.Entity(2*h+1)
	if t, ok := d.sched.Pending(e); ok && t <= at {
		return
	}
	d.sched.Schedule(e, at)
	d.stir(h, at)
}

// TimerPassed tells whether the host's timer, were it due at this instant, would have come
// before the event under way.
func (d *Domain) TimerPassed(h int32) bool {
	return d.passed(d.numbers.firstHost + sim.Entity(2*h+1))
}

// EventKind tells events of a fabric apart.
type EventKind uint8

// Kinds of event.
const (
	// Arrival: a frame is ready at the far end of a link.
	Arrival EventKind = iota
	// Service: a port with a discipline may begin its next transmission.
	Service
	// Wake: a host's wire is free.
	Wake
	// Timer: a time that a host's transport asked for has come.
	Timer
	// Notice: the far end of a link pauses a class of it, or resumes one.
	Notice
	// Tick: controllers of queues have their turn.
	Tick
)

// order is a domain's schedule, and where in it the domain stands: what happens at the instant of the event under
// way comes before it or after it by rank.
type order struct {
	sched *sim.Scheduler
	turn  sim.Entity // of the event under way, or noTurn
}

// noTurn stands for what is done between events, and comes before those of its instant.
const noTurn sim.Entity = -1

// enter begins the turn of an entity, and returns whose turn it was.
func (o *order) enter(e sim.Entity) (was sim.Entity) {
	was, o.turn = o.turn, e
	return was
}

// passed tells whether an entity, were it due at this instant, would have had its turn.
func (o *order) passed(e sim.Entity) bool { return o.turn != noTurn && o.sched.Precedes(e, o.turn) }

// comes tells whether an entity that is due at this instant has its turn after the event under way.
func (o *order) comes(e sim.Entity) bool { return o.turn == noTurn || o.sched.Precedes(o.turn, e) }

package fabric

import (
	"weft/internal/packet"
	"weft/protocol"
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
	network *Network
	order
	endpoint Endpoint
	attached []attachment     // of all hosts of the network; shared, read only
	sprays   []protocol.Spray // shared, read only
	equals   []uint32         // see leastLoaded

	wires      []wire
	ports      []port
	cold       []portCold
	switches   []switchState
	nics       []nic
	soon       []sim.Time  // of groups of hosts, if windows are swept: see hostTurns
	jitters    []jitter    // of the hosts; nil without
	passages   []passage   // of the wires; nil without HostJitter
	sending    *passage    // of the host whose frame is being sent, if it is late at a switch of a swept domain
	hostJitter uint64      // frames are late by fewer picoseconds; at most 2³²
	latePulls  bool        // see sending
	services   []int32     // port of each service entity
	behind     []int32     // see serveAfter
	ingress    []int32     // of each wire, its place among those into its switch; nil without pauses
	reverse    []int32     // of each wire into a switch, the port back; nil without stamps
	notices    []heedful   // of the ports; nil without pauses
	noticing   []int32     // ports of switches that notices are coming to, if windows are swept
	pausing    []*pool     // switches that have paused somebody
	slow       []*slowHost // of the hosts; nil without any
	resting    []int32     // slow hosts that have paused their switch
	watchdogs  uint64      // how often one fired
	router     router      // nil if tables say how frames go on
	diverter   diverter    // nil if that is the end of it
	deflecting *deflecting // nil unless switches deflect
	detouring  *detouring  // nil without detours and lanes of walks

	firstService, firstHost sim.Entity
	firstNotice             sim.Entity
	tick                    sim.Entity // of all controllers; beyond all entities without
	hostWires               int32      // the first wire into a host; those into switches come before, by rank
	sweeping                bool       // windows are swept
	known                   sim.Time   // all arrivals at hosts before it are under way
	punctual                special    // see there
	batches                 *[]batch   // of the workers
	batch                   *batch     // of the worker that runs the domain

	wheel    wheel  // of what is on its way to switches, if windows are swept
	remote   []ring // of the wires that end at hosts, or of all, and come from other domains
	post     *post
	self     int32     // the domain's number
	out      []mailbox // of the window under way, by receiving domain
	exported sim.Time
	limit    sim.Time // up to which the network runs

	// Hosts maps the domain's host numbers to those of the graph.
	Hosts []int32

	hops   uint64
	totals Totals

	warmedAt, warmSum uint64        // see warm
	links             []topo.PortID // see arrivals
	follow            *following    // nil without
	controls          *controls     // nil without controllers

	signalDelay sim.Time // 0 without signals, and then nothing below
	signals     SignalReceiver
	hosts       []place // of the network; shared, read only
}

// Frame returns a frame. The pointer is good until the next Alloc.
func (d *Domain) Frame(id FrameID) *Frame { return &d.Packets[id] }

// SetTimer asks for a call of the endpoint's Timer for a host at the given time
// or before. An earlier one that is pending stays.
func (d *Domain) SetTimer(h int32, at sim.Time) {
	e := d.firstHost + sim.Entity(2*h+1)
	if t, ok := d.sched.Pending(e); ok && t <= at {
		return
	}
	d.sched.Schedule(e, at)
	d.stir(h, at)
}

// TimerPassed tells whether the host's timer, were it due at this instant, would have come
// before the event under way.
func (d *Domain) TimerPassed(h int32) bool {
	return d.passed(d.firstHost + sim.Entity(2*h+1))
}

// Package fabric is the network that frames cross: links, ports with their queues,
// switches, and the NICs of hosts. A transport attaches to its hosts as an
// Endpoint; the fabric does not know which transport it is.
//
// A hop costs one event, the arrival. A plain port (one class, fixed rate, marking at
// enqueue) knows the departure of a frame when it accepts it. Ports with priorities,
// trimming or marking at dequeue defer service: they begin a transmission when they are
// next touched, dated to the time when it was due. Ports with a class of credits, links
// without delay and links that lose frames at random need events of their own. The NIC
// of a host pulls: it asks the endpoint for a frame when the wire is free.
//
// Simplification: a plain port draws whether a link loses a frame when it accepts
// the frame. A change of the loss probability therefore affects frames accepted
// later, but not frames already queued.
package fabric

import (
	"math"

	"weft/sim"
	"weft/topo"
)

// MaxDomains is the largest number of domains.
const MaxDomains = math.MaxInt16

// place is the position of a node or link end: its domain and its number there.
type place struct{ domain, index int32 }

// Network is a fabric with its endpoints, ready to run.
type Network struct {
	graph   *topo.Graph
	seed    uint64
	domains []*Domain
	engine  *sim.Engine
	ports   []place  // sending ends by topo.PortID
	wires   []place  // receiving ends by topo.PortID
	nodes   []place  // switches by NodeID; for hosts their NIC
	names   []uint64 // hashes of the directed links' names
	// attached is shared by all domains.
	attached []attachment
	post     post
	cuts     uint64   // number of link failures so far
	quiet    sim.Time // see Outages
	hooks    networkHooks
	layers   uint16
	// Lookahead is the longest window in which domains may run independently, or
	// Forever if there is one domain.
	Lookahead sim.Time
	// Fallback is why windows are not swept although the queue was to be Swept; nil
	// if they are swept.
	Fallback     error
	batches      []batch // one per worker
	running      bool
	keepsWindows bool // windows always run, because pauses are resumed at their ends
}

// Domains returns the network's domains.
func (n *Network) Domains() []*Domain { return n.domains }

// Run handles all events before until.
func (n *Network) Run(until sim.Time, threads int) {
	for len(n.post) < threads || len(n.post) == 0 {
		n.post = append(n.post, [2][]mailbox{make([]mailbox, len(n.domains)), make([]mailbox, len(n.domains))})
	}
	for len(n.batches) < len(n.post) {
		n.batches = append(n.batches, batch{})
	}
	for _, d := range n.domains {
		d.limit = until
	}
	n.running = true
	if n.hooks.run != nil {
		n.hooks.run(until, threads)
	} else {
		n.engine.Run(until, threads)
	}
	n.running = false
	for _, d := range n.domains {
		d.enter(noEvent)
	}
}

// Bound returns a time that no pending event precedes. It is Forever when the
// network has drained, even if slow hosts have yet to resume their switches.
func (n *Network) Bound() sim.Time { return n.engine.Bound() }

// Next returns a time that nothing pending precedes, including resumes by slow hosts.
func (n *Network) Next() sim.Time { return n.engine.Next() }

// Quiet returns when the last frame sent so far reached, or without a loss would
// have reached, the end of its link. It also covers what features saw last, if that
// had been decided by then. It ignores timers, and it does not depend on how the
// network is partitioned, unlike the time of the last event.
func (n *Network) Quiet() sim.Time {
	still := n.still()
	t := still
	for _, last := range n.hooks.quiet {
		t = max(t, last(still))
	}
	return t
}

// still returns when the last frame reached the end of its link, or later, when the
// last frame at a host went on to the endpoint.
func (n *Network) still() (t sim.Time) {
	for _, d := range n.domains {
		for i := range d.ports {
			if p := &d.ports[i]; p.frames > 0 {
				d.drain(p, int32(i), d.limit)
				t = max(t, p.busyUntil+p.delay)
			}
		}
		t = max(t, d.lastIn())
	}
	return t
}

// SweptWindows returns how many windows have been swept.
func (n *Network) SweptWindows() uint64 {
	if !n.domains[0].swept.sweeping {
		return 0
	}
	return n.engine.Windows()
}

// Events returns the number of events handled so far.
func (n *Network) Events() uint64 { return n.engine.Events() }

// at returns the sending end of a directed link.
func (n *Network) at(id topo.PortID) (*Domain, int32, *port, *portCold) {
	w := n.ports[id]
	d := n.domains[w.domain]
	return d, w.index, &d.ports[w.index], &d.cold[w.index]
}

// underway returns the receiving end of a link, whose ring holds the frames under
// way. If the receiving domain's wheel holds them, the wire has no ring.
func (n *Network) underway(id topo.PortID) (*Domain, sim.Entity, *wire) {
	at := n.wires[id]
	d := n.domains[at.domain]
	return d, sim.Entity(at.index), &d.wires[at.index]
}

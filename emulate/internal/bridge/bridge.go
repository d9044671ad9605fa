package bridge

import (
	"errors"
	"net/netip"

	"weft/fabric"
	"weft/internal/fifo"
	"weft/internal/packet"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Overhead is how many bytes an IP packet takes on the wire in addition to its own:
// Ethernet's header and checksum, the preamble, and the gap between frames.
const Overhead = 38 * unit.Byte

// leastOnWire is the smallest frame on the wire, in bytes.
const leastOnWire = 84

// Config describes a bridge.
type Config struct {
	// Down are the links to hosts, in the order of hosts. Find returns the host with an address.
	Down []Link
	Find func(netip.Addr) (host int32, ok bool)
	// MTU is the largest IP packet.
	MTU unit.Bytes
	// Queue is the capacity of a host's NIC queue, in bytes on the wire. Packets that
	// find it full are dropped.
	Queue unit.Bytes
	// Spray is the spraying policy of packets, as an index into fabric.Config.Sprays; 0 hashes.
	Spray uint8
}

// Link is a link to a host: its sending end, and the delay of a frame on it.
type Link struct {
	Port  topo.PortID
	Delay unit.Time
}

// Counts counts packets that reached a bridge, by their fate.
type Counts struct {
	// Entered counts packets queued at a NIC, Left those delivered to their host, and
	// Dropped those that ended in the fabric.
	Entered, Left, Dropped uint64
	// Marked counts packets that left with a congestion mark set by a switch.
	Marked uint64
	// Strange counts frames that were not IP or not for any host, Large those above
	// the MTU, and Refused those that found a NIC queue full.
	Strange, Large, Refused uint64
}

// Departure is a packet that reached its host.
type Departure struct {
	// Entered is when it reached its NIC, and Due when it reached its host, both in
	// the fabric's time.
	Entered, Due unit.Time
	// Late is the lateness that was passed to Enter.
	Late unit.Time
	Host int32
	// Frame has an Ethernet header. It is valid until Done.
	Frame []byte
}

// Bridge is the endpoint of all hosts of a fabric.
type Bridge struct {
	config  Config
	Counts  Counts
	domain  *fabric.Domain
	nics    []nic
	local   []int32 // number of each host in the domain
	cargo   []cargo // by FrameID
	free    [][]byte
	leaving []Departure
	ends    []int32                 // per port, 1 plus the host at the end of its link
	coming  []fifo.Queue[unit.Time] // per host: arrival times of frames sent to it
}

// nic is the queue of a host.
type nic struct {
	queue  fifo.Queue[cargo]
	bytes  unit.Bytes
	paused bool
}

// cargo is a packet that waits at a NIC or crosses the fabric.
type cargo struct {
	entered, late unit.Time
	frame         []byte
	to            int32
	size          uint16
	entropy       uint16
	capable       bool
}

// New returns a bridge.
func New(c Config) (*Bridge, error) {
	switch {
	case len(c.Down) == 0 || c.Find == nil:
		return nil, errors.New("bridge: no hosts")
	case c.MTU < 68 || c.MTU+Overhead > fabric.MaxFrame:
		return nil, errors.New("bridge: the MTU must be from 68 B to 65497 B")
	case c.Queue < c.MTU+Overhead:
		return nil, errors.New("bridge: the queue of a NIC must have room for a packet")
	}
	hosts := len(c.Down)
	b := &Bridge{config: c, nics: make([]nic, hosts), local: make([]int32, hosts), coming: make([]fifo.Queue[unit.Time], hosts)}
	for h, l := range c.Down {
		for int(l.Port) >= len(b.ends) {
			b.ends = append(b.ends, 0)
		}
		b.ends[l.Port] = int32(h) + 1
	}
	return b, nil
}

// Attach is the fabric's [fabric.Config.Endpoint]. There must be one domain.
func (b *Bridge) Attach(d *fabric.Domain) fabric.Endpoint {
	b.domain = d
	for i, h := range d.Hosts {
		b.local[h] = int32(i)
	}
	return endpoint{b}
}

// AttachBeside does what Attach does, for hosts with another endpoint besides the
// bridge. That endpoint only gets timers and signals.
func (b *Bridge) AttachBeside(d *fabric.Domain, other fabric.Endpoint) fabric.Endpoint {
	b.Attach(d)
	return beside{endpoint{b}, other}
}

// Follower is the fabric's [fabric.Config.Follow].
func (b *Bridge) Follower() fabric.Follower { return follower{b: b} }

// Enter takes over a copy of a frame that a host sent. late is how long before now the frame
// came. Call it between two calls of the network's Run; now must be the network's time.
func (b *Bridge) Enter(now, late unit.Time, host int32, frame []byte) {
	h, ok := parse(frame)
	to := int32(0)
	if ok {
		to, ok = b.config.Find(h.to)
	}
	n, size := &b.nics[host], max(leastOnWire, unit.Bytes(len(frame)-ethernet)+Overhead)
	switch {
	case !ok || to == host:
		b.Counts.Strange++
		return
	case size > b.config.MTU+Overhead:
		b.Counts.Large++
		return
	case n.bytes+size > b.config.Queue:
		b.Counts.Refused++
		return
	}
	b.Counts.Entered++
	n.bytes += size
	n.queue.Push(cargo{entered: now, late: late, frame: append(b.buffer(), frame...), to: to, size: uint16(size), entropy: h.entropy, capable: h.capable})
	b.domain.SetTimer(b.local[host], now)
}

// Leaving returns the packets that have reached their hosts since Done was called, in order.
func (b *Bridge) Leaving() []Departure { return b.leaving }

// Done removes the first packets returned by Leaving, which have been written.
func (b *Bridge) Done(written int) {
	for i := range b.leaving[:written] {
		b.free = append(b.free, b.leaving[i].Frame)
		b.leaving[i].Frame = nil
	}
	b.leaving = append(b.leaving[:0], b.leaving[written:]...)
}

// Due returns a time after now before which no packet reaches its host. All events
// of the fabric before now must have been handled, and the next one must be at
// next. A frame sent to a host from then on still needs the delay of its link.
func (b *Bridge) Due(now, next unit.Time) unit.Time {
	due := unit.Time(unit.Forever)
	for h := range b.coming {
		q := &b.coming[h]
		for !q.Empty() && q.First() < now {
			q.Pop()
		}
		if !q.Empty() {
			due = min(due, q.First())
		}
		if next < unit.Forever {
			due = min(due, next+b.config.Down[h].Delay)
		}
	}
	return due
}

// Waiting returns how many packets are under way.
func (b *Bridge) Waiting() uint64 { return b.Counts.Entered - b.Counts.Left - b.Counts.Dropped }

func (b *Bridge) buffer() []byte {
	if n := len(b.free); n > 0 {
		frame := b.free[n-1]
		b.free = b.free[:n-1]
		return frame[:0]
	}
	return make([]byte, 0, ethernet+b.config.MTU)
}

// endpoint is the bridge as a fabric.Endpoint.
type endpoint struct{ *Bridge }

// Pull implements fabric.Endpoint.
func (b endpoint) Pull(_ sim.Time, local int32) (id fabric.FrameID, more, ok bool) {
	host := b.domain.Hosts[local]
	n := &b.nics[host]
	if n.paused || n.queue.Empty() {
		return 0, false, false
	}
	c := n.queue.First()
	n.queue.Pop()
	n.bytes -= unit.Bytes(c.size)
	id = b.domain.Alloc()
	f := b.domain.Frame(id)
	f.Address(host, c.to, 0)
	f.Size, f.Entropy = c.size, c.entropy
	f.SetClass(0, b.config.Spray)
	for int(id) >= len(b.cargo) {
		b.cargo = append(b.cargo, cargo{})
	}
	b.cargo[id] = c
	return id, !n.queue.Empty(), true
}

// Receive implements fabric.Endpoint.
func (b endpoint) Receive(now sim.Time, local int32, id fabric.FrameID) bool {
	f := b.domain.Frame(id)
	if f.Originated() { // programs cannot use a notice of a switch
		b.domain.Free(id)
		return false
	}
	c := &b.cargo[id]
	if f.Flags&packet.Marked != 0 && c.capable {
		mark(c.frame)
		b.Counts.Marked++
	}
	b.domain.Free(id)
	b.leaving = append(b.leaving, Departure{Entered: c.entered, Due: now, Late: c.late, Host: b.domain.Hosts[local], Frame: c.frame})
	b.Counts.Left++
	c.frame = nil
	return false
}

// Timer implements fabric.Endpoint.
func (b endpoint) Timer(_ sim.Time, local int32) bool { return b.ready(local) }

// Paused implements fabric.Endpoint.
func (b endpoint) Paused(_ sim.Time, local int32, classes uint8) bool {
	b.nics[b.domain.Hosts[local]].paused = classes&1 != 0
	return b.ready(local)
}

// beside is an endpoint whose timers and signals also go to another endpoint.
type beside struct {
	endpoint
	other fabric.Endpoint
}

// Timer implements fabric.Endpoint.
func (b beside) Timer(now sim.Time, local int32) bool {
	b.other.Timer(now, local)
	return b.ready(local)
}

// Signalled implements fabric.SignalReceiver.
func (b beside) Signalled(local int32, s fabric.Signal) {
	if r, ok := b.other.(fabric.SignalReceiver); ok {
		r.Signalled(local, s)
	}
}

// ready reports whether a host has something to send.
func (b endpoint) ready(local int32) bool {
	n := &b.nics[b.domain.Hosts[local]]
	return !n.paused && !n.queue.Empty()
}

// follower records which frames are dropped, and when frames reach hosts.
type follower struct {
	b *Bridge
}

// Dropped implements fabric.Follower.
func (f follower) Dropped(_ sim.Time, _ topo.PortID, id fabric.FrameID, _ fabric.Reason) {
	b := f.b
	if int(id) >= len(b.cargo) || b.cargo[id].frame == nil {
		return
	}
	b.Counts.Dropped++
	b.free = append(b.free, b.cargo[id].frame)
	b.cargo[id].frame = nil
}

// Sent implements fabric.Follower.
func (f follower) Sent(link topo.PortID, _ fabric.FrameID, _, departs sim.Time) {
	if b := f.b; int(link) < len(b.ends) && b.ends[link] > 0 {
		h := b.ends[link] - 1
		b.coming[h].Push(departs + b.config.Down[h].Delay)
	}
}

// Queued implements fabric.Follower, as do the methods below.
func (follower) Queued(sim.Time, topo.PortID, fabric.FrameID)            {}
func (follower) Arrived(sim.Time, topo.PortID, fabric.FrameID, sim.Time) {}
func (follower) Paused(sim.Time, topo.PortID, uint8, bool)               {}
func (follower) Trimmed(sim.Time, topo.PortID, fabric.FrameID)           {}

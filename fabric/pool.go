package fabric

import (
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// BufferConfig describes the buffer that the ports of a switch share. The zero
// value has no shared buffer: each port then holds what its own limit allows.
type BufferConfig struct {
	// Size is the capacity of the shared buffer.
	Size unit.Bytes
	// Alpha, if positive, limits one class of a port to Alpha times the free buffer:
	// a dynamic threshold.
	Alpha float64
	// AtBegin frees a frame's buffer when its transmission begins instead of when it ends.
	AtBegin bool
}

func (c *BufferConfig) on() bool { return c.Size > 0 }

// pool is what a switch holds, summed over its ports. Ports know departures in
// advance or defer them, and apply them when they are next touched. So advance
// merges the departures of all ports in order of time; after that the sum is exact.
//
// Every change of a port's queue goes through settle, so that the pool and its ports always agree.
type pool struct {
	d       *Domain
	ports   []int32
	counted []holding // per port, what the pool has counted
	queue   departures

	held    uint64 // bytes accepted and not fully serialised
	serving uint64 // of these, bytes of frames in service
	meter   meter  // nil unless a measurement is under way

	// deferred lists ports whose next transmission is due at the instant of the last
	// advance, but ranks after the event that was being handled.
	deferred []int32

	// The fields below describe the shared buffer.
	shared  bool
	atBegin bool
	size    uint64 // without reserves and headroom of links
	alpha   uint64 // in 2⁻¹⁶; 0 if unset

	refused uint64 // number of frames refused for lack of room

	*ingresses // nil unless the switch pauses its neighbours
}

// holding is what one port holds, in bytes.
type holding struct{ queued, serving uint32 }

// mostAlpha keeps thresholds within 64 bits.
const mostAlpha = 1 << 10

// mostBuffer is the largest shared buffer, in bytes.
const mostBuffer = 1 << 36

// newPool makes the pool of a switch.
func (n *Network) newPool(node topo.NodeID) *pool {
	l := &pool{}
	for i := range n.ports {
		if from, _ := n.graph.Ends(topo.PortID(i)); from != node {
			continue
		}
		d, local, _, cold := n.at(topo.PortID(i))
		l.d = d
		cold.pool, cold.place = l, int32(len(l.ports))
		l.ports = append(l.ports, local)
	}
	l.counted = make([]holding, len(l.ports))
	l.queue.init(len(l.ports))
	return l
}

// shareBuffers gives every switch a shared buffer. If it serves only the accounts,
// its size is unlimited.
func (n *Network) shareBuffers(c BufferConfig, accounts bool) {
	if !c.on() && !accounts {
		return
	}
	for i, node := range n.graph.Nodes {
		if node.Kind != topo.Switch {
			continue
		}
		l := n.newPool(topo.NodeID(i))
		l.shared, l.atBegin, l.size = true, c.AtBegin, mostBuffer
		if c.on() {
			l.size = uint64(min(c.Size, mostBuffer))
		}
		l.alpha = uint64(min(c.Alpha, mostAlpha) * (1 << 16))
		for _, p := range l.ports {
			l.d.ports[p].special |= pooled
			if q := l.d.ports[p].disc; q != nil {
				q.pool, q.more = l, true
			}
		}
	}
}

// settle updates the pool with what port k holds since time t.
func (l *pool) settle(k int32, t sim.Time) {
	p := &l.d.ports[l.ports[k]]
	now := holding{queued: p.queued}
	if p.drained != p.tail {
		now.serving = uint32(p.at(p.drained).bytes)
	}
	was := l.counted[k]
	if now == was {
		return
	}
	if l.meter != nil {
		l.meter.measure(t)
	}
	l.counted[k] = now
	l.held += uint64(now.queued) - uint64(was.queued)
	l.serving += uint64(now.serving) - uint64(was.serving)
}

// advance removes the frames serialised by now.
func (l *pool) advance(now sim.Time) {
	for _, k := range l.deferred {
		l.queue.set(k, l.ends(&l.d.ports[l.ports[k]]))
	}
	l.deferred = l.deferred[:0]
	for {
		k, t := l.queue.first()
		if t > now {
			break
		}
		if l.ingresses != nil {
			l.conclude(t)
		}
		l.step(k, t, now)
	}
	if l.ingresses != nil {
		l.conclude(now)
	}
}

// step advances port k to time t, when a frame leaves it or a transmission begins.
func (l *pool) step(k int32, t, now sim.Time) {
	i := l.ports[k]
	p := &l.d.ports[i]
	switch {
	case !p.backlog || l.d.decision(p) > t:
		l.d.takeSent(p, i, t)
	case t < now:
		t := l.d.decision(p)
		l.d.takeSent(p, i, t)
		l.d.begin(p, i, t)
		p.backlog = !p.disc.empty()
	default:
		l.d.takeSent(p, i, t)
		l.d.serveLate(p, i, now)
	}
	next := l.ends(p)
	if next <= t { // its turn comes after the current event
		next = sim.Forever
		l.deferred = append(l.deferred, k)
	}
	l.queue.set(k, next)
}

// ends returns when the next frame leaves a port. If none is in service, it returns
// when the port is to begin a transmission.
func (l *pool) ends(p *port) sim.Time {
	switch {
	case p.drained != p.tail:
		return p.at(p.drained).departs
	case p.backlog:
		return l.d.decision(p)
	}
	return sim.Forever
}

// changed is called when port k has pushed a frame to its ring or has got a backlog.
func (l *pool) changed(k int32) {
	if t := l.ends(&l.d.ports[l.ports[k]]); t < l.queue.at(k) {
		l.queue.set(k, t)
	}
}

// resync updates the pool for port k after a fault, which may have rewritten its ring.
func (l *pool) resync(k int32, now sim.Time) {
	l.settle(k, now)
	l.queue.set(k, l.ends(&l.d.ports[l.ports[k]]))
}

// used returns the bytes in the shared buffer, excluding reserves and headroom of links.
func (l *pool) used() uint64 {
	used := l.held
	if l.atBegin {
		used -= l.serving
	}
	if l.ingresses != nil {
		used -= l.reserved
	}
	return used
}

// free returns the free bytes of the shared buffer.
func (l *pool) free() uint64 { return l.size - min(l.size, l.used()) }

// admits reports whether the buffer, and the share of a class that holds so many
// bytes at the port, have room for a frame. The pool must have been advanced.
func (l *pool) admits(class, size uint32) bool {
	if !l.shared {
		return true
	}
	used := l.used()
	if used+uint64(size) > l.size || l.alpha != 0 && uint64(class+size) > (l.size-used)*l.alpha>>16 {
		l.refused++
		return false
	}
	return true
}

// admitsFrom does what admits does, for a frame of class k that came over a link. A
// lossless class can also use the reserve and headroom of the link.
func (l *pool) admitsFrom(from via, k uint8, class, size uint32) bool {
	if l.isLossless(k) {
		return l.charge(from, k, uint64(size))
	}
	return l.admits(class, size)
}

// isLossless reports whether frames of class k have accounts.
func (l *pool) isLossless(k uint8) bool { return l.ingresses != nil && l.slots[k] >= 0 }

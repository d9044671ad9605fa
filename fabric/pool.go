package fabric

import (
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// BufferConfig describes the buffer that the ports of a switch share. The zero value is
// none: each port then holds what its own limit allows.
type BufferConfig struct {
	// Size is what the switch holds.
	Size unit.Bytes
	// Alpha, if positive, is how many times the free buffer one class of a port may hold: a dynamic
	// threshold.
	Alpha float64
	// AtBegin frees the buffer of a frame when its transmission begins, not when it ends.
	AtBegin bool
}

func (c *BufferConfig) on() bool { return c.Size > 0 }

// pool is what a switch holds, the sum over its ports. A port's departures are known before
// they come, or made up for, and are looked at when something happens at the port. So
// advance merges those of all ports in order of time: from then on the sum is exact.
//
// Every change of a port's queue goes through settle, so that the pool and its ports agree
// at all times.
type pool struct {
	d       *Domain
	ports   []int32
	counted []holding // of each port
	queue   departures

	held    uint64 // bytes accepted and not fully serialised
	serving uint64 // of these, bytes of frames in service
	meter   meter  // nil unless it is measured

	// deferred are ports whose next transmission was due when the switch was looked at last, but
	// has its turn after the event that was under way.
	deferred []int32

	// Of a shared buffer.
	shared  bool
	atBegin bool
	size    uint64 // without what is kept apart for links
	alpha   uint64 // in 2⁻¹⁶, 0 without

	refused uint64 // frames for which there was no room

	*ingresses // nil unless the switch pauses its neighbours
}

// holding is what a port holds.
type holding struct{ queued, serving uint32 }

// mostAlpha keeps thresholds within 64 bits.
const mostAlpha = 1 << 10

// mostBuffer is the most that a shared buffer holds.
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

// shareBuffers gives every switch a shared buffer, one without bounds if only accounts are to be kept in it.
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

// settle counts what port k holds since time t.
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
		l.meter.pass(t)
	}
	l.counted[k] = now
	l.held += uint64(now.queued) - uint64(was.queued)
	l.serving += uint64(now.serving) - uint64(was.serving)
}

// advance takes off what was serialised by now.
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

// step brings port k up to time t, the next at which something leaves it, or at which it
// begins a transmission.
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
	if next <= t { // its turn comes after the event under way
		next = sim.Forever
		l.deferred = append(l.deferred, k)
	}
	l.queue.set(k, next)
}

// ends returns when the next frame leaves a port, or when the port is to begin a transmission
// if none is in service.
func (l *pool) ends(p *port) sim.Time {
	switch {
	case p.drained != p.tail:
		return p.at(p.drained).departs
	case p.backlog:
		return l.d.decision(p)
	}
	return sim.Forever
}

// changed tells that port k pushed a frame to its ring, or began to have one wait.
func (l *pool) changed(k int32) {
	if t := l.ends(&l.d.ports[l.ports[k]]); t < l.queue.at(k) {
		l.queue.set(k, t)
	}
}

// resync looks at port k anew after a fault, which may have rewritten its ring.
func (l *pool) resync(k int32, now sim.Time) {
	l.settle(k, now)
	l.queue.set(k, l.ends(&l.d.ports[l.ports[k]]))
}

// used returns what occupies the shared buffer, beside what is kept apart for links.
func (l *pool) used() uint64 {
	used := l.held
	if l.atBegin {
		used -= l.serving
	}
	if l.ingresses != nil {
		used -= l.apart
	}
	return used
}

// free returns what is left of the shared buffer.
func (l *pool) free() uint64 { return l.size - min(l.size, l.used()) }

// admits tells whether the buffer has room for a frame, and the share of its class too, which
// has so many bytes at the port. The pool is advanced.
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

// admitsFrom is admits for a frame of class k that came over a link. One of a lossless class has what is
// kept apart for it there too.
func (l *pool) admitsFrom(from via, k uint8, class, size uint32) bool {
	if l.isLossless(k) {
		return l.charge(from, k, uint64(size))
	}
	return l.admits(class, size)
}

// isLossless tells whether frames of class k have accounts.
func (l *pool) isLossless(k uint8) bool { return l.ingresses != nil && l.slots[k] >= 0 }

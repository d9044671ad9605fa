package transport

import (
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/sim"
)

// This file has what a host does when the switch pauses classes of its link (IEEE 802.1Qbb): what belongs to these
// waits apart, all else is sent. A transport of the host as a whole stops when any class that it uses is paused.

// stopped is what waits for classes that are paused.
type stopped struct {
	frames [8]frameQueue
	conns  [8][]*connection
	has    uint8 // classes in which frames wait
}

// Paused implements fabric.Endpoint.
func (e *Endpoint) Paused(now sim.Time, h int32, classes uint8) bool {
	host := &e.hosts[h]
	freed := host.pauses &^ classes
	host.pauses = classes
	if host.stopped == nil {
		host.stopped = new(stopped)
	}
	if b := host.backlog; b != nil && freed != 0 {
		b.free = max(b.free, now) // a paused wire was not idle for want of frames
	}
	for ; freed != 0; freed &= freed - 1 {
		e.unpark(now, host, uint8(bits.TrailingZeros8(freed)))
	}
	return e.hasFrames(now, h, host)
}

// hasControl tells whether acknowledgements, or what else waits in a queue, may be sent.
func (h *host) hasControl() bool {
	return !h.control.empty() || h.stopped != nil && h.stopped.has&^h.pauses != 0
}

// nextControl takes the first frame of the queue that may be sent, of a host that was paused before. Those before it
// wait apart for their classes.
func (e *Endpoint) nextControl(h *host) (id fabric.FrameID, ok bool) {
	s := h.stopped
	if free := s.has &^ h.pauses; free != 0 { // older than those in the queue
		k := uint8(bits.TrailingZeros8(free))
		id = s.frames[k].pop()
		if s.frames[k].empty() {
			s.has &^= 1 << k
		}
		return id, true
	}
	for !h.control.empty() {
		id = h.control.pop()
		k := e.d.Frame(id).Priority()
		if h.pauses>>k&1 == 0 {
			return id, true
		}
		s.frames[k].push(id)
		s.has |= 1 << k
	}
	return 0, false
}

// park has a connection wait whose class is paused.
func (e *Endpoint) park(h *host, c *connection) bool {
	k := e.group(c).Class
	if h.pauses>>k&1 == 0 {
		return false
	}
	if !c.parked {
		c.parked = true
		h.stopped.conns[k] = append(h.stopped.conns[k], c)
	}
	return true
}

// remove takes a connection from those that wait for a class, which another message, perhaps of another host, may use
// next.
func (s *stopped) remove(c *connection, class uint8) {
	c.parked = false
	list := s.conns[class]
	i := slices.Index(list, c)
	s.conns[class] = slices.Delete(list, i, i+1)
}

// unpark lets the connections of a class send again, in the order in which they began to wait.
func (e *Endpoint) unpark(now sim.Time, h *host, k uint8) {
	list := h.stopped.conns[k]
	h.stopped.conns[k] = list[:0]
	for _, c := range list {
		c.parked = false
		e.makeReady(now, h, c)
	}
}

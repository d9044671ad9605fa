package fabric

import "weft/sim"

// waiting is a frame in a class queue.
type waiting struct {
	// since is the time up to which its waiting has been counted.
	since   sim.Time
	frame   FrameID
	ingress via
}

// via is how a frame came to a switch. The low bits are the number of its wire. The bits above
// are the class in which it came XOR the class in which it is queued. A frame belongs to the
// account of the class in which it came, because the sender of that class must be paused.
type via int32

// noIngress marks a frame that a switch or a host made.
const noIngress via = -1

const (
	viaShift = 28
	// maxWires is the largest number of wires of a domain in which frames change classes.
	maxWires = 1 << viaShift
)

func (v via) wire() int32 { return int32(v) & (maxWires - 1) }

// class returns the class in which a frame, now of class k, came.
func (v via) class(k uint8) uint8 { return k ^ uint8(v>>viaShift) }

// changed reports whether the frame is queued in a class other than the one it came in.
func (v via) changed() bool { return v>>viaShift != 0 }

// into returns the via of a frame that changes from class has to class k.
func (v via) into(has, k uint8) via { return via(v.wire()) | via(has^k)<<viaShift }

// class is the FIFO of one class of a port.
type class struct {
	buf        []waiting
	head, tail uint32
	bytes      uint32 // waiting and in service
	limit      uint32
}

func (c *class) push(w waiting) {
	if int(c.tail-c.head) == len(c.buf) {
		buf := make([]waiting, max(4, 2*len(c.buf)))
		for i := c.head; i != c.tail; i++ {
			buf[i&uint32(len(buf)-1)] = c.buf[i&uint32(len(c.buf)-1)]
		}
		c.buf = buf
	}
	c.buf[c.tail&uint32(len(c.buf)-1)] = w
	c.tail++
}

func (c *class) at(i uint32) *waiting { return &c.buf[i&uint32(len(c.buf)-1)] }

// first is the bit of class 0.
const first uint8 = 1

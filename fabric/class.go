package fabric

import "weft/sim"

// waiting is a frame in a class queue.
type waiting struct {
	// since is the time up to which its waiting is counted.
	since   sim.Time
	frame   FrameID
	ingress int32 // the wire over which it came
}

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

package fabric

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"weft/sim"
)

// discipline decides the order and the fate of frames at a port that is not
// plain. It holds the frames that wait; the frame in service and those on the
// wire are the port's.
//
// What is taken out at a time must depend only on what was put in before: ports make up
// for transmissions (service.go). One for which time itself matters needs stepped ports.
//
// This is where pausing (PFC) and telemetry stamped at departure attach: each is a
// discipline, or wraps one, and a port without it never asks.
type discipline interface {
	// enqueue takes over a frame that reached port i: it queues, cuts, drops or sends
	// it, and reports whether there may be something to send yet.
	enqueue(d *Domain, i int32, id FrameID, now sim.Time) bool
	// dequeue yields the frame to transmit next and since when it waited, or
	// false if none may go now.
	dequeue(d *Domain, i int32, now sim.Time) (id FrameID, since sim.Time, ok bool)
	// departed tells that bytes of a class are serialised.
	departed(class uint8, bytes uint32)
	// wake tells when one of the frames that wait may go; 0 if one may go already.
	wake() sim.Time
	// empty tells whether no frame waits.
	empty() bool
	// flush drops all that waits, for the given reason.
	flush(d *Domain, i int32, why Reason, now sim.Time)
	// visit shows every waiting frame.
	visit(show func(*waiting))
}

// waiting is a frame in a class queue.
type waiting struct {
	// since is the time up to which its waiting is counted.
	since sim.Time
	frame FrameID
}

// class is one FIFO of a classful port.
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

// classful serves up to eight FIFO classes in strict priority, class 0 first.
// With trimming, a frame that does not fit its class is cut to its header and
// joins class 0, or the last frame of the class is cut in its stead. Class 0 may
// then have to let one frame of the others go for so many of its own.
type classful struct {
	classes []class
	trim    *TrimConfig // nil drops
	// atDequeue takes the marking decision when transmission begins.
	atDequeue bool
	// byPort compares all classes together with the thresholds.
	byPort bool
	coin   rand.PCG
	// occupied has a bit for every class in which a frame waits.
	occupied uint8
	// ratio is how many frames of class 0 may pass while others wait, 0 for any number;
	// passed is how many have since one of the others went.
	ratio, passed uint32
}

// first is the bit of class 0.
const first uint8 = 1

func newClassful(c *PortConfig, seed, name uint64) *classful {
	q := &classful{trim: c.Trim, atDequeue: c.MarkAtDequeue, byPort: c.MarkByPort, classes: make([]class, max(1, c.Classes))}
	for i := range q.classes {
		q.classes[i].limit = clampBytes(c.Limit)
	}
	if c.Trim != nil {
		q.classes[0].limit = clampBytes(c.Trim.Limit)
		q.ratio = uint32(min(c.Trim.Ratio, math.MaxInt32))
		sim.SeedStream(&q.coin, seed, name, "trim")
	}
	return q
}

func (q *classful) empty() bool { return q.occupied == 0 }

func (q *classful) wake() sim.Time { return 0 } // what waits may always go

func (q *classful) departed(k uint8, bytes uint32) { q.classes[k].bytes -= bytes }

func (q *classful) enqueue(d *Domain, i int32, id FrameID, now sim.Time) bool {
	p := &d.ports[i]
	f := &d.frames[id]
	k := f.Class & classMask
	if int(k) >= len(q.classes) {
		k = uint8(len(q.classes) - 1)
		f.Class = f.Class&^classMask | k
	}
	c := &q.classes[k]
	size := uint32(f.Size)
	if c.bytes+size > c.limit {
		if q.trim == nil {
			d.drop(i, id, QueueFull, now)
			return false
		}
		if k == 0 {
			d.drop(i, id, HeaderQueueFull, now)
			return false
		}
		if size <= uint32(q.trim.Header) { // nothing to cut
			d.drop(i, id, QueueFull, now)
			return false
		}
		if q.trim.Coin && q.coin.Uint64()>>63 == 1 && q.swapLast(d, i, id, now) {
			return true
		}
		return q.cut(d, i, id, now)
	}
	if found := q.found(p, c); !q.atDequeue && found > p.kmin {
		q.markArriving(d, i, f, k, found)
	}
	if q.occupied == 0 && p.busyUntil <= now {
		q.pass(d, i, c, id, size, now)
		return false
	}
	q.wait(d, i, k, id, size, now)
	return true
}

// found returns the bytes that the thresholds are compared with for a frame of class c.
func (q *classful) found(p *port, c *class) uint32 {
	if q.byPort {
		return p.queued
	}
	return c.bytes
}

// markArriving applies RED to a frame of class k that finds as many bytes.
func (q *classful) markArriving(d *Domain, i int32, f *Frame, k uint8, found uint32) {
	p := &d.ports[i]
	if q.byPort {
		d.markByQueue(p, i, f, found, 0, p.frames)
		return
	}
	d.markByQueue(p, i, f, found, k, uint64(q.classes[k].tail))
}

// pass sends a frame that finds neither the wire busy nor another one waiting: it would
// be queued and taken again at once.
func (q *classful) pass(d *Domain, i int32, c *class, id FrameID, size uint32, now sim.Time) {
	p := &d.ports[i]
	d.admit(p, i, size, now)
	c.bytes += size
	c.head++
	c.tail++
	d.launch(p, i, id, now, now, now)
}

// wait queues a frame in class k.
func (q *classful) wait(d *Domain, i int32, k uint8, id FrameID, size uint32, now sim.Time) {
	d.admit(&d.ports[i], i, size, now)
	c := &q.classes[k]
	c.bytes += size
	c.push(waiting{now, id})
	q.occupied |= 1 << k
}

// cut trims a frame that is in no queue and sends its header on in class 0.
func (q *classful) cut(d *Domain, i int32, id FrameID, now sim.Time) bool {
	d.trim(i, id, q.trim.Header)
	size := uint32(q.trim.Header)
	if c := &q.classes[0]; c.bytes+size > c.limit {
		d.drop(i, id, HeaderQueueFull, now)
		return false
	}
	q.wait(d, i, 0, id, size, now)
	return true
}

// swapLast cuts the last frame waiting in the arriving frame's class and gives
// its place to the arriving one, if that fits then.
func (q *classful) swapLast(d *Domain, i int32, id FrameID, now sim.Time) bool {
	p := &d.ports[i]
	f := &d.frames[id]
	k := f.Class & classMask
	c := &q.classes[k]
	if c.head == c.tail {
		return false
	}
	last := *c.at(c.tail - 1)
	freed := uint32(d.frames[last.frame].Size)
	size := uint32(f.Size)
	if freed <= uint32(q.trim.Header) || c.bytes-freed+size > c.limit {
		return false
	}
	d.drain(p, i, now) // a record of the queue sees it as it was until now
	if p.special&metered != 0 {
		d.cold[i].buffer.remove(freed, now)
	}
	c.tail--
	c.bytes -= freed
	p.queued -= freed
	p.frames--
	p.bytes -= uint64(freed)
	p.residence += float64(freed) * float64(now-last.since)
	if found := q.found(p, c); !q.atDequeue && found > p.kmin {
		q.markArriving(d, i, f, k, found)
	}
	q.wait(d, i, k, id, size, now)
	q.cut(d, i, last.frame, now)
	return true
}

func (q *classful) dequeue(d *Domain, i int32, now sim.Time) (FrameID, sim.Time, bool) {
	if q.occupied == 0 {
		return 0, 0, false
	}
	k := uint8(bits.TrailingZeros8(q.occupied))
	if q.ratio > 0 {
		k = q.shared(k)
	}
	c := &q.classes[k]
	w := *c.at(c.head)
	c.head++
	if c.head == c.tail {
		q.occupied &^= 1 << k
	}
	if q.atDequeue {
		q.markLeaving(d, i, w.frame, k)
	}
	return w.frame, w.since, true
}

// shared returns the class to serve where class 0 does not always go first; k is the first
// class in which a frame waits.
func (q *classful) shared(k uint8) uint8 {
	others := q.occupied &^ first
	switch {
	case k > 0 || others == 0:
		q.passed = 0
		return k
	case q.passed < q.ratio:
		q.passed++
		return 0
	}
	q.passed = 0
	return uint8(bits.TrailingZeros8(others))
}

// markLeaving applies RED to a frame of class k that leaves: what it leaves behind counts,
// without itself.
func (q *classful) markLeaving(d *Domain, i int32, frame FrameID, k uint8) {
	p := &d.ports[i]
	found := q.found(p, &q.classes[k])
	if found <= p.kmin {
		return
	}
	f := &d.frames[frame]
	if rest := found - uint32(f.Size); rest > p.kmin {
		d.markByQueue(p, i, f, rest, k, 0)
	}
}

func (q *classful) flush(d *Domain, i int32, why Reason, now sim.Time) {
	p := &d.ports[i]
	for k := range q.classes {
		c := &q.classes[k]
		for ; c.head != c.tail; c.head++ {
			w := c.at(c.head)
			size := uint32(d.frames[w.frame].Size)
			c.bytes -= size
			p.queued -= size
			d.cold[i].stats.FlushedFrames++
			d.cold[i].stats.FlushedBytes += uint64(size)
			d.drop(i, w.frame, why, now)
		}
	}
	q.occupied, q.passed = 0, 0
}

func (q *classful) visit(show func(*waiting)) {
	for k := range q.classes {
		c := &q.classes[k]
		for j := c.head; j != c.tail; j++ {
			show(c.at(j))
		}
	}
}

// trim cuts a frame to its header.
func (d *Domain) trim(i int32, id FrameID, header uint16) {
	f := &d.frames[id]
	cut := uint64(f.Size - header)
	f.Size = header
	f.Flags |= Trimmed
	f.Class &^= classMask
	s := &d.cold[i].stats
	s.Trims++
	s.TrimmedBytes += cut
	d.totals.TrimmedBytes += cut
	if d.follow != nil {
		d.tellTrimmed(i, id)
	}
}

package fabric

import (
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// credited is a classful port whose class 0 carries credits: a token bucket limits their
// rate, and what finds their short queue full is dropped. A credit goes first if there
// are tokens for it; if not, the other classes do. A port on which only credits wait
// without tokens sleeps until there are enough.
type credited struct {
	classful
	class   protocol.CreditClass
	bucket  protocol.CreditBucket
	waiting uint32 // bytes of credit
	// due is when there are tokens for the credit that waits first.
	due      sim.Time
	sleeping bool
}

func newCredited(c *PortConfig, seed, name uint64) *credited {
	return &credited{classful: *newClassful(c, seed, name), class: c.Credit}
}

func (q *credited) enqueue(d *Domain, i int32, id FrameID, now sim.Time) bool {
	f := &d.frames[id]
	size := uint32(f.Size)
	if f.Class&classMask == 0 {
		if q.waiting+size > uint32(q.class.Queue) {
			d.drop(i, id, CreditQueueFull, now)
			return false
		}
		q.waiting += size
		q.wait(d, i, 0, id, size, now)
		return true
	}
	if !q.classful.enqueue(d, i, id, now) {
		return false
	}
	if q.sleeping {
		q.sleeping = false
		if d.sweeping {
			d.ports[i].backlog = false // what waits is decided on at once
		} else {
			d.sched.Cancel(d.cold[i].service)
		}
	}
	return true
}

func (q *credited) dequeue(d *Domain, i int32, now sim.Time) (FrameID, sim.Time, bool) {
	q.sleeping = false
	if q.occupied&1 == 0 {
		return q.classful.dequeue(d, i, now)
	}
	rate := d.cold[i].rate
	c := &q.classes[0]
	size := d.frames[c.at(c.head).frame].Size
	cost := q.class.Cost(rate, unit.Bytes(size))
	q.due = q.bucket.Due(cost, q.class.Cost(rate, q.class.Burst))
	if q.due <= now {
		q.bucket.Take(now, cost)
		q.waiting -= uint32(size)
		w := *c.at(c.head)
		c.head++
		if c.head == c.tail {
			q.occupied &^= 1
		}
		return w.frame, w.since, true
	}
	if q.occupied == 1 {
		q.sleeping = true
		return 0, 0, false
	}
	q.occupied &^= 1
	id, since, ok := q.classful.dequeue(d, i, now)
	q.occupied |= 1
	return id, since, ok
}

func (q *credited) wake() sim.Time {
	if q.sleeping {
		return q.due
	}
	return 0
}

func (q *credited) flush(d *Domain, i int32, why Reason, now sim.Time) {
	q.waiting, q.sleeping = 0, false
	q.classful.flush(d, i, why, now)
}

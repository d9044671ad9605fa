package fabric

import (
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// credits are class 0 of a port that limits their rate by a token bucket, and drops what
// finds their short queue full. A credit goes first if there are tokens for it; if not,
// the class is blocked, and the others go. A port on which only credits wait without
// tokens sleeps until there are enough.
type credits struct {
	class   protocol.CreditClass
	bucket  protocol.CreditBucket
	waiting uint32 // bytes
}

func (c *credits) fits(size uint32) bool { return c.waiting+size <= uint32(c.class.Queue) }

// spend takes the tokens for the credit that waits first, which is about to go then, or
// blocks the class and notes when there are enough.
func (q *discipline) spend(d *Domain, i int32, now sim.Time) {
	q.blocked &^= first
	if q.occupied&first == 0 {
		return
	}
	rate := d.cold[i].rate
	c, of := q.credits, &q.classes[0]
	size := d.frames[of.at(of.head).frame].Size
	cost := c.class.Cost(rate, unit.Bytes(size))
	q.due = c.bucket.Due(cost, c.class.Cost(rate, c.class.Burst))
	if q.due > now {
		q.blocked |= first
		return
	}
	c.bucket.Take(now, cost)
	c.waiting -= uint32(size)
}

// queuedBesideCredits notes a frame that began to wait at a port with a class of credits.
func (d *Domain) queuedBesideCredits(p *port, i int32, k uint8, size uint32) {
	q := p.disc
	if k == 0 {
		q.credits.waiting += size
		return
	}
	if q.asleep {
		q.asleep = false
		if d.sweeping {
			p.backlog = false // what waits is decided on at once
		} else {
			d.sched.Cancel(d.cold[i].service)
		}
	}
}

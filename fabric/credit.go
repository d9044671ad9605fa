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
	waiting uint32   // bytes
	due     sim.Time // of the tokens for the one that waits first
}

func (c *credits) fits(size uint32) bool { return c.waiting+size <= uint32(c.class.Queue) }

// spend takes the tokens for the credit that waits first, which is about to go then, or
// blocks the class and notes when there are enough.
func (q *discipline) spend(d *Domain, i int32, now sim.Time) {
	q.blocked = q.blocked&^first | q.pauses&first
	if (q.occupied&^q.pauses)&first == 0 {
		return
	}
	rate := d.cold[i].rate
	c, of := q.credits, &q.classes[0]
	size := d.Packets[of.at(of.head).frame].Size
	cost := c.class.Cost(rate, unit.Bytes(size))
	c.due = c.bucket.Due(cost, c.class.Cost(rate, c.class.Burst))
	if c.due > now {
		q.blocked |= first
		return
	}
	c.bucket.Take(now, cost)
	c.waiting -= uint32(size)
}

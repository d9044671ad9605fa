package fabric

import (
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// credits limits the rate of class 0 of a port with a token bucket, and drops
// credits that find its short queue full. A credit goes first if there are tokens
// for it. Otherwise class 0 is blocked and the other classes go. A port on which
// only credits wait, without tokens, sleeps until there are enough.
type credits struct {
	class   protocol.CreditClass
	bucket  protocol.CreditBucket
	waiting uint32   // bytes
	next    sim.Time // when there are tokens for the first waiting credit
}

// limiter returns the limiter of the port's class of credits; nil if it has none.
func (c *PortConfig) limiter() limiter {
	if !c.limited() {
		return nil
	}
	return &credits{class: c.Credit}
}

// The methods of a limiter.

func (c *credits) fits(size uint32) (bool, Reason) {
	return c.waiting+size <= uint32(c.class.Queue), CreditQueueFull
}

func (c *credits) waits(size uint32) { c.waiting += size }

func (c *credits) take(rate unit.Rate, size unit.Bytes, now sim.Time) bool {
	cost := c.class.Cost(rate, size)
	c.next = c.bucket.Due(cost, c.class.Cost(rate, c.class.Burst))
	if c.next > now {
		return false
	}
	c.bucket.Take(now, cost)
	c.waiting -= uint32(size)
	return true
}

func (c *credits) due() sim.Time { return c.next }

func (c *credits) clear() { c.waiting = 0 }

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

// spend takes the tokens for the credit that waits first, of some bytes, which goes then; or it notes when there are enough.
func (c *credits) spend(rate unit.Rate, size unit.Bytes, now sim.Time) bool {
	cost := c.class.Cost(rate, size)
	c.due = c.bucket.Due(cost, c.class.Cost(rate, c.class.Burst))
	if c.due > now {
		return false
	}
	c.bucket.Take(now, cost)
	c.waiting -= uint32(size)
	return true
}

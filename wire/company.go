package wire

import (
	"weft/unit"
	"weft/wire/internal/carrier"
)

// company has confirmations of small messages wait a little for the reply, or for the next request, with which they then
// leave as one burst. That spares a call two of four sends, and two wakes. How long they wait is bounded, and after no
// company came in time they leave at once for a while.
type company struct {
	// putOff is when what waits is sent in any case; Forever if nothing waits.
	putOff unit.Time
	// answered counts messages of these arrivals that somebody may answer at once, and confirmed those of this endpoint
	// that they confirm.
	answered, confirmed int
	// inTime is how often in a row company came, vain how often lately it did not, and without for how many arrivals
	// nothing waits.
	inTime, vain, without int
}

const (
	// shortest is how long something waits at first, and it doubles, up to mostDoublings, when company has come often,
	// so that a timer that is set is of use for longer.
	shortest      = 100 * unit.Microsecond
	often         = 16
	mostDoublings = 3
	// mostVain bounds for how many arrivals nothing waits.
	mostVain = 64
)

// answers notes that a message came for which somebody may send something at once.
func (e *Endpoint) answers(m *carrier.Message) {
	if m.Kind != carrier.OneWay && len(m.Body) <= int(e.cfg.Datagram) {
		e.answered++
	}
}

// react sends what arrivals lead to. If all were small messages that others are about to answer, and confirmations, what
// confirms them may wait.
func (e *Endpoint) react(now unit.Time, arrivals int) {
	all := e.answered > 0 && e.answered+e.confirmed == arrivals
	e.answered, e.confirmed = 0, 0
	if all && e.waits(now) {
		e.ring(now)
		return
	}
	e.pump()
}

// waits tells whether something that could be sent waits for company.
func (c *company) waits(now unit.Time) bool {
	if c.without > 0 {
		c.without--
		return false
	}
	c.putOff = min(c.putOff, now+shortest<<min(c.inTime/often, mostDoublings))
	return true
}

// came notes that something is sent, with which what waits leaves.
func (c *company) came() {
	if c.putOff < unit.Forever {
		c.putOff, c.vain = unit.Forever, 0
		c.inTime++
	}
}

// stayedAway notes that nothing was sent in time.
func (c *company) stayedAway() {
	c.vain = min(2*c.vain+1, mostVain)
	c.without, c.inTime, c.putOff = c.vain, 0, unit.Forever
}

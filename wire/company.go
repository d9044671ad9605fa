package wire

import (
	"weft/unit"
	"weft/wire/internal/carrier"
)

// company delays confirmations of small messages for a moment, so that they leave in one burst
// with the reply or the next request. This saves two of four sends and two wake-ups per call. The
// delay is bounded. If nothing else was sent in time, confirmations leave at once for a while.
type company struct {
	// putOff is when delayed confirmations are sent in any case, or Forever.
	putOff unit.Time
	// answered counts messages in the current arrivals that a handler may answer at once.
	// confirmed counts messages of this endpoint that they confirm.
	answered, confirmed int
	// inTime is how often in a row something else was sent in time. vain is the length of the
	// last pause without delays, in arrivals, and without is what remains of it.
	inTime, vain, without int
}

const (
	// shortest is the first delay. It doubles after every often successes, up to mostDoublings
	// times, so that a timer that is set stays useful for longer.
	shortest      = 100 * unit.Microsecond
	often         = 16
	mostDoublings = 3
	// mostVain limits for how many arrivals nothing is delayed.
	mostVain = 64
)

// answers counts a message that a handler may answer at once.
func (e *Endpoint) answers(m *carrier.Message) {
	if m.Kind != carrier.OneWay && len(m.Body) <= int(e.cfg.Datagram) {
		e.answered++
	}
}

// react sends the responses to arrivals. If the arrivals were only confirmations and small
// messages that handlers are about to answer, the confirmations may wait.
func (e *Endpoint) react(now unit.Time, arrivals int) {
	all := e.answered > 0 && e.answered+e.confirmed == arrivals
	e.answered, e.confirmed = 0, 0
	if all && e.waits(now) {
		e.ring(now)
		return
	}
	e.pump()
}

// waits reports whether sending may be put off, and sets the deadline.
func (c *company) waits(now unit.Time) bool {
	if c.without > 0 {
		c.without--
		return false
	}
	c.putOff = min(c.putOff, now+shortest<<min(c.inTime/often, mostDoublings))
	return true
}

// came notes that something is sent, which takes the delayed confirmations along.
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

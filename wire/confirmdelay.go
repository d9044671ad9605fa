package wire

import (
	"weft/unit"
	"weft/wire/internal/carrier"
)

// confirmDelay delays confirmations of small messages for a moment, so that they leave in one
// burst with the reply or the next request. This saves two of four sends and two wake-ups per
// call. The delay is bounded. If nothing else was sent in time, confirmations leave at once for a
// while.
type confirmDelay struct {
	// deadline is when delayed confirmations are sent in any case, or Forever.
	deadline unit.Time
	// answered counts messages in the current arrivals that a handler may answer at once.
	// confirmed counts messages of this endpoint that they confirm.
	answered, confirmed int
	// hits is how often in a row something else was sent in time. holdoff is the length of the
	// last pause without delays, in arrivals, and holdoffLeft is what remains of it.
	hits, holdoff, holdoffLeft int
}

const (
	// shortest is the first delay. It doubles after every often successes, up to mostDoublings
	// times, so that a timer that is set stays useful for longer.
	shortest      = 100 * unit.Microsecond
	often         = 16
	mostDoublings = 3
	// mostHoldoff limits for how many arrivals nothing is delayed.
	mostHoldoff = 64
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
	if all && e.mayDelay(now) {
		e.ring(now)
		return
	}
	e.pump()
}

// mayDelay reports whether sending may be put off, and sets the deadline.
func (c *confirmDelay) mayDelay(now unit.Time) bool {
	if c.holdoffLeft > 0 {
		c.holdoffLeft--
		return false
	}
	c.deadline = min(c.deadline, now+shortest<<min(c.hits/often, mostDoublings))
	return true
}

// sentInTime notes that something is sent, which takes the delayed confirmations along.
func (c *confirmDelay) sentInTime() {
	if c.deadline < unit.Forever {
		c.deadline, c.holdoff = unit.Forever, 0
		c.hits++
	}
}

// sentLate notes that nothing was sent in time.
func (c *confirmDelay) sentLate() {
	c.holdoff = min(2*c.holdoff+1, mostHoldoff)
	c.holdoffLeft, c.hits, c.deadline = c.holdoff, 0, unit.Forever
}

package transport

import (
	"weft/internal/histogram"
	"weft/unit"
)

// Convergence is how long senders took to take notice of others that came to their receiver (protocol.Convergence).
type Convergence struct {
	// From and To are the window in which others came; To is not in it.
	From, To unit.Time
	Times    histogram.Histogram
}

// Anew returns one of the same window with nothing in it.
func (c *Convergence) Anew() *Convergence { return &Convergence{From: c.From, To: c.To} }

// Add implements protocol.Convergence.
func (c *Convergence) Add(since, now unit.Time) {
	if since >= c.From && since < c.To {
		c.Times.Add(int64(now - since))
	}
}

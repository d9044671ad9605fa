package transport

import (
	"weft/internal/histogram"
	"weft/unit"
)

// Convergence records how long senders took to notice others that came to their
// receiver (protocol.Convergence).
type Convergence struct {
	// Only senders that came in [From, To) count.
	From, To unit.Time
	Times    histogram.Histogram
}

// Anew returns an empty Convergence for the same window.
func (c *Convergence) Anew() *Convergence { return &Convergence{From: c.From, To: c.To} }

// Add implements protocol.Convergence.
func (c *Convergence) Add(since, now unit.Time) {
	if since >= c.From && since < c.To {
		c.Times.Add(int64(now - since))
	}
}

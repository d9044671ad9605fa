package fabric

import "weft/sim"

// Refusal is why a start packet was not deflected.
type Refusal uint8

const (
	// BelowThreshold: its queue was short enough.
	BelowThreshold Refusal = iota
	// NoTokens: it had none left.
	NoTokens
	// TableFull: the switch remembers as many messages as it can.
	TableFull
	// NoPort: no other port may take it.
	NoPort

	Refusals = iota // their number
)

// Deflections counts what switches deflected.
type Deflections struct {
	// Hops counts deflected frames, once for each time; Messages the start packets among them.
	Hops, Messages uint64
	// Rows counts those that were made, Aged those that were freed since their messages were silent.
	Rows, Aged uint64
	// Most is the most rows of one switch, and Held the sum of the times for which rows stood.
	Most int
	Held sim.Time
	// Links counts the links that frames with tokens took, Extra those of them that minimal routes would have saved, and
	// ExtraBytes what crossed the latter. Each deflection adds the hop to the wrong switch, and what that is farther from the
	// destination; minimal hops add nothing. Where no route leads from the wrong switch, nothing is added.
	Links, Extra, ExtraBytes int64
	// Left are the rows that stand.
	Left int
	// Refused counts start packets that were not deflected.
	Refused [Refusals]uint64
}

// Since returns what was counted since an earlier count. Most and Left are of now.
func (c Deflections) Since(before Deflections) Deflections {
	c.Hops -= before.Hops
	c.Messages -= before.Messages
	c.Rows -= before.Rows
	c.Aged -= before.Aged
	c.Held -= before.Held
	c.Links -= before.Links
	c.Extra -= before.Extra
	c.ExtraBytes -= before.ExtraBytes
	for i := range c.Refused {
		c.Refused[i] -= before.Refused[i]
	}
	return c
}

// Deflections returns what switches have counted by now.
func (n *Network) Deflections(now sim.Time) (sum Deflections) {
	for _, d := range n.domains {
		g := d.deflecting
		if g == nil {
			return sum
		}
		c := g.counts
		for i := range g.tables {
			for _, r := range g.tables[i].rows {
				if g.Age > 0 && now-r.last > g.Age { // the switch has not looked since
					c.Held += r.last + g.Age - r.since
					c.Aged++
					continue
				}
				c.Held += now - r.since
				c.Left++
			}
		}
		sum.Hops += c.Hops
		sum.Messages += c.Messages
		sum.Rows += c.Rows
		sum.Aged += c.Aged
		sum.Held += c.Held
		sum.Links += c.Links
		sum.Extra += c.Extra
		sum.ExtraBytes += c.ExtraBytes
		sum.Left += c.Left
		sum.Most = max(sum.Most, c.Most)
		for i := range sum.Refused {
			sum.Refused[i] += c.Refused[i]
		}
	}
	return sum
}

// ResetDeflectionMost starts the search for the fullest table anew.
func (n *Network) ResetDeflectionMost() {
	for _, d := range n.domains {
		if g := d.deflecting; g != nil {
			g.counts.Most = 0
			for i := range g.tables {
				g.counts.Most = max(g.counts.Most, len(g.tables[i].rows))
			}
		}
	}
}

package fabric

import (
	"weft/sim"
	"weft/topo"
)

// Losses counts what a port has lost so far because of faults of its link.
type Losses struct {
	// Down counts frames lost because the link was down or failed while they were on
	// it or queued. Random counts frames lost at random.
	Down, DownBytes     uint64
	Random, RandomBytes uint64
	// Flushed counts the frames of Down that waited or were in service when the link
	// failed. Refused counts those sent to the port while its link was down.
	Flushed               uint64
	Refused, RefusedBytes uint64
	// Last is when the last frame was sent to the port since its link last failed.
	// Before is when the last frame was sent before the first quiet period, whose
	// length is set by Outages. Either is negative if there was none.
	Last, Before sim.Time
}

// Losses returns what a port has lost so far. It has no side effects.
func (n *Network) Losses(id topo.PortID, now sim.Time) Losses {
	_, _, _, c := n.at(id)
	l := Losses{Last: never, Before: never}
	if s := c.stats; s != nil {
		l = Losses{
			Down: s.Drops[LinkDown], DownBytes: s.LostBytes[LinkDown], Random: s.Drops[Loss], RandomBytes: s.LostBytes[Loss],
			Flushed: s.FlushedFrames, Refused: s.RefusedFrames, RefusedBytes: s.RefusedBytes,
			Last: never, Before: never,
		}
	}
	if c.faults == nil {
		return l
	}
	o := &c.faults.outage
	l.Last, l.Before = o.last, o.before
	if l.Before == never && l.Last != never && o.quiet > 0 && now-l.Last >= o.quiet {
		l.Before = l.Last
	}
	return l
}

// Outages sets how long nobody may send to a port whose link is down for the port
// to count as avoided. Call it before the first call of Run.
func (n *Network) Outages(quiet sim.Time) { n.quiet = quiet }

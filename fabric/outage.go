package fabric

import (
	"weft/sim"
	"weft/topo"
)

// Losses is what a port has lost so far for faults of its link.
type Losses struct {
	// Down are the frames lost since the link was down or failed under them, Random
	// those that it lost at random.
	Down, DownBytes     uint64
	Random, RandomBytes uint64
	// Flushed are those among Down that waited or were in service when the link
	// failed, Refused those that were sent to it while it was down.
	Flushed               uint64
	Refused, RefusedBytes uint64
	// Last is when the last frame was sent to the port since its link failed last,
	// and Before when the last one was before the port was first left alone for the
	// time that Outages was given; negative if that has not come about.
	Last, Before sim.Time
}

// Losses returns what a port has lost so far. It changes nothing.
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

// Outages says for how long a port whose link is down must be left alone to count
// as avoided. It is called before the first call of Run.
func (n *Network) Outages(quiet sim.Time) { n.quiet = quiet }

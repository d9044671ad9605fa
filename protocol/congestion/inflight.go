package congestion

import (
	"weft/protocol"
	"weft/unit"
)

// hpcc is the sender of HPCC and FNCC.
type hpcc struct {
	rate, steady float64 // R and that of Wc, in bit/s
	use          float64 // U
	stage        int
	round        roundTrips
	// last has what the switches stamped before, of the ports that path names; known is how many.
	last    [protocol.MostStamps]protocol.Stamp
	known   int
	path    uint32
	started bool

	line, least, additive, eta float64
	rtt                        unit.Time
	stages                     int
	perAck                     bool
	window                     pacedWindow

	lhcs, direct bool // direct: lhcs_apply
	alpha, beta  float64

	// until is the latest moment of which stamps or notices told, and told that of notices (direct).
	until, told unit.Time
}

// Start implements protocol.Congestion.
func (c *hpcc) Start(now unit.Time) {
	c.rate, c.steady, c.use, c.stage = c.line, c.line, 1, 0
	c.round, c.known, c.path, c.started = roundTrips{now}, 0, 0, false
	c.until, c.told = now, 0
}

// Window implements protocol.Congestion.
func (c *hpcc) Window() unit.Bytes { return c.window.at(c.rate) }

// Pace implements protocol.Pacer.
func (c *hpcc) Pace() protocol.Pace { return paceAt(c.rate) }

// Lost implements protocol.Congestion.
func (c *hpcc) Lost(*protocol.Loss) {}

// Acked implements protocol.Congestion.
func (c *hpcc) Acked(a *protocol.Ack) {
	hops := a.Stamps.Hops[:min(len(a.Stamps.Hops), protocol.MostStamps)]
	if len(hops) == 0 {
		return
	}
	if !c.started {
		c.started = true
		c.round.began = a.Now
	}
	if a.Stamps.Path != c.path || len(hops) != c.known {
		c.path, c.known = a.Stamps.Path, copy(c.last[:], hops)
		return
	}
	full := c.round.over(a)
	if !full && !c.perAck {
		return
	}
	m, ok := c.measure(hops)
	if !ok {
		return
	}
	c.use = float64((1-m.weight)*c.use) + float64(m.weight*m.load)
	fires := c.lhcs && m.hop == len(hops)-1 && m.load > c.alpha
	if fires {
		c.steady = c.clamp(float64(hops[m.hop].Rate) * c.beta / flows(a))
	}
	if fires && c.direct {
		c.settle(full)
	} else {
		c.turn(full)
	}
	if full {
		c.round.began = a.Now
	}
}

// load is that of the most loaded port.
type load struct {
	hop int
	// load is what it holds and sends in a base RTT, of what its link takes in that time, and
	// weight that of the time over which this was measured.
	load, weight float64
}

// measure finds the most loaded port, the last of several, and keeps the stamps. It is false if
// time passed at none of them.
func (c *hpcc) measure(hops []protocol.Stamp) (load, bool) {
	most := load{hop: -1}
	for i := range hops {
		now, was := &hops[i], &c.last[i]
		passed := now.At - was.At
		if passed <= 0 || now.Rate <= 0 {
			continue
		}
		queued := float64(min(now.Queue, was.Queue)) / float64(c.rtt)
		sent := float64(now.Sent-was.Sent) / float64(passed)
		u := (queued + sent) * bitsPerSecond / float64(now.Rate)
		if u >= most.load {
			fresh := max(0, min(passed, now.At-c.told)) // what no notice told of
			most = load{i, u, float64(min(fresh, c.rtt)) / float64(c.rtt)}
		}
		c.until = max(c.until, now.At)
		*was = *now
	}
	return most, most.hop >= 0
}

// bitsPerSecond is a byte per picosecond.
const bitsPerSecond = 8 * float64(unit.Second)

// turn sets the rate by U, and at the end of a round trip that of Wc and the stage.
func (c *hpcc) turn(full bool) {
	stage := c.stage + 1
	c.rate = c.steady + c.additive
	if c.use >= c.eta || c.stage >= c.stages {
		stage = 0
		c.rate = c.steady/(c.use/c.eta) + c.additive
	}
	c.rate = c.clamp(c.rate)
	if full {
		c.steady, c.stage = c.rate, stage
	}
}

// settle sets the rate to that of Wc, and at the end of a round trip the stage as a cut by U does.
func (c *hpcc) settle(full bool) {
	c.rate = c.steady
	if full {
		c.stage = 0
	}
}

func (c *hpcc) clamp(rate float64) float64 { return min(max(rate, c.least), c.line) }

// flows returns the N of an acknowledgement, 1 without one.
func flows(a *protocol.Ack) float64 {
	if !a.Answered {
		return 1
	}
	return float64(max(1, a.Answer[0]))
}

package congestion

import (
	"weft/protocol"
	"weft/unit"
)

// DCTCPRate is DCTCP as a rate of network adapters, in the form of HPCC's simulator (SIGCOMM
// 2019): it starts at line rate C, without slow start, and paces. With F the share of
// packets of a round trip that arrived marked, and alpha 1 at first:
//
//	once a round trip:         alpha = (1-g)·alpha + g·F, but for the first
//	marked, not after a cut:   R = R·(1 - alpha/2)
//	a round trip without cut:  R += additive, at its end
//
// A round trip ends with the first acknowledgement of a packet that was sent after it began, and
// what is "after a cut" ends with that of a packet that was sent after the cut. The window is C
// times base RTT at line rate, and shrinks with the rate.
//
// Losses change nothing, as where switches drop nothing. Departures: the share is of packets that
// were acknowledged, where the simulator takes those that were in flight when the round trip began.
type DCTCPRate struct {
	Gain     unit.Ratio   `yaml:"gain" default:"6.25%" min:"0%" max:"100%" doc:"Weight g of the last round trip in alpha." source:"SIGCOMM 2010, §3.1; HPCC's simulator (1/16)"`
	Alpha    unit.Ratio   `yaml:"alpha" default:"100%" min:"0%" max:"100%" doc:"Assumed share of marked packets at the start." source:"HPCC's simulator (SIGCOMM 2019)"`
	Additive *unit.Rate   `yaml:"additive" doc:"Growth of the rate per round trip (default: one packet's payload per base RTT, 615 Mb/s with 1000 B and 13 us)." source:"HPCC's simulator (run.py)"`
	Least    unit.Rate    `yaml:"least" default:"100Mbps" min:"1bps" doc:"Least rate." source:"HPCC's simulator (SIGCOMM 2019)"`
	Window   *unit.Amount `yaml:"window" doc:"Limit of data in flight at line rate, in wire bytes or BDP (default: 1BDP)." source:"HPCC's simulator (run.py)"`
	Scales   bool         `yaml:"window_scales" default:"true" doc:"Whether that limit shrinks with the rate." source:"HPCC's simulator (run.py)"`
}

// Build returns the control. It fails if an option is out of bounds.
func (o DCTCPRate) Build() (protocol.CongestionControl, error) {
	err := wrap("dctcp-rate",
		checkRange("gain", float64(o.Gain), 0, 1), checkRange("alpha", float64(o.Alpha), 0, 1),
		checkRate("additive", o.Additive), checkLeast(o.Least), checkAmounts(named{"window", o.Window}))
	if err != nil {
		return protocol.CongestionControl{}, err
	}
	return protocol.CongestionControl{
		Needs: protocol.Needs{Must: protocol.Marks, Wants: pauses()},
		Setup: adapters("HPCC, SIGCOMM 2019, §5.1", protocol.State(protocol.Step(bdps(1.85)), "HPCC's simulator: 30 kB at 10 Gb/s and 13 us")),
		New: func(env protocol.Env) protocol.Congestion {
			line := float64(env.LineRate)
			c := &dctcpRate{
				line: line, least: min(float64(o.Least), line), gain: float64(o.Gain), initialAlpha: float64(o.Alpha),
				additive: rateOr(o.Additive, float64(env.Payload)*bitsPerSecond/float64(max(1, env.BaseRTT))),
			}
			most := unit.Amount{BDPs: 1}
			if o.Window != nil {
				most = *o.Window
			}
			c.window = newPacedWindow(&most, o.Scales, env)
			c.Start(0)
			return c
		},
	}, nil
}

type dctcpRate struct {
	rate, alpha   float64
	acked, marked int64 // packets of this round trip
	round         roundTrips
	begun         bool // the first round trip is over
	// after is the round trip after a cut, if wait is set.
	after roundTrips
	wait  bool

	line, least, additive, gain, initialAlpha float64
	window                                    pacedWindow
}

// Start implements protocol.Congestion.
func (c *dctcpRate) Start(now unit.Time) {
	c.rate, c.alpha = c.line, c.initialAlpha
	c.acked, c.marked, c.round, c.begun, c.wait = 0, 0, roundTrips{now}, false, false
}

// Window implements protocol.Congestion.
func (c *dctcpRate) Window() unit.Bytes { return c.window.at(c.rate) }

// Pace implements protocol.Pacer.
func (c *dctcpRate) Pace() protocol.Pace { return paceAt(c.rate) }

// Lost implements protocol.Congestion.
func (c *dctcpRate) Lost(*protocol.Loss) {}

// Acked implements protocol.Congestion.
func (c *dctcpRate) Acked(a *protocol.Ack) {
	_, marked := step(a)
	c.acked += int64(a.Packets)
	c.marked += int64(marked)
	over := c.round.over(a) && c.acked > 0
	if over {
		c.learn()
		c.round.began = a.Now
	}
	if c.wait && c.after.over(a) {
		c.wait = false
	}
	if marked > 0 && !c.wait {
		c.rate = max(c.least, c.rate*(1-c.alpha/2))
		c.wait, c.after.began = true, a.Now
	}
	if over && !c.wait {
		c.rate = min(c.line, c.rate+c.additive)
	}
}

// learn takes the share of marked packets of a round trip into alpha.
func (c *dctcpRate) learn() {
	if c.begun {
		c.alpha = float64((1-c.gain)*c.alpha) + float64(c.gain*(float64(c.marked)/float64(c.acked)))
	}
	c.begun = true
	c.acked, c.marked = 0, 0
}

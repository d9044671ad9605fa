package congestion

import (
	"math"

	"weft/protocol"
	"weft/unit"
)

// DCQCNNIC is DCQCN as network adapters have it, in the form of HPCC's simulator (SIGCOMM 2019;
// its mode for ConnectX adapters). It differs from DCQCN's paper in what clocks it. The first
// notification of a connection starts two clocks, which run from then on, whatever comes:
//
//	every alpha_timer:  alpha = (1-g)·alpha, + g if a notification came since the last time
//	every cut_timer:    if a notification came since the last time:
//	                    T = R, if a stage was passed since the last cut, or with clamp_target;
//	                    R = R·(1 - alpha/2); the stages are 0, and rate_timer begins anew
//	every rate_timer:   a stage: up to the stage fast (not counting it) T stays; at it T += additive;
//	                    beyond, T += hyper; T = min(T, C); R = (R + T)/2
//
// Alpha is 1 when the clocks start, and R and T are the line rate C. So the first cut comes a
// cut_timer after the first notification. What is due at the same time comes in the order above.
// Notifications are not spaced: each acknowledgement of a marked packet is one. There is no
// counter of bytes. Stages count from 0: the first is stage 0.
//
// Without notifications the clocks change nothing but alpha, which is reckoned when it is
// needed. Where R is C again, rounded to bits per second, the rate timer rests.
//
// What is absent here of additive and hyper is 5 and 50 Mb/s at 25 Gb/s, in proportion to the
// line rate (run.py). Departures from the simulator: a packet that arrived trimmed counts as
// marked, as in dcqcn, and the cut comes exactly a cut_timer after the notification, where the
// simulator adds 1 ns to keep the order.
type DCQCNNIC struct {
	Gain       unit.Ratio   `yaml:"gain" default:"0.390625%" min:"0%" max:"100%" doc:"Weight g of a notification in alpha." source:"HPCC's simulator (SIGCOMM 2019): 1/256"`
	AlphaTimer unit.Time    `yaml:"alpha_timer" default:"1us" min:"1ns" doc:"Time between updates of alpha." source:"HPCC's simulator (run.py)"`
	CutTimer   unit.Time    `yaml:"cut_timer" default:"4us" min:"1ns" doc:"Time between checks for a notification, which cuts the rate." source:"HPCC's simulator (run.py)"`
	RateTimer  unit.Time    `yaml:"rate_timer" default:"300us" min:"1ns" doc:"Time after a cut, and between stages, after which the rate grows." source:"HPCC's simulator (run.py)"`
	Interval   unit.Time    `yaml:"interval" default:"0s" doc:"Shortest time between notifications of a connection; 0s: every acknowledgement of a marked packet notifies." source:"HPCC's simulator"`
	Fast       int          `yaml:"fast" default:"1" min:"0" max:"1000" doc:"Stages of fast recovery, which keep the target." source:"HPCC's simulator (run.py)"`
	Additive   *unit.Rate   `yaml:"additive" doc:"Growth of the target in the stage after (default: 1/5000 of the line rate, 5 Mb/s at 25 Gb/s)." source:"HPCC's simulator (run.py)"`
	Hyper      *unit.Rate   `yaml:"hyper" doc:"Growth of the target in each later stage (default: 1/500 of the line rate)." source:"HPCC's simulator (run.py)"`
	Clamp      bool         `yaml:"clamp_target" default:"false" doc:"Whether each cut sets the target, also one before the rate grew again." source:"HPCC's simulator (run.py)"`
	Least      unit.Rate    `yaml:"least" default:"100Mbps" min:"1bps" doc:"Least rate." source:"HPCC's simulator (SIGCOMM 2019)"`
	Window     *unit.Amount `yaml:"window" doc:"Limit of data in flight at line rate, in wire bytes or BDP (default: none)." source:"HPCC (SIGCOMM 2019, §5.1) adds one"`
	Scales     bool         `yaml:"window_scales" default:"true" doc:"Whether that limit shrinks with the rate." source:"HPCC's simulator (dcqcn_vwin)"`
}

const nicAdditiveShare, nicHyperShare = 5000, 500 // of the line rate

// Build returns the control. It fails if an option is out of bounds.
func (o DCQCNNIC) Build() (protocol.CongestionControl, error) {
	err := wrap("dcqcn-nic",
		checkRange("gain", float64(o.Gain), 0, 1), checkTime("alpha_timer", &o.AlphaTimer, unit.Nanosecond),
		checkTime("cut_timer", &o.CutTimer, unit.Nanosecond), checkTime("rate_timer", &o.RateTimer, unit.Nanosecond),
		checkTime("interval", &o.Interval, 0), checkRange("fast", float64(o.Fast), 0, 1000),
		checkRate("additive", o.Additive), checkRate("hyper", o.Hyper), checkLeast(o.Least), checkAmounts(named{"window", o.Window}))
	if err != nil {
		return protocol.CongestionControl{}, err
	}
	return protocol.CongestionControl{
		Needs:       protocol.Needs{Must: protocol.Marks, Wants: pauses()},
		Setup:       adapters("HPCC, SIGCOMM 2019, §5.1", protocol.State(protocol.RED(bdps(2.5), bdps(10), 0.2), "HPCC's simulator: 100 and 400 kB at 25 Gb/s and 13 us")),
		PromptMarks: true, Receivers: dcqcnReceivers{o.Interval},
		New: func(env protocol.Env) protocol.Congestion {
			line := float64(env.LineRate)
			c := &dcqcnNIC{
				line: line, least: min(float64(o.Least), line), gain: float64(o.Gain),
				additive: rateOr(o.Additive, line/nicAdditiveShare), hyper: rateOr(o.Hyper, line/nicHyperShare),
				alphaTimer: o.AlphaTimer, cutTimer: o.CutTimer, rateTimer: o.RateTimer,
				fast: o.Fast, clamp: o.Clamp, window: newPacedWindow(o.Window, o.Scales, env),
			}
			c.Start(0)
			return c
		},
		NewAnswerer: func(protocol.HostEnv) protocol.Answerer { return &notifier{interval: o.Interval} },
	}, nil
}

type dcqcnNIC struct {
	rate, target float64 // bit/s
	// began is when the clocks started; Forever before.
	began unit.Time
	// alpha is as of its update number updates, and told tells of a notification since.
	alpha   float64
	updates int64
	told    bool
	// cut is when the next check finds a notification, grow when the next stage is; Forever if
	// none will be.
	cut, grow unit.Time
	stage     int

	line, least, additive, hyper, gain float64
	alphaTimer, cutTimer, rateTimer    unit.Time
	fast                               int
	clamp                              bool
	window                             pacedWindow
}

// Start implements protocol.Congestion.
func (c *dcqcnNIC) Start(unit.Time) {
	c.rate, c.target, c.stage = c.line, c.line, 0
	c.alpha, c.updates, c.told = 1, 0, false
	c.began, c.cut, c.grow = unit.Forever, unit.Forever, unit.Forever
}

// Window implements protocol.Congestion.
func (c *dcqcnNIC) Window() unit.Bytes { return c.window.at(c.rate) }

// Pace implements protocol.Pacer.
func (c *dcqcnNIC) Pace() protocol.Pace { return paceAt(c.rate) }

// Lost implements protocol.Congestion.
func (c *dcqcnNIC) Lost(*protocol.Loss) {}

// Acked implements protocol.Congestion.
func (c *dcqcnNIC) Acked(a *protocol.Ack) {
	if !a.Answered || a.Answer[0] != notification {
		return
	}
	if c.began == unit.Forever { // it starts the clocks, and only the first check hears of it
		c.began = a.Now
	} else {
		c.settle(a.Now)
		c.told = true
	}
	if c.cut == unit.Forever {
		checks := (a.Now - c.began) / c.cutTimer
		c.cut = c.began + (checks+1)*c.cutTimer
	}
}

// Deadline implements protocol.Timed.
func (c *dcqcnNIC) Deadline() unit.Time { return min(c.cut, c.grow) }

// Expire implements protocol.Timed.
func (c *dcqcnNIC) Expire(now unit.Time) {
	if now >= c.cut {
		c.settle(now)
		c.lower(now)
		return
	}
	if now >= c.grow {
		c.grow = now + c.rateTimer
		c.raise()
	}
}

// settle brings alpha up to date.
func (c *dcqcnNIC) settle(now unit.Time) {
	n := int64((now-c.began)/c.alphaTimer) - c.updates
	if n == 0 {
		return
	}
	c.updates += n
	if c.told {
		c.alpha = float64((1-c.gain)*c.alpha) + c.gain
		c.told = false
		n--
	}
	c.alpha *= power(1-c.gain, n)
}

// lower cuts the rate.
func (c *dcqcnNIC) lower(now unit.Time) {
	if c.clamp || c.stage > 0 {
		c.target = c.rate
	}
	c.rate = max(c.least, c.rate*(1-c.alpha/2))
	c.stage, c.cut, c.grow = 0, unit.Forever, now+c.rateTimer
}

// raise lets the rate grow by a stage.
func (c *dcqcnNIC) raise() {
	switch {
	case c.stage == c.fast:
		c.target += c.additive
	case c.stage > c.fast:
		c.target += c.hyper
	}
	c.stage++
	c.target = min(c.target, c.line)
	c.rate = (c.rate + c.target) / 2
	if math.Round(c.rate) >= c.line {
		c.rate, c.target, c.grow = c.line, c.line, unit.Forever
	}
}

package congestion

import (
	"math"
	"slices"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Swift is Swift's congestion control (Kumar et al., SIGCOMM 2020, §3.1–3.3,
// Algorithm 1, equations for the target), with the parameters that SIRD's evaluation
// gives it at 100 Gb/s (NSDI 2025, Table 2). With window w in packets, the round-trip
// time of the acknowledged packet as delay, and n newly acknowledged packets:
//
//	target = base_target + hops·hop + clamp(a/sqrt(w) + b, 0, fs_range)
//	a = fs_range / (1/sqrt(fs_min) - 1/sqrt(fs_max)),  b = -a/sqrt(fs_max)
//	delay < target:   w += increase·n/w, or increase·n if w < 1
//	delay >= target:  w *= max(1 - beta·(delay-target)/delay, 1 - max_cut),
//	                  if the last decrease is a round trip or longer ago
//	lost:             w *= 1 - max_cut, once a round trip;
//	                  after 12 timeouts without an acknowledgement w = least
//
// Below one packet, packets are paced (protocol.Pacer): one each RTT/w, with the RTT
// measured last. Hops are the switches of a minimal path.
//
// The presets differ in three things. fs_range: paper has the 5 RTT of SIRD's Table 2,
// nsdi25 the 5·base_target (10 RTT) of its public settings. What counts as the last
// decrease: paper does as Algorithm 1 is printed, where an acknowledgement that leaves
// the window as it was does, too, so that a connection whose every delay is above the
// target decreases only after a round trip without acknowledgements. nsdi25 does as the
// simulator SIRD's Swift comes from (Vertigo's, CoNEXT 2021): it compares with the window
// before in whole bytes, rounded down, so that one with a fraction of a byte, as nearly
// all have that are not the initial one, is never as it was. And idleness: there, as in
// RFC 5681 §4.1, a connection that has sent nothing for its retransmission timeout, 10 ms
// at least, begins with the initial window again, also one that only waited for its
// pacing; so windows far below a packet don't last. With paper they do.
//
// The table's ħ of 1.25 BDP is no time; the public settings have 1 µs a hop, which both
// presets take. (1.25 BDP at 100 Gb/s would be 10 µs.)
//
// Departures: there is one window, for the fabric; endpoint delay counts as 0, as in
// the public settings. The RTT is from the NIC taking the packet, unless the NIC
// queues (fabric.nic: fifo). Packets that were sent more than once give no delay and
// change nothing. SIRD's Swift runs with a Nagle's algorithm that only holds back what
// is handed to a connection with packets in flight, until one is acknowledged; that of
// the transport (nagle) is RFC 896's, which the last packet of any message meets, and
// neither is on by default. A packet that arrived trimmed counts as lost. Timeouts are those of
// single packets; in a row they count if the packet was sent after the last of them.
// Messages are of packets, not of a stream: what the window leaves of one is not sent
// as a packet of its own, as the simulator's TCP does. The gap below one packet counts
// from the packet before, there from its acknowledgement.
type Swift struct {
	Preset     string       `yaml:"preset" default:"nsdi25" doc:"Source of the defaults of fs_range, restamp and restart_idle: SIRD's Table 2 and Algorithm 1 as printed, or its public settings and simulator." source:"SIRD, NSDI 2025, Table 2; its public settings; Vertigo's simulator" enum:"paper,nsdi25"`
	BaseTarget *unit.Time   `yaml:"base_target" doc:"Delay target without hops and scaling (default: two base round-trip times)." source:"SIRD, NSDI 2025, Table 2" min:"1ps"`
	Hop        unit.Time    `yaml:"hop" default:"1us" doc:"What each switch on the path adds to the target." source:"SIRD's public settings (NSDI 2025)"`
	Range      *unit.Time   `yaml:"fs_range" doc:"Most that flow scaling adds to the target (default: 5 base round-trip times with preset paper, 5 base_target with nsdi25)." source:"SIRD, NSDI 2025, Table 2; its public settings"`
	ScaleMin   float64      `yaml:"fs_min" default:"0.1" min:"0.000001" max:"1000000" doc:"Window in packets up to which flow scaling adds all of fs_range." source:"SIRD, NSDI 2025, Table 2"`
	ScaleMax   float64      `yaml:"fs_max" default:"100" min:"0.000001" max:"1000000" doc:"Window in packets from which flow scaling adds nothing." source:"SIRD, NSDI 2025, Table 2"`
	Increase   float64      `yaml:"increase" default:"1" min:"0" max:"1000" doc:"Packets that the window grows by per round trip." source:"SIRD's public settings (NSDI 2025)"`
	Beta       float64      `yaml:"beta" default:"0.8" min:"0" max:"1" doc:"Strength of the multiplicative decrease." source:"SIGCOMM 2020 §3.1; SIRD's public settings"`
	MaxCut     unit.Ratio   `yaml:"max_cut" default:"50%" max:"100%" doc:"Largest share of the window that one decrease removes." source:"SIGCOMM 2020 §3.1; SIRD's public settings"`
	Initial    unit.Amount  `yaml:"initial" default:"1BDP" doc:"Window at the start of a connection, in wire bytes or BDP." source:"SIRD, NSDI 2025, Table 2"`
	Least      float64      `yaml:"least" default:"0.001" min:"0.000001" max:"1000" doc:"Smallest window, in packets." source:"SIGCOMM 2020 §3.5; SIRD's public settings"`
	Largest    *unit.Amount `yaml:"largest" doc:"Largest window, in wire bytes or BDP (default: 666667 packets)." source:"SIRD's public settings (NSDI 2025)"`
	Restart    bool         `yaml:"restart" default:"true" doc:"Whether a message on an idle connection begins with the initial window again." source:"SIRD's public settings (NSDI 2025)"`
	Restamp    *string      `yaml:"restamp" enum:"always,whole,never" doc:"Whether an acknowledgement that leaves the window unchanged counts as the last decrease: always, only if the window is a whole number of bytes (whole), or never (default: always with preset paper, whole with nsdi25)." source:"SIGCOMM 2020, Algorithm 1 (always); Vertigo's simulator (whole)"`
	Idle       *unit.Time   `yaml:"restart_idle" doc:"Idle time, beyond its retransmission timeout, after which a connection begins with the initial window again; 0s for never (default: 0s with preset paper, 10ms with nsdi25)." source:"RFC 5681 §4.1; Vertigo's simulator (10ms)"`
}

const (
	swiftLargest = 666_667 // packets
	// swiftTimeouts in a row set the window to the least.
	swiftTimeouts = 12
	// swiftIdle is the least retransmission timeout of Vertigo's simulator, and
	// swiftDeviation how far its round trips are taken to be from the mean at first.
	swiftIdle      = 10 * unit.Millisecond
	swiftDeviation = 250 * unit.Millisecond
)

// Build returns the control. It fails if an option is out of bounds.
func (o Swift) Build() (protocol.CongestionControl, error) {
	err := wrap("swift",
		checkAmounts(named{"initial", &o.Initial}, named{"largest", o.Largest}),
		checkRange("fs_min", o.ScaleMin, 1e-6, 1e6), checkRange("fs_max", o.ScaleMax, 1e-6, 1e6),
		checkRange("increase", o.Increase, 0, 1000), checkRange("beta", o.Beta, 0, 1),
		checkRange("max_cut", float64(o.MaxCut), 0, 1), checkRange("least", o.Least, 1e-6, 1000), o.check())
	if err != nil {
		return protocol.CongestionControl{}, err
	}
	return protocol.CongestionControl{Setup: swiftSetup(), New: func(env protocol.Env) protocol.Congestion {
		c := &swift{
			hop: o.Hop, increase: o.Increase, beta: o.Beta, maxCut: float64(o.MaxCut),
			restart: o.Restart, idle: swiftIdle, baseRTT: env.BaseRTT,
			least: o.Least, largest: swiftLargest, payload: float64(env.Payload),
		}
		if o.Largest != nil {
			c.largest = max(c.least, packets(*o.Largest, env))
		}
		c.initial = min(max(packets(o.Initial, env), c.least), c.largest)
		c.base = 2 * env.BaseRTT
		if o.BaseTarget != nil {
			c.base = *o.BaseTarget
		}
		span, restamp := 5*c.base, "whole"
		if o.Preset == "paper" {
			span, restamp, c.idle = 5*env.BaseRTT, "always", 0
		}
		if o.Range != nil {
			span = *o.Range
		}
		if o.Restamp != nil {
			restamp = *o.Restamp
		}
		c.always, c.whole = restamp == "always", restamp == "whole"
		if o.Idle != nil {
			c.idle = *o.Idle
		}
		c.span = float64(span)
		c.a = c.span / (1/math.Sqrt(o.ScaleMin) - 1/math.Sqrt(o.ScaleMax))
		c.b = -c.a / math.Sqrt(o.ScaleMax)
		c.Start(0)
		return c
	}}, nil
}

func (o *Swift) check() error {
	switch {
	case o.Preset != "paper" && o.Preset != "nsdi25":
		return problem.At("preset", "preset is %q", o.Preset).Mend("it must be paper or nsdi25")
	case o.BaseTarget != nil && *o.BaseTarget <= 0:
		return problem.At("base_target", "base_target is %v", *o.BaseTarget).Mend("it must be positive")
	case o.Hop < 0:
		return problem.At("hop", "hop is %v", o.Hop).Mend("it must not be negative")
	case o.Range != nil && *o.Range < 0:
		return problem.At("fs_range", "fs_range is %v", *o.Range).Mend("it must not be negative")
	case o.Restamp != nil && !slices.Contains([]string{"always", "whole", "never"}, *o.Restamp):
		return problem.At("restamp", "restamp is %q", *o.Restamp).Mend("it must be always, whole or never")
	case o.Idle != nil && *o.Idle < 0:
		return problem.At("restart_idle", "restart_idle is %v", *o.Idle).Mend("it must not be negative")
	case o.ScaleMin >= o.ScaleMax:
		return problem.At("fs_min", "fs_min is %v", o.ScaleMin).Mend("it must be less than fs_max, %v", o.ScaleMax)
	}
	return nil
}

type swift struct {
	window float64
	target unit.Time // but for flow scaling
	rtt    unit.Time // measured last
	// decreased is the time of the last decrease, if cut is set.
	decreased unit.Time
	cut       bool
	timeouts  int       // since the last acknowledgement
	expired   unit.Time // the last of them
	// sent is when the newest packet that was acknowledged was sent; smoothed, 0 until one
	// was, and deviation are of round trips.
	sent                unit.Time
	smoothed, deviation float64

	initial, least, largest, payload float64
	a, b, span                       float64
	increase, beta, maxCut           float64
	base, hop, baseRTT               unit.Time
	restart, always, whole           bool
	idle                             unit.Time
}

func (c *swift) Start(unit.Time) {
	c.window, c.rtt, c.cut, c.timeouts = c.initial, c.baseRTT, false, 0
	c.expired = 0
	c.target = c.base
	c.sent, c.smoothed, c.deviation = 0, 0, float64(swiftDeviation)
}

// SetHops implements protocol.HopCounter.
func (c *swift) SetHops(switches int) { c.target = c.base + unit.Time(switches)*c.hop }

// Restart implements protocol.Restarter.
func (c *swift) Restart(unit.Time) {
	if c.restart {
		c.window = c.initial
	}
}

func (c *swift) Window() unit.Bytes { return unit.Bytes(c.window * c.payload) }

// Pace implements protocol.Pacer.
func (c *swift) Pace() protocol.Pace {
	if c.window >= 1 {
		return protocol.Pace{}
	}
	return protocol.Pace{Gap: unit.Time(min(float64(c.rtt)/c.window, float64(unit.Second)))}
}

// goal returns the target of the delay at the present window, in picoseconds.
func (c *swift) goal() float64 {
	scaled := float64(c.a/math.Sqrt(c.window)) + c.b
	return float64(c.target) + min(max(scaled, 0), c.span)
}

func (c *swift) Acked(a *protocol.Ack) {
	if a.Packets == 0 {
		return
	}
	c.timeouts = 0
	if a.RTT == 0 {
		return
	}
	c.rested(a)
	c.rtt = a.RTT
	before, delay, goal := c.window, float64(a.RTT), c.goal()
	switch n := float64(a.Packets); {
	case delay < goal && c.window >= 1:
		c.window += float64(c.increase*n) / c.window
	case delay < goal:
		c.window += float64(c.increase * n)
	case c.mayCut(a.Now):
		c.window *= max(1-float64(c.beta*(delay-goal))/delay, 1-c.maxCut)
	}
	c.settle(before, a.Now)
}

// mayCut tells whether the last decrease is a round trip ago.
func (c *swift) mayCut(now unit.Time) bool { return !c.cut || now-c.decreased >= c.rtt }

// rested begins with the initial window again if the connection had sent nothing for its
// retransmission timeout when it sent the packet that is acknowledged. The timeout is that of
// INET's TCP, whose weights and first deviation are not RFC 6298's (reliable.Timer's).
func (c *swift) rested(a *protocol.Ack) {
	if c.idle == 0 {
		return
	}
	sent := a.Now - a.RTT
	if c.smoothed > 0 && float64(sent-c.sent) > max(c.smoothed+float64(4*c.deviation), float64(c.idle)) {
		c.window = c.initial
	}
	c.sent = max(c.sent, sent)
	miss := float64(a.RTT) - c.smoothed
	c.smoothed += float64(miss / 8)
	c.deviation += float64((math.Abs(miss) - c.deviation) / 8)
}

// settle keeps the window within its bounds and notes a decrease.
func (c *swift) settle(before float64, now unit.Time) {
	c.window = min(max(c.window, c.least), c.largest)
	lower := c.window < before
	switch {
	case c.always:
		lower = c.window <= before
	case c.whole:
		lower = c.window <= math.Floor(before*c.payload)/c.payload
	}
	if lower {
		c.decreased, c.cut = now, true
	}
}

func (c *swift) Lost(l *protocol.Loss) {
	before := c.window
	if l.Cause == protocol.Timeout && l.SentAt >= c.expired {
		c.timeouts++
		c.expired = l.Now
	}
	switch {
	case c.timeouts >= swiftTimeouts:
		c.window = c.least
	case c.mayCut(l.Now):
		c.window *= 1 - c.maxCut
	default:
		return
	}
	c.settle(before, l.Now)
}

// swiftSetup has a queue for the largest target: 2 base round trips, 10 of flow scaling with the preset nsdi25, and those that
// switches add, of which one is the round trip itself.
func swiftSetup() protocol.Setup {
	return protocol.Setup{
		Balancer: protocol.State("ecmp", "SIRD, NSDI 2025, §6.2"),
		Marking:  unmarked("SIGCOMM 2020, §3.1: delay is the signal"),
		Queue:    protocol.State(protocol.Depth{BDPs: 16}, "weft: holds the largest target delay"),
		Recovery: protocol.State("sack", "SIGCOMM 2020, §3.6; RFC 6675"),
	}
}

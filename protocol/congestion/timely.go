package congestion

import (
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Timely is TIMELY's congestion control (Mittal et al., SIGCOMM 2015, §4, Algorithm 1): senders pace
// at a rate that follows the round-trip time and its gradient. With the RTT of an update and that of
// the one before, d = 0 at first, and the line rate as the first rate R:
//
//	d = (1-ewma)·d + ewma·(RTT - RTT before);  gradient = d/min_rtt
//	RTT < low:         R += additive
//	RTT > high:        R *= 1 - beta·(1 - high/RTT)
//	gradient <= 0:     R += additive, or hyper·additive after the first hyper_after updates in a row
//	else:              R *= max(0, 1 - beta·gradient)
//
// The first RTT of a connection only counts as the one before. RTTs are those of packets from the
// NIC on, and packets that were sent more than once have none.
//
// The presets are these. paper: 50 and 500 µs, a min_rtt of 20 µs, 10 Mb/s, and an update with each
// segment of 64 KB. hpcc is HPCC's simulator: one update per round trip, for a packet that was sent
// after the last update; 10 Mb/s at 10 Gb/s, in proportion to the line rate; and updates with an RTT
// below low count for hyper_after, and take its larger step, as well. scaled is hpcc with a low of 3
// base RTTs, a high of 30 and a min_rtt of one: the paper's times are for a fabric of 10 Gb/s, and
// where a base RTT is 18 µs at 100 Gb/s, some 400 kB queue below its low.
//
// A segment ends with the acknowledgement that completes it, and what that acknowledges beyond is not
// counted for the next one. After an idle time the first RTT is compared with the last one before it.
//
// Losses change nothing, as where switches drop nothing. TIMELY has no unique fixed point, so that
// flows may keep unequal shares (Zhu et al., CoNEXT 2016).
type Timely struct {
	Preset   string       `yaml:"preset" default:"hpcc" enum:"paper,hpcc,scaled" doc:"Source of the defaults of low, high, min_rtt, additive, update and count_low: the paper, HPCC's simulator, or that with thresholds that are multiples of the base RTT." source:"SIGCOMM 2015, §4 and §5; HPCC's simulator (SIGCOMM 2019); weft (scaled)"`
	Low      *unit.Time   `yaml:"low" min:"1ns" doc:"RTT below which the rate grows whatever the gradient (default: 50us; 3 base RTTs with preset scaled)." source:"SIGCOMM 2015, §4 (T_low)"`
	High     *unit.Time   `yaml:"high" min:"1ns" doc:"RTT above which the rate falls whatever the gradient; at least low (default: 500us; 30 base RTTs with preset scaled)." source:"SIGCOMM 2015, §4 (T_high)"`
	MinRTT   *unit.Time   `yaml:"min_rtt" min:"1ns" doc:"Time that the gradient is a multiple of (default: 20us; the base RTT with preset scaled)." source:"HPCC's simulator; Zhu et al., CoNEXT 2016"`
	EWMA     unit.Ratio   `yaml:"ewma" default:"87.5%" min:"0%" max:"100%" doc:"Weight of a new difference of RTTs." source:"HPCC's simulator; Zhu et al., CoNEXT 2016"`
	Beta     float64      `yaml:"beta" default:"0.8" min:"0" max:"1" doc:"Strength of the multiplicative decrease." source:"SIGCOMM 2015, §5"`
	Additive *unit.Rate   `yaml:"additive" doc:"Growth of the rate per update (default: 10 Mb/s with preset paper, else a thousandth of the line rate)." source:"SIGCOMM 2015, §5 (δ); HPCC's simulator"`
	Hyper    int          `yaml:"hyper" default:"5" min:"1" max:"1000" doc:"Factor of additive after hyper_after updates in a row that raised the rate." source:"SIGCOMM 2015, §4.3 (N)"`
	After    int          `yaml:"hyper_after" default:"5" min:"0" max:"1000000" doc:"Updates in a row that raise the rate by additive before it grows by hyper times as much." source:"SIGCOMM 2015, §4.3"`
	CountLow *bool        `yaml:"count_low" doc:"Whether updates with an RTT below low count for hyper_after, and take its larger step (default: false with preset paper, else true)." source:"HPCC's simulator"`
	Update   *string      `yaml:"update" enum:"rtt,segment" doc:"When the rate changes: once per round trip, or with each segment of acknowledged payload (default: segment with preset paper, else rtt)." source:"HPCC's simulator (rtt); SIGCOMM 2015, §3 (segment)"`
	Segment  unit.Bytes   `yaml:"segment" default:"64KB" min:"1B" doc:"Payload of a segment; 1B: each acknowledgement." source:"SIGCOMM 2015, §3 (16 to 64 KB)"`
	Least    unit.Rate    `yaml:"least" default:"100Mbps" min:"1bps" doc:"Least rate." source:"HPCC's simulator (SIGCOMM 2019)"`
	Window   *unit.Amount `yaml:"window" doc:"Limit of data in flight at line rate, in wire bytes or BDP (default: none)." source:"HPCC (SIGCOMM 2019, §5.1) adds one"`
	Scales   bool         `yaml:"window_scales" default:"true" doc:"Whether that limit shrinks with the rate." source:"HPCC's simulator (timely_vwin)"`
}

const (
	timelyLow, timelyHigh = 50 * unit.Microsecond, 500 * unit.Microsecond
	timelyMinRTT          = 20 * unit.Microsecond
	timelyAdditive        = 10 * unit.Mbps
	timelyShare           = 1000 // of the line rate
	scaledLow, scaledHigh = 3, 30
)

// Build returns the control. It fails if an option is out of bounds.
func (o Timely) Build() (protocol.CongestionControl, error) {
	err := wrap("timely",
		checkWord("preset", &o.Preset, "paper", "hpcc", "scaled"), checkWord("update", o.Update, "rtt", "segment"),
		checkTime("low", o.Low, unit.Nanosecond), checkTime("high", o.High, unit.Nanosecond), checkTime("min_rtt", o.MinRTT, unit.Nanosecond),
		checkRange("ewma", float64(o.EWMA), 0, 1), checkRange("beta", o.Beta, 0, 1), checkRate("additive", o.Additive),
		checkRange("hyper", float64(o.Hyper), 1, 1000), checkRange("hyper_after", float64(o.After), 0, 1e6),
		checkLeast(o.Least), checkAmounts(named{"window", o.Window}), o.check())
	if err != nil {
		return protocol.CongestionControl{}, err
	}
	return protocol.CongestionControl{
		Needs: protocol.Needs{Wants: pauses()},
		Setup: adapters("SIGCOMM 2015", unmarked("SIGCOMM 2015, §3: delay is the signal")),
		New:   func(env protocol.Env) protocol.Congestion { return o.control(env) },
	}, nil
}

func (o *Timely) check() error {
	if o.Low != nil && o.High != nil && *o.High < *o.Low {
		return problem.At("high", "high is %v", *o.High).Mend("it must be at least low, %v", *o.Low)
	}
	return checkSize("segment", &o.Segment)
}

func (o *Timely) control(env protocol.Env) *timely {
	line := float64(env.LineRate)
	c := &timely{
		line: line, least: min(float64(o.Least), line), additive: line / timelyShare,
		low: timelyLow, high: timelyHigh, minRTT: timelyMinRTT,
		ewma: float64(o.EWMA), beta: o.Beta, hyper: float64(o.Hyper), after: o.After, countLow: true,
		payload: env.Payload, window: newPacedWindow(o.Window, o.Scales, env),
	}
	switch o.Preset {
	case "paper":
		c.additive, c.countLow, c.segment = float64(timelyAdditive), false, o.Segment
	case "scaled":
		c.low, c.high, c.minRTT = scaledLow*env.BaseRTT, scaledHigh*env.BaseRTT, max(1, env.BaseRTT)
	}
	c.additive = rateOr(o.Additive, c.additive)
	if o.Low != nil {
		c.low = *o.Low
	}
	if o.High != nil {
		c.high = *o.High
	}
	if o.MinRTT != nil {
		c.minRTT = *o.MinRTT
	}
	if o.CountLow != nil {
		c.countLow = *o.CountLow
	}
	if o.Update != nil {
		c.segment = 0
		if *o.Update == "segment" {
			c.segment = o.Segment
		}
	}
	c.high = max(c.high, c.low)
	c.Start(0)
	return c
}

type timely struct {
	rate   float64 // bit/s
	drift  float64 // d, in picoseconds
	before unit.Time
	raised int // updates in a row that count for the larger step
	round  roundTrips
	acked  unit.Bytes // of the present segment

	line, least, additive, ewma, beta, hyper float64
	low, high, minRTT                        unit.Time
	after                                    int
	countLow                                 bool
	segment, payload                         unit.Bytes // segment is 0 with an update per round trip
	window                                   pacedWindow
}

// Start implements protocol.Congestion.
func (c *timely) Start(now unit.Time) {
	c.rate, c.drift, c.before, c.raised = c.line, 0, 0, 0
	c.round, c.acked = roundTrips{now}, 0
}

// Window implements protocol.Congestion.
func (c *timely) Window() unit.Bytes { return c.window.at(c.rate) }

// Pace implements protocol.Pacer.
func (c *timely) Pace() protocol.Pace { return paceAt(c.rate) }

// Lost implements protocol.Congestion.
func (c *timely) Lost(*protocol.Loss) {}

// Acked implements protocol.Congestion.
func (c *timely) Acked(a *protocol.Ack) {
	c.acked += unit.Bytes(a.Packets) * c.payload
	if a.RTT <= 0 || !c.due(a) {
		return
	}
	c.acked, c.round.began = 0, a.Now
	if c.before > 0 {
		c.update(a.RTT)
	}
	c.before = a.RTT
}

// due tells whether an acknowledgement changes the rate.
func (c *timely) due(a *protocol.Ack) bool {
	if c.segment > 0 {
		return c.acked >= c.segment
	}
	return c.round.over(a)
}

func (c *timely) update(rtt unit.Time) {
	c.drift = float64((1-c.ewma)*c.drift) + float64(c.ewma*float64(rtt-c.before))
	gradient := c.drift / float64(c.minRTT)
	switch {
	case rtt < c.low:
		c.raise(c.countLow)
	case rtt > c.high:
		c.cut(float64(c.beta * (1 - float64(c.high)/float64(rtt))))
	case gradient <= 0:
		c.raise(true)
	default:
		c.cut(float64(c.beta * gradient))
	}
}

// raise lets the rate grow, by more if the update counts for the larger step and enough did.
func (c *timely) raise(counts bool) {
	step := c.additive
	switch {
	case !counts:
		c.raised = 0
	case c.raised >= c.after:
		step = float64(c.hyper * c.additive)
	default:
		c.raised++
	}
	c.rate = min(c.rate+step, c.line)
}

// cut takes a share off the rate.
func (c *timely) cut(share float64) {
	c.rate = max(c.least, c.rate*max(0, 1-share))
	c.raised = 0
}

package congestion

import (
	"math"

	"weft/protocol"
	"weft/unit"
)

// DCQCN is DCQCN's congestion control (Zhu et al., SIGCOMM 2015, §3): senders pace at a rate
// that notifications of congestion cut, and that timers and counters of bytes raise again. With
// the line rate C, the rate R and the target T of a connection, all C at first:
//
//	notification:         T = R; R = R·(1 - alpha/2); alpha = (1-g)·alpha + g;
//	                      both counts of stages are 0, and timer and counter begin anew
//	alpha_timer without:  alpha = (1-g)·alpha
//	rate_timer passed:    a stage of the timer
//	byte_counter sent:    a stage of the counter
//	a stage:              the larger count below fast:   T stays
//	                      the smaller count above fast:  T += (smaller count - fast)·hyper
//	                      else                           T += additive
//	                      T = min(T, C); R = (R + T)/2
//
// A receiver notifies the sender of a packet that arrives marked at once, and then no more than
// once each interval, if any packet in it arrived marked.
//
// Where R is C again, rounded to bits per second, nothing is limited or counted any more. Alpha
// decays all the while, reckoned at the next notification.
//
// Departures: notifications are no frames of their own but ride on acknowledgements, in the class
// of these, so that one that falls due between packets waits for the next acknowledgement, and one
// on an acknowledgement that is lost is lost. A packet that arrived trimmed counts as marked for
// the next acknowledgement. Losses change nothing, as where switches drop nothing: the paper has
// priority flow control. Where rates of links are not the paper's 40 Gb/s, what is absent here of
// additive, hyper and byte_counter grows with them.
type DCQCN struct {
	Gain        unit.Ratio   `yaml:"gain" default:"0.390625%" min:"0%" max:"100%" doc:"Weight g of a notification in alpha." source:"SIGCOMM 2015, §5 (1/256)"`
	Interval    unit.Time    `yaml:"interval" default:"50us" doc:"Shortest time between notifications of a connection; 0s: every acknowledgement of a marked packet notifies." source:"SIGCOMM 2015, §3.1 (N)"`
	AlphaTimer  unit.Time    `yaml:"alpha_timer" default:"55us" min:"1ns" doc:"Time without notification after which alpha decays." source:"SIGCOMM 2015, §3.1 (K)"`
	RateTimer   unit.Time    `yaml:"rate_timer" default:"55us" min:"1ns" doc:"Time after which the rate grows." source:"SIGCOMM 2015, §5 (T)"`
	ByteCounter *unit.Bytes  `yaml:"byte_counter" min:"1B" doc:"Bytes on the wire after which the rate grows (default: what the link carries in 2 ms, 10 MB at 40 Gb/s)." source:"SIGCOMM 2015, §5 (B)"`
	Fast        int          `yaml:"fast" default:"5" min:"1" max:"1000" doc:"Stage of the timer or the counter from which on the target grows; the stages before it are fast recovery." source:"SIGCOMM 2015, §3.1 (F)"`
	Additive    *unit.Rate   `yaml:"additive" doc:"Growth of the target per stage (default: a thousandth of the line rate, 40 Mb/s at 40 Gb/s)." source:"SIGCOMM 2015, §5 (R_AI)"`
	Hyper       *unit.Rate   `yaml:"hyper" doc:"Growth of the target, times the stage, once timer and counter both exceed fast (default: a hundredth of the line rate)." source:"RoCC's code (CoNEXT 2020): 400 Mb/s at 40 Gb/s"`
	Least       unit.Rate    `yaml:"least" default:"100Mbps" min:"1bps" doc:"Least rate." source:"HPCC's simulator (SIGCOMM 2019)"`
	Window      *unit.Amount `yaml:"window" doc:"Limit of data in flight, in wire bytes or BDP (default: none)." source:"HPCC (SIGCOMM 2019, §5.1) adds one"`
}

const (
	// byteTime is how long the link of the sender sends byte_counter, and additive and hyper are
	// shares of its rate, where they are absent: with 40 Gb/s they are those of the paper.
	byteTime                  = 2 * unit.Millisecond
	additiveShare, hyperShare = 1000, 100
	notification              = 1 // the first word of an answer
)

// Build returns the control. It fails if an option is out of bounds.
func (o DCQCN) Build() (protocol.CongestionControl, error) {
	err := wrap("dcqcn", checkRange("gain", float64(o.Gain), 0, 1), checkAmounts(named{"window", o.Window}), o.check())
	if err != nil {
		return protocol.CongestionControl{}, err
	}
	return protocol.CongestionControl{
		Needs:       protocol.Needs{Must: protocol.Marks, Wants: pauses()},
		Setup:       dcqcnSetup(),
		PromptMarks: true, Receivers: dcqcnReceivers{o.Interval},
		New: func(env protocol.Env) protocol.Congestion {
			line := float64(env.LineRate)
			c := &dcqcn{
				line: line, least: min(float64(o.Least), line),
				additive: rateOr(o.Additive, line/additiveShare), hyper: rateOr(o.Hyper, line/hyperShare),
				counter: max(1, env.LineRate.In(byteTime)), gain: float64(o.Gain),
				alphaTimer: o.AlphaTimer, rateTimer: o.RateTimer, fast: o.Fast, window: newPacedWindow(o.Window, false, env),
			}
			if o.ByteCounter != nil {
				c.counter = *o.ByteCounter
			}
			c.Start(0)
			return c
		},
		NewAnswerer: func(protocol.HostEnv) protocol.Answerer { return &notifier{interval: o.Interval} },
	}, nil
}

func (o *DCQCN) check() error {
	return first(
		checkTime("interval", &o.Interval, 0), checkTime("alpha_timer", &o.AlphaTimer, unit.Nanosecond), checkTime("rate_timer", &o.RateTimer, unit.Nanosecond),
		checkSize("byte_counter", o.ByteCounter), checkRange("fast", float64(o.Fast), 1, 1000),
		checkRate("additive", o.Additive), checkRate("hyper", o.Hyper), checkLeast(o.Least))
}

type dcqcn struct {
	rate, target float64 // bit/s
	// alpha is as of the last notification, which was at notified; Forever if there was none.
	alpha    float64
	notified unit.Time
	// due is when the timer's next stage is; Forever while nothing is limited.
	due unit.Time
	// sent is what was sent since the counter's last stage.
	sent                    unit.Bytes
	timerStages, byteStages int

	line, least, additive, hyper, gain float64
	alphaTimer, rateTimer              unit.Time
	counter                            unit.Bytes
	fast                               int
	window                             pacedWindow
}

func (c *dcqcn) Start(unit.Time) {
	c.rate, c.target, c.alpha, c.due = c.line, c.line, 1, unit.Forever
	c.notified = unit.Forever
	c.sent, c.timerStages, c.byteStages = 0, 0, 0
}

func (c *dcqcn) Window() unit.Bytes { return c.window.at(c.rate) }

// Pace implements protocol.Pacer.
func (c *dcqcn) Pace() protocol.Pace { return paceAt(c.rate) }

// Deadline implements protocol.Timed.
func (c *dcqcn) Deadline() unit.Time { return c.due }

// Expire implements protocol.Timed.
func (c *dcqcn) Expire(now unit.Time) {
	c.due = now + c.rateTimer
	c.timerStages++
	c.raise()
}

// Sent implements protocol.SendCounter.
func (c *dcqcn) Sent(_ unit.Time, wire unit.Bytes) {
	if c.due == unit.Forever {
		return
	}
	for c.sent += wire; c.sent >= c.counter && c.due != unit.Forever; c.sent -= c.counter {
		c.byteStages++
		c.raise()
	}
}

func (c *dcqcn) Acked(a *protocol.Ack) {
	if a.Answered && a.Answer[0] == notification {
		c.cut(a.Now)
	}
}

func (c *dcqcn) Lost(*protocol.Loss) {}

// cut acts on a notification.
func (c *dcqcn) cut(now unit.Time) {
	if c.notified != unit.Forever {
		c.alpha *= power(1-c.gain, int64((now-c.notified)/c.alphaTimer))
	}
	c.target = c.rate
	c.rate = max(c.least, c.rate*(1-c.alpha/2))
	c.alpha = float64((1-c.gain)*c.alpha) + c.gain
	c.notified, c.due = now, now+c.rateTimer
	c.sent, c.timerStages, c.byteStages = 0, 0, 0
}

// raise lets the rate grow by a stage.
func (c *dcqcn) raise() {
	switch fewer, more := min(c.timerStages, c.byteStages), max(c.timerStages, c.byteStages); {
	case more < c.fast:
	case fewer > c.fast:
		c.target += float64(float64(fewer-c.fast) * c.hyper)
	default:
		c.target += c.additive
	}
	c.target = min(c.target, c.line)
	c.rate = (c.rate + c.target) / 2
	if math.Round(c.rate) >= c.line {
		c.rate, c.target, c.due = c.line, c.line, unit.Forever
	}
}

// power returns x to the n-th, by products alone, which come out the same on all machines.
func power(x float64, n int64) float64 {
	y := 1.0
	for ; n > 0 && y > 0; n /= 2 {
		if n&1 != 0 {
			y *= x
		}
		x *= x
	}
	return y
}

// dcqcnReceivers are the options on which the receiving ends of groups must agree to be one.
type dcqcnReceivers struct{ interval unit.Time }

// notifier is the receiving end: the notification point of a host.
type notifier struct {
	interval unit.Time
	flows    []flow
	free     []int32
}

// flow is what a notifier knows of a connection: whether a packet arrived marked since the last
// notification, and from when on there may be another one.
type flow struct {
	marked bool
	from   unit.Time
}

// Open implements protocol.Answerer.
func (n *notifier) Open(unit.Time, int32, uint8) int32 {
	if k := len(n.free); k > 0 {
		i := n.free[k-1]
		n.free = n.free[:k-1]
		n.flows[i] = flow{}
		return i
	}
	n.flows = append(n.flows, flow{})
	return int32(len(n.flows) - 1)
}

// Close implements protocol.Answerer.
func (n *notifier) Close(_ unit.Time, peer int32) { n.free = append(n.free, peer) }

// Heard implements protocol.Answerer.
func (n *notifier) Heard(h *protocol.Heard) {
	if h.Marked || h.Trimmed {
		n.flows[h.Peer].marked = true
	}
}

// Answer implements protocol.Answerer.
func (n *notifier) Answer(now unit.Time, peer int32) (protocol.Answer, bool) {
	f := &n.flows[peer]
	if !f.marked || now < f.from {
		return protocol.Answer{}, false
	}
	*f = flow{from: now + n.interval}
	return protocol.Answer{notification}, true
}

// dcqcnSetup marks from 5 to 200 kB with 1 %, at 40 Gb/s: 1 and 40 us of the link, which are 0.1 and 4 BDP at the 10 us
// that a round trip takes in fabrics of adapters (HPCC's 13, FNCC's 12.5, weft's own 7.5).
func dcqcnSetup() protocol.Setup {
	return adapters("SIGCOMM 2015", protocol.State(protocol.RED(bdps(0.1), bdps(4), 0.01), "SIGCOMM 2015, §5: 5 and 200 kB at 40 Gb/s"))
}

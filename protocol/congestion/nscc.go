package congestion

import (
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// NSCC is the Network Signal-based Congestion Control of the Ultra Ethernet
// Transport (Ultra Ethernet Specification 1.0, congestion management; the numbers
// are also those of uet-htsim's uec.cpp). It reads two signals from every
// acknowledgement, the congestion mark and the queueing delay (its RTT beyond the
// base RTT), and acts by the quadrant that they fall into, with the target delay T:
//
//	unmarked, delay < T   proportional increase, or fast increase on an empty path
//	unmarked, delay >= T  fair increase
//	marked,   delay < T   nothing: the balancer takes another path
//	marked,   delay >= T  multiplicative decrease, once a base RTT
//
// With window w and acknowledged packets n, in packets, and a = BDP/150000 B, the
// BDP relative to that of 100 Gb/s and 12 µs:
//
//	proportional:    sum += alpha·a·n·(T-delay)/12 µs
//	fair:            sum += fair·a·n
//	every 8 packets: w += sum/w, sum = 0; and once a base RTT w += eta·a
//	fast:            w += fast·a·n, while a whole window met less than 1 µs of queue
//	decrease:        w *= max(1 - gamma·(avg-T)/avg, 1 - max_cut), if the averaged delay avg > T
//	trimmed, lost:   w -= 1
//
// Quick adapt acts once in a period of base RTT plus T: if a packet was trimmed or
// lost or an acknowledgement showed a delay above 4 T, and less than 1/2^gate of the
// largest window was acknowledged in the period, then the window becomes what was
// acknowledged, and marks and losses of packets sent before are ignored.
//
// The averaged delay is an exponential average of the delays. A delay at or above T
// without a mark counts as a quarter of the base RTT in it, and a trimmed packet as
// one base RTT.
//
// Receivers acknowledge a marked packet at once, also where they coalesce
// acknowledgements (ACK_On_ECN of the specification, which is on by default).
// An acknowledgement takes its quadrant from the packet that triggered it, and
// counts all that it acknowledges.
//
// The base RTT begins as the fabric's (the longest path's) and follows the least
// RTT seen; the largest window follows it.
//
// Departures: without trimming, the target is at most 3/4 of the time that a full queue
// takes at line rate, as the delay could not exceed it otherwise; uet-htsim has queues of
// 5 BDP then, where this makes no difference. What was sent before a quick adapt is told by the time at which a
// packet was sent, where uet-htsim counts bytes. Packets sent more than once give no
// delay, and take their quadrant from the averaged one. A timeout counts as a loss
// and lets quick adapt run, as the specification's inferred losses do; uet-htsim only
// takes the packet off the window. There is no penalty set by the receiver.
// The RTT of a short last packet is smaller than that of a full one, and may lower
// the base RTT a little.
type NSCC struct {
	Target     *unit.Time   `yaml:"target" doc:"Target T of the queueing delay (default: 3/4 of the base round-trip time with overflow: trim; otherwise all of it, or 3/4 of the time of a full queue if that is less)." source:"UE 1.0; uet-htsim" min:"1ps"`
	Initial    unit.Amount  `yaml:"initial" default:"1.5BDP" doc:"Window at the start of a connection, in wire bytes or BDP." source:"UE 1.0; uet-htsim"`
	Least      *unit.Amount `yaml:"least" doc:"Smallest window, in wire bytes or BDP (default: one packet)." source:"uet-htsim"`
	Largest    unit.Amount  `yaml:"largest" default:"1.5BDP" doc:"Largest window, in wire bytes or BDP." source:"UE 1.0; uet-htsim"`
	Alpha      float64      `yaml:"alpha" default:"4" min:"0" max:"1000" doc:"Packets that proportional increase adds per round trip at no delay, for a base BDP and a target of 12 us." source:"UE 1.0; uet-htsim"`
	Fair       float64      `yaml:"fair" default:"5" min:"0" max:"1000" doc:"Packets that fair increase adds per round trip, for a base BDP." source:"UE 1.0; uet-htsim"`
	Eta        float64      `yaml:"eta" default:"0.15" min:"0" max:"1000" doc:"Packets added once per round trip whatever the signals, for a base BDP." source:"UE 1.0; uet-htsim"`
	Fast       float64      `yaml:"fast" default:"0.25" min:"0" max:"1000" doc:"Packets that fast increase adds per acknowledged packet, for a base BDP." source:"UE 1.0; uet-htsim"`
	FastDelay  unit.Time    `yaml:"fast_delay" default:"1us" doc:"Queueing delay below which a path counts as empty." source:"uet-htsim"`
	Gamma      float64      `yaml:"gamma" default:"0.8" min:"0" max:"1" doc:"Strength of the multiplicative decrease." source:"UE 1.0; uet-htsim"`
	MaxCut     unit.Ratio   `yaml:"max_cut" default:"50%" max:"100%" doc:"Largest share of the window that one multiplicative decrease removes." source:"UE 1.0; uet-htsim"`
	DelayGain  unit.Ratio   `yaml:"delay_gain" default:"1.25%" max:"100%" doc:"Weight of a new sample in the averaged delay." source:"UE 1.0; uet-htsim"`
	Adjust     int          `yaml:"adjust" default:"8" min:"1" max:"65536" doc:"Packets acknowledged until increases are added to the window; a round trip with fewer adds them too." source:"UE 1.0; uet-htsim"`
	QuickAdapt bool         `yaml:"quick_adapt" default:"true" doc:"Whether the window drops to what was acknowledged in the last round trip when congestion is heavy." source:"UE 1.0"`
	Gate       int          `yaml:"gate" default:"3" min:"0" max:"30" doc:"Quick adapt acts if less than the largest window halved this many times was acknowledged in the last period." source:"UE 1.0; uet-htsim"`
}

// What the coefficients of NSCC are relative to: 100 Gb/s and 12 µs.
const (
	nsccBDP = 150_000
	nsccRTT = 12 * unit.Microsecond
	// heavyDelay is the delay, in targets, that sets off quick adapt.
	heavyDelay = 4
)

// Build returns the control. It fails if an option is out of bounds.
func (o NSCC) Build() (protocol.CongestionControl, error) {
	err := wrap("nscc",
		checkAmounts(named{"initial", &o.Initial}, named{"least", o.Least}, named{"largest", &o.Largest}),
		checkRange("alpha", o.Alpha, 0, maxCut), checkRange("fair", o.Fair, 0, maxCut),
		checkRange("eta", o.Eta, 0, maxCut), checkRange("fast", o.Fast, 0, maxCut),
		checkRange("gamma", o.Gamma, 0, 1), checkRange("max_cut", float64(o.MaxCut), 0, 1),
		checkRange("delay_gain", float64(o.DelayGain), 0, 1),
		checkRange("adjust", float64(o.Adjust), 1, 65536), checkRange("gate", float64(o.Gate), 0, 30), o.checkTimes())
	if err != nil {
		return protocol.CongestionControl{}, err
	}
	needs := protocol.Needs{Wants: []protocol.Want{{Need: protocol.Marks, Without: "slows down only for losses and for delays above four times its target"}}}
	return protocol.CongestionControl{PromptMarks: true, Needs: needs, Setup: nsccSetup(), New: func(env protocol.Env) protocol.Congestion {
		c := &nscc{bounds: newBounds(o.Least, o.Largest, env), rtt: env.BaseRTT}
		c.most = c.largest
		c.initial = c.clamp(packets(o.Initial, env))
		c.target = env.BaseRTT
		if env.Trims {
			c.target = env.BaseRTT * 3 / 4
		} else if env.Queue > 0 {
			c.target = min(c.target, env.LineRate.Transmit(env.Queue)*3/4)
		}
		if o.Target != nil {
			c.target = *o.Target
		}
		scale := float64(env.BDP) / nsccBDP
		c.alpha = o.Alpha * scale / float64(nsccRTT)
		c.fair, c.eta, c.fast = o.Fair*scale, o.Eta*scale, o.Fast*scale
		c.fastDelay, c.gamma, c.floor = o.FastDelay, o.Gamma, 1-float64(o.MaxCut)
		c.gain, c.adjust = float64(o.DelayGain), int64(o.Adjust)
		c.quick, c.gate = o.QuickAdapt, float64(int64(1)<<o.Gate)
		c.Start(0)
		return c
	}}, nil
}

func (o *NSCC) checkTimes() error {
	if o.FastDelay < 0 || o.Target != nil && *o.Target <= 0 {
		return problem.At("fast_delay", "fast_delay must not be negative, and target must be positive")
	}
	return nil
}

type nscc struct {
	window float64
	sum    float64 // of increases, to be divided by the window
	avg    float64 // delay, in picoseconds
	base   unit.Time
	// Packets acknowledged: since increases were added, in the period of quick
	// adapt, and in a row on an empty path.
	received, achieved, empty int64
	// rising tells that fast increase goes on.
	rising bool
	// heavy tells that a packet was trimmed or lost since the last quick adapt;
	// the period ends at periodEnd, and packets sent before adapted are ignored.
	heavy               bool
	begun, everAdapted  bool
	periodEnd, adapted  unit.Time
	adjusted, decreased unit.Time
	everDecreased       bool

	bounds
	most                   float64 // largest window on the longest path
	initial                float64
	rtt, target, fastDelay unit.Time
	alpha, fair, eta, fast float64
	gamma, floor, gain     float64
	adjust                 int64
	quick                  bool
	gate                   float64
}

func (c *nscc) Start(now unit.Time) {
	c.window, c.sum, c.avg, c.base = c.initial, 0, 0, c.rtt
	c.largest = c.most
	c.received, c.achieved, c.empty = 0, 0, 0
	c.rising, c.heavy, c.begun, c.everAdapted, c.everDecreased = false, false, false, false, false
	c.adjusted = now
}

func (c *nscc) Window() unit.Bytes { return c.bytes(c.window) }

func (c *nscc) Acked(a *protocol.Ack) {
	if a.Packets == 0 {
		return
	}
	n := int64(a.Packets)
	c.received += n
	c.achieved += n
	delay := unit.Time(c.avg)
	if a.RTT > 0 {
		delay = c.sample(a)
	}
	if c.adapt(a.Now, a.Marked && c.old(a), delay) {
		return
	}
	switch {
	case !a.Marked && delay >= c.target:
		c.sum += float64(c.fair * float64(n))
	case !a.Marked:
		c.increase(n, delay)
	case delay >= c.target:
		c.decrease(a.Now)
	}
	c.window = c.clamp(c.window)
	if c.received > c.adjust || a.Now-c.adjusted > c.rtt {
		c.fulfil(a.Now)
	}
}

// sample takes the delay of an acknowledgement into the averages.
func (c *nscc) sample(a *protocol.Ack) (delay unit.Time) {
	if a.RTT < c.base {
		c.base = a.RTT
		c.largest = max(c.least, c.most*float64(c.base)/float64(c.rtt))
	}
	delay = a.RTT - c.base
	seen := delay
	if !a.Marked && delay > c.target {
		seen = c.base / 4
	}
	c.average(seen)
	return delay
}

func (c *nscc) average(delay unit.Time) {
	c.avg = float64(c.gain*float64(delay)) + float64((1-c.gain)*c.avg)
}

// old tells whether an acknowledged packet was sent before the last quick adapt.
func (c *nscc) old(a *protocol.Ack) bool {
	return c.everAdapted && a.RTT > 0 && a.Now-a.RTT < c.adapted
}

// adapt is quick adapt. It tells whether it acted, or the signal is to be ignored.
func (c *nscc) adapt(now unit.Time, ignore bool, delay unit.Time) bool {
	if !c.quick {
		return false
	}
	acted := ignore
	if !ignore && (!c.begun || now > c.periodEnd) {
		if c.begun && (c.heavy || delay > heavyDelay*c.target) && float64(c.achieved) < c.largest/c.gate {
			c.window = c.clamp(float64(c.achieved))
			c.adapted, c.everAdapted = now, true
			c.heavy = false
			acted = true
		}
		c.achieved = 0
		c.begun, c.periodEnd = true, now+c.base+c.target
	}
	if acted {
		c.sum, c.received = 0, 0
	}
	return acted
}

// increase grows the window for n packets that met less delay than the target.
func (c *nscc) increase(n int64, delay unit.Time) {
	if delay < c.fastDelay {
		c.empty += n
		if c.rising || float64(c.empty) > c.window {
			c.window += float64(c.fast * float64(n))
			c.rising = true
			return
		}
	} else {
		c.empty = 0
	}
	c.rising = false
	c.sum += float64(c.alpha * float64(n) * float64(c.target-delay))
}

func (c *nscc) decrease(now unit.Time) {
	c.rising, c.empty = false, 0
	t := float64(c.target)
	if c.avg <= t || c.everDecreased && now-c.decreased <= c.base {
		return
	}
	c.window *= max(1-float64(c.gamma*(c.avg-t)/c.avg), c.floor)
	c.decreased, c.everDecreased = now, true
}

// fulfil adds the increases since the last time.
func (c *nscc) fulfil(now unit.Time) {
	c.window += c.sum / c.window
	if now-c.adjusted >= c.rtt {
		c.window += c.eta
		c.adjusted = now
	}
	c.window = c.clamp(c.window)
	c.sum, c.received = 0, 0
}

func (c *nscc) Lost(l *protocol.Loss) {
	c.average(c.rtt)
	c.heavy = true
	if !c.adapt(l.Now, c.everAdapted && l.SentAt < c.adapted, 0) {
		c.window = c.clamp(c.window - 1)
	}
}

// nsccSetup is that of uet-htsim without trimming, whose queues are of 5 BDP then. Of its balancers it has the one that recycles
// entropies; the one by default there mixes that with bitmaps.
func nsccSetup() protocol.Setup {
	s := arcaneSetup("uet-htsim: marks from 20 to 80 % of the queue")
	s.Balancer = protocol.State("arcane", "uet-htsim: its choice reps")
	s.Queue = protocol.State(protocol.Depth{BDPs: 5}, "uet-htsim: queues without trimming")
	return s
}

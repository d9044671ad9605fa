package congestion

import (
	"weft/protocol"
	"weft/unit"
)

// DCTCP is Data Center TCP's congestion control (Alizadeh et al., SIGCOMM 2010,
// §3.1; RFC 8257, §3.3–3.5) for a sender whose packets arrive out of order. With
// window w in packets and F the share of marked packets in the last window:
//
//	once a window:          alpha = (1-g)·alpha + g·F
//	marked, once a window:  w = w·(1-alpha/2)
//	unmarked packet:        w + 1/w, or w + 1 in slow start
//	lost, once a window:    w = w/2
//	silence:                w = least, and slow start up to w/2
//
// A window ends with the first acknowledgement of a packet that was sent after it
// began. Where TCP compares sequence numbers with the highest one sent, this
// control compares the time at which the packet was sent with that of the last
// update or cut. A packet that was sent more than once, whose time is not known,
// counts in F but ends no window and cuts nothing. As in RFC 8257, the first
// acknowledgement of a connection ends a window.
//
// A loss cuts although a mark in the same window already did, but marks cut no
// more in a window with a loss (RFC 8257 §3.5). Slow start ends with the first
// cut; packets that arrived marked do not grow the window.
//
// With GrowMarked they do, but for the first one after one that was not marked, and after
// the cut that it may bring: so in the DCTCP of ns-2, whose window grows with every
// acknowledgement while marks come in a row.
//
// The timeout of a connection that heard nothing (protocol.Loss.Silent) sets the
// window to the least one, and slow start goes on up to half of what it was (RFC
// 5681 §3.1).
//
// Departures from RFC 8257: the timeout of a single packet halves the window like any
// other loss, because it does not mean that acknowledgements ceased. There is a largest
// window, in place of TCP's receive window: for a queue that marks at up to 1 BDP,
// 2 BDP keep the marking in charge.
//
// With Restart, which connections that carry one message after another ask for
// (protocol.Restarter), a new message begins with the initial window again, while
// alpha and the slow-start threshold stay: slow start goes on up to the window
// after the last cut. The public ns-2 code of SIRD (NSDI 2025) does so, with gain
// 8%, alpha 0%, an initial window of 66 packets (1 BDP), a largest one of 1256
// packets, and a marking threshold of 123 000 B (1.25 BDP at 100 Gb/s). Without it
// messages find the window that the last one left.
type DCTCP struct {
	Gain          unit.Ratio   `yaml:"gain" default:"6.25%" min:"0%" max:"100%" doc:"Weight g of the last window in alpha." source:"SIGCOMM 2010 §3.1; RFC 8257 §3.3 (1/16)"`
	Alpha         unit.Ratio   `yaml:"alpha" default:"100%" min:"0%" max:"100%" doc:"Assumed share of marked packets at the start." source:"RFC 8257 §3.3"`
	SlowStart     bool         `yaml:"slow_start" default:"true" doc:"Whether the window doubles every round trip until the first mark or loss." source:"RFC 8257 §3.4; RFC 5681"`
	Initial       *unit.Amount `yaml:"initial" doc:"Window at the start of a connection, in wire bytes or BDP (default: 10 packets)." source:"RFC 6928"`
	Least         *unit.Amount `yaml:"least" doc:"Smallest window, in wire bytes or BDP (default: one packet)." source:"weft"`
	Largest       unit.Amount  `yaml:"largest" default:"2BDP" doc:"Largest window, in wire bytes or BDP." source:"weft"`
	Restart       bool         `yaml:"restart" default:"false" doc:"Whether a message on an idle connection begins with the initial window again; alpha and the slow-start threshold stay." source:"SIRD's ns-2 code (NSDI 2025)"`
	GrowMarked    bool         `yaml:"grow_marked" default:"false" doc:"Whether marked packets grow the window like others, except the first in a row." source:"DCTCP's patch of ns-2"`
	TrimmedIsLost bool         `yaml:"trimmed_is_lost" default:"true" doc:"Whether a packet that arrived trimmed cuts the window like a lost one." source:"weft"`
}

// initialPackets is TCP's initial window (RFC 6928).
const initialPackets = 10

// Build returns the control. It fails if an option is out of bounds.
func (o DCTCP) Build() (protocol.CongestionControl, error) {
	err := wrap("dctcp",
		checkAmounts(named{"initial", o.Initial}, named{"least", o.Least}, named{"largest", &o.Largest}),
		checkRange("gain", float64(o.Gain), 0, 1), checkRange("alpha", float64(o.Alpha), 0, 1))
	if err != nil {
		return protocol.CongestionControl{}, err
	}
	return protocol.CongestionControl{Needs: protocol.Needs{Must: protocol.Marks}, Setup: dctcpSetup(), New: func(env protocol.Env) protocol.Congestion {
		c := &dctcp{
			bounds: newBounds(o.Least, o.Largest, env),
			gain:   float64(o.Gain), initialAlpha: float64(o.Alpha),
			slowStart: o.SlowStart, restart: o.Restart, trimmedIsLost: o.TrimmedIsLost,
			growMarked: o.GrowMarked,
		}
		c.initial = c.clamp(initialPackets)
		if o.Initial != nil {
			c.initial = c.clamp(packets(*o.Initial, env))
		}
		c.Start(0)
		return c
	}}, nil
}

type dctcp struct {
	window float64
	alpha  float64
	// slow tells that slow start goes on, up to the threshold: the window after the
	// last cut, the largest one before the first.
	slow      bool
	threshold float64
	// acked and marked are packets of the current window.
	acked, marked int64
	// Packets sent at one of these times or later are of a window after the
	// last update of alpha, the last cut, and the last cut for a loss.
	updated, cut, lost unit.Time

	inRow bool // the last packet arrived marked

	bounds
	growMarked    bool
	gain          float64
	initial       float64
	initialAlpha  float64
	slowStart     bool
	restart       bool
	trimmedIsLost bool
}

func (c *dctcp) Start(now unit.Time) {
	c.window, c.alpha, c.slow = c.initial, c.initialAlpha, c.slowStart
	c.threshold = c.largest
	c.acked, c.marked, c.inRow = 0, 0, false
	c.updated, c.cut, c.lost = now, now, now
}

// Restart implements protocol.Restarter.
func (c *dctcp) Restart(unit.Time) {
	if c.restart {
		c.window = c.initial
		c.slow = c.slowStart && c.window < c.threshold
	}
}

func (c *dctcp) Window() unit.Bytes { return c.bytes(c.window) }

func (c *dctcp) Acked(a *protocol.Ack) {
	unmarked, marked := step(a)
	c.acked += int64(a.Packets)
	c.marked += int64(marked)
	known, sent := a.RTT > 0, a.Now-a.RTT
	if known && sent >= c.updated && c.acked > 0 {
		share := float64(c.marked) / float64(c.acked)
		c.alpha = float64((1-c.gain)*c.alpha) + float64(c.gain*share)
		c.acked, c.marked = 0, 0
		c.updated = a.Now
	}
	c.grow(unmarked)
	if marked > 0 && known && sent >= c.cut {
		c.shrink(1-c.alpha/2, a.Now)
	}
	if c.growMarked {
		c.growInRow(unmarked, marked)
	}
}

// growInRow grows the window with the marked packets that follow a marked one.
func (c *dctcp) growInRow(unmarked, marked int32) {
	if unmarked > 0 {
		c.inRow = false
	}
	if marked > 0 {
		if !c.inRow {
			marked--
		}
		c.inRow = true
		c.grow(marked)
	}
}

func (c *dctcp) grow(unmarked int32) {
	for ; unmarked > 0 && c.window < c.largest; unmarked-- {
		if c.slow {
			c.window++
			c.slow = c.window < c.threshold
		} else {
			c.window += 1 / c.window
		}
	}
	c.window = min(c.window, c.largest)
}

func (c *dctcp) Lost(l *protocol.Loss) {
	switch {
	case l.Silent:
		if l.Now > c.lost { // the first packet of those that are given up together
			c.shrink(0.5, l.Now)
			c.window, c.slow = c.least, c.slowStart && c.least < c.threshold
		}
	case l.Cause == protocol.Trimmed && !c.trimmedIsLost || l.SentAt < c.lost:
		return
	default:
		c.shrink(0.5, l.Now)
	}
	c.lost = l.Now
}

func (c *dctcp) shrink(factor float64, now unit.Time) {
	c.window = max(c.window*factor, c.least)
	c.slow, c.threshold = false, c.window
	c.cut = now
}

// dctcpSetup is that of the testbed of 10 Gb/s, whose round trips take 100 us: 1 BDP is 83 packets. It marks above 65, where
// theory asks for more than a seventh of 1 BDP (§3.4) and bursts of hosts for more. A port takes up to 700 kB of its
// switch's 4 MB (§2.3), which is 5.6 BDP there.
func dctcpSetup() protocol.Setup {
	return protocol.Setup{
		Balancer: protocol.State("ecmp", "TCP keeps to one path"),
		Marking:  protocol.State(protocol.Step(bdps(0.8)), "SIGCOMM 2010, §3.5: 65 packets at 10 Gb/s and 100 us"),
		Queue:    protocol.State(protocol.Depth{BDPs: 5}, "SIGCOMM 2010, §2.3: 700 kB at 10 Gb/s and 100 us"),
		Recovery: protocol.State("sack", "RFC 6675"),
	}
}

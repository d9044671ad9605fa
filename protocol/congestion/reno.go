package congestion

import (
	"math"

	"weft/protocol"
	"weft/unit"
)

// Reno is TCP's congestion control without ECN (RFC 5681), with the fast recovery of one cut per window (RFC 6582, of
// which selective acknowledgements are a variant, RFC 6675). It counts whole packets, as FatPaths does (SC 2020, §VIII-A3),
// with window w, threshold s, both at first as given:
//
//	acknowledged, w < s:   w = w + 1                        (slow start, §3.1)
//	acknowledged, w ≥ s:   w = w + 1 after w packets        (congestion avoidance, §3.1)
//	lost, once a window:   s = w = max(w/2, 2)              (fast recovery, §3.2)
//	silence:               s = max(w/2, 2), w = 1           (§3.1, equation 4; the loss window)
//
// A window ends with the first acknowledgement of a packet that was sent at the cut or later. Until then, which is fast
// recovery, w does not grow: the transport counts what is in flight without the packets that it knows to be lost or
// acknowledged (RFC 6675's pipe), so that w needs not be inflated. A packet that was sent more than once, whose time
// is not known, ends no recovery. The threshold stays when the timer expires twice with nothing acknowledged in between.
//
// The rule by which a packet is lost is the transport's: three later ones were acknowledged with transport.recovery:
// sack, and the timer of the connection with transport.timer: connection, as TCP has them. A trimmed packet is a lost one.
//
// A window grows only while it is used up (validate; RFC 7661 §4.3 has the reasons, Linux the rule): in slow start
// below twice what was in flight at most in this round trip or the one before, and up to that behind it. Else a sender
// that its NIC holds back, or the application, has a window which many losses do not bring down to what the path holds.
//
// Departures from RFC 5681: w stands for the data in flight in w/2, as in Linux. An acknowledgement of several packets
// counts as that many (RFC 3465, without its limit). The timeout of a single packet, with timer: packet, halves the
// window like any loss, because it does not mean that acknowledgements ceased. A connection that was idle keeps
// its window (§4.1 restarts it).
type Reno struct {
	Initial *unit.Amount `yaml:"initial" doc:"Window at the start of a connection, in wire bytes or BDP (default: 10 packets)." source:"RFC 6928"`
	Largest *unit.Amount `yaml:"largest" doc:"Largest window, in wire bytes or BDP (default: no limit)." source:"RFC 5681 §3.1: the receiver's window"`
	// Validate compares the window with what is in flight.
	Validate bool `yaml:"validate" default:"true" introduced:"false" doc:"Whether the window grows only while it is used up." source:"RFC 7661; Linux (tcp_is_cwnd_limited)"`
}

// Build returns the control. It fails if an option is out of bounds.
func (o Reno) Build() (protocol.CongestionControl, error) {
	if err := wrap("reno", checkAmounts(named{"initial", o.Initial}, named{"largest", o.Largest})); err != nil {
		return protocol.CongestionControl{}, err
	}
	return protocol.CongestionControl{Setup: renoSetup(), New: func(env protocol.Env) protocol.Congestion {
		c := &reno{initial: initialPackets, largest: math.MaxInt64 / int64(env.Payload), payload: int64(env.Payload), validate: o.Validate}
		if o.Largest != nil {
			c.largest = int64(packets(*o.Largest, env))
		}
		if o.Initial != nil {
			c.initial = int64(packets(*o.Initial, env))
		}
		c.initial = min(c.initial, c.largest)
		c.Start(0)
		return c
	}}, nil
}

type reno struct {
	// window and threshold are in packets; counted are those that were acknowledged towards the next one.
	window, threshold, counted int64
	// Packets that were sent at cut or later are of a window after the last cut.
	cut        unit.Time
	recovering bool // the window of the last cut is not over
	silent     bool // the timer expired, and nothing was acknowledged since
	// peak is the most that was in flight in this round trip, in packets, and before in the last one.
	peak, before int64
	round        roundTrips

	initial, largest, payload int64
	validate                  bool
}

// leastThreshold is that of equation 4.
const leastThreshold = 2

// Start implements protocol.Congestion.
func (c *reno) Start(now unit.Time) {
	c.window, c.threshold, c.counted = c.initial, c.largest, 0
	c.cut, c.recovering, c.silent = now, false, false
	c.peak, c.before, c.round = 0, 0, roundTrips{now}
}

// Window implements protocol.Congestion.
func (c *reno) Window() unit.Bytes { return unit.Bytes(c.window * c.payload) }

// Acked implements protocol.Congestion.
func (c *reno) Acked(a *protocol.Ack) {
	if a.Packets == 0 {
		return
	}
	c.silent = false
	used := c.used(a)
	if c.recovering {
		if a.RTT <= 0 || a.Now-a.RTT < c.cut {
			return
		}
		c.recovering = false
	}
	n := int64(a.Packets)
	if slow := min(n, c.threshold-c.window, 2*used-c.window); slow > 0 {
		c.window += slow
		n -= slow
	}
	if c.window < c.threshold || c.window > used {
		return
	}
	for c.counted += n; c.counted >= c.window && c.window < min(c.largest, used+1); c.window++ {
		c.counted -= c.window
	}
	c.counted = min(c.counted, c.window)
}

// used returns how many packets were in flight at most in this round trip or the one before: as many as the window
// has if it was used up. Without validation it returns more than any window.
func (c *reno) used(a *protocol.Ack) int64 {
	if !c.validate {
		return 1 << 60
	}
	// A window that has no room for one more packet is used up, also if packets are short.
	flight := (int64(a.InFlight) + c.payload - 1) / c.payload
	if c.round.over(a) {
		c.before, c.peak = c.peak, 0
		c.round.began = a.Now
	}
	c.peak = max(c.peak, flight)
	return max(c.peak, c.before)
}

// Lost implements protocol.Congestion.
func (c *reno) Lost(l *protocol.Loss) {
	if l.Silent {
		if !c.silent {
			c.threshold = c.half()
		}
		c.window, c.counted, c.cut = min(1, c.largest), 0, l.Now
		c.recovering, c.silent = false, true
		return
	}
	if l.SentAt < c.cut {
		return
	}
	c.threshold = c.half()
	c.window, c.counted, c.cut, c.recovering = c.threshold, 0, l.Now, true
}

// half returns half of the window, but not less than the least threshold nor more than the largest window.
func (c *reno) half() int64 { return min(max(c.window/2, leastThreshold), c.largest) }

func renoSetup() protocol.Setup {
	return protocol.Setup{
		Balancer: protocol.State("ecmp", "TCP keeps to one path"),
		Marking:  unmarked("RFC 5681: losses are the signal"),
		Queue:    protocol.State(protocol.Depth{BDPs: 1}, "Villamizar and Song, CCR 24(5), 1994"),
		Recovery: protocol.State("sack", "RFC 6675"),
	}
}

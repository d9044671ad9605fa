package congestion

import (
	"math"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// RoCC is RoCC's congestion control (Taheri et al., CoNEXT 2020): the switch computes a fair rate F
// at each egress queue (roccPoint), and tells it every period to all flows in the queue. The sender
// paces at it (the reaction point). With the rate R of a flow and the queue in force, which set R:
//
//	notice of F from a queue:  if F <= R, or from the queue in force, or if none is:
//	                           R = F, that queue is in force, and the timer begins anew
//	timer without such:        R = 2·R
//
// Where R comes to the line rate, nothing is limited any more and no queue is in force. A flow starts so.
// What a notice says takes effect after the delay of the adapter (reaction).
//
// There is no window, so that switches should pause (pfc). The thresholds of a queue are the paper's
// at 10, 40 and 100 Gb/s; between those rates they are interpolated, and beyond they grow with the
// rate. alpha is the paper's at 40 and 100 Gb/s, interpolated between them and below constant; at 200 and
// 400 Gb/s it is 0.6 and 0.9, which is weft's choice; beta is five times alpha. In the linear model of
// n flows in a queue, with G = n·period·10 Mb/s/quantum and a and b as roccPoint has them, the loop is stable
// while G·(a + 2b) < 4 and G·b < 2: with the defaults for up to 300 flows at 100 Gb/s, and 150 at 400 Gb/s.
//
// The threshold of pauses must be above most for a queue to reach that, which 500 kB are not at 100 Gb/s.
//
// Departures: F is at first the rate of the link, where the paper's code has 0, so that queues without
// congestion hold nobody up. F has fractions of 10 Mb/s. The timer is the code's; the paper gives none.
type RoCC struct {
	Period    unit.Time    `yaml:"period" default:"40us" min:"1us" doc:"Time between updates of the fair rate of a queue." source:"RoCC, CoNEXT 2020 (40 us; 100 us on its testbed of 10 Gb/s)"`
	Offset    unit.Time    `yaml:"offset" default:"0s" doc:"Phase of the updates: they are at this time and every period from there. Less than a period." source:"weft; clocks of switches have some phase"`
	Least     unit.Rate    `yaml:"least" default:"100Mbps" min:"1bps" doc:"Least fair rate." source:"RoCC, CoNEXT 2020"`
	Reference *unit.Bytes  `yaml:"reference" min:"1B" doc:"Queue that is steered to (default by rate of the link: 75, 150 and 300 kB at 10, 40 and 100 Gb/s)." source:"RoCC, CoNEXT 2020 (Qref)"`
	Middle    *unit.Bytes  `yaml:"middle" min:"1B" doc:"Growth of the queue within a period at which the rate is halved (default by rate: 150, 300 and 600 kB)." source:"RoCC, CoNEXT 2020 (Qmid)"`
	Most      *unit.Bytes  `yaml:"most" min:"1B" doc:"Queue at which the rate falls to the least (default by rate: 210, 360 and 660 kB)." source:"RoCC, CoNEXT 2020 (Qmax)"`
	Alpha     *float64     `yaml:"alpha" min:"0" max:"1000" doc:"Gain of the queue beyond the reference, in 10 Mb/s per quantum (default by rate: 0.3 and 0.45 at 40 and 100 Gb/s, 0.6 and 0.9 at 200 and 400 Gb/s)." source:"RoCC, CoNEXT 2020; weft beyond 100 Gb/s"`
	Beta      *float64     `yaml:"beta" min:"0" max:"1000" doc:"Gain of the growth of the queue within a period (default: 5 times alpha)." source:"RoCC, CoNEXT 2020 (1.5 and 2.25)"`
	Quantum   unit.Bytes   `yaml:"quantum" default:"600B" min:"1B" doc:"Unit in which the queue is measured, rounded down." source:"RoCC, CoNEXT 2020"`
	Timer     unit.Time    `yaml:"timer" default:"55us" min:"1ns" doc:"Time without a notice that counts, after which the sender doubles its rate." source:"RoCC's code (CoNEXT 2020)"`
	Reaction  unit.Time    `yaml:"reaction" default:"15us" doc:"Time from the arrival of a notice until the adapter acts on it." source:"RoCC, CoNEXT 2020"`
	Notice    unit.Bytes   `yaml:"notice_bytes" default:"64B" min:"1B" max:"1KiB" doc:"Size of a notice on the wire." source:"weft; RoCC has an ICMP packet"`
	Window    *unit.Amount `yaml:"window" doc:"Limit of data in flight, in wire bytes or BDP (default: none)." source:"HPCC (SIGCOMM 2019, §5.1) adds one"`
}

// Build returns the control. It fails if an option is out of bounds.
func (o RoCC) Build() (protocol.CongestionControl, error) {
	if err := wrap("rocc", o.check()); err != nil {
		return protocol.CongestionControl{}, err
	}
	return protocol.CongestionControl{
		Needs: protocol.Needs{Wants: pauses()}, Receivers: o,
		Setup: adapters("RoCC, CoNEXT 2020", unmarked("RoCC, CoNEXT 2020: notices are the signal")),
		Controller: protocol.Controller{
			Period: o.Period, Offset: o.Offset, NoticeBytes: o.Notice,
			New: func(env protocol.QueueEnv) protocol.QueueController { return o.point(env.Rate) },
		},
		New: func(env protocol.Env) protocol.Congestion {
			c := &rocc{
				line: float64(env.LineRate), timer: o.Timer, reaction: o.Reaction,
				window: newPacedWindow(o.Window, false, env),
			}
			c.Start(0)
			return c
		},
	}, nil
}

func (o *RoCC) check() error {
	if err := checkTime("period", &o.Period, unit.Microsecond); err != nil {
		return err
	}
	if o.Offset < 0 || o.Offset >= o.Period {
		return problem.At("offset", "offset is %v", o.Offset).Mend("it must be less than the period, %v", o.Period)
	}
	return first(
		checkNumber("alpha", o.Alpha, 0, 1000), checkNumber("beta", o.Beta, 0, 1000),
		checkSize("reference", o.Reference), checkSize("middle", o.Middle), checkSize("most", o.Most),
		checkSize("quantum", &o.Quantum), checkSize("notice_bytes", &o.Notice),
		checkTime("timer", &o.Timer, unit.Nanosecond), checkTime("reaction", &o.Reaction, 0),
		checkLeast(o.Least), checkBytes("notice_bytes", o.Notice), checkAmounts(named{"window", o.Window}))
}

// rocc is the reaction point.
type rocc struct {
	rate    float64 // bit/s; the line rate where nothing is limited
	from    int32   // the queue in force
	limited bool
	due     unit.Time // of the timer; Forever where nothing is limited
	// heard are notices that have not taken effect, in order, of which there are n.
	heard [mostHeard]roccNotice
	n     int

	line            float64
	timer, reaction unit.Time
	window          pacedWindow
}

// mostHeard is how many notices wait at an adapter. One more has the oldest take effect at once.
const mostHeard = 16

type roccNotice struct {
	at   unit.Time
	rate float64
	from int32
}

// Start implements protocol.Congestion.
func (c *rocc) Start(unit.Time) { c.n = 0; c.free() }

// free removes the limit.
func (c *rocc) free() { c.rate, c.limited, c.due = c.line, false, unit.Forever }

// Window implements protocol.Congestion.
func (c *rocc) Window() unit.Bytes { return c.window.at(c.rate) }

// Pace implements protocol.Pacer.
func (c *rocc) Pace() protocol.Pace { return paceAt(c.rate) }

// Acked implements protocol.Congestion.
func (c *rocc) Acked(*protocol.Ack) {}

// Lost implements protocol.Congestion.
func (c *rocc) Lost(*protocol.Loss) {}

// Notify implements protocol.Notified.
func (c *rocc) Notify(now unit.Time, from int32, n protocol.Notice) {
	heard := roccNotice{now + c.reaction, float64(n[0]), from}
	if c.reaction == 0 {
		c.accept(now, heard)
		return
	}
	if c.n == mostHeard {
		c.accept(now, c.shift())
	}
	c.heard[c.n] = heard
	c.n++
}

// shift takes the oldest notice that waits.
func (c *rocc) shift() roccNotice {
	oldest := c.heard[0]
	copy(c.heard[:], c.heard[1:c.n])
	c.n--
	return oldest
}

// accept acts on a notice, if it counts.
func (c *rocc) accept(now unit.Time, n roccNotice) {
	if c.limited && n.rate > c.rate && n.from != c.from {
		return
	}
	if n.rate >= c.line {
		c.free()
		return
	}
	c.rate, c.from, c.limited, c.due = max(1, n.rate), n.from, true, now+c.timer
}

// Deadline implements protocol.Timed.
func (c *rocc) Deadline() unit.Time {
	if c.n > 0 {
		return min(c.due, c.heard[0].at)
	}
	return c.due
}

// Expire implements protocol.Timed. A notice comes before the timer of its instant.
func (c *rocc) Expire(now unit.Time) {
	for c.n > 0 && c.heard[0].at <= now {
		c.accept(now, c.shift())
	}
	if c.due > now {
		return
	}
	c.rate *= 2
	c.due = now + c.timer
	if math.Round(c.rate) >= c.line {
		c.free()
	}
}

package congestion

import (
	"weft/protocol"
	"weft/unit"
)

// Direct is FNCC whose switches also notify senders straight from a congested queue, without waiting for an
// acknowledgement. It is weft's own and no published system: a bound on what faster notification can bring to
// HPCC's and FNCC's law. (Bolt, NSDI 2023, has such notices with another law.)
//
// Each queue looks at itself every period (directPoint). While it holds more than the threshold, it tells its size and
// rate to all flows in it, with frames of the switch's own, at most one per flow and gap. A sender takes a notice of a
// queue of the rate B, which holds q now and held p a period before, for a load of
//
//	u = min(q, p)·8/(B·T) + 1
//
// since a queue that holds something sends at its link's rate. It enters U as the load of an acknowledgement does, and
// the rate follows at once (see hpcc). All else, the growth of the rate included, is FNCC's.
//
// No moment counts twice: what a notice or an acknowledgement says enters U with the weight of the time since the moment
// of which the sender heard last, by either, and nothing if it is older. Without notices it is FNCC to the bit.
//
// Simplifications: a paused queue is taken to send, too. Of several queues, the first to tell of a
// moment counts, and not the most loaded one. LHCS goes by acknowledgements alone, as N does. So a notice
// sets the rate by Equation 6, also with lhcs_apply: direct.
type Direct struct {
	FNCC
	Period    unit.Time  `yaml:"period" default:"100ns" min:"1ns" doc:"Time between two looks of a queue at itself." source:"weft"`
	Threshold unit.Bytes `yaml:"threshold" default:"5KB" doc:"Queue above which its flows are told, the frame in service included." source:"weft"`
	Gap       unit.Time  `yaml:"gap" default:"1us" min:"1ns" doc:"Least time between two notices of a queue to a flow." source:"weft"`
	Notice    unit.Bytes `yaml:"notice_bytes" default:"64B" min:"1B" max:"1KiB" doc:"Size of a notice on the wire." source:"weft"`
}

// Build returns the control. It fails if an option is out of bounds.
func (o Direct) Build() (protocol.CongestionControl, error) {
	b, err := o.FNCC.Build()
	if err == nil {
		err = first(
			checkTime("period", &o.Period, unit.Nanosecond), checkTime("gap", &o.Gap, unit.Nanosecond), checkBytes("threshold", min(o.Threshold, 0)),
			checkRange("notice_bytes", float64(o.Notice), 1, mostHeader))
	}
	if err := wrap("direct", err); err != nil {
		return protocol.CongestionControl{}, err
	}
	b.Setup = adapters("FNCC §3.1", unmarked("weft: notices are the signal"))
	b.Controller = protocol.Controller{
		Period: o.Period, NoticeBytes: o.Notice, NoticeGap: o.Gap,
		New: func(env protocol.QueueEnv) protocol.QueueController {
			return &directPoint{rate: env.Rate, threshold: o.Threshold, gap: o.Gap, told: -o.Gap}
		},
	}
	b.Receivers = directReceivers{flowReceivers{o.LastHop.Count}, o.Period, o.Threshold, o.Gap, o.Notice}
	b.New = func(env protocol.Env) protocol.Congestion {
		return &direct{hpcc: *o.InFlight.control(env, o.LHCS, o.LastHop), gap: max(o.Gap, o.Period)}
	}
	return b, nil
}

// directReceivers are the options on which the groups of a fabric must agree.
type directReceivers struct {
	flowReceivers
	period    unit.Time
	threshold unit.Bytes
	gap       unit.Time
	notice    unit.Bytes
}

// directPoint looks at a queue.
type directPoint struct {
	rate      unit.Rate
	threshold unit.Bytes
	gap, told unit.Time
	before    unit.Bytes
}

// Tick implements protocol.QueueController.
func (c *directPoint) Tick(now unit.Time, queue unit.Bytes) (protocol.Notice, bool) {
	held := min(queue, c.before)
	c.before = queue
	if queue <= c.threshold || now-c.told < c.gap {
		return protocol.Notice{}, false
	}
	c.told = now
	return protocol.Notice{uint64(held)<<32 | uint64(c.rate/unit.Mbps), uint64(now)}, true
}

// Settled implements protocol.QueueController.
func (c *directPoint) Settled() bool { return c.before == 0 }

// direct is the sender.
type direct struct {
	hpcc
	gap unit.Time
}

// Notify implements protocol.Notified.
func (c *direct) Notify(_ unit.Time, _ int32, n protocol.Notice) {
	held, rate, at := n[0]>>32, unit.Rate(n[0]&(1<<32-1))*unit.Mbps, unit.Time(n[1])
	passed := min(at-c.until, c.gap, c.rtt)
	if passed <= 0 || rate <= 0 {
		return
	}
	c.until, c.told = at, at
	u := float64(float64(held)/float64(c.rtt))*bitsPerSecond/float64(rate) + 1
	weight := float64(passed) / float64(c.rtt)
	c.use = float64((1-weight)*c.use) + float64(weight*u)
	c.turn(false)
}

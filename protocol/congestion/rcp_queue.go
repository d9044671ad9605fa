package congestion

import (
	"math"

	"weft/protocol"
	"weft/unit"
)

// rcpQueue is RCP at an egress queue (IWQoS 2005, §3). All its flows are offered the rate R. Every period T, with
// the rate y at which frames came in that time, the queue q at its end, and the running mean d of the RTTs that
// packets carry:
//
//	R *= 1 + T/d·(alpha·(gamma·C - y) - beta·q/d)/(gamma·C)
//
// R is kept between the least rate and gamma·C. So n flows settle at R = gamma·C/n, with an empty queue.
//
// As in RCP's ns-2 code, d takes up the mean of a period's packets, weighted by their bytes, with the weight T/d if that is
// larger, and else with R/C·mean/d·T/d. A period that is longer than d counts as d. What frames without a field
// bring counts in y as well.
type rcpQueue struct {
	rate, rtt float64 // in bit/s and ps

	freed unit.Time // when the frame in service is sent, or the last one was
	frame unit.Bytes

	arrived, spilled uint64 // bytes in this period, and in the next one
	told, sum        uint64 // bytes that carried an RTT, and these times their RTTs in ps

	alpha, beta, most, link float64
	least                   float64 // 0 is by the RTT
	period                  float64
	line                    unit.Rate
}

// rcpLeast is the least rate, in bits per RTT: a hundredth of a packet of 1000 B.
const rcpLeast = 80

// rcpGains are what a preset has.
type rcpGains struct{ alpha, beta, gamma, initial float64 }

func (o *RCP) gains() rcpGains {
	g := map[string]rcpGains{
		"ns2": {0.4, 0.4, 1, 0.05}, "netfpga": {0.4, 0.5, 0.95, 0.05}, "perc": {0.4, 0.2, 1, 0.5}, "iwqos": {0.1, 1, 1, 0.05},
	}[o.Preset]
	for _, given := range []struct {
		option *float64
		gain   *float64
	}{{o.Alpha, &g.alpha}, {o.Beta, &g.beta}, {o.Gamma, &g.gamma}, {o.Initial, &g.initial}} {
		if given.option != nil {
			*given.gain = *given.option
		}
	}
	return g
}

// queue returns the controller of a queue.
func (o *RCP) queue(env protocol.QueueEnv) *rcpQueue {
	g, link, rtt := o.gains(), float64(env.Rate), float64(max(1, env.BaseRTT))
	c := &rcpQueue{line: env.Rate, link: link, most: g.gamma * link, alpha: g.alpha, beta: g.beta, least: rateOr(o.Least, 0), rtt: rtt, period: rtt}
	if o.Period != nil {
		c.period = float64(*o.Period)
	}
	c.rate = c.clamp(g.initial * link)
	return c
}

func (c *rcpQueue) clamp(rate float64) float64 {
	least := c.least
	if least == 0 {
		least = rcpLeast * float64(unit.Second) / c.rtt
	}
	return min(max(rate, least), c.most)
}

// Arrived implements protocol.FieldController. A frame takes its time on the link: what of that is beyond the end
// of the period counts in the next one.
func (c *rcpQueue) Arrived(now unit.Time, wire unit.Bytes, field *protocol.Field) {
	part := wire
	period := unit.Time(c.period)
	left := (now+period-1)/period*period - now
	if takes := c.line.Transmit(wire); takes > left {
		part = unit.Bytes(int64(wire) * int64(left) / int64(takes))
	}
	c.arrived += uint64(part)
	c.spilled += uint64(wire - part)
	if field != nil && field[1] > 0 {
		c.told += uint64(wire)
		c.sum += field[1] * uint64(wire)
	}
}

// Left implements protocol.FieldController.
func (c *rcpQueue) Left(now unit.Time, wire unit.Bytes, field *protocol.Field) {
	c.freed, c.frame = now+c.line.Transmit(wire), wire
	if field != nil {
		field[0] = min(field[0], uint64(math.Round(c.rate)))
	}
}

// Tick implements protocol.QueueController. Nobody is told.
func (c *rcpQueue) Tick(now unit.Time, queue unit.Bytes) (protocol.Notice, bool) {
	if c.freed > now { // that frame does not wait
		queue = max(0, queue-c.frame)
	}
	if c.told > 0 {
		mean := float64(c.sum) / float64(c.told)
		weight := c.share()
		if mean < c.rtt {
			weight = float64(weight * c.rate / c.link * mean / c.rtt)
		}
		c.rtt += float64(weight * (mean - c.rtt))
	}
	came := float64(c.arrived) * bitsPerSecond / c.period
	waits := float64(queue) * bitsPerSecond / c.rtt
	spare := float64(c.alpha*(c.most-came)) - float64(c.beta*waits)
	c.rate = c.clamp(c.rate * (1 + float64(c.share()*spare/c.most)))
	c.arrived, c.spilled, c.told, c.sum = c.spilled, 0, 0, 0
	return protocol.Notice{}, false
}

// share returns the period in RTTs.
func (c *rcpQueue) share() float64 { return min(1, c.period/c.rtt) }

// Settled implements protocol.QueueController.
func (c *rcpQueue) Settled() bool { return c.rate == c.most && c.arrived == 0 }

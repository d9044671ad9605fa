package congestion

import (
	"weft/protocol"
	"weft/unit"
)

// RCP is the Rate Control Protocol (Dukkipati et al., IWQoS 2005): each egress queue of a switch offers one rate
// to all its flows (rcpQueue). Data packets carry a rate, at first that of the sender's link, which each
// switch lowers to its own. The receiver returns it in the acknowledgement, and the sender paces at it. So a
// flow gets the least rate of its path. Packets also carry the RTT that the sender measured last.
//
// The presets differ in the gains alpha and beta, the share gamma of the link that is filled, and the rate that
// a queue offers at first. The default is perc: PERC's authors ran RCP with it at 100 Gb/s in a leaf-spine, and with it
// two flows share a link soonest of all presets (docs/lossless.md). ns2 and netfpga are for slower and longer links.
//
// A new flow asks first, as in the paper: it sends one packet, and nothing more until its acknowledgement
// brings a rate. There it is a SYN without payload that asks; here it is the first packet of the message, so
// that a message of one packet takes no round trip more. With start, a flow sends at that rate until it
// hears of another. A message that finds its connection idle asks anew. A flow whose rate is less than a packet per
// RTT asks once in an RTT by a probe, as RCP's ns-2 code does with its reference packets: else it would hear
// of a higher rate with its next packet only, which may be a thousand round trips later.
//
// Departures: queues update their rates every period, all at once, where RCP's routers do so every d, a running
// mean of RTTs, at most 10 ms. With the default, the base RTT of the fabric, a period is no longer than d but
// for flows of shorter paths. Losses change nothing. A lost probe is not sent again; the next packet asks.
type RCP struct {
	Preset  string       `yaml:"preset" default:"perc" enum:"ns2,netfpga,perc,iwqos" doc:"Source of the defaults of alpha, beta, gamma and initial: RCP's ns-2 code, RCP on NetFPGA, PERC's runs of RCP at 100 Gb/s, or the paper of 2005." source:"RCP's public code; PERC's scripts; IWQoS 2005"`
	Alpha   *float64     `yaml:"alpha" min:"0" max:"2" doc:"Gain of the capacity that is left over (default: 0.4; 0.1 with preset iwqos)." source:"as preset"`
	Beta    *float64     `yaml:"beta" min:"0" max:"4" doc:"Gain of the queue (default by preset: 0.4, 0.5, 0.2 and 1)." source:"as preset"`
	Gamma   *float64     `yaml:"gamma" min:"0.01" max:"1" doc:"Share of the link that flows may fill (default: 1; 0.95 with preset netfpga)." source:"as preset"`
	Initial *float64     `yaml:"initial" min:"0.0001" max:"1" doc:"Share of the link that a queue offers at first (default: 0.05; 0.5 with preset perc)." source:"as preset; weft (iwqos)"`
	Period  *unit.Time   `yaml:"period" min:"100ns" doc:"Time between updates of the rate of a queue (default: the base RTT of the fabric)." source:"RCP's ns-2 code (mean RTT, at most 10 ms)"`
	Least   *unit.Rate   `yaml:"least" min:"1bps" doc:"Least rate of a queue (default: a hundredth of a packet of 1000 B per RTT)." source:"RCP's ns-2 code"`
	Start   *unit.Rate   `yaml:"start" min:"1bps" doc:"Rate of a new flow until it hears of one (default: one packet, and none until its acknowledgement comes)." source:"IWQoS 2005 (asks first)"`
	Header  unit.Bytes   `yaml:"header_bytes" default:"12B" max:"1KiB" doc:"Size of the rate, the RTT and the rate that returns, in data packets and acknowledgements." source:"weft (32 bits each)"`
	Window  *unit.Amount `yaml:"window" doc:"Limit of data in flight, in wire bytes or BDP (default: none)." source:"HPCC (SIGCOMM 2019, §5.1) adds one"`
}

// Build returns the control. It fails if an option is out of bounds.
func (o RCP) Build() (protocol.CongestionControl, error) {
	if err := wrap("rcp", o.check()); err != nil {
		return protocol.CongestionControl{}, err
	}
	period := unit.Time(0)
	if o.Period != nil {
		period = *o.Period
	}
	return protocol.CongestionControl{
		Needs: protocol.Needs{Wants: append(pauses(), protocol.Want{Need: protocol.OnePath,
			Without: "sends at the rate of the path that answered last, whichever it takes next"})},
		Setup: protocol.Setup{
			Balancer: protocol.State("ecmp", "IWQoS 2005: a rate is that of one path"),
			Marking:  unmarked("IWQoS 2005: rates in packets are the signal"),
			Queue:    protocol.State(protocol.Deep, "weft: nothing reacts to losses"),
			Recovery: protocol.State("sack", "RFC 6675"),
		},
		Receivers: o,
		Controller: protocol.Controller{
			Period: period, Fields: true, FieldBytes: o.Header,
			New: func(env protocol.QueueEnv) protocol.QueueController { return o.queue(env) },
		},
		New: func(env protocol.Env) protocol.Congestion {
			line := float64(env.LineRate)
			c := &rcp{line: line, payload: env.Payload, packet: 8 * float64(env.Packet), window: newPacedWindow(o.Window, false, env)}
			c.start = min(line, rateOr(o.Start, 0))
			c.Start(0)
			return c
		},
	}, nil
}

func (o *RCP) check() error {
	return first(
		checkWord("preset", &o.Preset, "ns2", "netfpga", "perc", "iwqos"),
		checkNumber("alpha", o.Alpha, 0, 2), checkNumber("beta", o.Beta, 0, 4),
		checkNumber("gamma", o.Gamma, 0.01, 1), checkNumber("initial", o.Initial, 0.0001, 1),
		checkTime("period", o.Period, 100*unit.Nanosecond), checkPositive("least", o.Least), checkPositive("start", o.Start),
		checkBytes("header_bytes", o.Header), checkAmounts(named{"window", o.Window}))
}

// rcp is the sender.
type rcp struct {
	rate  float64   // bit/s; 0 as long as nothing is known, and only one packet goes
	rtt   unit.Time // the last one measured; 0 before
	due   unit.Time // of the next probe; Forever while data come often enough, or one is under way
	probe bool      // one is due

	line, start float64
	payload     unit.Bytes
	packet      float64 // bits
	window      pacedWindow
}

// Start implements protocol.Congestion.
func (c *rcp) Start(now unit.Time) {
	c.rtt = 0
	c.Restart(now)
}

// Restart implements protocol.Restarter.
func (c *rcp) Restart(unit.Time) { c.rate, c.due, c.probe = c.start, unit.Forever, false }

// Window implements protocol.Congestion.
func (c *rcp) Window() unit.Bytes {
	if c.rate == 0 {
		return c.payload
	}
	return c.window.at(c.rate)
}

// Pace implements protocol.Pacer.
func (c *rcp) Pace() protocol.Pace {
	if c.rate == 0 {
		return paceAt(c.line)
	}
	return paceAt(c.rate)
}

// Field implements protocol.Fielder: the rate and the RTT.
func (c *rcp) Field(unit.Time) protocol.Field { return protocol.Field{uint64(c.line), uint64(c.rtt)} }

// Acked implements protocol.Congestion.
func (c *rcp) Acked(a *protocol.Ack) {
	if a.RTT > 0 {
		c.rtt = a.RTT
	}
	if a.Fielded {
		c.take(a.Now, a.Field)
	}
}

// take takes the rate of a field over. Where data go less than once in a round trip, a probe asks anew.
func (c *rcp) take(now unit.Time, f protocol.Field) {
	c.rate, c.due = min(max(1, float64(f[0])), c.line), unit.Forever
	if c.rtt > 0 && c.packet*float64(unit.Second) > c.rate*float64(c.rtt) {
		c.due = now + c.rtt
	}
}

// Deadline implements protocol.Timed.
func (c *rcp) Deadline() unit.Time { return c.due }

// Expire implements protocol.Timed.
func (c *rcp) Expire(unit.Time) { c.due, c.probe = unit.Forever, true }

// Probe implements protocol.FieldProber.
func (c *rcp) Probe(unit.Time) (due bool) {
	due, c.probe = c.probe, false
	return due
}

// Probed implements protocol.FieldProber.
func (c *rcp) Probed(now unit.Time, f protocol.Field, rtt unit.Time) {
	c.rtt = rtt
	c.take(now, f)
}

// Lost implements protocol.Congestion.
func (c *rcp) Lost(*protocol.Loss) {}

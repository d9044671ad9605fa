package congestion

import (
	"weft/protocol"
	"weft/unit"
)

// HPCC is HPCC's congestion control (Li et al., SIGCOMM 2019, §3): switches stamp data packets
// with time, queue, sent bytes and rate of the port (protocol.OnData), receivers return the stamps,
// and a sender steers the bytes in flight of the most loaded link to a share eta of what the link
// takes in a round trip. With the base RTT T, a port's rate B, and its stamps now and in the
// acknowledgement before:
//
//	each port:  u = min(queue, queue before)·8/(B·T) + (sent - sent before)·8/(time passed·B)
//	the port of the largest u, with tau = min(time passed, T):
//	            U = (1 - tau/T)·U + (tau/T)·u
//	U >= eta, or stage >= max_stage:   W = Wc/(U/eta) + WAI;  stage = 0
//	else:                              W = Wc + WAI;          stage + 1
//
// W follows every acknowledgement (§3.2). The reference window Wc and the stage follow once a round
// trip: when a packet is acknowledged that was sent after they changed last. Both the window and a
// pace of W/T limit the sender. It keeps rates, as HPCC's simulator does: W is R·T, and Wc and WAI
// likewise. A connection starts at the line rate C, with U = 1, and its first acknowledgement only
// leaves stamps. So does one whose stamps are of other ports than those before. A port whose time
// has not passed says nothing.
//
// The presets are the paper and its simulator (run.py). paper: five additive stages, and a WAI of
// 80 B where C·T is 162.5 kB (§3.3 and §5.1: 100 Gb/s, 13 µs), in proportion to C·T. code: no
// additive stages, and 10 Mb/s at 25 Gb/s, in proportion to C.
//
// With LHCS it is HPCC with FNCC's speed-up of the last hop, and nothing else of FNCC. That
// is no published control: it shows how much of FNCC's gain is the speed-up.
//
// Departures: round trips are told apart by when packets were sent rather than by sequence
// numbers. The window counts wire bytes, where HPCC's simulator counts payload, and T has headers and
// acknowledgements in it, which the simulator leaves out. Losses change nothing, since HPCC relies on
// priority flow control; reports of missing packets (go-back-n) bring no stamps, which in the simulator they do. Stamps come exact; quantising is the fabric's. Of a path of more switches
// than protocol.MostStamps those last met do not stamp, so that LHCS takes the last that did for the last hop.
//
// Where one acknowledgement reports several packets, it has the stamps of the last of them, also if a timer prompts it
// (transport.ack.delay). There is one exception: if a packet arrives that one bitmap cannot report together with those
// that wait, these are acknowledged at once, and that acknowledgement has no stamps.
//
// A connection whose packets alternate between paths learns nothing, since each change only
// leaves stamps: HPCC is for one path per flow, as with balancer ecmp.
type HPCC struct {
	InFlight
	LHCS  bool       `yaml:"lhcs" default:"false" doc:"Whether FNCC's speed-up of the last hop is added." source:"weft"`
	Bytes unit.Bytes `yaml:"int_bytes" default:"42B" max:"1KiB" doc:"Room for stamps in each data packet, from its sender on; 0B: stamps cost nothing on the wire." source:"HPCC's simulator (SIGCOMM 2019): 2 B and 5 times 8 B"`
	LastHop
}

// InFlight are the options that HPCC and FNCC share.
type InFlight struct {
	Preset   string     `yaml:"preset" default:"paper" enum:"paper,code" doc:"Source of the defaults of max_stage and additive: HPCC's paper, or its simulator." source:"SIGCOMM 2019, §3.3; HPCC's simulator (run.py)"`
	Eta      unit.Ratio `yaml:"eta" default:"95%" min:"1%" max:"100%" doc:"Share of a link that flows together may use." source:"SIGCOMM 2019, §3.3"`
	MaxStage *int       `yaml:"max_stage" min:"0" max:"1000" doc:"Round trips of additive increase in a row, after which the rate grows by the measured share (default: 5 with preset paper, 0 with code)." source:"SIGCOMM 2019, §3.3 (maxStage); HPCC's simulator"`
	Additive *unit.Rate `yaml:"additive" doc:"Growth of the rate per update (default: with preset paper 80 B per base RTT where C·T is 162.5 kB, with code 1/2500 of the line rate, 10 Mb/s at 25 Gb/s)." source:"SIGCOMM 2019, §5.1 (W_AI); HPCC's simulator"`
	Least    unit.Rate  `yaml:"least" default:"100Mbps" min:"1bps" doc:"Least rate." source:"HPCC's simulator (SIGCOMM 2019)"`
	Window   bool       `yaml:"window" default:"true" doc:"Whether a window of rate times base RTT limits the data in flight, beside the pace." source:"SIGCOMM 2019, §3.2"`
	React    string     `yaml:"react" default:"ack" enum:"ack,rtt" doc:"When the rate changes: with each acknowledgement, or once per round trip." source:"SIGCOMM 2019, §3.2"`
}

// LastHop are the options of FNCC's speed-up of the last hop (LHCS).
type LastHop struct {
	Alpha float64 `yaml:"lhcs_alpha" default:"1.05" min:"0" max:"1000" doc:"Load of the last hop, as a multiple of what it takes in a base RTT, above which the rate is set." source:"FNCC, Algorithm 2 (α)"`
	Beta  float64 `yaml:"lhcs_beta" default:"0.9" min:"0.001" max:"1" doc:"Share of the last hop that its flows get together." source:"FNCC, Algorithm 2 (β)"`
	Apply string  `yaml:"lhcs_apply" default:"scaled" enum:"scaled,direct" doc:"How the speed-up sets the window W, once it has set the reference Wc: scaled divides Wc by U/eta in the same acknowledgement, as the listing does, direct makes W equal to Wc." source:"FNCC, Algorithm 3 (scaled); §3.2.2, §5.4.2 (direct)"`
	Count string  `yaml:"count" default:"open" enum:"open,connections,recent" doc:"What a receiver counts as flows: messages that have arrived in part (open), connections, or connections that sent a packet within the last base RTT (recent)." source:"weft; FNCC, §3.2.3, names the connections"`
}

const (
	// stampBytes is what one switch writes. What the sender reserves is an option, int_bytes.
	stampBytes = 8
	// countBytes is FNCC's N.
	countBytes = 2
	// The paper's additive increase is additivePaper of the line rate, the code's additiveCode.
	additivePaper = 80.0 / 162_500
	additiveCode  = 1.0 / 2500
	paperStages   = 5
	// applyScaled and applyDirect are the values of lhcs_apply.
	applyScaled, applyDirect = "scaled", "direct"
)

// Build returns the control. It fails if an option is out of bounds.
func (o HPCC) Build() (protocol.CongestionControl, error) {
	if err := wrap("hpcc", o.InFlight.check(), o.LastHop.check(), checkBytes("int_bytes", o.Bytes)); err != nil {
		return protocol.CongestionControl{}, err
	}
	b := protocol.CongestionControl{
		Needs:    protocol.Needs{Must: protocol.Telemetry, Wants: append(pauses(), onePath())},
		Setup:    adapters("HPCC, SIGCOMM 2019, §5.1", unmarked("SIGCOMM 2019, §3.1: stamps are the signal")),
		Stamping: protocol.OnData, StampBytes: min(stampBytes, o.Bytes), MostStampBytes: o.Bytes,
		New: func(env protocol.Env) protocol.Congestion { return o.InFlight.control(env, o.LHCS, o.LastHop) },
	}
	if o.LHCS {
		o.LastHop.answer(&b, countBytes)
	}
	return b, nil
}

func (o *InFlight) check() error {
	stages := 0
	if o.MaxStage != nil {
		stages = *o.MaxStage
	}
	return first(
		checkWord("preset", &o.Preset, "paper", "code"), checkWord("react", &o.React, "ack", "rtt"),
		checkRange("eta", float64(o.Eta), 0.01, 1), checkRange("max_stage", float64(stages), 0, 1000),
		checkRate("additive", o.Additive), checkLeast(o.Least))
}

// control makes the sender of HPCC or FNCC.
func (o *InFlight) control(env protocol.Env, lhcs bool, last LastHop) *hpcc {
	most := &unit.Amount{Bytes: env.BDP}
	if !o.Window {
		most = nil
	}
	line := float64(env.LineRate)
	c := &hpcc{
		line: line, least: min(float64(o.Least), line), rtt: max(1, env.BaseRTT), eta: float64(o.Eta),
		additive: additivePaper * line, stages: paperStages, perAck: o.React == "ack",
		window: newPacedWindow(most, true, env), lhcs: lhcs, direct: last.Apply == applyDirect, alpha: last.Alpha, beta: last.Beta,
	}
	if o.Preset == "code" {
		c.additive, c.stages = additiveCode*line, 0
	}
	c.additive = rateOr(o.Additive, c.additive)
	if o.MaxStage != nil {
		c.stages = *o.MaxStage
	}
	c.Start(0)
	return c
}

package dart

import (
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/protocol/congestion"
	"weft/unit"
)

// Options are the parameters of DASR, with those of the fallback. The package comment says whose each is.
type Options struct {
	Fallback    string     `yaml:"fallback" default:"dcqcn" enum:"dcqcn,none" doc:"What reacts to congestion that is not the receiver's." source:"Dart §III-C"`
	Drain       unit.Ratio `yaml:"drain" default:"100%" min:"1%" max:"100%" doc:"Share of the link that is apportioned while there are several senders; below 100% a queue drains." source:"weft"`
	LineShare   unit.Ratio `yaml:"line_share" default:"95%" min:"1%" max:"100%" doc:"Share of the link, times drain, from which data count as coming in at line rate." source:"weft; Dart §III-C gives none"`
	Span        *unit.Time `yaml:"span" min:"1ns" doc:"Time over which the rate of what comes in is measured (default: the longer of 2 base RTT and 64 full packets at line rate)." source:"weft; Dart gives none"`
	Patience    Patience   `yaml:"patience" default:"0s" introduced:"span" doc:"How long marked packets must come at less than line rate until the congestion counts as elsewhere. 0s acts at once; span waits as long as the option span, which was weft's default before the paper's." source:"Dart §III-C; weft (span)"`
	Calm        *unit.Time `yaml:"calm" min:"1ns" doc:"Time without marked packets after which there is no congestion (default: 2 · fast · rate_timer, and span without fallback)." source:"weft"`
	Idle        unit.Time  `yaml:"idle" default:"2s" min:"1ns" doc:"Time without a packet after which a sender is not counted any more." source:"Dart §III-B"`
	Reset       bool       `yaml:"reset" default:"false" doc:"Whether DCQCN forgets its limits when an acknowledgement shows receiver congestion." source:"weft; Dart does not say"`
	Counts      *string    `yaml:"counts" enum:"messages,backlog" doc:"When a sender counts: while one of its messages is in flight, or also while others wait for their turn on its connection, with connection: pair (default: messages)." source:"Dart §III-B, §V-A (backlog)"`
	Rate        string     `yaml:"rate" default:"receiver" enum:"receiver,sender" doc:"Whose link is apportioned: that of the receiver, or as many of the sender." source:"weft; Dart has links of one rate"`
	Weights     []int      `yaml:"weights" default:"[]" doc:"Weights of the tenants, each 1 to 1000, in the order in which traffic names them; groups without a tenant come first, if there are any (default: 1)." source:"Dart §III"`
	SourceMarks bool       `yaml:"source_marks" default:"true" doc:"Whether NICs of senders mark what a queue of what they cannot send yet would mark." source:"Dart §III-C"`
	Advertise   *bool      `yaml:"advertise" doc:"Whether a receiver tells listed senders their share before their first packets come, so that they begin at it instead of at line rate; with look_ahead (default: false)." source:"Dart §III-D"`
	CountBytes  unit.Bytes `yaml:"count_bytes" default:"2B" max:"1KiB" doc:"Size of n in each acknowledgement." source:"weft; Dart §III-D has 2 B for a sender"`
	ListBytes   unit.Bytes `yaml:"list_bytes" default:"2B" min:"1B" max:"32B" doc:"Size of each sender in a list of look-ahead." source:"Dart §III-D"`

	congestion.DCQCN
}

const (
	leastSpanRTTs, leastSpanPackets = 2, 64
	recoveries                      = 2 // of DCQCN, until there is calm
	mostTenants                     = 64
	mostWeight                      = 1000
	none                            = "none"
	messages                        = "messages"
	backlogs                        = "backlog"
)

// Entries returns Dart for a catalog of congestion controls.
func Entries() []catalog.Entry[protocol.CongestionControl] {
	return []catalog.Entry[protocol.CongestionControl]{
		catalog.Define("dart",
			"Dart's DASR: receivers tell their senders how many they are, and each keeps to its share; DCQCN where that is no help",
			"Xue et al. (Dart), §III", Options.Build).Alias("dasr"),
	}
}

// Build returns the control. It fails if an option is out of bounds.
func (o Options) Build() (protocol.CongestionControl, error) {
	if err := o.check(); err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("dart: %w", err)
	}
	if o.Counts != nil && *o.Counts == messages {
		o.Counts = nil
	}
	if !o.advertises() {
		o.Advertise = nil
	}
	under, err := o.DCQCN.Build()
	if err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("dart: %w", err)
	}
	control := under.New
	switch {
	case o.Fallback == none:
		control = func(protocol.Env) protocol.Congestion { return free{} }
	case o.Reset:
		control = func(env protocol.Env) protocol.Congestion { return &resetting{under.New(env).(paced)} }
	}
	wants := []protocol.Want{{Need: protocol.Pauses, Without: "does not react to lost packets, which only retransmission timeouts find"}}
	if o.Counts != nil {
		wants = append(wants, protocol.Want{Need: protocol.Pairs, Without: "counts a sender only while one of its messages is in flight"})
	}
	return protocol.CongestionControl{
		Needs: protocol.Needs{Must: protocol.Marks, Wants: wants},
		Setup: protocol.Setup{
			Balancer: protocol.State("ecmp", "Dart §VI-A"),
			Marking:  protocol.State(protocol.Step(unit.Amount{BDPs: 1.25}), "Dart §VI-A: 22.5 kB; weft: a step, at 10 Gb/s and 14 us"),
			Queue:    protocol.State(protocol.Deep, "Dart §II-B: RDMA is lossless; weft: deep enough"),
			Recovery: protocol.State("go-back-n", "RoCE adapters, as in HPCC's simulator"),
		},
		PromptMarks: true, Receivers: o,
		New:         control,
		NewAnswerer: func(env protocol.HostEnv) protocol.Answerer { return newReceiver(o, env, under.NewAnswerer(env)) },
		NewBundle:   func(env protocol.Env) protocol.Bundle { return newLimit(o, env) },
		Settings:    o.settings,
		AnswerBytes: o.CountBytes, ListBytes: o.ListBytes, SourceMarks: o.SourceMarks, Backlog: o.Counts != nil,
		Advertise: o.advertises(),
		Host:      protocol.HostTraits{Groups: len(o.Weights)},
	}, nil
}

func (o *Options) check() error {
	switch {
	case o.Fallback != "dcqcn" && o.Fallback != none:
		return problem.At("fallback", "fallback is %q", o.Fallback).Mend("it must be dcqcn or none")
	case o.Counts != nil && *o.Counts != messages && *o.Counts != backlogs:
		return problem.At("counts", "counts is %q", *o.Counts).Mend("it must be messages or backlog")
	case o.Rate != "receiver" && o.Rate != "sender":
		return problem.At("rate", "rate is %q", o.Rate).Mend("it must be receiver or sender")
	case !(o.Drain >= 0.01 && o.Drain <= 1) || !(o.LineShare >= 0.01 && o.LineShare <= 1):
		return problem.At("drain", "drain is %v and line_share %v", o.Drain, o.LineShare).Mend("they must be 1%% to 100%%")
	case o.Span != nil && *o.Span < unit.Nanosecond || o.Calm != nil && *o.Calm < unit.Nanosecond || o.Idle < unit.Nanosecond:
		return fmt.Errorf("span, calm and idle must be at least 1ns")
	case o.Patience.Time < 0:
		return problem.At("patience", "patience is %v", o.Patience.Time).Mend("it must not be negative")
	case o.CountBytes < 0 || o.CountBytes > unit.KiB || o.ListBytes < 1 || o.ListBytes > 32:
		return problem.At("count_bytes", "count_bytes is %v and list_bytes %v", o.CountBytes, o.ListBytes).Mend("they must be 0B to 1KiB and 1B to 32B")
	case len(o.Weights) > mostTenants:
		return fmt.Errorf("there are %d weights; at most %d are allowed", len(o.Weights), mostTenants)
	case o.Reset && o.Fallback == none:
		return problem.At("reset", "reset has no effect with fallback: none").Mend("remove it")
	}
	for _, w := range o.Weights {
		if w < 1 || w > mostWeight {
			return problem.At("weights", "weights must be 1 to %d each, but one is %d", mostWeight, w)
		}
	}
	return nil
}

// advertises tells whether listed senders hear of their shares before they begin.
func (o *Options) advertises() bool { return o.Advertise != nil && *o.Advertise }

// weight returns the weight of a tenant.
func (o *Options) weight(tenant uint8) uint64 {
	if int(tenant) < len(o.Weights) {
		return uint64(o.Weights[tenant])
	}
	return 1
}

// spans resolves the times of the receiver.
func (o *Options) spans(env protocol.HostEnv) (span, patience, calm unit.Time) {
	span = max(leastSpanRTTs*env.BaseRTT, env.LineRate.Transmit(leastSpanPackets*env.Packet))
	if o.Span != nil {
		span = *o.Span
	}
	patience, calm = o.Patience.of(span), span
	if o.Fallback != none {
		calm = max(span, recoveries*unit.Time(o.Fast)*o.RateTimer)
	}
	if o.Calm != nil {
		calm = *o.Calm
	}
	return span, patience, calm
}

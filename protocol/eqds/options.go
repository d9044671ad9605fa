package eqds

import (
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Options are the parameters of EQDS.
type Options struct {
	Speculative unit.Amount `yaml:"speculative" default:"1BDP" doc:"Wire bytes that a connection may send at its start, before it is pulled." source:"NSDI 2022, §3 (one BDP)"`
	Credit      unit.Amount `yaml:"credit" default:"1.5BDP" doc:"Most credit that a sender asks for at a time, in wire bytes." source:"uet-htsim (largest window of the receiver-driven mode)"`
	Rate        unit.Ratio  `yaml:"rate" default:"99%" min:"1%" max:"100%" doc:"Share of its line rate at which a receiver pulls." source:"csg-htsim, main_eqds.cpp"`
	Pull        int         `yaml:"pull" default:"1" min:"1" max:"64" doc:"Full packets per pull." source:"NSDI 2022 (1); UE 1.0 (4)"`
}

// Entries returns EQDS for a catalog of congestion controls.
func Entries() []catalog.Entry[protocol.CongestionControl] {
	return []catalog.Entry[protocol.CongestionControl]{
		catalog.Define("eqds",
			"receivers pull packets at their line rate, in turn from all senders; needs fabric.overflow: trim",
			"Olteanu et al., NSDI 2022", Options.Build).Alias("rccc"),
	}
}

// Build returns the control. It fails if an option is out of bounds.
func (o Options) Build() (protocol.CongestionControl, error) {
	if err := o.check(); err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("eqds: %w", err)
	}
	return protocol.CongestionControl{
		New:         func(env protocol.Env) protocol.Congestion { return newSender(o, env) },
		NewReceiver: func(env protocol.HostEnv) protocol.Receiver { return newReceiver(o, env) },
		Receivers:   pulling{o.Rate, o.Pull},
		Needs:       protocol.Needs{Must: protocol.Trimming},
		Setup: protocol.Setup{
			Balancer: protocol.State("ops", "NSDI 2022, §3: packets are sprayed"),
			Marking:  protocol.State(protocol.Unmarked, "NSDI 2022, §3: trimmed headers are the signal"),
			Queue:    protocol.State(protocol.Depth{BDPs: 1}, "uet-htsim"),
		},
	}, nil
}

// pulling is what receivers depend on.
type pulling struct {
	rate unit.Ratio
	pull int
}

func (o *Options) check() error {
	err := protocol.CheckAmounts(`"1BDP" or "256KiB"`,
		protocol.NamedAmount{Name: "speculative", Amount: o.Speculative}, protocol.NamedAmount{Name: "credit", Amount: o.Credit})
	if err != nil {
		return err
	}
	if !(o.Rate >= 0.01 && o.Rate <= 1) {
		return problem.At("rate", "rate is %v", o.Rate).Mend("it must be 1%% to 100%%")
	}
	if o.Pull < 1 || o.Pull > 64 {
		return problem.At("pull", "pull is %d", o.Pull).Mend("it must be 1 to 64")
	}
	return nil
}

package ndp

import (
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Options are the parameters of NDP.
//
// Departures from SIGCOMM 2017: the balancer is the scenario's, and sprays at random by default. NDP's senders take the paths in
// a random order, drawn again each round, and leave out those that trim or lose much.
type Options struct {
	Window unit.Amount `yaml:"window" default:"1.5BDP" doc:"What a connection pushes at its start, in wire bytes, rounded up to whole packets: more than an unloaded round-trip time takes, since pulls wait for their turn." source:"SIGCOMM 2017, §3.2; weft"`
	Rate   unit.Ratio  `yaml:"rate" default:"100%" min:"1%" max:"100%" doc:"Share of its line rate at which a receiver pulls." source:"SIGCOMM 2017, §3.2"`
}

// Entries returns NDP for a catalog of congestion controls.
func Entries() []catalog.Entry[protocol.CongestionControl] {
	return []catalog.Entry[protocol.CongestionControl]{
		catalog.Define("ndp",
			"senders push a window, and receivers pull a packet for each that arrives, trimmed or not; needs fabric.overflow: trim",
			"Handley et al., SIGCOMM 2017", Options.Build),
	}
}

// Build returns the control. It fails if an option is out of bounds.
func (o Options) Build() (protocol.CongestionControl, error) {
	if err := o.check(); err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("ndp: %w", err)
	}
	return protocol.CongestionControl{
		New:         func(env protocol.Env) protocol.Congestion { return newSender(o, env) },
		NewReceiver: func(env protocol.HostEnv) protocol.Receiver { return newReceiver(o, env) },
		Receivers:   o.Rate,
		Needs:       protocol.Needs{Must: protocol.Trimming, TrimRatio: 10},
		Setup: protocol.Setup{
			Balancer: protocol.State("ops", "SIGCOMM 2017, §3.1: packets are sprayed"),
			Marking:  protocol.State(protocol.Unmarked, "SIGCOMM 2017, §3: trimmed headers are the signal"),
			Queue:    protocol.State(protocol.Depth{Packets: 8}, "SIGCOMM 2017, §3: eight packets"),
		},
	}, nil
}

func (o *Options) check() error {
	if err := protocol.CheckAmounts(`"1BDP" or "270kB"`, protocol.NamedAmount{Name: "window", Amount: o.Window}); err != nil {
		return err
	}
	if !(o.Rate >= 0.01 && o.Rate <= 1) {
		return problem.At("rate", "rate is %v", o.Rate).Mend("it must be 1%% to 100%%")
	}
	return nil
}

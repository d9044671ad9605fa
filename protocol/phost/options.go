package phost

import (
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

// Options are the parameters of pHost.
type Options struct {
	BDP *unit.Bytes `yaml:"bdp" doc:"Bandwidth-delay product that the amounts below refer to (default: that of the fabric)." source:"pHost; published simulator (8 packets)" min:"1B"`

	Free      unit.Amount  `yaml:"free" default:"1BDP" doc:"Free tokens of a message, in whole packets on the wire." source:"pHost; published simulator (8 packets)"`
	FreeFor   string       `yaml:"free_for" default:"all" enum:"all,short" doc:"Which messages have free tokens: all, or those that need no others." source:"pHost; published simulator (short)"`
	Window    unit.Amount  `yaml:"window" default:"1BDP" doc:"Unanswered tokens, in bytes on the wire of packets, that downgrade a message." source:"pHost; published simulator (8 packets)"`
	Downgrade unit.Amount  `yaml:"downgrade" default:"3.125BDP" doc:"How long a downgraded message gets no tokens, as the time of so many bytes at line rate." source:"pHost; published simulator (25 packets)"`
	Resend    unit.Amount  `yaml:"resend" default:"1.125BDP" doc:"Time until the missing part of a message gets tokens again, once all of it has had some, as the time of so many bytes at line rate." source:"pHost, published simulator (9 packets)"`
	Life      unit.Ratio   `yaml:"life" default:"150%" min:"100%" max:"100000%" doc:"Time after which a sender's tokens expire, in multiples of the time of a full packet." source:"pHost; published simulator"`
	Cutoffs   []unit.Bytes `yaml:"cutoffs" default:"[]" doc:"Largest message of each priority level of data except the last (default: free)." source:"pHost; published simulator (8 packets)"`
	Silence   unit.Time    `yaml:"silence" default:"1ms" min:"1us" doc:"Time without an answer after which a sender announces a message again." source:"weft"`
}

// Entries returns pHost for a catalog of congestion controls.
func Entries() []catalog.Entry[protocol.CongestionControl] {
	return []catalog.Entry[protocol.CongestionControl]{
		catalog.Define("phost",
			"host transport: receivers give tokens for packets to their shortest message",
			"Gao et al., CoNEXT 2015", Options.Build),
	}
}

// Build returns the transport. It fails if an option is out of bounds.
func (o Options) Build() (protocol.CongestionControl, error) {
	if err := o.check(); err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("phost: %w", err)
	}
	return protocol.CongestionControl{
		NewHost:   func(env protocol.HostEnv) protocol.HostTransport { return newHost(newConfig(o, env), env) },
		CheckHost: o.checkIn,
		Receivers: o,
		Settings:  o.settings,
		Needs: protocol.Needs{
			Classes: 2 + max(1, len(o.Cutoffs)), FewerClasses: len(o.Cutoffs) > 1,
			Wants: []protocol.Want{{Need: protocol.DeepQueues, Without: protocol.LateLosses}},
		},
		Setup: protocol.Setup{
			Balancer: protocol.State("ops", "CoNEXT 2015, §3: packets are sprayed"),
			Marking:  protocol.State(protocol.Unmarked, "CoNEXT 2015, §3: tokens are the signal"),
			Queue:    protocol.State(protocol.Depth{BDPs: 4}, "CoNEXT 2015, §4: 36 kB, 3 BDP, and 1 for what weft's hosts let pile up"),
		},
		Host:   protocol.HostTraits{Silence: o.Silence, SilenceOption: "silence"},
		Echoes: true,
	}, nil
}

func (o *Options) check() error {
	err := protocol.CheckAmounts("1BDP or 100KB",
		protocol.NamedAmount{Name: "free", Amount: o.Free},
		protocol.NamedAmount{Name: "window", Amount: o.Window},
		protocol.NamedAmount{Name: "downgrade", Amount: o.Downgrade},
		protocol.NamedAmount{Name: "resend", Amount: o.Resend},
	)
	if err != nil {
		return err
	}
	switch {
	case o.FreeFor != all && o.FreeFor != short:
		return problem.At("free_for", "free_for is %q", o.FreeFor).Mend("use %s or %s", all, short)
	case !(o.Life >= 1 && o.Life <= 1000):
		return problem.At("life", "life is %v", o.Life).Mend("it must be 100%% to 100000%%, since a token may have to wait for a packet")
	case o.Silence < unit.Microsecond:
		return problem.At("silence", "silence is %v", o.Silence).Mend("it must be at least 1us")
	}
	return tokens.CheckCutoffs(o.Cutoffs)
}

// Values of FreeFor.
const (
	all   = "all"
	short = "short"
)

// checkIn compares the options with the environment that they are to work in.
func (o Options) checkIn(env protocol.HostEnv) (warnings []string, err error) {
	if err := env.CheckControl(); err != nil {
		return nil, fmt.Errorf("phost: %w", err)
	}
	c := newConfig(o, env)
	if c.window < 1 {
		return nil, problem.At("window", "phost: window is %v, less than a packet of %v", o.Window, env.Packet).Mend("it must be at least that, as in 1BDP")
	}
	if err := env.CheckWait("silence", o.Silence); err != nil {
		return nil, fmt.Errorf("phost: %w", err)
	}
	// The window is in whole packets.
	if need := unit.Bytes(c.window) * env.Packet; env.LineRate.Transmit(need+env.Packet) < env.BaseRTT {
		warnings = append(warnings, fmt.Sprintf("phost: window is %v, below what the link carries in a base round-trip time, so a lone message is downgraded", need))
	}
	return warnings, nil
}

// config is what does not change while a host lives.
type config struct {
	messages  tokens.Config
	window    int       // tokens
	gap       unit.Time // between tokens
	downgrade unit.Time
	life      unit.Time
}

func newConfig(o Options, env protocol.HostEnv) *config {
	bdp := env.BDP
	if o.BDP != nil {
		bdp = *o.BDP
	}
	free := o.Free.Resolve(bdp, 0) / env.Packet * env.Payload
	packet := env.LineRate.Transmit(env.Packet)
	life := unit.Time(float64(o.Life) * float64(packet))
	c := &config{
		messages: tokens.Config{
			Payload: env.Payload, Header: env.Header, Control: env.Control, Packet: packet,
			FreeSize: unit.Unbounded, FreeAmount: free, FreeLife: life,
			Again: env.LineRate.Transmit(o.Resend.Resolve(bdp, 0)), Silence: o.Silence,
			Class: env.Class, Cutoffs: o.Cutoffs, Hosts: env.Hosts, Echo: env.Echo, Largest: env.Largest, RTT: env.BaseRTT,
		},
		window:    int(o.Window.Resolve(bdp, 0) / env.Packet),
		gap:       env.LineRate.Transmit(env.Packet + env.Control),
		downgrade: env.LineRate.Transmit(o.Downgrade.Resolve(bdp, 0)),
		life:      life,
	}
	if o.FreeFor == short {
		c.messages.FreeSize = free
	}
	if len(c.messages.Cutoffs) == 0 {
		c.messages.Cutoffs = []unit.Bytes{free}
	}
	return c
}

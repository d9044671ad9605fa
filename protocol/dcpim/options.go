package dcpim

import (
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

// Options are the parameters of dcPIM.
type Options struct {
	BDP        *unit.Bytes `yaml:"bdp" doc:"Bandwidth-delay product that the amounts below refer to (default: that of the fabric)." source:"dcPIM, published simulator (49 packets)" min:"1B"`
	ControlRTT *unit.Time  `yaml:"control_rtt" doc:"Round-trip time of a control packet, the unit of rounds (default: base RTT of the fabric)." source:"dcPIM; published simulator (5.2us)" min:"10ns"`

	Rounds    int        `yaml:"rounds" default:"4" min:"1" max:"64" doc:"Rounds of a matching phase, r." source:"dcPIM; published simulator"`
	Channels  int        `yaml:"channels" default:"4" min:"1" max:"64" doc:"Channels per link, k." source:"dcPIM; published simulator"`
	Beta      unit.Ratio `yaml:"beta" default:"130%" min:"100%" max:"1000%" doc:"Length of a round, in control round-trip times." source:"dcPIM; published simulator"`
	Alpha     unit.Ratio `yaml:"alpha" default:"100%" min:"100%" max:"10000%" doc:"Length of a data phase, in matching phases." source:"dcPIM, published simulator"`
	MinRounds int        `yaml:"min_rounds" default:"1" min:"0" max:"64" doc:"Number of first rounds that choose the message with the fewest bytes left; later rounds choose any." source:"dcPIM; published simulator"`

	Short         unit.Amount  `yaml:"short" default:"1BDP" doc:"Largest message sent at once, in bytes on the wire of whole packets." source:"dcPIM; published simulator"`
	TokenWindow   unit.Amount  `yaml:"token_window" default:"1BDP" doc:"Unanswered tokens, in bytes on the wire of packets, above which a receiver gives a message no more, with all channels matched to its sender; at most one more than these is outstanding. A shorter message of the same sender that comes between begins its own window." source:"dcPIM, published simulator"`
	WindowTimeout unit.Amount  `yaml:"window_timeout" default:"1.1BDP" doc:"Time after the last token until unanswered ones count as lost, as the time of so many bytes at line rate." source:"dcPIM, published simulator"`
	TokenResend   unit.Amount  `yaml:"token_resend" default:"1BDP" doc:"Time until the missing part of a message is requested again, once all of it has had tokens, as the time of so many bytes at line rate." source:"dcPIM, published simulator"`
	Cutoffs       []unit.Bytes `yaml:"cutoffs" default:"[]" doc:"Largest message of each priority level of data except the last (default: short)." source:"dcPIM; published simulator (7, 49, 343, 2401, 16807 packets)"`
	Padded        bool         `yaml:"padded" default:"false" doc:"Whether the last packet of a message is padded to the size of the others." source:"dcPIM, published simulator (all have 1500 B)"`
	Resend        unit.Time    `yaml:"resend" default:"1ms" min:"1us" doc:"Silence after which a sender announces a message again." source:"weft"`
}

// Entries returns dcPIM for a catalog of congestion controls.
func Entries() []catalog.Entry[protocol.CongestionControl] {
	return []catalog.Entry[protocol.CongestionControl]{
		catalog.Define("dcpim",
			"host transport: senders and receivers are matched in rounds before long messages are sent",
			"Cai et al., SIGCOMM 2022", Options.Build),
	}
}

// Build returns the transport. It fails if an option is out of bounds.
func (o Options) Build() (protocol.CongestionControl, error) {
	if err := o.check(); err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("dcpim: %w", err)
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
			Balancer: protocol.State("ops", "SIGCOMM 2022, §3: packets are sprayed"),
			Marking:  protocol.State(protocol.Unmarked, "SIGCOMM 2022, §3: matchings are the signal"),
			Queue:    protocol.State(protocol.Depth{BDPs: 7}, "published simulator: 500 kB at 100 Gb/s and 5.8 us"),
		},
		Host:   protocol.HostTraits{Silence: o.Resend, SilenceOption: "resend", Padded: o.Padded, CommonClock: true},
		Echoes: true,
	}, nil
}

func (o *Options) check() error {
	err := protocol.CheckAmounts("1BDP or 100KB",
		protocol.NamedAmount{Name: "short", Amount: o.Short},
		protocol.NamedAmount{Name: "token_window", Amount: o.TokenWindow},
		protocol.NamedAmount{Name: "window_timeout", Amount: o.WindowTimeout},
		protocol.NamedAmount{Name: "token_resend", Amount: o.TokenResend},
	)
	if err != nil {
		return err
	}
	switch {
	case o.Rounds < 1 || o.Rounds > 64:
		return problem.At("rounds", "rounds is %d", o.Rounds).Mend("it must be 1 to 64")
	case o.Channels < 1 || o.Channels > 64:
		return problem.At("channels", "channels is %d", o.Channels).Mend("it must be 1 to 64")
	case !(o.Beta >= 1 && o.Beta <= 10):
		return problem.At("beta", "beta is %v", o.Beta).Mend("it must be 100%% to 1000%%, since a request or grant takes half a round")
	case !(o.Alpha >= 1 && o.Alpha <= 100):
		return problem.At("alpha", "alpha is %v", o.Alpha).Mend("it must be 100%% to 10000%%, so that a matching is over when the next one begins")
	case o.MinRounds < 0:
		return problem.At("min_rounds", "min_rounds is %d", o.MinRounds).Mend("it must be at least 0")
	case o.ControlRTT != nil && *o.ControlRTT < 10*unit.Nanosecond:
		return problem.At("control_rtt", "control_rtt is %v", *o.ControlRTT).Mend("it must be at least 10ns")
	case o.Resend < unit.Microsecond:
		return problem.At("resend", "resend is %v", o.Resend).Mend("it must be at least 1us")
	}
	return tokens.CheckCutoffs(o.Cutoffs)
}

// checkIn compares the options with the environment that they are to work in.
func (o Options) checkIn(env protocol.HostEnv) (warnings []string, err error) {
	if err := env.CheckControl(); err != nil {
		return nil, fmt.Errorf("dcpim: %w", err)
	}
	c := newConfig(o, env)
	if c.perChannel < 1 {
		return nil, fmt.Errorf("dcpim: a channel carries less than a packet of %v in a data phase of %v; make channels fewer, or beta, alpha or rounds larger", env.Packet, c.period)
	}
	if err := env.CheckWait("resend", o.Resend); err != nil {
		return nil, fmt.Errorf("dcpim: %w", err)
	}
	// The window is in whole packets.
	if need := unit.Bytes(c.window) * env.Packet; env.LineRate.Transmit(need+env.Packet) < env.BaseRTT {
		warnings = append(warnings, fmt.Sprintf("dcpim: token_window is %v, below what the link carries in a base round-trip time, so a lone message cannot fill it", need))
	}
	if c.round < env.BaseRTT {
		warnings = append(warnings, fmt.Sprintf("dcpim: a round lasts %v, less than a base round-trip time of %v: requests and grants may come too late", c.round, env.BaseRTT))
	}
	return warnings, nil
}

// config is what does not change while a host lives.
type config struct {
	messages                    tokens.Config
	rounds, channels, minRounds int
	controlRTT                  unit.Time
	// round is the time of one, an even number; period that from one epoch to the next.
	round, period unit.Time
	// window is how many tokens may be without an answer with all channels.
	window        int
	windowTimeout unit.Time
	// perChannel is how many packets a channel carries in a data phase.
	perChannel int
}

func newConfig(o Options, env protocol.HostEnv) *config {
	bdp := env.BDP
	if o.BDP != nil {
		bdp = *o.BDP
	}
	short := o.Short.Resolve(bdp, 0) / env.Packet * env.Payload
	packet := env.LineRate.Transmit(env.Packet)
	c := &config{
		messages: tokens.Config{
			Payload: env.Payload, Header: env.Header, Control: env.Control, Packet: packet, Padded: o.Padded,
			FreeSize: short, FreeAmount: short, FreeLife: unit.Forever, FreeFirst: true,
			Again: env.LineRate.Transmit(o.TokenResend.Resolve(bdp, 0)), Silence: o.Resend,
			Class: env.Class, Cutoffs: o.Cutoffs, Hosts: env.Hosts, Echo: env.Echo, Largest: env.Largest, RTT: env.BaseRTT,
		},
		rounds: o.Rounds, channels: o.Channels, minRounds: o.MinRounds, controlRTT: env.BaseRTT,
		window:        int(o.TokenWindow.Resolve(bdp, 0) / env.Packet),
		windowTimeout: env.LineRate.Transmit(o.WindowTimeout.Resolve(bdp, 0)),
	}
	if len(c.messages.Cutoffs) == 0 {
		c.messages.Cutoffs = []unit.Bytes{short}
	}
	if o.ControlRTT != nil {
		c.controlRTT = *o.ControlRTT
	}
	c.round = unit.Time(float64(o.Beta)*float64(c.controlRTT)) / 2 * 2
	phase := unit.Time(o.Rounds) * c.round
	c.period = max(phase, unit.Time(float64(o.Alpha)*float64(phase)))
	c.perChannel = int(c.period / packet / unit.Time(o.Channels))
	return c
}

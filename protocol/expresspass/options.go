package expresspass

import (
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Presets.
const (
	// Paper is ExpressPass as the SIGCOMM 2017 paper has it.
	Paper = "paper"
	// SIRD is the port that SIRD's tables were made with.
	SIRD = "sird"
)

// Options are the parameters of ExpressPass.
type Options struct {
	Preset string `yaml:"preset" default:"paper" enum:"paper,sird" doc:"ExpressPass as in its paper, or as in its public code and SIRD's evaluation." source:"ExpressPass, SIGCOMM 2017; ns2-xpass; SIRD-Simulator"`

	Alpha      unit.Ratio  `yaml:"alpha" default:"6.25%" doc:"First credit rate of a flow, as a share of a link's maximum." source:"SIRD, NSDI 2025, Table 2 (1/16); ns2-xpass has 1/2" min:"0.001%" max:"100%"`
	WInit      unit.Ratio  `yaml:"w_init" default:"6.25%" doc:"First aggressiveness w of a flow." source:"SIRD, NSDI 2025, Table 2 (1/16); ns2-xpass has 1/2" min:"0.001%" max:"100%"`
	WMin       unit.Ratio  `yaml:"w_min" default:"1%" doc:"Least w." source:"Algorithm 1" min:"0.001%" max:"100%"`
	WMax       unit.Ratio  `yaml:"w_max" default:"50%" doc:"Largest w." source:"Algorithm 1" min:"0.001%" max:"100%"`
	WStep      *unit.Ratio `yaml:"w_step" doc:"Growth of w per step; 0% takes it half the way to w_max (default: 0% with preset paper, 5% with sird)." source:"Algorithm 1; ns2-xpass" max:"100%"`
	TargetLoss *unit.Ratio `yaml:"target_loss" doc:"Share of credits that may be lost before the rate falls (default: 10% with preset paper; with sird 12.5%, reduced by the rate's share of the maximum)." source:"Algorithm 1; ns2-xpass (1/8)" max:"100%"`

	Jitter    unit.Ratio  `yaml:"jitter" default:"10%" doc:"Pauses between credits vary at random by up to this share." source:"ns2-xpass" max:"99%"`
	CreditMin *unit.Bytes `yaml:"credit_min" doc:"Smallest size of a credit on the wire (default: 84B with preset paper, 76B with sird)." source:"§3.1; SIRD-Simulator" min:"1B" max:"65535B"`
	CreditMax unit.Bytes  `yaml:"credit_max" default:"92B" doc:"Largest size of a credit on the wire; sizes are uniform." source:"§3.1" min:"1B" max:"65535B"`

	Small     *int       `yaml:"small" doc:"Packets below which a flow's first rate is lower in proportion; 0 for never (default: 0 with preset paper, 40 with sird)." source:"ns2-xpass" min:"0" max:"100000"`
	EarlyStop *bool      `yaml:"early_stop" doc:"Whether a sender stops credits a round-trip time early, when those of the last one cover its remaining packets (default: no with preset paper, yes with sird)." source:"ns2-xpass"`
	Pool      *int       `yaml:"pool" doc:"Connections from each host to each other; each carries one message at a time, and messages wait while none is free. 0 gives every message its own (default: 0 with preset paper, 40 with sird)." source:"SIRD §6.2" min:"0" max:"65536"`
	Reply     *bool      `yaml:"reply" doc:"Whether a receiver answers a message with a packet that needs its own request and credit, or just with a control frame (default: no with preset paper, yes with sird)." source:"SIRD-Simulator"`
	ReplySize unit.Bytes `yaml:"reply_size" default:"4B" doc:"Payload of such an answer, which is one packet." source:"SIRD-Simulator" min:"1B"`
	Retry     unit.Time  `yaml:"retry" default:"100us" doc:"Time without an answer after which a sender asks again." source:"ns2-xpass" min:"1us"`
	RetryMax  unit.Time  `yaml:"retry_max" default:"0s" doc:"Longest time after which a sender asks again: waits double up to it. 0s means 64 times retry with preset paper, and retry with sird, where waits stay the same." source:"ns2-xpass"`
}

// Entries returns ExpressPass for a catalog of congestion controls.
func Entries() []catalog.Entry[protocol.CongestionControl] {
	return []catalog.Entry[protocol.CongestionControl]{
		catalog.Define("expresspass",
			"host transport: ports let credits through at the rate of the data that they bring; needs fabric.credits and balancer ecmp",
			"Cho, Jang, Han, SIGCOMM 2017", Options.Build).Alias("xpass"),
	}
}

// Build returns the transport. It fails if an option is out of bounds.
func (o Options) Build() (protocol.CongestionControl, error) {
	if err := o.check(); err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("expresspass: %w", err)
	}
	return protocol.CongestionControl{
		NewHost: func(env protocol.HostEnv) protocol.HostTransport {
			return newHost(newConfig(o, env), env)
		},
		CheckHost: func(env protocol.HostEnv) (warnings []string, err error) { return nil, o.checkIn(env) },
		Receivers: o.key(),
		Settings:  o.settings,
		Needs:     protocol.Needs{Must: protocol.Credits | protocol.Symmetric, Classes: 2},
		Setup: protocol.Setup{
			Balancer: protocol.State("ecmp", "SIGCOMM 2017, §3.1: data retrace the path of credits"),
			Marking:  protocol.State(protocol.Unmarked, "SIGCOMM 2017, §3: lost credits are the signal"),
			Queue:    protocol.State(protocol.Deep, "SIRD-Simulator: never full"),
		},
		Host: o.traits(),
	}, nil
}

func (o *Options) traits() protocol.HostTraits {
	traits := protocol.HostTraits{
		MostControl: o.CreditMax,
		Recovery:    4 * max(o.rarely(), o.key().retryMax),
		Silence:     o.Retry, SilenceOption: "retry",
	}
	if o.Preset == SIRD { // whose retry is for requests, and no option is for this alone
		traits.Silence, traits.SilenceOption = o.rarely(), ""
	}
	return traits
}

// config is what all flows of a host share.
type config struct {
	alpha, wInit, wMin, wMax, wStep float64
	targetLoss, mostRate            float64
	// sird tells that this is the port that SIRD's tables were made with, where no option
	// says in what it differs.
	sird                 bool
	small                int64
	jitter               float64
	creditMin, creditMax unit.Bytes
	earlyStop, reply     bool
	replySize            unit.Bytes
	pool                 int
	retry, retryMax      unit.Time
	// rarely is how often a sender asks for what is only missing if something was lost, where
	// the public simulator does not ask at all, and silence the least time for which credits
	// stay away before it asks for more.
	rarely, silence unit.Time

	payload, header, control unit.Bytes
	hosts                    int32
	largest                  unit.Bytes // message that is received; 0 is no limit, as where all hosts are trusted
	class                    uint8      // of all but credits
	rate                     unit.Rate
	credits                  protocol.CreditClass
	// gap is the pause between credits of the mean size at the highest rate.
	gap unit.Time
	rtt unit.Time // without load
}

func newConfig(o Options, env protocol.HostEnv) *config {
	k := o.key()
	c := &config{
		alpha: float64(o.Alpha), wInit: float64(o.WInit), wMin: float64(o.WMin), wMax: float64(o.WMax), wStep: float64(k.wStep),
		targetLoss: float64(k.target), sird: o.Preset == SIRD, mostRate: 1,
		small: int64(k.small), jitter: float64(o.Jitter), creditMin: k.creditMin, creditMax: o.CreditMax,
		earlyStop: k.earlyStop, reply: k.reply, replySize: o.ReplySize, pool: k.pool, retry: k.retry, retryMax: k.retryMax, rarely: o.rarely(),
		payload: env.Payload, header: env.Header, control: env.Control, hosts: env.Hosts, largest: env.Largest, class: env.Class + 1,
		rate: env.LineRate, credits: env.Credits, rtt: env.BaseRTT,
	}
	c.silence = c.retry
	if c.sird {
		c.silence = c.rarely
	}
	if !c.sird {
		c.mostRate = 1 + c.targetLoss
	}
	c.gap = c.credits.Cost(c.rate, c.creditMin+c.creditMax) / 2
	return c
}

// mostOpen is how many messages of a host that is not trusted are received at once. Each takes time for its credits.
func (c *config) mostOpen() int { return 1024 + 2*c.pool }

// mostAnswers is how many answers to such a host wait for its credits at once. Those on top are confirmed by a control frame.
func (c *config) mostAnswers() int { return 64 + 2*c.pool }

// key is all options with what is absent filled in, for comparison.
type key struct {
	preset                          string
	alpha, wInit, wMin, wMax, wStep unit.Ratio
	target, jitter                  unit.Ratio
	creditMin, creditMax            unit.Bytes
	small, pool                     int
	earlyStop, reply                bool
	replySize                       unit.Bytes
	retry, retryMax                 unit.Time
}

func (o *Options) key() key {
	sird := o.Preset == SIRD
	k := key{
		preset: o.Preset, alpha: o.Alpha, wInit: o.WInit, wMin: o.WMin, wMax: o.WMax,
		target: 0.1, jitter: o.Jitter, creditMin: 84, creditMax: o.CreditMax, earlyStop: sird, reply: sird, replySize: o.ReplySize,
		retry: o.Retry, retryMax: o.RetryMax,
	}
	if sird {
		k.wStep, k.target, k.creditMin, k.small, k.pool = 0.05, 0.125, 76, 40, 40
	}
	if k.retryMax == 0 {
		k.retryMax = o.rarely()
		if sird {
			k.retryMax = o.Retry
		}
	}
	given(&k.wStep, o.WStep)
	given(&k.target, o.TargetLoss)
	given(&k.creditMin, o.CreditMin)
	given(&k.small, o.Small)
	given(&k.pool, o.Pool)
	given(&k.earlyStop, o.EarlyStop)
	given(&k.reply, o.Reply)
	return k
}

// rarely is 64 times retry.
func (o *Options) rarely() unit.Time { return min(o.Retry, unit.Forever/64) * 64 }

// given sets a value to an option that is not absent.
func given[T any](value, option *T) {
	if option != nil {
		*value = *option
	}
}

// leastShare is the least alpha and w. A flow that begins so slowly sends its second credit 13 ms
// after the first at 100 Gb/s, which is longer than most simulations.
const leastShare = 1e-5

func (o *Options) check() error {
	k := o.key()
	for _, r := range []struct {
		name  string
		value unit.Ratio
	}{{"alpha", o.Alpha}, {"w_init", o.WInit}, {"w_min", o.WMin}, {"w_max", o.WMax}} {
		if !(r.value >= leastShare && r.value <= 1) {
			return fmt.Errorf("%s is %v; it must be 0.001%% to 100%%", r.name, r.value)
		}
	}
	switch {
	case o.Preset != Paper && o.Preset != SIRD:
		return problem.At("preset", "preset is %q", o.Preset).Mend("use %s or %s", Paper, SIRD)
	case o.WMin > o.WMax || o.WInit > o.WMax || o.WInit < o.WMin:
		return fmt.Errorf("w begins at %v, between %v and %v; write w_min, w_init and w_max that rise", o.WInit, o.WMin, o.WMax)
	case !(k.wStep >= 0 && k.wStep <= 1):
		return problem.At("w_step", "w_step is %v", k.wStep).Mend("it must be 0%% to 100%%")
	case !(k.target >= 0 && k.target <= 1):
		return problem.At("target_loss", "target_loss is %v", k.target).Mend("it must be 0%% to 100%%")
	case !(o.Jitter >= 0 && o.Jitter < 1):
		return problem.At("jitter", "jitter is %v", o.Jitter).Mend("it must be 0%% to 99%%, so that pauses are never 0")
	case k.creditMin < 1 || k.creditMin > o.CreditMax:
		return fmt.Errorf("credits are %v to %v; write a credit_max that is not below credit_min", k.creditMin, o.CreditMax)
	case k.small < 0 || k.pool < 0 || k.pool > 1<<16:
		return problem.At("small", "small is %d and pool %d", k.small, k.pool).Mend("small must not be negative, and pool be 0 to 65536")
	case o.ReplySize < 1:
		return problem.At("reply_size", "reply_size is %v", o.ReplySize).Mend("it must be at least 1B")
	case o.Retry < unit.Microsecond:
		return problem.At("retry", "retry is %v", o.Retry).Mend("it must be at least 1us")
	case k.retryMax < o.Retry:
		return problem.At("retry_max", "retry_max is %v and retry %v", o.RetryMax, o.Retry).Mend("write a retry_max that is not below retry, or 0s for that of the preset")
	}
	return nil
}

// checkIn compares the options with the environment that they are to work in.
func (o *Options) checkIn(env protocol.HostEnv) error {
	classes := max(2, env.Classes)
	switch {
	case !env.Credits.On():
		return fmt.Errorf("expresspass: ports have no class for credits; write fabric: {classes: %d, credits: {data: %v}}", classes, env.Packet)
	case env.Packet > env.Credits.Data:
		return problem.At("", "expresspass: a credit brings %v of data, but full frames are %v (transport.payload and header)", env.Credits.Data, env.Packet).
			Mend("write fabric: {classes: %d, credits: {data: %v}}", classes, env.Packet).Due("transport.payload")
	case o.ReplySize > env.Payload:
		return fmt.Errorf("expresspass: an answer of %v does not fit a packet, which takes %v; make reply_size smaller", o.ReplySize, env.Payload)
	case o.CreditMax > env.Credits.Queue:
		return fmt.Errorf("expresspass: credits of up to %v do not fit a queue of %v; make fabric.credits.queue larger", o.CreditMax, env.Credits.Queue)
	}
	return nil
}

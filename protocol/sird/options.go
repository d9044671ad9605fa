package sird

import (
	"fmt"
	"math"
	"slices"

	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Presets.
const (
	// Paper is Algorithms 1 and 2 as printed.
	Paper = "paper"
	// NSDI25 is what the public simulator does that the paper's tables were made with.
	NSDI25 = "nsdi25"
)

// Options are the parameters of SIRD.
type Options struct {
	Preset string `yaml:"preset" default:"paper" enum:"paper,nsdi25" doc:"Algorithms 1 and 2 as printed, or as in the public simulator that made the paper's tables." source:"SIRD, NSDI 2025, §4.3; SIRD-Simulator"`

	BDP          *unit.Bytes    `yaml:"bdp" doc:"Bandwidth-delay product that the amounts below refer to (default: that of the fabric)." source:"SIRD §6.2, Table 2 (100 KB)" min:"1B"`
	B            unit.Amount    `yaml:"b" default:"1.5BDP" doc:"Global bucket: credit in wire bytes that a receiver may have outstanding." source:"SIRD §4.1, Table 2"`
	SenderBucket unit.Amount    `yaml:"sender_bucket" default:"1BDP" doc:"Largest bucket per sender: credit that a receiver may have outstanding with it." source:"SIRD §4.1"`
	UnschT       unit.Threshold `yaml:"unscht" default:"1BDP" doc:"Largest message sent without waiting for credit, up to 1 BDP of it; 0 schedules all messages, inf none." source:"SIRD §4, Table 2"`
	SThr         unit.Threshold `yaml:"sthr" default:"0.5BDP" doc:"Credit at a sender from which (paper) or above which (nsdi25) it marks its data (csn); inf for never." source:"SIRD §4.2, Table 2"`

	Gain        unit.Ratio  `yaml:"gain" default:"8%" min:"0.1%" max:"100%" doc:"Weight of the newest ratio of marks in both control loops." source:"SIRD, Table 2 (g of DCTCP)"`
	SenderFloor unit.Amount `yaml:"sender_floor" default:"0.1BDP" doc:"Smallest bucket of the loop for congested senders." source:"SIRD-Simulator"`
	NetFloor    unit.Amount `yaml:"net_floor" default:"0.03BDP" doc:"Smallest bucket of the loop for the network." source:"SIRD-Simulator"`

	Policy    string      `yaml:"policy" default:"srpt" enum:"srpt,round-robin,classes" doc:"Whom a receiver grants to: the message with the fewest bytes left, senders in turn, or tenants by weight." source:"SIRD §4.4"`
	Weights   []int       `yaml:"weights" default:"[]" doc:"With policy: classes, the weights of the traffic groups, each 1 to 1000, in their order; the replies and the background of a group directly follow it (default: 1)." source:"SIRD §4.4"`
	FairShare unit.Ratio  `yaml:"fair_share" default:"50%" max:"100%" doc:"Share of its uplink that a sender divides equally among receivers; the rest goes to the message with the fewest bytes left." source:"SIRD §4.4; SIRD-Simulator"`
	Pace      *unit.Ratio `yaml:"pace" doc:"Share of its line rate that a receiver grants (default: 99% with preset paper, 100% with nsdi25)." source:"SIRD §5 (slightly below line rate)" min:"1%" max:"100%"`
	Priority  string      `yaml:"priority" default:"control+unscheduled" enum:"none,control,control+unscheduled" doc:"What travels in the class before that of scheduled data." source:"SIRD §4.4"`
	Lift      bool        `yaml:"lift" default:"false" doc:"Whether data of the message that a sender's SRPT prefers raises the sender's bucket to its ceiling, so that a congested sender has credit for its shortest message." source:"SIRD-Simulator, whose published settings have it off; not in the paper"`
	Confirm   bool        `yaml:"confirm" default:"true" doc:"Whether a receiver answers each complete message with a control frame, as with the 4-byte replies of the evaluation. Without, a sender is done when all is sent; if any of it is lost, the message never completes." source:"SIRD-Simulator; weft"`
	Reclaim   *bool       `yaml:"reclaim" doc:"Whether the credit of a lost packet can be granted again as soon as the loss is known, and not only when the packet's copy arrives (default: true with preset paper, false with nsdi25)." source:"SIRD §4.4; weft"`
	Silence   unit.Time   `yaml:"silence" default:"5ms" min:"1us" doc:"Time without new packets after which granted data is requested again." source:"SIRD §4.4 (a few milliseconds)"`
}

// Entries returns SIRD for a catalog of congestion controls.
func Entries() []catalog.Entry[protocol.CongestionControl] {
	return []catalog.Entry[protocol.CongestionControl]{
		catalog.Define("sird",
			"host transport: receivers grant credit, informed by senders and the core",
			"Prasopoulos et al., NSDI 2025", Options.Build),
	}
}

// Build returns the transport. It fails if an option is out of bounds.
func (o Options) Build() (protocol.CongestionControl, error) {
	if err := o.check(); err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("sird: %w", err)
	}
	classes := 2
	if o.Priority == "none" {
		classes = 1
	}
	return protocol.CongestionControl{
		NewHost:   func(env protocol.HostEnv) protocol.HostTransport { return newHost(newConfig(o, env), env) },
		CheckHost: o.checkIn,
		Receivers: o,
		Settings:  o.settings,
		Host:      protocol.HostTraits{Silence: o.Silence, SilenceOption: "silence", Groups: len(o.Weights), Fullest: fullest()},
		Echoes:    true,
		Needs: protocol.Needs{Classes: classes, FewerClasses: true, OneClass: "priority: none", Wants: []protocol.Want{
			{Need: protocol.DeepQueues, Without: protocol.LateLosses},
			{Need: protocol.Marks, Without: "does not notice congestion between switches, since the loop for the network needs marks"},
		}},
		Setup: protocol.Setup{
			Balancer: protocol.State("ops", "NSDI 2025, §6.2: packets are sprayed"),
			Marking:  protocol.State(core(), "NSDI 2025, Table 2 (NThr), between switches as in SIRD-Simulator"),
			Queue:    protocol.State(protocol.Deep, "SIRD-Simulator: never full"),
		},
	}, nil
}

// fullest has what sendData fills.
func fullest() protocol.Packet {
	return protocol.Packet{
		Wire: math.MaxUint16, Tag: math.MaxUint64, Message: math.MaxUint32, Size: math.MaxInt64, Amount: math.MaxInt64, Offset: math.MaxInt64,
		Number: math.MaxUint32, Extra: math.MaxUint32,
	}
}

func (o *Options) check() error {
	err := protocol.CheckAmounts("1.5BDP or 150KB",
		protocol.NamedAmount{Name: "b", Amount: o.B},
		protocol.NamedAmount{Name: "sender_bucket", Amount: o.SenderBucket},
		protocol.NamedAmount{Name: "unscht", Amount: o.UnschT.Amount},
		protocol.NamedAmount{Name: "sthr", Amount: o.SThr.Amount},
		protocol.NamedAmount{Name: "sender_floor", Amount: o.SenderFloor},
		protocol.NamedAmount{Name: "net_floor", Amount: o.NetFloor},
	)
	if err != nil {
		return err
	}
	switch {
	case o.Preset != Paper && o.Preset != NSDI25:
		return problem.At("preset", "preset is %q", o.Preset).Mend("use %s or %s", Paper, NSDI25)
	case !slices.Contains([]string{"srpt", "round-robin", "classes"}, o.Policy):
		return problem.At("policy", "policy is %q", o.Policy).Mend("use srpt, round-robin or classes")
	case !slices.Contains([]string{"none", "control", "control+unscheduled"}, o.Priority):
		return problem.At("priority", "priority is %q", o.Priority).Mend("use none, control or control+unscheduled")
	case !o.SThr.Inf && o.SThr.Amount == (unit.Amount{}):
		return problem.At("sthr", "sthr is 0, so every sender with any credit is congested").Mend("it must be above 0, as in 0.5BDP, or inf")
	case !(o.Gain > 0 && o.Gain <= 1):
		return problem.At("gain", "gain is %v", o.Gain).Mend("it must be above 0%% and at most 100%%")
	case !(o.FairShare >= 0 && o.FairShare <= 1):
		return problem.At("fair_share", "fair_share is %v", o.FairShare).Mend("it must be 0%% to 100%%")
	case o.Pace != nil && !(*o.Pace >= 0.01 && *o.Pace <= 1):
		return problem.At("pace", "pace is %v", *o.Pace).Mend("it must be 1%% to 100%%")
	case o.Silence < unit.Microsecond:
		return problem.At("silence", "silence is %v", o.Silence).Mend("it must be at least 1us")
	case len(o.Weights) > 0 && o.Policy != "classes":
		return problem.At("weights", "weights have no effect with policy: %s", o.Policy).Mend("write policy: classes, or remove them")
	case len(o.Weights) > mostClasses:
		return fmt.Errorf("there are %d weights; at most %d are allowed", len(o.Weights), mostClasses)
	}
	for _, w := range o.Weights {
		if w < 1 || w > 1000 {
			return problem.At("weights", "weights must be 1 to 1000 each, but one is %d", w)
		}
	}
	return nil
}

// checkIn compares the options with the environment that they are to work in.
func (o Options) checkIn(env protocol.HostEnv) (warnings []string, err error) {
	c := newConfig(o, env)
	switch {
	case c.b < c.packet:
		return nil, problem.At("b", "sird: b is %v, less than one frame of %v, so nothing is ever granted", c.b, c.packet).Mend("it must be at least that")
	case c.bucket < c.packet:
		return nil, problem.At("sender_bucket", "sird: sender_bucket is %v, less than one frame of %v, so nothing is ever granted", c.bucket, c.packet).Mend("it must be at least that")
	case c.sThr < 1:
		return nil, problem.At("sthr", "sird: sthr is %v, less than a byte with a bdp of %v, so every sender with any credit is congested", o.SThr, c.bdp).Mend("it must be at least 1B, as in 0.5BDP, or inf")
	}
	if err := env.CheckControl(); err != nil {
		return nil, fmt.Errorf("sird: %w", err)
	}
	if err := env.CheckWait("silence", o.Silence); err != nil {
		return nil, fmt.Errorf("sird: %w", err)
	}
	switch held := c.sThr / 2; { // Equation 2 with one sender (k) and two receivers (f)
	case c.b < c.bdp:
		warnings = append(warnings, fmt.Sprintf("sird: b is %v, below 1 BDP of %v: a receiver cannot keep its downlink busy with scheduled data", c.b, c.bdp))
	case c.b < env.BDP:
		warnings = append(warnings, fmt.Sprintf("sird: b is %v by a bdp of %v, below 1 BDP of the fabric, %v: a receiver cannot keep its downlink busy with scheduled data", c.b, c.bdp, env.BDP))
	case !o.SThr.Inf && c.b < c.bdp+held:
		warnings = append(warnings, fmt.Sprintf("sird: b is %v: to keep its downlink busy, a receiver needs %v (BDP + sthr/2, Equation 2) beside one congested sender, and %v (BDP + sthr, Equation 3) beside any number", c.b, c.bdp+held, c.bdp+c.sThr))
	}
	if most := max(c.bdp, env.BDP); c.bucket > most {
		warnings = append(warnings, fmt.Sprintf("sird: sender_bucket is %v, above 1 BDP of %v, the most in the paper (§4.1): one message already fills the path with that, and more waits at its sender or in queues", c.bucket, most))
	}
	if !c.confirm && env.Queue > 0 {
		warnings = append(warnings, fmt.Sprintf("sird: with confirm: false a sender forgets what it has sent: if a queue of %v drops any packet, its message never completes; write confirm: true, or fabric: {queue: infinite}", env.Queue))
	}
	if c.sThr < c.packet {
		warnings = append(warnings, fmt.Sprintf("sird: sthr is %v, below one frame of %v: a sender marks its data whenever it has credit for a packet", c.sThr, c.packet))
	}
	if c.atLeastPacket(c.senderFloor) > c.bucket || c.atLeastPacket(c.netFloor) > c.bucket {
		warnings = append(warnings, fmt.Sprintf("sird: a floor is above sender_bucket, %v, so its control loop never cuts", c.bucket))
	}
	return warnings, nil
}

// mostClasses is how many tenants can be told apart, which is that of groups of traffic.
const mostClasses = 32

// Policies of a receiver.
type policy uint8

const (
	srpt policy = iota
	roundRobin
	classes
)

// one is 1 in the fixed point of deficits.
const one int64 = 1 << 20

// config is what does not change while a host lives.
type config struct {
	paper bool
	// Wire bytes.
	bdp, b, bucket, unschT, sThr unit.Bytes
	senderFloor, netFloor        unit.Bytes
	payload, header, packet      unit.Bytes
	control                      unit.Bytes

	gain   float64
	policy policy
	weight [mostClasses]uint64
	fair   int64
	rate   unit.Rate // of credit
	line   unit.Rate // of the wire
	ahead  unit.Time // by which credit may be early

	// Classes: of control, of unscheduled and of scheduled data.
	controlClass, unschedClass, schedClass uint8

	confirm, lift bool
	reclaims      bool // the credit of what is lost as soon as that is known
	echo          protocol.GroupSet
	silence       unit.Time
	hosts         int32
	largest       unit.Bytes // message that is taken
}

func newConfig(o Options, env protocol.HostEnv) *config {
	bdp := env.BDP
	if o.BDP != nil {
		bdp = *o.BDP
	}
	c := &config{
		paper: o.Preset == Paper, bdp: bdp,
		b: o.B.Resolve(bdp, 0), bucket: o.SenderBucket.Resolve(bdp, 0),
		unschT: o.UnschT.Resolve(bdp), sThr: o.SThr.Resolve(bdp),
		senderFloor: o.SenderFloor.Resolve(bdp, 0), netFloor: o.NetFloor.Resolve(bdp, 0),
		payload: env.Payload, header: env.Header, packet: env.Packet, control: env.Control,
		gain: float64(o.Gain), fair: int64(math.Round(float64(o.FairShare) * float64(one))),
		confirm: o.Confirm, echo: env.Echo, lift: o.Lift, silence: o.Silence, hosts: env.Hosts, largest: env.Largest,
	}
	if c.largest == 0 {
		c.largest = math.MaxInt64
	}
	c.reclaims = c.paper
	if o.Reclaim != nil {
		c.reclaims = *o.Reclaim
	}
	pace := unit.Ratio(1)
	if c.paper {
		pace = 0.99
	}
	if o.Pace != nil {
		pace = *o.Pace
	}
	c.rate, c.line = max(1, unit.Rate(float64(env.LineRate)*float64(pace))), env.LineRate
	if !c.paper {
		c.ahead = c.rate.Transmit(aheadBytes)
	}
	switch o.Policy {
	case "round-robin":
		c.policy = roundRobin
	case "classes":
		c.policy = classes
	}
	for k := range c.weight {
		c.weight[k] = 1
		if k < len(o.Weights) {
			c.weight[k] = uint64(o.Weights[k])
		}
	}
	c.controlClass, c.unschedClass, c.schedClass = env.Class, env.Class, env.Class
	switch o.Priority {
	case "control":
		c.unschedClass, c.schedClass = env.Class+1, env.Class+1
	case "control+unscheduled":
		c.schedClass = env.Class + 1
	}
	return c
}

// aheadBytes is what nsdi25 lets remain of the last credit when the next one goes.
const aheadBytes unit.Bytes = 562

// cost is the credit that a packet takes.
func (c *config) cost(payload unit.Bytes) unit.Bytes { return max(c.control, payload+c.header) }

// total is the credit that a message's bytes up to an offset take, which is a multiple
// of the payload of a packet or the end of a message.
func (c *config) total(payload unit.Bytes) unit.Bytes {
	sum := payload / c.payload * c.packet
	if rest := payload % c.payload; rest > 0 {
		sum += c.cost(rest)
	}
	return sum
}

// atLeastPacket keeps a floor at one packet at least.
func (c *config) atLeastPacket(floor unit.Bytes) unit.Bytes { return max(floor, c.packet) }

// core is the law of marking at 1.25 BDP between switches: receivers manage their own downlinks.
func core() protocol.Law {
	law := protocol.Step(unit.Amount{BDPs: 1.25})
	law.Core = true
	return law
}

package homa

import (
	"errors"
	"fmt"
	"sync"

	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
	"weft/workload"
)

// Presets.
const (
	// Paper is Homa as the SIGCOMM 2018 paper has it.
	Paper = "paper"
	// SIRD is the port that SIRD's tables were made with.
	SIRD = "sird"
)

// Options are the parameters of Homa.
type Options struct {
	Preset string `yaml:"preset" default:"paper" enum:"paper,sird" doc:"Homa as in its paper, or as in SIRD's evaluation. There, senders keep their levels when others leave, unscheduled levels follow the bytes left, and nothing is resent." source:"Homa, SIGCOMM 2018; SIRD-Simulator"`

	BDP         *unit.Bytes  `yaml:"bdp" doc:"Bandwidth-delay product that the amounts below refer to (default: that of the fabric)." source:"SIRD §6.2, Table 2 (100 KB)" min:"1B"`
	RTTBytes    unit.Amount  `yaml:"rtt_bytes" default:"1BDP" doc:"Bytes on the wire of a message that a receiver keeps in flight." source:"Homa §3.3"`
	Unscheduled *unit.Amount `yaml:"unscheduled" doc:"Payload of a message that is sent without waiting for grants (default: rtt_bytes)." source:"Homa §3.3"`

	Priorities    int                `yaml:"priorities" default:"8" min:"2" max:"8" doc:"Priority levels, that is classes of the ports." source:"Homa §3.4"`
	Scheduled     *int               `yaml:"scheduled" doc:"Levels for scheduled packets (default: the scheduled share of bytes according to sizes; without sizes, all levels but one)." source:"Homa §3.4; SIRD-Simulator (5 for WKa, 7 for WKb and WKc)" min:"1" max:"7"`
	Overcommit    *int               `yaml:"overcommit" doc:"Senders that a receiver grants to at a time, k (default: the number of scheduled levels). With 3 or more, messages of equal size that arrive together end together, as the paper's rules require; with 1 or 2, one after another." source:"Homa §3.5" min:"1" max:"1000"`
	ShareLevels   bool               `yaml:"share_levels" default:"false" doc:"Whether overcommit may exceed the scheduled levels; the senders in excess then share the lowest." source:"weft"`
	TailBoost     unit.Amount        `yaml:"tail_boost" default:"0B" doc:"Scheduled bytes on the wire at the end of a message that use unscheduled levels, if those are better." source:"published simulator of Homa (1 BDP there)"`
	UnscheduledBy *string            `yaml:"unscheduled_by" enum:"size,left" doc:"What sets an unscheduled level: the size of the message, or the bytes left when a packet is sent (default: size with preset paper, left with sird)." source:"Homa §3.4; SIRD-Simulator"`
	Cutoffs       []unit.Bytes       `yaml:"cutoffs" default:"[]" doc:"Largest size, or bytes left, of each unscheduled level except the last." source:"Homa §3.4"`
	Sizes         *workload.SizeSpec `yaml:"sizes" doc:"Distribution of message sizes, from which cutoffs are computed. A size between rows of a table counts as the upper row's." source:"Homa §3.4"`

	Saved   unit.Bytes `yaml:"saved" default:"14B" min:"0B" max:"255B" doc:"Bytes of header that scheduled packets save and use for payload." source:"published simulator of Homa (headers of 30 and 16 B)"`
	Resend  *unit.Time `yaml:"resend" doc:"Silence after which a receiver asks for what is missing; 0s for never (default: 5ms with preset paper, never with sird)." source:"Homa §3.7 (a few milliseconds); Linux module"`
	Confirm bool       `yaml:"confirm" default:"true" doc:"Whether a receiver answers each complete message: with a control frame, or with preset sird with a reply of 4 bytes. Without, a sender is done when all is sent." source:"SIRD-Simulator; weft"`
}

// Entries returns Homa for a catalog of congestion controls.
func Entries() []catalog.Entry[protocol.CongestionControl] {
	return []catalog.Entry[protocol.CongestionControl]{
		catalog.Define("homa",
			"host transport: receivers grant to the shortest messages of a few senders, by priorities of switches",
			"Montazeri et al., SIGCOMM 2018", Options.Build),
	}
}

// Build returns the transport. It fails if an option is out of bounds or the sizes
// cannot be read.
func (o Options) Build() (protocol.CongestionControl, error) {
	if err := o.check(); err != nil {
		return protocol.CongestionControl{}, fmt.Errorf("homa: %w", err)
	}
	w, err := o.workload()
	if err != nil {
		return protocol.CongestionControl{}, problem.At("sizes", "homa: sizes: %w", err)
	}
	traits := protocol.HostTraits{Silence: o.resend(), SilenceOption: "resend", ControlClass: true}
	traits.Lighter[kindScheduled] = uint8(o.Saved)
	known := configs{options: o, workload: w, made: map[protocol.HostEnv]*config{}}
	return protocol.CongestionControl{
		NewHost: func(env protocol.HostEnv) protocol.HostTransport {
			return newHost(known.get(env), env)
		},
		CheckHost: func(env protocol.HostEnv) (warnings []string, err error) {
			c := known.get(env)
			return o.warn(c, env), o.checkIn(c, env)
		},
		Receivers: o,
		Settings:  func(env protocol.HostEnv) []protocol.Setting { return known.get(env).settings() },
		Needs: protocol.Needs{
			Classes: o.Priorities, FewerClasses: true,
			Wants: []protocol.Want{{Need: protocol.DeepQueues, Without: protocol.LateLosses}},
		},
		Setup: protocol.Setup{
			Balancer: protocol.State("ops", "SIGCOMM 2018, §4: packets are sprayed"),
			Marking:  protocol.State(protocol.Unmarked, "SIGCOMM 2018, §3: grants are the signal"),
			Queue:    protocol.State(protocol.Deep, "SIGCOMM 2018, §3.5: buffers that hardly ever overflow"),
		},
		Host:   traits,
		Echoes: true,
	}, nil
}

// configs makes each configuration once, since computing cutoffs takes some time.
type configs struct {
	mu       sync.Mutex
	options  Options
	workload []workload.Row
	made     map[protocol.HostEnv]*config
}

func (k *configs) get(env protocol.HostEnv) *config {
	env.Rand, env.Out, env.Host = nil, nil, 0
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.made[env]
	if c == nil {
		c = newConfig(k.options, k.workload, env)
		k.made[env] = c
	}
	return c
}

// AssumedSizes are the sizes of messages that cutoffs are computed from, nil if none are given.
func (o *Options) AssumedSizes() *workload.SizeSpec { return o.Sizes }

// WithoutSizes says what becomes of priorities where neither sizes nor anything in their place is given, "" if that is fine.
func (o *Options) WithoutSizes() string {
	if o.Sizes != nil || len(o.Cutoffs) > 0 || o.Scheduled != nil || o.Priorities <= 2 {
		return ""
	}
	return fmt.Sprintf("without sizes or cutoffs all unscheduled packets share one level, and %d are for scheduled ones", o.Priorities-1)
}

func (o *Options) workload() ([]workload.Row, error) {
	if o.Sizes == nil {
		return nil, nil
	}
	s, err := o.Sizes.Load()
	if err != nil {
		return nil, err
	}
	return workload.Rows(s), nil
}

func (o *Options) by() string {
	switch {
	case o.UnscheduledBy != nil:
		return *o.UnscheduledBy
	case o.Preset == SIRD:
		return "left"
	}
	return "size"
}

// resend is the silence after which receivers ask, or 0.
func (o *Options) resend() unit.Time {
	switch {
	case o.Resend != nil:
		return *o.Resend
	case o.Preset == SIRD:
		return 0
	}
	return 5 * unit.Millisecond
}

func (o *Options) check() error {
	amounts := []protocol.NamedAmount{{Name: "rtt_bytes", Amount: o.RTTBytes}, {Name: "tail_boost", Amount: o.TailBoost}}
	if o.Unscheduled != nil {
		amounts = append(amounts, protocol.NamedAmount{Name: "unscheduled", Amount: *o.Unscheduled})
	}
	if err := protocol.CheckAmounts("1BDP or 100KB", amounts...); err != nil {
		return err
	}
	switch {
	case o.Preset != Paper && o.Preset != SIRD:
		return problem.At("preset", "preset is %q", o.Preset).Mend("use %s or %s", Paper, SIRD)
	case o.Priorities < 2 || o.Priorities > 8:
		return problem.At("priorities", "priorities is %d", o.Priorities).Mend("it must be 2 to 8, the most classes that ports have")
	case o.Scheduled != nil && (*o.Scheduled < 1 || *o.Scheduled >= o.Priorities):
		return problem.At("scheduled", "scheduled is %d of %d priorities", *o.Scheduled, o.Priorities).Mend("it must be 1 to %d, so that one is left for unscheduled packets", o.Priorities-1)
	case o.Overcommit != nil && *o.Overcommit < 1:
		return problem.At("overcommit", "overcommit is %d", *o.Overcommit).Mend("it must be at least 1")
	case o.by() != "size" && o.by() != "left":
		return problem.At("unscheduled_by", "unscheduled_by is %q", o.by()).Mend("use size or left")
	case o.Saved < 0 || o.Saved > 255:
		return problem.At("saved", "saved is %v", o.Saved).Mend("it must be 0B to 255B")
	case o.resend() < 0 || o.resend() > 0 && o.resend() < unit.Microsecond:
		return problem.At("resend", "resend is %v", o.resend()).Mend("it must be at least 1us, or 0s for never")
	case o.resend() > 0 && !o.Confirm:
		return errors.New("without confirmations a sender forgets what it has sent, so nothing can be resent; write resend: 0s, or confirm: true")
	case o.Sizes != nil && len(o.Cutoffs) > 0:
		return problem.At("cutoffs", "cutoffs and sizes both set the levels of unscheduled packets").Mend("give one of them")
	case o.Scheduled == nil && len(o.Cutoffs) > 0:
		return problem.At("cutoffs", "cutoffs are given, but not how many levels are scheduled").Mend("write scheduled: %d, which leaves a level for each cutoff and one more", max(1, o.Priorities-len(o.Cutoffs)-1))
	}
	if err := protocol.CheckCutoffs(o.Cutoffs); err != nil {
		return err
	}
	if o.Scheduled == nil {
		return nil
	}
	s, levels := *o.Scheduled, o.Priorities-*o.Scheduled
	switch {
	case o.Sizes == nil && len(o.Cutoffs) != levels-1:
		return fmt.Errorf("there are %d unscheduled levels (%d priorities less %d scheduled ones) and %d cutoffs; give %d, or sizes from which to compute them", levels, o.Priorities, s, len(o.Cutoffs), levels-1)
	case o.Overcommit != nil && *o.Overcommit > s && !o.ShareLevels:
		return tooMany(*o.Overcommit, s)
	}
	return nil
}

func tooMany(k, scheduled int) error {
	return problem.At("overcommit", "overcommit is %d, above the %d scheduled levels, so some senders would share one", k, scheduled).Mend("make it at most %d, make scheduled larger, or write share_levels: true", scheduled)
}

// checkIn compares the options with the environment that they are to work in.
func (o *Options) checkIn(c *config, env protocol.HostEnv) error {
	tooSoon, tooLarge := env.CheckWait("resend", c.resend), env.CheckControl()
	switch {
	case c.rttBytes < env.Packet:
		return problem.At("rtt_bytes", "homa: rtt_bytes is %v, less than one frame of %v", c.rttBytes, env.Packet).Mend("it must be at least that")
	case c.unscheduled < 1:
		return problem.At("unscheduled", "homa: unscheduled is 0B, but receivers learn of a message by its first packet").Mend("it must be at least 1B, as in 1BDP")
	case o.Saved >= env.Header:
		return problem.At("saved", "homa: saved is %v, but packets have %v of header", o.Saved, env.Header).Mend("it must be less than that")
	case tooLarge != nil:
		return fmt.Errorf("homa: %w", tooLarge)
	case c.overcommit > c.scheduled && !o.ShareLevels:
		return fmt.Errorf("homa: %w", tooMany(c.overcommit, c.scheduled))
	case c.resend > 0 && tooSoon != nil:
		return fmt.Errorf("homa: %w, or 0s for never", tooSoon)
	case int(env.Class)+c.priorities > max(1, env.Classes):
		return fmt.Errorf("homa: %d priorities from class %d on, but ports have %d classes; write fabric: {classes: %d}, or fewer priorities", c.priorities, env.Class, max(1, env.Classes), int(env.Class)+c.priorities)
	}
	return nil
}

// warn tells what is allowed but may not be what was meant.
func (o *Options) warn(c *config, env protocol.HostEnv) (warnings []string) {
	if burst := unit.Bytes(env.Hosts-1) * c.wire(max(0, c.unscheduled)); c.resend == 0 && env.Queue > 0 && env.Queue < burst {
		warnings = append(warnings, fmt.Sprintf("homa: queues hold %v, one host may be sent %v at once, and dropped packets are never resent; write resend: 5ms, or make fabric.queue larger", env.Queue, burst))
	}
	return warnings
}

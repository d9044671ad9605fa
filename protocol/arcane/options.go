package arcane

import (
	"fmt"

	"weft/catalog"
	"weft/internal/nearest"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Preset names a reading of Algorithms 1 and 2.
type Preset string

// Presets.
const (
	// Fixed mends what the listings get wrong against the paper's text.
	Fixed Preset = "fixed"
	// AsPrinted follows the listings.
	AsPrinted Preset = "as-printed"
	// Code does as the authors' simulator.
	Code Preset = "code"
)

// Detection names what counts as a failure of the network (Appendix A).
type Detection string

// Ways to detect failures.
const (
	// ByTimeout takes a timeout for a failure, unless the maximum-RTT heuristic
	// puts it down to congestion. It suits networks without trimming.
	ByTimeout Detection = "timeout"
	// ByTrim takes every timeout for a failure, since what is lost to congestion
	// is trimmed and reported. It suits networks in which all switches trim.
	ByTrim Detection = "trim"
	// Never detects no failure.
	Never Detection = "none"
)

// Exit names what ends freezing (§3.2).
type Exit string

// Ways to end freezing.
const (
	// ByTime ends it after freezing_timeout.
	ByTime Exit = "time"
	// ByProbe ends it when a probe with the entropy that failed comes back.
	ByProbe Exit = "probe"
)

// defaultPatience is the default of probe_patience.
const defaultPatience = 10 * unit.Millisecond

// Bounds of the options. Table 1 counts entries in 8 bits; an entropy value has 16.
const (
	maxBuffer    = 255
	maxEntropies = 1 << 16
)

// Options are the parameters of ARCANE.
type Options struct {
	Preset    Preset       `yaml:"preset" default:"fixed" enum:"fixed,as-printed,code" doc:"Reading of Algorithms 1 and 2: corrected to agree with the text, as printed, or as in the authors' simulator." source:"ARCANE §3"`
	Buffer    int          `yaml:"buffer" default:"8" min:"1" max:"255" doc:"Entries of the circular buffer of cached entropies." source:"ARCANE §3.1"`
	Entropies int          `yaml:"entropies" default:"65536" min:"1" max:"65536" doc:"Size of the entropy values set (EVS): entropies are 0 to EVS-1." source:"ARCANE §2.2"`
	Explore   *unit.Amount `yaml:"explore" doc:"Volume of full packets that a connection sends with random entropies when it is new, was idle, or ends freezing (default: 1 BDP)." source:"ARCANE §3.1"`

	Freezing        bool       `yaml:"freezing" default:"true" doc:"Whether a failure starts freezing mode." source:"ARCANE §3.2"`
	FreezingTimeout unit.Time  `yaml:"freezing_timeout" default:"10ms" min:"0s" doc:"How long freezing mode lasts (FREEZING_TIMEOUT). The paper gives no value; 10ms is its time until routing excludes a failed link." source:"ARCANE §3.2; authors' simulator (REPS artefact), whose Figure 6 has 100us; sweep 100us to 10ms"`
	Exit            Exit       `yaml:"exit" default:"time" enum:"time,probe" doc:"What ends freezing mode: time, or the echo of a probe sent with the entropy that failed." source:"ARCANE §3.2; probing is an extension (Appendix A)"`
	ProbeInterval   *unit.Time `yaml:"probe_interval" doc:"Time between probes (default: 1 RTO, as the paper gives no value)." source:"weft; sweep 1 RTT to 1 ms"`
	ProbePatience   *unit.Time `yaml:"probe_patience" doc:"How long freezing lasts if no probe comes back (default: 10ms)." source:"ARCANE §3.2: until routing excludes a failed link"`
	Detection       Detection  `yaml:"detection" default:"timeout" enum:"timeout,trim,none" doc:"What counts as a failure: a timeout not attributed to congestion, any timeout where losses by congestion are trimmed, or nothing." source:"ARCANE Appendix A"`

	MaxRTT          bool       `yaml:"max_rtt" default:"true" doc:"Whether detection by timeout attributes a timeout to congestion if the maximum RTT before it was high." source:"ARCANE Appendix A"`
	MaxRTTPeriod    *unit.Time `yaml:"max_rtt_period" doc:"Minimum period before a timeout whose maximum RTT counts (default: 1 RTO, as the paper gives no value)." source:"weft; sweep 0.5 to 4 RTO"`
	MaxRTTThreshold unit.Ratio `yaml:"max_rtt_threshold" default:"200%" min:"0%" doc:"Multiple of the unloaded RTT from which a maximum RTT is high; the default is that of a full queue of 1 BDP on the way." source:"weft; the authors' simulator has 165%"`

	FreezeAt *unit.Time `yaml:"freeze_at" doc:"Simulated time from which every connection is frozen, failure or not, as in the experiment of Figure 15 (default: never)." source:"ARCANE Appendix A"`
}

// Entries returns ARCANE for a catalog of balancers.
func Entries() []catalog.Entry[protocol.Balancer] {
	return []catalog.Entry[protocol.Balancer]{
		catalog.Define("arcane",
			"caches entropies of unmarked acknowledgements, reuses the oldest, freezes on failures",
			"ARCANE §3, Algorithms 1 and 2, Appendix A", Options.Build).KnownAs("reps", "REPS, EuroSys 2026, is ARCANE's later name"),
	}
}

// StateBits returns the bits of state that a NIC keeps for a connection with a
// buffer of that many entries, by Table 1: an entropy and a validity bit an
// entry; head, number of valid entries and explore counter of 8 bits each, the
// time at which freezing ends in 32 and the freezing flag.
func StateBits(buffer int) int {
	const entry, head, valid, exit, freezing, explore = entropyBits + 1, 8, 8, 32, 1, 8
	return entry*buffer + head + valid + exit + freezing + explore
}

// What is counted beside, with some options.
const (
	entropyBits = 16
	cursorBits  = 8                // of the walk in the preset code
	probeBits   = entropyBits + 32 // what failed, and when the next probe is due
)

// Build returns the balancer. It fails if an option is out of bounds. The Env of
// its connections must have an RTO and a BaseRTT if the options that are derived
// from them are absent.
func (o Options) Build() (protocol.Balancer, error) {
	if err := o.check(); err != nil {
		return protocol.Balancer{}, fmt.Errorf("arcane: %w", err)
	}
	state := StateBits(o.Buffer)
	if o.Preset == Code {
		state += cursorBits
	}
	if o.Exit == ByProbe {
		state += probeBits
	}
	var reserve unit.Time
	if o.Freezing && o.Exit == ByTime {
		reserve = o.FreezingTimeout
	}
	reaction := "froze: none took a loss for a failure"
	switch {
	case o.FreezeAt != nil:
		reaction = "froze"
	case !o.Freezing || o.Detection == Never: // which is meant
		reaction = ""
	}
	return protocol.Balancer{
		Entropies: o.Entropies,
		StateBits: state,
		Reserve:   reserve,
		Reaction:  reaction,
		ReactsBy:  []string{"freezing", "freezing_timeout", "exit", "probe_interval", "probe_patience", "detection", "freeze_at"},
		Needs:     protocol.Needs{Wants: []protocol.Want{{Need: protocol.Marks, Without: "recycles the entropies of congested paths like all others"}}},
		New: func(env protocol.Env) protocol.Entropy {
			if s := newSender(o, env); s.probes {
				return prober{s}
			} else {
				return s
			}
		},
	}, nil
}

func (o Options) check() error {
	if o.Buffer < 1 || o.Buffer > maxBuffer {
		return problem.At("buffer", "buffer is %d", o.Buffer).Mend("it must be 1 to %d entries", maxBuffer)
	}
	if o.Entropies < 1 || o.Entropies > maxEntropies {
		return problem.At("entropies", "entropies is %d", o.Entropies).Mend("it must be 1 to %d", maxEntropies)
	}
	if err := among("preset", o.Preset, Fixed, AsPrinted, Code); err != nil {
		return err
	}
	if err := among("detection", o.Detection, ByTimeout, ByTrim, Never); err != nil {
		return err
	}
	if err := among("exit", o.Exit, ByTime, ByProbe); err != nil {
		return err
	}
	if e := o.Explore; e != nil {
		if e.Share != 0 {
			return problem.At("explore", "explore is %v, but a share has no reference here", e).Mend("write it as in \"1BDP\" or \"256KiB\"")
		}
		if e.Bytes < 0 || !(e.BDPs >= 0) {
			return problem.At("explore", "explore is negative or not a number")
		}
	}
	for _, t := range []struct {
		name  string
		value *unit.Time
	}{
		{"freezing_timeout", &o.FreezingTimeout}, {"max_rtt_period", o.MaxRTTPeriod}, {"freeze_at", o.FreezeAt},
		{"probe_interval", o.ProbeInterval}, {"probe_patience", o.ProbePatience},
	} {
		if t.value != nil && *t.value < 0 {
			return fmt.Errorf("%s is negative", t.name)
		}
	}
	if p := o.ProbeInterval; p != nil && *p == 0 {
		return problem.At("probe_interval", "probe_interval is 0, which would send probes endlessly").Mend("set it to a round-trip time or more")
	}
	if p := o.MaxRTTPeriod; p != nil && *p == 0 {
		return problem.At("max_rtt_period", "max_rtt_period is 0, which covers no round-trip time").Mend("to turn off the maximum, set max_rtt to false")
	}
	if !(o.MaxRTTThreshold >= 0) {
		return problem.At("max_rtt_threshold", "max_rtt_threshold is negative or not a number")
	}
	return nil
}

// among reports a word that is not one of those allowed.
func among[T ~string](name string, word T, allowed ...T) error {
	words := make([]string, len(allowed))
	for i, a := range allowed {
		if word == a {
			return nil
		}
		words[i] = string(a)
	}
	guess := ""
	if near, ok := nearest.Name(string(word), words); ok {
		guess = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("%s is %q%s; use %s", name, word, guess, catalog.Either(words))
}

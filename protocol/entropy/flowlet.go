package entropy

import (
	"fmt"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Pause is what ends a flowlet.
type Pause struct {
	Gap     *unit.Time `yaml:"gap" doc:"Pause between two packets of a connection after which the next one may take another path (default: by gap_rtts)." source:"LetFlow (NSDI 2017)"`
	GapRTTs unit.Ratio `yaml:"gap_rtts" default:"50%" min:"0%" doc:"That pause as a multiple of the unloaded round-trip time, if gap is absent." source:"ARCANE §4.1"`
}

// spray fills in the pause; LetFlow's is resolved with the network.
func (g Pause) spray(s protocol.Spray) (protocol.Spray, error) {
	if g.Gap != nil {
		if *g.Gap <= 0 {
			return s, problem.At("gap", "gap is %v, shorter than any pause", *g.Gap).Mend("to choose for each packet use ops")
		}
		s.Gap = *g.Gap
		return s, nil
	}
	if !(g.GapRTTs > 0) {
		return s, problem.At("gap_rtts", "gap_rtts is %v, shorter than any pause", g.GapRTTs).Mend("to choose for each packet use ops")
	}
	s.GapRTTs = g.GapRTTs
	return s, nil
}

// Flowlet is flowlet switching by the sender: the packets of a connection keep
// their entropy while they follow each other within a gap, and a longer pause is
// followed by a random one. ARCANE compares with it at half a round-trip time
// (§4.1).
//
// A pause is the time between two packets that are handed to the NIC's wire. The
// authors' simulator (REPS artefact) measures it from the last acknowledgement or
// report of a trimmed packet instead, and changes path at most once an RTO. A connection whose path
// failed stops for want of acknowledgements, so the timeout's retransmission ends
// a flowlet without a rule of its own.
type Flowlet struct {
	Pause
	Entropies int `yaml:"entropies" default:"65536" min:"1" max:"65536" doc:"Size of the entropy values set (EVS): entropies are 0 to EVS-1." source:"ARCANE §2.2"`
}

// Build returns the balancer. It fails if an option is out of bounds.
func (o Flowlet) Build() (protocol.Balancer, error) {
	if err := checkEntropies("flowlet", o.Entropies); err != nil {
		return protocol.Balancer{}, err
	}
	s, err := o.spray(protocol.Spray{Way: protocol.ByFlowlet})
	if err != nil {
		return protocol.Balancer{}, fmt.Errorf("flowlet: %w", err)
	}
	const last = 32 // time of the last packet
	return protocol.Balancer{
		Oblivious: true,
		Entropies: o.Entropies,
		StateBits: bits + last,
		Reaction:  "paused for longer than the gap, so that it had a second flowlet",
		New: func(env protocol.Env) protocol.Entropy {
			return &perFlowlet{draws: draws{env.Rand, uint64(o.Entropies)}, gap: s.Resolved(env.BaseRTT).Gap}
		},
	}, nil
}

// perFlowlet draws an entropy after a pause.
type perFlowlet struct {
	deaf
	draws
	gap     unit.Time
	last    unit.Time
	entropy uint16
	paused  bool // ever, since it was made
}

// Reacted implements protocol.Reactive.
func (c *perFlowlet) Reacted() bool { return c.paused }

func (c *perFlowlet) Start(now unit.Time) {
	c.entropy = c.draw()
	c.last = now
}

func (c *perFlowlet) Next(now unit.Time) uint16 {
	if now-c.last > c.gap {
		c.entropy = c.draw()
		c.paused = true
	}
	c.last = now
	return c.entropy
}

// LetFlow is flowlet switching by switches (Vanini et al., "Let It Flow: Resilient
// Asymmetric Load Balancing with Flowlet Switching", NSDI 2017, §3): a table at
// every switch keeps each flow to a port while its packets follow each other
// within a gap; a flow that pauses longer gets a random port.
//
// A switch hashes source, destination and entropy, which the connection draws once,
// to a place in the table; flows that meet there count as one, unless they go to
// different next-hop sets: these drive each other out. Pauses are measured
// exactly; LetFlow's age bit finds those of one to two gaps. LetFlow lets a new
// flowlet begin anywhere, also on a dead port; and so it is here.
type LetFlow struct {
	Pause
	Flowlets int `yaml:"flowlets" default:"65536" min:"1" max:"1048576" doc:"Entries of each switch's table of flowlets; a power of two. The simulation allocates entries in blocks when flows first need them." source:"CONGA (SIGCOMM 2014), whose switches LetFlow uses"`
}

// Build returns the balancer. It fails if an option is out of bounds.
func (o LetFlow) Build() (protocol.Balancer, error) {
	s, err := o.spray(protocol.Spray{Way: protocol.ByFlowlet, Flowlets: o.Flowlets})
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return protocol.Balancer{}, fmt.Errorf("letflow: %w", err)
	}
	const entry = 8 + 1 + 1 // port, validity and age
	b, err := ECMP{}.Build()
	b.Spray, b.SwitchBits = s, o.Flowlets*entry
	return b, err
}

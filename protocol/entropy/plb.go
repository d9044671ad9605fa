package entropy

import (
	"fmt"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// PLB is protective load balancing (Qureshi et al., "PLB: Congestion Signals are
// Simple and Effective for Network Load Balancing", SIGCOMM 2022): a connection
// keeps to one entropy, and draws another when congestion lasts, when it was idle
// after congestion, and when packets time out.
//
// A round is one round trip: it ends with the acknowledgement of a packet that
// was sent since it began. It is congested if at least threshold of its packets,
// and at least one, were marked. After rounds congested ones in a row the
// connection changes its path; after idle_rounds, if it was idle before it sends
// again. A timeout of a packet of the current path changes it too, and lets the
// congestion of what follows change nothing for pause to twice as long, drawn
// evenly, so as not to go back to a path that failed.
//
// ARCANE gives PLB parameters that are more aggressive, like FlowBender's, and no
// values (§4.1): the defaults are those of FlowBender (Kabbani et al., CoNEXT 2014),
// a threshold of 5 % and one round. The authors' simulator (REPS artefact) changes
// after two rounds of one unloaded RTT in which anything was marked or trimmed, on
// whatever path it was sent, and on a timeout, but not twice within an RTO. PLB
// itself, in Linux since 6.2 (net.ipv4.tcp_plb_*), is
//
//	{kind: plb, threshold: 50%, rounds: 12, idle_rounds: 3, pause: 60s}
//
// Where acknowledgements tell no round-trip times, as under SIRD, Homa, dcPIM and pHost,
// a round takes two unloaded ones, and a lost packet counts as one of the current path.
//
// A trimmed packet counts as a marked one. FlowBender draws from few values of its
// header field, PLB from 2²⁰ flow labels; here it is the 16 bits of an entropy.
type PLB struct {
	Threshold  unit.Ratio `yaml:"threshold" default:"5%" min:"0%" max:"100%" doc:"Share of marked packets from which a round counts as congested." source:"FlowBender (CoNEXT 2014); PLB has 50%"`
	Rounds     int        `yaml:"rounds" default:"1" min:"1" max:"31" doc:"Number of consecutive congested rounds after which the path changes." source:"FlowBender (CoNEXT 2014); PLB has 12"`
	IdleRounds int        `yaml:"idle_rounds" default:"1" min:"0" max:"31" doc:"Number of consecutive congested rounds after which a connection that was idle changes its path; 0 for never." source:"weft, to go with rounds; PLB has 3"`
	OnTimeout  bool       `yaml:"on_timeout" default:"true" doc:"Whether the timeout of a packet sent on the current path changes the path." source:"PLB (SIGCOMM 2022); FlowBender (CoNEXT 2014)"`
	Pause      unit.Time  `yaml:"pause" default:"0s" min:"0s" doc:"Minimum time after a timeout during which congestion has no effect; at most twice that." source:"weft; PLB has 60s"`
	Entropies  int        `yaml:"entropies" default:"65536" min:"1" max:"65536" doc:"Size of the entropy values set (EVS): entropies are 0 to EVS-1." source:"ARCANE §2.2"`
}

// untimedRTTs is how many unloaded round-trip times a round takes where none is told.
const untimedRTTs = 2

// maxRounds is the most congested rounds that 5 bits count, as Linux does.
const maxRounds = 31

// Build returns the balancer. It fails if an option is out of bounds.
func (o PLB) Build() (protocol.Balancer, error) {
	if err := checkEntropies("plb", o.Entropies); err != nil {
		return protocol.Balancer{}, err
	}
	if err := o.check(); err != nil {
		return protocol.Balancer{}, fmt.Errorf("plb: %w", err)
	}
	const packets, marked, began, rounds, until = 16, 16, 32, 5, 32
	state := bits + packets + marked + began + rounds
	if o.Pause > 0 {
		state += until
	}
	return protocol.Balancer{
		Entropies: o.Entropies,
		StateBits: state,
		Reaction:  "changed its path, after marks or a timeout",
		Needs:     protocol.Needs{Wants: []protocol.Want{{Need: protocol.Marks, Without: "leaves a path only after timeouts"}}},
		New: func(env protocol.Env) protocol.Entropy {
			c := &plb{draws: draws{env.Rand, uint64(o.Entropies)}, PLB: o, longest: env.RTO}
			if env.Untimed {
				c.longest = untimedRTTs * env.BaseRTT
			}
			return c
		},
	}, nil
}

func (o PLB) check() error {
	switch {
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return problem.At("threshold", "threshold is %v", o.Threshold).Mend("it must be 0%% to 100%%")
	case o.Rounds < 1 || o.Rounds > maxRounds:
		return problem.At("rounds", "rounds is %d", o.Rounds).Mend("it must be 1 to %d", maxRounds)
	case o.IdleRounds < 0 || o.IdleRounds > maxRounds:
		return problem.At("idle_rounds", "idle_rounds is %d", o.IdleRounds).Mend("it must be 1 to %d, or 0 for never", maxRounds)
	case o.Pause < 0:
		return problem.At("pause", "pause is negative")
	}
	return nil
}

type plb struct {
	draws
	PLB
	longest unit.Time // that a round takes if no acknowledgement tells that it is over

	entropy         uint16
	packets, marked int64
	began           unit.Time // of the round
	congested       int       // rounds in a row
	until           unit.Time // when congestion may change the path again
	moved           bool      // it changed its path, since it was made
}

// Reacted implements protocol.Reactive.
func (c *plb) Reacted() bool { return c.moved }

func (c *plb) Start(now unit.Time) {
	c.until = 0
	c.path(now)
}

// path draws an entropy and begins anew.
func (c *plb) path(now unit.Time) {
	c.entropy = c.draw()
	c.congested = 0
	c.begin(now)
}

// repath changes the path.
func (c *plb) repath(now unit.Time) {
	c.moved = true
	c.path(now)
}

func (c *plb) begin(now unit.Time) { c.packets, c.marked, c.began = 0, 0, now }

func (c *plb) Resume(now unit.Time) {
	if c.IdleRounds > 0 && c.congested >= c.IdleRounds && now >= c.until {
		c.repath(now)
		return
	}
	c.begin(now)
}

func (c *plb) Next(unit.Time) uint16 { return c.entropy }

// Acked counts towards the round. The acknowledgement of a packet of an earlier
// path says nothing of this one.
func (c *plb) Acked(a *protocol.Ack) {
	if a.Entropy != c.entropy {
		return
	}
	c.packets += int64(max(a.Packets, a.MarkedPackets))
	c.marked += int64(a.MarkedPackets)
	// Packets that were sent again have no RTT; an RTO is longer than any.
	if over := a.RTT > 0 && a.Now-a.RTT >= c.began || a.Now-c.began >= c.longest; over && c.packets > 0 {
		c.judge(a.Now)
	}
}

// judge ends a round.
func (c *plb) judge(now unit.Time) {
	if c.marked > 0 && float64(c.marked) >= float64(c.Threshold)*float64(c.packets) {
		c.congested = min(c.congested+1, maxRounds)
	} else {
		c.congested = 0
	}
	if c.congested >= c.Rounds && now >= c.until {
		c.repath(now)
		return
	}
	c.begin(now)
}

func (c *plb) Lost(l *protocol.Loss) {
	if l.Entropy != c.entropy && !l.Unplaced {
		return
	}
	if l.Cause != protocol.Timeout {
		c.packets++
		c.marked++
		return
	}
	if !c.OnTimeout {
		return
	}
	c.repath(l.Now)
	if c.Pause > 0 {
		c.until = l.Now + c.Pause + unit.Time(c.rand.Uint64()%uint64(c.Pause))
	}
}

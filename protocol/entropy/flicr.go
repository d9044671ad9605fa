package entropy

import (
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Flicr keeps a connection on one path of those that there are, and draws another when it is congested. It is a baseline of
// Spritz (arXiv 2602.19567), whose public artefact (spcl/HTSIM, May 2026) is what is followed: for a base RTT after a
// change nothing counts; from then on a round takes a base RTT, and if more than threshold of what came back in it was
// marked, the connection leaves. It leaves at once when a packet was trimmed. Paths are weighed as Spritz weighs them.
//
// Simplifications, and what is weft's: state is the connection's, as in Spritz. A timeout of a packet of the present path
// has the connection leave whenever it comes; in the artefact timeouts within the first RTT, too, count for nothing. It can be drawn again. A packet that is missed
// counts as a trimmed one. Which paper Flicr is of, the artefact does not say.
type Flicr struct {
	Threshold unit.Ratio `yaml:"threshold" default:"10%" min:"0%" max:"100%" doc:"Share of marked packets in a round above which the path changes." source:"Spritz's artefact"`
	Scaling   int        `yaml:"scaling" default:"3" min:"0" max:"1000" doc:"Weight of all but the longest paths, as in spritz." source:"Spritz's artefact"`
	Entropies int        `yaml:"entropies" default:"64" min:"1" max:"4096" doc:"Number of entropies that stand for paths where routes are neither explicit nor layers." source:"weft"`
}

// Build returns the balancer.
func (o Flicr) Build() (protocol.Balancer, error) {
	if !(o.Threshold >= 0 && o.Threshold <= 1) || o.Entropies < 1 || o.Entropies > mostPaths {
		return protocol.Balancer{}, problem.At("threshold", "flicr: threshold is %v and entropies %d", o.Threshold, o.Entropies).Mend("use 0%% to 100%%, and 1 to %d", mostPaths)
	}
	const began, packets, marked, fresh = 32, 16, 16, 1
	return protocol.Balancer{
		Entropies: o.Entropies,
		StateBits: bits + began + packets + marked + fresh,
		Reaction:  "left its path, after marks or a loss",
		Needs:     protocol.Needs{Wants: []protocol.Want{{Need: protocol.Marks, Without: "leaves a path only after losses"}}},
		New: func(env protocol.Env) protocol.Entropy {
			return &flicr{Flicr: o, choices: newChoices(&env, o.Scaling, 0, o.Entropies), rtt: env.BaseRTT}
		},
	}, nil
}

type flicr struct {
	Flicr
	choices
	rtt             unit.Time
	on              int // the present path; negative before it is drawn
	fresh           bool
	left            bool // a path, since it was made
	began, heard    unit.Time
	packets, marked int64
}

// Reacted implements protocol.Reactive.
func (c *flicr) Reacted() bool { return c.left }

func (c *flicr) Start(now unit.Time) {
	c.reset()
	c.on, c.heard = -1, now
}

// SetPaths implements protocol.PathChooser.
func (c *flicr) SetPaths(paths []protocol.Path) {
	c.choices.SetPaths(paths)
	c.on = -1
}

func (c *flicr) Resume(now unit.Time) {
	if now > c.heard+c.rtt {
		c.on = -1
	}
}

func (c *flicr) Next(now unit.Time) uint16 {
	if c.on < 0 {
		c.on, c.fresh = c.draw(), true
		c.round(now)
	}
	return c.entropy[c.on]
}

func (c *flicr) round(now unit.Time) { c.packets, c.marked, c.began = 0, 0, now }

// heed counts what came back, and tells whether it is to be judged.
func (c *flicr) heed(now unit.Time, packets, marked int64) bool {
	c.heard = now
	over := now > c.began+c.rtt
	if c.fresh {
		if over {
			c.fresh = false
			c.round(now)
		}
		return false
	}
	c.packets += packets
	c.marked += marked
	if !over {
		return true
	}
	if float64(c.marked) > float64(c.Threshold)*float64(c.packets) {
		c.leave()
	}
	c.round(now)
	return false
}

func (c *flicr) Acked(a *protocol.Ack) {
	c.heed(a.Now, int64(max(1, a.Packets, a.MarkedPackets)), int64(a.MarkedPackets))
}

func (c *flicr) Lost(l *protocol.Loss) {
	if l.Cause != protocol.Timeout {
		if c.heed(l.Now, 1, 0) {
			c.leave()
		}
		return
	}
	if c.on >= 0 && (l.Unplaced || l.Entropy == c.entropy[c.on]) {
		c.leave()
	}
}

// leave has the next packet draw a path.
func (c *flicr) leave() { c.on, c.left = -1, true }

package entropy

import (
	"slices"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Spritz chooses among explicit paths, drawn in proportion to weights that favour short ones, and remembers which were good
// (Bonato et al., "Spritz: Path-Aware Load Balancing in Low-Diameter Networks", arXiv 2602.19567). Of the paper the abstract
// is at hand; all else is from its public artefact, the source routing of spcl/HTSIM (May 2026):
//
//   - Scout keeps a list of good paths, shortest first, and sends on the first. An acknowledgement without a mark adds its
//     path; a trimmed packet strikes it off, and so do more than ecn_marks marks on paths of the list.
//   - Spray keeps a queue of good paths, and uses each entry once. An acknowledgement without a mark adds one.
//   - Without any, and once in more than explore packets, both draw a path. A path of delay d weighs scaling·d_max/d,
//     and the longest 1.
//   - After a timeout a path is drawn no more, unless it is the last. A late acknowledgement can still show it to be good.
//
// Simplifications, and what is weft's:
//
//   - State is the connection's. The artefact keeps it for a pair of hosts, over all messages; with transport.connection:
//     pair that is the same. Both forget good paths if nothing came back for a base RTT before a message begins.
//   - Delays are those of links between switches, without switches. Where they are 0, links are counted.
//   - Messages below 512 KiB have weights of their own in the artefact: 100 for the shortest path, 1 for others. A balancer is
//     not told the size; write first_weight: 100 in the transport of short messages.
//   - A packet that is missed by the receiver counts as a trimmed one; of one whose path is not known (transports of hosts)
//     Scout strikes off the first path.
//   - When routes change, the host gets the new paths, and forgets what it knew. The artefact has no routes that change.
//   - Without explicit paths, entropies (or layers) stand for paths of equal weight.
type Spritz struct {
	Mode        string `yaml:"mode" default:"scout" enum:"scout,spray" doc:"scout: sends on the shortest path that was good. spray: uses each path once for each good acknowledgement of it." source:"Spritz (arXiv 2602.19567)"`
	Explore     int    `yaml:"explore" default:"44" min:"0" max:"65535" doc:"Number of packets after which one takes a path that is drawn; 0 for never." source:"Spritz's artefact (44 packets, half a BDP there)"`
	ECNMarks    int    `yaml:"ecn_marks" default:"8" min:"0" max:"65535" doc:"Marks after which a path is struck off the list; with mode: scout." source:"Spritz's artefact"`
	Good        int    `yaml:"good" default:"9" min:"1" max:"256" doc:"Most good paths that a connection remembers." source:"Spritz's artefact"`
	Scaling     int    `yaml:"scaling" default:"3" min:"0" max:"1000" doc:"Weight of all but the longest paths, times their delay's ratio to that of the longest; 0 gives all the same." source:"Spritz's artefact (3; 0 for uniform)"`
	FirstWeight int    `yaml:"first_weight" default:"0" min:"0" max:"100000" doc:"Weight of the first path, the shortest, and 1 for all others; 0 for weights by delay." source:"Spritz's artefact (100 for messages below 512 KiB)"`
	Entropies   int    `yaml:"entropies" default:"64" min:"1" max:"4096" doc:"Number of entropies that stand for paths where routes are neither explicit nor layers." source:"weft"`
}

// Build returns the balancer.
func (o Spritz) Build() (protocol.Balancer, error) {
	if o.Mode != "scout" && o.Mode != "spray" {
		return protocol.Balancer{}, problem.At("mode", "spritz: mode is %q", o.Mode).Mend("use scout or spray")
	}
	if o.Good < 1 || o.Entropies < 1 || o.Entropies > mostPaths {
		return protocol.Balancer{}, problem.At("good", "spritz: good is %d and entropies %d", o.Good, o.Entropies).Mend("both must be at least 1, and entropies at most %d", mostPaths)
	}
	const counters = 2 * 16
	return protocol.Balancer{
		Entropies: o.Entropies,
		StateBits: o.Good*bits + counters,
		Reaction:  "left a path, after marks or a loss",
		Needs: protocol.Needs{Wants: []protocol.Want{
			{Need: protocol.Marks, Without: "learns of congestion from losses alone"},
			{Need: protocol.Trimming, Without: "takes drops for failed paths, which it leaves permanently"},
		}},
		New: func(env protocol.Env) protocol.Entropy {
			c := &spritz{Spritz: o, choices: newChoices(&env, o.Scaling, o.FirstWeight, o.Entropies), rtt: env.BaseRTT}
			c.good = make([]int16, 0, o.Good)
			return c
		},
	}, nil
}

type spritz struct {
	Spritz
	choices
	rtt   unit.Time
	good  []int16 // paths, the next one first
	sent  int     // since a path was drawn to explore
	marks int     // on paths of the list
	heard unit.Time
	left  bool // a path, since it was made
}

// Reacted implements protocol.Reactive.
func (c *spritz) Reacted() bool { return c.left }

func (c *spritz) Start(now unit.Time) {
	c.reset()
	c.forget(now)
}

// SetPaths implements protocol.PathChooser.
func (c *spritz) SetPaths(paths []protocol.Path) {
	c.choices.SetPaths(paths)
	c.good, c.sent, c.marks = c.good[:0], 0, 0
}

func (c *spritz) forget(now unit.Time) { c.good, c.sent, c.marks, c.heard = c.good[:0], 0, 0, now }

func (c *spritz) Resume(now unit.Time) {
	if now > c.heard+c.rtt {
		c.good = c.good[:0]
	}
}

func (c *spritz) Next(unit.Time) uint16 {
	if c.Explore > 0 && c.sent > c.Explore {
		c.sent = 0
		return c.entropy[c.draw()]
	}
	if c.Mode == "spray" {
		c.sent++
	}
	if len(c.good) == 0 {
		return c.entropy[c.draw()]
	}
	first := c.good[0]
	if c.Mode == "spray" {
		c.good = append(c.good[:0], c.good[1:]...)
	} else {
		c.sent++
	}
	return c.entropy[first]
}

func (c *spritz) Acked(a *protocol.Ack) {
	c.heard = a.Now
	path := int16(c.path(a.Entropy))
	if path < 0 {
		return
	}
	at := slices.Index(c.good, path)
	switch {
	case a.Marked:
		if c.Mode == "scout" && at >= 0 {
			if c.marks++; c.marks > c.ECNMarks {
				c.strike(at)
			}
		}
	case len(c.good) == c.Good:
	case c.Mode == "spray":
		c.good = append(c.good, path)
	case at < 0:
		at, _ = slices.BinarySearch(c.good, path)
		c.good = slices.Insert(c.good, at, path)
	}
}

// strike takes a path off the list.
func (c *spritz) strike(at int) {
	c.good = slices.Delete(c.good, at, at+1)
	c.marks, c.left = 0, true
}

func (c *spritz) Lost(l *protocol.Loss) {
	if l.Cause != protocol.Timeout {
		c.heard = l.Now
	}
	if l.Unplaced {
		if c.Mode == "scout" && len(c.good) > 0 {
			c.strike(0)
		}
		return
	}
	path := c.path(l.Entropy)
	if path < 0 {
		return
	}
	if at := slices.Index(c.good, int16(path)); at >= 0 && c.Mode == "scout" {
		c.strike(at)
	}
	if l.Cause == protocol.Timeout {
		c.bar(path)
		c.left = true
	}
}

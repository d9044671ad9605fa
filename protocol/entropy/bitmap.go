package entropy

import (
	"fmt"
	mathbits "math/bits"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Bitmap keeps a mark for every entropy, as STrack does (Le et al., "STrack: A
// Reliable Multipath Transport for AI/ML Clusters", arXiv 2407.15266) and ARCANE
// compares with (§4.1). The sender walks through all entropies. That of a packet
// which came back marked for congestion, or was lost, gets a penalty; the walk
// passes over entropies with a penalty.
//
// Reset rule: an entropy that is passed over has one penalty less, so that with
// one bit an entropy it is tried again when the walk comes by next. As in
// uet-htsim, from which the rule is, of several entropies that are passed over
// for the same packet the first alone is forgiven, and if all have penalties, the
// packet takes one of them. all_skipped forgives each.
//
// A loss of which the path is not known, as under SIRD, Homa, dcPIM and pHost, which infer
// losses from silence, gives no penalty.
//
// The walk is over an order that is drawn anew for every turn: position i stands
// for entropy i xor a random number, for which the number of entropies is a power
// of two (uet-htsim).
//
// ARCANE counts 64 Kib for 64 Ki entropies and says not how many it ran with. A
// walk over so many meets no entropy twice in 64 Ki packets, and learns nothing:
// the default is 256, as in the authors' simulator. The simulation needs a byte
// an entropy and connection. With a max_penalty of 15, penalties are 1 for a mark,
// 4 for a trimmed packet and 15 for a timeout, as in uet-htsim.
type Bitmap struct {
	Entropies  int  `yaml:"entropies" default:"256" min:"1" max:"65536" doc:"Size of the entropy values set (EVS), a power of two: the sender keeps a penalty for each." source:"authors' simulator (REPS artefact); ARCANE §3.3 counts state for 65536"`
	MaxPenalty int  `yaml:"max_penalty" default:"1" min:"1" max:"255" doc:"Largest penalty of an entropy; 1 takes one bit." source:"ARCANE §3.3; uet-htsim has 15"`
	OnMark     int  `yaml:"on_mark" default:"1" min:"0" max:"255" doc:"Penalty for a packet that was marked for congestion." source:"uet-htsim"`
	OnTrim     int  `yaml:"on_trim" default:"4" min:"0" max:"255" doc:"Penalty for a packet that arrived trimmed; capped at max_penalty." source:"uet-htsim"`
	OnTimeout  int  `yaml:"on_timeout" default:"255" min:"0" max:"255" doc:"Penalty for a packet that timed out; capped at max_penalty." source:"uet-htsim"`
	AllSkipped bool `yaml:"all_skipped" default:"false" doc:"Whether every skipped entropy loses one penalty, instead of the first for each packet." source:"weft; uet-htsim forgives the first"`
}

// Build returns the balancer. It fails if an option is out of bounds.
func (o Bitmap) Build() (protocol.Balancer, error) {
	if err := checkEntropies("bitmap", o.Entropies); err != nil {
		return protocol.Balancer{}, err
	}
	if err := o.check(); err != nil {
		return protocol.Balancer{}, fmt.Errorf("bitmap: %w", err)
	}
	const position, order = bits, bits
	return protocol.Balancer{
		Needs:     protocol.Needs{Wants: []protocol.Want{{Need: protocol.Marks, Without: "skips entropies of lost packets only"}}},
		Entropies: o.Entropies,
		Memory:    unit.Bytes(o.Entropies),
		Reaction:  "skipped an entropy, after marks or a loss",
		StateBits: o.Entropies*mathbits.Len(uint(o.MaxPenalty)) + position + order,
		New: func(env protocol.Env) protocol.Entropy {
			return &bitmap{
				draws: draws{env.Rand, uint64(o.Entropies)}, penalties: make([]uint8, o.Entropies), most: uint8(o.MaxPenalty),
				marked: uint8(o.OnMark), trimmed: uint8(o.OnTrim), timeout: uint8(o.OnTimeout), all: o.AllSkipped,
			}
		},
	}, nil
}

func (o Bitmap) check() error {
	if o.Entropies&(o.Entropies-1) != 0 {
		return problem.At("entropies", "entropies is %d; it must be a power of two, such as %d", o.Entropies, 1<<(mathbits.Len(uint(o.Entropies))-1))
	}
	for _, p := range []struct {
		name  string
		value int
		least int
	}{{"max_penalty", o.MaxPenalty, 1}, {"on_mark", o.OnMark, 0}, {"on_trim", o.OnTrim, 0}, {"on_timeout", o.OnTimeout, 0}} {
		if p.value < p.least || p.value > 255 {
			return fmt.Errorf("%s is %d; it must be %d to 255", p.name, p.value, p.least)
		}
	}
	return nil
}

type bitmap struct {
	draws
	penalties                      []uint8 // by entropy
	most, marked, trimmed, timeout uint8
	all                            bool
	penalised                      int    // entropies with a penalty
	punished                       bool   // one ever had, since it was made
	at, order                      uint16 // position of the walk, and what it is xored with
}

// Reacted implements protocol.Reactive.
func (c *bitmap) Reacted() bool { return c.punished }

func (c *bitmap) Start(unit.Time) {
	if c.penalised > 0 {
		clear(c.penalties)
		c.penalised = 0
	}
	c.at, c.order = 0, c.draw()
}

func (c *bitmap) Resume(unit.Time) {}

func (c *bitmap) Next(unit.Time) uint16 {
	ev := c.at ^ c.order
	if c.penalised > 0 {
		forgive := true
		for range c.penalties {
			p := &c.penalties[ev]
			if *p == 0 {
				break
			}
			if forgive {
				forgive = c.all
				*p--
				if *p == 0 {
					c.penalised--
				}
			}
			c.step()
			ev = c.at ^ c.order
		}
	}
	c.step()
	return ev
}

// step takes the walk to its next position.
func (c *bitmap) step() {
	c.at++
	if uint64(c.at) == c.size || c.at == 0 {
		c.at, c.order = 0, c.draw()
	}
}

func (c *bitmap) Acked(a *protocol.Ack) {
	if a.Marked {
		c.punish(a.Entropy, c.marked)
	}
}

func (c *bitmap) Lost(l *protocol.Loss) {
	if l.Unplaced {
		return
	}
	if l.Cause != protocol.Timeout {
		c.punish(l.Entropy, c.trimmed)
		return
	}
	c.punish(l.Entropy, c.timeout)
}

func (c *bitmap) punish(ev uint16, penalty uint8) {
	p := &c.penalties[int(ev)&(len(c.penalties)-1)]
	if *p == 0 && penalty > 0 {
		c.penalised++
		c.punished = true
	}
	*p += min(penalty, c.most-*p)
}

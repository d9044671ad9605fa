package entropy

import (
	"fmt"

	"weft/protocol"
	"weft/unit"
)

// RoundRobin takes entropies, or ports, one after another instead of drawing them.
//
// At the host, a connection walks through a set of entropies from a random one
// on, and again from a random one when it is through (as the oblivious spraying
// of uet-htsim does, which permutes the set anew each time).
//
// At switches, every next-hop set has a turn of its own, which all packets to
// destinations behind that set share; it begins at a port that the switch's salt
// decides, so that switches do not march in step.
type RoundRobin struct {
	At        Place `yaml:"at" default:"host" enum:"host,switch" doc:"Where turns are taken: through the sender's entropies, or through the ports of each switch." source:"weft"`
	Entropies int   `yaml:"entropies" default:"65536" min:"1" max:"65536" doc:"Size of the entropy values set (EVS): entropies are 0 to EVS-1; no effect at switches." source:"ARCANE §2.2"`
}

// Build returns the balancer. It fails if an option is out of bounds.
func (o RoundRobin) Build() (protocol.Balancer, error) {
	if err := checkEntropies("round-robin", o.Entropies); err != nil {
		return protocol.Balancer{}, err
	}
	switch o.At {
	case AtHost:
		return protocol.Balancer{
			Oblivious: true,
			StateBits: 2 * bits,
			New: func(env protocol.Env) protocol.Entropy {
				return &inTurn{draws: draws{env.Rand, uint64(o.Entropies)}}
			},
		}, nil
	case AtSwitch:
		return protocol.Balancer{
			Oblivious: true,
			Spray:     protocol.Spray{Way: protocol.ByRoundRobin},
			Needs:     protocol.Needs{Must: protocol.OneLayer},
			New:       func(protocol.Env) protocol.Entropy { return unused{} },
		}, nil
	}
	return protocol.Balancer{}, fmt.Errorf("round-robin: at is %q; use %s or %s", o.At, AtHost, AtSwitch)
}

// inTurn walks through a set of entropies.
type inTurn struct {
	deaf
	draws
	next, left uint64
}

func (c *inTurn) Start(unit.Time) { c.left = 0 }

func (c *inTurn) Next(unit.Time) uint16 {
	if c.left == 0 {
		c.next, c.left = uint64(c.draw()), c.size
	}
	v := c.next
	c.left--
	c.next++
	if c.next == c.size {
		c.next = 0
	}
	return uint16(v)
}

package entropy

import (
	mathbits "math/bits"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// RoundRobin takes entropies, or ports, one after another instead of drawing them.
//
// At the host, a connection walks through a set of entropies from a random one
// on, and again from a random one when it is through. With shuffle it
// walks through them in an order of its own each round: that of the numbers
// from 0 on, each XORed with a mask that is drawn anew, as uet-htsim's oblivious
// spraying does.
//
// At switches, every next-hop set has a turn of its own, which all packets to
// destinations behind that set share; it begins at a port that the switch's salt
// decides, so that switches do not march in step. With shuffle each round
// has an order of its own, drawn from all. With that and hash_below: 128B it is
// uet-htsim's switch round robin, which takes turns with data only.
type RoundRobin struct {
	At        Place      `yaml:"at" default:"host" enum:"host,switch" doc:"Where turns are taken: through the sender's entropies, or through the ports of each switch." source:"weft"`
	Entropies int        `yaml:"entropies" default:"65536" min:"1" max:"65536" doc:"Size of the entropy values set (EVS): entropies are 0 to EVS-1; no effect at switches." source:"ARCANE §2.2"`
	Shuffle   bool       `yaml:"shuffle" default:"false" doc:"Whether each round has an order of its own, drawn anew." source:"uet-htsim"`
	HashBelow unit.Bytes `yaml:"hash_below" default:"0B" min:"0B" doc:"Size on the wire below which switches hash a frame instead of giving it a turn; 128B leaves out acknowledgements and trimmed headers. No effect at hosts." source:"uet-htsim has 128B"`
}

// Build returns the balancer. It fails if an option is out of bounds.
func (o RoundRobin) Build() (protocol.Balancer, error) {
	if err := checkEntropies("round-robin", o.Entropies); err != nil {
		return protocol.Balancer{}, err
	}
	if o.HashBelow < 0 {
		return protocol.Balancer{}, problem.At("hash_below", "round-robin: hash_below is %v", o.HashBelow).Mend("write a size of 0B or more")
	}
	switch o.At {
	case AtHost:
		return protocol.Balancer{
			Oblivious: true,
			Entropies: o.Entropies,
			StateBits: 2 * bits,
			New: func(env protocol.Env) protocol.Entropy {
				if o.Shuffle {
					return &shuffled{draws: draws{env.Rand, uint64(o.Entropies)}}
				}
				return &inTurn{draws: draws{env.Rand, uint64(o.Entropies)}}
			},
		}, nil
	case AtSwitch:
		return protocol.Balancer{
			Oblivious: true,
			Spray:     protocol.Spray{Way: protocol.ByRoundRobin, Shuffled: o.Shuffle, HashBelow: o.HashBelow},
			Needs:     protocol.Needs{Must: protocol.OneLayer},
			New:       func(protocol.Env) protocol.Entropy { return unused{} },
		}, nil
	}
	return protocol.Balancer{}, problem.At("at", "round-robin: at is %q", o.At).Mend("use %s or %s", AtHost, AtSwitch)
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

// shuffled walks through a set of entropies in the order of the numbers from 0 on, XORed with a mask that is drawn for
// each round. The numbers go up to the next power of two; what is not in the set is passed over.
type shuffled struct {
	deaf
	draws
	next, mask uint64
}

func (c *shuffled) Start(unit.Time) { c.next = 0 }

func (c *shuffled) Next(unit.Time) uint16 {
	top := uint64(1) << mathbits.Len64(c.size-1)
	for {
		if c.next == 0 {
			c.mask = uint64(draw(c.rand, top))
		}
		v := c.next ^ c.mask
		c.next = (c.next + 1) & (top - 1)
		if v < c.size {
			return uint16(v)
		}
	}
}

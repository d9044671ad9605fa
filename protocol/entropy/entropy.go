// Package entropy has the two oblivious balancers that every load balancer is
// measured against: ECMP, with one entropy value for a connection, and oblivious
// packet spraying (OPS), with a random one for every packet. Neither learns from
// acknowledgements.
package entropy

import (
	"fmt"
	"math/rand/v2"

	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// bits is the width of an entropy value, that of a UDP source port.
const bits = 16

// Entries returns ECMP and OPS for a catalog of balancers.
func Entries() []catalog.Entry[protocol.Balancer] {
	return []catalog.Entry[protocol.Balancer]{
		catalog.Define("ecmp",
			"one random entropy for a connection: all its packets take the same path",
			"RFC 2992; ARCANE §2.2", ECMP.Build),
		catalog.Define("ops",
			"oblivious packet spraying: a random entropy, or a random port at every switch, for each packet",
			"Dixit et al., INFOCOM 2013; ARCANE §2.2", OPS.Build),
	}
}

// ECMP is equal-cost multi-path routing (RFC 2992; ARCANE §2.2): the packets of a
// connection have the same header fields, and so the same path. What tells
// connections apart is a 16-bit entropy, such as the UDP source port, drawn when
// the connection starts.
type ECMP struct{}

// Build returns the balancer.
func (ECMP) Build() (protocol.Balancer, error) {
	return protocol.Balancer{
		StateBits: bits,
		New:       func(env protocol.Env) protocol.Entropy { return &perConnection{rand: env.Rand} },
	}, nil
}

// perConnection keeps the entropy that it drew at the start.
type perConnection struct {
	deaf
	rand    *rand.PCG
	entropy uint16
}

func (c *perConnection) Start(unit.Time)       { c.entropy = draw(c.rand, 1<<bits) }
func (c *perConnection) Next(unit.Time) uint16 { return c.entropy }

// Place is where OPS makes its random choice.
type Place string

// Places.
const (
	// AtHost draws an entropy, which switches hash.
	AtHost Place = "host"
	// AtSwitch draws a port at each switch. It needs no entropy.
	AtSwitch Place = "switch"
)

// OPS is oblivious packet spraying (ARCANE §2.2), also known as random packet
// spraying (Dixit et al., INFOCOM 2013).
type OPS struct {
	At        Place `yaml:"at" default:"host" enum:"host,switch" doc:"Where paths are chosen: by a random entropy from the sender, or by a random port at each switch." source:"ARCANE §2.2"`
	Entropies int   `yaml:"entropies" default:"65536" min:"1" max:"65536" doc:"Size of the entropy values set (EVS): entropies are drawn from 0 to one less; at switches it has no effect." source:"ARCANE §2.2"`
}

// Build returns the balancer. It fails if an option is out of bounds.
func (o OPS) Build() (protocol.Balancer, error) {
	if o.Entropies < 1 || o.Entropies > 1<<bits {
		return protocol.Balancer{}, fmt.Errorf("ops: entropies is %d; it must be 1 to %d", o.Entropies, 1<<bits)
	}
	switch o.At {
	case AtHost:
		return protocol.Balancer{
			New: func(env protocol.Env) protocol.Entropy {
				return &perPacket{rand: env.Rand, entropies: uint64(o.Entropies)}
			},
		}, nil
	case AtSwitch:
		return protocol.Balancer{
			Spray: protocol.Spray{Way: protocol.ByRandom},
			New:   func(protocol.Env) protocol.Entropy { return unused{} },
		}, nil
	}
	return protocol.Balancer{}, fmt.Errorf("ops: at is %q; use %s or %s", o.At, AtHost, AtSwitch)
}

// perPacket draws an entropy for each packet.
type perPacket struct {
	deaf
	rand      *rand.PCG
	entropies uint64
}

func (c *perPacket) Start(unit.Time)       {}
func (c *perPacket) Next(unit.Time) uint16 { return draw(c.rand, c.entropies) }

// unused gives all packets the same entropy, for switches that do not look at it.
type unused struct{ deaf }

func (unused) Start(unit.Time)       {}
func (unused) Next(unit.Time) uint16 { return 0 }

// deaf takes no notice of what comes back.
type deaf struct{}

func (deaf) Resume(unit.Time)    {}
func (deaf) Acked(*protocol.Ack) {}
func (deaf) Lost(*protocol.Loss) {}

// draw returns a value below n, which is at most 2¹⁶; its bias is below 2⁻¹⁶.
func draw(r *rand.PCG, n uint64) uint16 { return uint16(r.Uint64() >> 32 * n >> 32) }

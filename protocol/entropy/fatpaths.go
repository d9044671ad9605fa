package entropy

import (
	"fmt"

	"weft/protocol"
	"weft/unit"
)

// FatPaths moves a connection from layer to layer of its routes (Besta et al., SC 2020, §III-B,
// §V-A and §V-F): to another one, each as likely, with each flowlet, when the receiver asks for
// it because headers arrived without their payload, and after a timeout. The entropy, modulo the
// number of layers, is the tag of the layer. The paper has flowlets of LetFlow's gap of 50 µs
// (§VII-A6), at 10 Gb/s: congestion on a layer slows a connection down, so that it pauses
// more often and leaves, whereas a fast layer keeps it.
//
// A report of a trimmed packet is the request: it comes from the receiver, and changes nothing
// if the packet was sent on another layer than the present one. The paper gives the request no
// form, nor says after how many headers it is made. A timeout stands for the ICMP message by which
// its TCP variant learns of a failed link (§VIII-A1).
//
// Without layers it is flowlet switching that changes path for trimmed packets, too.
type FatPaths struct {
	Gap    unit.Time `yaml:"gap" default:"50us" min:"1ps" doc:"Pause between two packets of a connection after which the next one takes another layer." source:"FatPaths §VII-A6"`
	OnTrim bool      `yaml:"on_trim" default:"true" doc:"Whether a connection takes another layer when a packet that it sent on the present one was trimmed." source:"FatPaths §III-C"`
	First  string    `yaml:"first" default:"random" enum:"random,minimal" doc:"Layer on which a connection begins: any, or layer 0, which has all links." source:"FatPaths §III-B (random), §VIII-A1 (minimal)"`
}

// Build returns the balancer.
func (o FatPaths) Build() (protocol.Balancer, error) {
	if o.Gap <= 0 {
		return protocol.Balancer{}, fmt.Errorf("fatpaths: gap is %v, shorter than any pause; to choose for each packet use ops", o.Gap)
	}
	const last = 32 // time of the last packet
	return protocol.Balancer{
		StateBits: bits + last,
		Needs:     protocol.Needs{Wants: []protocol.Want{{Need: protocol.Trimming, Without: "leaves a layer only after pauses and timeouts"}}},
		New: func(env protocol.Env) protocol.Entropy {
			return &fatPaths{FatPaths: o, draws: draws{env.Rand, 1 << bits}, layers: uint32(max(1, env.Layers))}
		},
	}, nil
}

type fatPaths struct {
	FatPaths
	draws
	layers  uint32
	last    unit.Time // when the last packet was sent
	entropy uint16
}

func (c *fatPaths) Start(now unit.Time) {
	c.entropy, c.last = c.draw(), now
	if c.First == "minimal" {
		c.entropy -= uint16(uint32(c.entropy) % c.layers)
	}
}

func (c *fatPaths) Resume(unit.Time) {}

func (c *fatPaths) Next(now unit.Time) uint16 {
	if now-c.last > c.Gap {
		c.move()
	}
	c.last = now
	return c.entropy
}

func (c *fatPaths) Acked(*protocol.Ack) {}

func (c *fatPaths) Lost(l *protocol.Loss) {
	if l.Entropy != c.entropy && !l.Unplaced || l.Cause == protocol.Trimmed && !c.OnTrim {
		return
	}
	c.move()
}

// move takes another layer, with a new entropy in it; without layers, another entropy.
func (c *fatPaths) move() {
	if c.layers == 1 {
		c.entropy = c.draw()
		return
	}
	at := uint32(c.entropy) % c.layers
	at = (at + 1 + uint32(draw(c.rand, uint64(c.layers-1)))) % c.layers
	// As many entropies for each layer, so that none is preferred.
	c.entropy = uint16(uint32(draw(c.rand, uint64(1<<bits/c.layers)))*c.layers + at)
}

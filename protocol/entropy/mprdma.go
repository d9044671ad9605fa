package entropy

import (
	"fmt"

	"weft/protocol"
	"weft/unit"
)

// MPRDMA is the path selection of MP-RDMA (Lu et al., "Multi-Path Transport for
// RDMA in Datacenters", NSDI 2018, §3.1): a packet takes the path, here the
// entropy, of the acknowledgement that clocks it out. Since a marked
// acknowledgement shrinks the window, fewer packets follow it, and congested paths
// get less; nothing is remembered of a path. The first window, and packets that
// no acknowledgement clocks out (after timeouts and idle times), take random
// entropies. Once a round-trip time, with a small probability, a packet tries a
// random one too.
//
// Acknowledgements come faster than packets leave, and a host's connections share
// a wire: the entropies of packets that the window has let go and the wire has
// not yet taken wait in order, at most 32. With congestion control mprdma this is
// MP-RDMA's Algorithm 1; with others, their window decides how many packets an
// acknowledgement clocks out. It needs acknowledgements that clock packets out,
// and one for every packet.
//
// Left out, since ARCANE compares transports that take packets in any order: the
// pruning of paths whose packets come late (§3.2), which keeps MP-RDMA's receive
// window small, and its synchronised operations (§3.3). The paper says once in an
// RTT: here it is the unloaded one. The authors' simulator (REPS artefact) keeps
// the entropy of the last acknowledgement alone, and does not probe.
type MPRDMA struct {
	Probe     unit.Ratio `yaml:"probe" default:"1%" min:"0%" max:"100%" doc:"Probability, once a round-trip time, that a packet takes a random path instead of that of its acknowledgement." source:"MP-RDMA (NSDI 2018), §3.1"`
	Entropies int        `yaml:"entropies" default:"65536" min:"1" max:"65536" doc:"Size of the entropy values set (EVS): entropies are drawn from 0 to one less." source:"ARCANE §2.2"`
}

// Build returns the balancer. It fails if an option is out of bounds.
func (o MPRDMA) Build() (protocol.Balancer, error) {
	if err := checkEntropies("mprdma", o.Entropies); err != nil {
		return protocol.Balancer{}, err
	}
	if !(o.Probe >= 0 && o.Probe <= 1) {
		return protocol.Balancer{}, fmt.Errorf("mprdma: probe is %v; it must be 0%% to 100%%", o.Probe)
	}
	// The entropies that wait belong to packets, whose headers hold them.
	const probed = 32
	return protocol.Balancer{
		Needs:     protocol.AckClock | protocol.PacketAcks,
		StateBits: probed,
		New: func(env protocol.Env) protocol.Entropy {
			return &clocked{
				draws: draws{env.Rand, uint64(o.Entropies)}, payload: max(env.Payload, 1), rtt: env.BaseRTT,
				probe: uint64(min(float64(o.Probe)*(1<<32), 1<<32)),
			}
		},
	}, nil
}

// waiting is how many released packets have their entropies kept.
const waiting = 32

type clocked struct {
	draws
	payload unit.Bytes
	rtt     unit.Time
	probe   uint64 // probability in 2⁻³²

	ring       [waiting]uint16
	head, tail uint32
	probed     unit.Time // when a probe was last considered
}

func (c *clocked) Start(now unit.Time) { c.head, c.tail, c.probed = 0, 0, now }

func (c *clocked) Resume(unit.Time) { c.head = c.tail }

// Acked notes the entropy for as many packets as the acknowledgement lets go:
// those that may be sent now less those that were let go before and still wait.
func (c *clocked) Acked(a *protocol.Ack) {
	released := a.Room / c.payload
	for unit.Bytes(c.tail-c.head) < min(released, waiting) {
		c.ring[c.tail%waiting] = a.Entropy
		c.tail++
	}
}

func (c *clocked) Next(now unit.Time) uint16 {
	random := c.head == c.tail
	ev := c.ring[c.head%waiting]
	if !random {
		c.head++
	}
	if now-c.probed >= c.rtt && c.probe > 0 {
		c.probed = now
		random = random || c.rand.Uint64()>>32 < c.probe
	}
	if random {
		return c.draw()
	}
	return ev
}

// Lost lets a timeout forget what waits: the window has shrunk, and it is not
// acknowledgements that clock out what follows.
func (c *clocked) Lost(l *protocol.Loss) {
	if l.Cause == protocol.Timeout {
		c.head = c.tail
	}
}

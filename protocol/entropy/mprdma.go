package entropy

import (
	mathbits "math/bits"

	"weft/problem"
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
// not yet taken wait in order, about as many as a path holds. With congestion control mprdma this is
// MP-RDMA's Algorithm 1; with others, their window decides how many packets an
// acknowledgement clocks out. It needs acknowledgements that clock packets out,
// and one for every packet.
//
// Left out, since ARCANE compares transports that take packets in any order: the
// pruning of paths whose packets come late (§3.2), which keeps MP-RDMA's receive
// window small, and its synchronised operations (§3.3). The paper says once in an
// RTT: here it is the unloaded one.
//
// The authors' simulator of ARCANE (REPS artefact) does not probe, and keeps the
// last acknowledgement's entropy alone, not once but until the next one. That next
// one clears it, and what follows is random, if the window then has no room for a
// full packet: as that sender goes beyond its window by a part of a packet, this
// is so, nearly always, when the window is what holds it up. With keep set to room
// it is so here, where senders never go beyond their windows and room for a second
// packet tells that it is not the window. Last is between this and the paper.
type MPRDMA struct {
	Keep      Keep       `yaml:"keep" default:"all" enum:"all,last,room" doc:"Which entropies packets reuse. all: those of the acknowledgements that clock them out, one after another. last: that of the last acknowledgement, once. room: that of the last acknowledgement until the next one, only if the window has room for two packets. Otherwise a random entropy." source:"MP-RDMA (NSDI 2018), §3.1; room: authors' simulator (REPS artefact); last: weft"`
	Probe     unit.Ratio `yaml:"probe" default:"1%" min:"0%" max:"100%" doc:"Probability per round-trip time that a packet takes a random path instead of that of its acknowledgement." source:"MP-RDMA (NSDI 2018), §3.1"`
	Entropies int        `yaml:"entropies" default:"65536" min:"1" max:"65536" doc:"Size of the entropy values set (EVS): entropies are 0 to EVS-1." source:"ARCANE §2.2"`
}

// Keep names what [MPRDMA] keeps of acknowledgements until packets leave.
type Keep string

// What can be kept.
const (
	// KeepAll keeps an entropy for each packet that acknowledgements clocked out.
	KeepAll Keep = "all"
	// KeepLast keeps that of the last acknowledgement until one packet took it.
	KeepLast Keep = "last"
	// KeepRoom keeps that of the last acknowledgement for all packets until the
	// next one, if the window has room for two packets.
	KeepRoom Keep = "room"
)

// Build returns the balancer. It fails if an option is out of bounds.
func (o MPRDMA) Build() (protocol.Balancer, error) {
	if err := checkEntropies("mprdma", o.Entropies); err != nil {
		return protocol.Balancer{}, err
	}
	if !(o.Probe >= 0 && o.Probe <= 1) {
		return protocol.Balancer{}, problem.At("probe", "mprdma: probe is %v", o.Probe).Mend("it must be 0%% to 100%%")
	}
	if o.Keep != KeepAll && o.Keep != KeepLast && o.Keep != KeepRoom {
		return protocol.Balancer{}, problem.At("keep", "mprdma: keep is %q", o.Keep).Mend("it must be %s, %s or %s", KeepAll, KeepLast, KeepRoom)
	}
	// The entropies that wait belong to packets, whose headers hold them.
	const probed = 32
	state := probed
	if o.Keep != KeepAll {
		state += 16 + 1 // the entropy, and whether it is unused
	}
	return protocol.Balancer{
		Needs:     protocol.Needs{Must: protocol.AckClock | protocol.PacketAcks},
		Entropies: o.Entropies,
		StateBits: state,
		New: func(env protocol.Env) protocol.Entropy {
			return &clocked{
				draws: draws{env.Rand, uint64(o.Entropies)}, payload: max(env.Payload, 1), rtt: env.BaseRTT,
				ring:  newRing(env.BDPPackets),
				probe: uint64(min(float64(o.Probe)*(1<<32), 1<<32)),
				keep:  o.Keep,
			}
		},
	}, nil
}

// maxWaiting bounds the packets whose entropies wait for the wire.
const maxWaiting = 4096

// newRing returns a buffer for as many entropies as a path holds packets: more do not
// wait for the wire unless the window is beyond what fills the path twice.
func newRing(packets int) []uint16 {
	return make([]uint16, 1<<mathbits.Len(uint(min(max(packets, 32), maxWaiting)-1)))
}

type clocked struct {
	draws
	payload unit.Bytes
	rtt     unit.Time
	probe   uint64 // probability in 2⁻³²
	keep    Keep

	ring       []uint16 // a power of two
	head, tail uint32
	// allowed is how many packets the window has let go that are not sent, or
	// unknown. The first of them were not clocked out by acknowledgements if there
	// are more of them than entropies in the ring.
	allowed int64
	probed  unit.Time // when a probe was last considered
}

const unknown = -1

func (c *clocked) Start(now unit.Time) {
	c.forget()
	c.probed = now
}

func (c *clocked) Resume(unit.Time) { c.forget() }

func (c *clocked) forget() { c.head, c.tail, c.allowed = 0, 0, unknown }

// Acked notes the entropy for as many packets as the acknowledgement lets go.
func (c *clocked) Acked(a *protocol.Ack) {
	if c.keep != KeepAll {
		c.ring[0], c.head, c.tail = a.Entropy, 0, 1
		if c.keep == KeepRoom && a.Room < 2*c.payload {
			c.tail = 0
		}
		return
	}
	allowed := int64(max(0, a.Room) / c.payload)
	released := min(allowed-c.allowed, 2*int64(a.Packets))
	if c.allowed == unknown {
		released = min(allowed, int64(a.Packets))
	}
	c.allowed = allowed
	for ; released > 0 && c.waiting() < int64(len(c.ring)); released-- {
		c.ring[int(c.tail)&(len(c.ring)-1)] = a.Entropy
		c.tail++
	}
	if over := c.waiting() - allowed; over > 0 { // the window shrank under them
		c.tail -= uint32(over)
	}
}

func (c *clocked) waiting() int64 { return int64(c.tail - c.head) }

func (c *clocked) Next(now unit.Time) uint16 {
	random := c.head == c.tail || c.keep == KeepAll && c.allowed > c.waiting()
	ev := c.ring[int(c.head)&(len(c.ring)-1)]
	if !random && c.keep != KeepRoom {
		c.head++
	}
	if c.allowed > 0 {
		c.allowed--
	}
	if c.probe > 0 && now-c.probed >= c.rtt {
		c.probed = now
		random = random || c.rand.Uint64()>>32 < c.probe
	}
	if random {
		return c.draw()
	}
	return ev
}

// Lost lets a timeout forget what waits: it is not acknowledgements that clock
// out what follows.
func (c *clocked) Lost(l *protocol.Loss) {
	if l.Cause == protocol.Timeout && c.keep != KeepRoom {
		c.forget()
	}
}

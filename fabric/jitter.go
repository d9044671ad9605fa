package fabric

import (
	"math/bits"
	"math/rand/v2"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Jitter makes hosts send slightly differently from each other and from frame to
// frame, as real NICs do. It only affects when a frame leaves a host. The order of
// frames stays as the endpoint decides. The zero value means exact NICs.
//
// Source: random delays at sources avoid phase effects (Floyd and Jacobson, On Traffic
// Phase Effects in Packet-Switched Gateways, CCR 21(2), 1991, §4; ns-2, overhead_ of
// its TCP agents). IEEE 802.3 allows clocks a tolerance of ±100 ppm.
//
// Departure: clocks are only ever slow, so that no host sends faster than the nominal rate
// of its link and ideal times stay lower bounds. Only the difference of two clocks matters.
type Jitter struct {
	// Delay is the longest wait of a frame at its NIC while the wire is idle. Each
	// frame draws its own wait uniformly from 0 to Delay, in picoseconds.
	Delay sim.Time
	// PPM is the largest slowness of a host's clock in parts per million, below 10⁶.
	// Each host draws its own once, uniformly from 0 to PPM.
	PPM int
}

func (j Jitter) on() bool { return j != Jitter{} }

// jitter is the timing of one host.
type jitter struct {
	random rand.PCG // stream of the waits
	most   uint64   // longest wait, in picoseconds
	slow   uint64   // slowness of the clock, in parts per billion
}

func newJitter(j Jitter, seed uint64, host string) jitter {
	name := sim.Hash(host)
	clock := sim.Stream(seed, name, "nic clock")
	out := jitter{most: uint64(j.Delay), slow: upTo(&clock, uint64(j.PPM)*1000)}
	sim.SeedStream(&out.random, seed, name, "nic jitter")
	return out
}

// upTo draws uniformly from 0 to most.
func upTo(random *rand.PCG, most uint64) uint64 {
	drawn, _ := bits.Mul64(random.Uint64(), most+1)
	return drawn
}

// slowed returns a rate as the host's slow clock makes it, rounded up.
func (j *jitter) slowed(r unit.Rate) unit.Rate {
	const billion = 1_000_000_000
	hi, lo := bits.Mul64(uint64(r), j.slow)
	less, _ := bits.Div64(hi, lo, billion)
	return r - unit.Rate(less)
}

// jitters is the timing of the hosts of a domain. It implements waiter.
type jitters []jitter

// placeJitter gives every host its own timing.
func (n *Network) placeJitter(j Jitter) {
	if !j.on() {
		return
	}
	for _, d := range n.domains {
		d.hooks.waiter = make(jitters, len(d.nics))
	}
	for _, node := range n.graph.Hosts {
		at := n.nodes[node]
		d := n.domains[at.domain]
		clock := newJitter(j, n.seed, n.graph.Nodes[node].Name)
		d.hooks.waiter.(jitters)[at.index] = clock
		up := d.nics[at.index].port
		d.cold[up].rate = clock.slowed(d.cold[up].rate)
		d.ports[up].setRate(d.cold[up].rate)
	}
	n.hooks.clock = n.clocked
}

// wait implements waiter. It keeps the wire of a host idle before its next frame.
func (l jitters) wait(h int32, p *port, now sim.Time) {
	j := &l[h]
	p.busyUntil = max(p.busyUntil, now) + sim.Time(upTo(&j.random, j.most))
}

// clocked returns the rate of a directed link by its sender's clock, given the nominal rate.
func (n *Network) clocked(id topo.PortID, r unit.Rate) unit.Rate {
	from, _ := n.graph.Ends(id)
	at := n.nodes[from]
	if n.graph.Nodes[from].Kind == topo.Host {
		return n.domains[at.domain].hooks.waiter.(jitters)[at.index].slowed(r)
	}
	return r
}

// Package entropy has the load balancers that others are measured against, each in
// a file of its own.
//
// Oblivious ones learn nothing: [ECMP], with one entropy value for a connection;
// oblivious packet spraying ([OPS]), with a random one for every packet;
// [RoundRobin]; and [Flowlet], which looks at pauses only. [PLB], [Bitmap] and
// [MPRDMA] learn from acknowledgements, [FatPaths] from trimmed packets; [Spritz] and
// [Flicr] choose among explicit paths. [MPTCP] divides messages. With [LetFlow] and [Adaptive], and with
// OPS and RoundRobin on demand, it is switches that choose.
package entropy

import (
	"math/rand/v2"

	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// bits is the width of an entropy value, that of a UDP source port.
const bits = 16

// Entries returns the balancers of this package for a catalog.
func Entries() []catalog.Entry[protocol.Balancer] {
	return []catalog.Entry[protocol.Balancer]{
		catalog.Define("ecmp",
			"one random entropy per connection: all its packets take the same path",
			"RFC 2992; ARCANE §2.2", ECMP.Build).Alias("fecmp"),
		catalog.Define("ops",
			"oblivious packet spraying: a random entropy, or a random port at every switch, for each packet",
			"Dixit et al., INFOCOM 2013; ARCANE §2.2", OPS.Build).Alias("oblivious", "rps", "spray", "packet-spraying", "per-packet"),
		catalog.Define("round-robin",
			"entropies, or ports of every switch, one after another",
			"weft; uet-htsim", RoundRobin.Build).Alias("oblivious", "rr"),
		catalog.Define("flowlet",
			"flowlet switching at the sender: a new random entropy after a pause",
			"Vanini et al., NSDI 2017; ARCANE §4.1", Flowlet.Build),
		catalog.Define("fatpaths",
			"flowlets over layers of routes: another layer after a pause, a trimmed packet or a timeout",
			"Besta et al., SC 2020 (FatPaths), §III, §V-F", FatPaths.Build),
		catalog.Define("spritz",
			"keeps to good paths, and draws others by their delay; leaves a path after marks or trimmed packets, and permanently after a timeout",
			"Bonato et al., arXiv 2602.19567 (Spritz), abstract; its artefact in spcl/HTSIM", Spritz.Build).Alias("spritz-scout").Means("spritz-spray", "{kind: spritz, mode: spray}"),
		catalog.Define("flicr",
			"one path for a connection; another, drawn by its delay, after a round trip with many marks, or a loss",
			"artefact of Spritz (arXiv 2602.19567) in spcl/HTSIM", Flicr.Build),
		catalog.Define("letflow",
			"flowlet switching at every switch: a new random port after a pause",
			"Vanini et al., NSDI 2017 (LetFlow), §3", LetFlow.Build),
		catalog.Define("plb",
			"protective load balancing: a new random entropy when many packets were marked; by default as eager as FlowBender",
			"Qureshi et al., SIGCOMM 2022; Kabbani et al., CoNEXT 2014; ARCANE §4.1", PLB.Build).Alias("flowbender"),
		catalog.Define("mprdma",
			"sends on the path of the acknowledgement that clocks the packet out",
			"Lu et al., NSDI 2018 (MP-RDMA), §3.1", MPRDMA.Build),
		catalog.Define("mptcp",
			"divides every message into subflows, each with its own path and congestion window",
			"Raiciu et al., SIGCOMM 2011; ARCANE §4.1", MPTCP.Build),
		catalog.Define("bitmap",
			"walks through all entropies and skips those that were marked or lost",
			"Le et al., arXiv 2407.15266 (STrack); uet-htsim; ARCANE §4.1", Bitmap.Build).Alias("strack"),
		catalog.Define("adaptive-roce",
			"every switch sends every packet to its least loaded port",
			"NVIDIA Spectrum-X; ARCANE §4.1", Adaptive.Build).Alias("adaptive-routing", "ar", "spectrum-x"),
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
		Oblivious: true,
		OnePath:   true,
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
	Entropies int   `yaml:"entropies" default:"65536" min:"1" max:"65536" doc:"Size of the entropy values set (EVS): entropies are 0 to EVS-1; no effect at switches." source:"ARCANE §2.2"`
}

// Build returns the balancer. It fails if an option is out of bounds.
func (o OPS) Build() (protocol.Balancer, error) {
	if err := checkEntropies("ops", o.Entropies); err != nil {
		return protocol.Balancer{}, err
	}
	switch o.At {
	case AtHost:
		return protocol.Balancer{
			Oblivious: true,
			Entropies: o.Entropies,
			New: func(env protocol.Env) protocol.Entropy {
				return &perPacket{rand: env.Rand, entropies: uint64(o.Entropies)}
			},
		}, nil
	case AtSwitch:
		return protocol.Balancer{
			Oblivious: true,
			Spray:     protocol.Spray{Way: protocol.ByRandom},
			Needs:     protocol.Needs{Must: protocol.OneLayer},
			New:       func(protocol.Env) protocol.Entropy { return unused{} },
		}, nil
	}
	return protocol.Balancer{}, problem.At("at", "ops: at is %q", o.At).Mend("use %s or %s", AtHost, AtSwitch)
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

// checkEntropies reports a size that no set of entropy values has.
func checkEntropies(balancer string, n int) error {
	if n < 1 || n > 1<<bits {
		return problem.At("entropies", "%s: entropies is %d; it must be 1 to %d", balancer, n, 1<<bits)
	}
	return nil
}

// deaf takes no notice of what comes back.
type deaf struct{}

func (deaf) Resume(unit.Time)    {}
func (deaf) Acked(*protocol.Ack) {}
func (deaf) Lost(*protocol.Loss) {}

// draws is a set of entropies to draw from.
type draws struct {
	rand *rand.PCG
	size uint64
}

func (d *draws) draw() uint16 { return draw(d.rand, d.size) }

// draw returns a value below n, which is at most 2¹⁶; its bias is below 2⁻¹⁶.
func draw(r *rand.PCG, n uint64) uint16 { return uint16(r.Uint64() >> 32 * n >> 32) }

package entropy

import (
	"fmt"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// Adaptive is adaptive routing by switches, as NVIDIA's adaptive RoCE does and
// ARCANE compares with (§4.1): every packet goes to the port with the least load
// among those on minimal paths, at every switch anew, acknowledgements too. It
// takes notice of nothing but the switch's own ports.
//
// The load is, by default, the bytes that a port has accepted and not fully
// serialised, of all priority classes, the whole frame in service included: so an
// idle port and one that has just begun to send differ. As time, the same bytes
// count by how long the port's link takes for what is left of them, which tells
// slow ports from fast ones. Ports of the same load are drawn from evenly, by the
// switch's own random stream; the authors' simulator (REPS artefact) compares
// bytes too, and takes the first of them.
//
// NVIDIA publishes neither what is compared nor how finely; bin and step make
// loads equal that differ by less. Its switches pass over ports whose own link is
// down (avoid). The default, ignore, leaves knowledge of failures to routing, as
// ARCANE's experiments do (§4.3.3), so that it is reconverge alone that decides
// when switches know: until then a dead port seems to send what it is given, at
// the rate of its link.
type Adaptive struct {
	Load          LoadKind   `yaml:"load" default:"bytes" enum:"bytes,time" doc:"Load to compare: bytes queued, or the time that the port's link takes to send them." source:"authors' simulator (REPS artefact); not in ARCANE"`
	Bin           unit.Bytes `yaml:"bin" default:"0B" min:"0B" doc:"Granularity of loads in bytes; 0B compares exactly." source:"weft"`
	Step          unit.Time  `yaml:"step" default:"0ns" min:"0ns" doc:"Granularity of loads in time; 0ns compares exactly." source:"weft"`
	Ties          TieKind    `yaml:"ties" default:"random" enum:"random,first,ranked" doc:"Which of several least loaded ports is taken: a random one, the first of the next-hop set, whose order all switches share (first), or the first in an order of each switch's own (ranked)." source:"weft; ranked: authors' simulator (REPS artefact) and uet-htsim"`
	HashBelow     unit.Bytes `yaml:"hash_below" default:"0B" min:"0B" doc:"Size on the wire below which switches hash a frame instead of comparing loads; 128B leaves out acknowledgements and trimmed headers." source:"uet-htsim has 100B"`
	Choices       int        `yaml:"choices" default:"0" min:"0" max:"1024" doc:"Number of ports that are drawn, with replacement, and compared; 0 compares all." source:"weft; 2 is the power of two choices"`
	LocalFailures Knowledge  `yaml:"local_failures" default:"ignore" enum:"ignore,avoid" doc:"Whether a switch avoids ports whose own link is down, or treats them as if they still sent, until routes change." source:"ARCANE §4.3.3; avoid is what real switches do"`
}

// LoadKind names what is compared.
type LoadKind string

// Loads of a port.
const (
	Bytes LoadKind = "bytes"
	Time  LoadKind = "time"
)

// TieKind names how ties are broken.
type TieKind string

// Ways to break ties.
const (
	RandomTie TieKind = "random"
	FirstTie  TieKind = "first"
	RankedTie TieKind = "ranked"
)

// Knowledge names what a switch makes of ports whose link is down.
type Knowledge string

// What a switch makes of dead ports.
const (
	Ignore Knowledge = "ignore"
	Avoid  Knowledge = "avoid"
)

// Build returns the balancer. It fails if an option is out of bounds.
func (o Adaptive) Build() (protocol.Balancer, error) {
	s := protocol.Spray{Way: protocol.ByLoad, Bin: o.Bin, Step: o.Step, Choices: o.Choices, HashBelow: o.HashBelow}
	switch o.Load {
	case Bytes:
		s.Step = 0
	case Time:
		s.Load, s.Bin = protocol.QueuedTime, 0
	default:
		return protocol.Balancer{}, problem.At("load", "adaptive-roce: load is %q", o.Load).Mend("use %s or %s", Bytes, Time)
	}
	switch o.Ties {
	case RandomTie:
	case FirstTie:
		s.Tie = protocol.FirstTie
	case RankedTie:
		s.Tie = protocol.RankedTie
	default:
		return protocol.Balancer{}, problem.At("ties", "adaptive-roce: ties is %q", o.Ties).Mend("use %s, %s or %s", RandomTie, FirstTie, RankedTie)
	}
	switch o.LocalFailures {
	case Ignore:
	case Avoid:
		s.AvoidDown = true
	default:
		return protocol.Balancer{}, problem.At("local_failures", "adaptive-roce: local_failures is %q", o.LocalFailures).Mend("use %s or %s", Ignore, Avoid)
	}
	if err := s.Check(); err != nil {
		return protocol.Balancer{}, fmt.Errorf("adaptive-roce: %w", err)
	}
	return protocol.Balancer{
		Oblivious: true,
		Spray:     s,
		Needs:     protocol.Needs{Must: protocol.OneLayer},
		New:       func(protocol.Env) protocol.Entropy { return unused{} },
	}, nil
}

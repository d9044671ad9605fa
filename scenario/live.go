package scenario

import (
	"errors"
	"slices"
	"strings"

	"weft/fabric"
	"weft/transport"
	"weft/unit"
)

// This file has what a scenario's fabric is for packets of real programs.

// emulated is weft emulate, as conflicts list it.
const emulated = "weft emulate"

// liveFeature is what cannot be done to packets of programs.
var liveFeature = feature{
	name: emulated,
	conflicts: []conflict{{
		with: "fabric.overflow: trim", at: "fabric.overflow",
		why: "no program knows what to do with a packet that was cut to its header", remedy: "write overflow: drop",
		live: func(p *plan) bool { return p.queues.port.Trim != nil },
	}, {
		with: "fabric.telemetry", at: "fabric.telemetry",
		why: "packets of programs have no room for what switches write", remedy: "remove telemetry, or choose a control that needs none",
		live: func(p *plan) bool { return partOf[fabric.Telemetry](p).On },
	}, {
		with: "fabric.credits", at: "fabric.credits",
		why: "programs send no credits", remedy: "remove credits, or choose a control that needs none",
		live: func(p *plan) bool { return p.queues.port.Credit.On() },
	}, {
		with: "a control of switches (rocc, rcp)", at: "transport.congestion",
		why: "programs do not read notices of switches", remedy: "choose another control, such as dctcp",
		live: func(p *plan) bool {
			return slices.ContainsFunc(p.groups, func(g transport.Group) bool { return g.Congestion.Controller.On() })
		},
	}, {
		with: "paths that hosts choose", at: "transport.balancer",
		why: "programs name no paths", remedy: "choose another balancer, such as ecmp",
		live: func(p *plan) bool { return p.explicit() },
	}},
}

// LiveFabric is what who carries packets of programs must know of a fabric.
type LiveFabric struct {
	// Hosts are their names, and Rates those of their links.
	Hosts []string
	Rates []unit.Rate
	// Frame is the largest frame on the wire, with all headers.
	Frame unit.Bytes
	// Spray is how switches spread packets: as the balancer of the first traffic does, by its number for the fabric.
	Spray uint8
	// Until is when the run ends at the latest; Forever if the file does not say.
	Until unit.Time
}

// LiveFabric returns what the fabric of a scenario is for packets of programs. Its errors are *config.Error: what cannot be
// done to such packets.
func (s *Scenario) LiveFabric() (LiveFabric, error) {
	p, err := s.plan(nil)
	if err != nil {
		return LiveFabric{}, err
	}
	var wrong []error
	for _, one := range features() {
		for i := range one.conflicts {
			if e := &one.conflicts[i]; e.live != nil && e.live(p) {
				wrong = append(wrong, at(e.at, e.problem(strings.NewReplacer(), p.needed())))
			}
		}
	}
	if len(wrong) > 0 {
		return LiveFabric{}, s.placed(errors.Join(wrong...))
	}
	f := LiveFabric{Frame: p.frames.data, Until: p.times.until, Spray: sprayOf(p.groups)}
	for h := range p.graph.Hosts {
		f.Hosts = append(f.Hosts, p.hostName(int32(h)))
		f.Rates = append(f.Rates, p.lineRate(int32(h)))
	}
	return f, nil
}

// sprayOf returns the way in which switches spray for the first group.
func sprayOf(groups []transport.Group) uint8 {
	if len(groups) == 0 {
		return 0
	}
	return groups[0].Spray
}

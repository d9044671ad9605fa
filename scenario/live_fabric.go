package scenario

import (
	"errors"

	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// LiveFabric describes a fabric to a carrier of packets of programs.
type LiveFabric struct {
	Hosts []LiveHost
	// Frame is the size of the largest frame on the wire, with all headers.
	Frame unit.Bytes
	// Spray is the fabric's number for how switches spread packets: as the balancer of the
	// first traffic asks.
	Spray uint8
	// RTT is the unloaded round trip of a full frame and its acknowledgement on the longest
	// minimal path.
	RTT unit.Time
}

// LiveHost is a host and its link.
type LiveHost struct {
	Name string
	Rate unit.Rate
	// Link is the name of the link to the host.
	Link string
	// Down is the switch port that sends to the host. Delay is the propagation delay from
	// there.
	Down  topo.PortID
	Delay unit.Time
}

// LiveFabric returns a scenario's fabric for packets of programs. Its errors are
// *config.Error; they list features that do not work with such packets.
func (s *Scenario) LiveFabric() (LiveFabric, error) {
	p, err := s.plan(nil)
	if err != nil {
		return LiveFabric{}, err
	}
	if err := errors.Join(p.unlive()...); err != nil {
		return LiveFabric{}, s.placed(err)
	}
	return p.liveFabric(), nil
}

// liveFabric does the work of LiveFabric for a plan.
func (p *plan) liveFabric() LiveFabric {
	f := LiveFabric{Frame: p.frames.data, Spray: sprayOf(p.groups), RTT: p.derived.rtt}
	for h := range p.graph.Hosts {
		up := p.uplinks[h]
		f.Hosts = append(f.Hosts, LiveHost{
			Name: p.hostName(int32(h)), Rate: p.lineRate(int32(h)), Link: p.graph.PortName(up.Reverse()), Down: up.Reverse(), Delay: p.graph.Links[up.Link()].Delay,
		})
	}
	return f
}

// sprayOf returns how switches spray packets for the first group.
func sprayOf(groups []transport.Group) uint8 {
	if len(groups) == 0 {
		return 0
	}
	return groups[0].Spray
}

package scenario

import (
	"errors"

	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// LiveFabric is what who carries packets of programs must know of a fabric.
type LiveFabric struct {
	Hosts []LiveHost
	// Frame is the largest frame on the wire, with all headers.
	Frame unit.Bytes
	// Spray is how switches spread packets: as the balancer of the first traffic does, by its number for the fabric.
	Spray uint8
	// RTT is the round trip of a full frame and its acknowledgement, unloaded, on the longest minimal path.
	RTT unit.Time
}

// LiveHost is a host and its link.
type LiveHost struct {
	Name string
	Rate unit.Rate
	// Link is the name of the link to it.
	Link string
	// Down is the sending end of the link at the switch, and Delay how long a frame is on its way from there.
	Down  topo.PortID
	Delay unit.Time
}

// LiveFabric returns what the fabric of a scenario is for packets of programs. Its errors are *config.Error: what cannot be
// done to such packets.
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

// liveFabric is LiveFabric of a plan.
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

// sprayOf returns the way in which switches spray for the first group.
func sprayOf(groups []transport.Group) uint8 {
	if len(groups) == 0 {
		return 0
	}
	return groups[0].Spray
}

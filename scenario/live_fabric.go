package scenario

import (
	"weft/transport"
	"weft/unit"
)

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
	if err := p.unlive(); err != nil {
		return LiveFabric{}, s.placed(err)
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

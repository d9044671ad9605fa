package scenario

import (
	"weft/topo"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

// mostOf returns the size of the largest message that the transports of a group and of its
// background can carry.
func mostOf(s *Traffic) unit.Bytes {
	payload := s.Transport.Payload
	if s.Background != nil {
		payload = min(payload, s.Background.Transport.Payload)
	}
	return payload * transport.MaxPackets
}

// traffic builds a group of traffic, except its transport.
func (p *plan) traffic(s *Traffic) (workload.Traffic, workload.Setting, error) {
	t := workload.Traffic{Start: s.Start, Jitter: s.Jitter, LookAhead: s.LookAhead}
	if s.Stop != nil {
		t.Stop = *s.Stop
	}
	var setting workload.Setting
	var err error
	if t.Pattern, err = s.Pattern.Build(); err != nil {
		return t, setting, at("pattern", err)
	}
	if listed(t.Pattern) {
		t.Sizes = workload.Fixed(1) // a placeholder: the list has the sizes
	} else if t.Sizes, err = s.Size.Load(); err != nil {
		return t, setting, at("size", err)
	}
	if t.Arrival, err = s.Arrival.Build(); err != nil {
		return t, setting, at("arrival", err)
	}
	members, err := p.hosts(s.Hosts)
	if err != nil {
		return t, setting, at("hosts", err)
	}
	setting = p.setting(s.Name, members)
	if of, ok := t.Shares(); ok {
		carried, known := p.offering.carried[s.Name]
		if !known {
			if carried, err = p.share(of, t.Full(), setting); err != nil {
				return t, setting, at(loadPath(t), err)
			}
			p.offering.carried[s.Name] = carried
		}
		if t, err = t.Scaled(carried); err != nil {
			return t, setting, at(loadPath(t), err)
		}
	}
	setting.Kept = new(workload.Kept)
	return t, setting, nil
}

// setting returns the setting for traffic with a name among some hosts.
func (p *plan) setting(name string, members []int32) workload.Setting {
	index := make(map[string]int32, len(p.graph.Hosts))
	for i, n := range p.graph.Hosts {
		index[p.graph.Nodes[n].Name] = int32(i)
	}
	return workload.Setting{
		Hosts:   len(p.graph.Hosts),
		Members: members,
		Name:    func(h int32) string { return p.graph.Nodes[p.graph.Hosts[h]].Name },
		Lookup: func(name string) (int32, bool) {
			h, ok := index[name]
			return h, ok
		},
		Node:     func(h int32) int32 { return int32(p.graph.Hosts[h]) },
		LineRate: func(h int32) unit.Rate { return p.graph.Links[p.uplinks[h].Link()].Rate },
		Edge: func(h int32) int32 {
			_, edge := p.graph.Ends(p.uplinks[h])
			return int32(edge)
		},
		Pod: func(h int32) int32 {
			_, edge := p.graph.Ends(p.uplinks[h])
			return p.graph.Nodes[edge].Group
		},
		Distances: func(edges []int32) [][]uint8 {
			list := make([]topo.NodeID, len(edges))
			for i, e := range edges {
				list[i] = topo.NodeID(e)
			}
			return topo.DistancesBetween(p.graph, list)
		},
		Seed: p.seed, Group: name,
	}
}

// listed reports whether a pattern lists its messages with their sizes.
func listed(p workload.Pattern) bool {
	o, ok := p.(workload.Ordered)
	return ok && o.Lists()
}

// loadPath returns the key where a group gives its load.
func loadPath(t workload.Traffic) string {
	if _, ok := t.Pattern.(workload.Bursts); ok {
		return "pattern"
	}
	return "arrival"
}

// repliesSuffix is appended to a group's name for its replies.
const repliesSuffix = "-replies"

// backgroundSuffix is appended to a group's name for its background.
const backgroundSuffix = "-background"

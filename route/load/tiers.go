package load

import "weft/topo"

// Names of tiers.
const (
	// Hosts are the links of hosts.
	Hosts = "hosts"
	// Uplinks are links between switches with hosts and the switches above them.
	Uplinks = "uplinks"
	// Core are links further up.
	Core = "core"
	// Local are links within groups of switches, and Global links between groups, in
	// networks whose switches have no tiers.
	Local  = "local"
	Global = "global"
	// Switches are links between switches that have neither tiers nor groups.
	Switches = "switches"
)

// Tier is the load of one kind of links. Loads are shares of capacity, in the direction
// with more load.
type Tier struct {
	Name string
	// Links is the number of links.
	Links int
	// Mean is the total load of the links divided by their total capacity.
	Mean float64
	// Most is the load of the busiest link, and Port that link. Known is false if they are
	// not known, as for links between switches if only some destinations were computed.
	Most  float64
	Port  topo.PortID
	Known bool
}

// Tiers returns the loads of the kinds of links that exist, from hosts inward.
func (l *Loads) Tiers() []Tier { return l.tiers }

// Busiest returns the tier with the most loaded link. Where that is not known, it uses the
// mean load of the tier.
func (l *Loads) Busiest() (t Tier, load float64) {
	for _, one := range l.tiers {
		at := one.Mean
		if one.Known {
			at = one.Most
		}
		if at > load {
			t, load = one, at
		}
	}
	return t, load
}

// tierOf returns the tier of a link.
func tierOf(g *topo.Graph, l *topo.Link) string {
	a, b := &g.Nodes[l.A], &g.Nodes[l.B]
	switch low := min(a.Tier, b.Tier); {
	case a.Kind == topo.Host || b.Kind == topo.Host:
		return Hosts
	case a.Tier == b.Tier && (a.Group == 0 || b.Group == 0):
		return Switches
	case a.Tier == b.Tier && a.Group == b.Group:
		return Local
	case a.Tier == b.Tier:
		return Global
	case low <= 1:
		return Uplinks
	}
	return Core
}

// tiers sums up the loads. It multiplies the loads of links between switches by scale.
func (s *spreader) tiers(scale float64) []Tier {
	type sum struct {
		Tier
		carried, capacity [2]float64
	}
	order := []string{Hosts, Uplinks, Core, Local, Global, Switches}
	sums := map[string]*sum{}
	for i := range s.graph.Links {
		l := &s.graph.Links[i]
		name := tierOf(s.graph, l)
		t := sums[name]
		if t == nil {
			t = &sum{Tier: Tier{Name: name, Known: name == Hosts || scale == 1}}
			sums[name] = t
		}
		t.Links++
		for way := range 2 {
			p := topo.PortID(2*i + way)
			rate := l.Rate
			if s.o.Rate != nil {
				rate = s.o.Rate(p)
			}
			if rate <= 0 {
				continue
			}
			bits := s.bits[p]
			if name != Hosts {
				bits *= scale
			}
			direction := way
			if up := s.graph.Nodes[l.A].Tier > s.graph.Nodes[l.B].Tier; up {
				direction = 1 - way
			}
			t.carried[direction] += bits
			t.capacity[direction] += float64(rate)
			if load := bits / float64(rate); load > t.Most {
				t.Most, t.Port = load, p
			}
		}
	}
	var list []Tier
	for _, name := range order {
		t := sums[name]
		if t == nil {
			continue
		}
		if flat := name == Local || name == Global || name == Switches; flat {
			t.Mean = (t.carried[0] + t.carried[1]) / max(1, t.capacity[0]+t.capacity[1])
		} else {
			t.Mean = max(t.carried[0]/max(1, t.capacity[0]), t.carried[1]/max(1, t.capacity[1]))
		}
		list = append(list, t.Tier)
	}
	return list
}

package fault

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/portable"
	"weft/problem"
	"weft/topo"
	"weft/unit"
)

// scriptPlan draws the failures of a script.
type scriptPlan struct {
	*script
	site Site
	// code selects the reading of the artefact's code rather than its README.
	code bool
	// until is when new failures stop starting.
	until unit.Time
	// safe checks which failures leave every two hosts a shortest path.
	safe *connectivity
	// failed holds the ports that fail at some time in the failures drawn so far.
	failed   map[topo.PortID]bool
	episodes []Episode
	marks    []Mark
}

// outage is one failure.
type outage struct {
	member   member
	from, to unit.Time
}

// each returns a copy of e for each port of the outage.
func (h outage) each(e Episode) []Episode {
	list := make([]Episode, len(h.member.ports))
	e.From, e.To = h.from, h.to
	for i, port := range h.member.ports {
		e.Port = port
		list[i] = e
	}
	return list
}

// switches returns all switches, each with its ports in both directions.
func (p *scriptPlan) switches() ([]member, error) {
	t, err := switchTargets(p.site, []string{"*"}, Sample{}, false)
	return t.members, err
}

// Tiers of the switches that Only-US-CS-Cable joins.
const (
	aggregation = 2
	core        = 3
)

// cables returns the cables between switches. In the code's reading, each direction
// is a cable of its own.
func (p *scriptPlan) cables(coreOnly bool) ([]member, error) {
	g := p.site.Graph
	var all []member
	for port := range topo.PortID(2 * len(g.Links)) {
		a, b := g.Ends(port)
		from, to := &g.Nodes[a], &g.Nodes[b]
		switch {
		case from.Kind == topo.Host || to.Kind == topo.Host:
		case coreOnly && (min(from.Tier, to.Tier) != aggregation || max(from.Tier, to.Tier) != core):
		case p.code:
			all = append(all, member{[]topo.PortID{port}, g.PortName(port), int(port)})
		case port == topo.PortID(2*port.Link()):
			all = append(all, member{[]topo.PortID{port, port.Reverse()}, g.PortName(port), int(port)})
		}
	}
	switch {
	case len(all) > 0:
		return all, nil
	case coreOnly:
		return nil, problem.New("Only-US-CS-Cable is ON, but no link joins switches of the tiers 2 and 3").Mend("write OFF, or take a topology of three tiers")
	}
	return nil, problem.New("no link joins two switches, so that no cable can fail").Mend("take another topology")
}

// rounding prevents 0.29 · 100 from rounding down to 28.
const rounding = 1e-9

// most returns how many of n may fail, given a script's share. The artefact's code
// counts switches twice, so it divides by halves, which is 2 for switches.
func (p *scriptPlan) most(share float64, n, halves int) int {
	switch {
	case !p.code:
		return max(1, int(math.Floor(share*float64(n)+rounding)))
	case share == 1:
		return 1
	}
	return int(math.Floor(share*float64(n)/float64(halves)+rounding)) + 1
}

// ofEachSwitch replaces the limit where the share applies to each switch's own cables.
const ofEachSwitch = -1

// draw chooses what fails and when, with at most most failures at a time.
func (p *scriptPlan) draw(f failing, all []member, most int, of string) ([]outage, error) {
	portable.Shuffle(p.site.Rand, all)
	whole := slices.DeleteFunc(slices.Clone(all), func(m member) bool {
		return !slices.ContainsFunc(m.ports, func(port topo.PortID) bool { return !p.failed[port] })
	})
	var hits []outage
	var err error
	switch {
	case f.start >= p.until:
		return nil, problem.New("failures of %s begin at %v, when they have stopped at %v", of, f.start, p.until).Mend("let them begin before Stop-Failures-After and until")
	case f.lasts:
		hits, err = p.recurring(f, whole, most, of)
	default:
		hits = p.lasting(f, whole, most)
	}
	if err == nil && len(hits) == 0 {
		err = problem.New("no %s can fail with a shortest path left for every two hosts", singular(of)).Mend("take a topology with more paths, or turn the failure off")
	}
	// Later draws keep hosts connected even if all of these are down.
	for _, h := range hits {
		breakAll(p.safe.broken, []member{h.member})
		for _, port := range h.member.ports {
			p.failed[port] = true
		}
	}
	return hits, err
}

func singular(of string) string {
	if of == "switches" {
		return "switch"
	}
	return "link"
}

// lines returns what messages call the cables.
func (p *scriptPlan) lines() string {
	if p.code {
		return "directions of links"
	}
	return "links"
}

// lasting draws failures that never end on their own.
func (p *scriptPlan) lasting(f failing, all []member, most int) []outage {
	var chosen []member
	if most == ofEachSwitch {
		chosen = p.eachSwitch(f.most, all)
	} else {
		chosen = p.safe.harmless(all, most)
	}
	var hits []outage
	for i, m := range chosen {
		if f.period > 0 && unit.Time(i) > (p.until-1-f.start)/f.period {
			break
		}
		hits = append(hits, outage{m, f.start + unit.Time(i)*f.period, p.stop})
	}
	return hits
}

// eachSwitch chooses cables so that each switch loses at most a share of its own.
func (p *scriptPlan) eachSwitch(share float64, all []member) (chosen []member) {
	g := p.site.Graph
	left := make([]int, len(g.Nodes))
	adjacency := g.Adjacency()
	for n := range left {
		left[n] = p.most(share, len(adjacency.Ports(topo.NodeID(n))), 1)
	}
	// A cable counts at each switch that sends on it.
	count := func(m member, by int) (room bool) {
		room = true
		for _, port := range m.ports {
			from, _ := g.Ends(port)
			left[from] += by
			room = room && left[from] >= 0
		}
		return room
	}
	for {
		// Try all cables with room together. Where one would separate hosts, another one gets its turn.
		var try, later []member
		for _, m := range all {
			if count(m, -1) {
				try = append(try, m)
			} else {
				count(m, 1)
				later = append(later, m)
			}
		}
		if len(try) == 0 {
			return chosen
		}
		taken := p.safe.harmless(try, len(try))
		next := 0
		for _, m := range try {
			if next < len(taken) && taken[next].place == m.place {
				next++
			} else {
				count(m, 1)
			}
		}
		chosen, all = append(chosen, taken...), later
	}
}

// mostWithoutEnd is how many failures a script may have if nothing stops them.
const mostWithoutEnd = 1000

// recurring draws failures that end and are followed by others.
func (p *scriptPlan) recurring(f failing, all []member, most int, of string) ([]outage, error) {
	base := slices.Clone(p.safe.broken)
	var hits []outage
	ended := 0 // leading hits that are over; hits end in their order
	next := 0  // index of the next candidate
	for at := f.start; at < p.until; {
		if ended < len(hits) && hits[ended].to <= at {
			for ended < len(hits) && hits[ended].to <= at {
				ended++
			}
			copy(p.safe.broken, base)
			for _, h := range hits[ended:] {
				breakAll(p.safe.broken, []member{h.member})
			}
		}
		chosen := -1
		if len(hits)-ended < most {
			chosen = p.another(all, hits[ended:], next)
		}
		if chosen < 0 {
			if ended == len(hits) {
				return hits, nil
			}
			at = hits[ended].to
			continue
		}
		if p.until == unit.Forever && len(hits) == mostWithoutEnd || len(hits) == maxFlaps {
			return nil, problem.At("until", "failures of %s begin again and again, more than %d times", of, len(hits)).Mend("set until, or Stop-Failures-After in the script")
		}
		hits = append(hits, outage{all[chosen], at, min(after(at, f.duration), p.stop)})
		next = (chosen + 1) % len(all)
		at = after(at, f.period)
	}
	return hits, nil
}

// another returns the index of the next candidate, starting at from, that works and
// may fail; -1 if there is none.
func (p *scriptPlan) another(all []member, down []outage, from int) int {
	for i := range all {
		i = (from + i) % len(all)
		if slices.ContainsFunc(down, func(h outage) bool { return h.member.place == all[i].place }) {
			continue
		}
		if len(p.safe.harmless(all[i:i+1], 1)) == 1 {
			return i
		}
	}
	return -1
}

// add appends the episodes of hits, and marks for figures.
func (p *scriptPlan) add(hits []outage, matching int, of, begins, ends string, episodes func(outage) []Episode) {
	var t targets
	known := map[int]bool{}
	var last unit.Time
	for _, h := range hits {
		p.episodes = append(p.episodes, episodes(h)...)
		last = max(last, h.to)
		if !known[h.member.place] {
			known[h.member.place] = true
			t.members = append(t.members, h.member)
		}
	}
	t = t.labelled(p.site, matching, of, []string{"all"})
	p.marks = append(p.marks, Mark{At: hits[0].from, What: t.label + " " + begins})
	if n := len(hits); hits[n-1].from > hits[0].from {
		p.marks[len(p.marks)-1].What = fmt.Sprintf("first of %s %s", t.label, begins)
		p.marks = append(p.marks, Mark{At: hits[n-1].from, What: fmt.Sprintf("last of %s %s", t.label, begins)})
	}
	if last != unit.Forever {
		p.marks = append(p.marks, Mark{At: last, What: t.label + " " + ends})
	}
}

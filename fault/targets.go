package fault

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"weft/internal/portable"
	"weft/topo"
	"weft/unit"
)

// targets are the ports that a fault hits, in order, and what a figure calls them.
type targets struct {
	ports []topo.PortID
	label string
}

// selection is the options by which faults of links choose them.
type selection struct {
	links  []string
	oneWay bool
	share  *unit.Ratio
	pick   *int
}

// choose returns the ports of the chosen links.
func (s selection) choose(g *topo.Graph, r *rand.PCG) (targets, error) {
	if len(s.links) == 0 {
		return targets{}, errors.New(`links is empty; name at least one, as in "tor0->spine0" or "tor*->spine*"`)
	}
	var ports []topo.PortID
	for _, pattern := range s.links {
		matched, err := g.MatchPorts(pattern)
		if err != nil {
			return targets{}, fmt.Errorf("links: %w", err)
		}
		ports = append(ports, matched...)
	}
	// The direction that the pattern names labels a link hit in both.
	slices.Sort(ports)
	ports = slices.Compact(ports)
	links := slices.Clone(ports)
	links = slices.CompactFunc(links, func(a, b topo.PortID) bool { return a.Link() == b.Link() })
	chosen, err := pick(r, links, s.share, s.pick, "links")
	if err != nil {
		return targets{}, err
	}
	t := targets{label: fmt.Sprintf("%d links (%s)", len(chosen), strings.Join(s.links, ", "))}
	if len(chosen) == 1 {
		t.label = g.PortName(chosen[0])
	}
	for _, p := range ports {
		if _, ok := slices.BinarySearchFunc(chosen, p.Link(), byLink); !ok {
			continue
		}
		t.ports = append(t.ports, p)
		if !s.oneWay {
			t.ports = append(t.ports, p.Reverse())
		}
	}
	slices.Sort(t.ports)
	t.ports = slices.Compact(t.ports)
	return t, nil
}

func byLink(p topo.PortID, l topo.LinkID) int { return int(p.Link()) - int(l) }

// pick returns the given share or number of all, chosen at random, in order; all
// of them if neither is given.
func pick[T ~int32](r *rand.PCG, all []T, share *unit.Ratio, number *int, of string) ([]T, error) {
	n := len(all)
	switch {
	case share != nil && number != nil:
		return nil, fmt.Errorf("share and pick both say how many %s fail; give one of them", of)
	case share != nil:
		if !(*share > 0 && *share <= 1) {
			return nil, fmt.Errorf("share is %v; it is more than 0 and at most 100%% of the matching %s", *share, of)
		}
		n = max(1, int(math.Round(float64(*share)*float64(n))))
	case number != nil:
		if *number < 1 || *number > n {
			return nil, fmt.Errorf("pick is %d; it is at least 1 and at most the %d matching %s", *number, n, of)
		}
		n = *number
	}
	if n == len(all) {
		return all, nil
	}
	portable.Sample(r, all, n)
	slices.Sort(all[:n])
	return all[:n], nil
}

// chooseSwitches returns the ports of the chosen switches, in both directions.
func chooseSwitches(g *topo.Graph, r *rand.PCG, patterns []string, share *unit.Ratio, number *int) (targets, error) {
	if len(patterns) == 0 {
		return targets{}, errors.New(`switches is empty; name at least one, as in "spine0" or "spine*"`)
	}
	var switches []topo.NodeID
	for _, pattern := range patterns {
		nodes, err := g.MatchNodes(pattern)
		if err != nil {
			return targets{}, fmt.Errorf("switches: %w", err)
		}
		before := len(switches)
		for _, n := range nodes {
			if g.Nodes[n].Kind == topo.Switch {
				switches = append(switches, n)
			}
		}
		if len(switches) == before {
			return targets{}, fmt.Errorf("switches: %q names no switch but the host %s; to cut off a host, take its link down: \"%[2]s->*\"", pattern, g.Nodes[nodes[0]].Name)
		}
	}
	slices.Sort(switches)
	chosen, err := pick(r, slices.Compact(switches), share, number, "switches")
	if err != nil {
		return targets{}, err
	}
	t := targets{label: fmt.Sprintf("%d switches (%s)", len(chosen), strings.Join(patterns, ", "))}
	if len(chosen) == 1 {
		t.label = g.Nodes[chosen[0]].Name
	}
	for p := range topo.PortID(2 * len(g.Links)) {
		from, to := g.Ends(p)
		if has(chosen, from) || has(chosen, to) {
			t.ports = append(t.ports, p)
		}
	}
	return t, nil
}

func has(sorted []topo.NodeID, n topo.NodeID) bool {
	_, ok := slices.BinarySearch(sorted, n)
	return ok
}

// span returns the first instant of a fault and the first after it.
func span(at unit.Time, duration *unit.Time) (from, to unit.Time, err error) {
	if at < 0 {
		return 0, 0, fmt.Errorf("at is %v; it cannot be before the run", at)
	}
	if duration == nil {
		return at, unit.Forever, nil
	}
	if *duration <= 0 {
		return 0, 0, fmt.Errorf("for is %v; give more than 0, or leave it out for a fault without end", *duration)
	}
	return at, after(at, *duration), nil
}

// after returns t + d, or Forever.
func after(t, d unit.Time) unit.Time {
	if d > unit.Forever-t {
		return unit.Forever
	}
	return t + d
}

// episodes returns one episode for each port like e, and marks at its ends.
func (t targets) episodes(e Episode, begins, ends string) ([]Episode, []Mark) {
	list := make([]Episode, len(t.ports))
	for i, p := range t.ports {
		e.Port = p
		list[i] = e
	}
	marks := []Mark{{At: e.From, What: t.label + " " + begins}}
	if e.What != Up && e.To != unit.Forever {
		marks = append(marks, Mark{At: e.To, What: t.label + " " + ends})
	}
	return list, marks
}

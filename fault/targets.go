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

// Where is the links that a fault hits.
type Where struct {
	Links  []string `yaml:"links" doc:"Links, by patterns such as tor0->spine0 or tor*->spine*."`
	OneWay bool     `yaml:"one_way" default:"false" doc:"Whether only the direction that the pattern names is hit, and not both."`
}

// Sample leaves some of the matching links or switches to chance. The zero value
// is all of them.
type Sample struct {
	Share *unit.Ratio `yaml:"share" doc:"Share of what matches that is hit, chosen at random, at least one; all when absent." max:"100%"`
	Pick  *int        `yaml:"pick" doc:"Number of what matches that is hit, chosen at random; all when absent." min:"1"`
}

// When is when a fault begins and how long it lasts.
type When struct {
	At  unit.Time  `yaml:"at" default:"0ns" doc:"When the fault begins."`
	For *unit.Time `yaml:"for" doc:"How long it lasts; for good when absent."`
}

// targets are the ports that a fault hits, in order, and what a figure calls them.
type targets struct {
	ports []topo.PortID
	label string
}

func (w Where) targets(g *topo.Graph, r *rand.PCG, s Sample) (targets, error) {
	if len(w.Links) == 0 {
		return targets{}, errors.New(`links is empty; name at least one, as in "tor0->spine0" or "tor*->spine*"`)
	}
	var ports []topo.PortID
	for _, pattern := range w.Links {
		matched, err := g.MatchPorts(pattern)
		if err != nil {
			return targets{}, fmt.Errorf("links: %w", err)
		}
		ports = append(ports, matched...)
	}
	slices.Sort(ports)
	ports = slices.Compact(ports)
	// The direction that a pattern names stands for its link, and labels it.
	links := slices.Clone(ports)
	links = slices.CompactFunc(links, func(a, b topo.PortID) bool { return a.Link() == b.Link() })
	chosen, err := pick(r, links, s, "links")
	if err != nil {
		return targets{}, err
	}
	var t targets
	switch {
	case len(chosen) == 1:
		t.label = g.PortName(chosen[0])
	case len(chosen) < len(links):
		t.label = fmt.Sprintf("%d links (%s)", len(chosen), listed(chosen, g.PortName))
	default:
		t.label = fmt.Sprintf("%d links (%s)", len(chosen), strings.Join(w.Links, ", "))
	}
	for _, p := range ports {
		if _, ok := slices.BinarySearchFunc(chosen, p.Link(), byLink); !ok {
			continue
		}
		t.ports = append(t.ports, p)
		if !w.OneWay {
			t.ports = append(t.ports, p.Reverse())
		}
	}
	slices.Sort(t.ports)
	t.ports = slices.Compact(t.ports)
	return t, nil
}

func byLink(p topo.PortID, l topo.LinkID) int { return int(p.Link()) - int(l) }

// pick returns the sampled elements of all, in order.
func pick[T ~int32](r *rand.PCG, all []T, s Sample, of string) ([]T, error) {
	n := len(all)
	switch {
	case s.Share != nil && s.Pick != nil:
		return nil, fmt.Errorf("share and pick both say how many %s are hit; give one of them", of)
	case s.Share != nil:
		if !(*s.Share > 0 && *s.Share <= 1) {
			return nil, fmt.Errorf("share is %v; it is more than 0 and at most 100%% of the matching %s", *s.Share, of)
		}
		n = max(1, int(math.Round(float64(*s.Share)*float64(n))))
	case s.Pick != nil:
		if *s.Pick < 1 || *s.Pick > n {
			return nil, fmt.Errorf("pick is %d; it is at least 1 and at most the %d matching %s", *s.Pick, n, of)
		}
		n = *s.Pick
	}
	if n == len(all) {
		return all, nil
	}
	portable.Sample(r, all, n)
	slices.Sort(all[:n])
	return all[:n], nil
}

// switchTargets returns the ports of the sampled switches, in both directions.
func switchTargets(g *topo.Graph, r *rand.PCG, patterns []string, s Sample) (targets, error) {
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
	switches = slices.Compact(switches)
	matched := len(switches)
	chosen, err := pick(r, switches, s, "switches")
	if err != nil {
		return targets{}, err
	}
	name := func(n topo.NodeID) string { return g.Nodes[n].Name }
	var t targets
	switch {
	case len(chosen) == 1:
		t.label = name(chosen[0])
	case len(chosen) < matched:
		t.label = fmt.Sprintf("%d switches (%s)", len(chosen), listed(chosen, name))
	default:
		t.label = fmt.Sprintf("%d switches (%s)", len(chosen), strings.Join(patterns, ", "))
	}
	for p := range topo.PortID(2 * len(g.Links)) {
		from, to := g.Ends(p)
		if has(chosen, from) || has(chosen, to) {
			t.ports = append(t.ports, p)
		}
	}
	return t, nil
}

// listed names what chance chose, which patterns do not tell.
func listed[T any](chosen []T, name func(T) string) string {
	const most = 64
	var names []string
	for _, c := range chosen[:min(most, len(chosen))] {
		names = append(names, name(c))
	}
	if more := len(chosen) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func has(sorted []topo.NodeID, n topo.NodeID) bool {
	_, ok := slices.BinarySearch(sorted, n)
	return ok
}

// ends returns the first instant of the fault and the first after it.
func (w When) ends() (from, to unit.Time, err error) {
	if w.At < 0 {
		return 0, 0, fmt.Errorf("at is %v; it cannot be before the run", w.At)
	}
	if w.For == nil {
		return w.At, unit.Forever, nil
	}
	if *w.For <= 0 {
		return 0, 0, fmt.Errorf("for is %v; give more than 0, or leave it out for a fault without end", *w.For)
	}
	return w.At, after(w.At, *w.For), nil
}

// after returns t + d, or Forever.
func after(t, d unit.Time) unit.Time {
	if d > unit.Forever-t {
		return unit.Forever
	}
	return t + d
}

// during returns for each port an episode like e, for as long as w says, and
// marks at its ends. Errors begin with the name of the fault.
func (t targets) during(name string, w When, e Episode, begins, ends string) ([]Episode, []Mark, error) {
	from, to, err := w.ends()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	marks := []Mark{{At: from, What: t.label + " " + begins}}
	e.From = from
	if e.What != Up {
		e.To = to
		if to != unit.Forever {
			marks = append(marks, Mark{At: to, What: t.label + " " + ends})
		}
	}
	list := make([]Episode, len(t.ports))
	for i, p := range t.ports {
		e.Port = p
		list[i] = e
	}
	return list, marks, nil
}

package fault

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/portable"
	"weft/problem"
	"weft/topo"
	"weft/unit"
)

// Where selects the links that a fault hits.
type Where struct {
	Links  []string `yaml:"links" doc:"Links, by patterns such as tor0->spine0 or tor*->spine*."`
	OneWay bool     `yaml:"one_way" default:"false" doc:"Hit only the direction that the pattern names, not both."`
}

// Sample leaves the choice among matching links or switches to chance. The zero
// value takes all of them.
type Sample struct {
	Share *unit.Ratio `yaml:"share" doc:"Share of the matches to hit, chosen at random, at least one (default: all)." max:"100%"`
	Pick  *int        `yaml:"pick" doc:"Number of matches to hit, chosen at random (default: all)." min:"1"`
}

// Cutting sets whether faults that take links down may cut hosts off. If neither
// option is set, cutting off a host is an error.
type Cutting struct {
	KeepConnected bool `yaml:"keep_connected" default:"false" doc:"Skip random choices that would part two hosts: they keep a shortest path of the whole network that works both ways. If too few can fail so, and routes follow (routing.reconverge is a time, or links are missing from the start), they keep any path. Links that earlier faults in the list take down at any time count as down."`
	AllowCutoff   bool `yaml:"allow_cutoff" default:"false" doc:"Allow the fault to cut hosts off from the others; refused otherwise."`
}

// AllowsCutoff reports whether the fault may cut hosts off.
func (c Cutting) AllowsCutoff() bool { return c.AllowCutoff }

// targets are the links or switches that a fault hits, and their label in figures.
type targets struct {
	// members are ordered as they are hit, if not all at once: in the order in which
	// chance drew them, or else in the order of the topology.
	members []member
	label   string
}

// member is a link or switch.
type member struct {
	ports []topo.PortID
	name  string
	place int // index in the topology
}

// ports returns the ports of all members, sorted.
func (t *targets) ports() []topo.PortID {
	var all []topo.PortID
	for _, m := range t.members {
		all = append(all, m.ports...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// labelled sets the label of the targets. If matched exceeds their number, chance
// chose, so the label lists names instead of patterns and the site receives the choice.
func (t targets) labelled(at Site, matched int, of string, patterns []string) targets {
	n := len(t.members)
	text := strings.Join(patterns, ", ")
	if n < matched {
		d := Drawn{Hit: n, Matching: matched, What: of, Names: t.names()}
		text = d.list()
		if at.Drew != nil {
			at.Drew(d)
		}
	}
	if n == 1 {
		t.label = t.members[0].name
		return t
	}
	t.label = fmt.Sprintf("%d %s (%s)", n, of, text)
	return t
}

// names returns the names of the first members in the order of the topology.
func (t targets) names() []string {
	sorted := slices.SortedFunc(slices.Values(t.members), func(a, b member) int { return a.place - b.place })
	names := make([]string, min(mostListed, len(sorted)))
	for i := range names {
		names[i] = sorted[i].name
	}
	return names
}

func (w Where) targets(at Site, s Sample, connected bool) (targets, error) {
	if len(w.Links) == 0 {
		return targets{}, problem.At("links", `links is empty; name at least one, as in "tor0->spine0" or "tor*->spine*"`)
	}
	g := at.Graph
	var ports []topo.PortID
	for _, pattern := range w.Links {
		matched, err := g.MatchPorts(pattern)
		if err != nil {
			return targets{}, problem.At("links", "links: %w", err)
		}
		ports = append(ports, matched...)
	}
	slices.Sort(ports)
	ports = slices.Compact(ports)
	// The direction that a pattern names represents its link and labels it.
	var links []member
	for _, p := range ports {
		n := len(links)
		if n == 0 || links[n-1].ports[0].Link() != p.Link() {
			links = append(links, member{[]topo.PortID{p}, g.PortName(p), int(p)})
			n++
		} else {
			links[n-1].ports = append(links[n-1].ports, p)
		}
		if m := &links[n-1]; !w.OneWay {
			m.ports = []topo.PortID{m.ports[0], m.ports[0].Reverse()}
		}
	}
	matched := len(links)
	chosen, err := pick(at, links, s, connected, "links")
	if err != nil {
		return targets{}, err
	}
	return targets{members: chosen}.labelled(at, matched, "links", w.Links), nil
}

// pick returns a sample of all in the order in which chance drew it, or all elements unchanged.
func pick(at Site, all []member, s Sample, connected bool, of string) ([]member, error) {
	n := len(all)
	switch {
	case s.Share != nil && s.Pick != nil:
		return nil, problem.At("share", "share and pick both set how many %s are hit", of).Mend("give one of them")
	case s.Share != nil:
		if !(*s.Share > 0 && *s.Share <= 1) {
			return nil, problem.At("share", "share is %v", *s.Share).Mend("it must be above 0 and at most 100%% of the matching %s", of)
		}
		n = max(1, int(math.Round(float64(*s.Share)*float64(n))))
	case s.Pick != nil:
		if *s.Pick < 1 || *s.Pick > n {
			return nil, problem.At("pick", "pick is %d", *s.Pick).Mend("it must be at least 1 and at most the %d matching %s", n, of)
		}
		n = *s.Pick
	}
	if connected {
		portable.Shuffle(at.Rand, all)
		chosen := newConnectivity(at.Graph, at.Broken).harmless(all, n)
		kept, remedy := "a shortest path", ", write routing: {reconverge: 10ms}, with which any path will do"
		if len(chosen) < n && at.Follow {
			chosen = newJoined(at.Graph, at.Broken).harmless(all, n)
			kept, remedy = "a path", ""
		}
		if len(chosen) < n {
			return nil, problem.At("keep_connected", "keep_connected is true, and the %d matching %s were drawn one after another; only %d of %d can fail with %s left for every two hosts; ask for fewer with pick or share%s, or leave it out",
				len(all), of, len(chosen), n, kept, remedy)
		}
		return chosen, nil
	}
	if n < len(all) {
		portable.Sample(at.Rand, all, n)
	}
	return all[:n], nil
}

// switchTargets returns the sampled switches, each with its ports in both directions.
func switchTargets(at Site, patterns []string, s Sample, connected bool) (targets, error) {
	if len(patterns) == 0 {
		return targets{}, problem.At("switches", `switches is empty; name at least one, as in "spine0" or "spine*"`)
	}
	g := at.Graph
	var switches []topo.NodeID
	for _, pattern := range patterns {
		nodes, err := g.MatchNodes(pattern)
		if err != nil {
			return targets{}, problem.At("switches", "switches: %w", err)
		}
		before := len(switches)
		for _, n := range nodes {
			if g.Nodes[n].Kind == topo.Switch {
				switches = append(switches, n)
			}
		}
		if len(switches) == before {
			return targets{}, problem.At("switches", "switches: %q names no switch but the host %s; to cut off a host, take its link down: \"%[2]s->*\"", pattern, g.Nodes[nodes[0]].Name)
		}
	}
	slices.Sort(switches)
	switches = slices.Compact(switches)
	all := make([]member, len(switches))
	for i, n := range switches {
		all[i].name, all[i].place = g.Nodes[n].Name, i
	}
	for p := range topo.PortID(2 * len(g.Links)) {
		from, to := g.Ends(p)
		for _, n := range []topo.NodeID{from, to} {
			if i, ok := slices.BinarySearch(switches, n); ok {
				all[i].ports = append(all[i].ports, p)
			}
		}
	}
	chosen, err := pick(at, all, s, connected, "switches")
	if err != nil {
		return targets{}, err
	}
	return targets{members: chosen}.labelled(at, len(switches), "switches", patterns), nil
}

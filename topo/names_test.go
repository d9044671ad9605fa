package topo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/unit"
)

func portNames(g *Graph, ports []PortID) string {
	var names []string
	for _, p := range ports {
		names = append(names, g.PortName(p))
	}
	return strings.Join(names, " ")
}

func nodeNames(g *Graph, nodes []NodeID) string {
	var names []string
	for _, n := range nodes {
		names = append(names, g.Nodes[n].Name)
	}
	return strings.Join(names, " ")
}

func TestPortNames(t *testing.T) {
	g := build(t, LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: 1, LinksPerSpine: 3, Rate: rate})
	want := []string{
		"host0->tor0", "tor0->host0", "host1->tor1", "tor1->host1",
		"tor0->spine0", "spine0->tor0", "tor0->spine0#1", "spine0->tor0#1", "tor0->spine0#2", "spine0->tor0#2",
		"tor1->spine0", "spine0->tor1", "tor1->spine0#1", "spine0->tor1#1", "tor1->spine0#2", "spine0->tor1#2",
	}
	if diff := cmp.Diff(want, g.PortNames()); diff != "" {
		t.Error(diff)
	}
	for p, name := range want {
		if got := g.PortName(PortID(p)); got != name {
			t.Errorf("PortName(%d) = %q, want %q", p, got, name)
		}
	}
}

// Parallel links count as such whichever end is written first.
func TestPortNamesOfTurnedLinks(t *testing.T) {
	g := build(t, LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: 1, LinksPerSpine: 2, Rate: rate})
	l := &g.Links[3]
	l.A, l.B = l.B, l.A
	if got := g.PortName(6); got != "spine0->tor0#1" {
		t.Errorf("got %s", got)
	}
	if got := g.PortNames()[6]; got != "spine0->tor0#1" {
		t.Errorf("PortNames: got %s", got)
	}
}

func TestMatchNodes(t *testing.T) {
	g := build(t, FatTree{Tiers: 2, ToRs: ptr(12), HostsPerToR: ptr(1), UplinksPerToR: ptr(2), Rate: rate})
	for _, test := range []struct{ pattern, want, wrong string }{
		{pattern: "tor3", want: "tor3"},
		{pattern: "tor1*", want: "tor1 tor10 tor11"},
		{pattern: "tor1?", want: "tor10 tor11"},
		{pattern: "*pine*", want: "spine0 spine1"},
		{pattern: "host2..host4", want: "host2 host3 host4"},
		{pattern: "host9..11", want: "host9 host10 host11"},
		{pattern: "tor0..tor0", want: "tor0"},
		{pattern: "torr3", wrong: `no node is named "torr3"; did you mean "tor3"?`},
		{pattern: "spin*e", wrong: `no node fits "spin*e"; did you mean "spine0"?`},
		{pattern: "core0", wrong: `no node is named "core0"; there are host0..host11, tor0..tor11, spine0..spine1`},
		{pattern: "host8..host12", wrong: `the range "host8..host12": no node is named "host12"; there are host0..host11`},
		{pattern: "tor12", wrong: `no node is named "tor12"; there are tor0..tor11`},
		{pattern: "host0..host4000000000", wrong: `no node is named "host12"`},
		{pattern: "host4..host2", wrong: `not a range of nodes; write it as in "host0..host7"`},
		{pattern: "host0..tor3", wrong: "not a range of nodes"},
		{pattern: "host..tor", wrong: "not a range of nodes"},
		{pattern: "host0..host99999999999999999999", wrong: "not a range of nodes"},
		{pattern: "", wrong: `no node is named ""`},
		{pattern: "0-11", wrong: `no node is named "0-11"; write host0..host11`},
		{pattern: "0..11", wrong: `the range "0..11" names no nodes; write host0..host11`},
		{pattern: "host0-host3", wrong: `no node is named "host0-host3"; write host0..host3`},
		{pattern: "host0-3", wrong: `write host0..host3`},
		{pattern: "host0:host3", wrong: `write host0..host3`},
		{pattern: "host0...host3", want: "", wrong: `write host0..host3`},
		{pattern: "host[0-3]", wrong: `write host0..host3`},
		{pattern: "tor1-tor2", wrong: `write tor1..tor2`},
		{pattern: "tor1-spine1", wrong: `no node is named "tor1-spine1"`},
		{pattern: "0-40", wrong: `write a range as in host0..host11`},
		{pattern: "3", wrong: `no node is named "3"; write host3, or a range as in host0..host11`},
	} {
		nodes, err := g.MatchNodes(test.pattern)
		checkMatch(t, test.pattern, nodeNames(g, nodes), test.want, err, test.wrong)
	}
}

func TestMatchPorts(t *testing.T) {
	g := build(t, LeafSpine{ToRs: 3, HostsPerToR: 1, Spines: 2, LinksPerSpine: 2, Rate: rate})
	for _, test := range []struct{ pattern, want, wrong string }{
		{pattern: "tor0->spine1#0", want: "tor0->spine1"},
		{pattern: "tor0->spine1#1", want: "tor0->spine1#1"},
		{pattern: "tor0->spine1", want: "tor0->spine1 tor0->spine1#1"},
		{pattern: "tor0->spine1#*", want: "tor0->spine1 tor0->spine1#1"},
		{pattern: "spine1->tor0", want: "spine1->tor0 spine1->tor0#1"},
		{pattern: "tor0 -> spine*#1", want: "tor0->spine0#1 tor0->spine1#1"},
		{pattern: "host0..host1->tor*", want: "host0->tor0 host1->tor1"},
		{pattern: "*->host?", want: "tor0->host0 tor1->host1 tor2->host2"},
		{pattern: "tor0", wrong: `port pattern "tor0" has no arrow; write "tor0->*"`},
		{pattern: "tor0-spine0", wrong: `port pattern "tor0-spine0" has no arrow; write "tor0->*" for all ports of a switch or "tor0->spine0" for one`},
		{pattern: "tor0->spin0", wrong: `port pattern "tor0->spin0": no node is named "spin0"; did you mean "spine0"?`},
		{pattern: "tro0->spine0", wrong: `did you mean "tor0"?`},
		{pattern: "tor0->tor1", wrong: "no link goes from tor0 to tor1; tor0 is linked to host0, spine0, spine0, spine1, spine1"},
		{pattern: "tor0->spine0#2", wrong: "there are no 3 parallel links"},
		{pattern: "tor0->spine0#x", wrong: `ends in "#x"`},
		{pattern: "->", wrong: `no node is named ""`},
	} {
		ports, err := g.MatchPorts(test.pattern)
		checkMatch(t, test.pattern, portNames(g, ports), test.want, err, test.wrong)
	}
}

func TestMatchPortsNamesFewNeighbours(t *testing.T) {
	g := build(t, Star{Hosts: 20, Rate: rate})
	_, err := g.MatchPorts("tor0->tor0")
	if err == nil || !strings.Contains(err.Error(), "host7 and 12 more") {
		t.Errorf("got %v", err)
	}
}

func checkMatch(t *testing.T, pattern, got, want string, err error, wrong string) {
	t.Helper()
	if wrong != "" {
		if err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: got %q, error %v; want an error with %q", pattern, got, err, wrong)
		}
		return
	}
	if err != nil || got != want {
		t.Errorf("%q: got %q, error %v; want %q", pattern, got, err, want)
	}
}

// The name of a port, with its place spelt out, matches that port and no other.
func TestPortNamesMatchThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, err := LeafSpine{
			ToRs:          rapid.IntRange(1, 4).Draw(t, "tors"),
			HostsPerToR:   rapid.IntRange(1, 3).Draw(t, "hosts"),
			Spines:        rapid.IntRange(1, 3).Draw(t, "spines"),
			LinksPerSpine: rapid.IntRange(1, 3).Draw(t, "parallel"),
			Rate:          unit.Gbps,
		}.Build()
		if err != nil {
			t.Fatal(err)
		}
		p := PortID(rapid.IntRange(0, 2*len(g.Links)-1).Draw(t, "port"))
		name := g.PortName(p)
		if !strings.Contains(name, hash) {
			name += "#0"
		}
		if ports, err := g.MatchPorts(name); err != nil || len(ports) != 1 || ports[0] != p {
			t.Fatalf("%s matches %v, error %v; want %d", name, ports, err, p)
		}
	})
}

func TestGlobAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab*?]{0,6}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[ab]{0,7}`).Draw(t, "name")
		if got, want := glob(pattern, name), slowGlob(pattern, name); got != want {
			t.Fatalf("glob(%q, %q) = %v", pattern, name, got)
		}
	})
}

func slowGlob(pattern, name string) bool {
	switch {
	case pattern == "":
		return name == ""
	case pattern[0] == '*':
		return slowGlob(pattern[1:], name) || name != "" && slowGlob(pattern, name[1:])
	default:
		return name != "" && (pattern[0] == '?' || pattern[0] == name[0]) && slowGlob(pattern[1:], name[1:])
	}
}

package topo

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/catalog"
	"weft/unit"
)

// triangle is three switches in a ring, with a host on two of them.
func triangle() *Graph {
	return &Graph{
		Nodes: []Node{
			{Name: "host0", Kind: Host},
			{Name: "a", Tier: 1, Latency: 300 * unit.Nanosecond},
			{Name: "host1", Kind: Host},
			{Name: "b", Tier: 1, Latency: half},
			{Name: "c", Tier: 2, Latency: half},
		},
		Links: []Link{
			{A: 0, B: 1, Rate: 100 * unit.Gbps, Delay: half},
			{A: 2, B: 3, Rate: 100 * unit.Gbps, Delay: half},
			{A: 1, B: 3, Rate: rate, Delay: unit.Microsecond},
			{A: 3, B: 4, Rate: rate, Delay: half},
			{A: 4, B: 1, Rate: rate, Delay: half},
		},
		Hosts: []NodeID{0, 2},
	}
}

var defaults = Defaults{Rate: 100 * unit.Gbps, UplinkRate: rate, Delay: half, SwitchLatency: half}

func TestReadFile(t *testing.T) {
	for _, name := range []string{"triangle.graphml", "triangle.csv"} {
		t.Run(name, func(t *testing.T) {
			g, err := ReadFile(filepath.Join("testdata", name), defaults)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(triangle(), g); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadFileRefuses(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.csv")
	for _, test := range []struct{ path, wrong string }{
		{"graph.gexf", `graph.gexf: the extension ".gexf" is unknown; use .graphml or .xml for graphml, .dot or .gv for dot, .json for node-link, .gml for gml, .edges or .edgelist for edges`},
		{missing, "missing.csv: no such file"},
	} {
		if _, err := ReadFile(test.path, defaults); err == nil || !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("got %v, want an error with %q", err, test.wrong)
		}
	}
}

func TestReadEdgesRefuses(t *testing.T) {
	for _, test := range []struct{ name, text, wrong string }{
		{"empty", "", "x.csv: the file is empty"},
		{"only comments", "# nothing\n", "x.csv: the file is empty"},
		{"no such column", "a,b,rat\n", `x.csv:1:5: unknown column "rat" (did you mean "rate"?); the first row names the columns: a,b,rate,delay`},
		{"column twice", "a,b,a\n", `x.csv:1:5: column "a" is given twice`},
		{"no b", "a,rate\n", `x.csv:1:1: column "b" is missing`},
		{"no rows", "a,b\n", "x.csv: there are no nodes"},
		{"too few fields", "a,b,rate\nhost0,t\n", "x.csv:2:1: the row has 2 fields, but there are 3 columns; use"},
		{"quote", "a,b\nhost0,t\"x\n", "x.csv:2:8: bare"},
		{"empty name", "a,b\nhost0,\n", "x.csv:2:7: a node has no name"},
		{"bad name", "a,b\nhost0,t*\n", `x.csv:2:7: node name "t*" contains`},
		{"no unit", "a,b,rate\nhost0,t,100\n", `x.csv:2:9: rate: rate "100" has no unit`},
		{"bad delay", "a,b,delay\nhost0,t,-1ns\n", "x.csv:2:9: delay:"},
		{"bad kind", "a,b,a_kind\nhost0,t,hub\n", `x.csv:2:9: a_kind: unknown kind of node "hub"; use host or switch`},
		{"kind changes", "a,b,a_kind\nx,t,host\nx,u,switch\n", `x.csv:3:1: node "x" is called a switch here but a host before (x.csv:2:1)`},
		{"kind comes late", "a,b,a_kind\nx,t,\nx,u,host\n", `x.csv:3:1: node "x" is called a host only here`},
		{"tier changes", "a,b,a_tier\nx,t,1\nx,u,2\n", `x.csv:3:1: node "x" has the tier 2 here but 1 before (x.csv:2:1)`},
		{"group changes", "a,b,b_group\nx,t,1\nx,t,2\n", `x.csv:3:3: node "t" has the group 2 here but 1 before (x.csv:2:3)`},
		{"no group", "a,b,b_group\nx,t,0\n", `x.csv:2:5: b_group: "0" is not a group; write a whole number from 1`},
		{"latency changes", "a,b,a_latency\nx,t,1ns\nx,u,2ns\n", `x.csv:3:1: node "x" has the latency 2ns here but 1ns before (x.csv:2:1)`},
		{"latency of a host", "a,b,a_latency\nhost0,t,1ns\n", "x.csv:2:1: host \"host0\" has a latency"},
		{"two links", "a,b\nhost0,t\nhost1,t\nhost0,t\n", `x.csv:4:1: host "host0" has 2 links; a host has exactly one: leave the others out, or make each NIC a host of its own`},
		{"self link", "a,b\nhost0,t\nt,t\n", `x.csv:3:1: "t" is linked to itself; leave the link out`},
		{"no hosts", "a,b\nt,u\n", "x.csv: the graph has no hosts; give nodes the kind host"},
		{"not connected", "a,b\nhost0,t\nhost1,t\nu,v\n", `x.csv:4:1: switch "u" is not connected to "host0"`},
		{"no rate", "a,b,rate\nhost0,t,0bps\n", "x.csv:2:1: the link of"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadEdges(strings.NewReader(test.text), "x.csv", defaults)
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("got %v, want an error with %q", err, test.wrong)
			}
		})
	}
}

func TestReadGraphMLRefuses(t *testing.T) {
	const key = "<key id='d' for='all' attr.name='"
	graph := func(inside string) string { return "<graphml>\n<graph>\n" + inside + "\n</graph></graphml>" }
	for _, test := range []struct{ name, text, wrong string }{
		{"empty", "", "x.graphml: there is no graph element"},
		{"no XML", "hello", "x.graphml: there is no graph element"},
		{"another XML", "<html/>", "x.graphml:1:1: the file begins with <html>"},
		{"unclosed", "<graphml>\n<graph>", "x.graphml:2:8: this is not well-formed XML: unexpected EOF"},
		{"unclosed node", "<graphml><graph>\n<node id='a'>", "x.graphml:2:14: this is not well-formed XML"},
		{"encoding", "<?xml version='1.0' encoding='EBCDIC'?><graphml/>", `the encoding "EBCDIC" is not supported; save the file as UTF-8`},

		{"two graphs", "<graphml><graph/><graph/></graphml>", "x.graphml:1:18: this is the second graph"},
		{"nested", graph("<node id='a'><graph/></node>"), `x.graphml:3:1: node "a" holds a graph`},
		{"hyperedge", graph("<hyperedge/>"), "x.graphml:3:1: hyperedges are not supported"},
		{"no id", graph("<node/>"), "x.graphml:3:1: a node has no name"},
		{"same id", graph("<node id='a'/>\n<node id='a'/>"), `x.graphml:4:1: node "a" is already defined (x.graphml:3:1)`},
		{"no such node", graph("<node id='host0'/><node id='tor0'/><edge source='host0' target='tor1'/>"), `the link of "host0" and "tor1": there is no node "tor1"; did you mean "tor0"?`},
		{"self link", graph("<node id='host0'/><node id='t'/><edge source='host0' target='t'/>\n<edge source='t' target='t'/>"), `x.graphml:4:1: "t" is linked to itself; leave the link out`},
		{"two links", graph("<node id='host0'/><node id='t'/><node id='u'/><edge source='host0' target='t'/>\n<edge source='host0' target='u'/>"), `x.graphml:4:1: host "host0" has 2 links; a host has exactly one`},
		{"no key", graph("<node id='a'><data key='k'>1</data></node>"), `the node has data for the key "k", which is not declared`},
		{"kind", key + "kind'/>", "no graph element"},
		{"bad kind", "<graphml>" + key + "kind'/><graph>\n<node id='a'><data key='d'>hub</data></node></graph></graphml>", `x.graphml:2:1: node "a": kind: unknown kind of node "hub"`},
		{"bad tier", "<graphml>" + key + "tier'/><graph>\n<node id='a'><data key='d'>0</data></node></graph></graphml>", `x.graphml:2:1: node "a": tier: "0" is not a tier`},
		{"bad latency", "<graphml>" + key + "latency'/><graph>\n<node id='a'><data key='d'>5</data></node></graph></graphml>", `x.graphml:2:1: node "a": latency: time "5" has no unit`},
		{"bad rate", "<graphml>" + key + "capacity'/><graph>\n<edge><data key='d'>5G</data></edge></graph></graphml>", `capacity: rate "5G" has the unknown unit`},
		{"bad delay", "<graphml>" + key + "delay'/><graph>\n<edge><data key='d'>x</data></edge></graph></graphml>", `delay: time "x" does not begin with a number`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadGraphML(strings.NewReader(test.text), "x.graphml", defaults)
			if test.name == "kind" {
				test.wrong = "x.graphml:1:1: the file begins with <key>"
			}
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("got %v, want an error with %q", err, test.wrong)
			}
		})
	}
}

func TestDefaultsHoldForWhatIsLeftOpen(t *testing.T) {
	g, err := ReadEdges(strings.NewReader("a,b\nhost0,t\nhost1,u\nt,u\n"), "x.csv", defaults)
	if err != nil {
		t.Fatal(err)
	}
	for l, want := range []unit.Rate{100 * unit.Gbps, 100 * unit.Gbps, rate} {
		if got := g.Links[l]; got.Rate != want || got.Delay != half {
			t.Errorf("link %d: %v, %v", l, got.Rate, got.Delay)
		}
	}
	if n, _ := g.Node("t"); g.Nodes[n].Latency != half {
		t.Errorf("latency %v", g.Nodes[n].Latency)
	}
	_, err = ReadEdges(strings.NewReader("a,b\nhost0,t\n"), "x.csv", Defaults{})
	if err == nil || !strings.Contains(err.Error(), "has no rate, and there is no default") {
		t.Errorf("without a default: %v", err)
	}
}

func TestHostsPerSwitch(t *testing.T) {
	d := defaults
	d.HostsPerSwitch = 2
	g, err := ReadEdges(strings.NewReader("a,b\nBern,Oslo\nOslo,Rome\n"), "x.csv", d)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Hosts) != 6 || g.Links[2].B != 0 || g.Links[7].B != 2 {
		t.Errorf("got %+v", g)
	}
	_, err = ReadEdges(strings.NewReader("a,b\nhost0,t\n"), "x.csv", d)
	if err == nil || !strings.Contains(err.Error(), "hosts_per_switch is for graphs without hosts") {
		t.Errorf("with hosts: %v", err)
	}
}

func TestTiersAreDerived(t *testing.T) {
	want := build(t, FatTree{Tiers: 3, Radix: ptr(4), Rate: rate})
	got := build(t, FatTree{Tiers: 3, Radix: ptr(4), Rate: rate})
	for i := range got.Nodes {
		got.Nodes[i].Tier = 0
	}
	got.deriveTiers()
	if diff := cmp.Diff(want.Nodes, got.Nodes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGraphMLRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		g.Nodes[0].Name = `s<&>é`
		var b bytes.Buffer
		if err := g.WriteGraphML(&b); err != nil {
			t.Fatal(err)
		}
		got, err := ReadGraphML(&b, "x.graphml", Defaults{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestEdgesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		slices.Reverse(g.Hosts)
		var b bytes.Buffer
		if err := g.WriteEdges(&b); err != nil {
			t.Fatal(err)
		}
		got, err := ReadEdges(&b, "x.csv", Defaults{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sorted(g), sorted(got)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(nodeNames(g, g.Hosts), nodeNames(got, got.Hosts)); diff != "" {
			t.Fatalf("hosts (-want +got):\n%s", diff)
		}
	})
}

// sorted writes a graph without its numbering: a line for each link, sorted.
func sorted(g *Graph) []string {
	var lines []string
	for _, l := range g.Links {
		a, b := g.Nodes[l.A], g.Nodes[l.B]
		lines = append(lines, strings.Join([]string{
			a.Name, a.Kind.String(), a.Latency.String(), strconv.Itoa(a.Tier), strconv.Itoa(int(a.Group)),
			b.Name, b.Kind.String(), b.Latency.String(), strconv.Itoa(b.Tier), strconv.Itoa(int(b.Group)), l.Rate.String(), l.Delay.String(),
		}, " "))
	}
	slices.Sort(lines)
	return lines
}

func TestCustom(t *testing.T) {
	g := build(t, Custom{
		Nodes: []CustomNode{{Name: "host0..host3"}, {Name: "leaf0..1"}, {Name: "x", Kind: ptr(Switch), Latency: ptr(unit.Nanosecond), Tier: ptr(3)}},
		Links: []CustomLink{
			{A: "host0..host1", B: "leaf0"},
			{A: "host2..host3", B: "leaf1"},
			{A: "leaf0..leaf1", B: "x", Count: 2, Rate: ptr(unit.Gbps), Delay: ptr(unit.Millisecond)},
		},
		Rate: rate, Delay: half, SwitchLatency: half,
	})
	want := strings.Fields(`
		host0->leaf0 host1->leaf0 host2->leaf1 host3->leaf1
		leaf0->x leaf0->x#1 leaf1->x leaf1->x#1`)
	var got []string
	for p, name := range g.PortNames() {
		if p%2 == 0 {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if n := g.Nodes[6]; n.Latency != unit.Nanosecond || n.Tier != 3 {
		t.Errorf("x is %+v", n)
	}
	if l := g.Links[5]; l.Rate != unit.Gbps || l.Delay != unit.Millisecond {
		t.Errorf("leaf0->x#1 is %+v", l)
	}
}

func TestCustomRefuses(t *testing.T) {
	nodes := []CustomNode{{Name: "host0..host1"}, {Name: "tor0"}}
	for _, test := range []struct {
		name    string
		options Custom
		wrong   string
	}{
		{"nothing", Custom{Rate: rate}, "graph: give file, or nodes and links"},
		{"both", Custom{Rate: rate, File: ptr(catalog.Path("x.csv")), Nodes: nodes}, "not both"},
		{"no such node", Custom{Rate: rate, Nodes: nodes, Links: []CustomLink{{A: "host0", B: "tor1"}}}, `graph: links[0]: the link of "host0" and "tor1": there is no node "tor1"; did you mean "tor0"?`},
		{"no link", Custom{Rate: rate, Nodes: nodes, Links: []CustomLink{{A: "host0", B: "tor0"}}}, `graph: nodes[0]: host "host1" has no link; link it to a switch, or leave it out`},
		{"same node", Custom{Rate: rate, Nodes: []CustomNode{{Name: "host0..host3"}, {Name: "host2"}}}, `nodes[1]: node "host2" is already defined (nodes[0])`},
		{"no range", Custom{Rate: rate, Nodes: []CustomNode{{Name: "host3..host0"}}}, "nodes[0]: \"host3..host0\" is not a range"},
		{"no range of links", Custom{Rate: rate, Nodes: nodes, Links: []CustomLink{{A: "host0", B: "tor9..tor0"}}}, "links[0]: \"tor9..tor0\" is not a range"},
		{"negative count", Custom{Rate: rate, Nodes: nodes, Links: []CustomLink{{A: "host0", B: "tor0", Count: -1}}}, "links[0]: count is -1"},
		{"too many links", Custom{Rate: rate, Nodes: nodes, Links: []CustomLink{{A: "a0..a99999", B: "b0..b99999"}}}, "links are too many"},
		{"huge range", Custom{Rate: rate, Nodes: []CustomNode{{Name: "host0..host999999999999"}}}, "is not a range"},
		{"no rate", Custom{Nodes: nodes}, "rate is 0bps"},
		{"more hosts than packets name", Custom{Rate: rate, HostsPerSwitch: 1 << 23, Nodes: []CustomNode{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Links: []CustomLink{{A: "a", B: "b"}, {A: "b", B: "c"}}}, "25165824 hosts are too many; packets name hosts in 24 bits"},
		{"too many hosts", Custom{Rate: rate, HostsPerSwitch: 1 << 40, Nodes: []CustomNode{{Name: "a"}, {Name: "b"}}, Links: []CustomLink{{A: "a", B: "b"}}}, "too many"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := test.options.Build(); err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("got %v, want an error with %q", err, test.wrong)
			}
		})
	}
}

func FuzzGraphML(f *testing.F) {
	seed(f, "triangle.graphml")
	f.Add([]byte("<graphml><graph><node id='host0'/><node id='host1'/><edge source='host0' target='host1'/></graph></graphml>"))
	f.Add([]byte("<graphml><key id='k'><default>1</default></key><graph><x><y/></x></graph></graphml>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := ReadGraphML(bytes.NewReader(text), "x.graphml", defaults)
		if err != nil {
			checkMessage(t, err)
			return
		}
		var b bytes.Buffer
		if err := g.WriteGraphML(&b); err != nil {
			t.Fatal(err)
		}
		again, err := ReadGraphML(&b, "x.graphml", Defaults{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, again); diff != "" {
			t.Errorf("read again (-first +second):\n%s", diff)
		}
	})
}

func FuzzEdges(f *testing.F) {
	seed(f, "triangle.csv")
	f.Add([]byte("a,b\nhost0,t\n"))
	f.Add([]byte("a,b\n=host0,@t\n-host1,@t\n"))
	f.Add([]byte("\ufeffb,a\r\n\"t\",host0\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := ReadEdges(bytes.NewReader(text), "x.csv", defaults)
		if err != nil {
			checkMessage(t, err)
			return
		}
		var b bytes.Buffer
		if err := g.WriteEdges(&b); err != nil {
			t.Fatal(err)
		}
		again, err := ReadEdges(&b, "x.csv", Defaults{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sorted(g), sorted(again)); diff != "" {
			t.Errorf("read again (-first +second):\n%s", diff)
		}
	})
}

func seed(f *testing.F, name string) {
	f.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
}

// checkMessage holds every message to one screen and to the name of its file.
func checkMessage(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); len(text) > 2000 || !strings.HasPrefix(text, "x.") {
		t.Errorf("message: %s", text)
	}
}

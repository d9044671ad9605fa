package topo

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// refusals are texts with the error that reading them gives.
type refusals []struct{ name, text, wrong string }

func (list refusals) check(t *testing.T, f Format) {
	t.Helper()
	for _, test := range list {
		t.Run(test.name, func(t *testing.T) {
			_, err := f.Read(strings.NewReader(test.text), "x", defaults)
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("got %v, want an error with %q", err, test.wrong)
			}
		})
	}
}

func TestDOTRefuses(t *testing.T) {
	refusals{
		{"empty", "", "x:1:1: found the end of the file instead of the word graph"},
		{"digraph", "strict digraph {}", "x:1:8: the graph is directed, but links are full duplex; write graph"},
		{"no brace", "graph g\n;", `x:2:1: found ";" instead of {`},
		{"no end", "graph {\n a", "x:2:3: found the end of the file instead of a node, an edge or }"},
		{"two graphs", "graph {}\ngraph {}", `x:2:1: "graph" follows the end of the graph`},
		{"arrow", "graph { a -> b }", "x:1:11: -> is for directed graphs; write --"},
		{"subgraph edge", "graph { {a} -- b }", "x:1:13: edges of whole subgraphs are not supported"},
		{"edge to subgraph", "graph { a -- {b c} }", "x:1:14: edges of whole subgraphs"},
		{"half an edge", "graph { a -- }", `x:1:14: found "}" instead of a node`},
		{"attribute", "graph { a [=] }", `x:1:12: found "=" instead of the name of an attribute or ]`},
		{"value", "graph { a [x=] }", `instead of the value of x`},
		{"defaults", "graph { node a }", `found "a" instead of [`},
		{"port", "graph { a: }", "instead of a port"},
		{"sign", "graph { a! }", `x:1:10: '!' is unexpected; put names with such characters in quotation marks`},
		{"string", "graph { \n\"a }", `x:2:1: the string has no end`},
		{"joined", `graph { "a" + b }`, "after + there must be another string"},
		{"html", "graph { <a }", "the string in angle brackets has no end"},
		{"comment", "graph {\n/* }", "x:2:1: the comment has no end"},
		{"depth", "graph {" + strings.Repeat("{", 200), "nested deeper than 99"},
		{"kind", "graph {\n a [kind=hub] }", `x:2:2: node "a": kind: unknown kind of node "hub"`},
		{"rate", "graph { a -- b\n[rate=5] }", `x:1:9: the edge of "a" and "b": rate: rate "5" has no unit`},
		{"twice", "graph { host0 -- t; \nt -- u; u -- t; host1 -- u }", `x:2:9: "t" and "u" are linked already (x:2:1); leave one out, or if they are parallel cables give each edge its own attribute key or set parallel_links`},
		{"self", "graph { host0 -- t\n t -- t }", `x:2:2: "t" is linked to itself; leave the link out`},
		{"two links", "graph { host0 -- t; host1 -- u;\n t -- u;\n host0 -- u }", `x:3:2: host "host0" has 2 links; a host has exactly one`},
		{"host number", "graph { host0 [host_number=1]; host0 -- t }", `host "host0" has the host_number 1; the 1 hosts are numbered from 0 to 0`},
		{"no host number", "graph { host0 [host_number=1] host1; host0 -- t; host1 -- t}", `x:1:31: host "host1" has no host_number`},
		{"number of a switch", "graph { host0 -- t; t [host_number=0] }", `switch "t" has a host_number; only hosts have one`},
		{"same number", "graph { node [host_number=0]; host0 host1 node [kind=switch, host_number=0]; }", `host "host1" has the host_number 0, like "host0"`},
	}.check(t, format(t, "dot"))
}

func TestNodeLinkRefuses(t *testing.T) {
	refusals{
		{"empty", "", "x:1:1: this is not well-formed JSON: unexpected EOF"},
		{"list", "[]", "the file is not a JSON object; node-link JSON is"},
		{"no nodes", "{}", `there is no list "nodes"`},
		{"nodes twice", `{"nodes": [], "nodes": []}`, "x:1:22: the list of nodes is given twice"},
		{"nodes no list", `{"nodes": 5}`, "nodes is not a list"},
		{"be an object", "{\"nodes\": [\n5]}", "x:2:2: an item of nodes must be an object, not a number"},
		{"syntax", "{\"nodes\": [\n{\"id\": 1,}]}", "x:2:10: this is not well-formed JSON: invalid character '}'"},
		{"cut", `{"nodes": [{"id": 1}`, "this is not well-formed JSON: unexpected EOF"},
		{"more", "{\"nodes\": [{\"id\": 1}]}\n{}", "x:1:23: something follows the end of the graph"},
		{"directed", `{"directed": true}`, "x:1:18: the graph is directed"},
		{"no id", `{"nodes": [{"name": "a"}]}`, "a node has no id; write a text or a number"},
		{"id of two", `{"nodes": [{"id": [1, 2]}]}`, "a node has no id"},
		{"no target", `{"links": [{"source": 1}]}`, "an edge has no source or no target"},
		{"list as rate", `{"links": [{"source": 1, "target": 2, "rate": []}]}`, "rate is neither a text nor a number"},
		{"bare rate", `{"edges": [{"source": 1, "target": 2, "capacity": 100}]}`, `the edge of "1" and "2": capacity: rate "100" has no unit`},
		{"no such node", "{\"nodes\": [{\"id\": 1}],\n\"edges\": [{\"source\": 1, \"target\": 2}]}", `x:2:37: the link of "1" and "2": there is no node "2"`},
		{"twice", `{"multigraph": false, "nodes": [{"id": "host0"}, {"id": "t"}, {"id": "u"}], "edges": [{"source": "host0", "target": "t"}, {"source": "u", "target": "t"}, {"source": "t", "target": "u"}]}`,
			`"t" and "u" are linked already (x:1:153); leave one out, or if they are parallel cables give each edge its own key`},
	}.check(t, format(t, "node-link"))
}

func TestHPCCRefuses(t *testing.T) {
	const good = "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n"
	if _, err := ReadHPCC(strings.NewReader(good), "x", Defaults{}); err != nil {
		t.Fatal(err)
	}
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	refusals{
		{"empty", "", "x:1:1: the file ends where the first line, NODES SWITCHES LINKS, is expected"},
		{"two numbers", "4 1\n", "x:1:1: the first line has 2 fields"},
		{"SimAI", "8 4 1 1 12 A100\n", "as in SimAI's topologies"},
		{"more ToRs than switches", with("4 1 3", "4 1 2 3"), "x:1:5: 2 of 1 switches are ToRs; the four numbers are NODES SWITCHES TORS LINKS"},
		{"five numbers", with("4 1 3", "4 1 1 3 100Gbps"), "x:1:1: the first line has 5 fields; write NODES SWITCHES LINKS, or as PowerTCP's"},
		{"one rate", with("4 1 3", "4 1 1 3 100Gbps fast"), "as in SimAI's topologies"},
		{"words", "a 1 3\n", `x:1:1: "a" is not a whole number`},
		{"negative", with("4 1 3", "4 -1 3"), `x:1:3: "-1" is not a whole number from 0`},
		{"huge", "99999999999999999999 1 3", "is not a whole number"},
		{"more switches than nodes", with("4 1 3", "4 5 3"), "x:1:3: 5 of 4 nodes are switches"},
		{"too few links", "1000000000 1 3\n", `x:1:1: "1000000000" is not a whole number`},
		{"too few links to connect", "200000000 1 3\n", "x:1:13: 3 links cannot connect 200000000 nodes"},
		{"no switches", "4 1 3\n", "x:2:1: the file ends where the number of switch 1 of 1 is expected"},
		{"many switches", with("\n3\n", "\n3 2\n"), "x:2:3: more switches are listed than the 1"},
		{"no such switch", with("\n3\n", "\n4\n"), "x:2:1: there is no node 4; the 4 nodes are numbered from 0 to 3"},
		{"switch twice", "4 2 3\n3 3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n", "x:2:3: switch 3 is listed twice"},
		{"link missing", with("2 3 100Gbps 1us 0\n", ""), "x:5:1: the file ends where link 3 of 3 is expected"},
		{"four fields", with("1us 0", "1us"), "x:3:1: the link has 4 fields; write A B RATE DELAY ERROR"},
		{"unknown node", with("0 3 100", "7 3 100"), "x:3:1: there is no node 7"},
		{"bytes a second", with("100Gbps", "100GBps"), `x:3:5: rate "100GBps" has the unknown unit`},
		{"zero rate", with("100Gbps", "0"), `x:3:1: the link of "host0" and "switch3" has the rate 0bps; it must be more than 0`},
		{"delay", with("1us", "-1us"), "x:3:13: time"},
		{"losses", with("1us 0", "1us 0.01"), `x:3:17: the link has an error probability of "0.01"; write 0, and in the scenario a fault of the kind loss`},
		{"self", with("0 3", "3 3"), `x:3:1: "switch3" is linked to itself; leave the link out`},
		{"two links", with("4 1 3", "4 1 4") + "2 3 100Gbps 1us 0\n", `x:6:1: host "host2" has 2 links`},
		{"parts", "5 2 4\n3 4\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 4 1Gbps 1us 0\n0 3 1Gbps 1us 0\n", `x:6:1: host "host0" has 2 links`},
		{"disconnected", "6 3 5\n3 4 5\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 4 1Gbps 1us 0\n4 5 1Gbps 1us 0\n4 5 1Gbps 1us 0\n", `hosts "host0" and "host2" cannot reach each other: the graph has 2 separate parts`},
		{"comment", good + "# weft host 3\n", "comments that begin with # weft describe a node or links"},
		{"comment on links", good + "# weft links rate=1Gbps\n", "links have their rates and delays in their lines"},
		{"comment on none", good + "# weft node\n", "the comment names no node"},
		{"comment on no number", good + "# weft node x\n", `x:6:13: "x" is not a whole number`},
		{"comment on no node", good + "# weft node 9 name=a\n", "x:6:1: there is no node 9; the last is 3"},
		{"two comments", good + "# weft node 3 tier=1\n# weft node 3 tier=1\n", "x:7:1: there are two comments about node 3"},
		{"comment of what", good + "# weft node 3 colour=red\n", `x:6:15: "colour=red" is unknown here`},
		{"comment with mistake", good + "# weft node 3 tier=top\n", `x:6:1: node 3: tier: "top" is not a tier`},
	}.check(t, format(t, "hpcc"))
}

func TestNetbenchRefuses(t *testing.T) {
	const good = "|V|=3\n|E|=4\nToRs=set(0)\nServers=incl_range(1,2)\nSwitches=set()\n\n0 1\n1 0\n2 0\n0 2\n"
	if _, err := ReadNetbench(strings.NewReader(good), "x", defaults); err != nil {
		t.Fatal(err)
	}
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	refusals{
		{"empty", "", "x: |V| is missing; a topology of netbench has |V|, |E|, ToRs, Servers, Switches"},
		{"no ToRs", with("ToRs=set(0)\n", ""), "x: ToRs is missing"},
		{"unknown key", with("ToRs", "Tors"), `x:3:1: unknown key "Tors"`},
		{"key twice", with("|E|=4", "|V|=4"), "x:2:1: |V| is already given (x:1:1)"},
		{"count", with("|E|=4", "|E|=2"), "x:2:1: |E| is 2, but 4 directed edges follow"},
		{"too many nodes", with("|V|=3", "|V|=200000000"), "x:1:1: 2 links cannot connect 200000000 nodes"},
		{"no number", with("|V|=3", "|V|=many"), `x:1:1: |V|: "many" is not a whole number`},
		{"no collection", with("set(0)", "0"), `x:3:1: ToRs: "0" is neither set(1,2,3) nor incl_range(1,3)`},
		{"open collection", with("set(0)", "set(0"), "is neither set"},
		{"range of three", with("(1,2)", "(1,2,3)"), "is not a range; write incl_range(FIRST,LAST)"},
		{"range down", with("(1,2)", "(2,1)"), "is not a range"},
		{"huge range", with("(1,2)", "(1,200000000)"), "x:4:1: Servers: there is no node 200000000"},
		{"no such node", with("set(0)", "set(3)"), "ToRs: there is no node 3; the 3 nodes are numbered from 0 to 2"},
		{"no role", with("(1,2)", "(1,1)"), "node 2 is in none of ToRs, Servers and Switches"},
		{"two roles", with("Switches=set()", "Switches=set(0)"), "x:3:1: node 0 has several roles"},
		{"some ToRs serve", with("(1,2)", "(0,2)"), "either the ToRs are exactly the servers"},
		{"one way", with("0 2\n", "0 1\n"), "x:9:1: the edge from 2 to 0 has no edge back; links are full duplex, so add 0 2"},
		{"self", with("0 2\n", "2 2\n"), "x:10:1: node 2 is linked to itself; leave the link out"},
		{"three fields", with("0 2\n", "0 2 10\n"), "x:10:1: the edge has 3 fields"},
		{"no node", with("0 1\n1 0", "9 1\n1 9"), "x:7:1: there is no node 9"},
		{"comment", with("\n\n", "\n# weft links rate=fast\n"), "x:6:1: rate: rate"},
		{"ToRs serve", "|V|=2\n|E|=2\nToRs=set(0,1)\nServers=set(0,1)\nSwitches=set()\n0 1\n1 0\n", "the servers are the ToRs themselves; put hosts on each of them (hosts_per_switch)"},
	}.check(t, format(t, "netbench"))
}

const htsimTwoTiers = `# 16 hosts
Nodes 16
tiers 2
Podsize 16
Tier 0
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 2
Downlink_Latency_ns 1000
Switch_Latency_ns 500
Oversubscribed 2
Queue_Up 100
Tier 1
Downlink_speed_Gbps 100 # as below
Radix_Down 4
Downlink_Latency_ns 2000
`

func TestHtsimRefuses(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(htsimTwoTiers, old, new, 1) }
	refusals{
		{"empty", "", "x: Nodes is missing or 0"},
		{"no tiers", "Nodes 1\nTiers 2\nPodsize 1\n", "x: Tier 0 is missing"},
		{"four tiers", with("tiers 2", "tiers 4"), "x:3:1: Tiers is 4; it must be 2 or 3"},
		{"no tier 3", with("tiers 2", "tiers 3"), "x: Tier 2 is missing"},
		{"tier too many", htsimTwoTiers + "Tier 2\n", "x:17:1: Tier 2 is one too many, as Tiers is 2"},
		{"tier 7", with("Tier 1", "Tier 7"), "x:13:6: there is no tier 7"},
		{"tier twice", with("Tier 1", "Tier 0"), "x:13:1: Tier is already given (x:5:1)"},
		{"key twice", with("Radix_Up 2", "radix_down 2"), "x:8:1: radix_down is already given (x:7:1)"},
		{"unknown key", with("Radix_Up", "Radix_Upp"), `x:8:1: unknown key "Radix_Upp"; a tier has`},
		{"unknown in header", with("Podsize 16", "Pods 1"), `unknown key "Pods"; the header has`},
		{"no number", with("Nodes 16", "Nodes"), "write a key and a number"},
		{"fraction", with("Downlink_Latency_ns 1000", "Downlink_Latency_ns 0.5"), `x:9:21: Downlink_Latency_ns: "0.5" is not a whole number`},
		{"no speed", with("Downlink_speed_Gbps 100\n", ""), "x:5:1: Tier 0: Downlink_speed_Gbps is missing or 0"},
		{"no delay", with("Downlink_Latency_ns 2000", "Downlink_Latency_ns 0"), "x:16:1: Tier 1: Downlink_Latency_ns is missing or 0"},
		{"no radix up", with("Radix_Up 2\n", ""), "x:5:1: Tier 0: Radix_Up is missing or 0"},
		{"pod size", with("Podsize 16", "Podsize 5"), "x:4:1: Podsize is 5, which does not divide Nodes, 16"},
		{"two pods", with("Podsize 16", "Podsize 8"), "with two tiers all 16 hosts are one pod"},
		{"radix", with("Radix_Down 4", "Radix_Down 3"), "x:7:1: Tier 0: Radix_Down is 3, which does not divide Podsize, 16"},
		{"radix of spines", with("Radix_Down 4\nDownlink_Latency_ns 2000", "Radix_Down 8\nDownlink_Latency_ns 2000"), "x:15:1: Tier 1: Radix_Down is 8, but 4 ToRs per pod in bundles of 1 need 4"},
		{"oversubscription", with("Oversubscribed 2", "Oversubscribed 1"), "x:11:1: tier 0: 4 links down at 100Gbps and 2 up at 100Gbps are not oversubscribed 1:1"},
		{"bundle", htsimTwoTiers + "Bundle 3\n", "not a multiple of the Bundle of Tier 1, 3"},
		{"bundled hosts", with("Queue_Up 100", "Bundle 2"), "a host has one link"},
		{"huge", "Nodes 200000000\nTiers 2\nPodsize 200000000\nTier 0\nDownlink_speed_Gbps 1\nRadix_Down 1\nRadix_Up 1\nDownlink_Latency_ns 1\nTier 1\nDownlink_speed_Gbps 1\nRadix_Down 200000000\nDownlink_Latency_ns 1\n", "is too large; at most 16777216 links"},
	}.check(t, format(t, "htsim"))
	d := defaults
	d.HostsPerSwitch = 1
	if _, err := ReadHtsim(strings.NewReader(htsimTwoTiers), "x", d); err == nil || !strings.Contains(err.Error(), "hosts_per_switch is for graphs without hosts") {
		t.Errorf("got %v", err)
	}
}

func TestDOTRefusesToWriteBackslashes(t *testing.T) {
	g := triangle()
	g.Nodes[1].Name = `a\`
	if err := g.WriteDOT(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "rename the node, or use graphml") {
		t.Errorf("got %v", err)
	}
}

// TestFilesOfOthers reads files as other programs could have written them.
func TestFilesOfOthers(t *testing.T) {
	d := defaults
	d.SwitchLatency = 300
	numbered := triangle()
	for i, name := range []string{"host0", "switch1", "host2", "switch3", "switch4"} {
		numbered.Nodes[i].Name = name
		if numbered.Nodes[i].Kind == Switch {
			numbered.Nodes[i].Latency = 300
		}
	}
	bare := &Graph{Nodes: slices.Clone(numbered.Nodes), Links: slices.Clone(numbered.Links), Hosts: numbered.Hosts}
	bare.Nodes[1].Name, bare.Nodes[3].Name = "tor1", "tor3"
	bare.Links[2].Delay = half
	for _, test := range []struct {
		name string
		d    Defaults
		want *Graph
	}{
		{"triangle.dot", defaults, triangle()},
		{"triangle.json", defaults, triangle()},
		{"triangle.hpcc", d, numbered},
		{"triangle.topology", d, bare},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := ReadFile(filepath.Join("testdata", test.name), test.d)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, g); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHtsimFile(t *testing.T) {
	g, err := ReadFile("testdata/bundles.topo", Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{
		"host 0 0s 1": 16, "switch 1 300ns 6": 4, "switch 2 0s 8": 2, "switch 3 900ns 2": 4,
		"0 1 100Gbps 1us": 16, "1 2 100Gbps 2us": 8, "2 3 100Gbps 3us": 8,
	}
	if diff := cmp.Diff(want, census(g)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParallelLinksAreAskedFor(t *testing.T) {
	const text = "a,b,key\nhost0,t,\nhost1,u,\nt,u,%s\nu,t,\n"
	read := func(key string, d Defaults) error {
		_, err := ReadEdges(strings.NewReader(strings.Replace(text, "%s", key, 1)), "x.csv", d)
		return err
	}
	const wrong = `x.csv:5:1: "t" and "u" are linked already (x.csv:4:1); leave one out, or if they are parallel cables number them in the column key or set parallel_links`
	if err := read("", defaults); err == nil || err.Error() != wrong {
		t.Errorf("got %v, want %s", err, wrong)
	}
	if err := read("1", defaults); err != nil {
		t.Errorf("with a key: %v", err)
	}
	d := defaults
	d.ParallelLinks = true
	if err := read("", d); err != nil {
		t.Errorf("with parallel links: %v", err)
	}
	const xml = "<graphml><graph><node id='host0'/><node id='t'/><node id='u'/><edge source='host0' target='t'/>" +
		"<edge id='1' source='t' target='u'/><edge id='2' source='t' target='u'/><edge id='ID' source='u' target='t'/></graph></graphml>"
	if _, err := ReadGraphML(strings.NewReader(strings.Replace(xml, "ID", "3", 1)), "x", defaults); err != nil {
		t.Error(err)
	}
	if _, err := ReadGraphML(strings.NewReader(strings.Replace(xml, "ID", "1", 1)), "x", defaults); err == nil || !strings.Contains(err.Error(), "give each edge its own id") {
		t.Errorf("with equal ids: %v", err)
	}
}

// TestNetbenchServersOnToRs hangs hosts on ToRs alone, numbered after the switches.
func TestNetbenchServersOnToRs(t *testing.T) {
	const text = "|V|=3\n|E|=4\nToRs=set(0,2)\nServers=set(0,2)\nSwitches=set(1)\n0 1\n1 0\n1 2\n2 1\n"
	d := defaults
	d.HostsPerSwitch = 2
	g, err := ReadNetbench(strings.NewReader(text), "x", d)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("tor0->switch1 switch1->tor2 host0->tor0 host1->tor0 host2->tor2 host3->tor2")
	var got []string
	for p, name := range g.PortNames() {
		if p%2 == 0 {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHtsimWiring compares with htsim's rule for cores, written out.
func TestHtsimWiring(t *testing.T) {
	tree := htsimTree{nodes: 16, tiers: 3, podSize: 4, tier: [3]htsimTier{
		{rate: rate, delay: half, down: 2, up: 2, bundle: 1, oversub: 1},
		{rate: rate, delay: half, down: 2, up: 2, bundle: 1, oversub: 1},
		{rate: rate, delay: half, down: 4, bundle: 1, oversub: 1},
	}}
	g, err := tree.build()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"host5->tor2", "tor3->agg2", "tor3->agg3", "agg0->core0", "agg0->core2", "agg1->core1", "agg1->core3", "agg6->core2"} {
		found := false
		for _, name := range g.PortNames() {
			found = found || name == want
		}
		if !found {
			t.Errorf("there is no %s", want)
		}
	}
	if len(g.Links) != 48 {
		t.Errorf("%d links", len(g.Links))
	}
}

func fuzzFormat(f *testing.F, name string, fit func([]byte) bool) {
	format, err := FindFormat(name)
	if err != nil {
		f.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		if text, err := os.ReadFile(path); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if fit != nil && !fit(text) {
			t.Skip()
		}
		g, err := format.Read(bytes.NewReader(text), "x.file", defaults)
		if err != nil {
			checkMessage(t, err)
			return
		}
		if err := g.Validate(); err != nil {
			t.Fatalf("read, and not valid: %v", err)
		}
		var b bytes.Buffer
		if err := format.Write(&b, g); err != nil {
			if strings.Contains(err.Error(), "backslash") {
				return
			}
			t.Fatal(err)
		}
		written := b.String()
		again, err := format.Read(&b, "x.file", Defaults{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		if diff := cmp.Diff(g, again); diff != "" {
			t.Errorf("read again (-first +second):\n%s", diff)
		}
	})
}

func FuzzDOT(f *testing.F)      { fuzzFormat(f, "dot", nil) }
func FuzzNodeLink(f *testing.F) { fuzzFormat(f, "node-link", nil) }
func FuzzHPCC(f *testing.F)     { fuzzFormat(f, "hpcc", nil) }
func FuzzNetbench(f *testing.F) { fuzzFormat(f, "netbench", nil) }

func FuzzNetbenchRun(f *testing.F) {
	f.Add([]byte(netbenchRun))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := ReadNetbenchRun(bytes.NewReader(text), "x.file")
		if err != nil {
			checkMessage(t, err)
			return
		}
		if run.Topology == "" || run.HostsPerSwitch < 0 || run.Rate != nil && *run.Rate <= 0 || run.Delay != nil && *run.Delay < 0 {
			t.Errorf("%+v", run)
		}
	})
}

// FuzzHtsim leaves out trees so large that building them takes long.
func FuzzHtsim(f *testing.F) {
	f.Add([]byte(htsimTwoTiers))
	fuzzFormat(f, "htsim", func(text []byte) bool {
		p := &htsimReader{assembly: newAssembly(Defaults{}, inFile("x")), lines: newFieldReader(bytes.NewReader(text)), tier: -1}
		for p.lines.next() {
			if p.read() != nil {
				return true
			}
		}
		t := &p.tree
		return p.check() != nil || t.nodes < 1000 && t.tier[0].up < 1000 && t.tier[1].up < 1000
	})
}

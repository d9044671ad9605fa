package topo

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestReadEdgeList(t *testing.T) {
	g, err := ReadFile(filepath.Join("testdata", "triangle.edges"), defaults)
	if err != nil {
		t.Fatal(err)
	}
	want := triangle()
	want.Nodes[1].Latency = half // lists of edges have no latencies
	want.Notes = []string{"2 edges have a weight, which nothing here uses; a rate is written with its unit, as in 400Gbps"}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEdgeListBothWays makes one link of two directions if the whole list has both.
func TestEdgeListBothWays(t *testing.T) {
	g, err := ReadEdgeList(strings.NewReader("0 1\n1 0\n1 2\n2 1\n"), "x.edges", Defaults{Rate: rate, HostsPerSwitch: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Links) != 2+3 || len(g.Notes) != 1 || !strings.Contains(g.Notes[0], "both directions") {
		t.Errorf("%d links, notes %v", len(g.Links), g.Notes)
	}
	// Cables that are listed twice in each direction are two.
	d := Defaults{Rate: rate, HostsPerSwitch: 1, ParallelLinks: true}
	g, err = ReadEdgeList(strings.NewReader("0 1\n1 0\n1 0\n0 1\n"), "x.edges", d)
	if err != nil || len(g.Links) != 2+2 {
		t.Errorf("%v, %v", g, err)
	}
	g, err = ReadEdgeList(strings.NewReader("0 1 {}\n0 1 {'key': 1}\n"), "x.edges", Defaults{Rate: rate, HostsPerSwitch: 1})
	if err != nil || len(g.Links) != 2+2 {
		t.Errorf("keys: %v, %v", g, err)
	}
}

// TestEdgeListIsAnyGraph reads what a list of links says, in one direction or in both.
func TestEdgeListIsAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		both := rapid.Bool().Draw(t, "both directions")
		var b strings.Builder
		for _, l := range g.hostLinksFirst() {
			k := g.Links[l]
			fmt.Fprintf(&b, "%s %s %v %v\n", g.Nodes[k.A].Name, g.Nodes[k.B].Name, k.Rate, k.Delay)
			if both {
				fmt.Fprintf(&b, "%s\t%s {'delay': '%v', \"rate\": \"%v\"}\n", g.Nodes[k.B].Name, g.Nodes[k.A].Name, k.Delay, k.Rate)
			}
		}
		got, err := ReadEdgeList(strings.NewReader(b.String()), "x", Defaults{ParallelLinks: true})
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if both != (len(got.Notes) == 1) {
			t.Fatalf("notes %v in\n%s", got.Notes, b.String())
		}
		// What such a list does not have.
		for _, g := range []*Graph{g, got} {
			for i := range g.Nodes {
				g.Nodes[i].Tier, g.Nodes[i].Latency, g.Nodes[i].Group = 0, 0, 0
			}
		}
		if diff := cmp.Diff(sorted(g), sorted(got)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(nodeNames(g, g.Hosts), nodeNames(got, got.Hosts)); diff != "" {
			t.Fatalf("hosts (-want +got):\n%s", diff)
		}
	})
}

func TestEdgeListRefuses(t *testing.T) {
	refusals{
		{"empty", "# nothing\n", "x: there are no nodes"},
		{"one name", "host0 t\nt\n", "x:2:1: the line names no two nodes; write A B, with a rate and a delay if needed"},
		{"neither", "host0 t fast", `x:1:9: "fast" is neither a rate, as 400Gbps, nor a delay, as 500ns, nor a weight`},
		{"two rates", "host0 t 1Gbps 2Gbps", "x:1:15: the link has two values for its rate; leave one"},
		{"bad name", "host0 t*", `x:1:7: node name "t*" contains`},
		{"self", "host0 t\nt t", `x:2:1: "t" is linked to itself`},
		{"twice", "host0 t\nhost1 u\nt u\nu t\n", `x:4:1: "t" and "u" are linked already (x:3:1); leave one out, or if they are parallel cables tell them apart with {'key': 1}`},
		{"unlike", "host0 t 1Gbps\nt host0\n", `x:2:1: the edge of "t" and "host0": its two directions differ in rate or delay`},
		{"negative", "host0 t {'delay': '-1ns'}", `x:1:1: the edge of "host0" and "t": delay: time`},
		{"dictionary", "host0 t {weight: 1}", "x:1:9: this is no dictionary of Python: \"weight: 1}\" is no name in quotation marks"},
		{"no colon", "host0 t {'weight' 1}", "no colon follows \"weight\""},
		{"no comma", "host0 t {'a': 1 'b': 2}", "the value of \"a\" is neither a text nor a number"},
		{"list", "host0 t {'a': [1, 2]}", "the value of \"a\" is neither a text nor a number"},
		{"no end", "host0 t {'a': 1", "the value of \"a\" is neither a text nor a number"},
		{"after it", "host0 t {'a': 1} x", "stands where a comma or } is due"},
	}.check(t, format(t, "edges"))
}

func FuzzEdgeList(f *testing.F) {
	seed(f, "triangle.edges")
	f.Add([]byte("0 1\n1 0\n"))
	f.Add([]byte("\ufeffhost0;host1;1Gbps\r\n"))
	f.Add([]byte("a b {'weight': 1.5, \"delay\": '1ns', }\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := ReadEdgeList(bytes.NewReader(text), "x.edges", defaults)
		if err != nil {
			checkMessage(t, err)
			return
		}
		if err := g.Validate(); err != nil {
			t.Error(err)
		}
	})
}

func TestReadAdjacency(t *testing.T) {
	g, err := ReadFile(filepath.Join("testdata", "adjacency.json"), defaults)
	if err != nil {
		t.Fatal(err)
	}
	// Links come in the order of their nodes.
	if diff := cmp.Diff(ends(triangle()), ends(g)); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(triangle().Nodes, g.Nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

// TestAdjacencyIsNodeLink reads the same graph from both forms of NetworkX.
func TestAdjacencyIsNodeLink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyNetwork(t)
		var b strings.Builder
		b.WriteString(`{"multigraph": true, "nodes": [`)
		numbers := g.hostNumbers()
		for i, n := range g.Nodes {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, `{"id": %s`, quoteJSON(n.Name))
			for _, a := range g.nodeAttributes(NodeID(i), numbers) {
				fmt.Fprintf(&b, ", %q: %q", a.name, a.value)
			}
			b.WriteString("}")
		}
		b.WriteString(`], "adjacency": [`)
		parallels, adjacency := g.parallels(), g.Adjacency()
		for i := range g.Nodes {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString("[")
			for j, p := range adjacency.Ports(NodeID(i)) {
				if j > 0 {
					b.WriteString(", ")
				}
				_, to := g.Ends(p)
				l := g.Links[p.Link()]
				fmt.Fprintf(&b, `{"id": %s, "key": %d, "rate": %q, "delay": %q}`, quoteJSON(g.Nodes[to].Name), parallels[p.Link()], l.Rate, l.Delay)
			}
			b.WriteString("]")
		}
		b.WriteString("]}")
		got, err := ReadNodeLink(strings.NewReader(b.String()), "x", Defaults{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if diff := cmp.Diff(ends(g), ends(got)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(g.Nodes, got.Nodes); diff != "" {
			t.Fatalf("nodes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(nodeNames(g, g.Hosts), nodeNames(got, got.Hosts)); diff != "" {
			t.Fatalf("hosts (-want +got):\n%s", diff)
		}
	})
}

// ends lists the links by the names of their ends, in whichever order these were written.
func ends(g *Graph) []string {
	var lines []string
	for _, l := range g.Links {
		a, b := g.Nodes[l.A].Name, g.Nodes[l.B].Name
		lines = append(lines, fmt.Sprint(min(a, b), " ", max(a, b), " ", l.Rate, " ", l.Delay))
	}
	slices.Sort(lines)
	return lines
}

func TestAdjacencyRefuses(t *testing.T) {
	const nodes = `{"nodes": [{"id": "host0"}, {"id": "t"}], `
	refusals{
		{"twice", nodes + `"adjacency": [[], []], "adjacency": []}`, "the list adjacency is given twice"},
		{"no list", nodes + `"adjacency": 5}`, "adjacency is not a list"},
		{"list of what", nodes + `"adjacency": [5]}`, "an item of adjacency is not a list"},
		{"item", nodes + `"adjacency": [[5]]}`, "an item of a list of adjacency must be an object, not a number"},
		{"no id", nodes + `"adjacency": [[{"key": 1}], []]}`, "a neighbour has no id; write the id of a node"},
		{"too few", nodes + `"adjacency": [[{"id": "t"}]]}`, "x: adjacency has 1 lists, but there are 2 nodes; write a list of neighbours per node"},
		{"no nodes", `{"adjacency": []}`, `there is no list "nodes"`},
		{"both", nodes + `"edges": [], "adjacency": [[], []]}`, "the graph has edges and adjacency; leave one of them"},
		{"directed", `{"directed": true, "nodes": []}`, "the graph is directed"},
		{"no such node", nodes + `"adjacency": [[{"id": "u"}], []]}`, `the link of "host0" and "u": there is no node "u"`},
		{"unlike", nodes + `"adjacency": [[{"id": "t", "rate": "1Gbps"}], [{"id": "host0"}]]}`, `the edge of "t" and "host0": its two directions differ in rate or delay`},
		{"self", `{"nodes": [{"id": "host0"}, {"id": "t"}], "adjacency": [[{"id": "t"}], [{"id": "host0"}, {"id": "t"}]]}`, `"t" is linked to itself`},
		{"same", `{"nodes": [{"id": "host0"}, {"id": "t"}, {"id": "u"}], "adjacency": [[{"id": "t"}], [{"id": "u"}, {"id": "u"}], []]}`, `"t" and "u" are linked already`},
	}.check(t, format(t, "adjacency"))
}

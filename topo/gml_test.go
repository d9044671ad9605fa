package topo

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/unit"
)

func TestReadGML(t *testing.T) {
	g, err := ReadFile(filepath.Join("testdata", "triangle.gml"), defaults)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(triangle(), g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGMLNames names nodes by their labels only if all of these can be names.
func TestGMLNames(t *testing.T) {
	graph := func(labels ...string) string {
		text := "graph [ "
		for i, l := range labels {
			text += "node [ id " + string(rune('0'+i)) + " " + l + " ] "
		}
		return text + "edge [ source 0 target 1 ] edge [ source 1 target 2 ] ]"
	}
	for _, test := range []struct {
		name, text string
		want       []string
		notes      int
	}{
		{"labels", graph(`label "host0"`, `label "caf&#233; &amp;"`, `label "host1"`), []string{"host0", "café_&", "host1"}, 1},
		{"ids", graph("kind \"host\"", "", "kind \"host\""), []string{"0", "1", "2"}, 0},
		{"one without", graph(`label "a" kind "host"`, "", `label "b" kind "host"`), []string{"0", "1", "2"}, 1},
		{"twice", graph(`label "a" kind "host"`, `label "b"`, `label "a" kind "host"`), []string{"0", "1", "2"}, 1},
		{"no name", graph(`label "a" kind "host"`, `label "Washington, DC"`, `label "c" kind "host"`), []string{"0", "1", "2"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := ReadGML(strings.NewReader(test.text), "x.gml", defaults)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range g.Nodes {
				got = append(got, n.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(g.Notes) != test.notes {
				t.Errorf("notes: %v", g.Notes)
			}
		})
	}
}

// TestGMLAsYEd reads a directed graph with lists that are not about the network.
func TestGMLAsYEd(t *testing.T) {
	text := "Creator \"yFiles\"\nVersion \"2.22\"\ngraph\n[\n\thierarchic 1\n\tlabel \"\"\n\tdirected 1\n" +
		"node [ id 0 label \"h1\" graphics [ x 1.5E+2 y -3 fill \"#FFCC00\" LabelGraphics [ text \"h1\nof two lines\" ] ] ]\n" +
		"node [ id 1 label \"s\" ] node [ id 2 label \"h2\" ] node [ id 3 label \"s2\" ]\n" +
		"edge [ source 1 target 0 graphics [ targetArrow \"standard\" ] ]\nedge [ source 1 target 3 BANDWIDTH \"10Gbps\" ]\nedge [ source 3 target 1 bandwidth \"10Gbps\" ] edge [ source 2 target 3 ] ]"
	g, err := ReadGML(strings.NewReader(text), "x.gml", defaults)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Hosts) != 2 || len(g.Links) != 3 || g.Links[1].Rate != 10*unit.Gbps {
		t.Errorf("%+v", g)
	}
	if !slices.ContainsFunc(g.Notes, func(n string) bool {
		return strings.Contains(n, "4 edges are directed; they are 3 full-duplex links here, 1 of them by two edges")
	}) {
		t.Errorf("notes: %v", g.Notes)
	}
}

func TestGMLRefuses(t *testing.T) {
	const nodes = "graph [ node [ id 0 label \"host0\" ]\nnode [ id 1 label \"t\" ]\n"
	refusals{
		{"empty", "", "x: there is no graph; a GML file has graph [ node [ id 0 ]"},
		{"another", "Creator \"me\" Version 1", "x: there is no graph"},
		{"no key", "[", "x:1:1: found [ instead of a key"},
		{"sign", "graph [\n node { ] ]", `x:2:7: '{' is unexpected; GML has keys, numbers`},
		{"no value", "graph", "x:1:6: found the end of the file instead of the value of graph"},
		{"key as value", "graph graph", `x:1:7: found "graph" instead of the value of graph`},
		{"no list", "graph 5", `x:1:7: graph is "5", not a list; write graph [ … ]`},
		{"no end", "graph [ node [ id 0 ]", "x:1:22: found the end of the file instead of a key"},
		{"no end within", "graph [ other [ x [ y 1", "x:1:24: found the end of the file instead of ]"},
		{"text", "graph [ label \"a\n ]", "x:1:15: the text has no end"},
		{"after lines", "graph [ label \"a\nb\" 5 ]", `x:2:4: found "5" instead of a key`},
		{"two graphs", "graph [ ]\ngraph [ ]", "x:2:1: this is the second graph of the file"},
		{"no id", "graph [\nnode [ label \"a\" ] ]", "x:2:1: the node has no id; write node [ id NUMBER ]"},
		{"same id", nodes + "node [ id 1 ] ]", "x:3:1: there is a node with the id 1 already (x:2:1)"},
		{"no target", nodes + "edge [ source 0 ] ]", "x:3:1: the edge has no source or no target"},
		{"no such node", nodes + "edge [ source 0 target 7 ] ]", "x:3:1: the edge of 0 and 7: no node has the id 7; add node [ id 7 ]"},
		{"kind", "graph [\nnode [ id 0 role \"hub\" ] ]", `x:2:1: node "0": role: unknown kind of node "hub"`},
		{"rate", nodes + "edge [ source 0 target 1 capacity 100 ] ]", `x:3:1: the edge of "host0" and "t": capacity: rate "100" has no unit`},
		{"twice", nodes + "node [ id 2 label \"u\" ] node [ id 3 label \"host1\" ] edge [ source 0 target 1 ] edge [ source 1 target 2 ]\nedge [ source 2 target 1 ] edge [ source 3 target 2 ] ]", `x:4:1: "t" and "u" are linked already (x:3:80); leave one out, or if they are parallel cables give each edge its own key`},
		{"unlike directions", strings.Replace(nodes, "graph [", "graph [ directed 1", 1) + "edge [ source 0 target 1 rate \"1Gbps\" ]\nedge [ source 1 target 0 ] ]", `x:4:1: the edge of "t" and "host0": its two directions differ in rate or delay`},
	}.check(t, format(t, "gml"))
}

func FuzzGML(f *testing.F) {
	seed(f, "triangle.gml")
	f.Add([]byte("graph [ node [ id 0 label \"host0\" ] node [ id 1 label \"host1\" ] edge [ source 0 target 1 ] ]"))
	f.Add([]byte("Version 1\n# comment\ngraph [ directed 1 multigraph 1 node [ id 0 kind \"host\" label \"a&#0;&lt;\" ] node [ id 1 x [ y [ z 1 ] ] ] edge [ source 1 target 0 key 1 delay \"1us\" ] ]"))
	f.Add([]byte("graph [ label \"\xff\n\n\" edge [ ] ]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := ReadGML(bytes.NewReader(text), "x.gml", defaults)
		if err != nil {
			checkMessage(t, err)
			return
		}
		g.Notes = nil
		var b bytes.Buffer
		if err := g.WriteGML(&b); err != nil {
			t.Fatal(err)
		}
		again, err := ReadGML(&b, "x.gml", Defaults{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, again); diff != "" {
			t.Errorf("read again (-first +second):\n%s", diff)
		}
	})
}

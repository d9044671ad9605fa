package topo

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/unit"
)

// graphmlOf is a GraphML file with these elements in its graph.
func graphmlOf(kind, inner string) string {
	return "<graphml><graph edgedefault='" + kind + "'>" + inner + "</graph></graphml>"
}

// TestGuessesFromGraphFiles: what a file leaves open or writes its own way is read, with a note.
func TestGuessesFromGraphFiles(t *testing.T) {
	d := Defaults{Rate: unit.Gbps, UplinkRate: 10 * unit.Gbps}
	const named = "<node id='h1'/><node id='h2'/><node id='s1'/><node id='s2'/><edge source='h1' target='s1'/><edge source='h2' target='s2'/><edge source='s1' target='s2'/>"
	for name, tt := range map[string]struct {
		text  string
		hosts []string
		links int
		notes []string
	}{
		"names":              {graphmlOf("undirected", named), []string{"h1", "h2"}, 3, []string{"2 nodes are taken as hosts by their names: h1, h2; give nodes the kind host or switch to say otherwise"}},
		"leaves":             {graphmlOf("undirected", strings.NewReplacer("h1", "a", "h2", "b").Replace(named)), []string{"a", "b"}, 3, []string{"2 nodes are taken as hosts since they have one link: a, b"}},
		"directed":           {graphmlOf("directed", named), []string{"h1", "h2"}, 3, []string{"3 edges are directed; each is a full-duplex link here", "by their names"}},
		"both directions":    {graphmlOf("directed", named+"<edge source='s2' target='s1'/>"), []string{"h1", "h2"}, 3, []string{"4 edges are directed; they are 3 full-duplex links here, 1 of them by two edges", "by their names"}},
		"spaces":             {graphmlOf("undirected", strings.ReplaceAll(strings.ReplaceAll(named, "s1", "core switch 1"), "h1", "host 1")), []string{"host_1"}, 3, []string{`2 names have spaces, which are _ here: "host 1" is host_1, and so on`}},
		"kinds as ever said": {graphmlOf("undirected", strings.NewReplacer("h1", "host1", "h2", "host2").Replace(named)), []string{"host1", "host2"}, 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := ReadGraphML(strings.NewReader(tt.text), "x.graphml", d)
			if err != nil {
				t.Fatal(err)
			}
			var hosts []string
			for _, h := range g.Hosts {
				hosts = append(hosts, g.Nodes[h].Name)
			}
			if !slices.Equal(hosts, tt.hosts) || len(g.Links) != tt.links || len(g.Notes) != len(tt.notes) {
				t.Errorf("hosts %q, %d links, notes %q", hosts, len(g.Links), g.Notes)
			}
			for i, want := range tt.notes {
				if i < len(g.Notes) && !strings.Contains(g.Notes[i], want) {
					t.Errorf("note %q, want %q", g.Notes[i], want)
				}
			}
			for _, l := range g.Links {
				want := 10 * unit.Gbps
				if g.Nodes[l.A].Kind == Host || g.Nodes[l.B].Kind == Host {
					want = unit.Gbps
				}
				if l.Rate != want {
					t.Errorf("the link of %s and %s has %v, want %v", g.Nodes[l.A].Name, g.Nodes[l.B].Name, l.Rate, want)
				}
			}
		})
	}
}

// TestGuessesAreRefused: what has no sensible reading is an error at its place.
func TestGuessesAreRefused(t *testing.T) {
	const pair = "<key id='d0' for='edge' attr.name='delay'/>"
	for name, tt := range map[string]struct{ text, want string }{
		"lone pair": {graphmlOf("undirected", "<node id='host0'/><node id='host1'/><edge source='host0' target='host1'/>"), `hosts "host0" and "host1" are linked to each other; put a switch between them`},
		"directions differ": {strings.Replace(graphmlOf("directed", "<node id='host0'/><node id='host1'/><node id='s'/><edge source='host0' target='s'/><edge source='host1' target='s'/><edge source='s' target='host1'><data key='d0'>1us</data></edge>"), "<graph ", pair+"<graph ", 1),
			`its two directions differ in rate or delay`},
		"same name": {graphmlOf("undirected", "<node id='a b'/><node id='a_b'/>"), `node "a_b" is already defined`},
	} {
		if _, err := ReadGraphML(strings.NewReader(tt.text), "x.graphml", Defaults{Rate: unit.Gbps}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestDirectedFile reads a graph as yEd draws it.
func TestDirectedFile(t *testing.T) {
	g, err := ReadFile(filepath.Join("testdata", "directed.graphml"), Defaults{})
	if err != nil || len(g.Hosts) != 2 || len(g.Links) != 2 || len(g.Notes) != 1 {
		t.Errorf("%+v, %v", g, err)
	}
}

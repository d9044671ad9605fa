package paths_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/catalog"
	"weft/route"
	"weft/route/paths"
	"weft/topo"
	"weft/unit"
)

// square is a ring of four switches with a host each, of which two are joined by two cables, and a switch without hosts
// beside the first.
func square(t *testing.T) *topo.Graph {
	t.Helper()
	g := &topo.Graph{}
	for _, name := range []string{"a", "b", "c", "d", "spine"} {
		g.Nodes = append(g.Nodes, topo.Node{Name: name, Kind: topo.Switch, Tier: 1})
	}
	for i := range topo.NodeID(4) {
		h := topo.NodeID(len(g.Nodes))
		g.Nodes = append(g.Nodes, topo.Node{Name: "host" + string('0'+rune(i)), Kind: topo.Host})
		g.Hosts = append(g.Hosts, h)
		g.Links = append(g.Links, topo.Link{A: h, B: i, Rate: unit.Gbps})
	}
	for _, l := range [][2]topo.NodeID{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 2}, {0, 4}} {
		g.Links = append(g.Links, topo.Link{A: l[0], B: l[1], Rate: unit.Gbps})
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	return g
}

func tables(t *testing.T, g *topo.Graph, o paths.Policy, options route.Options) (*route.Tables, error) {
	t.Helper()
	policy, err := o.Build()
	if err != nil {
		return nil, err
	}
	router, err := policy.Prepare(g, 1)
	if err != nil {
		return nil, err
	}
	return router(options)
}

// listed returns what a pair has, as words of weight and links.
func listed(g *topo.Graph, p *route.Paths, from, to int32) (all []string) {
	p.Each(from, to, func(_ uint16, weight int, path []topo.PortID) {
		text := strings.Repeat("+", weight)
		for _, id := range path {
			text += " " + g.PortName(id)
		}
		all = append(all, text)
	})
	return all
}

func TestPolicy(t *testing.T) {
	g := square(t)
	file := filepath.Join(t.TempDir(), "paths")
	text := "# ways of a\n\na b c weight=2\n  a->b->c#1 # the second cable\r\na d c\nb a d\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	name := catalog.Path(file)
	o := paths.Policy{File: &name}
	whole, err := tables(t, g, o, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"++ a->b b->c", "+ a->b b->c#1", "+ a->d d->c"}
	if got := listed(g, whole.Paths(), 0, 2); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := listed(g, whole.Paths(), 2, 0); got != nil || whole.Paths().Places(0, 2) != 4 {
		t.Errorf("%q back, %d places", got, whole.Paths().Places(0, 2))
	}
	if w := whole.Paths().Walks(); w.Pairs != 4 || w.Longest != 2 || w.Strays != 10 {
		t.Errorf("%+v", w)
	}
	// Without the link of a and b, one path is left, and the other pair has only what is minimal.
	left, err := tables(t, g, o, route.Options{Down: func(l topo.LinkID) bool { return l == 4 }})
	if err != nil {
		t.Fatal(err)
	}
	if got := listed(g, left.Paths(), 0, 2); !slices.Equal(got, want[2:]) || left.Paths().Places(1, 3) != 0 {
		t.Errorf("%q, want %q", got, want[2:])
	}
	// Back and forth, with one of them listed.
	both, err := tables(t, g, paths.Policy{List: []string{"a b c", "c b a weight=3"}, Reverse: true}, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if there, back := listed(g, both.Paths(), 0, 2), listed(g, both.Paths(), 2, 0); len(there) != 1 || len(back) != 1 || !strings.HasPrefix(back[0], "+++") {
		t.Errorf("%q and %q", there, back)
	}
}

func TestPolicyRefuses(t *testing.T) {
	g := square(t)
	for _, tt := range []struct{ line, want string }{
		{"a b c\na tor", `paths:2: there is no switch "tor"; switches are a, b, c, d, spine`},
		{"a spime", `there is no switch "spime"; did you mean "spine"?`},
		{"a b wieght=3", `"wieght=3" is no name of a switch; did you mean weight=3?`},
		{"a b tor\na b\na c", "paths:1: there is no switch \"tor\"; switches are a, b, c, d, spine\npaths:3: no link leads from a to c"},
		{strings.Repeat("a c\n", 12), "2 more lines are wrong"},
		{"a b c d a", "paths:1: the path passes a twice; leave the loop out"},
		{"a c", "paths:1: no link leads from a to c; beside it are b, d, spine"},
		{"a", "has a alone; write all switches"},
		{"a spine", "switch spine has no hosts"},
		{"host0 a b", "host0 is a host; a path begins"},
		{"a b weight=0", `weight is "0"; write a whole number from 1 to 64`},
		{"a b weight=x", "write a whole number"},
		{"b c#2", "2 cables lead from b to c, numbered from 0, and not one of number 2; write a number below 2"},
		{"b#1 c", "is no name of a switch"},
		{"a d\n\na b\na d", "paths:4: this path from a to d stands at paths:1 already; write it once"},
		{"", "has no paths; write the switches of one on each line"},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		if err := os.WriteFile("paths", []byte(tt.line), 0o600); err != nil {
			t.Fatal(err)
		}
		name := catalog.Path("paths")
		if _, err := tables(t, g, paths.Policy{File: &name}, route.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.line, err, tt.want)
		}
	}
	absent := catalog.Path("absent")
	for want, o := range map[string]paths.Policy{
		"there are no paths":   {},
		"both name paths":      {File: &absent, List: []string{"a b"}},
		"cannot be read":       {File: &absent},
		"list[1]: there is no": {List: []string{"a b", "a q"}},
	} {
		if _, err := tables(t, g, o, route.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

package topo

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gonumdot "gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"
	"pgregory.net/rapid"

	"weft/unit"
)

// anyNetwork is anyGraph with other names, tiers and orders of hosts, rates of all
// sizes and delays down to a picosecond.
func anyNetwork(t *rapid.T) *Graph {
	g := anyGraph(t)
	names := rapid.SampledFrom([]string{"%d", "tor%d", "é%d", "<&>%d", "node;%d=x", "graph%d", "-%d.", "host%d_x", "a:b{%d}", "|%d|"})
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if rapid.Bool().Draw(t, "rename") {
			n.Name = fmt.Sprintf(names.Draw(t, "name"), i)
		}
		if n.Kind == Switch && rapid.Bool().Draw(t, "raise") {
			n.Tier = rapid.IntRange(1, 9).Draw(t, "tier")
			n.Group = rapid.Int32Range(0, 3).Draw(t, "group")
		}
	}
	uniqueNames(g)
	for i := range g.Links {
		g.Links[i].Rate = unit.Rate(rapid.Int64Range(1, 1<<62).Draw(t, "rate"))
		g.Links[i].Delay = unit.Time(rapid.Int64Range(0, 1<<62).Draw(t, "delay"))
	}
	if rapid.Bool().Draw(t, "shuffle") {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(g.Hosts), func(i, j int) { g.Hosts[i], g.Hosts[j] = g.Hosts[j], g.Hosts[i] })
		r.Shuffle(len(g.Links), func(i, j int) { g.Links[i], g.Links[j] = g.Links[j], g.Links[i] })
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	return g
}

func uniqueNames(g *Graph) {
	seen := map[string]bool{}
	for i := range g.Nodes {
		for seen[g.Nodes[i].Name] {
			g.Nodes[i].Name += "+"
		}
		seen[g.Nodes[i].Name] = true
	}
}

// again writes g in a format and reads it back without defaults, so that what is
// not in the file cannot come from elsewhere.
func again(t interface {
	Helper()
	Fatalf(string, ...any)
}, f Format, g *Graph) *Graph {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, g); err != nil {
		t.Fatalf("%v", err)
	}
	text := b.String()
	got, err := f.Read(&b, "x", Defaults{SwitchLatency: 77})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return got
}

// TestRoundTrips holds every format that takes any graph to its promise: what Lost
// does not tell, reading gives back, numbers of nodes and links included.
func TestRoundTrips(t *testing.T) {
	for _, f := range Formats() {
		if f.Name == "htsim" || f.write == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := anyNetwork(t)
				got := again(t, f, g)
				if !slices.ContainsFunc(f.Lost(g), func(l Loss) bool { return !l.Kept }) {
					if diff := cmp.Diff(g, got); diff != "" {
						t.Fatalf("(-want +got):\n%s", diff)
					}
					return
				}
				if f.Name != "csv" {
					t.Fatalf("%s loses %v", f.Name, f.Lost(g))
				}
				// Numbers alone may differ, and must if they are said to.
				if diff := cmp.Diff(sorted(g), sorted(got)); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(nodeNames(g, g.Hosts), nodeNames(got, got.Hosts)); diff != "" {
					t.Fatalf("hosts (-want +got):\n%s", diff)
				}
				if reflect.DeepEqual(g, got) {
					t.Fatalf("nothing is lost, and it was said: %v", f.Lost(g))
				}
			})
		})
	}
}

// anyTree is a fat tree as htsim builds it.
func anyTree(t *rapid.T) *htsimTree {
	upTo := func(n int, name string) int { return rapid.IntRange(1, n).Draw(t, name) }
	tree := &htsimTree{tiers: 1 + upTo(2, "tiers")}
	tors, aggs, pods := upTo(3, "tors"), upTo(3, "aggs"), 1
	tor, agg, core := &tree.tier[0], &tree.tier[1], &tree.tier[2]
	*tor, *agg, *core = htsimTier{bundle: 1, oversub: 1}, htsimTier{bundle: upTo(2, "bundle"), oversub: 1}, htsimTier{bundle: upTo(2, "bundle"), oversub: 1}
	tor.up = aggs * agg.bundle
	agg.down = tors * agg.bundle
	if tree.tiers == 3 {
		pods = upTo(3, "pods")
		agg.up = core.bundle * upTo(3, "cores")
		core.down = pods * core.bundle
		// The rates make whole numbers of any radices.
		core.rate = unit.Gbps
		agg.oversub = upTo(2, "oversubscribed")
		agg.rate = unit.Rate(agg.up*agg.oversub) * unit.Gbps
		core.rate = unit.Rate(agg.down) * unit.Gbps
		core.delay = unit.Time(upTo(999, "delay")) * unit.Nanosecond
		core.latency = unit.Time(upTo(999, "latency")-1) * unit.Nanosecond
	} else {
		agg.rate = unit.Rate(upTo(3, "rate")) * unit.Gbps
		core.bundle, core.oversub = 0, 0
	}
	tor.oversub = upTo(3, "oversubscribed")
	tor.down = tor.up * int(agg.rate/unit.Gbps)
	tor.rate = unit.Rate(tor.oversub) * unit.Gbps
	for _, tier := range []*htsimTier{tor, agg} {
		tier.delay = unit.Time(upTo(999, "delay")) * unit.Nanosecond
		tier.latency = unit.Time(upTo(999, "latency")-1) * unit.Nanosecond
	}
	tree.podSize = tors * tor.down
	tree.nodes = pods * tree.podSize
	if key, err := tree.mismatch(); err != nil {
		t.Fatalf("%v: %v", key, err)
	}
	return tree
}

// TestHtsimRoundTrips writes trees that htsim could build, with other names and
// another order of switches and links, and reads them back.
func TestHtsimRoundTrips(t *testing.T) {
	htsim := format(t, "htsim")
	rapid.Check(t, func(t *rapid.T) {
		tree := anyTree(t)
		g, err := tree.build()
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		found, err := g.htsimTree()
		if err != nil {
			t.Fatalf("%+v: %v", tree, err)
		}
		if diff := cmp.Diff(tree, found, cmp.AllowUnexported(htsimTree{}, htsimTier{})); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(g, again(t, htsim, g)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		for _, l := range htsim.Lost(g) {
			if !l.Kept {
				t.Fatalf("said to be lost: %v", l)
			}
		}
		shuffled := shuffleSwitches(g, rapid.Uint64().Draw(t, "seed"))
		if diff := cmp.Diff(g, again(t, htsim, shuffled)); diff != "" {
			t.Fatalf("shuffled (-want +got):\n%s", diff)
		}
	})
}

// shuffleSwitches returns g with the switches in another order and other names, and
// the links too.
func shuffleSwitches(g *Graph, seed uint64) *Graph {
	r := rand.New(rand.NewPCG(seed, 0))
	out := &Graph{Nodes: slices.Clone(g.Nodes), Links: slices.Clone(g.Links), Hosts: g.Hosts}
	first := len(g.Hosts)
	order := r.Perm(len(g.Nodes) - first)
	to := func(n NodeID) NodeID {
		if int(n) < first {
			return n
		}
		return NodeID(first + order[int(n)-first])
	}
	for n := range g.Nodes {
		m := to(NodeID(n))
		out.Nodes[m] = g.Nodes[n]
		out.Nodes[m].Group = 0
		if g.Nodes[n].Kind == Switch {
			out.Nodes[m].Name = fmt.Sprintf("x%d", n)
		}
	}
	for i := range out.Links {
		out.Links[i].A, out.Links[i].B = to(out.Links[i].A), to(out.Links[i].B)
	}
	r.Shuffle(len(out.Links), func(i, j int) { out.Links[i], out.Links[j] = out.Links[j], out.Links[i] })
	return out
}

func TestBuiltTreesAreHtsims(t *testing.T) {
	for name, g := range map[string]*Graph{
		"two tiers":      build(t, FatTree{Radix: ptr(8), Rate: rate, Delay: half, SwitchLatency: half}),
		"three tiers":    build(t, FatTree{Tiers: 3, Radix: ptr(8), Rate: rate, Delay: half, SwitchLatency: half}),
		"oversubscribed": build(t, FatTree{Tiers: 3, Radix: ptr(12), Oversubscription: &Oversubscription{2, 1}, Rate: rate, Delay: half}),
		"bundles":        build(t, LeafSpine{ToRs: 3, HostsPerToR: 4, Spines: 2, LinksPerSpine: 2, Rate: rate, Delay: half}),
	} {
		t.Run(name, func(t *testing.T) {
			got := again(t, format(t, "htsim"), g)
			if diff := cmp.Diff(census(g), census(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// census counts nodes by kind, tier, latency and degree, and links by the tiers
// that they join, rate and delay.
func census(g *Graph) map[string]int {
	counts := map[string]int{}
	a := g.Adjacency()
	for i, n := range g.Nodes {
		counts[fmt.Sprintf("%v %d %v %d", n.Kind, n.Tier, n.Latency, len(a.Ports(NodeID(i))))]++
	}
	for _, l := range g.Links {
		x, y := g.tier(l.A), g.tier(l.B)
		counts[fmt.Sprintf("%d %d %v %v", min(x, y), max(x, y), l.Rate, l.Delay)]++
	}
	return counts
}

func TestHtsimRefusesOtherGraphs(t *testing.T) {
	tree := func(change func(*Graph)) *Graph {
		g := build(t, FatTree{Tiers: 3, Radix: ptr(4), Rate: rate, Delay: half, SwitchLatency: half})
		change(g)
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		return g
	}
	link := func(g *Graph, a, b string) *Link {
		for i := range g.Links {
			if g.Nodes[g.Links[i].A].Name == a && g.Nodes[g.Links[i].B].Name == b {
				return &g.Links[i]
			}
		}
		t.Fatalf("no link %s %s", a, b)
		return nil
	}
	node := func(g *Graph, name string) NodeID {
		n, ok := g.Node(name)
		if !ok {
			t.Fatalf("no node %s", name)
		}
		return n
	}
	for _, test := range []struct {
		name  string
		graph *Graph
		wrong string
	}{
		{"star", build(t, Star{Hosts: 4, Rate: rate}), "one tier of switches"},
		{"ring", triangle(), "switches of tier"},
		{"rates", tree(func(g *Graph) { link(g, "tor0", "agg0").Rate = unit.Gbps }), "links down from tier 2 differ"},
		{"fraction of a ns", tree(func(g *Graph) {
			for i := range g.Links {
				g.Links[i].Delay = 1
			}
		}), "whole Gbps and ns"},
		{"latency", tree(func(g *Graph) { g.Nodes[node(g, "agg3")].Latency = 0 }), "switches of tier 2 have the latencies"},
		{"order of hosts", tree(func(g *Graph) { g.Hosts[0], g.Hosts[2] = g.Hosts[2], g.Hosts[0] }), "ToRs have different numbers"},
		{"order of pods", tree(func(g *Graph) {
			for i := range 2 {
				g.Hosts[2+i], g.Hosts[4+i] = g.Hosts[4+i], g.Hosts[2+i]
			}
		}), "pod"},
		{"one host moved", tree(func(g *Graph) { link(g, "host0", "tor0").B = node(g, "tor1") }), "ToR"},
		{"a cable moved up", tree(func(g *Graph) { link(g, "agg2", "core0").B = node(g, "core3") }), "agg2"},
		{"a cable across pods", tree(func(g *Graph) { link(g, "tor0", "agg0").B = node(g, "agg2") }), "pod"},
		{"a link past a tier", tree(func(g *Graph) {
			g.Links = append(g.Links, Link{A: node(g, "tor0"), B: node(g, "core0"), Rate: rate, Delay: half})
		}), "not adjacent"},
		{"3:2", build(t, FatTree{HostsPerToR: ptr(3), UplinksPerToR: ptr(2), ToRs: ptr(4), Rate: rate, Delay: half}), "oversubscribed 3:2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := format(t, "htsim").Write(new(bytes.Buffer), test.graph)
			if err == nil || !strings.Contains(err.Error(), test.wrong) || !strings.Contains(err.Error(), "for others use graphml") {
				t.Errorf("got %v, want an error with %q", err, test.wrong)
			}
		})
	}
}

// TestDOTIsDOT has another parser read what is written.
func TestDOTIsDOT(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyNetwork(t)
		var b bytes.Buffer
		if err := g.WriteDOT(&b); err != nil {
			t.Fatal(err)
		}
		file, err := gonumdot.ParseBytes(b.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		nodes, links := 0, 0
		for _, s := range file.Graphs[0].Stmts {
			switch s := s.(type) {
			case *ast.NodeStmt:
				if want := `"` + g.Nodes[nodes].Name + `"`; s.Node.ID != want {
					t.Fatalf("node %d is %s, not %s", nodes, s.Node.ID, want)
				}
				nodes++
			case *ast.EdgeStmt:
				if s.Attrs[0].Key != "rate" || s.Attrs[0].Val != `"`+g.Links[links].Rate.String()+`"` {
					t.Fatalf("link %d has %v", links, s.Attrs[0])
				}
				links++
			}
		}
		if nodes != len(g.Nodes) || links != len(g.Links) || file.Graphs[0].Directed {
			t.Fatalf("%d nodes and %d links", nodes, links)
		}
	})
}

func TestFormatsByName(t *testing.T) {
	field, ok := reflect.TypeFor[Custom]().FieldByName("Format")
	if !ok {
		t.Fatal("no option format")
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
		for _, e := range f.Extensions {
			if got, err := FormatOf("x" + strings.ToUpper(e)); err != nil || got.Name != f.Name {
				t.Errorf("%s is %q, %v", e, got.Name, err)
			}
		}
	}
	if got := field.Tag.Get("enum"); got != strings.Join(names, ",") {
		t.Errorf("scenarios can name %s, and there are %v", got, names)
	}
	if _, err := FindFormat("graphmal"); err == nil || !strings.Contains(err.Error(), `did you mean "graphml"?`) {
		t.Errorf("got %v", err)
	}
}

func format(t *testing.T, name string) Format {
	t.Helper()
	f, err := FindFormat(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestByteOrderMark reads files as some editors of Windows write them.
func TestByteOrderMark(t *testing.T) {
	g, err := Star{Hosts: 3, Rate: unit.Gbps, Delay: unit.Microsecond}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		var b bytes.Buffer
		if f.Write(&b, g) != nil { // htsim writes trees alone, and some formats are only read
			continue
		}
		if _, err := f.Read(strings.NewReader("\ufeff"+b.String()), "x", Defaults{}); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

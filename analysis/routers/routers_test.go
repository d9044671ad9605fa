package routers_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/analysis/routers"
	"weft/topo"
	"weft/unit"
)

func TestArcsMatchLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "routers")
		cables := map[[2]int32]int32{}
		var links []routers.Link
		for range rapid.IntRange(0, 25).Draw(t, "links") {
			x := int32(rapid.IntRange(0, n-1).Draw(t, "x"))
			y := int32(rapid.IntRange(0, n-2).Draw(t, "y"))
			if y >= x {
				y++
			}
			links = append(links, routers.Link{A: x, B: y})
			cables[[2]int32{x, y}]++
			cables[[2]int32{y, x}]++
		}
		plain, err := routers.New(n, links)
		if err != nil {
			t.Fatal(err)
		}
		if plain.Links() != len(links) {
			t.Fatalf("%d links, want %d", plain.Links(), len(links))
		}
		for _, g := range []*routers.Graph{plain, plain.Shuffled(uint64(len(links)))} {
			if len(g.To) != len(cables) {
				t.Fatalf("%d arcs, want %d", len(g.To), len(cables))
			}
			for v := range int32(n) {
				degree := 0
				for arc := g.First[v]; arc < g.First[v+1]; arc++ {
					u, back := g.To[arc], g.Back[arc]
					if got := g.Cables[g.Edge[arc]]; got != cables[[2]int32{v, u}] {
						t.Fatalf("%d cables from %d to %d, want %d", got, v, u, cables[[2]int32{v, u}])
					}
					if g.To[back] != v || g.Back[back] != arc || g.Edge[back] != g.Edge[arc] || back < g.First[u] || back >= g.First[u+1] {
						t.Fatalf("the way back from %d to %d is wrong", u, v)
					}
					degree += int(cables[[2]int32{v, u}])
				}
				if g.Degree(v) != degree {
					t.Fatalf("degree %d of %d, want %d", g.Degree(v), v, degree)
				}
				if g == plain && !slices.IsSorted(g.To[g.First[v]:g.First[v+1]]) {
					t.Fatalf("neighbours of %d are out of order", v)
				}
			}
		}
	})
}

func TestFromTopology(t *testing.T) {
	// Three ToRs with two hosts each, two cables to each of two spines.
	fabric, err := topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 2, LinksPerSpine: 2, Rate: 100 * unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	g, err := routers.FromTopology(fabric)
	if err != nil {
		t.Fatal(err)
	}
	if g.Len() != 5 || g.Links() != 12 || len(g.Cables) != 6 || g.Endpoints() != 6 {
		t.Errorf("%d routers, %d links on %d edges, %d hosts; want 5, 12, 6, 6", g.Len(), g.Links(), len(g.Cables), g.Endpoints())
	}
	if least, most := g.Radix(); least != 4 || most != 4 {
		t.Errorf("radix %d to %d, want 4: the spines have six but no hosts", least, most)
	}
	var names []string
	for _, v := range g.EdgeRouters() {
		names = append(names, g.Name(v))
	}
	if want := []string{"tor0", "tor1", "tor2"}; !slices.Equal(names, want) {
		t.Errorf("edge routers %v, want %v", names, want)
	}
	if _, _, apart := g.Apart(); apart {
		t.Error("a leaf-spine network is called disconnected")
	}
}

func TestApart(t *testing.T) {
	g, err := routers.New(5, []routers.Link{{A: 0, B: 1}, {A: 2, B: 3}})
	if err != nil {
		t.Fatal(err)
	}
	g.Hosts = []int32{1, 1, 0, 0, 0}
	if _, _, apart := g.Apart(); apart {
		t.Error("routers without hosts need no path")
	}
	g.Hosts[3] = 1
	if a, b, apart := g.Apart(); !apart || a != 0 || b != 3 {
		t.Errorf("apart: %d and %d, %v; want 0 and 3", a, b, apart)
	}
}

func TestRefusals(t *testing.T) {
	for name, links := range map[string][]routers.Link{
		"self link":    {{A: 1, B: 1}},
		"no such":      {{A: 0, B: 3}},
		"negative":     {{A: -1, B: 0}},
		"later broken": {{A: 0, B: 1}, {A: 2, B: 2}},
	} {
		if _, err := routers.New(3, links); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if _, err := routers.FromTopology(&topo.Graph{Nodes: []topo.Node{{Name: "host0", Kind: topo.Host}}, Hosts: []topo.NodeID{0}}); err == nil {
		t.Error("a network without switches was not refused")
	}
}

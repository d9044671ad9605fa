package fault

import (
	"slices"
	"testing"

	"weft/topo"
	"weft/unit"
)

// TestStruck gathers the links of each fault with its first beginning and its last end.
func TestStruck(t *testing.T) {
	g := &topo.Graph{
		Nodes: []topo.Node{{Name: "h0", Kind: topo.Host}, {Name: "s0", Kind: topo.Switch}, {Name: "h1", Kind: topo.Host}},
		Hosts: []topo.NodeID{0, 2},
		Links: []topo.Link{{A: 0, B: 1, Rate: unit.Gbps, Delay: 1}, {A: 1, B: 2, Rate: unit.Gbps, Delay: 1}},
	}
	count, us := 3, unit.Microsecond
	line, err := NewTimeline([]Fault{
		Flap{Where: Where{Links: []string{"h0->s0"}, OneWay: true}, At: us, Period: 4 * us, Down: us, Count: &count, Cutting: Cutting{AllowCutoff: true}},
		Degrade{Where: Where{Links: []string{"*->h1"}}, Rate: Bandwidth{Share: 0.5}},
		LinkUp{Where: Where{Links: []string{"s0->h1"}}, At: 2 * us},
	}, g, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Struck{
		{[]topo.PortID{0}, us, 10 * us, false},
		{[]topo.PortID{2, 3}, 0, unit.Forever, false},
		{[]topo.PortID{2, 3}, 2 * us, unit.Forever, true},
	} {
		got := line.Struck[i]
		if !slices.Equal(got.Ports, want.Ports) || got.From != want.From || got.To != want.To || got.Lifts != want.Lifts {
			t.Errorf("fault %d: %+v, want %+v", i, got, want)
		}
	}
}

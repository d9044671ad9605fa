package fault

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/topo"
	"weft/unit"
)

// paired tells whether every two hosts have a shortest path without broken links,
// by a search for each two.
func paired(g *topo.Graph, broken []bool) bool {
	whole, left := distances(g, nil), distances(g, broken)
	for _, a := range g.Hosts {
		for _, b := range g.Hosts {
			if left[a][b] != whole[a][b] {
				return false
			}
		}
	}
	return true
}

// distances between all nodes; large without a path.
func distances(g *topo.Graph, broken []bool) [][]int {
	const far = 1 << 20
	d := make([][]int, len(g.Nodes))
	for i := range d {
		d[i] = make([]int, len(g.Nodes))
		for j := range d[i] {
			if i != j {
				d[i][j] = far
			}
		}
	}
	for l := range g.Links {
		if broken == nil || !broken[l] {
			d[g.Links[l].A][g.Links[l].B], d[g.Links[l].B][g.Links[l].A] = 1, 1
		}
	}
	for k := range d {
		for i := range d {
			for j := range d {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	return d
}

func brokenBy(t testing.TB, g *topo.Graph, tl *Timeline) []bool {
	t.Helper()
	broken := make([]bool, len(g.Links))
	for _, c := range tl.Changes {
		if c.What == Down {
			broken[c.Port.Link()] = true
		}
	}
	return broken
}

// TestKeepConnected draws as many failures as possible, which leave every two hosts
// a shortest path, and none more could: each one passed over would part two hosts.
func TestKeepConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g *topo.Graph
		var err error
		if rapid.Bool().Draw(t, "three tiers") {
			g, err = topo.FatTree{Tiers: 3, Radix: ptr(4), Rate: unit.Gbps}.Build()
		} else {
			g, err = topo.LeafSpine{
				ToRs: rapid.IntRange(2, 5).Draw(t, "tors"), HostsPerToR: 1, Spines: rapid.IntRange(1, 4).Draw(t, "spines"),
				LinksPerSpine: rapid.IntRange(1, 2).Draw(t, "links per spine"), Rate: unit.Gbps,
			}.Build()
		}
		if err != nil {
			t.Fatal(err)
		}
		var candidates []member
		for l := range g.Links {
			candidates = append(candidates, member{ports: []topo.PortID{topo.PortID(2 * l), topo.PortID(2*l + 1)}, place: l})
		}
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Shuffle(len(candidates), func(i, j int) {
			candidates[i], candidates[j] = candidates[j], candidates[i]
		})
		most := rapid.IntRange(1, len(candidates)).Draw(t, "most")
		taken := newConnectivity(g, nil).harmless(candidates, most)
		var want []int
		broken := make([]bool, len(g.Links))
		for _, m := range candidates {
			if len(want) == most {
				break
			}
			broken[m.place] = true
			if !paired(g, broken) {
				broken[m.place] = false
				continue
			}
			want = append(want, m.place)
		}
		var got []int
		for _, m := range taken {
			got = append(got, m.place)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("of %d links, at most %d: %s", len(g.Links), most, diff)
		}
	})
}

// Half of the cables of a fabric fail, exactly, and no two hosts are parted; the
// failures of another fault are looked upon too.
func TestHalfOfTheCables(t *testing.T) {
	g, err := topo.LeafSpine{ToRs: 16, HostsPerToR: 8, Spines: 8, LinksPerSpine: 1, Rate: unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	const links = 16 * 8
	for seed := range uint64(20) {
		half := LinkDown{Where: Where{Links: []string{"tor*->spine*"}}, Sample: Sample{Share: ptr(unit.Ratio(0.5))}, Cutting: Cutting{KeepConnected: true}}
		tl, err := NewTimeline([]Fault{SwitchDown{Switches: []string{"spine0"}}, half}, g, seed, Options{})
		if err != nil {
			t.Fatal(err)
		}
		broken := brokenBy(t, g, tl)
		n := 0
		for l, is := range broken {
			if is && !strings.HasPrefix(g.PortName(topo.PortID(2*l)), "spine0") && !strings.HasSuffix(g.PortName(topo.PortID(2*l)), "spine0") {
				n++
			}
		}
		if !paired(g, broken) {
			t.Errorf("seed %d: hosts are parted", seed)
		}
		// Of the half, some may fall on spine0, which is down anyway.
		if chosen := hit(t, g, half, seed); len(chosen) != links || n > links/2 {
			t.Errorf("seed %d: %d ports are hit, %d links beside spine0", seed, len(chosen), n)
		}
	}
}

func TestKeepConnectedFindsTooFew(t *testing.T) {
	g := fabric(t)
	for _, f := range []Fault{
		LinkDown{Where: Where{Links: []string{"tor0->spine*"}}, Cutting: Cutting{KeepConnected: true}},
		SwitchDown{Switches: []string{"spine*"}, Cutting: Cutting{KeepConnected: true}},
		Absent{Links: []string{"*->spine*"}, Sample: Sample{Pick: ptr(3)}, Cutting: Cutting{KeepConnected: true}},
		Flap{Where: Where{Links: []string{"host*->*"}}, Period: 2 * us, Down: us, Count: ptr(1), Cutting: Cutting{KeepConnected: true}},
	} {
		_, _, err := f.Expand(Site{Graph: g, Rand: rand.NewPCG(1, 1)})
		if err == nil || !strings.Contains(err.Error(), "keep_connected") || !strings.Contains(err.Error(), "ask for fewer") {
			t.Errorf("%T: error %v", f, err)
		}
	}
	// A ToR is never chosen, since its hosts would be parted.
	for seed := range uint64(20) {
		if ports := hit(t, g, SwitchDown{Switches: []string{"*"}, Sample: Sample{Pick: ptr(1)}, Cutting: Cutting{KeepConnected: true}}, seed); !strings.Contains(ports[0], "spine") || len(ports) != 4 {
			t.Errorf("seed %d: %v", seed, ports)
		}
	}
}

// One link after another fails, each for its time.
func TestOneAfterAnother(t *testing.T) {
	g := fabric(t)
	f := LinkDown{Where: Where{Links: []string{"tor*->spine*"}, OneWay: true}, When: When{At: 10 * us, For: ptr(30 * us), Every: ptr(20 * us)}}
	episodes, marks, err := f.Expand(Site{Graph: g, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range episodes {
		got = append(got, g.PortName(e.Port)+" "+e.From.String()+" "+e.To.String())
	}
	want := []string{"tor0->spine0 10us 40us", "tor0->spine1 30us 60us", "tor1->spine0 50us 80us", "tor1->spine1 70us 100us"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(marks) != 8 || marks[2] != (Mark{30 * us, "tor0->spine1 down"}) || marks[3] != (Mark{60 * us, "tor0->spine1 up"}) {
		t.Errorf("marks %v", marks)
	}

	// Chance draws the order.
	f.Pick, f.For = ptr(3), nil
	orders := map[string]bool{}
	for seed := range uint64(30) {
		episodes, _, err := f.Expand(Site{Graph: g, Rand: rand.NewPCG(seed, 1)})
		if err != nil || len(episodes) != 3 || episodes[2].From != 50*us || episodes[2].To != unit.Forever {
			t.Fatalf("%v, error %v", episodes, err)
		}
		names := []string{g.PortName(episodes[0].Port), g.PortName(episodes[1].Port), g.PortName(episodes[2].Port)}
		orders[strings.Join(names, " ")] = true
		slices.Sort(names)
		if len(slices.Compact(names)) != 3 {
			t.Fatalf("%v fail twice", names)
		}
	}
	if len(orders) < 12 { // of 24
		t.Errorf("30 seeds give %d orders", len(orders))
	}

	for want, wrong := range map[string]When{
		"every is 0s":     {Every: ptr(unit.Time(0))},
		"the end of time": {Every: ptr(unit.Forever / 2)},
	} {
		f.Pick, f.When = nil, wrong
		if _, _, err := f.Expand(Site{Graph: g, Rand: rand.NewPCG(1, 1)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}

	many, err := topo.LeafSpine{ToRs: 16, HostsPerToR: 1, Spines: 8, LinksPerSpine: 1, Rate: unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	f.When = When{Every: ptr(us)}
	if _, marks, err = f.Expand(Site{Graph: many, Rand: rand.NewPCG(1, 1)}); err != nil || len(marks) != 2 || marks[1].At != 127*us {
		t.Errorf("marks %v, error %v", marks, err)
	}
}

// TestKeepConnectedOnDragonfly: on a Dragonfly each link is some pair's only shortest path. Where routes
// follow, links fail as long as every two hosts keep any path; where they do not, none can.
func TestKeepConnectedOnDragonfly(t *testing.T) {
	g, err := topo.Dragonfly{SwitchesPerGroup: ptr(4), HostsPerSwitch: ptr(2), GlobalLinks: ptr(2), Cables: topo.Cables{Rate: unit.Gbps}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	share := unit.Ratio(0.1)
	down := LinkDown{Where: Where{Links: []string{"g*->g*"}}, Sample: Sample{Share: &share}, Cutting: Cutting{KeepConnected: true}}
	if _, err := NewTimeline([]Fault{down}, g, 1, Options{}); err == nil || !strings.Contains(err.Error(), "write routing: {reconverge: 10ms}") {
		t.Errorf("with routes that never follow: %v", err)
	}
	for seed := range uint64(20) {
		tl, err := NewTimeline([]Fault{down}, g, seed, Options{Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		broken := brokenBy(t, g, tl)
		left := distances(g, broken)
		for _, a := range g.Hosts {
			for _, b := range g.Hosts {
				if left[a][b] > len(g.Nodes) {
					t.Fatalf("seed %d parts %s and %s", seed, g.Nodes[a].Name, g.Nodes[b].Name)
				}
			}
		}
	}
	all := unit.Ratio(1)
	down.Share = &all
	if _, err := NewTimeline([]Fault{down}, g, 1, Options{Follow: true}); err == nil || !strings.Contains(err.Error(), "can fail with a path left for every two hosts; ask for fewer") {
		t.Errorf("all links: %v", err)
	}
	if _, err := NewTimeline([]Fault{Absent{Links: []string{"g*->g*"}, Sample: Sample{Share: &share}, Cutting: Cutting{KeepConnected: true}}}, g, 1, Options{}); err != nil {
		t.Errorf("missing links, of which routes know: %v", err)
	}
}

// TestJoined draws as many failures as possible, and none more could be: each one passed over would part two
// hosts.
func TestJoined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, err := topo.LeafSpine{
			ToRs: rapid.IntRange(2, 5).Draw(t, "tors"), HostsPerToR: 1, Spines: rapid.IntRange(1, 4).Draw(t, "spines"), LinksPerSpine: 1, Rate: unit.Gbps,
		}.Build()
		if err != nil {
			t.Fatal(err)
		}
		var candidates []member
		for l := range g.Links {
			candidates = append(candidates, member{ports: []topo.PortID{topo.PortID(2 * l), topo.PortID(2*l + 1)}, place: l})
		}
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Shuffle(len(candidates), func(i, j int) {
			candidates[i], candidates[j] = candidates[j], candidates[i]
		})
		broken := make([]bool, len(g.Links))
		var want, got []int
		for _, m := range candidates {
			broken[m.place] = true
			left := distances(g, broken)
			for _, a := range g.Hosts {
				for _, b := range g.Hosts {
					if left[a][b] > len(g.Nodes) {
						broken[m.place] = false
					}
				}
			}
			if broken[m.place] {
				want = append(want, m.place)
			}
		}
		for _, m := range newJoined(g, nil).harmless(candidates, len(candidates)) {
			got = append(got, m.place)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

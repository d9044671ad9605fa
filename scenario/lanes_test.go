package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/record/section/pauses"
	"weft/scenario"
	"weft/unit"
)

// TestCirclesAreRefused has pauses where routes have a circle, and where they have none. A scenario that says that
// it has no lanes runs, with a notice.
func TestCirclesAreRefused(t *testing.T) {
	const (
		text = `weft: 1
topology: %s
fabric: {pfc: 50KB}
transport: {balancer: %s}
routing: {policy: %s}
traffic: [{name: main, pattern: permutation, size: 10KB}]
`
		dragonfly = "{kind: dragonfly, switches_per_group: 4, hosts_per_switch: 2, global_links: 2, rate: 100Gbps, delay: 500ns}"
		slimFly   = "{kind: slim-fly, order: 5, rate: 100Gbps}"
		leafSpine = "{kind: leaf-spine, tors: 3, hosts_per_tor: 2, spines: 2, rate: 100Gbps}"
	)
	for _, test := range []struct{ topology, balancer, policy, remedy string }{
		{dragonfly, "ecmp", "ecmp", "write routing: {lanes: hop}, fabric: {classes: 3}, transport: {class: 2}"},
		{slimFly, "ops", "{kind: layers, layers: 4}", "write routing: {lanes: hop}, fabric: {classes: 6}, transport: {class: 5}"},
		{"{kind: slim-fly, order: 9, rate: 100Gbps}", "ops", "{kind: layers, layers: 9}", "write routing: {lanes: hop}, fabric: {classes: 5}, transport: {class: 4}"}, // too large to look
		{slimFly, "ops", "ksp", "write routing: {lanes: hop}, fabric: {classes: 4}, transport: {class: 3}"},
		{leafSpine, "ecmp", "ecmp", ""},
		{leafSpine, "ops", "{kind: layers, scheme: minimal, layers: 4}", ""},
	} {
		t.Run(test.topology+test.policy, func(t *testing.T) {
			scene := fmt.Sprintf(text, test.topology, test.balancer, test.policy)
			_, err := parsed(t, scene).Verify()
			if test.remedy == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "fabric.pfc: ") || !strings.Contains(err.Error(), test.remedy+", or routing: {lanes: none}") {
				t.Errorf("the error is %v", err)
			}
			notices, err := load(t, scene, "routing.lanes=none").Verify()
			if err != nil || !slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, test.remedy) }) {
				t.Errorf("with lanes: none, notices %q and error %v", notices, err)
			}
		})
	}
}

// laneStarving is a link that two equal flows share, of which one comes over a switch more.
const laneStarving = `weft: 1
topology:
  kind: graph
  rate: 100Gbps
  delay: 100ns
  switch_latency: 100ns
  nodes: [{name: host0..host3}, {name: s0..s2, kind: switch}]
  links:
    - {a: host0, b: s0}
    - {a: host1, b: s1}
    - {a: host2, b: s2}
    - {a: host3, b: s2}
    - {a: s0, b: s1}
    - {a: s1, b: s2}
fabric: {classes: 2, pfc: 50KB, ecn: off}
routing: {lanes: hop}
transport: {class: 1, congestion: {kind: constant, window: 10MB}, balancer: ecmp}
traffic:
  - {name: through, pattern: {kind: pairs, pairs: [host0->host2]}, size: 10MB}
  - {name: local, pattern: {kind: pairs, pairs: [host1->host3]}, size: 10MB}
`

// TestLanesDoNotStarve has both flows end at about the same time, in either order of lanes: neither goes first because it came
// further. A window of the run shows the least host at its mean.
func TestLanesDoNotStarve(t *testing.T) {
	for _, order := range []string{"arrival", "turns"} {
		s := execute(t, load(t, laneStarving, "fabric.lane_order="+order), scenario.RunOptions{}).Summary
		if s.Timeouts > 0 || s.Drops.Total() > 0 {
			t.Errorf("%s: %d timeouts, %d drops", order, s.Timeouts, s.Drops.Total())
		}
		for _, g := range s.Groups {
			if took := g.Runtime; took < 1610*unit.Microsecond || took > 1640*unit.Microsecond {
				t.Errorf("%s: %s ends at %v, want about 1626us", order, g.Name, took)
			}
		}
	}
	s := execute(t, load(t, laneStarving, "until=1ms", "measure.from=200us"), scenario.RunOptions{}).Summary
	if l := s.LeastHost; l == nil || l.Share < 0.98 || l.Senders != 2 || l.Hosts < 1 {
		t.Errorf("least host: %+v", l)
	}
}

// TestLanesWithoutPauses compares runs with a lane for each hop with those without lanes, on the same routes: with no pause they are
// the same to the bit, whatever limits, thresholds, rules, faults and transports there are.
func TestLanesWithoutPauses(t *testing.T) {
	t.Parallel()
	fabrics := []string{
		"{queue: 33kB, classes: 8}",
		"{queue: 33kB, classes: 8, ecn: {kind: threshold, k: 9KB}}",
		"{queue: infinite, classes: 8, buffer: {size: 150KB, alpha: 0.5}, ecn: {kind: threshold, k: 9KB}}",
		"{queue: 60kB, classes: 8, nic: fifo}",
		"{classes: 8, pfc: 1GB}",
	}
	for _, kind := range weft.Builtin().Markings.Names() {
		if kind == "off" {
			continue
		}
		fabrics = append(fabrics, "{queue: 33kB, classes: 8, ecn: "+kind+"}")
	}
	transports := []string{
		"{class: 7, balancer: ops}", "{class: 7, balancer: adaptive-roce, congestion: dctcp}", "{class: 7, balancer: ecmp, recovery: go-back-n}",
		"{class: 7, balancer: arcane, congestion: swift, ack: {class: 0}}",
	}
	paused, dropped, marked := 0, 0, 0
	for i, policy := range []string{"hierarchical", "valiant", "ugal", "par", "{kind: ugal, information: global, delay: 1us}", "{kind: layers, layers: 3}"} {
		for k, fabric := range fabrics {
			sets := []string{"routing.policy=" + policy, "fabric=" + fabric, "transport=" + transports[(i+k)%len(transports)]}
			if strings.Contains(fabric, "pfc") && strings.Contains(policy, "layers") {
				continue // which takes more lanes than there are
			}
			if strings.Contains(policy, "layers") || strings.Contains(fabric, "pfc") {
				sets[2] = "transport=" + transports[0]
			}
			var hashes [2]string
			for n, lanes := range []string{"none", "hop"} {
				s := execute(t, load(t, flappingDragonfly, append(sets, "routing.lanes="+lanes)...), scenario.RunOptions{}).Summary
				hashes[n] = s.ResultHash
				if pauses.Of(s.Sections) != nil && pauses.Of(s.Sections).Frames > 0 {
					paused++
				}
				dropped += int(s.Drops.QueueFull)
				marked += int(s.ECNMarks)
			}
			if hashes[0] != hashes[1] {
				t.Errorf("%s: without lanes %s, with a lane for each hop %s", sets, hashes[0], hashes[1])
			}
		}
	}
	if paused > 0 || dropped == 0 || marked == 0 {
		t.Errorf("%d runs paused, %d frames dropped, %d marked", paused, dropped, marked)
	}
}

// TestLanesOfPriorities has transports in classes whose lanes share classes, and in such that do not.
func TestLanesOfPriorities(t *testing.T) {
	const two = "traffic=[{name: a, pattern: permutation, size: 10KB, transport: {class: %d}}, {name: b, pattern: permutation, size: 10KB, transport: {class: %d}}]"
	for _, c := range []struct {
		name, lanes string
		a, b        int
		sets        []string
		want        []uint8
		notice      string
	}{
		{"apart", "hop", 7, 4, nil, []uint8{0b11100000, 0b11111}, ""},
		{"down to the next", "hop", 7, 2, nil, []uint8{0b11111000, 0b111}, ""},
		{"shared", "hop", 7, 5, nil, []uint8{0b11111111}, "packets begin in classes 5, 7 and share lanes (routing.lanes), so that switches serve them as one priority; for priorities write classes that are 3 apart"},
		{"acknowledgements", "hop", 7, 7, []string{"transport.ack.class=6"}, []uint8{0b11111111}, "packets begin in classes 6, 7 and share lanes"},
		{"retransmissions", "hop", 7, 7, []string{"transport.recovery={kind: selective, class: 2}"}, []uint8{0b11111000, 0b111}, ""},
		{"none", "none", 7, 5, []string{"fabric.lane_order=turns"}, nil, "fabric.lane_order: turns has no effect, since packets travel in one lane each"},
	} {
		scene := load(t, flappingDragonfly, append(c.sets, "fabric.classes=8", "routing={policy: hierarchical, lanes: "+c.lanes+"}", fmt.Sprintf(two, c.a, c.b))...)
		got, err := scene.LaneGroups()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(got.Masks, c.want) {
			t.Errorf("%s: lanes %08b, want %08b", c.name, got.Masks, c.want)
		}
		notices, err := scene.Verify()
		told := strings.Join(notices, "\n")
		if err != nil || c.notice != "" && !strings.Contains(told, c.notice) || c.notice == "" && strings.Contains(told, "share lanes") {
			t.Errorf("%s: error %v, notices %s", c.name, err, told)
		}
	}
}

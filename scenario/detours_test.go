package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/record/section/detours"
	"weft/scenario"
)

// flappingDragonfly is a small Dragonfly in which two groups lose the link between them for a while.
const flappingDragonfly = `weft: 1
topology: {kind: dragonfly, switches_per_group: 4, hosts_per_switch: 1, global_links: 1, rate: 100Gbps}
fabric: {queue: 33kB}
traffic: [{name: main, pattern: {kind: group-shift, by: 2}, size: 64KiB}]
faults:
  - {kind: link-down, links: "g0r*->g2r*", at: 3us, for: 60us}
routing: {reconverge: 15us}
`

// TestDetoursDeliver runs every policy with balancers that choose intermediates in different ways, cut in
// different ways, through failures: all is delivered, and to the same bytes of result.
func TestDetoursDeliver(t *testing.T) {
	for _, tt := range []struct{ policy, balancer, lanes string }{
		{"hierarchical", "ops", "hop"},
		{"valiant", "ecmp", "auto"},
		{"{kind: valiant, intermediate: group}", "arcane", "phase"},
		{"ugal", "{kind: ops, at: switch}", "none"},
		{"{kind: ugal, flowlet: 100ns, flowlets: 64}", "adaptive-roce", "auto"},
		{"{kind: par, flowlet: 5us}", "ecmp", "auto"},
		{"{kind: ugal, intermediate: group, threshold: 0B}", "{kind: flowlet, gap: 1us}", "hop"},
		{"{kind: ugal, information: global, delay: 2us}", "adaptive-roce", "auto"},
		{"{kind: ugal, information: global, intermediate: group, paths: links}", "{kind: letflow, gap: 1us}", "auto"},
		{"par", "round-robin", "auto"},
		{"{kind: par, intermediate: group}", "mprdma", "hop"},
	} {
		t.Run(tt.policy+" "+tt.balancer, func(t *testing.T) {
			t.Parallel()
			want := ""
			for _, o := range []scenario.RunOptions{
				{Domains: 1, Threads: 1, Check: true}, {Domains: 5, Threads: 1}, {Domains: 9, Threads: 2, Check: true},
			} {
				r, err := scenario.Run(t.Context(), load(t, flappingDragonfly, "routing.policy="+tt.policy, "routing.lanes="+tt.lanes, "transport.balancer="+tt.balancer, "fabric.classes=8", "transport.class=7"), o)
				if err != nil {
					t.Fatal(err)
				}
				s := &r.Summary
				if s.Messages != 20 || s.Unfinished != 0 || s.Drops.LinkDown == 0 {
					t.Fatalf("%d of %d messages are unfinished; %d frames met a dead link", s.Unfinished, s.Messages, s.Drops.LinkDown)
				}
				if d := detours.Of(s.Sections); (d == nil) != (tt.policy == "hierarchical") || d != nil && (d.Packets == 0 || d.Detours == 0 || d.Share() > 1 || d.Turned > d.Detours) {
					t.Errorf("detours %+v", d)
				}
				if want == "" {
					want = s.ResultHash
				}
				if s.ResultHash != want {
					t.Errorf("%d domains, %d threads: result hash %s, want %s", o.Domains, o.Threads, s.ResultHash, want)
				}
			}
		})
	}
}

// TestDetourRefusals has scenarios refused that do not go with detours, or have pauses without enough lanes.
func TestDetourRefusals(t *testing.T) {
	lossless := "fabric={pfc: 100KB}"
	for _, tt := range []struct {
		name string
		sets []string
		want string
	}{
		{"no lanes", []string{lossless},
			"packets take 6 classes from that of their transport down, acknowledgements included (routing.lanes: hop, and walks have up to 6 links between switches), but class is 0; write fabric: {classes: 6}, transport: {class: 5}"},
		{"by group", []string{lossless, "routing.policy={kind: ugal, intermediate: group}"}, "write fabric: {classes: 5}, transport: {class: 4}"},
		{"progressive", []string{lossless, "routing.policy=par"}, "write fabric: {classes: 7}, transport: {class: 6}"},
		{"two less", []string{"fabric={pfc: 100KB, classes: 6}", "transport.class=3"}, "but class is 3; write fabric: {classes: 6}, transport: {class: 5}"},
		{"acknowledgements", []string{"fabric={pfc: 100KB, classes: 6}", "transport={class: 5, ack: {class: 0}}"}, "but ack.class is 0; write fabric: {classes: 6}, transport: {class: 5, ack: {class: 5}}"},
		{"too long", []string{lossless, "topology={kind: jellyfish, switches: 30, degree: 2, hosts_per_switch: 1, rate: 100Gbps}", "faults=[]", "traffic.main.pattern=permutation"}, "ports have 8 at most: remove fabric.pfc"},
		{"minimal", []string{lossless, "routing.policy=hierarchical", "routing.lanes=hop"}, "packets take 3 classes"},
		{"phases of circles", []string{lossless, "routing.lanes=phase"}, "minimal paths of this topology can wait for each other in a circle within a phase: g"},
		{"phases of none", []string{"routing.policy=ecmp", "routing.lanes=phase"}, "packets of routing.policy: ecmp have no intermediate where they could change the lane; write lanes: hop"},
		{"trimming", []string{"routing.lanes=hop", "fabric={overflow: trim}"}, "headers of trimmed packets have class 0 to themselves"},
		{"egress", []string{"fabric={pfc: {xoff: 100KB, of: egress}, classes: 6}", "transport.class=5"}, "links are paused by what came over them in each class; write of: ingress"},
		{"some classes", []string{"fabric={pfc: {xoff: 100KB, classes: [5]}, classes: 6}", "transport.class=5"}, "but only class 5 is lossless"},
		{"deflection", []string{"fabric={deflect: {}}", "transport.balancer=ecmp", "routing.policy=par"}, "queues decide for each packet whether it takes a detour"},
		{"retraced", []string{"fabric={telemetry: {}}", "transport={congestion: fncc, balancer: ecmp}"}, "packets take detours, each its own (routing.policy); write policy: ecmp"},
		{"controllers", []string{"fabric={pfc: 100KB, classes: 6}", "transport={congestion: rocc, class: 5, balancer: ecmp}"}, "switches compute the rates of rocc for the queues of one class"},
		{"no groups", []string{"routing.policy=par", "topology={kind: leaf-spine, tors: 3, hosts_per_tor: 2, spines: 2, rate: 100Gbps}", "faults=[]", "traffic.main.pattern=permutation"}, "stands in no group"},
		{"a table without flowlets", []string{"routing.policy={kind: ugal, flowlets: 64}"}, "without flowlet there is none; remove it, or write flowlet: 50us"},
		{"entries", []string{"routing.policy={kind: par, flowlet: 1us, flowlets: 65}"}, "flowlets is 65; write a power of two, such as 65536"},
		{"delay", []string{"routing.policy={kind: ugal, delay: 1us}"}, "a switch knows its own queues at once; remove delay, or write information: global"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenario.Run(t.Context(), load(t, flappingDragonfly, append([]string{"routing.policy=valiant"}, tt.sets...)...), scenario.RunOptions{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestEnoughLanes runs lossless scenarios that have as many classes as refusals say, in a fat tree two by the phase.
func TestEnoughLanes(t *testing.T) {
	for _, tt := range []struct {
		name string
		sets []string
	}{
		{"dragonfly", []string{"fabric={pfc: 100KB, classes: 6}", "transport.class=5"}},
		{"fat tree", []string{"topology={kind: fat-tree, tiers: 3, radix: 4, rate: 100Gbps}", "traffic.main.pattern=permutation", "fabric={pfc: 100KB, classes: 2}", "transport.class=1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := scenario.Run(t.Context(), load(t, flappingDragonfly, append([]string{"routing.policy=valiant", "faults=[]", "transport.congestion={kind: constant, window: 1MB}"}, tt.sets...)...), scenario.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if s := &r.Summary; s.Unfinished != 0 || s.Drops.Total() != 0 {
				t.Errorf("%d messages are unfinished, and %d frames were dropped", s.Unfinished, s.Drops.Total())
			}
			want := map[string]float64{"dragonfly": 6, "fat tree": 2}[tt.name]
			for _, d := range r.Manifest.Derived {
				if d.Name == "lanes" && d.Value != want {
					t.Errorf("%g lanes, want %g", d.Value, want)
				}
			}
		})
	}
}

// openDragonfly is one of 72 hosts, whose messages of one packet come whatever became of those before: what
// arrives of a load that is too much is what routing can carry.
const openDragonfly = `weft: 1
topology: {kind: dragonfly, switches_per_group: 4, hosts_per_switch: 2, global_links: 2, rate: 100Gbps, delay: 100ns, switch_latency: 100ns}
fabric: {classes: 7, pfc: 50KB, ecn: off}
transport: {payload: 4032B, header: 64B, class: 6, congestion: {kind: constant, window: 1GB}, balancer: ops, rto: 50ms}
traffic: [{name: main, pattern: {kind: group-shift, by: 1}, size: 4032B, arrival: {kind: poisson, load: 60%}}]
until: 120us
measure: {from: 60us}
`

// accepted returns the payload that arrives of an open load, as a share of the hosts' links.
func accepted(t *testing.T, sets ...string) float64 {
	t.Helper()
	r, err := scenario.Run(t.Context(), load(t, openDragonfly, sets...), scenario.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s := &r.Summary; s.Drops.Total() > 0 || s.Retransmits > 0 || s.Deadlocked {
		t.Errorf("%v: %d frames were dropped and %d sent again; deadlock %v", sets, s.Drops.Total(), s.Retransmits, s.Deadlocked)
	}
	return float64(r.Summary.Goodput) / float64(r.Summary.Hosts) / 100e9
}

// TestDragonflySaturation compares what routing carries from each group to the next with closed forms (Kim et al., ISCA 2008,
// §4): minimal routing has one link of a group for all its a·p hosts; Valiant crosses two links between groups, of which there is one for
// each host. (It crosses one where its intermediate is in either group, which is left out here.) Of both, payload is 4032 of 4096 bytes,
// and Valiant's links also carry acknowledgements of 64 B.
func TestDragonflySaturation(t *testing.T) {
	t.Parallel()
	oneThread(t)
	const payload, acks = 4032. / 4096, 4096. / (4096 + 64)
	within := func(name string, got, least, most float64) {
		t.Helper()
		if got < least || got > most {
			t.Errorf("%s carries %.4f, want %.4f to %.4f", name, got, least, most)
		}
	}
	minimal := accepted(t, "routing.policy=hierarchical", "routing.lanes=hop")
	within("minimal routing", minimal, 0.98*payload/8, payload/8*1.001)
	valiant := accepted(t, "routing.policy=valiant")
	within("valiant", valiant, 0.9*payload*acks/2, 1.1*payload*acks/2)
	local := accepted(t, "routing.policy=ugal")
	global := accepted(t, "routing.policy={kind: ugal, information: global}")
	within("ugal with local queues", local, 2*minimal, global)
	within("ugal with all queues", global, 0.9*valiant, 0.65)
	within("par", accepted(t, "routing.policy=par"), local, 0.65)
	within("uniform, minimal", accepted(t, "routing.policy=hierarchical", "routing.lanes=hop", "traffic.main.pattern=uniform", "traffic.main.arrival.load=90%"), 0.85, 0.92)
	within("uniform, valiant", accepted(t, "routing.policy=valiant", "traffic.main.pattern=uniform", "traffic.main.arrival.load=90%"), 0.9*payload*acks/2, 0.55)
	within("uniform, ugal", accepted(t, "routing.policy=ugal", "traffic.main.pattern=uniform", "traffic.main.arrival.load=90%"), 0.85, 0.92)
	if testing.Verbose() {
		fmt.Println(minimal, valiant, local, global)
	}
}

package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/record/section/deflection"
	"weft/scenario"
)

// triangle is three switches in a circle with a host each, whose links between switches take a quarter of what hosts can
// send. Minimal routes wait for nothing; deflected ones lead around the other way.
const triangle = `weft: 1
topology: {kind: graph, delay: 1us, nodes: [{name: "host0..host2"}, {name: "switch0..switch2"}], links: [
  {a: host0, b: switch0, rate: 40Gbps}, {a: host1, b: switch1, rate: 40Gbps}, {a: host2, b: switch2, rate: 40Gbps},
  {a: switch0, b: switch1, rate: 10Gbps}, {a: switch1, b: switch2, rate: 10Gbps}, {a: switch2, b: switch0, rate: 10Gbps}]}
fabric: {pfc: {xoff: 20KB, xon: 15KB}, queue: infinite, classes: 6, deflect: {threshold: 5KB, table: 64}}
transport: {payload: 936B, class: 5, ack: {class: 0}, congestion: {kind: constant, window: 8KB}, balancer: ecmp, rto: 10ms}
stuck_after: 300us
until: 20ms
traffic:
  - name: next
    pattern: {kind: pairs, pairs: [host0->host1, host1->host2, host2->host0]}
    size: 8KB
    arrival: {kind: closed, outstanding: 32, count: 500}
`

// TestDeflectionDeadlock has deflected messages lock up a circle of switches in one lane, and in the two of the paper. The
// run ends with the names of the links. With a lane for each token all arrives.
func TestDeflectionDeadlock(t *testing.T) {
	t.Parallel()
	for lanes, class := range map[string]string{"1": "class 5", "2": "class 5", "auto": "", "per-token": ""} {
		res := simulateBriefly(t, strings.Replace(triangle, "table: 64", "table: 64, lanes: "+lanes, 1))
		s := &res.Summary
		if deflection.Of(s.Sections).Hops == 0 {
			t.Errorf("lanes %s: nothing was deflected", lanes)
		}
		if class == "" {
			if s.Ended != record.Drained || s.Unfinished > 0 || deflection.Of(s.Sections).Left > 0 || s.Retransmits > 0 {
				t.Errorf("lanes %s: it ended as %s (%s), %d messages unfinished, %d rows left", lanes, s.Ended, s.Cause, s.Unfinished, deflection.Of(s.Sections).Left)
			}
			continue
		}
		for _, want := range []string{"deadlock: 3 classes of links", "switch0->switch2 " + class, "switch1->switch0 " + class, "switch2->switch1 " + class} {
			if !strings.Contains(s.Cause, want) {
				t.Errorf("lanes %s: the cause does not say %q: %s", lanes, want, s.Cause)
			}
		}
	}
}

// TestDilation counts links of deflected messages by another way: acknowledgements are never deflected, and as many as there are
// packets. So what all frames crossed is twice what messages took, but for what deflection added to one way.
func TestDilation(t *testing.T) {
	t.Parallel()
	res := simulateBriefly(t, triangle)
	s, d := &res.Summary, deflection.Of(res.Summary.Sections)
	if d.Extra == 0 || s.PacketHops != 2*d.Links-d.Extra {
		t.Errorf("packets took %d links, %d of them by deflection, and all frames %d", d.Links, d.Extra, s.PacketHops)
	}
	// Minimal ways have three links, of 1000 B and 64 B frames; 8 KB are eight of these and one of 576 B.
	const messages, wire = 1500, 8*1000 + 576
	if d.Links-d.Extra != messages*9*3 {
		t.Errorf("minimal ways of all packets have %d links, want %d", d.Links-d.Extra, messages*9*3)
	}
	if least := d.Bytes - d.ExtraBytes; least != messages*3*(wire+9*64) {
		t.Errorf("without deflection %d B cross links, want %d", least, messages*3*(wire+9*64))
	}
}

// deflected is a leaf-spine in which messages are deflected.
const deflected = `weft: 1
topology: {kind: leaf-spine, tors: 3, hosts_per_tor: 2, spines: 2, rate: 10Gbps, delay: 1us}
fabric: {deflect: {}}
transport: {congestion: dcqcn, balancer: ecmp}
traffic: [{name: main, pattern: permutation, size: 8KB}, {name: other, pattern: uniform, size: 1KB}]
`

func TestDeflectionRefuses(t *testing.T) {
	for _, c := range []struct{ name, set, want string }{
		{"sprayed", "transport.balancer=ops", "transport.balancer: deflection keeps packets of a message in order behind each other, but ops sends them over several paths; write balancer: ecmp, or remove fabric.deflect"},
		{"flowlets", "transport.balancer=letflow", "but letflow sends them over several paths"},
		{"subflows", "transport.balancer=mptcp", "but mptcp sends them over several paths"},
		{"trimmed", "fabric.overflow=trim", "fabric.deflect: headers of trimmed packets overtake the messages that deflection keeps in order; write overflow: drop"},
		{"retraced", "transport.congestion=fncc", "fncc needs acknowledgements that retrace the path of their packets"},
		{"tokens", "fabric.deflect.tokens=15", "fabric.deflect.tokens"},
		{"tokens with lanes", "fabric.deflect.tokens=8;fabric.pfc=50KB", "fabric.deflect.tokens: a lane for each of 8 tokens takes 9 classes, and ports have 8 at most; write tokens: 6, or lanes: 1"},
		{"egress", "fabric.pfc={xoff: 50KB, of: egress}", "fabric.pfc.of: deflected frames change their class, so links are paused by what came over them in each class; write of: ingress"},
		{"some classes", "fabric.pfc={xoff: 50KB, classes: [5]}", "fabric.pfc.classes: deflected frames change their class, but only class 5 is lossless"},
		{"class", "transport.class=2;fabric.deflect.lanes=per-token", "deflected frames use 4 classes before that of their transport, which is 2; write class: 4 or more, or fabric: {deflect: {lanes: 1}}"},
		{"classes", "fabric.deflect.lanes=2;traffic.main.transport={class: 0}", "deflected frames use 1 class before that of their transport, which is 0"},
		{"controller", "transport.congestion=rocc;fabric.deflect.lanes=2;fabric.pfc=500KB", "switches compute the rates of rocc for the queues of one class"},
	} {
		_, err := scenario.Parse("scenario.yaml", []byte(deflected), weft.Builtin(), strings.Split(c.set, ";"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error lacks %q:\n%v", c.name, c.want, err)
		}
	}
	for sets, want := range map[string]string{
		"routing.policy=ugal":                      "routing.policy: queues decide for each packet whether it takes a detour, but deflection keeps packets of a message in order behind each other; write policy: valiant, or remove fabric.deflect",
		"routing.policy=valiant;fabric.pfc=50KB":   "fabric.deflect.lanes: packets turn at intermediates (routing.policy), so that no lanes keep deflected ones from waiting for each other in a circle; write lanes: 1",
		"routing.policy=ksp;fabric.pfc=50KB":       "fabric.deflect.lanes: packets follow explicit paths (routing.policy), so that no lanes",
		"routing.policy=valiant;routing.lanes=hop": "routing.lanes: deflected packets take more links than these lanes are for; write lanes: auto, or remove fabric.deflect",
	} {
		if _, err := load(t, deflected, strings.Split(sets, ";")...).Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error lacks %q:\n%v", sets, want, err)
		}
	}
	s := load(t, circleOfFive)
	if _, err := s.Build(); err == nil || !strings.Contains(err.Error(), "fabric.deflect.lanes: frames on switch") {
		t.Errorf("a circle of five: %v", err)
	}
}

// circleOfFive is a circle with minimal routes around it.
const circleOfFive = `weft: 1
topology: {kind: graph, rate: 100Gbps, delay: 1us, nodes: [{name: "host0..host4"}, {name: "switch0..switch4"}], links: [
  {a: host0, b: switch0}, {a: host1, b: switch1}, {a: host2, b: switch2}, {a: host3, b: switch3}, {a: host4, b: switch4},
  {a: switch0, b: switch1}, {a: switch1, b: switch2}, {a: switch2, b: switch3}, {a: switch3, b: switch4}, {a: switch4, b: switch0}]}
fabric: {pfc: 50KB, deflect: {}}
transport: {congestion: dcqcn, balancer: ecmp}
traffic: [{name: main, pattern: permutation, size: 8KB}]
`

// What deflection brings, and what it notes.
func TestDeflectionBrings(t *testing.T) {
	for _, c := range []struct {
		set  string
		want []string
		not  string
	}{
		{"seed=1", nil, "class"},
		{"fabric.pfc=50KB", []string{
			"transport.class: 5 (deflected frames use 4 classes before that of their transport)",
			"transport.ack.class: 0 (acknowledgements go before data, as in Dart §VI-A)",
			"fabric.classes: 6 (deflected frames travel in classes of their own)",
		}, "circle"},
		{"fabric.pfc=50KB;fabric.deflect.lanes=1", []string{"with fabric.deflect.lanes: 1 paused links can come to wait for each other in a circle"}, "class: 5"},
		{"fabric.pfc=50KB;fabric.deflect.lanes=2", []string{"transport.class: 2", "with fabric.deflect.lanes: 2 paused links"}, "class: 5"},
		{"fabric.ecn={kind: threshold, k: 10KB}", []string{"fabric.deflect.threshold, 15KB, is not below the queue at which frames are marked, 10KB"}, "class: 5"},
		{"transport.congestion=sird;transport.balancer=ops", []string{"sird is a host transport, whose messages fabric.deflect does not deflect"}, "class: 5"},
	} {
		s := load(t, deflected, strings.Split(c.set, ";")...)
		b, err := s.Build()
		if err != nil {
			t.Errorf("%s: %v", c.set, err)
			continue
		}
		for _, want := range c.want {
			if !slices.ContainsFunc(b.Notices, func(n string) bool { return strings.Contains(n, want) }) {
				t.Errorf("%s: no notice says %q: %q", c.set, want, b.Notices)
			}
		}
		if slices.ContainsFunc(b.Notices, func(n string) bool { return strings.Contains(n, c.not) }) {
			t.Errorf("%s: a notice says %q: %q", c.set, c.not, b.Notices)
		}
	}
}

// The first packets of Dart's incasts carry a list of senders in place of their number of packets. They are deflected like
// others, before what follows them.
func TestDeflectedIncast(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 3, hosts_per_tor: 4, spines: 2, rate: 10Gbps, delay: 1us}
fabric: {queue: 225KB, ecn: {kind: threshold, k: 22.5KB}, deflect: {threshold: 3KB}}
transport: {payload: 1436B, congestion: dart, balancer: ecmp, recovery: go-back-n}
traffic:
  - {name: cross, pattern: {kind: pairs, pairs: [host0->host4, host1->host8, host4->host9, host8->host5]}, size: 200KB}
  - {name: incast, pattern: {kind: incast, receiver: host3}, size: 6KB, look_ahead: senders}
`
	for _, queue := range []string{"sweep", "calendar"} {
		res, order, err := scenario.RunOrdered(t.Context(), load(t, text, "engine.queue="+queue))
		if err != nil {
			t.Fatal(err)
		}
		s := &res.Summary
		if d := deflection.Of(s.Sections); d.Messages == 0 || d.Rows != d.Messages || d.Left > 0 || s.Unfinished > 0 || s.Retransmits > 0 || len(order.Wrong)+len(order.Senders) > 0 || order.Told == 0 {
			t.Errorf("%s: %+v, %d messages unfinished, %d retransmissions; %v", queue, *d, s.Unfinished, s.Retransmits, order)
		}
	}
}

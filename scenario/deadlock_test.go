package scenario_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// circle is five switches in a circle with a host each, whose links stop when a switch holds 50 kB of what
// came over one. Minimal routes to the second host clockwise lead around the circle.
const circle = `weft: 1
topology: {kind: graph, rate: 100Gbps, delay: 1us, nodes: [{name: "host0..host4"}, {name: "switch0..switch4"}], links: [
  {a: host0, b: switch0%s}, {a: host1, b: switch1}, {a: host2, b: switch2%s}, {a: host3, b: switch3}, {a: host4, b: switch4},
  {a: switch0, b: switch1}, {a: switch1, b: switch2}, {a: switch2, b: switch3}, {a: switch3, b: switch4}, {a: switch4, b: switch0}]}
fabric: {pfc: {xoff: 50KB, xon: 40KB}, queue: infinite}
transport: {congestion: {kind: constant, window: 2MB}, balancer: ecmp, rto: 200us}
routing: {lanes: none}
stuck_after: 300us
traffic:
`

// aroundCircle has every host send to the second host clockwise.
var aroundCircle = fmt.Sprintf(circle, "", "") + `- {name: around, pattern: {kind: pairs, pairs: [host0->host2, host1->host3, host2->host4, host3->host0, host4->host1]}, size: 2MB}
`

// TestDeadlock names links that wait for each other: when nothing moves, when other messages still do, and when
// the run ends before anyone looks.
func TestDeadlock(t *testing.T) {
	for _, test := range []struct{ name, more string }{
		{"nothing moves", ""},
		{"others move", "- {name: other, pattern: {kind: pairs, pairs: [host0->host5]}, arrival: closed, size: 10KB}\nuntil: 20ms\n"},
		{"the run ends", "until: 200us\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := aroundCircle + test.more
			if strings.Contains(test.more, "host5") { // beside host0, so that nothing of it goes around
				text = strings.Replace(text, "host0..host4", "host0..host6", 1)
				text = strings.Replace(text, "links: [", "links: [{a: host5, b: switch0}, {a: host6, b: switch0}, ", 1)
				text = strings.Replace(text, "host0->host5", "host6->host5", 1)
			}
			res := simulateBriefly(t, text)
			s := &res.Summary
			if s.Ended != record.Stuck || !s.Partial {
				t.Fatalf("it ended as %s, partial %v, with %d messages unfinished", s.Ended, s.Partial, s.Unfinished)
			}
			if s.Simulated >= 2*unit.Millisecond {
				t.Errorf("it was found at %v only", s.Simulated)
			}
			for i, want := range []string{"deadlock: 5 classes of links wait for each other: ", "hosts host0, host1, host2, host3, host4 wait behind them"} {
				if i == 0 && !strings.HasPrefix(s.Cause, want) || !strings.Contains(s.Cause, want) {
					t.Errorf("the cause does not say %q: %s", want, s.Cause)
				}
			}
			for i := range 5 {
				if want := fmt.Sprintf("switch%d->switch%d class 0 (", i, (i+1)%5); !strings.Contains(s.Cause, want) {
					t.Errorf("the cause does not say %q: %s", want, s.Cause)
				}
			}
		})
	}
}

// A chain behind a slow link is paused again and again, and always gets on; a look between two deliveries does
// not take it for a deadlock.
func TestSlowChainIsNotStuck(t *testing.T) {
	text := fmt.Sprintf(circle, "", ", rate: 1Gbps") + `- {name: slow, pattern: {kind: pairs, pairs: [host0->host2, host1->host2]}, size: 500KB}
`
	s := load(t, text, "stuck_after=100us", "transport.rto=100ms")
	res, err := scenario.Run(context.Background(), s, scenario.RunOptions{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	if s := &res.Summary; s.Ended != record.Drained || s.Unfinished != 0 {
		t.Errorf("it ended as %s: %s", s.Ended, s.Cause)
	}
}

// A failure that is still to come takes the pauses of its link back and may end a deadlock: the run waits for it.
func TestFailureEndsDeadlock(t *testing.T) {
	res := simulateBriefly(t, aroundCircle+"faults: [{kind: link-down, links: \"switch0->switch1\", at: 2ms, for: 100us}]\n")
	if s := &res.Summary; s.Ended == record.Stuck && s.Simulated < 2*unit.Millisecond {
		t.Errorf("it ended at %v: %s", s.Simulated, s.Cause)
	}
}

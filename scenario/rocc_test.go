package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// roccText is an incast over a switch that pauses.
const roccText = `weft: 1
topology: {kind: star, hosts: %d, rate: 100Gbps}
fabric: {pfc: {}}
transport: {congestion: rocc}
record: {flows: all}
traffic: [{name: main, pattern: {kind: incast, receiver: host0, senders: %d}, size: %s}]
`

// RoCC works without further keys. Long flows get equal shares: they end together, and the link of their
// receiver is full but for some milliseconds at first. One alone is not held up.
func TestRoCC(t *testing.T) {
	t.Parallel()
	oneThread(t)
	for _, n := range []int{1, 2, 10} {
		res := execute(t, parsed(t, fmt.Sprintf(roccText, n+1, n, fmt.Sprintf("%dMB", 400/n))), scenario.RunOptions{})
		drained(t, res)
		fct := res.Summary.FCT
		line := (100 * unit.Gbps).Transmit(400_000_000 * 4160 / 4096)
		if most := line + 4*unit.Millisecond; fct.Max > most || n == 1 && fct.Max > line+10*unit.Microsecond || float64(fct.P50) < 0.97*float64(fct.Max) {
			t.Errorf("%d flows take %v and %v, %v at line rate", n, fct.P50, fct.Max, line)
		}
	}
}

// The queue of the receiver is steered to its reference, 300 kB at 100 Gb/s.
func TestRoCCSteersTheQueue(t *testing.T) {
	t.Parallel()
	oneThread(t)
	for _, set := range []string{"engine.queue=sweep", "transport.congestion={kind: rocc, reference: 200kB}"} {
		res := execute(t, parsed(t, fmt.Sprintf(roccText, 5, 4, "100MB"), "measure={from: 10ms, to: 25ms}", set), scenario.RunOptions{})
		p := port(t, res, "tor0->host0")
		want := 300e3
		if strings.Contains(set, "200kB") {
			want = 200e3
		}
		if mean := float64(p.QueueMean); mean < 0.9*want || mean > 1.1*want {
			t.Errorf("%s: the queue holds %v B on average, want %v", set, mean, want)
		}
	}
}

// fast makes ticks and notices frequent in small networks.
const fastRoCC = "transport.congestion={kind: rocc, period: 1us, quantum: 100B, reference: 2kB, middle: 5kB, most: 9kB, reaction: 700ns, timer: 3us}"

// Random scenarios with controllers give the same results, whichever way they are run, and
// account for each frame. Some have pauses.
func TestRoCCAnyWay(t *testing.T) {
	t.Parallel()
	controlledAnyWay(t, 300, func(int) string { return fastRoCC })
}

// controlledAnyWay runs every fifth of so many random scenarios with a control, half of them with pauses if they can have these, in all ways.
func controlledAnyWay(t *testing.T, of int, control func(i int) string) {
	t.Helper()
	runs, paused := 0, 0
	for i := 0; i < number(of); i += everyWay {
		s := newSketch(t, i)
		text := s.text.String()
		sets := []string{control(i)}
		if err := verified("testdata/scenario.yaml", text, sets...); err != nil {
			if !strings.Contains(err.Error(), "class is not that of") && !strings.Contains(err.Error(), "leave class out of recovery") {
				t.Errorf("%v\n%s", err, text)
			}
			continue
		}
		if pfc := append(sets, "fabric.pfc=3kB"); i%2 == 0 && verified("testdata/scenario.yaml", text, pfc...) == nil {
			sets = pfc
			paused++
		}
		runs++
		sameAnyWay(t, s, i, sets...)
	}
	if runs < number(of)/everyWay/2 || paused == 0 && !testing.Short() { // few of the short test have some
		t.Errorf("%d scenarios, %d with pauses", runs, paused)
	}
}

// sameAnyWay runs random scenario number i, with changes, in all ways, which must give the same, and returns that.
func sameAnyWay(t *testing.T, s *sketch, i int, sets ...string) *record.Result {
	t.Helper()
	want := runRandom(t, s, scenario.RunOptions{}, sets...)
	for _, w := range ways(i) {
		got := runRandom(t, s, w.RunOptions, append(w.sets, sets...)...)
		if diff := differ(want, got); diff != "" {
			t.Errorf("%+v: %s\n%s", w, diff, s.text.String())
		}
	}
	return want
}

// Messages with RoCC can be explained, whatever switches tell them.
func TestExplainRoCC(t *testing.T) {
	s := parsed(t, fmt.Sprintf(roccText, 4, 3, "3MB"))
	for _, f := range execute(t, s, scenario.RunOptions{}).Flows {
		if x := explained(t, s, f); !x.Finished || x.Counts.Paced == 0 {
			t.Errorf("%+v is explained by %+v", f, x.Counts)
		}
	}
}

// A queue has one controller: groups with others, or of other classes, are refused.
func TestRoCCRefusals(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(roccText, 4, 3, "3MB"), "{pfc: {}}", "{pfc: {}, classes: 2}", 1)
	text = strings.TrimSuffix(text, "]\n")
	for set, want := range map[string]string{
		"{congestion: {kind: rocc, period: 50us}}": "a queue has one controller; give both the same congestion",
		"{congestion: rocc, class: 1}":             "switches compute rates for the queues of one class",
		"{congestion: hpcc}":                       "",
		"{congestion: rocc}":                       "",
	} {
		err := verified("x.yaml", text+", {name: b, pattern: permutation, size: 1MB, transport: "+set+"}]\n", "fabric.telemetry={}")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}

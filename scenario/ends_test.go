package scenario_test

import (
	"math"
	"testing"

	"weft/record"
	"weft/unit"
)

// TestEnds lets messages count by their end: one that began before the window and ended
// in it counts, one that began in it and ended later does not, and one that never ended
// counts as unfinished. A short lead leaves out the first.
func TestEnds(t *testing.T) {
	const text = `
weft: 1
topology: {kind: star, hosts: 8, rate: 10Gbps, delay: 1us}
transport: {balancer: ecmp, congestion: {kind: constant, window: 1MiB}}
traffic:
  - {name: before, pattern: {kind: pairs, pairs: [host0->host1]}, size: 1kB, start: 10us}
  - {name: across, pattern: {kind: pairs, pairs: [host2->host3]}, size: 100kB, start: 50us}
  - {name: late, pattern: {kind: pairs, pairs: [host4->host5]}, size: 100kB, start: 150us}
  - {name: never, pattern: {kind: pairs, pairs: [host6->host7]}, size: 10MB, start: 60us}
until: 400us
`
	for _, test := range []struct {
		measure string
		want    map[string]bool // finished
	}{
		{"measure: {from: 100us, to: 200us}", map[string]bool{"late": true}},
		{"measure: {from: 100us, to: 200us, ends: true}", map[string]bool{"across": true, "never": false}},
		{"measure: {from: 100us, to: 200us, ends: true, lead: 45us}", map[string]bool{"never": false}},
		{"measure: {from: 100us, ends: true}\nrecord: {flows: all}", map[string]bool{"across": true, "late": true, "never": false}},
	} {
		res := simulate(t, text+test.measure)
		got := 0
		for _, f := range res.Flows {
			if !f.Measured {
				continue
			}
			got++
			if finished, ok := test.want[f.Group]; !ok || finished != f.Finished() {
				t.Errorf("%s: %s is measured, finished %v", test.measure, f.Group, f.Finished())
			}
			if f.Finished() && f.Group == "across" && (f.Start >= 100*unit.Microsecond || f.End < 100*unit.Microsecond) {
				t.Errorf("across went from %v to %v", f.Start, f.End)
			}
		}
		if got != len(test.want) || res.Summary.Messages != int64(got) || res.Summary.Ended != record.Until {
			t.Errorf("%s: %d messages are measured, %d in the summary, want %d", test.measure, got, res.Summary.Messages, len(test.want))
		}
	}
}

// TestHalfAnArrivalWindow starts messages for 2 ms and measures those of its second half, as FatPaths does
// (§VII-A8): those before it run but do not count, and the run goes on after the last start until
// all that started have ended. The sum of their throughputs is that of the rows.
func TestHalfAnArrivalWindow(t *testing.T) {
	const half, end = unit.Millisecond, 2 * unit.Millisecond
	res := simulate(t, `
weft: 1
topology: {kind: star, hosts: 8, rate: 10Gbps, delay: 1us}
transport: {balancer: ecmp}
traffic:
  - {name: main, pattern: uniform, workload: websearch20, arrival: {kind: poisson, rate: 5000}, stop: 2ms}
measure: {from: 1ms}
record: {flows: all}
`)
	measured, sum, late := int64(0), 0.0, 0
	for _, f := range res.Flows {
		if f.Start >= end || !f.Finished() {
			t.Errorf("a message from %v to %v", f.Start, f.End)
		}
		if f.Measured != (f.Start >= half) {
			t.Errorf("a message that starts at %v is measured: %v", f.Start, f.Measured)
		}
		if f.Measured {
			measured++
			sum += float64(f.Bytes) * 8e12 / float64(f.FCT())
			if f.End > end {
				late++
			}
		}
	}
	s := &res.Summary
	if s.Ended != record.Drained || s.Messages != measured || s.Unfinished != 0 || late == 0 || len(res.Flows) <= int(measured) {
		t.Errorf("ended %v with %d messages measured, %d unfinished; of %d rows %d are measured and %d end after the last start",
			s.Ended, s.Messages, s.Unfinished, len(res.Flows), measured, late)
	}
	if mean := sum / float64(measured); math.Abs(float64(s.Throughput.Mean)/mean-1) > 1e-6 {
		t.Errorf("the mean throughput is %v, that of the rows %v bit/s", s.Throughput.Mean, mean)
	}
}

// TestGoodputOfIdleWindows measures a window in which no message starts and one is under
// way, a window after all, and none: what is delivered in a window is its goodput, and
// what is completed in it is 0 if nothing is.
func TestGoodputOfIdleWindows(t *testing.T) {
	const text = `
weft: 1
topology: {kind: star, hosts: 4, rate: 10Gbps, delay: 1us}
transport: {balancer: ecmp, congestion: {kind: constant, window: 1MiB}}
traffic: [{name: one, pattern: {kind: pairs, pairs: [host0->host1]}, size: 1MB}]
`
	for _, test := range []struct {
		measure         string
		goodput, number bool
	}{
		{"measure: {from: 100us, to: 200us}\nuntil: 300us", true, true},
		{"measure: {from: 10ms, to: 11ms}\nuntil: 12ms", false, true},
	} {
		s := simulate(t, text+test.measure).Summary
		if s.Messages != 0 || s.HasGoodput() != test.number || s.Goodput > 9*unit.Gbps != test.goodput {
			t.Errorf("%s: %d messages, goodput %v, a number: %v", test.measure, s.Messages, s.Goodput, s.HasGoodput())
		}
		if s.Completed == nil || *s.Completed != 0 {
			t.Errorf("%s: completed %v", test.measure, s.Completed)
		}
	}
	if s := simulate(t, text).Summary; s.Completed != nil {
		t.Errorf("without a window: completed %v", *s.Completed)
	}
}

package scenario_test

import (
	"fmt"
	"math"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/protocol/congestion"
	"weft/scenario"
	"weft/unit"
)

// dcqcnWatched is a watched sender of DCQCN, with its timer and its counter.
type dcqcnWatched struct {
	watched
	protocol.Timed
	protocol.SendCounter
}

// A flow at line rate meets bursts, which have it marked. Its rate is at all times what DCQCN's formulas make of the
// notifications that came: the first one halves it, alpha has decayed by 1 - g per 55 us when the next one comes, and 5
// stages of 55 us close the gap to the target before that grows.
func TestDCQCNAlpha(t *testing.T) {
	var notes []reaction
	reg := weft.Builtin()
	if err := reg.Congestion.Add(catalog.Define("dcqcn-0", "dcqcn, noted", "", func(o congestion.DCQCN) (protocol.CongestionControl, error) {
		b, err := o.Build()
		made := b.New
		b.New = func(env protocol.Env) protocol.Congestion {
			c := made(env)
			return &dcqcnWatched{watched{c, c.(protocol.Pacer), &notes}, c.(protocol.Timed), c.(protocol.SendCounter)}
		}
		return b, err
	})); err != nil {
		t.Fatal(err)
	}
	text := "weft: 1\n" + chain(2, 0, 1) + `fabric: {pfc: {}, ecn: {kind: threshold, k: 30kB}}
transport: {payload: 1456B, header: 62B, ack: {size: 66B}, congestion: {kind: constant, window: 100kB}, balancer: ecmp}
traffic:
- {name: long, pattern: {kind: pairs, pairs: [host0->host2]}, size: 12MB, transport: {congestion: dcqcn-0}}
- {name: burst0, pattern: {kind: pairs, pairs: [host1->host2]}, size: 60kB, start: 100us}
- {name: burst1, pattern: {kind: pairs, pairs: [host1->host2]}, size: 60kB, start: 430us}
`
	f, err := scenario.Parse("testdata/scenario.yaml", []byte(text), reg, exactly(text, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{Threads: 1, Domains: 1}); err != nil {
		t.Fatal(err)
	}
	const timer, g, line = 55 * unit.Microsecond, 1.0 / 256, 100e9
	rate, target, alpha, stage := line, line, 1.0, 0
	var notified, due unit.Time = 0, unit.Forever
	notifications, compared := 0, 0
	for _, n := range notes {
		for ; due < n.at; due += timer {
			if stage++; stage >= 5 {
				target = min(target+line/1000, line)
			}
			rate = (rate + target) / 2
		}
		if n.answer == 1 {
			if notifications > 0 {
				alpha *= math.Pow(1-g, math.Floor(float64(n.at-notified)/float64(timer)))
			}
			target, rate = rate, rate*(1-alpha/2)
			alpha = (1-g)*alpha + g
			notified, due, stage = n.at, n.at+timer, 0
			if notifications++; notifications == 1 && rate != line/2 {
				t.Errorf("the first notification has the rate be %v", rate)
			}
		}
		if due == n.at {
			continue // before or after the timer
		}
		compared++
		if math.Abs(float64(n.rate)-rate) > 2 {
			t.Fatalf("at %v, after %d notifications: rate %v, want %.0f", n.at, notifications, n.rate, rate)
		}
	}
	if notifications < 3 || compared < 5000 || alpha > 0.99 {
		t.Errorf("%d notifications, %d acknowledgements, alpha %v", notifications, compared, alpha)
	}
}

// One flow with a fixed window fills the queue of a slow link: of n frames, those are elsewhere that the link sends within
// the rest of the round trip. So each frame finds the same queue, and RED marks the share that it has for that.
func TestREDShare(t *testing.T) {
	t.Parallel()
	oneThread(t)
	const frame, delay = 1518, 1500 * unit.Nanosecond
	fast, slow := 100*unit.Gbps, 10*unit.Gbps
	served := slow.Transmit(frame)
	rest := 4*delay + fast.Transmit(frame) + fast.Transmit(66) + slow.Transmit(66)
	for _, at := range []string{"enqueue", "dequeue"} {
		for _, n := range []int{30, 60, 90} {
			text := fmt.Sprintf(`weft: 1
topology: {kind: graph, rate: 100Gbps, delay: 1.5us, switch_latency: 0s, nodes: [{name: switch}, {name: host0}, {name: host1}],
  links: [{a: host0, b: switch}, {a: host1, b: switch, rate: 10Gbps}]}
fabric: {pfc: {}, ecn: {kind: red, kmin: 20kB, kmax: 160kB, pmax: 60%%, at: %s}}
transport: {payload: 1456B, header: 62B, ack: {size: 66B}, congestion: {kind: constant, window: %dB}, balancer: ecmp, rto: 100ms}
traffic: [{name: main, pattern: {kind: pairs, pairs: [host0->host1]}, size: 20MB}]
measure: {from: 1ms, to: 13ms}
`, at, n*frame)
			res := execute(t, parsed(t, text), scenario.RunOptions{})
			p := port(t, res, "switch->host1")
			finds := n - 1 - int(rest/served)
			if at == "dequeue" {
				finds--
			}
			want := 0.6 * float64(finds*frame-20_000) / 140_000
			got := float64(p.Marks) / float64(p.Frames)
			if most := 4 * math.Sqrt(want*(1-want)/float64(p.Frames)); math.Abs(got-want) > most {
				t.Errorf("%s, %d frames: %.4f are marked, want %.4f±%.4f", at, n, got, want, most)
			}
		}
	}
}

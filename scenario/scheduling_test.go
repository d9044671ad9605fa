package scenario_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/scenario"
	"weft/unit"
)

const twoClasses = `
weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 4, rate: 100Gbps, delay: 1us}
fabric: {classes: 3, queue: 2MB, ecn: off, %s}
transport: {congestion: constant, balancer: ecmp}
traffic:
  - {name: gold, pattern: {kind: pairs, pairs: [host0->host4]}, size: 20MB, transport: {class: 1}}
  - {name: rest, pattern: {kind: pairs, pairs: [host1->host4]}, size: 20MB, transport: {class: 2}}
until: 20ms
`

// TestSchedulerShares has two flows with windows of a bandwidth-delay product meet at a link. They share it by weights, and
// each fills it alone. The first ends after its share of the time, the other when both would have been sent in any order.
func TestSchedulerShares(t *testing.T) {
	const payload, wire = 4096.0, 4160.0
	link := 20e6 * wire / payload * 8 / 100e9 * 1e6 // µs for one message
	for scheduler, share := range map[string]float64{
		"strict": 1,
		"{kind: drr, strict: 1, weights: [3, 1]}": 0.75,
		"{kind: sfq, strict: 1, weights: [3, 1]}": 0.75,
		"{kind: drr, strict: 1}":                  0.5,
		"{kind: sfq, strict: 1, weights: [1, 9]}": 0.1,
	} {
		res := simulate(t, fmt.Sprintf(twoClasses, "scheduler: "+scheduler))
		ends := map[string]float64{}
		for _, g := range res.Summary.Groups {
			ends[g.Name] = float64(g.FCT.Max) / 1e6
		}
		first, last := ends["gold"], ends["rest"]
		if share < 0.5 {
			first, last, share = last, first, 1-share
		}
		if math.Abs(first*share/link-1) > 0.01 {
			t.Errorf("%s: the first message took %.1f µs, want %.1f", scheduler, first, link/share)
		}
		if math.Abs(last/(2*link)-1) > 0.01 {
			t.Errorf("%s: both took %.1f µs, want %.1f", scheduler, last, 2*link)
		}
	}
}

// backwards is a scheduler of tests: the last class goes first.
type backwards struct{ wrong bool }

func (backwards) Queued(int, unit.Bytes, bool) {}

func (b backwards) Next(r *protocol.Ready) int {
	for k := protocol.MaxClasses - 1; k >= 0; k-- {
		if (r.Open>>k&1 != 0) != b.wrong {
			return k
		}
	}
	return 0
}

// TestSchedulerOfOnesOwn adds schedulers to the registry: one that works, and one that names classes with nothing to send.
func TestSchedulerOfOnesOwn(t *testing.T) {
	reg := weft.Builtin()
	for _, wrong := range []bool{false, true} {
		name := fmt.Sprintf("backwards-%v", wrong)
		if err := reg.Schedulers.Add(catalog.Define(name, "the last class first", "", func(struct{}) (protocol.Scheduling, error) {
			return protocol.Scheduling{New: func(protocol.SchedulerEnv) (protocol.Scheduler, error) { return backwards{wrong}, nil }}, nil
		})); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string) (gold, rest float64, err error) {
		f, err := scenario.Parse("x.yaml", fmt.Appendf(nil, twoClasses, "scheduler: "+name), reg, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{})
		if err != nil {
			return 0, 0, err
		}
		return float64(res.Summary.Groups[0].FCT.Max), float64(res.Summary.Groups[1].FCT.Max), nil
	}
	if gold, rest, err := run("backwards-false"); err != nil || gold < 1.9*rest {
		t.Errorf("the first class took %v and the last %v µs, %v", gold, rest, err)
	}
	if _, _, err := run("backwards-true"); err == nil || !strings.Contains(err.Error(), "broke a rule of protocol.Scheduler") {
		t.Errorf("a scheduler that chooses empty classes: %v", err)
	}
}

// TestSchedulerRefused names what does not go with a scheduler.
func TestSchedulerRefused(t *testing.T) {
	for fabric, want := range map[string]string{
		"scheduler: {kind: drr, strict: 2}":                 "fabric.scheduler: ports have 3 classes, of which 2 are served strictly",
		"scheduler: {kind: sfq, weights: [1,2,3,4]}":        "write at most 3 weights, or fabric.classes: 4",
		"scheduler: drr, deflect: {lanes: 2}":               "which only strict priority fixes",
		"scheduler: {kind: drr, strict: 0}, overflow: trim": "class 0 is reserved, and no weights may delay it",
		"scheduler: wfq": `it is called "sfq" here`,
	} {
		text := fmt.Sprintf(twoClasses, fabric)
		f, err := scenario.Parse("x.yaml", []byte(text), weft.Builtin(), nil)
		if err == nil {
			_, err = f.Variants[0].Verify()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %q", fabric, err, want)
		}
	}
}

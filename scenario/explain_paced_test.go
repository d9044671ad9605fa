package scenario_test

import (
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/explain"
	"weft/protocol"
	"weft/scenario"
	"weft/unit"
)

// evenly is a congestion control that spaces packets and does nothing else.
type evenly struct{ pace protocol.Pace }

func (evenly) Start(unit.Time)       {}
func (evenly) Acked(*protocol.Ack)   {}
func (evenly) Lost(*protocol.Loss)   {}
func (evenly) Window() unit.Bytes    { return unit.MiB }
func (e evenly) Pace() protocol.Pace { return e.pace }

// TestExplainedPace follows a message whose control spaces packets. A frame of 4160 B takes
// 332.8 ns at 100 Gb/s, and the next of five is due 1331.2 ns after it at 25 Gb/s, or after a gap of
// 2 us. The path has four such gaps; in each the wire carries the frame before and then nothing.
func TestExplainedPace(t *testing.T) {
	const ser = 332_800 * unit.Picosecond
	for name, test := range map[string]struct {
		pace protocol.Pace
		gap  unit.Time
	}{
		"rate": {protocol.Pace{Rate: 25 * unit.Gbps}, 4 * ser},
		"gap":  {protocol.Pace{Gap: 2 * unit.Microsecond}, 2 * unit.Microsecond},
	} {
		reg := weft.Builtin()
		if err := reg.Congestion.Add(catalog.Define("mine", "spaces packets", "", func(struct{}) (protocol.CongestionControl, error) {
			return protocol.CongestionControl{New: func(protocol.Env) protocol.Congestion { return evenly{test.pace} }}, nil
		})); err != nil {
			t.Fatal(err)
		}
		f, err := scenario.Parse("test.yaml", []byte(`weft: 1
topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us, switch_latency: 300ns}
fabric: {host_jitter: none}
transport: {payload: 4096B, header: 64B, balancer: ecmp, congestion: mine}
traffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host1]}, size: 20480B}]
`), reg, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x := explained(t, f.Variants[0], res.Flows[0])
		want := parts{explain.Serialisation: 6 * ser, explain.Paced: 4 * (test.gap - ser), explain.Propagation: 2300 * unit.Nanosecond}
		for k, got := range x.Parts {
			if want := want[explain.Kind(k)]; got != want {
				t.Errorf("%s: %v is %v, by hand %v", name, explain.Kind(k), got, want)
			}
		}
		if x.Paced != 4*test.gap || x.Count(explain.Spacing) != 4 || x.Count(explain.Guess) != 0 {
			t.Errorf("%s: paced for %v in %d steps, %d without a cause; want %v in 4", name, x.Paced, x.Count(explain.Spacing), x.Count(explain.Guess), 4*test.gap)
		}
	}
}

// TestExplainedDCQCN follows flows that share a bottleneck and are cut. Their hosts send nothing
// else but acknowledgements, so whatever holds them back is the pace, and not the host's wire.
func TestExplainedDCQCN(t *testing.T) {
	t.Parallel()
	const text = `weft: 1
topology: {kind: dumbbell, left: 2, right: 2, rate: 40Gbps}
fabric: {queue: infinite, ecn: {kind: red, kmin: 5kB, kmax: 200kB, pmax: 1%, at: dequeue}}
transport: {balancer: ecmp, rto: 50ms, congestion: dcqcn, payload: 1000B, header: 48B}
traffic: [{name: long, pattern: tornado, hosts: [host0..host3], size: 2MB}]
`
	res, paced := simulate(t, text), 0
	for _, f := range res.Flows {
		x := explained(t, load(t, text), f)
		t.Logf("%s: paced %v of %v, %v by its own count", f.Src, x.Parts[explain.Paced], x.Total, x.Paced)
		if x.Parts[explain.Paced] > x.Total/4 {
			paced++
		}
		if x.Parts[explain.HostWire] > x.Total/100 || x.Parts[explain.Paced] > x.Paced || x.Count(explain.Guess) > 0 {
			t.Errorf("%s: %v for the host's wire, %v of %v paced, %d steps without a cause", f.Src, x.Parts[explain.HostWire], x.Parts[explain.Paced], x.Paced, x.Count(explain.Guess))
		}
	}
	if paced == 0 {
		t.Error("no message was paced for long")
	}
}

// TestExplainPausesOfLanes has switches move packets to later lanes. Pauses of the class in which they leave their host are what
// they wait for there.
func TestExplainPausesOfLanes(t *testing.T) {
	t.Parallel()
	const text = `weft: 1
topology: {kind: dragonfly, switches_per_group: 4, hosts_per_switch: 2, global_links: 2, rate: 100Gbps, delay: 500ns, switch_latency: 500ns}
routing: {policy: ugal}
fabric: {classes: 6, pfc: 50KB}
transport: {class: 5}
traffic: [{name: all, pattern: permutation, size: 256KiB}]
`
	s := load(t, text)
	res := simulate(t, text)
	hosts, parts := unit.Time(0), unit.Time(0)
	for i, f := range res.Flows {
		if testing.Short() && i%3 != 0 {
			continue // each is simulated again
		}
		for _, p := range res.Pauses {
			if strings.HasPrefix(p.Port, f.Src+"->") {
				hosts += p.Time
			}
		}
		parts += explained(t, s, f).Parts[explain.Pause]
	}
	if hosts < 10*unit.Microsecond || parts < hosts*8/10 { // some are paused when all was sent
		t.Errorf("hosts were paused for %v, and their messages for %v", hosts, parts)
	}
}

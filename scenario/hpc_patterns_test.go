package scenario_test

import (
	"testing"

	"weft/analysis/throughput"
	"weft/record"
	"weft/topo"
	"weft/unit"
)

// TestStencilOnAStar computes how long a stencil in rounds takes on one switch. In a round the first messages of all hosts
// go to different hosts, so do the second, and so on: the four of a host leave it one after another
// (0.8 µs each), and the last one has arrived after 5 × 0.8 µs and two links of 10 µs. Between rounds there
// are 5 µs to compute, and with a barrier two signals of 10 µs.
func TestStencilOnAStar(t *testing.T) {
	const text = `
weft: 1
topology: {kind: star, hosts: 50, rate: 10Gbps, delay: 10us, switch_latency: 0s}
fabric: {queue: 64MiB, ecn: "off"}
transport: {rto: 1s, payload: 936B, header: 64B, congestion: {kind: constant, window: 64MiB}, balancer: ecmp}
traffic: [{name: main, pattern: {kind: stencil, rounds: 3, compute: 5us}, size: 936B}]
`
	for set, want := range map[string]unit.Time{
		"traffic.main.pattern.barrier=false":  (3*24 + 2*5) * unit.Microsecond,
		"traffic.main.pattern.barrier=true":   (3*24 + 2*5 + 2*20) * unit.Microsecond,
		"traffic.main.pattern.ranks=shuffled": (3*24 + 2*5) * unit.Microsecond,
	} {
		res := simulate(t, text, set)
		drained(t, res)
		if s := &res.Summary; s.Runtime != want || s.Messages != 3*4*50 || s.Planned != s.Messages {
			t.Errorf("%s: %d of %d messages in %v, want %v", set, s.Messages, s.Planned, s.Runtime, want)
		}
	}
}

// TestPatternsOfSwitches compares the distances of senders and receivers with those that the analysis of
// throughput finds for the same patterns. Of a Slim Fly, where no switch is farther than two links, all messages of
// both go over two; of a dragonfly those of the matching weigh as much.
func TestPatternsOfSwitches(t *testing.T) {
	for name, kind := range map[string]string{
		"slim fly":  "{kind: slim-fly, order: 5, hosts_per_switch: 3, rate: 10Gbps, delay: 1us}",
		"dragonfly": "{kind: dragonfly, switches_per_group: 4, hosts_per_switch: 2, global_links: 2, rate: 10Gbps, delay: 1us}",
	} {
		for _, pattern := range []throughput.Pattern{throughput.WorstCase, throughput.Adversarial} {
			text := "weft: 1\ntopology: " + kind + "\ntransport: {balancer: ecmp}\ntraffic: [{name: main, size: 1B, pattern: " + string(pattern) + "}]\n"
			scenario := load(t, text)
			g, err := scenario.Spec.Topology.Build()
			if err != nil {
				t.Fatal(err)
			}
			n, err := throughput.NewNetwork(g)
			if err != nil {
				t.Fatal(err)
			}
			demands, err := throughput.Traffic{Pattern: pattern}.Demands(n)
			if err != nil {
				t.Fatal(err)
			}
			commodities, local := n.Aggregate(demands)
			want, err := n.MeanDistance(commodities)
			if err != nil {
				t.Fatal(err)
			}
			res := simulate(t, text)
			if got := meanDistance(t, g, res); got != want || local != 0 || len(res.Flows) != len(demands) {
				t.Errorf("%s, %s: %d messages over %v links in the mean, want %d over %v", name, pattern, len(res.Flows), got, len(demands), want)
			}
			if name == "slim fly" && want != 2 {
				t.Errorf("the analysis has a mean distance of %v, want 2", want)
			}
		}
	}
}

// meanDistance returns how far apart the switches of senders and receivers are in the mean.
func meanDistance(t *testing.T, g *topo.Graph, res *record.Result) float64 {
	t.Helper()
	edge := map[string]int{}
	var switches []topo.NodeID
	for _, l := range g.Links {
		host, sw := l.A, l.B
		if g.Nodes[host].Kind != topo.Host {
			host, sw = sw, host
		}
		if g.Nodes[host].Kind == topo.Host {
			edge[g.Nodes[host].Name] = len(switches)
			switches = append(switches, sw)
		}
	}
	distances := topo.DistancesBetween(g, switches)
	sum := 0
	for _, f := range res.Flows {
		sum += int(distances[edge[f.Src]][edge[f.Dst]])
	}
	return float64(sum) / float64(len(res.Flows))
}

package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/record"
	"weft/unit"
)

// unlike is a network of ToRs with uplinks of 400 Gb/s and hosts of 100 Gb/s, but for host4,
// which has 1 Gb/s.
const unlike = `weft: 1
topology:
  kind: graph
  nodes: [{name: host0..host4}, {name: tor0}, {name: tor1}, {name: spine0}]
  links:
    - {a: host0..host1, b: tor0, rate: 100Gbps, delay: 500ns}
    - {a: host2..host3, b: tor1, rate: 100Gbps, delay: 500ns}
    - {a: host4, b: tor1, rate: 1Gbps, delay: 500ns}
    - {a: tor0, b: spine0, rate: 400Gbps, delay: 500ns}
    - {a: tor1, b: spine0, rate: 400Gbps, delay: 500ns}
transport: {congestion: mprdma, balancer: arcane}
traffic: [{name: main, pattern: {kind: pairs, pairs: [host0->host2]}, size: 100KB}]
`

// TestQueuesFollowRates: limits and thresholds in BDP, and shares of limits, are those of
// each port's link, bytes hold at every port, and entries by link go before either.
func TestQueuesFollowRates(t *testing.T) {
	base := load(t, unlike)
	hosts, err := base.QueueOf("tor0->host0")
	if err != nil {
		t.Fatal(err)
	}
	bdp := hosts.Limit
	const frame = 4096 + 64
	queue := func(limit, kmin, kmax unit.Bytes) fabric.PortConfig {
		return fabric.PortConfig{Classes: 1, Limit: limit, ECN: true, KMin: kmin, KMax: kmax, PMax: 1}
	}
	share := func(limit unit.Bytes) fabric.PortConfig { return queue(limit, (2*limit+5)/10, (8*limit+5)/10) }
	for _, test := range []struct {
		name, sets string
		want       map[string]fabric.PortConfig
	}{
		{"left out", "", map[string]fabric.PortConfig{
			"tor0->host0": share(bdp), "tor0->spine0": share(4 * bdp), "spine0->tor1": share(4 * bdp), "tor1->host4": share(8 * frame),
		}},
		{"in BDP", "fabric={queue: 2BDP, ecn: {kind: red, kmin: 0.5BDP, kmax: 1BDP}}", map[string]fabric.PortConfig{
			"tor0->host0": queue(2*bdp, (bdp+1)/2, bdp), "tor0->spine0": queue(8*bdp, 2*bdp, 4*bdp), "tor1->host4": queue(8*frame, bdp/200, bdp/100),
		}},
		{"no more than at the hosts' rate", "fabric.queue=0.05BDP", map[string]fabric.PortConfig{
			"tor0->host0": share(bdp / 20), "tor1->host4": share(bdp / 20),
		}},
		{"in bytes", "fabric={queue: 100kB, ecn: {kind: red, kmin: 10kB, kmax: 80%}}", map[string]fabric.PortConfig{
			"tor0->host0": queue(100e3, 10e3, 80e3), "tor0->spine0": queue(100e3, 10e3, 80e3), "tor1->host4": queue(100e3, 10e3, 80e3),
		}},
		{"by link", `fabric.ports=[{links: "tor*->spine*", queue: 2MB}, {links: ["tor1->*"], ecn: {kind: threshold, k: 10%}}]`, map[string]fabric.PortConfig{
			"tor0->host0": share(bdp), "tor0->spine0": queue(2e6, 4e5, 16e5), "tor1->spine0": queue(2e6, 2e5, 2e5),
			"spine0->tor0": share(4 * bdp), "tor1->host2": queue(bdp, bdp/10, bdp/10),
		}},
		{"without marks", `fabric.ports=[{links: "tor1->host4", ecn: "off", queue: infinite}]`, map[string]fabric.PortConfig{
			"tor1->host4": {Classes: 1, Limit: fabric.MostQueued}, "tor1->host3": share(bdp),
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sets []string
			if test.sets != "" {
				sets = append(sets, test.sets)
			}
			s := load(t, unlike, sets...)
			for port, want := range test.want {
				got, err := s.QueueOf(port)
				if err != nil {
					t.Fatal(err)
				}
				near(t, port, want, got)
			}
		})
	}

	s := load(t, unlike, `fabric={overflow: trim, trim: {queue: 0.5BDP}, ports: [{links: "tor0->host0", headers: 20kB}]}`)
	for port, want := range map[string]unit.Bytes{"tor0->host0": 20e3, "tor0->host1": (bdp + 1) / 2, "tor0->spine0": 2 * bdp, "tor1->host4": min((bdp+1)/2, 8*frame)} {
		got, err := s.QueueOf(port)
		if err != nil {
			t.Fatal(err)
		}
		if d := got.Trim.Limit - want; d < -1 || d > 1 {
			t.Errorf("%s holds headers of %d B, want %d", port, got.Trim.Limit, want)
		}
	}
}

// near compares queues up to the roundings of a BDP.
func near(t *testing.T, port string, want, got fabric.PortConfig) {
	t.Helper()
	for _, v := range []struct{ want, got *unit.Bytes }{{&want.Limit, &got.Limit}, {&want.KMin, &got.KMin}, {&want.KMax, &got.KMax}} {
		if d := *v.got - *v.want; d >= -4 && d <= 4 {
			*v.got = *v.want
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", port, diff)
	}
}

// TestLaterEntriesHold: where entries name the same port, the later one holds, each key by
// itself, and one that holds nowhere is noted.
func TestLaterEntriesHold(t *testing.T) {
	s := load(t, unlike, `fabric.ports=[{links: "tor1->*", queue: 1MB, ecn: "off"}, {links: "tor1->host2", queue: 50kB}]`)
	notices, err := s.Verify()
	if err != nil || len(notices) > 0 {
		t.Errorf("notices %q, error %v", notices, err)
	}
	for port, want := range map[string]fabric.PortConfig{
		"tor1->host2": {Classes: 1, Limit: 50e3}, "tor1->host3": {Classes: 1, Limit: 1e6}, "tor1->spine0": {Classes: 1, Limit: 1e6},
	} {
		got, err := s.QueueOf(port)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", port, err, diff)
		}
	}

	notices, err = load(t, unlike, `fabric.ports=[{links: "tor1->host2", queue: 50kB, ecn: "off"}, {links: "*->host*", queue: 1MB}]`).Verify()
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "fabric.ports[0].queue has no effect") {
		t.Errorf("notices %q, error %v", notices, err)
	}
}

// TestPortsRefused lists what is wrong with entries by link, where it stands.
func TestPortsRefused(t *testing.T) {
	for entries, wants := range map[string][]string{
		`[{links: "tor7->*", queue: 1MB}]`:                 {"fabric.ports[0].links", `"tor7"`},
		`[{links: ["tor0->*", "tor0->tor1"], queue: 1MB}]`: {"fabric.ports[0].links[1]", "no link goes from tor0 to tor1"},
		`[{links: "tor0", queue: 1MB}]`:                    {"fabric.ports[0].links", "has no arrow"},
		`[{links: "host0->tor0", queue: 1MB}]`:             {"fabric.ports[0].links", "NICs have no queues", `"tor0->host0"`},
		`[{links: [], queue: 1MB}]`:                        {"fabric.ports[0].links", "names no port"},
		`[{queue: 1MB}]`:                                   {"fabric.ports[0].links", "is missing"},
		`[{links: "tor0->*"}]`:                             {"fabric.ports[0]: it changes nothing"},
		`[{links: "tor0->*", queue: 20%}]`:                 {"fabric.ports[0].queue", "a share of what?"},
		`[{links: "tor0->*", queue: 0B}]`:                  {"fabric.ports[0].queue", "drops everything"},
		`[{links: "tor0->*", queue: 1kB}]`:                 {"fabric.ports[0].queue", "does not hold one frame of 4160B", "tor0->host0"},
		`[{links: "tor0->*", headers: 1kB}]`:               {"fabric.ports[0].headers", "no trimmed headers"},
		`[{links: "tor0->*", queue: infinite}]`:            {"fabric.ecn", "fabric.ports[0].queue: infinite"},
		`[{links: "tor0->*", queue: 1MB}, {links: "*->host1", ecn: {kind: red, kmin: 1MB, kmax: 1BDP}}]`: {"fabric.ports[1].ecn", "kmin is 1MB at tor0->host1"},
		`[{links: "tor0->*", ecn: {kind: red, kmin: 80%, kmax: 20%}}]`:                                   {"fabric.ports[0].ecn", "above kmax"},
		`[{links: "tor0->*", queue: 1MB, sise: 3}]`:                                                      {`unknown key "sise"`},
	} {
		err := verified("test.yaml", unlike+"fabric:\n  ports: "+entries+"\n")
		for _, want := range append(wants, "test.yaml:1") {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s:\ngot %v\nwant %q", entries, err, want)
			}
		}
	}
}

// TestRateFaultsKeepQueues: a link that is degraded keeps the queue of its nominal rate.
func TestRateFaultsKeepQueues(t *testing.T) {
	got, err := load(t, unlike+`faults: [{kind: degrade, links: "tor0->spine0", rate: 50Gbps}]`+"\n").QueueOf("tor0->spine0")
	if err != nil {
		t.Fatal(err)
	}
	want, err := load(t, unlike).QueueOf("tor0->spine0")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestQueuesHold fills ports of several rates to the brim: what they hold at most is their
// limit, less what a frame takes.
func TestQueuesHold(t *testing.T) {
	for _, sets := range [][]string{
		nil,
		{"fabric.queue=60kB"},
		{`fabric.ports=[{links: "*->host2", queue: 30kB}, {links: "tor0->spine0", queue: 1BDP}]`},
	} {
		text := `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 1, rate: 100Gbps, uplink_rate: 150Gbps}
fabric: {ecn: "off", queue: 1BDP}
transport: {recovery: selective, congestion: {kind: constant, window: 8BDP}, balancer: ecmp}
traffic:
  - {name: across, pattern: {kind: pairs, pairs: [host0->host4, host1->host5, host2->host6, host3->host7]}, size: 2MB}
  - {name: incast, pattern: {kind: incast, receiver: host2}, hosts: [host0..host3], size: 2MB}
`
		s := load(t, text, sets...)
		res := simulate(t, text, sets...)
		for _, port := range []string{"tor0->spine0", "tor0->host2"} {
			c, err := s.QueueOf(port)
			if err != nil {
				t.Fatal(err)
			}
			const frame = 4096 + 64
			if most := unit.Bytes(portOf(t, res, port).QueueMax); most > c.Limit || most <= c.Limit-frame {
				t.Errorf("%v: %s held %d B at most, and its limit is %d", sets, port, most, c.Limit)
			}
		}
	}
}

// portOf returns the counters of a port.
func portOf(t *testing.T, res *record.Result, name string) *record.Port {
	t.Helper()
	for i := range res.Ports {
		if res.Ports[i].Name == name {
			return &res.Ports[i]
		}
	}
	t.Fatalf("no port %s", name)
	return nil
}

// TestDerivedQueues: the manifest has a row for each kind of ports with other queues than
// those at the hosts' rate, and one alone where all are the same.
func TestDerivedQueues(t *testing.T) {
	rows := func(sets ...string) map[string]string {
		t.Helper()
		b, err := load(t, unlike, sets...).Build()
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]string{}
		for _, d := range b.Derived {
			if name, _, _ := strings.Cut(d.Name, "."); strings.HasSuffix(name, "queue_limit") || strings.HasPrefix(name, "ecn_") {
				m[d.Name] = fmt.Sprintf("%v %s: %s", d.Value, d.Unit, d.Meaning)
			}
		}
		return m
	}
	same := rows("fabric.queue=100kB")
	if diff := cmp.Diff(map[string]string{
		"queue_limit": "100000 B: limit of a queue",
		"ecn_kmin":    "20000 B: queue up to which no frame is marked",
		"ecn_kmax":    "80000 B: queue from which every frame is marked",
	}, same); diff != "" {
		t.Errorf("bytes (-want +got):\n%s", diff)
	}
	by := rows(`fabric={overflow: trim, ports: [{links: "tor0->host*", queue: 70kB, headers: 9kB}]}`)
	for name, want := range map[string]string{
		"queue_limit":                    " B: limit of a queue at a link of 100Gbps, the hosts' rate",
		"queue_limit.400Gbps":            " B: limit of a queue at a link of 400Gbps; as at 3 more ports",
		"queue_limit.1Gbps":              "33280 B: limit of a queue at a link of 1Gbps",
		"queue_limit.tor0->host0":        "70000 B: limit of a queue at tor0->host0, a link of 100Gbps, by fabric.ports; as at 1 more ports",
		"ecn_kmin.tor0->host0":           "14000 B: queue",
		"header_queue_limit.400Gbps":     " B: limit of class 0",
		"header_queue_limit.tor0->host0": "9000 B: limit of class 0",
	} {
		if !strings.Contains(by[name], want) {
			t.Errorf("%s is %q, want %q", name, by[name], want)
		}
	}
}

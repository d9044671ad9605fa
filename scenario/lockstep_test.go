package scenario_test

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
)

const phaseLocked = "look phase-locked"

// lockedStar has two senders that always have more to send than a full queue has room for.
const lockedStar = `weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 515ns, switch_latency: 0s}
fabric: {queue: 520KB, ecn: off}
transport: {congestion: {kind: constant, window: 20BDP}, balancer: ecmp}
traffic:
  - {name: a, pattern: {kind: incast, receiver: host0}, size: 32MiB}
`

// TestLockstep has senders in lockstep by exact hosts, that lose, that are trimmed and that are marked: a notice says so. With the
// remedy that it names their shares are more even, and the notice is gone.
func TestLockstep(t *testing.T) {
	t.Parallel()
	const (
		dumbbell = `weft: 1
topology: {kind: dumbbell, left: 2, right: 2, rate: 100Gbps, delay: 515ns, switch_latency: 0s}
fabric: {queue: 520KB, ecn: off}
transport: {congestion: {kind: constant, window: 20BDP}, balancer: ecmp}
traffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host2, host1->host3]}, size: 32MiB}]
`
		leafSpine = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 3, spines: 2, rate: 100Gbps, delay: 515ns, switch_latency: 0s}
fabric: {queue: 520KB, ecn: off}
transport: {congestion: {kind: constant, window: 20BDP}, balancer: ecmp}
traffic: [{name: a, pattern: {kind: pairs, pairs: [host1->host0, host2->host0]}, size: 32MiB}]
`
		thirteen = `weft: 1
topology: {kind: star, hosts: 14, rate: 1Gbps, delay: 10us, switch_latency: 0s}
fabric: {queue: 24kB, ecn: off}
transport: {payload: 1460B, header: 40B, congestion: reno, balancer: ecmp, recovery: sack, rto: 200ms}
traffic: [{name: a, pattern: {kind: incast, receiver: host0}, size: 1GB}]
until: 1s
`
		two = `weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps}
transport: {congestion: CONTROL}
traffic: [{name: a, pattern: {kind: incast, receiver: host0}, size: 64MiB}]
`
	)
	trims := strings.NewReplacer("ecn: off", "ecn: off, classes: 2, overflow: trim, trim: {victim: arriving}", "balancer: ecmp", "balancer: ecmp, class: 1")
	for name, tt := range map[string]struct{ text, port string }{
		"drops":         {lockedStar, "tor0->host0"},
		"inexact hosts": {strings.Replace(lockedStar, "fabric: {", "fabric: {host_jitter: auto, ", 1), "tor0->host0"},
		"trims":         {trims.Replace(lockedStar), "tor0->host0"},
		"shared port":   {dumbbell, "left->right"},
		"several ways":  {leafSpine, "tor0->host0"},
		"thirteen Reno": {thirteen, "tor0->host0"},
		"two Reno":      {strings.Replace(two, "CONTROL", "reno", 1), "tor0->host0"},
		"two DCTCP":     {strings.Replace(two, "CONTROL", "dctcp", 1), "tor0->host0"}, // which lose nothing
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exact := simulate(t, tt.text)
			notices := noticesOf(exact, phaseLocked)
			if len(notices) != 1 || !strings.Contains(notices[0], "look phase-locked at "+tt.port+":") {
				t.Fatalf("notices: %q", exact.Manifest.Notices)
			}
			remedy := regexp.MustCompile(`[Ww]rite fabric: \{(\w+): (\w+)\}`).FindStringSubmatch(notices[0])
			if remedy == nil {
				t.Fatalf("no remedy in %q", notices[0])
			}
			for _, seed := range []string{"seed=1", "seed=2", "seed=3"} {
				res := simulate(t, tt.text, seed, "fabric."+remedy[1]+"="+remedy[2])
				if n := noticesOf(res, phaseLocked); n != nil {
					t.Errorf("%s, with the remedy: %q", seed, n)
				}
				if was, now := evenness(exact), evenness(res); now < 1.2*was {
					t.Errorf("%s: with the remedy the slowest sender has %.2f of the fastest, and %.2f without", seed, now, was)
				}
			}
		})
	}
}

// evenness is what the slowest sender has of throughput, of that of the fastest: of its messages, or if they did not end, of its link.
func evenness(res *record.Result) float64 {
	least, most := math.Inf(1), 0.0
	for i := range res.Flows {
		f, got := &res.Flows[i], 0.0
		if f.Finished() {
			got = float64(f.Bytes) / seconds(f.FCT())
		} else {
			for _, p := range res.Ports {
				if p.From == f.Src {
					got = float64(p.SentBytes) / seconds(res.Summary.Simulated)
				}
			}
		}
		least, most = min(least, got), max(most, got)
	}
	return least / most
}

// TestNoLockstep has senders that lose unequally for other reasons.
func TestNoLockstep(t *testing.T) {
	const (
		graph = `weft: 1
topology:
  kind: graph
  nodes: [{name: host0..host2}, {name: s0}]
  links:
    - {a: host0, b: s0, rate: 100Gbps, delay: 515ns}
    - {a: host1, b: s0, rate: 100Gbps, delay: 515ns}
    - {a: host2, b: s0, rate: RATE, delay: DELAY}
fabric: {queue: 520KB, ecn: off}
transport: {congestion: {kind: constant, window: 1MB}, balancer: ecmp}
traffic: [{name: a, pattern: {kind: incast, receiver: host0}, size: 32MiB}]
`
		// host24 is alone at its switch, and host0 shares two uplinks with 23 others.
		collisions = `weft: 1
topology: {kind: leaf-spine, tors: 3, hosts_per_tor: 24, spines: 2, rate: 100Gbps}
transport: {congestion: reno}
traffic:
  - {name: a, pattern: {kind: pairs, pairs: [host0->host48, host24->host48]}, size: 1GB}
  - {name: b, pattern: {kind: pairs, pairs: [PAIRS]}, size: 1GB}
until: 5ms
`
		sizes = `weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 515ns, switch_latency: 0s}
fabric: {queue: 520KB, ecn: off}
transport: {congestion: {kind: constant, window: 20BDP}, balancer: ecmp}
traffic:
  - {name: a, pattern: {kind: pairs, pairs: [host1->host0]}, size: 32MiB}
  - {name: b, pattern: {kind: pairs, pairs: [host2->host0]}, size: 1MiB}
`
	)
	var pairs []string
	for i := 1; i < 24; i++ {
		pairs = append(pairs, fmt.Sprintf("host%d->host%d", i, 24+i))
	}
	for name, text := range map[string]string{
		"farther":      strings.NewReplacer("RATE", "100Gbps", "DELAY", "20us").Replace(graph),
		"slower":       strings.NewReplacer("RATE", "10Gbps", "DELAY", "515ns").Replace(graph),
		"larger":       sizes,
		"full uplinks": strings.Replace(collisions, "PAIRS", strings.Join(pairs, ", "), 1),
		"no queue":     strings.Replace(lockedStar, "520KB", "1GB", 1),
		"faulty":       strings.Replace(lockedStar, "20BDP", "1BDP", 1) + "faults: [{kind: loss, links: \"host1->tor0\", probability: 5%}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			res := simulate(t, text)
			if !strings.Contains(text, "until") {
				drained(t, res)
			}
			for i := range res.Flows {
				t.Logf("%s sent %d of %d packets again", res.Flows[i].Src, res.Flows[i].Retransmits, res.Flows[i].Packets)
			}
			if n := noticesOf(res, phaseLocked); n != nil {
				t.Errorf("notices: %q", n)
			}
		})
	}
}

// TestNoLockstepOfStuckRuns leaves the cause to the run.
func TestNoLockstepOfStuckRuns(t *testing.T) {
	t.Parallel()
	const starved = `weft: 1
topology: {kind: star, hosts: 401, rate: 10Gbps, delay: 500ns}
transport: {congestion: nscc, payload: 1000B, header: 48B}
fabric: {overflow: trim, queue: 100KB}
traffic: [{name: a, pattern: {kind: incast, receiver: host0}, size: 8KB}]
`
	res := simulate(t, starved)
	if res.Summary.Ended != record.Stuck {
		t.Fatalf("the run ended as %v; the test wants one that is stuck", res.Summary.Ended)
	}
	if n := noticesOf(res, phaseLocked); n != nil {
		t.Errorf("notices: %q", n)
	}
}

// TestNoLockstepInGolden has none in any of the golden scenarios.
func TestNoLockstepInGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/golden/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := weft.Load(file, weft.Builtin())
			if err != nil {
				t.Fatal(err)
			}
			res, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if n := noticesOf(res, phaseLocked); n != nil {
				t.Errorf("notices: %q", n)
			}
		})
	}
}

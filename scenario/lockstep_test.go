package scenario_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/unit"
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

// TestLockstep has senders in lockstep: seeds change nothing but names, and a notice says so.
// With the jitter that it asks for seeds differ, and it is gone.
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
	)
	trims := strings.NewReplacer("ecn: off", "ecn: off, classes: 2, overflow: trim, trim: {victim: arriving}", "balancer: ecmp", "balancer: ecmp, class: 1")
	for name, tt := range map[string]struct {
		text, port string
		same       bool // whatever the seed
	}{
		"drops":        {lockedStar, "tor0->host0", true},
		"trims":        {trims.Replace(lockedStar), "tor0->host0", false}, // their headers come back at times of their own
		"shared port":  {dumbbell, "left->right", true},
		"several ways": {leafSpine, "tor0->host0", true},
	} {
		t.Run(name, func(t *testing.T) {
			exact := []*record.Result{simulate(t, tt.text, "seed=1"), simulate(t, tt.text, "seed=2"), simulate(t, tt.text, "seed=3")}
			for i, res := range exact {
				drained(t, res)
				if tt.same && !slices.Equal(times(res), times(exact[0])) {
					t.Errorf("seeds 1 and %d differ: %v and %v; the test wants senders in lockstep", i+1, times(exact[0]), times(res))
				}
			}
			notices := noticesOf(exact[0], phaseLocked)
			if len(notices) != 1 || !strings.Contains(notices[0], "full queue of "+tt.port+":") {
				t.Fatalf("notices: %q", exact[0].Manifest.Notices)
			}
			remedy := regexp.MustCompile(`fabric: \{nic_jitter: (\w+)\}`).FindStringSubmatch(notices[0])
			if remedy == nil {
				t.Fatalf("no remedy in %q", notices[0])
			}
			var seen [][]unit.Time
			for _, seed := range []string{"seed=1", "seed=2", "seed=3", "seed=4", "seed=5"} {
				res := simulate(t, tt.text, seed, "fabric.nic_jitter="+remedy[1])
				drained(t, res)
				if n := noticesOf(res, phaseLocked); n != nil {
					t.Errorf("%s, with jitter: %q", seed, n)
				}
				if slices.ContainsFunc(seen, func(o []unit.Time) bool { return slices.Equal(o, times(res)) }) {
					t.Errorf("%s, with jitter: times are those of another seed", seed)
				}
				seen = append(seen, times(res))
			}
		})
	}
}

// times returns how long messages took, the shortest first.
func times(res *record.Result) []unit.Time {
	list := make([]unit.Time, len(res.Flows))
	for i := range res.Flows {
		list[i] = res.Flows[i].FCT()
	}
	slices.Sort(list)
	return list
}

// TestLockstepOfShortJitter asks for more jitter than there is.
func TestLockstepOfShortJitter(t *testing.T) {
	res := simulate(t, lockedStar, "fabric.nic_jitter=1ps")
	if n := noticesOf(res, phaseLocked); len(n) != 1 || !strings.HasSuffix(n[0], "Write a longer delay in fabric.nic_jitter, such as 7ns") {
		t.Errorf("notices: %q", res.Manifest.Notices)
	}
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
		sizes = `weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 515ns, switch_latency: 0s}
fabric: {queue: 520KB, ecn: off}
transport: {congestion: {kind: constant, window: 20BDP}, balancer: ecmp}
traffic:
  - {name: a, pattern: {kind: pairs, pairs: [host1->host0]}, size: 32MiB}
  - {name: b, pattern: {kind: pairs, pairs: [host2->host0]}, size: 1MiB}
`
	)
	for name, text := range map[string]string{
		"farther":  strings.NewReplacer("RATE", "100Gbps", "DELAY", "20us").Replace(graph),
		"slower":   strings.NewReplacer("RATE", "10Gbps", "DELAY", "515ns").Replace(graph),
		"larger":   sizes,
		"no queue": strings.Replace(lockedStar, "520KB", "1GB", 1),
		"faulty":   strings.Replace(lockedStar, "20BDP", "1BDP", 1) + "faults: [{kind: loss, links: \"host1->tor0\", probability: 5%}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			res := simulate(t, text)
			drained(t, res)
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

package scenario_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// collective is a scenario with one group of ranks on a small fat tree.
const collective = `
weft: 1
topology: {kind: leaf-spine, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 500ns, switch_latency: 300ns}
record: {flows: all}
traffic:
  - {name: main, pattern: %s, size: %s}
`

func parsed(t *testing.T, text string, sets ...string) *scenario.Scenario {
	t.Helper()
	f, err := scenario.Parse("test.yaml", []byte(text), weft.Builtin(), exactly(text, sets))
	if err != nil {
		t.Fatal(err)
	}
	return f.Variants[0]
}

// verified tells what is wrong with a scenario, found in reading it or in building it.
func verified(name, text string, sets ...string) error {
	f, err := scenario.Parse(name, []byte(text), weft.Builtin(), exactly(text, sets))
	if err == nil {
		_, err = f.Variants[0].Verify()
	}
	return err
}

func execute(t *testing.T, s *scenario.Scenario, o scenario.RunOptions) *record.Result {
	t.Helper()
	o.Check = true
	res, err := scenario.Run(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestCollectivesOverCuts demands the same result of collectives, with barriers and
// backgrounds, whatever the domains, threads and queue.
func TestCollectivesOverCuts(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		"{kind: ring-allreduce, ranks: interleaved, repeat: 2, compute: 3us}",
		"{kind: butterfly-allreduce, ranks: shuffled, ranks_per_group: 8, repeat: 3, barrier: true}",
		"{kind: alltoall, connections: 3, order: random, repeat: 2, barrier: true}",
	} {
		for _, background := range []string{"", "traffic.main.background={share: 25%, transport: {balancer: ecmp}}"} {
			t.Run(pattern+background, func(t *testing.T) {
				var sets []string
				if background != "" {
					sets = []string{background}
				}
				s := parsed(t, fmt.Sprintf(collective, pattern, "333333B"), sets...)
				want := execute(t, s, scenario.RunOptions{Domains: 1}).Summary
				if want.Ended != record.Drained || want.Unfinished != 0 || want.Messages < 100 {
					t.Fatalf("%d messages, %d unfinished, ended: %s", want.Messages, want.Unfinished, want.Ended)
				}
				for _, o := range []scenario.RunOptions{{Domains: 2}, {Domains: 3, Threads: 2}, {Domains: 100}, {Domains: 100, Threads: 2}} {
					if got := execute(t, s, o).Summary; got.ResultHash != want.ResultHash {
						t.Errorf("%d domains, %d threads: runtime %v, and %v with one domain", o.Domains, o.Threads, got.Runtime, want.Runtime)
					}
				}
			})
		}
	}
}

// TestRingRuntime compares a ring on an ideal network with its closed form: each of
// 2(N-1) steps takes as long as one message alone, and the time to compute between
// them. A step is over at the sender before anything is to be acknowledged there.
func TestRingRuntime(t *testing.T) {
	const text = `
weft: 1
topology: {kind: star, hosts: %d, rate: 100Gbps, delay: 1us, switch_latency: 200ns}
transport: {congestion: {kind: constant, window: 1GiB}, balancer: ecmp}
record: {flows: all}
traffic:
  - {name: main, pattern: {kind: ring-allreduce, compute: 2us, repeat: 3}, size: %s}
`
	for _, hosts := range []int{2, 5, 8} {
		s := parsed(t, fmt.Sprintf(text, hosts, fmt.Sprint(hosts*20480, "B")))
		res := execute(t, s, scenario.RunOptions{})
		step := res.Flows[0].Ideal
		steps := unit.Time(3 * 2 * (hosts - 1))
		if want := steps*step + (steps-1)*2*unit.Microsecond; res.Summary.Runtime != want {
			t.Errorf("%d hosts: %d steps take %v, want %v", hosts, steps, res.Summary.Runtime, want)
		}
	}
}

// TestBackground finds the same messages of the same senders with and without a
// background, in two groups of which one has the transport it was given.
func TestBackground(t *testing.T) {
	const text = `
weft: 1
seed: 7
topology: {kind: leaf-spine, tors: 4, hosts_per_tor: 5, spines: 2, rate: 100Gbps, delay: 500ns}
transport: {connection: pair, balancer: ops, rto: 100us}
record: {flows: all}
traffic:
  - {name: main, pattern: uniform, size: {cdf: testdata/sizes.csv}, arrival: {kind: poisson, load: 30%, count: 5}}
`
	whole := execute(t, parsed(t, text), scenario.RunOptions{})
	s := parsed(t, text, "traffic.main.background={share: 28%, transport: {balancer: ecmp}}")
	if b := s.Traffic[0].Background.Transport; b.Connection != "pair" || b.Balancer.Kind != "ecmp" {
		t.Errorf("the background has connection %s and balancer %s", b.Connection, b.Balancer.Kind)
	}
	parts := execute(t, s, scenario.RunOptions{})
	type message struct {
		Src, Dst string
		Bytes    unit.Bytes
		Start    unit.Time
	}
	list := func(res *record.Result) (all []string, groups map[string]map[string]bool) {
		groups = map[string]map[string]bool{}
		for _, f := range res.Flows {
			all = append(all, fmt.Sprint(message{f.Src, f.Dst, f.Bytes, f.Start}))
			if groups[f.Group] == nil {
				groups[f.Group] = map[string]bool{}
			}
			groups[f.Group][f.Src] = true
		}
		slices.Sort(all)
		return all, groups
	}
	want, _ := list(whole)
	got, groups := list(parts)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-without +with background):\n%s", diff)
	}
	if n, m := len(groups["main"]), len(groups["main-background"]); n != 14 || m != 6 { // 5.6 of 20
		t.Errorf("%d senders in main and %d in its background", n, m)
	}
	if g := parts.Summary.Groups; len(g) != 2 || g[0].Name != "main" || g[1].Name != "main-background" {
		t.Errorf("groups of the summary: %+v", g)
	}
	other := parsed(t, text, "traffic.main.background={share: 28%, transport: {balancer: ecmp}}", "seed=8")
	_, groups8 := list(execute(t, other, scenario.RunOptions{}))
	if cmp.Equal(groups, groups8) {
		t.Error("another seed chooses the same senders")
	}
}

// TestStopDrains lets messages start until 100 µs and go on until they are done.
func TestStopDrains(t *testing.T) {
	const text = `
weft: 1
topology: {kind: star, hosts: 6, rate: 100Gbps, delay: 1us}
record: {flows: all}
traffic:
  - {name: main, pattern: uniform, size: 100KiB, arrival: {kind: poisson, load: 80%}, stop: 100us}
  - {name: loop, pattern: permutation, size: 10KiB, arrival: closed, stop: 100us}
`
	res := execute(t, parsed(t, text), scenario.RunOptions{})
	last, end := unit.Time(0), unit.Time(0)
	for _, f := range res.Flows {
		last, end = max(last, f.Start), max(end, f.End)
	}
	if s := res.Summary; s.Ended != record.Drained || s.Unfinished != 0 || last >= 100*unit.Microsecond || last < 80*unit.Microsecond || end <= 100*unit.Microsecond {
		t.Errorf("ended %s with %d unfinished; the last message starts at %v, the last ends at %v", s.Ended, s.Unfinished, last, end)
	}
}

// TestPacketsAreCounted: a message of more packets than are counted is refused, as one of a
// list, a reply or a background.
func TestPacketsAreCounted(t *testing.T) {
	const most = 1<<31 - 1 // packets of a byte
	dir := t.TempDir()
	matrix := filepath.Join(dir, "x.cm")
	if err := os.WriteFile(matrix, fmt.Appendf(nil, "Nodes 2\nConnections 1\n0->1 id 1 start 0 size %d\n", most+1), 0o666); err != nil {
		t.Fatal(err)
	}
	small := "transport: {payload: 1B}"
	for _, test := range []struct {
		group string
		fits  bool
	}{
		{fmt.Sprintf("{name: main, pattern: permutation, size: %dB, %s}", most, small), true},
		{fmt.Sprintf("{name: main, pattern: permutation, size: %dB, %s}", most+1, small), false},
		{fmt.Sprintf("{name: main, pattern: alltoall, size: %dB, %s}", most+1, small), false},
		{fmt.Sprintf("{name: main, pattern: permutation, size: 1B, reply: {size: %dB, %s}}", most+1, small), false},
		{fmt.Sprintf("{name: main, pattern: permutation, size: %dB, reply: {size: 1B, %s}}", most+1, small), true},
		{fmt.Sprintf("{name: main, pattern: permutation, size: %dB, background: {share: 50%%, %s}}", most+1, small), false},
		{fmt.Sprintf("{name: main, pattern: {kind: connections, file: %s}, %s}", matrix, small), false},
		{fmt.Sprintf("{name: main, pattern: {kind: connections, file: %s}}", matrix), true},
	} {
		err := verified("test.yaml", "weft: 1\ntopology: {kind: star, hosts: 2}\ntraffic:\n  - "+test.group+"\n")
		switch {
		case test.fits && err != nil:
			t.Errorf("%s: %v", test.group, err)
		case !test.fits && (err == nil || !strings.Contains(err.Error(), "is too large; with the payload of its packets a message has at most 2147483647B")):
			t.Errorf("%s: %v, and it does not fit", test.group, err)
		}
	}
}

// TestOrderedRefuses shows what is said of groups that don't fit their pattern.
func TestOrderedRefuses(t *testing.T) {
	for _, test := range []struct{ group, want string }{
		{"{name: main, pattern: ring-allreduce, size: 1MiB, arrival: closed}", "arrival: ring-allreduce sets the start of its messages itself; remove this"},
		{"{name: main, pattern: alltoall, size: 1MiB, stop: 1ms}", "stop: alltoall sets how much is sent itself; remove this"},
		{"{name: main, pattern: alltoall, size: {cdf: testdata/sizes.csv}}", "size: alltoall has the same bytes at every rank; give one size"},
		{"{name: main, pattern: alltoall}", "size: no size is given; write one as in 32MiB"},
		{"{name: main, pattern: alltoall, size: 7B}", "size: 7B at each rank cannot be cut into parts for 16 ranks; give at least 16B"},
		{"{name: main, pattern: butterfly-allreduce, size: 1MiB, hosts: [host1..host6]}", "6 ranks are not a power of two; let 4 hosts take part (hosts:)"},
		{"{name: main, pattern: {kind: ring-allreduce, ranks_per_group: 3}, size: 1MiB}", "test.yaml:5:67: traffic[0].pattern: ranks_per_group: 16 hosts take part, which cannot be split into groups of 3"},
		{"{name: main, pattern: permutation, size: 1MiB, background: {share: 1%}}", "share: 1% of 16 senders is 0 of them"},
		{"{name: main, pattern: permutation, size: 1MiB, background: {share: 50%, transport: {class: 3}}}", "there is no class 3"},
		{"{name: main, pattern: permutation, size: 1MiB, arrival: closed}", "set the end of the run, as in until: 10ms, the last start of a message, as in stop: 10ms"},
	} {
		text := `weft: 1
topology: {kind: leaf-spine, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 500ns}
# The line below is the group.
traffic:
  - ` + test.group + "\n"
		err := verified("test.yaml", text)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "test.yaml:5:") {
			t.Errorf("%s:\n%v\nwant %q", test.group, err, test.want)
		}
	}
}

package scenario_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

const loaded = `weft: 1
topology: {kind: leaf-spine, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, uplink_rate: 200Gbps, delay: 1250ns, uplink_delay: 500ns, switch_latency: 0ns}
fabric: {queue: infinite, ecn: {kind: threshold, k: 126158B}, nic: NIC}
transport: {payload: 1460B, header: 78B, ack: {size: 78B, reply: 84B}, rto: 100ms, connection: pool, pool: 2, balancer: ecmp, congestion: CONTROL}
traffic:
  - {name: messages, pattern: uniform, size: {workload: wkb}, arrival: {kind: poisson, load: 60%}}
  - {name: incast, pattern: {kind: bursts, senders: 6, load: 5%}, size: 50kB, slowdowns: false}
until: 2ms
measure: {from: 200us, to: 1500us}
record: {BUFFERS flows: all}
`

func runLoaded(t *testing.T, change ...string) *record.Result {
	t.Helper()
	s := parseLoaded(t, change...)
	res, err := scenario.Run(t.Context(), s, scenario.RunOptions{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func parseLoaded(t *testing.T, change ...string) *scenario.Scenario {
	t.Helper()
	text := strings.NewReplacer(append(change, "NIC", "fifo", "CONTROL", "{kind: dctcp, gain: 8%, alpha: 0%, initial: 101508B, largest: 1931728B, restart: true}",
		"BUFFERS", `buffers: {switches: ["tor*"]}, sizes: [1450B, 95kB, 760kB],`)...).Replace(loaded)
	f, err := scenario.Parse("loaded.yaml", []byte(text), weft.Builtin(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f.Variants[0]
}

// What is told of a load does not depend on the cut, and to record it changes nothing.
func TestLoadsAreTold(t *testing.T) {
	t.Parallel()
	controls, nics := []string{"", "swift"}, []string{"fifo", "pull"}
	if testing.Short() {
		controls, nics = controls[:1], nics[:1]
	}
	for _, control := range controls {
		for _, nic := range nics {
			var change []string
			if control != "" {
				change = []string{"CONTROL", control, "{kind: threshold, k: 126158B}", `"off"`}
			}
			change = append(change, "NIC", nic)
			want := runLoaded(t, change...)
			s := parseLoaded(t, change...)
			got, err := scenario.Run(t.Context(), s, scenario.RunOptions{Threads: 2, Domains: 5})
			if err != nil {
				t.Fatal(err)
			}
			a, b := want.Summary, got.Summary
			if a.ResultHash != b.ResultHash || cmp.Diff(a.Buffers, b.Buffers)+cmp.Diff(a.Stability, b.Stability)+cmp.Diff(a.Sizes, b.Sizes) != "" || *a.Completed != *b.Completed {
				t.Errorf("%s, %s: in 5 domains the result differs: %s", control, nic, cmp.Diff(a, b))
			}
			plain := runLoaded(t, append(change, "BUFFERS", "")...)
			if plain.Summary.ResultHash != a.ResultHash || plain.Summary.Buffers != nil {
				t.Errorf("%s, %s: to record buffering changes the result", control, nic)
			}
			checkLoad(t, want)
		}
	}
}

func checkLoad(t *testing.T, res *record.Result) {
	t.Helper()
	s := res.Summary
	b := s.Buffers
	if len(b.Switches) != 3 || b.Mean <= 0 || b.P50 > b.P99 || b.P999 > b.Max+b.Max/200 || b.MaxMean > b.Max || b.Mean > b.MaxMean {
		t.Errorf("buffers %+v", b)
	}
	series, most := 0, int64(0)
	for _, row := range res.Series {
		if row.Kind == record.Buffer {
			series++
			most = max(most, row.Value)
		}
	}
	if series != 3*130 || most != int64(b.MaxMean) {
		t.Errorf("%d rows with a maximum of %d, want 3 in each of 130 intervals and %d", series, most, b.MaxMean)
	}
	completed, sized := unit.Bytes(0), int64(0)
	for _, f := range res.Flows {
		if f.End != record.Unfinished && f.End >= 200*unit.Microsecond && f.End < 1500*unit.Microsecond {
			completed += f.Bytes
		}
		if f.Group == "incast" && (!math.IsNaN(f.SlowdownBare()) || f.Ideal != 0) {
			t.Fatalf("a burst has a slowdown: %+v", f)
		}
		if f.Group == "messages" && f.Finished() && !(f.SlowdownBare() >= 1) {
			t.Fatalf("slowdown %v: %+v", f.SlowdownBare(), f)
		}
		if f.Group == "messages" && f.Measured {
			sized++
		}
	}
	if want := completed.Over(1300 * unit.Microsecond); *s.Completed != want {
		t.Errorf("goodput of completed messages %v, want %v", *s.Completed, want)
	}
	for _, g := range s.Sizes {
		sized -= g.Messages
	}
	if len(s.Sizes) != 4 || sized != 0 {
		t.Errorf("classes of sizes %+v", s.Sizes)
	}
	if s.Stability == nil || s.Hosts != 12 || s.Drops.Total() != 0 || s.Retransmits != 0 {
		t.Errorf("stability %+v, %d hosts, %d drops, %d retransmits", s.Stability, s.Hosts, s.Drops.Total(), s.Retransmits)
	}
}

// Twice what the links carry is unstable, little is not.
func TestStability(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs, each on one thread")
	}
	for load, want := range map[string]bool{"20%": false, "180%": true} {
		s := runLoaded(t, "60%", load, "NIC", "pull").Summary.Stability
		if s.Unstable != want {
			t.Errorf("load %s: %+v", load, s)
		}
	}
}

// A healthy run whose window is a few messages long is not called unstable, however its
// backlog stands at the end.
func TestStabilityOfShortWindows(t *testing.T) {
	text := `weft: 1
seed: %d
topology: {kind: star, hosts: 16, rate: 100Gbps, delay: 1us}
traffic: [{name: main, pattern: uniform, size: 500KB, arrival: {kind: poisson, load: 40%%}}]
until: 60us
measure: {from: 0s, to: 60us}
`
	told, alarms := 0, 0
	for seed := range 12 {
		res := simulate(t, fmt.Sprintf(text, seed+1))
		s := res.Summary.Stability
		if s == nil {
			continue
		}
		told++
		if s.Growth > record.UnstableGrowth && s.Fit >= record.UnstableFit {
			alarms++
		}
		if s.Unstable || s.TooShort == "" {
			t.Errorf("seed %d: %+v", seed+1, s)
		}
	}
	if told < 10 || alarms == 0 {
		t.Errorf("of %d windows %d look unstable; the test wants some", told, alarms)
	}
}

func TestLoadSettingsRefuse(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"{kind: threshold, k: 126158B}", "red", "there is none"},
		{"{kind: threshold, k: 126158B}", "{kind: red, kmin: 10kB, kmax: 20kB}", "marks at a threshold"},
		{"until: 2ms\nmeasure: {from: 200us, to: 1500us}", "stuck_after: 10ms", "never ends"},
		{"[1450B, 95kB, 760kB]", "[95kB, 1450B]", "rising sizes"},
		{`["tor*"]`, `["host*"]`, "only switches have buffers"},
		{"load: 5%}", "load: 5%, interval: 1us}", "set how often they come"},
		{"workload: wkb", "workload: wkd", "wkb"},
		{"reply: 84B", "reply: 65500B", "a frame has at most"},
	} {
		text := strings.NewReplacer("NIC", "fifo", "CONTROL", "dctcp", "BUFFERS", `buffers: {switches: ["tor*"]}, sizes: [1450B, 95kB, 760kB],`).Replace(loaded)
		if !strings.Contains(text, test.old) {
			t.Fatalf("no %s", test.old)
		}
		err := verified("loaded.yaml", strings.Replace(text, test.old, test.new, 1))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.new, err, test.want)
		}
	}
}

func TestQueueLimitText(t *testing.T) {
	for _, text := range []string{"infinite", "1BDP", "64KiB"} {
		var q scenario.QueueLimit
		if err := q.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if back, err := q.MarshalText(); err != nil || string(back) != text || q.String() != text {
			t.Errorf("%s is written %s, error %v", text, back, err)
		}
	}
	var q scenario.QueueLimit
	if err := q.UnmarshalText([]byte("endless")); err == nil || !strings.Contains(err.Error(), "or infinite") {
		t.Errorf("error %v", err)
	}
}

// The scenarios of SIRD's evaluation are built in all their cells.
func TestSIRDScenarios(t *testing.T) {
	files, err := filepath.Glob("../scenarios/sird/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("files %v, error %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := scenario.Parse(file, text, weft.Builtin(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range f.Variants {
			if _, err := v.Verify(); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// TestMarksOfQueuesWithoutLimit marks nothing by default where there is no limit of which the
// default has a share, in variants, too; the scenario is the same as one that says so.
func TestMarksOfQueuesWithoutLimit(t *testing.T) {
	const text = least + "fabric: {queue: infinite}\ntransport: {congestion: constant, balancer: ops}\n"
	for _, test := range []struct{ variant, want string }{
		{"{name: a}", "off"},
		{"{name: a, fabric.queue: 1BDP}", "off"},
		{"{name: a, transport.balancer: arcane}", "threshold"},
		{"{name: a, fabric.queue: 1BDP, transport.balancer: arcane}", "red"},
		{"{name: a, fabric: {ecn: {kind: threshold, k: 1BDP}}}", "threshold"},
	} {
		s := parsed(t, text+"compare: ["+test.variant+"]\n")
		if got := s.Fabric.ECN.Kind; got != test.want {
			t.Errorf("%s: ecn is %s, want %s", test.variant, got, test.want)
		}
	}
	unset, said := parsed(t, text), parsed(t, strings.Replace(text, "infinite}", "infinite, ecn: off}", 1))
	a, err := unset.Hash()
	b, other := said.Hash()
	if a != b || err != nil || other != nil {
		t.Errorf("the hash without ecn is %s and that with ecn: off %s, errors %v, %v", a, b, err, other)
	}
}

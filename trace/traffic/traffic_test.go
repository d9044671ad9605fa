package traffic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/record/section/jobs"
	"weft/scenario"
	"weft/trace/goal"
	"weft/trace/internal/draw"
	"weft/unit"
)

// run writes a trace and a scenario with it, and runs that.
func run(t *testing.T, goalText, text string, sets ...string) (*record.Result, error) {
	t.Helper()
	file, err := load(t, goalText, text, sets...)
	if err != nil {
		return nil, err
	}
	return weft.Run(context.Background(), file.Variants[0])
}

func load(t *testing.T, goalText, text string, sets ...string) (*scenario.File, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"app.goal": goalText, "scenario.yaml": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return weft.Load(filepath.Join(dir, "scenario.yaml"), weft.Builtin(), sets...)
}

const star = `
weft: 1
topology: {kind: star, hosts: 8, rate: 100Gbps}
transport: {congestion: constant}
fabric: {host_jitter: none}
traffic:
  - {name: job, pattern: {kind: trace, file: app.goal}}
`

func jobOf(t *testing.T, res *record.Result) jobs.Job {
	t.Helper()
	list := jobs.Of(res.Summary.Sections)
	if list == nil || len(*list) != 1 {
		t.Fatalf("jobs: %+v", list)
	}
	return (*list)[0]
}

// pingPong is two messages, each of which waits for what comes before.
const pingPong = `num_ranks 2
rank 0 {
a: send 1000000b to 1 tag 1
b: recv 1000b from 1 tag 2
b requires a
c: calc 700
c requires b
}
rank 1 {
a: recv 1000000b from 0 tag 1
b: calc 5000
b requires a
c: send 1000b to 0 tag 2
c requires b
}
`

// TestPingPong: what waits for a computation and a message takes as long as they do one after another.
func TestPingPong(t *testing.T) {
	res, err := run(t, pingPong, star)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Flows) != 2 {
		t.Fatalf("%d messages", len(res.Flows))
	}
	there, back := res.Flows[0], res.Flows[1]
	if there.End-there.Start != there.Ideal || back.End-back.Start != back.Ideal {
		t.Errorf("messages take %v and %v, their ideals are %v and %v", there.End-there.Start, back.End-back.Start, there.Ideal, back.Ideal)
	}
	if got := back.Start - there.End; got != 5*unit.Microsecond {
		t.Errorf("the answer starts %v after the message has come", got)
	}
	job := jobOf(t, res)
	want := there.Ideal + 5*unit.Microsecond + back.Ideal + 700*unit.Nanosecond
	if job.Time != want || job.Left != 0 || job.Operations != 6 {
		t.Errorf("%+v, want %v", job, want)
	}
	if job.Computing != 2850*unit.Nanosecond {
		t.Errorf("the mean of 5000 and 700 ns is %v", job.Computing)
	}
	// Each rank awaits the message of the other one while it is under way. Rank 0 waits for the computation of rank 1.
	if want := (there.Ideal + back.Ideal) / 2; job.Exposed-want > 1 || want-job.Exposed > 1 {
		t.Errorf("exposed for %v in the mean, want %v", job.Exposed, want)
	}
}

// explained runs a scenario with a trace, and explains its job.
func explained(t *testing.T, goal, yaml string) (*record.Result, *scenario.JobExplanation) {
	t.Helper()
	file, err := load(t, goal, yaml)
	if err != nil {
		t.Fatal(err)
	}
	res, err := weft.Run(context.Background(), file.Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	x, err := scenario.ExplainJob(context.Background(), file.Variants[0], "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return res, x
}

// TestCriticalPath: the path has both messages and both computations, without gaps. Its times, and those for Perfetto, count
// from the start of the job.
func TestCriticalPath(t *testing.T) {
	for _, start := range []unit.Time{0, 2 * unit.Millisecond} {
		criticalPath(t, start)
	}
}

func criticalPath(t *testing.T, start unit.Time) {
	t.Helper()
	res, x := explained(t, pingPong, strings.Replace(star, "name: job", fmt.Sprintf("name: job, start: %v", start), 1))
	there, back := res.Flows[0], res.Flows[1]
	computing, network, inner, other := x.Sums()
	if computing != 5700*unit.Nanosecond || network != there.FCT()+back.FCT() || inner != 0 || other != 0 || x.Time != jobOf(t, res).Time {
		t.Errorf("%v computing, %v in the network, %v inner, %v other, of %v", computing, network, inner, other, x.Time)
	}
	now := unit.Time(0)
	for _, s := range x.Steps {
		if s.Begin != now {
			t.Errorf("a step begins at %v, and the last one ended at %v", s.Begin, now)
		}
		now = s.End
	}
	if longest := x.Longest(1); len(longest) != 1 || longest[0].Message != there.ID || longest[0].Name != "job/host0#0" || there.Name() != "job/host0#0" {
		t.Errorf("%+v, want message %s, %d", longest, there.Name(), there.ID)
	}
	if x.Start != start || there.Start != start {
		t.Errorf("the job starts at %v, and its first message at %v; want %v", x.Start, there.Start, start)
	}
	var b strings.Builder
	if err := x.Perfetto(&b); err != nil || !json.Valid([]byte(b.String())) {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
	if !strings.Contains(b.String(), `"ts":0,`) || strings.Contains(b.String(), `"ts":2000,`) {
		t.Errorf("with the start %v Perfetto has %.400s", start, b.String())
	}
}

// ringTrace is a ring all-reduce of size bytes over ranks.
func ringTrace(ranks, size int) string {
	var b strings.Builder
	part := func(i int) int {
		i = (i%ranks + ranks) % ranks
		n := size / ranks
		if i < size%ranks {
			n++
		}
		return n
	}
	fmt.Fprintf(&b, "num_ranks %d\n", ranks)
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d {\n", r)
		for step := range 2 * (ranks - 1) {
			fmt.Fprintf(&b, "s%d: send %db to %d tag %d\n", step, part(r-step), (r+1)%ranks, step)
			fmt.Fprintf(&b, "r%d: recv %db from %d tag %d\n", step, part(r-step-1), (r+ranks-1)%ranks, step)
			if step > 0 {
				fmt.Fprintf(&b, "s%d requires r%d\n", step, step-1)
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// TestRing: a ring all-reduce from a trace sends the same messages at the same times as the pattern of that name.
func TestRing(t *testing.T) {
	replayed, err := run(t, ringTrace(8, 1_000_003), star)
	if err != nil {
		t.Fatal(err)
	}
	own, err := run(t, "", `
weft: 1
topology: {kind: star, hosts: 8, rate: 100Gbps}
transport: {congestion: constant}
fabric: {host_jitter: none}
traffic:
  - {name: job, pattern: {kind: ring-allreduce}, size: 1000003B}
`)
	if err != nil {
		t.Fatal(err)
	}
	if replayed.Summary.ResultHash != own.Summary.ResultHash {
		t.Errorf("the trace ends after %v with hash %v, the pattern after %v with %v", replayed.Summary.Runtime, replayed.Summary.ResultHash, own.Summary.Runtime, own.Summary.ResultHash)
	}
	if len(replayed.Flows) != 8*14 {
		t.Errorf("%d messages", len(replayed.Flows))
	}
}

// TestInner: messages within a node or a host take their bytes over the rate, and the latency, in both directions alike.
func TestInner(t *testing.T) {
	const text = `num_ranks 4
rank 0 {
a: send 1000000b to 1
b: send 1000000b to 1
}
rank 1 {
a: recv 1000000b from 0
b: recv 1000000b from 0
c: recv 1000000b from 2
}
rank 2 {
a: send 1000000b to 1
}
rank 3 {
a: calc 1
}
`
	for _, where := range []string{"ranks_per_node: 4", "ranks_per_host: 4"} {
		res, err := run(t, text, strings.Replace(star, "app.goal", "app.goal, inner_rate: 800Gbps, inner_latency: 2us, "+where, 1))
		if err != nil {
			t.Fatal(where, err)
		}
		// Three messages of 10 us each enter the one link of rank 1 after another.
		if job := jobOf(t, res); job.Time != 32*unit.Microsecond || len(res.Flows) != 0 {
			t.Errorf("%s: %v, want 32us; %d messages in the network", where, job.Time, len(res.Flows))
		}
	}
}

// TestRendezvous: a large message does not leave before its receive is posted.
func TestRendezvous(t *testing.T) {
	const text = `num_ranks 2
rank 0 {
a: send 1000000b to 1
b: calc 1
b requires a
}
rank 1 {
a: calc 300000
b: recv 1000000b from 0
b requires a
}
`
	for _, c := range []struct {
		set    string
		starts bool // at once
	}{{"1MB", true}, {"999999B", false}} {
		res, err := run(t, text, strings.Replace(star, "app.goal", "app.goal, rendezvous: "+c.set, 1))
		if err != nil {
			t.Fatal(err)
		}
		if at := res.Flows[0].Start; (at == 0) != c.starts || !c.starts && at < 300*unit.Microsecond {
			t.Errorf("rendezvous above %s: the message starts at %v", c.set, at)
		}
	}
}

// TestRandom: random traces come to their end on any number of threads, with the same results.
func TestRandom(t *testing.T) {
	for seed := range uint64(12) {
		tr := draw.Trace(seed, draw.Shape{Ranks: 16, Messages: 200, Calcs: 100, CPUs: 2, NICs: 1, Eager: 500, Distinct: true})
		var b strings.Builder
		if err := goal.WriteText(&b, tr); err != nil {
			t.Fatal(err)
		}
		spray := `
weft: 1
topology: {kind: leaf-spine, tors: 4, spines: 2, hosts_per_tor: 4, rate: 100Gbps}
transport: {balancer: arcane, congestion: dctcp}
traffic:
  - {name: job, pattern: {kind: trace, file: app.goal, ranks: shuffled, ranks_per_node: 2, rendezvous: 500B}}
`
		var first *record.Result
		for _, threads := range []string{"1", "4"} {
			res, err := run(t, b.String(), spray, "engine.threads="+threads, "engine.domains="+threads)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			job := jobOf(t, res)
			if job.Left != 0 {
				t.Errorf("seed %d: %d operations left: %v", seed, job.Left, res.Manifest.Notices)
			}
			if first == nil {
				first = res
			} else if first.Summary.ResultHash != res.Summary.ResultHash || jobOf(t, first) != job {
				t.Errorf("seed %d: %+v with one thread, %+v with several", seed, jobOf(t, first), job)
			}
		}
	}
}

// TestRefused: what is wrong is told with its place before the run.
func TestRefused(t *testing.T) {
	const pair = "num_ranks 2\nrank 0 {\na: send 10b to 1\n}\nrank 1 {\na: recv 10b from 0\n}\n"
	var nine strings.Builder
	nine.WriteString("num_ranks 9\n")
	for r := range 9 {
		fmt.Fprintf(&nine, "rank %d {\nc: calc 1\n}\n", r)
	}
	for _, c := range []struct{ text, scenario, want string }{
		{"num_ranks 2\nrank 0 {\na: send 10b to 1 tag 4\n}\nrank 1 {\n}\n", star, "rank 0, a: send 10b to 1 tag 4"},
		{"num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n", star, "rank 0"},
		{"num_ranks 1\nrank 0 {\na: cook 1\n}\n", star, "app.goal:3"},
		{pair, strings.Replace(star, "app.goal", "none.goal", 1), "none.goal"},
		{pair, strings.Replace(star, "app.goal", "app.goal, ranks: upwards", 1), "upwards"},
		{pair, strings.Replace(star, "app.goal", "app.goal, placement: app.goal", 1), "app.goal:1"},
		{nine.String(), star, "ranks_per_host: 2"},
	} {
		if _, err := run(t, c.text, c.scenario); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestStuck: with wildcards a trace may fail to end. The run says so, and what is left.
func TestStuck(t *testing.T) {
	const text = `num_ranks 3
rank 0 {
a: recv 10b from -1 tag 1
b: recv 10b from 1 tag 1
b requires a
}
rank 1 {
a: send 10b to 0 tag 1
}
rank 2 {
c: calc 100000
a: send 10b to 0 tag 1
a requires c
}
`
	res, err := run(t, text, star)
	if err != nil {
		t.Fatal(err)
	}
	job := jobOf(t, res)
	if job.Left != 1 || res.Summary.Ended != record.Stuck || !res.Summary.Partial {
		t.Errorf("%+v, ended: %v", job, res.Summary.Ended)
	}
	if all := strings.Join(res.Manifest.Notices, "\n"); !strings.Contains(all, "rank 0, b: recv 10b from 1 tag 1") {
		t.Errorf("notices: %s", all)
	}
}

// TestJobs: several traces share a fabric, each with its start.
func TestJobs(t *testing.T) {
	res, err := run(t, ringTrace(4, 4_000_000), `
weft: 1
topology: {kind: star, hosts: 8, rate: 100Gbps}
transport: {congestion: constant}
fabric: {host_jitter: none}
traffic:
  - {name: one, pattern: {kind: trace, file: app.goal}, hosts: ["host0..host3"]}
  - {name: two, pattern: {kind: trace, file: app.goal}, hosts: ["host4..host7"], start: 1ms}
`)
	if err != nil {
		t.Fatal(err)
	}
	list := *jobs.Of(res.Summary.Sections)
	if len(list) != 2 || list[0].Time != list[1].Time || res.Summary.Simulated < unit.Millisecond+list[1].Time {
		t.Errorf("%+v, simulated %v", list, res.Summary.Simulated)
	}
}

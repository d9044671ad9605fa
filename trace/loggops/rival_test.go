package loggops

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/trace"
	"weft/trace/goal"
	"weft/trace/internal/draw"
	"weft/unit"
)

var (
	rival = flag.String("loggopsim", "", "program LogGOPSim to compare with; docs/traces.md says which commit")
	cases = flag.Int("cases", 1000, "how many random traces are compared with LogGOPSim")
	keep  = flag.Bool("keep", false, "write testdata/ends.txt with what LogGOPSim comes to")
)

// drawn is a random trace with parameters, the same ones from the same seed.
func drawn(seed uint64) (*trace.Trace, Parameters) {
	rnd := rand.New(rand.NewPCG(seed, 0x1066))
	some := func(most int64) unit.Time { // often nothing, so that events have the same time
		if rnd.IntN(4) == 0 {
			return 0
		}
		return unit.Time(rnd.Int64N(most)+1) * unit.Nanosecond
	}
	p := Parameters{Latency: some(5000), Overhead: some(2000), Gap: some(3000), GapPerByte: some(8), OverheadPerByte: some(8), Eager: 1 + rnd.Int64N(400)}
	return draw.Trace(seed, draw.Shape{
		Ranks: 2 + rnd.IntN(15), Messages: 20 + rnd.IntN(300), Calcs: rnd.IntN(100), CPUs: 1 + rnd.IntN(4), NICs: 1 + rnd.IntN(3), Eager: p.Eager, Wildcards: rnd.IntN(4) > 0,
	}), p
}

// theirs is what LogGOPSim prints.
type theirs struct {
	ends  []int64 // of each rank, if there are at most 16
	end   int64
	stuck int // receives and messages that nothing matched
}

func runRival(t *testing.T, tr *trace.Trace, p Parameters) theirs {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.bin")
	var b bytes.Buffer
	if err := goal.WriteBinary(&b, tr); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	ns := func(t unit.Time) string { return strconv.FormatInt(int64(t/unit.Nanosecond), 10) }
	cmd := exec.Command(*rival, "-f", file, "-L", ns(p.Latency), "-o", ns(p.Overhead), "-g", ns(p.Gap), "-G", ns(p.GapPerByte), "-O", ns(p.OverheadPerByte), "-S", strconv.FormatInt(p.Eager, 10))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	var r theirs
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var host, n int
		var ns int64
		line := lines.Text()
		if k, _ := fmt.Sscanf(line, "Host %d: %d", &host, &ns); k == 2 {
			r.ends = append(r.ends, ns)
			r.end = max(r.end, ns)
		}
		if k, _ := fmt.Sscanf(line, "Maximum finishing time at host %d: %d", &host, &ns); k == 2 {
			r.end = ns
		}
		if i := strings.Index(line, "queue on host"); i >= 0 {
			if k, _ := fmt.Sscanf(line[i:], "queue on host %d contains %d", &host, &n); k == 2 {
				r.stuck += n
			}
		}
	}
	return r
}

// kept is how many random traces testdata/ends.txt has.
const kept = 120

const keptFile = "testdata/ends.txt"

// TestKept compares random traces with what LogGOPSim came to for them, in nanoseconds by rank.
func TestKept(t *testing.T) {
	if *keep {
		writeKept(t)
	}
	text, err := os.ReadFile(keptFile)
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		seed, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		tr, p := drawn(seed)
		p.AsLogGOPSim = true
		r, err := Run(context.Background(), tr, p)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(seed, inNanoseconds(r))
		if r.Stuck.Total > 0 {
			got = fmt.Sprint(seed, " stuck ", unmatched(r))
		} else {
			ended++
		}
		if want := strings.Join(fields, " "); strings.NewReplacer("[", "", "]", "").Replace(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if ended < 80 {
		t.Errorf("the table has %d traces that end", ended)
	}
}

func writeKept(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What LogGOPSim comes to for the random traces of this package: the seed, and when each rank ends in\n")
	b.WriteString("# nanoseconds, or how many receives and messages are left unmatched. Written by TestKept -keep.\n")
	for seed := range uint64(kept) {
		tr, p := drawn(seed)
		r := runRival(t, tr, p)
		fmt.Fprint(&b, seed)
		if r.stuck > 0 {
			fmt.Fprint(&b, " stuck ", r.stuck)
		}
		for _, e := range r.ends {
			fmt.Fprint(&b, " ", e)
		}
		b.WriteByte('\n')
	}
	if err := os.WriteFile(keptFile, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

func inNanoseconds(r *Result) (ends []int64) {
	for _, e := range r.Ends {
		ends = append(ends, int64(e/unit.Nanosecond))
	}
	return ends
}

// unmatched counts receives and messages that are left.
func unmatched(r *Result) (n int) {
	for _, f := range r.Stuck.List {
		if f.Wrong != trace.Unbegun {
			n++
		}
	}
	return n
}

// TestLogGOPSim compares random traces with LogGOPSim itself. It needs that program.
func TestLogGOPSim(t *testing.T) {
	if *rival == "" {
		t.Skip("no program to compare with; name one with -loggopsim, as docs/traces.md says. testdata/ends.txt has what it came to")
	}
	whole, severalCPUs, stuck := 0, 0, 0
	for seed := range uint64(*cases) {
		tr, p := drawn(seed)
		want := runRival(t, tr, p)
		p.AsLogGOPSim = true
		got, err := Run(context.Background(), tr, p)
		if err != nil {
			t.Fatal(err)
		}
		if n := unmatched(got); n != want.stuck {
			t.Errorf("seed %d: %d receives and messages are unmatched, and %d with LogGOPSim", seed, n, want.stuck)
			continue
		}
		if want.stuck > 0 {
			stuck++
			continue
		}
		ends := inNanoseconds(got)
		if want.end != slices.Max(ends) || want.ends != nil && !slices.Equal(want.ends, ends) {
			t.Errorf("seed %d: %+v: ends %v, and with LogGOPSim %v, %d", seed, p, ends, want.ends, want.end)
			continue
		}
		whole++
		var m trace.Summary
		for r := range tr.Ranks {
			m.Add(&tr.Ranks[r])
		}
		if m.CPUs > 1 {
			severalCPUs++
		}
	}
	t.Logf("%d traces end at the same times (%d of them with several processors per rank), and %d get stuck alike", whole, severalCPUs, stuck)
	if whole < *cases/5 {
		t.Errorf("only %d traces came to their end", whole)
	}
}

package traffic_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/record"
	"weft/trace/goal"
	"weft/trace/internal/draw"
)

// TestRandomNICs: random traces with several NICs come to their end, with the same results on any number of threads
// and whether windows are swept or not. Some nodes have hosts at two switches, which so share a domain.
func TestRandomNICs(t *testing.T) {
	for seed := range uint64(12) {
		wildcards := seed%3 == 2
		tr := draw.Trace(seed, draw.Shape{Ranks: 5, Messages: 200, Calcs: 100, CPUs: 2, NICs: 3, Eager: 500, Distinct: true, Wildcards: wildcards})
		var b strings.Builder
		if err := goal.WriteText(&b, tr); err != nil {
			t.Fatal(err)
		}
		order := []string{"hosts", "shuffled", "interleaved", "racks"}[seed%4]
		text := `
weft: 1
topology: {kind: leaf-spine, tors: 4, spines: 2, hosts_per_tor: 4, rate: 100Gbps}
transport: {balancer: arcane, congestion: dctcp}
traffic:
  - {name: job, pattern: {kind: trace, file: app.goal, nics: 3, rendezvous: 500B, ranks: ` + order + `}}
`
		var first *record.Result
		for _, c := range []struct {
			threads string
			domains int
			queue   string
		}{{"1", 1, "sweep"}, {"1", 3, "sweep"}, {"2", 2, "sweep"}, {"4", 4, "sweep"}, {"1", 1, "calendar"}, {"4", 4, "calendar"}} {
			res, err := run(t, b.String(), text, "engine.threads="+c.threads, fmt.Sprint("engine.domains=", c.domains), "engine.queue="+c.queue)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if e := res.Manifest.Engine; (e.Domains > 1) != (c.domains > 1) || (e.Swept > 0) != (c.queue == "sweep") {
				t.Fatalf("seed %d: %+v, want %+v", seed, e, c)
			}
			job := jobOf(t, res)
			if job.Left != 0 && !wildcards { // with them a receive may take what another one needs
				t.Errorf("seed %d: %d operations left: %v", seed, job.Left, res.Manifest.Notices)
			}
			if first == nil {
				first = res
			} else if first.Summary.ResultHash != res.Summary.ResultHash || jobOf(t, first) != job || !slices.Equal(first.Jobs.Ranks, res.Jobs.Ranks) {
				t.Errorf("seed %d: %+v in one domain, %+v with %+v", seed, jobOf(t, first), job, c)
			}
		}
	}
}

// TestDrivenFromBeside: a rank that sends and receives over its second NIC alone does so at the times of a rank with
// one link, at the same hosts. So it makes no difference that another host drives it.
func TestDrivenFromBeside(t *testing.T) {
	const topology = "topology: {kind: leaf-spine, tors: 4, spines: 2, hosts_per_tor: 4, rate: 100Gbps}"
	text := strings.Replace(star, "topology: {kind: star, hosts: 8, rate: 100Gbps}", topology, 1)
	placement := filepath.Join(t.TempDir(), "odd")
	if err := os.WriteFile(placement, []byte("host1\nhost3\nhost5\nhost7\nhost9\nhost11\nhost13\nhost15\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		for _, rendezvous := range []string{"", ", rendezvous: 900B"} {
			tr := draw.Trace(seed, draw.Shape{Ranks: 8, Messages: 300, Calcs: 100, CPUs: 2, NICs: 1, Eager: 1000, Distinct: true})
			var b strings.Builder
			if err := goal.WriteText(&b, tr); err != nil {
				t.Fatal(err)
			}
			one, err := run(t, b.String(), strings.Replace(text, "app.goal", "app.goal, placement: "+placement+rendezvous, 1))
			if err != nil {
				t.Fatal(err)
			}
			second := regexp.MustCompile(`(?m)(send|recv) .*$`).ReplaceAllString(b.String(), "$0 nic 1")
			two, err := run(t, second, strings.Replace(text, "app.goal", "app.goal, nics: 2"+rendezvous, 1))
			if err != nil {
				t.Fatal(err)
			}
			if jobOf(t, one) != jobOf(t, two) || !slices.Equal(one.Flows, two.Flows) {
				t.Errorf("seed %d%s: %+v with one link, %+v over the second NIC", seed, rendezvous, jobOf(t, one), jobOf(t, two))
			}
		}
	}
}

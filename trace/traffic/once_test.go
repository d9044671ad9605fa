package traffic_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
)

// TestMistakesOnce: one mistake is one problem, whichever groups of traffic and variants it meets.
func TestMistakesOnce(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("model.yaml", "model: {kind: custom, layers: 2}\n")
	write("send.goal", "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\n}\n")
	write("ring.yaml", "kernel: {kind: random, ranks: 4, neighbours: 1}\n")
	const head = "weft: 1\ntopology: {kind: star, hosts: 8}\ntransport: {congestion: dctcp}\ntraffic:\n"
	const compare = "compare:\n  - {name: A}\n  - {name: B, topology.hosts: 12}\n  - {name: C, topology: {kind: fat-tree, tiers: 2, tors: 2, hosts_per_tor: 4, rate: 100Gbps}}\n"
	group := func(name, hosts, file string) string {
		return "  - {name: " + name + ", hosts: " + hosts + ", pattern: {kind: trace, file: " + file + "}}\n"
	}
	for _, test := range []struct{ traffic, want string }{
		{group("one", "host0..host3", "model.yaml") + group("two", "host4..host7", "model.yaml"), `model.yaml:1:8: model: "hidden", "heads", "vocabulary" and "sequence" are missing; write as in hidden: 4096, heads: 32, vocabulary: 32000, sequence: 4096, or name a published model, as in model: llama-7b (two reads this file, too)` + "\n"},
		{group("one", "host0..host3", "send.goal") + group("two", "host4..host5", "send.goal") + group("three", "host6..host7", "send.goal"), "(two, three read this file, too)"},
		{group("one", "core0", "ring.yaml"), `no node is named "core0"; there are host0..host7, tor0 (shown for "A")`},
		{group("one", "host0..host19", "ring.yaml"), `no node is named "host8"; there are host0..host7 (shown for "A")`},
		{group("one", "0-3", "ring.yaml"), `no node is named "0-3"; write host0..host3` + "\n"},
		{group("one", "host5..host9", "ring.yaml"), `no node is named "host8"; there are host0..host7 (in variants A, C)`},
	} {
		path := write("x.yaml", head+test.traffic+compare)
		f, err := weft.Load(path, weft.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		var wrong scenario.Problems
		for _, s := range f.Variants {
			_, err := s.Build()
			wrong.Add(s.Variant, err)
		}
		got := wrong.Err(len(f.Variants))
		if got == nil || !strings.Contains(got.Error(), test.want) || strings.Count(got.Error(), "x.yaml:") != 1 {
			t.Errorf("%s gives\n%v\nwant once %s", test.traffic, got, test.want)
		}
	}
}

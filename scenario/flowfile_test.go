package scenario_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"weft/scenario"
	"weft/workload/flowfile"
)

// TestFlowFileRoundTrip writes workloads as files of flows and finds the same result when
// these are read.
func TestFlowFileRoundTrip(t *testing.T) {
	for _, group := range []string{
		"{name: main, pattern: permutation, size: 300000B}",
		"{name: main, pattern: {kind: incast, senders: 5}, size: 300000B, jitter: 3us, start: 1us}",
		"{name: main, pattern: uniform, size: {cdf: testdata/sizes.csv}, arrival: {kind: poisson, load: 60%}, stop: 100us}",
	} {
		t.Run(group, func(t *testing.T) {
			s := parsed(t, fabricText+"traffic:\n  - "+group+"\n")
			want := execute(t, s, scenario.RunOptions{})
			f, err := s.FlowFile("main")
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := flowfile.Write(&b, f.Flows); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "flow.txt")
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			got := execute(t, parsed(t, fabricText+"traffic:\n  - {name: main, pattern: {kind: flow-file, file: '"+path+"'}}\n"), scenario.RunOptions{})
			if got.Summary.ResultHash != want.Summary.ResultHash || got.Summary.Messages < 5 {
				t.Errorf("as a file of %d flows %d messages take %v, and %v otherwise", len(f.Flows), got.Summary.Messages, got.Summary.Runtime, want.Summary.Runtime)
			}
		})
	}
}

// TestFlowFileNumbersNodes: numbers are those of the topology's nodes, also where switches
// come before hosts.
func TestFlowFileNumbersNodes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	graph := write("net.hpcc", "4 1 3\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n")
	flows := write("flow.txt", "1\n2 3 3 100 1000 0.000001\n")
	s := parsed(t, "weft: 1\ntopology: {kind: graph, file: '"+graph+"', switch_latency: 0s}\nrecord: {flows: all}\ntraffic:\n  - {name: main, pattern: {kind: flow-file, file: '"+flows+"'}}\n")
	r := execute(t, s, scenario.RunOptions{})
	if len(r.Flows) != 1 || r.Flows[0].Src != "host2" || r.Flows[0].Dst != "host3" {
		t.Errorf("flows %+v", r.Flows)
	}
	f, err := s.FlowFile("")
	if err != nil || len(f.Flows) != 1 || f.Flows[0].Src != 2 || f.Flows[0].Dst != 3 {
		t.Errorf("written again: %+v, %v", f, err)
	}
}

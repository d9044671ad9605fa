package chakra

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJSON: the form in JSON is the same trace.
func TestJSON(t *testing.T) {
	text := func(peer string) []byte {
		return []byte(`{
  "workload_graph": [
    {"Id": 18446744073709551615, "Name": "a", "NodeType": 4, "runtime": 1.5, "data_deps": [], "is_cpu_op": true},
    {"Id": 2, "Name": "b", "NodeType": 7, "runtime": 9, "data_deps": [18446744073709551615], "ctrlDeps": [77], "is_cpu_op": false, "comm_type": 2, "comm_size": 10},
    {"Id": 3, "Name": "c", "NodeType": ` + peer + `, "comm_size": 7.0, "comm_tag": 4, "ctrl_deps": [2]}
  ],
  "workload_name": "w", "ngpus": 2
}`)
	}
	dir := t.TempDir()
	put(t, dir, "t.0.json", text(`5, "comm_dst": 1`))
	put(t, dir, "t.1.json", text(`6, "comm_src": 0`))
	tr := read(t, dir, ring)
	want := []string{
		"0: calc 1500 cpu 1",
		"0: send 10b to 1 tag 5 cpu 2 < n18446744073709551615",
		"0: recv 10b from 1 tag 5 cpu 2 < n18446744073709551615",
		"0: send 7b to 1 tag 4 cpu 2 < #1 < #2",
		"1: calc 1500 cpu 1",
		"1: send 10b to 0 tag 5 cpu 2 < n18446744073709551615",
		"1: recv 10b from 0 tag 5 cpu 2 < n18446744073709551615",
		"1: recv 7b from 0 tag 4 cpu 2 < #1 < #2",
	}
	if d := cmp.Diff(want, words(tr)); d != "" {
		t.Error(d)
	}
	// Messages of the other form may have the name of this one.
	put(t, dir, "m.0.json", encoded([]one{{id: 1, kind: computeNode, micros: 2}}))
	if got := read(t, filepath.Join(dir, "m"), Options{}).Ranks[0].At(0).Size; got != 2000 {
		t.Error(got)
	}
	for text, want := range map[string]string{
		"{\n\"workload_graph\": [}":                     "t.0.json: line 2: invalid character",
		`{"nodes": [], "schema": "1.0.2-chakra.0.0.4"}`: "this is a trace of PyTorch",
		`[5]`:                                 "the file is cut off or no Chakra trace",
		`{"a": 5}`:                            "there is no workload_graph",
		`{"workload_graph": [{"Name": "x"}]}`: "node 0 of workload_graph has no Id",
		`{"workload_graph": [{"Id": 1, "comm_size": "x"}]}`:       `node 1, "": attribute comm_size: it is no number; write numbers as numbers`,
		`{"workload_graph": [{"Id": 1, "runtime": -1}]}`:          "its runtime -1 is negative",
		`{"workload_graph": [{"Id": -1}]}`:                        "line 1:",
		`{"workload_graph": [{"Id": 1, "involved_dim": ["x"]}]}`:  "attribute involved_dim",
		`{"workload_graph": [{"Id": 1, "NodeType": 3000000000}]}`: "line 1:",
	} {
		dir := t.TempDir()
		put(t, dir, "t.0.json", []byte(text))
		if _, err := Read(dir, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

package scenario_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

var update = flag.Bool("update", false, "pin the results of testdata/golden anew")

// pin is what is kept of the result of a golden run: the hash of all of it, and
// some numbers that show what changed when the hash does.
type pin struct {
	Revision int `json:"result_revision"`
	// Scenario is what studies know runs by. A result of another scenario is not taken for
	// this one's, so that it may change without another revision: a new default, say.
	Scenario    string        `json:"scenario"`
	ResultHash  string        `json:"result_hash"`
	Ended       record.Ending `json:"ended"`
	Runtime     unit.Time     `json:"runtime"`
	Messages    int64         `json:"messages"`
	Unfinished  int64         `json:"unfinished"`
	PacketHops  int64         `json:"packet_hops"`
	Retransmits int64         `json:"retransmits"`
	Timeouts    int64         `json:"timeouts"`
	Drops       record.Drops  `json:"drops"`
	Trims       int64         `json:"trims"`
	ECNMarks    int64         `json:"ecn_marks"`
}

func pinOf(identity string, s *record.Summary) pin {
	return pin{
		Revision: scenario.ResultRevision, Scenario: identity, ResultHash: s.ResultHash, Ended: s.Ended, Runtime: s.Runtime,
		Messages: s.Messages, Unfinished: s.Unfinished, PacketHops: s.PacketHops,
		Retransmits: s.Retransmits, Timeouts: s.Timeouts, Drops: s.Drops, Trims: s.Trims, ECNMarks: s.ECNMarks,
	}
}

// TestGolden runs the small scenarios of testdata/golden, one for each feature,
// and compares their results with those pinned beside them, so that no change in
// behaviour goes unseen.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/golden/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden scenarios: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			f, err := weft.Load(file, weft.Builtin())
			if err != nil {
				t.Fatal(err)
			}
			res, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{Check: true})
			if err != nil {
				t.Fatal(err)
			}
			if res.Manifest.Engine.Swept == 0 {
				t.Errorf("no window was swept; notices: %q", res.Manifest.Notices)
			}
			identity, err := f.Variants[0].Identity(nil)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, strings.TrimSuffix(file, ".yaml")+".json", pinOf(identity, &res.Summary))
		})
	}
}

// compare compares a result with the pinned one, or pins it.
func compare(t *testing.T, path string, result pin) {
	t.Helper()
	const remedy = `If this change in behaviour is meant, pin it with

	go test ./scenario -run TestGolden -update

and say in the commit why results change.`
	got, err := json.MarshalIndent(result, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		var before pin
		if old, err := os.ReadFile(path); err == nil && json.Unmarshal(old, &before) == nil &&
			before.ResultHash != result.ResultHash && before.Revision == result.Revision && before.Scenario == result.Scenario {
			t.Fatalf("%s changes; raise scenario.ResultRevision first, so that studies repeat runs whose results a release before this made", path)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("nothing is pinned: %v\n%s", err, remedy)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("the result differs from %s:\n%s\n%s", path, changed(string(want), string(got)), remedy)
	}
}

// changed lists the lines that differ between two texts, line by line.
func changed(want, got string) string {
	var b strings.Builder
	pinned, found := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(pinned), len(found)) {
		var p, f string
		if i < len(pinned) {
			p = pinned[i]
		}
		if i < len(found) {
			f = found[i]
		}
		if p != f {
			fmt.Fprintf(&b, "-%s\n+%s\n", p, f)
		}
	}
	return b.String()
}

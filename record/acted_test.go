package record

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNeverActedIsApart: options that never acted are kept by files, bar nothing, and are no notices.
func TestNeverActedIsApart(t *testing.T) {
	s := Summary{Name: "a", NeverActed: []Idle{{Option: "fabric.ecn", Entry: "red", Text: "no frame was marked"}, {Option: "fabric.queue", Text: "none was full"}}}
	if len(s.Notices()) != 0 || len(s.Kinds()) != 0 {
		t.Errorf("notices: %v", s.Notices())
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var read Summary
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.NeverActed, read.NeverActed); diff != "" {
		t.Error(diff)
	}
	if got := read.NeverActed[1].Line(); got != "fabric.queue never acted: none was full" {
		t.Error(got)
	}
}

// TestGatherIdleIsBounded: files of others may have any number of lines.
func TestGatherIdleIsBounded(t *testing.T) {
	var many []Idle
	for i := range 100_000 {
		many = append(many, Idle{Option: fmt.Sprint(i)})
	}
	list := GatherIdle([]string{"a", "b"}, func(run int) []Idle { return many[run*1000:] })
	if len(list) != MostIdle {
		t.Errorf("%d lines", len(list))
	}
}

package jobpath

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"weft/scenario"
	"weft/trace/timeline"
	"weft/trace/traffic"
	"weft/unit"
)

// twoSteps is a job that starts after 2 ms: a message of the network, and a computation at its receiver.
func twoSteps() *scenario.JobExplanation {
	return &scenario.JobExplanation{Group: "train", Start: 2 * unit.Millisecond, Time: 30 * unit.Microsecond, Steps: []scenario.JobStep{
		{Step: traffic.Step{End: 20 * unit.Microsecond, Class: timeline.Transfer, Rank: 25, Operation: "#3369: send 4096b to 29 tag 7", Call: "all-reduce of tp6", To: 29, Size: 4096, InNetwork: true},
			From: "host3", At: "host9", Message: 1<<58 | 3<<32 | 12, Name: "train/host3#12"},
		{Step: traffic.Step{Begin: 20 * unit.Microsecond, End: 30 * unit.Microsecond, Class: timeline.Compute, Rank: 29, Operation: "#17: calc 10000", To: -1}, From: "host9"},
	}}
}

// TestWrite: messages have names and operations, and times count from the start of the job.
func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, twoSteps(), 10); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"job \"train\": 30.000 µs, until the last operation, of rank 29 on host9\nit starts at 2000.000 µs of the run; times count from there\n\n",
		"train/host3#12  ", " #3369 ", "29 (host9)",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s\nlacks %q", b.String(), want)
		}
	}
	if strings.Contains(b.String(), "288230389036613644") {
		t.Errorf("%s\nhas the number of a message", b.String())
	}
}

// TestJSON: the document has the start of the job, and the number of a message beside its name.
func TestJSON(t *testing.T) {
	text, err := json.Marshal(JSON(twoSteps()))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"start_ps":2000000000,"total_ps":30000000,`, `"message":288230389036613644,"name":"train/host3#12"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}

// TestKeysAreDocumented looks for each key of the document in docs/results.md.
func TestKeysAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "`--job` explains the job")
	if !ok {
		t.Fatal("docs/results.md has nothing about --job")
	}
	for _, of := range []any{job{}, step{}} {
		for f := range reflect.TypeOf(of).Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !strings.Contains(section, "`"+key+"`") {
				t.Errorf("%T: %s is not documented", of, key)
			}
		}
	}
}

package record

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// untold is a run whose messages nobody counted retransmissions of.
func untold() *Result {
	r := sample()
	for i := range r.Flows {
		r.Flows[i].Retransmits, r.Flows[i].Timeouts = Unknown, Unknown
	}
	r.Summary = Summarize(r.Flows, r.Ports, Extent{})
	r.Summary.Name = "on wire"
	r.Summary.Packets = Packets{Arrived: 9, Marked: Unknown, Kept: Unknown}
	return r
}

// TestUnknown: what nobody could tell is no number anywhere, and is read so again.
func TestUnknown(t *testing.T) {
	r := untold()
	if s := &r.Summary; s.Retransmits != Unknown || s.Timeouts != Unknown || s.Groups[0].Retransmits != Unknown {
		t.Errorf("the sum of unknown counts is %d", s.Retransmits)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := WriteFolder(dir, r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, summaryFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"retransmits": null`, `"timeouts": null`, `"marked": null`, `"kept": null`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	again, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Flows, again.Flows); diff != "" {
		t.Errorf("messages (-written +read):\n%s", diff)
	}
	if a, b := r.Summary.Stats, again.Summary.Stats; a.Retransmits != b.Retransmits || a.Packets != b.Packets {
		t.Errorf("%+v is read as %+v", a, b)
	}
	for _, m := range again.Summary.Metrics() {
		switch m.Name {
		case "retransmits", "timeouts", "marked_percent", "heeded_percent", "main.retransmits":
			if !math.IsNaN(m.Value) {
				t.Errorf("%s is %v", m.Name, m.Value)
			}
		}
	}
	if text := CountText(Unknown); text != "–" {
		t.Errorf("it is shown as %s", text)
	}
}

// TestPacketsJSON: packets are written as before where all is known.
func TestPacketsJSON(t *testing.T) {
	for want, p := range map[string]Packets{
		`{"arrived":9,"marked":0}`:                {Arrived: 9},
		`{"arrived":9,"marked":4,"kept":3}`:       {9, 4, 3},
		`{"arrived":9,"marked":4,"kept":null}`:    {9, 4, Unknown},
		`{"arrived":9,"marked":null,"kept":null}`: {9, Unknown, Unknown},
	} {
		text, err := json.Marshal(p)
		var again Packets
		if err != nil || string(text) != want || json.Unmarshal(text, &again) != nil || again != p {
			t.Errorf("%+v is %s, read as %+v; want %s", p, text, again, want)
		}
	}
}

// TestEarlierFlows reads a table of an earlier program, in which the counts were never null.
func TestEarlierFlows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	want := sample()
	if err := WriteFolder(dir, want); err != nil {
		t.Fatal(err)
	}
	earlier := parquet.Group{}
	for _, f := range parquet.SchemaOf(flowRow{}).Fields() {
		node := parquet.Node(f)
		if f.Name() == "retransmits" || f.Name() == "timeouts" {
			node = parquet.Required(node)
		}
		earlier[f.Name()] = node
	}
	file, err := os.Create(filepath.Join(dir, flowsFile))
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[flowRow](file, parquet.NewSchema("flowRow", earlier))
	for _, f := range want.Flows {
		if _, err := w.Write([]flowRow{rowOf(f)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Flows, got.Flows); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

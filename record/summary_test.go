package record

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/unit"
)

func TestSummarize(t *testing.T) {
	r := sample()
	got := Summarize(r.Flows, r.Ports, Extent{})
	if got.Messages != 3 || got.Unfinished != 1 || got.Retransmits != 3 || got.Timeouts != 1 {
		t.Errorf("messages, unfinished, retransmits, timeouts: %d, %d, %d, %d; want 3, 1, 3, 1",
			got.Messages, got.Unfinished, got.Retransmits, got.Timeouts)
	}
	long, short := 756*unit.Microsecond+1, 4*unit.Microsecond
	want := Times{Mean: (long + short) / 2, P50: short, P99: long, Max: long}
	if diff := cmp.Diff(want, got.FCT); diff != "" {
		t.Errorf("FCT (-want +got):\n%s", diff)
	}
	if got.Slowdown.P50 != 1 || math.Abs(got.Slowdown.P99-1.08) > 1e-6 {
		t.Errorf("slowdowns %v, want 1 and 1.08", got.Slowdown)
	}
	if got.Runtime != long {
		t.Errorf("runtime %v, want %v", got.Runtime, long)
	}
	// (32 MiB + 1 B) in 756.000001 µs.
	if want := unit.Rate(355073526272); got.Goodput/unit.Mbps != want/unit.Mbps {
		t.Errorf("goodput %d bit/s, want about %d", got.Goodput, want)
	}
	if got.Drops != (Drops{1, 2, 3, 4, 5, 0, 0, 0}) || got.Drops.Total() != 15 || got.Trims != 7 || got.ECNMarks != 6 {
		t.Errorf("drops %+v, trims %d, marks %d", got.Drops, got.Trims, got.ECNMarks)
	}
	var names []string
	for _, g := range got.Groups {
		names = append(names, g.Name)
	}
	if diff := cmp.Diff([]string{"main", "background"}, names); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if g := got.Groups[1]; g.Runtime != short || g.Messages != 1 || g.Unfinished != 0 {
		t.Errorf("group background: runtime %v, %d messages, %d unfinished", g.Runtime, g.Messages, g.Unfinished)
	}
}

// The last finish is no runtime of messages of which some did not finish or start.
func TestRuntimeIsABoundIfNotAllFinished(t *testing.T) {
	const us = unit.Microsecond
	flows := []Flow{
		{ID: 1, Group: "ring", Start: us, End: 3 * us, Bytes: 1000},
		{ID: 2, Group: "ring", Start: 2 * us, End: Unfinished, Bytes: 1000},
		{ID: 1 << 58, Group: "rpc", Start: us, End: 5 * us, Bytes: 1000},
		{ID: 2 << 58, Group: "tree", Start: us, End: 4 * us, Bytes: 1000},
	}
	e := Extent{End: 20 * us, Planned: 12, Groups: map[string]int64{"ring": 5, "rpc": 1, "tree": 6}}
	s := Summarize(flows, nil, e)
	type row struct {
		runtime             unit.Time
		missing, notStarted int64
		whole               bool
	}
	of := func(s *Stats) row { return row{s.Runtime, s.Missing(), s.NotStarted(), s.Whole(true)} }
	for i, want := range []row{{19 * us, 4, 3, false}, {4 * us, 0, 0, true}, {19 * us, 5, 5, false}} {
		if got := of(&s.Groups[i].Stats); got != want {
			t.Errorf("group %s: %+v, want %+v", s.Groups[i].Name, got, want)
		}
	}
	if got, want := of(&s.Stats), (row{19 * us, 9, 8, false}); got != want {
		t.Errorf("all: %+v, want %+v", got, want)
	}
	// Of a run that was cut short, more may have been to come.
	if rpc := Summarize(flows[2:3], nil, Extent{End: e.End}); rpc.Whole(true) || !rpc.Whole(false) || rpc.Runtime != 4*us {
		t.Errorf("with messages of unknown number: %+v", rpc)
	}
	if none := Summarize(flows[1:2], nil, Extent{End: e.End}); none.Runtime != 18*us {
		t.Errorf("with none finished, the runtime is %v", none.Runtime)
	}
	if got := readBack(t, s); got.NotStarted() != 8 || got.Runtime != 19*us {
		t.Errorf("read back: %d not started, %v", got.NotStarted(), got.Runtime)
	}
}

func TestSummarizeOneGroupHasNoGroups(t *testing.T) {
	if got := Summarize(many(10), nil, Extent{}).Groups; got != nil {
		t.Errorf("groups %v, want none", got)
	}
}

func TestMeanDoesNotOverflow(t *testing.T) {
	if got := mean([]unit.Time{math.MaxInt64, math.MaxInt64, math.MaxInt64 - 3}); got != math.MaxInt64-1 {
		t.Errorf("mean %d, want %d", got, int64(math.MaxInt64)-1)
	}
}

// These keys are a contract with programs that read weft run --json.
func TestSummaryJSON(t *testing.T) {
	text, err := json.Marshal(sample().Summary)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"name":               "ARCANE",
		"ended":              "stuck",
		"partial":            true,
		"events":             float64(1 << 40),
		"packet_hops":        12.0,
		"packets_delivered":  11.0,
		"drops":              15.0,
		"drops_by_reason":    map[string]any{"queue_full": 1.0, "header_queue_full": 2.0, "link_down": 3.0, "loss": 4.0, "no_route": 5.0},
		"trims":              7.0,
		"retransmits":        3.0,
		"timeouts":           1.0,
		"ecn_marks":          6.0,
		"messages":           3.0,
		"unfinished":         1.0,
		"fct_us":             map[string]any{"mean": 380.0, "p50": 4.0, "p99": 756.000001, "max": 756.000001},
		"runtime_us":         756.000001,
		"engine_cpu_seconds": 2.5,
		"wall_seconds":       3.0,
		"peak_rss_bytes":     float64(12 << 20),
		"result_hash":        sample().Summary.ResultHash,
	} {
		if diff := cmp.Diff(want, got[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	for _, key := range []string{"goodput_bps", "slowdown", "groups", "cause"} {
		if got[key] == nil {
			t.Errorf("no key %q", key)
		}
	}
	group := got["groups"].([]any)[1].(map[string]any)
	if group["name"] != "background" || group["runtime_us"] != 4.0 || group["messages"] != 1.0 {
		t.Errorf("group: %v", group)
	}
}

func TestSummaryJSONWithoutFinishedMessages(t *testing.T) {
	text, err := json.Marshal(Summarize([]Flow{{End: Unfinished}}, nil, Extent{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"fct_us":{"mean":null,"p50":null,"p99":null,"max":null}`, `"throughput_bps":{"mean":null,"p50":null,"p1":null}`, `"runtime_us":null`, `"goodput_bps":null`, `"slowdown":{"p50":null,"p99":null}`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}

func TestSummaryJSONRoundTrips(t *testing.T) {
	for name, want := range map[string]Summary{"full": sample().Summary, "empty": {}} {
		t.Run(name, func(t *testing.T) { readBack(t, want) })
	}
}

// readBack writes a summary as JSON and demands the same when it is read.
func readBack(t *testing.T, want Summary) (got Summary) {
	t.Helper()
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	return got
}

// Whoever reads a summary without weft's types finds numbers under keys that name a unit.
func TestSummaryQuantitiesAreNumbers(t *testing.T) {
	var s Summary
	fill(reflect.ValueOf(&s).Elem())
	s.Sections = EmptySections(SectionNames()...)
	for _, one := range s.Sections {
		fill(reflect.ValueOf(one).Elem())
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	quantities := 0
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				walk(k, x)
			}
		case []any:
			for _, x := range v {
				walk(key, x)
			}
		case string:
			for _, unit := range []string{"_bps", "_us", "_seconds", "_bytes"} {
				if strings.HasSuffix(key, unit) {
					t.Errorf("%s is the text %q", key, v)
				}
			}
		case float64:
			quantities++
		}
	}
	walk("", got)
	if quantities < 60 {
		t.Errorf("only %d numbers were reached", quantities)
	}
}

// fill sets every number within v to 3, every text to a word, and every pointer and
// slice to one such value.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.String:
		v.SetString("word")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(3)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64, reflect.Uint:
		v.SetUint(3)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(3)
	}
}

// TestDeadlockOfEarlierPrograms is read from the cause, in which alone these have it.
func TestDeadlockOfEarlierPrograms(t *testing.T) {
	for text, want := range map[string]bool{
		`{"ended": "stuck", "cause": "deadlock: 2 classes of links wait", "deadlocked": true}`: true,
		`{"ended": "stuck", "cause": "deadlock: 2 classes of links wait"}`:                     true,
		`{"ended": "stuck", "cause": "no route"}`:                                              false,
		`{"ended": "until"}`: false,
	} {
		var s Summary
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.Deadlocked != want {
			t.Errorf("%s: deadlocked is %t, %v", text, s.Deadlocked, err)
		}
	}
}

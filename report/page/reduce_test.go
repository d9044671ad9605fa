package page

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/record"
	"weft/record/section/credits"
	"weft/unit"
)

func TestParameters(t *testing.T) {
	scenarios := []json.RawMessage{
		[]byte(`{"weft":1,"name":"a","seed":1,"transport":{"rto":null,"balancer":{"kind":"ops"}},"topology":{"rate":"400Gbps"},"fabric":{"credits":null},
			"traffic":[{"name":"web","size":"1MiB","transport":{"balancer":{"kind":"ops"}}}],"faults":[],"record":{"ports":["a","b"]}}`),
		[]byte(`{"weft":1,"name":"b","seed":2,"transport":{"rto":null,"balancer":{"kind":"arcane","buffer":8}},"topology":{"rate":"400Gbps"},"fabric":{"credits":{"queue":"672B"}},
			"traffic":[{"name":"web","size":"2MiB","transport":{"balancer":{"kind":"arcane","buffer":8}}}],"faults":[{"kind":"link-down"}],"record":{"ports":["a","b"]}}`),
	}
	derived := make([][]record.Derived, len(scenarios))
	differ, same, err := parameters(scenarios, derived)
	if err != nil {
		t.Fatal(err)
	}
	want := []param{
		{"fabric.credits.queue", []string{"", "672B"}},
		{"faults", []string{"none", ""}},
		{"faults[0].kind", []string{"", "link-down"}},
		{"traffic.web.size", []string{"1MiB", "2MiB"}},
		{"transport.balancer.kind", []string{"ops", "arcane"}},
		{"transport.balancer.buffer", []string{"", "8"}},
	}
	if d := cmp.Diff(want, differ); d != "" {
		t.Errorf("what differs (-want +got):\n%s", d)
	}
	want = []param{
		{"record.ports", []string{"a, b", "a, b"}},
		{"topology.rate", []string{"400Gbps", "400Gbps"}},
		{"transport.rto", []string{notSet, notSet}},
	}
	if d := cmp.Diff(want, same); d != "" {
		t.Errorf("what is the same (-want +got):\n%s", d)
	}
	if _, _, err := parameters([]json.RawMessage{[]byte("{")}, derived); err == nil || !strings.Contains(err.Error(), "run it again") {
		t.Errorf("error %v of a damaged scenario", err)
	}
}

// What a file does not give and the program derives shows its value, for the transport and for each group; ports
// with a class more than is given show how many they have.
func TestDerivedParameters(t *testing.T) {
	scenarios := []json.RawMessage{
		[]byte(`{"transport":{"rto":null,"pick":null,"congestion":{"kind":"sird","pace":null}},"fabric":{"classes":1,"trim":{"ratio":null},"buffer":null},"measure":{"to":null},
			"traffic":[{"name":"web","transport":{"rto":null,"pick":null,"congestion":{"kind":"sird","pace":null}}}]}`),
		[]byte(`{"transport":{"rto":"1ms","pick":null,"congestion":{"kind":"sird","pace":null}},"fabric":{"classes":2,"trim":{"ratio":null},"buffer":null},"measure":{"to":null},
			"traffic":[{"name":"web","transport":{"rto":"1ms","pick":null,"congestion":{"kind":"sird","pace":null}}}]}`),
	}
	all := []record.Derived{{Name: "classes", Value: 2}, {Name: "trim_ratio", Value: 10}, {Name: "to", Value: 7}, {Name: "rto", Value: 58.5, Unit: "us"}, {Name: "rto.web", Value: 58.5, Unit: "us"}, {Name: "pace.web", Value: 99, Unit: "Gbps"}}
	differ, same, err := parameters(scenarios, [][]record.Derived{all, all})
	if err != nil {
		t.Fatal(err)
	}
	want := []param{{"fabric.classes", []string{"2 (derived)", "2"}}, {"transport.rto", []string{"58.50 µs (derived)", "1ms"}}}
	if d := cmp.Diff(want, differ); d != "" {
		t.Errorf("what differs (-want +got):\n%s", d)
	}
	want = []param{
		{"fabric.buffer", []string{notSet, notSet}},
		{"fabric.trim.ratio", []string{"10 (derived)", "10 (derived)"}},
		{"measure.to", []string{notSet, notSet}},
		{"transport.congestion.kind", []string{"sird", "sird"}},
		{"transport.congestion.pace", []string{"99 Gbps (derived)", "99 Gbps (derived)"}},
		{"transport.pick", []string{notSet, notSet}},
	}
	if d := cmp.Diff(want, same); d != "" {
		t.Errorf("what is the same (-want +got):\n%s", d)
	}
}

// Credit is a kind of its own, by place, and is where it is until there is another row;
// it takes no place among ports.
func TestCreditSeries(t *testing.T) {
	const bucket = 10 * unit.Microsecond
	r := &record.Result{Manifest: record.Manifest{Interval: bucket}}
	row := func(kind, entity string, at unit.Time, value int64) {
		r.Series = append(r.Series, record.Series{Kind: kind, Entity: entity, Time: at * bucket, Value: value})
	}
	for i := range mostLines {
		row(record.Queue, fmt.Sprintf("port%d", i), 4, 1000)
	}
	row(credits.AtSenders, credits.Entity, 0, 5000)
	row(credits.AtSenders, credits.Entity, 3, 7000)
	row(credits.InFlight, credits.Entity, 1, 1000)
	lines, left := reduceSeries(r)
	if len(lines) != mostLines+2 || len(left) != 0 {
		t.Fatalf("%d lines, %v left out", len(lines), left)
	}
	for entity, want := range map[string][]float64{"at senders": {5, 5, 5, 7, 7}, "in flight": {0, 1, 1, 1, 1}} {
		i := slices.IndexFunc(lines, func(l line) bool { return l.kind == credit && l.entity == entity })
		if i < 0 || !slices.Equal(lines[i].values, want) {
			t.Errorf("%s: line %d of %+v, want %v", entity, i, lines, want)
		}
	}
}

// Paces are of connections, and a window that limits nothing is none.
func TestConnectionSeries(t *testing.T) {
	r := &record.Result{Manifest: record.Manifest{Interval: unit.Microsecond}}
	for b, window := range []int64{record.Unlimited, 3000} {
		at := unit.Time(b) * unit.Microsecond
		r.Series = append(r.Series,
			record.Series{Kind: record.Window, Entity: "a->b", Time: at, Value: window},
			record.Series{Kind: record.Pace, Entity: "a->b", Time: at, Value: 5e9})
	}
	lines, _ := reduceSeries(r)
	if len(lines) != 2 || lines[0].kind != record.Pace || familyOf(record.Pace) != connections || !slices.Equal(lines[0].values, []float64{5, 5}) {
		t.Fatalf("lines %+v", lines)
	}
	if v := lines[1].values; len(v) != 2 || !math.IsNaN(v[0]) || v[1] != 3 {
		t.Errorf("window %v", v)
	}
}

package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

const incast = `
weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 500ns}
transport: {connection: %s}
traffic:
  - {name: first, pattern: {kind: incast, receiver: host0}, size: 400KB, arrival: {kind: closed, count: 2}}
  - {name: second, pattern: {kind: incast, receiver: host0}, size: 400KB, start: 33us}
record: {interval: 5us, windows: ["*->host0"]}
`

// windowRows returns the rows of windows and of payload in flight.
func windowRows(res *record.Result) (rows []record.Series) {
	for _, r := range res.Series {
		if r.Kind == record.Window || r.Kind == record.InFlight {
			rows = append(rows, r)
		}
	}
	return rows
}

func entities(rows []record.Series) (names []string) {
	for _, r := range rows {
		names = append(names, r.Entity)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestWindowsOfConnections finds one connection a message, or one a pair of hosts
// and group, and the same windows however the run is executed.
func TestWindowsOfConnections(t *testing.T) {
	oneThread(t)
	for _, c := range []struct {
		kind string
		each []string
	}{
		{"message", []string{"", "#1", "#2"}},
		{"pair", []string{"", "#1"}},
	} {
		text := fmt.Sprintf(incast, c.kind)
		want := simulate(t, text)
		var names []string
		for h := 1; h < 8; h++ {
			for _, suffix := range c.each {
				names = append(names, fmt.Sprintf("host%d->host0%s", h, suffix))
			}
		}
		slices.Sort(names)
		rows := windowRows(want)
		if diff := cmp.Diff(names, entities(rows)); diff != "" {
			t.Errorf("%s: connections (-want +got):\n%s", c.kind, diff)
		}
		for _, o := range []scenario.RunOptions{{Domains: 1}, {Domains: 4, Threads: 2}, {Domains: 3, Check: true}} {
			got, err := scenario.Run(t.Context(), load(t, text, "record.ports=*->*"), o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(rows, windowRows(got)); diff != "" {
				t.Errorf("%s: with %+v (-want +got):\n%s", c.kind, o, diff)
			}
		}
		bare := simulate(t, text, "record.windows=[]")
		if bare.Summary.ResultHash != want.Summary.ResultHash || bare.Summary.Simulated != want.Summary.Simulated {
			t.Errorf("%s: recording windows changes the result", c.kind)
		}
		if want.Manifest.Interval != 5*unit.Microsecond || bare.Manifest.Interval != 0 {
			t.Errorf("%s: intervals %v and %v", c.kind, want.Manifest.Interval, bare.Manifest.Interval)
		}
	}
}

// TestAConstantWindow is full from the first packets to the last: 10 of them are
// sent in 85 us, acknowledged in the same time some 400 us later, and each sets
// off the next one at once.
func TestAConstantWindow(t *testing.T) {
	const text = `
weft: 1
topology: {kind: dumbbell, left: 1, right: 1, rate: 1Gbps, delay: 100us}
fabric: {queue: 1MB, ecn: "off"}
transport: {payload: 1000B, congestion: {kind: constant, window: 10500B}}
traffic: [{name: all, pattern: {kind: pairs, pairs: [host0->host1]}, size: 100KB}]
record: {interval: 100us, windows: ["host0->host1", "host0->host*"]}
`
	rows := windowRows(simulate(t, text))
	half := len(rows) / 2
	for i, r := range rows {
		want := record.Series{Kind: record.Window, Entity: "host0->host1", Time: unit.Time(i%half+1) * 100 * unit.Microsecond, Value: 10000}
		if i >= half {
			want.Kind = record.InFlight
		}
		if i >= len(rows)-7 {
			want.Value = r.Value // the last round is acknowledged
		}
		if r != want {
			t.Errorf("row %d: %+v, want %+v", i, r, want)
		}
	}
	if half < 50 {
		t.Errorf("%d looks at a connection that takes ten rounds of 600 us and more", half)
	}
}

// TestTooManyWindows records the first connections, in the order of their hosts.
func TestTooManyWindows(t *testing.T) {
	const text = `
weft: 1
topology: {kind: star, hosts: 18, rate: 100Gbps}
traffic: [{name: all, pattern: {kind: incast, receiver: host0}, size: 10KB, arrival: {kind: closed, count: 20}}]
record: {interval: 1us, windows: "*->*"}
`
	res := simulate(t, text)
	names := entities(windowRows(res))
	if len(names) != 256 || names[0] != "host1->host0" {
		t.Errorf("%d connections, the first %v", len(names), names[:1])
	}
	if notices := strings.Join(res.Manifest.Notices, "\n"); !strings.Contains(notices, "256 connections") {
		t.Errorf("notices: %q", notices)
	}
}

func TestWindowsOfUnknownHosts(t *testing.T) {
	for pattern, want := range map[string][]string{
		"hots0->host1":  {"record.windows[1]", `did you mean "host0"`, "scenario.yaml:5:36"},
		"host0->spine0": {"record.windows[1]", "spine0 is a switch"},
		"host0":         {"record.windows[1]", `"host0->*"`},
	} {
		text := "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2}\n" +
			"traffic: [{name: a, pattern: tornado, size: 1KB}]\n\nrecord: {windows: [\"host0->host1\", \"" + pattern + "\"]}\n"
		f, err := scenario.Parse("scenario.yaml", []byte(text), weft.Builtin(), exactly(text, nil))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Variants[0].Verify()
		if err == nil {
			t.Errorf("%s: no error", pattern)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v\nlacks %q", pattern, err, w)
			}
		}
	}
}

package scenario_test

import (
	"testing"

	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// pausing is an incast onto one host through switches that pause.
const pausing = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps}
fabric: {pfc: {xoff: 50KB, xon: 40KB}, queue: infinite}
transport: {congestion: {kind: constant, window: 1MB}, balancer: ecmp, rto: 100ms}
traffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 1MB}]
`

func runWith(t *testing.T, text string, o scenario.RunOptions, set ...string) *record.Result {
	t.Helper()
	o.Check = true
	res, err := scenario.Run(t.Context(), load(t, text, set...), o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The pauses of an incast: each that a port obeys was sent by the port of the reverse direction, those of the whole run
// and of windows add up, series add up to the paused time, and domains and threads change nothing.
func TestPauses(t *testing.T) {
	res := runWith(t, pausing, scenario.RunOptions{}, `record.ports=["*->*"]`, "record.interval=3us")
	s := res.Summary.Pauses
	if res.Summary.Drops.Total() != 0 || res.Summary.Ended != record.Drained || s == nil || s.Frames == 0 {
		t.Fatalf("%d drops, ended as %s, pauses %+v", res.Summary.Drops.Total(), res.Summary.Ended, s)
	}
	if s.Frames != s.Resumes || s.Share <= 0 || s.Share > 1 || s.Port == "" || s.HeldMax < 50_000 || s.HeldPort == "" {
		t.Errorf("pauses %+v", s)
	}
	reverse := map[string]string{}
	for _, p := range res.Ports {
		for _, q := range res.Ports {
			if p.From == q.To && p.To == q.From {
				reverse[p.Name] = q.Name
			}
		}
	}
	rows := map[string]record.Pause{}
	total := unit.Time(0)
	for _, p := range res.Pauses {
		rows[p.Port] = p
		total += p.Time
	}
	if total != s.Time {
		t.Errorf("rows have %v, the summary %v", total, s.Time)
	}
	series := map[string]unit.Time{}
	for _, p := range res.Series {
		if p.Kind == record.Paused {
			series[p.Entity] += unit.Time(p.Value)
		}
	}
	for name, p := range rows {
		if back := rows[reverse[name]]; back.Sent != p.Pauses {
			t.Errorf("%s obeyed %d pauses of %d", name, p.Pauses, back.Sent)
		}
		if series[name] != p.Time {
			t.Errorf("%s: series add up to %v, want %v", name, series[name], p.Time)
		}
	}
	for _, o := range []scenario.RunOptions{{Domains: 4}, {Domains: 4, Threads: 2}} {
		other := runWith(t, pausing, o)
		if other.Summary.ResultHash != res.Summary.ResultHash {
			t.Errorf("%+v: %v", o, record.Diff(res, other))
		}
	}
	var parts [2]*record.Pauses
	for k, window := range []string{"{from: 0s, to: 200us}", "{from: 200us, to: 10ms}"} {
		parts[k] = runWith(t, pausing, scenario.RunOptions{}, "measure="+window).Summary.Pauses
	}
	if parts[0].Frames+parts[1].Frames != s.Frames || parts[0].Time+parts[1].Time != s.Time || parts[0].Frames == 0 || parts[1].Time == 0 {
		t.Errorf("windows have %+v and %+v, the run %+v", parts[0], parts[1], s)
	}
	if none := runWith(t, twoPaths, scenario.RunOptions{}); none.Summary.Pauses != nil || none.Pauses != nil {
		t.Errorf("without fabric.pfc: %+v, %v", none.Summary.Pauses, none.Pauses)
	}
}

// Without headroom frames are dropped, for that reason, and lost to congestion.
func TestDropsWithoutHeadroom(t *testing.T) {
	s := runWith(t, pausing, scenario.RunOptions{}, "fabric.pfc.headroom=0B", "transport.rto=1ms").Summary
	if s.Drops.HeadroomFull == 0 || s.Drops.Total() != s.Drops.HeadroomFull || s.LostToCongestion.Frames != s.Drops.HeadroomFull {
		t.Errorf("drops %+v, lost to congestion %+v", s.Drops, s.LostToCongestion)
	}
}

package scenario_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"weft/explain"
	"weft/record"
	"weft/record/section/pauses"
	"weft/scenario"
	"weft/topo"
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
	t.Parallel()
	res := runWith(t, pausing, scenario.RunOptions{}, `record.ports=["*->*"]`, "record.interval=3us")
	s := pauses.Of(res.Summary.Sections)
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
	var parts [2]*pauses.Sums
	for k, window := range []string{"{from: 0s, to: 200us}", "{from: 200us, to: 10ms}"} {
		parts[k] = pauses.Of(runWith(t, pausing, scenario.RunOptions{}, "measure="+window).Summary.Sections)
	}
	if parts[0].Frames+parts[1].Frames != s.Frames || parts[0].Time+parts[1].Time != s.Time || parts[0].Frames == 0 || parts[1].Time == 0 {
		t.Errorf("windows have %+v and %+v, the run %+v", parts[0], parts[1], s)
	}
	if none := runWith(t, twoPaths, scenario.RunOptions{}); pauses.Of(none.Summary.Sections) != nil || none.Pauses != nil {
		t.Errorf("without fabric.pfc: %+v, %v", pauses.Of(none.Summary.Sections), none.Pauses)
	}
}

// Pauses that are refreshed are those without quanta, but for more pause frames. Those that expire are sent again, and more
// of them than are taken back. Neither depends on domains.
func TestQuanta(t *testing.T) {
	t.Parallel()
	plain := runWith(t, pausing, scenario.RunOptions{})
	refreshed := runWith(t, pausing, scenario.RunOptions{}, "fabric.pfc.quanta=400")
	a, b := pauses.Of(plain.Summary.Sections), pauses.Of(refreshed.Summary.Sections)
	if a.Time != b.Time || a.Resumes != b.Resumes || b.Frames <= a.Frames {
		t.Errorf("pauses %+v, refreshed %+v", a, b)
	}
	if len(plain.Flows) == 0 || !slices.Equal(plain.Flows, refreshed.Flows) {
		t.Errorf("messages differ: %v", record.Diff(plain, refreshed))
	}
	if got := derivedTime(t, refreshed, "pfc_quanta"); got != (100 * unit.Gbps).Transmit(64*400) {
		t.Errorf("400 quanta are %v", got)
	}
	sets := []string{"fabric.pfc.quanta=40", "fabric.pfc.refresh=0%"}
	expired := runWith(t, pausing, scenario.RunOptions{}, sets...)
	if s := pauses.Of(expired.Summary.Sections); s.Frames <= s.Resumes || s.Frames <= a.Frames || expired.Summary.Ended != record.Drained {
		t.Errorf("pauses that expire: %+v", s)
	}
	for _, o := range []scenario.RunOptions{{Domains: 4}, {Domains: 4, Threads: 2}} {
		if other := runWith(t, pausing, o, append(sets, "engine.queue=sweep")...); other.Summary.ResultHash != expired.Summary.ResultHash {
			t.Errorf("%+v: %v", o, record.Diff(expired, other))
		}
	}
}

// Pauses that expire end the circle's deadlock, by losses; those that are refreshed do not.
func TestQuantaBreakDeadlock(t *testing.T) {
	for set, locked := range map[string]bool{"{xoff: 50KB, quanta: 500}": true, "{xoff: 50KB, quanta: 500, refresh: 0%}": false} {
		s := runWith(t, aroundCircle, scenario.RunOptions{}, "fabric.pfc="+set, "transport.rto=1ms").Summary
		if s.Deadlocked != locked || !locked && (s.Ended != record.Drained || s.Unfinished > 0 || s.Drops.HeadroomFull == 0) {
			t.Errorf("%s: ended as %s, %s, with %d drops", set, s.Ended, s.Cause, s.Drops.Total())
		}
	}
}

func TestQuantaRefusals(t *testing.T) {
	for set, want := range map[string]string{
		"{refresh: 0%}":               "quanta is absent",
		"{quanta: 100}":               "write quanta: 132 or more, or refresh: 0%",
		"{quanta: 65536}":             "65536",
		"{quanta: 132}":               "",
		"{quanta: 1, refresh: 0%}":    "",
		"{quanta: 300, refresh: 75%}": "",
	} {
		err := verified("x.yaml", pausing, "fabric.pfc="+set)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}

// Without headroom frames are dropped, for that reason, and lost to congestion.
func TestDropsWithoutHeadroom(t *testing.T) {
	s := runWith(t, pausing, scenario.RunOptions{}, "fabric.pfc.headroom=0B", "transport.rto=1ms").Summary
	if s.Drops.HeadroomFull == 0 || s.Drops.Total() != s.Drops.HeadroomFull || s.LostToCongestion.Frames != s.Drops.HeadroomFull {
		t.Errorf("drops %+v, lost to congestion %+v", s.Drops, s.LostToCongestion)
	}
}

// graphIn builds the topology of a scenario.
func graphIn(t *testing.T, s *scenario.Scenario) *topo.Graph {
	t.Helper()
	g, err := s.Topology.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Explained messages: all that their links are paused is in their parts. Each host sends one message, whose window never
// closes, so that it waits at its NIC for nothing but pauses and its own packets.
func TestPausesExplained(t *testing.T) {
	s := load(t, pausing)
	res := runWith(t, pausing, scenario.RunOptions{})
	paused := map[string]unit.Time{}
	for _, p := range res.Pauses {
		paused[p.Port] = p.Time
	}
	exact := 0
	for _, f := range res.Flows {
		x := explained(t, s, f)
		if err := possible(graphIn(t, s), x); err != nil {
			t.Error(err)
		}
		at := map[string]unit.Time{}
		for _, p := range x.Ports {
			at[x.Port(p.Port)] = p.Paused
		}
		for port, took := range at {
			if took > paused[port] {
				t.Errorf("%s to %s was paused at %s for %v, and the port for %v", f.Src, f.Dst, port, took, paused[port])
			}
		}
		for port, took := range paused {
			if !strings.HasPrefix(port, f.Src+"->") {
				continue
			}
			if at[port] == took {
				exact++
			}
			if at[port] < took-took/10 { // it may be paused when all was sent
				t.Errorf("%s was paused for %v, and its message for %v: %+v", port, took, at[port], x.Parts)
			}
		}
		if x.Parts[explain.Pause] == 0 {
			t.Errorf("the message of %s was not paused: %v", f.Src, x.Parts)
		}
	}
	if 2*exact < len(res.Flows) {
		t.Errorf("of %d of %d messages the parts have all pauses of their host", exact, len(res.Flows))
	}
}

// Messages of all kinds of transports add up with pauses, at the end of a deadlocked run too.
func TestPausesAddUp(t *testing.T) {
	t.Parallel()
	oneThread(t)
	for _, test := range []struct {
		name, text string
		set        []string
	}{
		{"windows", pausing, []string{"transport.congestion=dctcp", "traffic.main.size=200KB", "traffic.main.arrival={kind: closed, count: 3}"}},
		{"rates", pausing, []string{"transport.congestion=dcqcn"}},
		{"hosts", pausing, []string{"transport.congestion=sird", "fabric.classes=2", "fabric.pfc.xoff=8KB", "fabric.pfc.xon=4KB"}},
		{"priorities", pausing, []string{"transport.congestion=homa", "fabric.classes=8", "fabric.pfc.xoff=8KB", "fabric.pfc.xon=4KB"}},
		{"the switch", pausing, []string{"fabric.pfc={of: switch, xoff: 100KB}", "until=2ms"}},
		{"a deadlock", aroundCircle, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := load(t, test.text, test.set...)
			res := runWith(t, test.text, scenario.RunOptions{}, test.set...)
			most := unit.Time(0)
			for _, f := range res.Flows {
				x := explained(t, s, f)
				if err := possible(graphIn(t, s), x); err != nil {
					t.Error(err)
				}
				most = max(most, x.Parts[explain.Pause])
				if !x.Finished && !strings.Contains(x.Waits, "paused") && res.Summary.Deadlocked {
					t.Errorf("it waits: %s", x.Waits)
				}
			}
			if most == 0 {
				t.Errorf("of %d messages none was paused; %+v", len(res.Flows), pauses.Of(res.Summary.Sections))
			}
		})
	}
}

// Random scenarios with small thresholds: results are the same in several domains and with other queues of events, and
// the parts of messages add up, whatever fails meanwhile.
func TestRandomScenariosWithPauses(t *testing.T) {
	t.Parallel()
	runs, paused, explained, deadlocks := 0, 0, 0, 0
	for i := 0; i < number(500); i++ {
		s := newSketch(t, i)
		sets := []string{"fabric.pfc=" + []string{"20KB", "{xoff: 30KB, of: egress}", "{xoff: 60KB, of: switch}", "{xoff: 20KB, quanta: 300, refresh: 0%}"}[i%4]}
		if verified("x.yaml", s.text.String(), sets...) != nil {
			continue
		}
		runs++
		res := runRandom(t, s, scenario.RunOptions{Domains: 1, Check: i%4 == 0}, sets...)
		other := runRandom(t, s, scenario.RunOptions{Domains: 3}, append(sets, "engine.queue=sweep")...)
		if d := record.Diff(res, other); d != nil {
			t.Fatalf("%v\n%v\n%s", d, sets, s.text.String())
		}
		if p := pauses.Of(res.Summary.Sections); p.Frames > 0 {
			paused++
		}
		if res.Summary.Deadlocked {
			deadlocks++
			if d := other.Summary; d.Cause != res.Summary.Cause || d.Simulated != res.Summary.Simulated {
				t.Errorf("%s at %v, and %s at %v", res.Summary.Cause, res.Summary.Simulated, d.Cause, d.Simulated)
			}
			t.Logf("%d: %s", i, res.Summary.Cause)
		}
		for k := range min(3, len(res.Flows)) {
			x, err := scenario.Explain(t.Context(), load(t, s.text.String(), sets...), res.Flows[k*(len(res.Flows)-1)/2], nil)
			if err != nil && strings.Contains(err.Error(), "cannot be followed") {
				continue
			}
			if err == nil {
				err = errors.Join(whole(x), possible(s.graph, x))
			}
			if err != nil {
				t.Fatalf("%v\n%v\n%s", err, sets, s.text.String())
			}
			if x.Parts[explain.Pause] > 0 {
				explained++
			}
		}
	}
	if !testing.Short() && (paused < 20 || explained < 15) {
		t.Errorf("only %d of %d runs had pauses, and %d messages waited for them", paused, runs, explained)
	}
	t.Logf("of %d runs %d had pauses, %d a deadlock; %d messages were paused", runs, paused, deadlocks, explained)
}

// The remedy for a buffer that is too small names what takes it: the threshold, or the headroom.
func TestBufferBelowThreshold(t *testing.T) {
	const text = "weft: 1\ntopology: {kind: star, hosts: 4, rate: 100Gbps}\nfabric: {buffer: %s, pfc: {xoff: 2MB}}\ntransport: {congestion: timely}\ntraffic: [{name: main, pattern: tornado, size: 10kB}]\n"
	for buffer, want := range map[string]string{
		"1MB":  "less than xoff, 2MB: the headroom and reserves of 4 links take",
		"20KB": "or a smaller fabric.pfc.headroom",
	} {
		err := verified("x.yaml", strings.Replace(text, "%s", buffer, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with a buffer of %s: %v, want %q", buffer, err, want)
		}
	}
}

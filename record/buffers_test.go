package record

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/unit"
)

// backlog makes a line of so many bytes a look with noise around it.
func backlog(start, step, noise float64, seed uint64) []unit.Bytes {
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]unit.Bytes, StabilityLooks)
	for i := range list {
		list[i] = unit.Bytes(start + step*float64(i) + noise*r.NormFloat64())
	}
	return list
}

func TestJudge(t *testing.T) {
	const offered = 32_000_000
	for _, test := range []struct {
		name     string
		backlog  []unit.Bytes
		unstable bool
		growth   float64
	}{
		{"level", backlog(1e6, 0, 1e4, 1), false, 0},
		{"a little more", backlog(1e6, 49_000, 0, 1), false, 0.049},
		{"more than a twentieth", backlog(1e6, 51_000, 0, 1), true, 0.051},
		{"from a large backlog", backlog(1e9, 100_000, 1e4, 1), true, 0.1},
		{"falling", backlog(1e8, -100_000, 1e4, 1), false, -0.1},
		{"up, but wildly", backlog(1e8, 60_000, 3e6, 2), false, math.NaN()},
	} {
		got := Judge(test.backlog, offered)
		if got.Unstable != test.unstable || !math.IsNaN(test.growth) && math.Abs(got.Growth-test.growth) > 0.002 {
			t.Errorf("%s: %+v, want unstable %v and growth %v", test.name, got, test.unstable, test.growth)
		}
	}
	if Judge(make([]unit.Bytes, StabilityLooks), 0) != nil || Judge(make([]unit.Bytes, StabilityLooks-1), 1) != nil {
		t.Error("judged without traffic, or too early")
	}
	if s := Judge(make([]unit.Bytes, StabilityLooks), 1); s.Unstable || s.Fit != 0 {
		t.Errorf("no backlog: %+v", s)
	}
}

// TestDoubt takes a backlog that grows and shortens its window.
func TestDoubt(t *testing.T) {
	const rtt = 10 * unit.Microsecond
	for _, test := range []struct {
		window   unit.Time
		messages uint64
		short    string
	}{
		{LeastRTTs * rtt, LeastMessages, ""},
		{LeastRTTs*rtt - 1, LeastMessages, "99 base round trips long, but 100"},
		{LeastRTTs * rtt, LeastMessages - 1, "99 messages start"},
	} {
		s := Judge(backlog(1e6, 51_000, 0, 1), 32_000_000)
		s.Doubt(test.window, rtt, test.messages)
		unstable := s.metrics()[0].Value
		if s.Unstable != (test.short == "") || !strings.Contains(s.TooShort, test.short) || math.IsNaN(unstable) != (test.short != "") {
			t.Errorf("%v, %d messages: %+v, metric %v", test.window, test.messages, s, unstable)
		}
	}
	var none *Stability
	none.Doubt(1, rtt, 0)
}

// TestAllow: growth that messages under way explain is no judgement, and what is beyond that is one.
func TestAllow(t *testing.T) {
	for name, tt := range map[string]struct {
		growth   float64
		underWay unit.Bytes
		load     float64
		unstable bool
		short    string
	}{
		"nothing is under way":     {0.06, 0, 0, true, ""},
		"as much as it may be":     {0.08, 10, 0.5, false, "about 800us are needed"},
		"more than it may be":      {0.10, 10, 0.5, true, ""},
		"a high load":              {0.24, 10, 0.9, false, "about 4100us are needed"},
		"and more":                 {0.26, 10, 0.9, true, ""},
		"nearly all":               {0.44, 10, 0.999, false, "about 8ms are needed"},
		"an overload":              {0.10, 10, 1.2, true, ""},
		"messages fill the window": {0.90, 300, 0, false, "30 % of the offered load would be under way at its end even if each message were alone; about 24ms are needed"},
		"the offered load at once": {0.90, 1000, 0, false, "100 % of the offered load would be under way at its end even if each message were alone; about 80ms are needed"},
		"no backlog beside theirs": {0.05, 300, 0, false, ""},
	} {
		s := &Stability{Growth: tt.growth, Fit: 0.9, Offered: 1000}
		s.Unstable = s.Grows()
		s.Allow(tt.underWay, unit.Millisecond, tt.load)
		if s.Unstable != tt.unstable || !strings.Contains(s.TooShort, tt.short) || (s.TooShort == "") != (tt.short == "") {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestSlowdownDefinitions(t *testing.T) {
	f := Flow{Start: 100, End: 300, SenderEnd: 350, Ideal: 100, IdealRef: 80, IdealBare: 50, IdealAck: 125}
	got := [...]float64{f.Slowdown(), f.SlowdownRef(), f.SlowdownBare(), f.SlowdownAck()}
	if want := [...]float64{2, 2.5, 4, 2}; got != want {
		t.Errorf("slowdowns %v, want %v", got, want)
	}
	f.SenderEnd = Unfinished
	if !math.IsNaN(f.SlowdownAck()) || f.SlowdownBare() != 4 {
		t.Error("unacknowledged, but delivered")
	}
	f = Flow{End: 1, SenderEnd: 1}
	for _, v := range []float64{f.Slowdown(), f.SlowdownRef(), f.SlowdownBare(), f.SlowdownAck()} {
		if !math.IsNaN(v) {
			t.Errorf("slowdown %v without an ideal", v)
		}
	}
}

func bySize(flows []Flow, cuts ...unit.Bytes) []Group {
	t := NewTally(len(flows), cuts)
	for i := range flows {
		t.Add(&flows[i])
	}
	return t.Summary(nil, Extent{}).Sizes
}

func TestBySize(t *testing.T) {
	var flows []Flow
	add := func(n int, size unit.Bytes, slowdown int64) {
		for range n {
			flows = append(flows, Flow{Bytes: size, End: unit.Time(slowdown * 10), SenderEnd: unit.Time(slowdown * 10), Ideal: 10, IdealRef: 10, IdealBare: 10, IdealAck: 10})
		}
	}
	add(100, 1449, 2)
	add(150, 1450, 3)
	add(99, 95_000, 4)
	flows = append(flows, Flow{Bytes: 1, End: 1000}) // without a slowdown
	got := bySize(flows, 1450, 95_000, 760_000)
	type class struct {
		Name     string
		Messages int64
		P99      float64
	}
	var list []class
	for _, g := range got {
		list = append(list, class{g.Name, g.Messages, g.SlowdownBare.P99})
	}
	want := []class{{"size:A", 100, 2}, {"size:B", 150, 3}, {"size:C", 99, 0}, {"size:D", 0, 0}}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
}

func TestBuffersInJSON(t *testing.T) {
	want := Summary{Hosts: 144, Completed: new(7 * unit.Gbps),
		Buffers:   &Buffers{Interval: 10 * unit.Microsecond, Waiting: true, Buffered: Buffered{Mean: 1, Max: 5}, Switches: []SwitchBuffer{{"tor0", Buffered{P99: 3}}}},
		Stability: &Stability{Unstable: true, Growth: 0.5, Offered: 9}}
	got := readBack(t, want)
	values := map[string]float64{}
	for _, m := range got.Metrics() {
		values[m.Name] = m.Value
	}
	if values["buffer_max_bytes"] != 5 || values["unstable"] != 1 || values["host_completed_gbps"] != 7./144 {
		t.Errorf("metrics %v", values)
	}
}

func TestSizesByTheirLimits(t *testing.T) {
	var titles []string
	for _, g := range bySize(nil, 1450, 95_000) {
		titles = append(titles, g.Title())
	}
	old := Group{Name: "size:A"}
	titles = append(titles, old.Title())
	if want := []string{"A: below 1450 B", "B: 1450 B to 95 KB", "C: from 95 KB", "size:A"}; !slices.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
}

// Goodput of completed messages is 0 in a window in which none was completed, and no
// number without a window; goodput is a number of a run in whose window no message started.
func TestGoodputThatIsNothing(t *testing.T) {
	for text, s := range map[string]Summary{
		`"completed_bps":0,`:       {Hosts: 1, Completed: new(unit.Rate)},
		`"goodput_bps":7000000000`: {Hosts: 1, Stats: Stats{Goodput: 7 * unit.Gbps, Idle: true}},
		`"goodput_bps":0`:          {Hosts: 1, Stats: Stats{Idle: true}},
	} {
		written, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(written), text) {
			t.Errorf("%s lacks %s", written, text)
		}
		readBack(t, s)
	}
	written, err := json.Marshal(Summary{Hosts: 1})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(written), "completed_bps") || !strings.Contains(string(written), `"goodput_bps":null`) {
		t.Errorf("without a window: %s", written)
	}
}

package arcane

import (
	"math"
	"strings"
	"testing"

	"weft/protocol"
	"weft/unit"
)

func ptr[T any](v T) *T { return &v }

func TestBuildRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Options)
		want   []string
	}{
		{"no entry", func(o *Options) { o.Buffer = 0 }, []string{"buffer", "1 to 255"}},
		{"too many entries", func(o *Options) { o.Buffer = 256 }, []string{"buffer", "1 to 255"}},
		{"no entropy", func(o *Options) { o.Entropies = 0 }, []string{"entropies", "1 to 65536"}},
		{"too many entropies", func(o *Options) { o.Entropies = 65537 }, []string{"entropies", "1 to 65536"}},
		{"preset", func(o *Options) { o.Preset = "printed" }, []string{`preset is "printed"`, "fixed, as-printed or code"}},
		{"preset slip", func(o *Options) { o.Preset = "fixd" }, []string{`did you mean "fixed"?`}},
		{"detection", func(o *Options) { o.Detection = "trimming" }, []string{`did you mean "trim"?`, "timeout, trim or none"}},
		{"exit", func(o *Options) { o.Exit = "prob" }, []string{`did you mean "probe"?`, "time or probe"}},
		{"probe interval", func(o *Options) { o.ProbeInterval = ptr(unit.Time(0)) }, []string{"probe_interval is 0"}},
		{"probe patience", func(o *Options) { o.ProbePatience = ptr(-us) }, []string{"probe_patience is negative"}},
		{"explore a share", func(o *Options) { o.Explore = &unit.Amount{Share: 0.5} }, []string{"explore is 50%", `"1BDP"`}},
		{"explore less than nothing", func(o *Options) { o.Explore = &unit.Amount{Bytes: -1} }, []string{"explore"}},
		{"explore not a number", func(o *Options) { o.Explore = &unit.Amount{BDPs: math.NaN()} }, []string{"explore"}},
		{"freezing timeout", func(o *Options) { o.FreezingTimeout = -us }, []string{"freezing_timeout is negative"}},
		{"period", func(o *Options) { o.MaxRTTPeriod = ptr(-us) }, []string{"max_rtt_period is negative"}},
		{"no period", func(o *Options) { o.MaxRTTPeriod = ptr(unit.Time(0)) }, []string{"max_rtt_period is 0", "max_rtt to false"}},
		{"freeze at", func(o *Options) { o.FreezeAt = ptr(-us) }, []string{"freeze_at is negative"}},
		{"threshold", func(o *Options) { o.MaxRTTThreshold = unit.Ratio(math.NaN()) }, []string{"max_rtt_threshold"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := defaults(t, Fixed)
			tt.change(&o)
			_, err := o.Build()
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range append(tt.want, "arcane: ") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
		})
	}
}

func TestExploreVolume(t *testing.T) {
	for _, tt := range []struct {
		explore *unit.Amount
		want    int
	}{
		{nil, 12},
		{&unit.Amount{BDPs: 1}, 12},
		{&unit.Amount{BDPs: 0.5}, 6},
		{&unit.Amount{Bytes: 4161}, 2},
		{&unit.Amount{}, 0},
		{&unit.Amount{Bytes: math.MaxInt64}, math.MaxInt32}, // for ever
	} {
		o := defaults(t, Fixed)
		o.Explore = tt.explore
		if got := build(t, o, newRand(1)).Exploring(); got != tt.want {
			t.Errorf("explore %v: %d packets, want %d", tt.explore, got, tt.want)
		}
	}
}

// Detection of failures: which losses freeze a sender that explores no more.
func TestDetection(t *testing.T) {
	const rtt = 10 * us
	for _, tt := range []struct {
		name   string
		change func(*Options)
		rtts   []sampleAt
		cause  protocol.LossCause
		want   bool
	}{
		{"timeout", func(o *Options) {}, nil, protocol.Timeout, true},
		{"a trimmed packet is congestion", func(o *Options) {}, nil, protocol.Trimmed, false},
		{"trimming: timeout", func(o *Options) { o.Detection = ByTrim }, nil, protocol.Timeout, true},
		{"trimming: trimmed", func(o *Options) { o.Detection = ByTrim }, nil, protocol.Trimmed, false},
		{"no detection", func(o *Options) { o.Detection = Never }, nil, protocol.Timeout, false},
		{"no freezing", func(o *Options) { o.Freezing = false }, nil, protocol.Timeout, false},
		{"heuristic: no acknowledgement", heuristic, nil, protocol.Timeout, true},
		{"heuristic: low RTT", heuristic, []sampleAt{{950 * us, 20*us - 1}}, protocol.Timeout, true},
		{"heuristic: high RTT", heuristic, []sampleAt{{950 * us, 20 * us}}, protocol.Timeout, false},
		{"heuristic: the maximum counts", heuristic, []sampleAt{{931 * us, 20 * us}, {990 * us, rtt}}, protocol.Timeout, false},
		{"heuristic: long ago", heuristic, []sampleAt{{700 * us, 20 * us}, {990 * us, rtt}}, protocol.Timeout, true},
		{"heuristic: retransmitted", heuristic, []sampleAt{{990 * us, 0}}, protocol.Timeout, true},
		{"heuristic: threshold", func(o *Options) { heuristic(o); o.MaxRTTThreshold = 3 }, []sampleAt{{950 * us, 29 * us}}, protocol.Timeout, true},
		{"heuristic: threshold beyond time", func(o *Options) { heuristic(o); o.MaxRTTThreshold = 1e300 }, []sampleAt{{950 * us, 29 * us}}, protocol.Timeout, true},
		{"heuristic: period", func(o *Options) { heuristic(o); o.MaxRTTPeriod = ptr(unit.Millisecond) }, []sampleAt{{100 * us, 20 * us}, {990 * us, rtt}}, protocol.Timeout, false},
		{"trimming needs no heuristic", func(o *Options) { heuristic(o); o.Detection = ByTrim }, []sampleAt{{990 * us, 20 * us}}, protocol.Timeout, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := defaults(t, AsPrinted)
			tt.change(&o)
			s := build(t, o, newRand(1))
			for _, r := range tt.rtts {
				s.Acked(&protocol.Ack{Now: r.at, RTT: r.rtt, Packets: 1, Marked: true, MarkedPackets: 1})
			}
			s.Lost(&protocol.Loss{Now: 1000 * us, Cause: tt.cause})
			if s.Frozen() != tt.want {
				t.Errorf("frozen: %v, want %v", s.Frozen(), tt.want)
			}
		})
	}
}

// A connection's round-trip times are not held against the next one.
func TestStartForgetsRTT(t *testing.T) {
	o := defaults(t, AsPrinted)
	heuristic(&o)
	s := build(t, o, newRand(1))
	s.Acked(&protocol.Ack{Now: us, RTT: 50 * us, Marked: true})
	s.Start(2 * us)
	s.Lost(&protocol.Loss{Now: 3 * us})
	if !s.Frozen() {
		t.Error("a high RTT from before the start kept a sender from freezing")
	}
}

type sampleAt struct{ at, rtt unit.Time }

func heuristic(o *Options) { o.MaxRTT = true }

func TestFreezingTimeout(t *testing.T) {
	for _, tt := range []struct{ timeout, want unit.Time }{
		{0, us},
		{100 * us, 101 * us},
		{unit.Forever, unit.Forever},
	} {
		o := defaults(t, AsPrinted)
		o.FreezingTimeout = tt.timeout
		s := build(t, o, newRand(1))
		s.Lost(&protocol.Loss{Now: us})
		if s.exit != tt.want {
			t.Errorf("freezing for %v ends at %v, want %v", tt.timeout, s.exit, tt.want)
		}
	}
}

func TestFreezingLastsUntilRoutingExcludesALink(t *testing.T) {
	defaults, err := Entries()[0].Defaults()
	if err != nil {
		t.Fatal(err)
	}
	o := defaults.(*Options)
	if want := 10 * unit.Millisecond; o.FreezingTimeout != want {
		t.Errorf("freezing_timeout is %v by default, want %v", o.FreezingTimeout, want)
	}
}

// Figure 15 freezes connections that meet no failure, for good.
func TestFreezeAt(t *testing.T) {
	for _, p := range []Preset{Fixed, AsPrinted, Code} {
		o := defaults(t, p)
		o.FreezeAt = ptr(150 * us)
		rand := newRand(1)
		s := build(t, o, rand)
		s.Acked(&protocol.Ack{Now: us, Entropy: 5})
		s.Next(150*us - 1)
		if s.Frozen() {
			t.Errorf("%s: frozen before its time", p)
		}
		rand.drawn()
		for range 3 {
			s.Acked(&protocol.Ack{Now: 151 * us, Entropy: 5})
			if got := s.Next(150 * us); got != 5 || !s.Frozen() {
				t.Errorf("%s: sent %d, frozen: %v; want 5 and true", p, got, s.Frozen())
			}
		}
		s.Acked(&protocol.Ack{Now: unit.Second, Entropy: 6})
		s.Resume(unit.Second)
		s.Next(unit.Second)
		if !s.Frozen() || rand.drawn() != 0 {
			t.Errorf("%s: explores although it is frozen for good", p)
		}

		// The freezing of a failure gives way to it.
		s.Start(0)
		for s.Exploring() > 0 {
			s.Next(0)
		}
		s.Lost(&protocol.Loss{Now: 20 * us})
		s.Next(150 * us)
		if !s.Frozen() || s.exit != unit.Forever {
			t.Errorf("%s: frozen: %v to %v; want for good", p, s.Frozen(), s.exit)
		}
	}
}

// Draws stay within the set, reach all of it, and are exact for powers of two.
func TestDraws(t *testing.T) {
	for _, size := range []int{1, 2, 3, 100, 65535, 65536} {
		o := defaults(t, AsPrinted)
		o.Entropies = size
		rand := newRand(3)
		s := build(t, o, rand)
		seen := make([]bool, size)
		left := size
		for range 30 * size {
			next := rand.next()
			ev := s.Next(0)
			if int(ev) >= size {
				t.Fatalf("drew %d from a set of %d", ev, size)
			}
			if size == 2 && ev != next>>15 {
				t.Fatalf("drew %d, want the highest bit of %016b", ev, next)
			}
			if !seen[ev] {
				seen[ev] = true
				left--
			}
		}
		if left > 0 {
			t.Errorf("%d of %d values never drawn", left, size)
		}
	}
}

// Connections are reused: nothing of the last one may be left.
func TestStartForgetsTheLastConnection(t *testing.T) {
	for _, p := range []Preset{Fixed, AsPrinted, Code} {
		rand := newRand(1)
		s := build(t, defaults(t, p), rand)
		for i := range 5 {
			s.Acked(&protocol.Ack{Now: us, Entropy: uint16(i + 1)})
		}
		for range s.bdp { // fixed detects nothing while it explores
			s.Next(us)
		}
		s.Lost(&protocol.Loss{Now: us, Cause: protocol.Timeout})
		s.Acked(&protocol.Ack{Now: unit.Second, Entropy: 9}) // ends freezing: explores
		if s.explore == 0 {
			t.Fatalf("%s: does not explore after freezing", p)
		}
		s.Start(2 * unit.Second)
		if want := map[Preset]int{Fixed: s.bdp}[p]; s.explore != want {
			t.Errorf("%s: explores %d packets after Start, want %d", p, s.explore, want)
		}
		for range s.bdp {
			s.Next(2 * unit.Second)
		}
		s.Lost(&protocol.Loss{Now: 2 * unit.Second, Cause: protocol.Timeout})
		if !s.Frozen() {
			t.Fatalf("%s: not frozen", p)
		}
		if !s.Empty() {
			t.Errorf("%s: the buffer holds entropies of the last connection", p)
		}
		rand.drawn()
		s.Next(2 * unit.Second)
		if rand.drawn() != 1 {
			t.Errorf("%s: a frozen sender without entropies must draw one", p)
		}
	}
}

func TestMaxRTTPeriodIsOneRTO(t *testing.T) {
	o := defaults(t, Fixed)
	o.MaxRTT = true
	s := build(t, o, newRand(1))
	if want := testEnv(newRand(1)).RTO; s.rtts.period != want {
		t.Errorf("period %v, want %v", s.rtts.period, want)
	}
}

package workload

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/catalog"
	"weft/unit"
)

// burstsOf returns all messages of bursts, by host.
func burstsOf(t *testing.T, o Bursts, s Setting, size Sizes) [][]Message {
	t.Helper()
	sources, err := NewSources(Traffic{Pattern: o, Sizes: size, Arrival: Once{Count: 1}}, s)
	if err != nil {
		t.Fatal(err)
	}
	list := make([][]Message, s.Hosts)
	for h, source := range sources {
		for source != nil {
			m, ok := source.Next()
			if !ok {
				break
			}
			list[h] = append(list[h], m)
		}
	}
	return list
}

// In every burst so many different hosts send to one other, all at once, and over many
// bursts every host sends and receives as often as any other.
func TestBursts(t *testing.T) {
	const hosts, senders, count = 24, 7, 4000
	lists := burstsOf(t, Bursts{Senders: senders, Interval: ptr(10 * unit.Microsecond), Count: ptr(count)}, Setting{Hosts: hosts, Seed: 3, Group: "incast"}, Fixed(500_000))
	type burst struct {
		dst   int32
		from  []int32
		sizes unit.Bytes
	}
	bursts := map[unit.Time]*burst{}
	received, sent := make([]int, hosts), make([]int, hosts)
	for h, list := range lists {
		for _, m := range list {
			b := bursts[m.At]
			if b == nil {
				b = &burst{dst: m.Dst}
				bursts[m.At] = b
				received[m.Dst]++
			}
			if b.dst != m.Dst || m.Dst == int32(h) {
				t.Fatalf("at %v host %d sends to %d, another to %d", m.At, h, m.Dst, b.dst)
			}
			b.from = append(b.from, int32(h))
			b.sizes += m.Size
			sent[h]++
		}
	}
	for i := range unit.Time(count) {
		b := bursts[(i+1)*10*unit.Microsecond]
		if b == nil {
			t.Fatalf("no burst at the end of interval %d", i)
		}
		slices.Sort(b.from)
		if n := len(slices.Compact(b.from)); n != senders || b.sizes != senders*500_000 {
			t.Fatalf("%d senders of %d bytes in burst %d", n, b.sizes, i)
		}
	}
	if len(bursts) != count {
		t.Errorf("%d bursts, want %d", len(bursts), count)
	}
	even := func(what string, counts []int, mean float64) {
		chi := 0.0
		for _, n := range counts {
			chi += (float64(n) - mean) * (float64(n) - mean) / mean
		}
		if chi > 60 { // 23 degrees of freedom: one of 30 000 runs
			t.Errorf("hosts %s %v times: chi square %.1f", what, counts, chi)
		}
	}
	even("receive", received, count/hosts)
	even("send", sent, count*senders/float64(hosts))
}

// SIRD's overlay: 30 senders of 500 KB at 7 % of 50 Gb/s on 144 hosts come every
// 238.1 µs (NSDI 2025, §6.2).
func TestBurstsAtALoad(t *testing.T) {
	s := Setting{Hosts: 144, LineRate: func(int32) unit.Rate { return 100 * unit.Gbps }}
	lists := burstsOf(t, Bursts{Senders: 30, Load: ptr(unit.Ratio(0.035)), Count: ptr(1)}, s, Fixed(500_000))
	n := 0
	for _, list := range lists {
		for _, m := range list {
			n++
			if us := float64(m.At) / float64(unit.Microsecond); us < 238.09 || us > 238.1 {
				t.Fatalf("a burst after %v µs", us)
			}
		}
	}
	if n != 30 {
		t.Errorf("%d messages, want 30", n)
	}
}

// Incasts of Dart's evaluation (§VI-A): gaps have the mean and the deviation of an exponential distribution, senders of one
// start together, and sizes are drawn for each message, or once for a burst.
func TestPoissonBursts(t *testing.T) {
	const hosts, senders, count, every = 32, 16, 6000, 10 * unit.Microsecond
	sizes := equally{2000, 4000, 8000}
	for _, draw := range []string{"message", "burst"} {
		o := Bursts{Senders: senders, Interval: ptr(every), Count: ptr(count), Gaps: "exponential", Draw: draw}
		bursts := map[unit.Time][]Message{}
		payload := 0.0
		for _, list := range burstsOf(t, o, Setting{Hosts: hosts, Seed: 3, Group: "incasts"}, sizes) {
			for _, m := range list {
				bursts[m.At] = append(bursts[m.At], m)
				payload += float64(m.Size)
			}
		}
		if len(bursts) != count {
			t.Fatalf("%s: %d bursts, want %d", draw, len(bursts), count)
		}
		starts := slices.Sorted(maps.Keys(bursts))
		var sum, squares float64
		last := unit.Time(0)
		same := 0
		for _, at := range starts {
			gap := float64(at-last) / float64(every)
			last, sum, squares = at, sum+gap, squares+gap*gap
			list := bursts[at]
			if len(list) != senders {
				t.Fatalf("%s: %d messages at %v, want %d", draw, len(list), at, senders)
			}
			if !slices.ContainsFunc(list, func(m Message) bool { return m.Size != list[0].Size }) {
				same++
			}
		}
		// The mean of 6000 gaps deviates by 1.3 %, that of their squares, 2, by 2.9 %.
		if mean, square := sum/count, squares/count; math.Abs(mean-1) > 0.06 || math.Abs(square-2) > 0.25 {
			t.Errorf("%s: gaps have the mean %.3f and the mean square %.3f of the interval, want 1 and 2", draw, mean, square)
		}
		if mean := payload / (count * senders); math.Abs(mean-14000./3) > 150 {
			t.Errorf("%s: messages have %.0f B on average, want 4667", draw, mean)
		}
		if draw == "burst" && same != count || draw == "message" && same > 0 {
			t.Errorf("%s: in %d of %d bursts all messages have the same size", draw, same, count)
		}
	}
}

// equally draws one of some sizes.
type equally []unit.Bytes

func (s equally) Draw(r *rand.PCG) unit.Bytes { return s[r.Uint64()%uint64(len(s))] }
func (s equally) Max() unit.Bytes             { return slices.Max(s) }
func (s equally) Mean() float64 {
	sum := 0.0
	for _, n := range s {
		sum += float64(n)
	}
	return sum / float64(len(s))
}

func TestBurstsRefuse(t *testing.T) {
	rate := func(int32) unit.Rate { return unit.Gbps }
	for _, test := range []struct {
		o    Bursts
		rate func(int32) unit.Rate
		want string
	}{
		{Bursts{Senders: 1}, rate, "load (as in 3.5%) or interval"},
		{Bursts{Senders: 1, Load: ptr(unit.Ratio(0.1)), Interval: ptr(unit.Second)}, rate, "set how often they come"},
		{Bursts{Senders: 1, Load: ptr(unit.Ratio(0))}, rate, "above 0"},
		{Bursts{Senders: 1, Load: ptr(unit.Ratio(0.1))}, nil, "give interval"},
		{Bursts{Senders: 4, Interval: ptr(unit.Second)}, rate, "less than the 4 hosts"},
		{Bursts{Senders: 0, Interval: ptr(unit.Second)}, rate, "at least 1"},
		{Bursts{Senders: 1, Interval: ptr(unit.Time(0))}, rate, "positive"},
		{Bursts{Senders: 1, Interval: ptr(unit.Second), Gaps: "poisson"}, rate, "write equal or exponential"},
		{Bursts{Senders: 1, Interval: ptr(unit.Second), Draw: "host"}, rate, "write message or burst"},
	} {
		_, err := NewSources(Traffic{Pattern: test.o, Sizes: Fixed(1), Arrival: Once{Count: 1}}, Setting{Hosts: 4, LineRate: test.rate})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", test.o, err, test.want)
		}
	}
	if !(Bursts{}).Endless() || (Bursts{Count: ptr(1)}).Endless() {
		t.Error("bursts without a count go on for ever, and others do not")
	}
}

// The workloads that are called by name are the tables beside the scenarios, drawn by
// the logarithmic rule, with the means of SIRD's scripts.
func TestNamedWorkloads(t *testing.T) {
	for name, mean := range map[string]float64{"wka": 2927.354, "wkb": 121848, "wkc": 2515857.4} {
		got, err := SizeSpec{Workload: Published(name), Rule: Linear}.Load()
		if err != nil {
			t.Fatal(err)
		}
		file, err := SizeSpec{CDF: catalog.Path(dataFolder + "/" + name + ".csv"), Rule: Log}.Load()
		if err != nil {
			t.Fatal(err)
		}
		drawn := got.(nominal).Sizes.(*CDF)
		if got.Mean() != mean || drawn.Mean() != file.Mean() || drawn.rule != Log {
			t.Errorf("%s: mean %v (want %v), drawn %v by %s, in the file %v", name, got.Mean(), mean, drawn.Mean(), drawn.rule, file.Mean())
		}
	}
	one := 1000.0
	if s, err := (SizeSpec{Workload: "wka", Rule: Log, Mean: &one}).Load(); err != nil || s.Mean() != 1000 {
		t.Errorf("a mean of one's own: %v, %v", s, err)
	}
	for _, s := range []SizeSpec{{Workload: "wkd", Rule: Linear}, {Workload: "wka", Rule: Step}, {Workload: "wka", Fixed: 1, Rule: Linear}, {Workload: "wka", CDF: "x", Rule: Linear}} {
		if _, err := s.Load(); err == nil {
			t.Errorf("%+v was loaded", s)
		}
	}
}

package workload

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/unit"
)

// next returns the next messages of a source, at most n.
func next(s Source, n int) []Message {
	var list []Message
	for len(list) < n {
		m, ok := s.Next()
		if !ok {
			break
		}
		list = append(list, m)
	}
	return list
}

func sources(t rapid.TB, tr Traffic, s Setting) []Source {
	t.Helper()
	list, err := NewSources(tr, s)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestOnce(t *testing.T) {
	tr := Traffic{Pattern: Pairs{Pairs: []string{"host0->host1", "host0->host2"}}, Sizes: Fixed(9), Arrival: Once{Count: 2}, Start: us}
	list := sources(t, tr, Setting{Hosts: 3})
	want := []Message{{At: us, Dst: 1, Size: 9}, {At: us, Dst: 2, Size: 9}, {At: us, Dst: 1, Size: 9}, {At: us, Dst: 2, Size: 9}}
	list[0].Completed(2*us, 0)
	if diff := cmp.Diff(want, next(list[0], 9)); diff != "" {
		t.Error(diff)
	}
	if list[1] != nil || list[2] != nil {
		t.Errorf("hosts that send nothing have sources: %v", list)
	}
}

func TestClosed(t *testing.T) {
	tr := Traffic{Pattern: Pairs{Pairs: []string{"host0->host1"}}, Sizes: Fixed(9), Start: us}
	at := func(times ...unit.Time) []Message {
		var list []Message
		for _, t := range times {
			list = append(list, Message{At: t, Dst: 1, Size: 9})
		}
		return list
	}
	run := func(a Arrival) Source {
		tr.Arrival = a
		return sources(t, tr, Setting{Hosts: 2})[0]
	}
	check := func(name string, s Source, want []Message) {
		t.Helper()
		if diff := cmp.Diff(want, next(s, 9)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}

	s := run(Closed{Outstanding: 1})
	check("start", s, at(us))
	check("in flight", s, nil)
	s.Completed(5*us, 0)
	check("completed", s, at(5*us))

	s = run(Closed{Outstanding: 3, Think: us, Count: ptr(6)})
	check("three at the start", s, at(us, us, us))
	s.Completed(3*us, 0)
	s.Completed(4*us, 0)
	check("two completed", s, at(4*us, 5*us))
	s.Completed(6*us, 0)
	check("the last", s, at(7*us))
	s.Completed(7*us, 0)
	s.Completed(8*us, 0)
	s.Completed(9*us, 0)
	check("all done", s, nil)

	s = run(Closed{Outstanding: 2})
	s.Completed(2*us, 0) // of nothing: the loop stays as it is
	check("completed too early", s, at(us, us))
	s.Completed(unit.Forever, 0)
	check("at the end of time", s, at(unit.Forever))

	s = run(Closed{Outstanding: 1, Think: us})
	check("start", s, at(us))
	s.Completed(unit.Forever-1, 0)
	check("think beyond the end of time", s, at(unit.Forever))

	s = run(Closed{Outstanding: 3, Think: us, Count: ptr(7), Together: ptr(true)})
	check("a burst", s, at(us, us, us))
	s.Completed(3*us, 0)
	s.Completed(4*us, 0)
	check("two completed", s, nil)
	s.Completed(6*us, 0)
	s.Completed(6*us, 0) // of nothing
	check("the next burst", s, at(7*us, 7*us, 7*us))
	for range 3 {
		s.Completed(9*us, 0)
	}
	check("the rest", s, at(10*us))
	s = run(Closed{Outstanding: 2, Together: ptr(false)})
	check("not together", s, at(us, us))
	s.Completed(3*us, 0)
	check("one completed", s, at(3*us))
}

// The intervals of a Poisson process have the mean that the load says, and the
// variance of an exponential distribution.
func TestPoissonIntervals(t *testing.T) {
	const n, load = 50000, 0.6
	tr := Traffic{Pattern: Uniform{}, Sizes: Fixed(75_000), Arrival: Poisson{Load: share(load)}}
	s := Setting{Hosts: 2, LineRate: func(int32) unit.Rate { return 100 * unit.Gbps }}
	list := next(sources(t, tr, s)[0], n)
	// 75 kB are 6 µs at 100 Gb/s.
	want := float64(6*us) / load
	sum, squares, above := 0.0, 0.0, 0
	last := unit.Time(0)
	for _, m := range list {
		gap := float64(m.At - last)
		if gap < 0 {
			t.Fatalf("a message starts %v before the last", last-m.At)
		}
		sum += gap
		squares += gap * gap
		if gap > want {
			above++
		}
		last = m.At
	}
	mean := sum / n
	variance := squares/n - mean*mean
	// The standard error of the mean is want/√n, that of the variance want²·√(8/n),
	// that of a share p √(p(1-p)/n).
	if math.Abs(mean/want-1) > 4/math.Sqrt(n) {
		t.Errorf("mean interval is %.0f ps, want %.0f", mean, want)
	}
	if math.Abs(variance/(want*want)-1) > 4*math.Sqrt(8./n) {
		t.Errorf("variance is %.3g ps², want %.3g", variance, want*want)
	}
	p := math.Exp(-1)
	if share := float64(above) / n; math.Abs(share-p) > 4*math.Sqrt(p*(1-p)/n) {
		t.Errorf("a share of %.4f is above the mean, want %.4f", share, p)
	}
}

// A load counts the payload of sizes from a table.
func TestPoissonLoad(t *testing.T) {
	sizes, err := SizeSpec{CDF: dataFolder + "/wka.csv", Rule: Log}.Load()
	if err != nil {
		t.Fatal(err)
	}
	const hosts, load = 50, 0.5
	s := Setting{Hosts: hosts, LineRate: func(int32) unit.Rate { return 100 * unit.Gbps }}
	bytes, end := 0.0, 0.0
	for _, src := range sources(t, Traffic{Pattern: Incast{Receiver: "host0"}, Sizes: sizes, Arrival: Poisson{Load: share(load)}}, s) {
		if src == nil {
			continue
		}
		list := next(src, 4000)
		for _, m := range list {
			bytes += float64(m.Size)
			if m.Dst != 0 {
				t.Fatalf("a message goes to host%d", m.Dst)
			}
		}
		end += float64(list[len(list)-1].At) / float64(unit.Second)
	}
	if got := bytes * 8 / end / 100e9; math.Abs(got/load-1) > 0.05 {
		t.Errorf("load is %.4f, want %v", got, load)
	}
}

// A rate counts messages, whatever their sizes: its starts are those of the load that comes to the
// same, and need no link. FatPaths' λ of 300 per second and a mean of 1 MB are 24 % of 10 Gb/s.
func TestPoissonRate(t *testing.T) {
	sizes, err := SizeSpec{Workload: "websearch20", Rule: Linear}.Load()
	if err != nil {
		t.Fatal(err)
	}
	rate := Poisson{Rate: ptr(300.)}
	if got := rate.Offers(sizes.Mean(), 10*unit.Gbps); math.Abs(got-0.24) > 1e-12 {
		t.Errorf("300 messages of 1 MB per second offer %v of 10 Gb/s, want 24 %%", got)
	}
	tr := Traffic{Pattern: Uniform{}, Sizes: sizes, Arrival: rate, Stop: 10 * unit.Second}
	list := next(sources(t, tr, Setting{Hosts: 2})[0], 1<<20)
	if n := float64(len(list)); math.Abs(n-3000) > 4*math.Sqrt(3000) {
		t.Errorf("%v messages in 10 s, want 3000", n)
	}
	tr.Arrival = Poisson{Load: share(0.24)}
	same := next(sources(t, tr, Setting{Hosts: 2, LineRate: func(int32) unit.Rate { return 10 * unit.Gbps }})[0], 1<<20)
	if len(same) != len(list) {
		t.Fatalf("%d messages by rate, %d by load", len(list), len(same))
	}
	for i := range list {
		if d := list[i].At - same[i].At; d < -unit.Nanosecond || d > unit.Nanosecond {
			t.Fatalf("message %d starts at %v by rate, at %v by load", i, list[i].At, same[i].At)
		}
	}
}

func TestPoissonCount(t *testing.T) {
	tr := Traffic{Pattern: Pairs{Pairs: []string{"host0->host1", "host0->host2"}}, Sizes: Fixed(1000), Arrival: Poisson{Load: share(1), Count: ptr(3)}, Start: us}
	s := Setting{Hosts: 3, LineRate: func(int32) unit.Rate { return unit.Gbps }}
	list := next(sources(t, tr, s)[0], 100)
	if len(list) != 6 || list[0].At <= us {
		t.Errorf("%d messages, want 3 to each of 2 hosts after 1us: %v", len(list), list)
	}
	// An interval beyond the end of time ends the process.
	tr.Arrival = Poisson{Load: share(1e-15)}
	if list := next(sources(t, tr, s)[0], 100); len(list) > 1 {
		t.Errorf("%d messages at next to no load", len(list))
	}
}

func TestJitter(t *testing.T) {
	tr := Traffic{Pattern: Tornado{}, Sizes: Fixed(1), Arrival: Once{Count: 2}, Start: us, Jitter: 10 * us}
	const hosts = 2000
	sum, least, most := 0.0, unit.Forever, unit.Time(0)
	for _, src := range sources(t, tr, Setting{Hosts: hosts, Seed: 3}) {
		list := next(src, 2)
		if list[0].At != list[1].At {
			t.Fatalf("a host's messages start at %v and %v", list[0].At, list[1].At)
		}
		at := list[0].At - us
		sum += float64(at)
		least, most = min(least, at), max(most, at)
	}
	mean := sum / hosts / float64(10*us)
	if math.Abs(mean-0.5) > 4*math.Sqrt(1./12/hosts) || least < 0 || most > 10*us || least > us/5 || most < 10*us-us/5 {
		t.Errorf("delays from %v to %v, mean %.3f of the jitter", least, most, mean)
	}
	tr.Start, tr.Jitter = unit.Forever-1, unit.Forever
	for _, src := range sources(t, tr, Setting{Hosts: 2}) {
		if at := next(src, 1)[0].At; at < tr.Start {
			t.Errorf("a start at the end of time and jitter give %v", at)
		}
	}
}

// Each aspect of traffic has a stream of its own.
func TestStreamsAreIndependent(t *testing.T) {
	table := read(t, "1,0\n1000000,1\n", Linear)
	base := Traffic{Pattern: Uniform{}, Sizes: table, Arrival: Poisson{Load: share(0.5)}, Jitter: us}
	setting := Setting{Hosts: 16, Seed: 7, Group: "main", LineRate: func(int32) unit.Rate { return unit.Gbps }}
	type view struct{ At, Dst, Size, Start any }
	look := func(tr Traffic, s Setting, host int) view {
		list := next(sources(t, tr, s)[host], 20)
		var at []unit.Time
		var dst []int32
		var size []unit.Bytes
		for i, m := range list {
			if i > 0 {
				at = append(at, m.At-list[0].At)
			}
			dst = append(dst, m.Dst)
			size = append(size, m.Size)
		}
		return view{at, dst, size, list[0].At}
	}
	want := look(base, setting, 5)
	for _, test := range []struct {
		name   string
		change func(*Traffic, *Setting)
		host   int
		same   []string
	}{
		{"nothing", func(*Traffic, *Setting) {}, 5, []string{"At", "Dst", "Size", "Start"}},
		{"pattern", func(tr *Traffic, _ *Setting) { tr.Pattern = Tornado{} }, 5, []string{"At", "Size", "Start"}},
		{"sizes of the same mean", func(tr *Traffic, _ *Setting) { tr.Sizes = read(t, "1,0\n1000000,1\n", Linear) }, 5, []string{"At", "Dst", "Size", "Start"}},
		{"sizes", func(tr *Traffic, _ *Setting) { tr.Sizes = Fixed(1000) }, 5, []string{"Dst"}},
		{"arrival", func(tr *Traffic, _ *Setting) { tr.Arrival = Once{Count: 20} }, 5, []string{"Dst", "Size"}},
		{"jitter", func(tr *Traffic, _ *Setting) { tr.Jitter = 0 }, 5, []string{"At", "Dst", "Size"}},
		{"other members", func(_ *Traffic, s *Setting) { s.Members = []int32{5, 6, 7} }, 5, []string{"At", "Size", "Start"}},
		{"a larger network", func(_ *Traffic, s *Setting) { s.Hosts = 17 }, 5, []string{"At", "Size", "Start"}},
		{"seed", func(_ *Traffic, s *Setting) { s.Seed = 8 }, 5, nil},
		{"group", func(_ *Traffic, s *Setting) { s.Group = "other" }, 5, nil},
		{"host", func(*Traffic, *Setting) {}, 6, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr, s := base, setting
			test.change(&tr, &s)
			got := look(tr, s, test.host)
			for _, aspect := range []struct {
				name      string
				got, want any
			}{{"At", got.At, want.At}, {"Dst", got.Dst, want.Dst}, {"Size", got.Size, want.Size}, {"Start", got.Start, want.Start}} {
				if same := cmp.Equal(aspect.got, aspect.want); same != slices.Contains(test.same, aspect.name) {
					t.Errorf("%s: the same is %v\ngot  %v\nwant %v", aspect.name, same, aspect.got, aspect.want)
				}
			}
		})
	}
}

func TestTotal(t *testing.T) {
	table := read(t, "100,0\n200,1\n", Linear)
	for _, test := range []struct {
		name     string
		traffic  Traffic
		messages int64
		size     unit.Bytes
		ok       bool
	}{
		{"once", Traffic{Pattern: Permutation{}, Sizes: Fixed(32 * unit.MiB), Arrival: Once{Count: 2}}, 16, 512 * unit.MiB, true},
		{"to several", Traffic{Pattern: Pairs{Pairs: []string{"host0->host1", "host0->host2", "host1->host2"}}, Sizes: Fixed(10), Arrival: Once{Count: 2}}, 6, 60, true},
		{"incast", Traffic{Pattern: Incast{Receiver: "host0", Senders: ptr(3)}, Sizes: Fixed(10), Arrival: Closed{Outstanding: 2, Count: ptr(5)}}, 15, 150, true},
		{"expected", Traffic{Pattern: Uniform{}, Sizes: table, Arrival: Poisson{Load: share(1), Count: ptr(5)}}, 40, 6000, true},
		{"without end", Traffic{Pattern: Uniform{}, Sizes: table, Arrival: Poisson{Load: share(1)}}, 0, 0, false},
		{"closed without end", Traffic{Pattern: Uniform{}, Sizes: table, Arrival: Closed{Outstanding: 1}}, 0, 0, false},
		{"more than all bytes", Traffic{Pattern: Uniform{}, Sizes: Fixed(1 << 60), Arrival: Once{Count: 100}}, 800, math.MaxInt64, true},
		{"more than all bytes, expected", Traffic{Pattern: Uniform{}, Sizes: nominal{table, 1 << 60}, Arrival: Once{Count: 100}}, 800, math.MaxInt64, true},
		{"exact beyond floating point", Traffic{Pattern: Uniform{}, Sizes: Fixed(1<<53 + 1), Arrival: Once{Count: 1}}, 8, 8<<53 + 8, true},
		{"broken", Traffic{Pattern: Tornado{}, Sizes: table}, 0, 0, false},
	} {
		messages, size, ok := Total(test.traffic, Setting{Hosts: 8})
		if messages != test.messages || size != test.size || ok != test.ok {
			t.Errorf("%s: %d messages, %d bytes, %v; want %d, %d, %v", test.name, messages, size, ok, test.messages, test.size, test.ok)
		}
	}
}

func TestErrorsOfTraffic(t *testing.T) {
	good := Traffic{Pattern: Uniform{}, Sizes: Fixed(1), Arrival: Once{Count: 1}}
	for _, test := range []struct {
		change func(*Traffic)
		want   string
	}{
		{func(tr *Traffic) { tr.Pattern = nil }, "needs a pattern"},
		{func(tr *Traffic) { tr.Sizes = Fixed(0) }, "at least 1"},
		{func(tr *Traffic) { tr.Start = -1 }, "start is"},
		{func(tr *Traffic) { tr.Jitter = -1 }, "jitter is"},
		{func(tr *Traffic) { tr.Sizes = Fixed(11) }, "size: 11B is too large; with the payload of its packets a message has at most 10B"},
		{func(tr *Traffic) { tr.Arrival = Once{} }, "host0: once: count is 0"},
		{func(tr *Traffic) { tr.Arrival = Once{Count: math.MaxInt} }, "from 1 to"},
		{func(tr *Traffic) { tr.Arrival = Closed{} }, "closed: outstanding is 0"},
		{func(tr *Traffic) { tr.Arrival = Closed{Outstanding: 1 << 20} }, "from 1 to 65536"},
		{func(tr *Traffic) { tr.Arrival = Closed{Outstanding: 1, Think: -1} }, "think"},
		{func(tr *Traffic) { tr.Arrival = Closed{Outstanding: 1, Count: ptr(0)} }, "closed: count is 0"},
		{func(tr *Traffic) { tr.Arrival = Poisson{} }, "give either load"},
		{func(tr *Traffic) { tr.Arrival = Poisson{Load: share(1), Rate: ptr(1.)} }, "give either load"},
		{func(tr *Traffic) { tr.Arrival = Poisson{Rate: ptr(0.)} }, "rate is 0; it must be from 1e-06 to 1e+12 messages per second"},
		{func(tr *Traffic) { tr.Arrival = Poisson{Rate: ptr(math.NaN())} }, "rate is NaN"},
		{func(tr *Traffic) { tr.Arrival = Poisson{Load: share(0)} }, "load is 0%"},
		{func(tr *Traffic) { tr.Arrival = Poisson{Load: share(80)} }, "load is 8000%"},
		{func(tr *Traffic) { tr.Arrival = Poisson{Load: share(-1)} }, "above 0"},
		{func(tr *Traffic) { tr.Arrival = Poisson{Load: share(1), Count: ptr(-1)} }, "poisson: count is -1"},
		{func(tr *Traffic) { tr.Arrival = Poisson{Load: share(1)} }, "rate of the sender's link"},
	} {
		tr := good
		test.change(&tr)
		list, err := NewSources(tr, Setting{Hosts: 2, Most: 10})
		if err == nil || list != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	table := read(t, "1,0\n1000000,1\n", Log)
	s := Setting{Hosts: 8, LineRate: func(int32) unit.Rate { return unit.Gbps }}
	for _, tr := range []Traffic{
		{Pattern: Uniform{}, Sizes: table, Arrival: Poisson{Load: share(0.5)}},
		{Pattern: Permutation{}, Sizes: table, Arrival: Closed{Outstanding: 4}},
		{Pattern: Pairs{Pairs: []string{"host0->host1", "host0->host2"}}, Sizes: Fixed(1), Arrival: Once{Count: 1_000_000}},
	} {
		src := sources(t, tr, s)[0]
		now := unit.Time(0)
		if n := testing.AllocsPerRun(1000, func() {
			now++
			if m, ok := src.Next(); ok {
				now = max(now, m.At)
			}
			src.Completed(now, 0)
		}); n != 0 {
			t.Errorf("%T: %v allocations a message", tr.Arrival, n)
		}
	}
}

// A million hosts stay affordable.
func TestMemoryOfSources(t *testing.T) {
	const hosts = 20000
	table := read(t, "1,0\n1000000,1\n", Log)
	s := Setting{Hosts: hosts, LineRate: func(int32) unit.Rate { return unit.Gbps }}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	list := sources(t, Traffic{Pattern: Uniform{}, Sizes: table, Arrival: Poisson{Load: share(0.5)}}, s)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if bytes := float64(after.HeapAlloc-before.HeapAlloc) / hosts; bytes > 180 {
		t.Errorf("%.0f bytes a host", bytes)
	}
	runtime.KeepAlive(list)
}

func BenchmarkNext(b *testing.B) {
	table := read(b, "1,0\n1000,0.5\n1000000,1\n", Log)
	src := sources(b, Traffic{Pattern: Uniform{}, Sizes: table, Arrival: Poisson{Load: share(0.5)}},
		Setting{Hosts: 8, LineRate: func(int32) unit.Rate { return unit.Tbps }})[0]
	b.ReportAllocs()
	for b.Loop() {
		src.Next()
	}
}

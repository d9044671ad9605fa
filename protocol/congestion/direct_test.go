package congestion

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

func newDirect(t testing.TB, change func(*Direct)) *direct {
	t.Helper()
	o := defaults[Direct](t, "direct")
	if change != nil {
		change(&o)
	}
	return buildIn(t, o, wan()).(*direct)
}

// told is a notice of a queue of the line's rate.
func told(at unit.Time, held unit.Bytes) protocol.Notice {
	return protocol.Notice{uint64(held)<<32 | uint64(line/unit.Mbps), uint64(at)}
}

// A queue tells of itself while it holds more than the threshold, at most once per gap, with the lesser of what it holds
// now and held a period before.
func TestDirectPointTells(t *testing.T) {
	b, err := Direct{FNCC: defaults[FNCC](t, "fncc"), Period: us, Threshold: 5000, Gap: 3 * us, Notice: 64}.Build()
	if err != nil {
		t.Fatal(err)
	}
	c := b.Controller.New(protocol.QueueEnv{Rate: 4 * line})
	for i, step := range []struct {
		queue, held unit.Bytes // 0: does not tell
	}{{0, 0}, {5001, 1}, {9000, 0}, {8000, 0}, {9000, 8000}, {5000, 0}, {4000, 0}, {6000, 4000}, {0, 0}, {0, 0}} {
		at := unit.Time(i) * us
		want := protocol.Notice{uint64(step.held)<<32 | uint64(4*line/unit.Mbps), uint64(at)}
		if i == 1 {
			want[0] &= 1<<32 - 1 // nothing was there before
		}
		if n, ok := c.Tick(at, step.queue); ok != (step.held > 0) || ok && n != want {
			t.Errorf("at %v with %v: %x %v, want %x", at, step.queue, n, ok, want)
		}
		if got := c.Settled(); got != (step.queue == 0) {
			t.Errorf("at %v: settled %v", at, got)
		}
	}
}

// A notice enters U with the weight of the time since what the sender heard before, at most the gap, and none if it is older.
func TestDirectSmooths(t *testing.T) {
	c := newDirect(t, nil) // T = 8 us, gap 1 us; B·T = 100 kB
	use := 1.0
	for _, step := range []struct {
		at     unit.Time
		held   unit.Bytes
		weight float64
	}{{us / 2, 100_000, 1. / 16}, {us, 50_000, 1. / 16}, {5 * us, 0, 1. / 8}, {5 * us, 100_000, 0}, {4 * us, 100_000, 0}, {5*us + us/4, 200_000, 1. / 32}} {
		c.Notify(step.at+us, 1, told(step.at, step.held))
		use = (1-step.weight)*use + step.weight*(1+float64(step.held)/100_000)
		if math.Abs(c.use-use) > 1e-12 {
			t.Errorf("at %v: U is %v, want %v", step.at, c.use, use)
		}
		wantRates(t, &c.hpcc, "told", 1e11/(use/0.95)+additivePaper*1e11, 1e11)
	}
	// Stamps add what notices did not tell of: of 2 us, the last 1.5.
	c = newDirect(t, nil)
	c.Acked(stamped(8*us, 8*us, 1, port{line, 1, 100_000}))
	c.Notify(9*us, 1, told(8*us+us/2, 0))
	before := c.use
	c.Acked(stamped(10*us, 8*us, 1, port{line, 1, 100_000})) // u = 2
	if want := before*(1-1.5/8) + 2*1.5/8; math.Abs(before-1) > 1e-12 || math.Abs(c.use-want) > 1e-12 {
		t.Errorf("U is %v, want %v", c.use, want)
	}
	c.Notify(11*us, 1, told(10*us, 100_000))
	if math.Abs(c.use-(before*(1-1.5/8)+2*1.5/8)) > 1e-12 {
		t.Error("a notice counts that is no younger than the stamps")
	}
}

// Without notices it is FNCC, without LHCS FNCC is HPCC, and HPCC with LHCS is FNCC, if all get the same stamps at the
// same time: they differ in what frames carry, and when.
func TestOneSender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lhcs := rapid.Bool().Draw(t, "lhcs")
		make := func(name string) *hpcc {
			var o options
			switch name {
			case "hpcc":
				h := mustDefaults[HPCC](t, name)
				h.LHCS = lhcs
				o = h
			case "fncc":
				f := mustDefaults[FNCC](t, name)
				f.LHCS = lhcs
				o = f
			default:
				d := mustDefaults[Direct](t, name)
				d.LHCS = lhcs
				o = d
			}
			b, err := o.Build()
			if err != nil {
				t.Fatal(err)
			}
			c := b.New(wan())
			c.Start(0)
			if d, ok := c.(*direct); ok {
				return &d.hpcc
			}
			return c.(*hpcc)
		}
		all := []*hpcc{make("hpcc"), make("fncc"), make("direct")}
		now := rtt
		for range rapid.IntRange(1, 40).Draw(t, "acks") {
			now += unit.Time(rapid.IntRange(0, 4000).Draw(t, "ns")) * unit.Nanosecond
			a := counted(uint64(rapid.IntRange(0, 9).Draw(t, "n")), stamped(now, rtt, uint32(rapid.IntRange(1, 2).Draw(t, "path")),
				port{line, rapid.Float64Range(0, 1).Draw(t, "busy"), unit.Bytes(rapid.IntRange(0, 100_000).Draw(t, "queue"))},
				port{line, 1, unit.Bytes(rapid.IntRange(0, 100_000).Draw(t, "last"))}))
			for _, c := range all {
				c.Acked(a)
			}
			if w := all[0]; w.rate != all[1].rate || w.rate != all[2].rate || w.steady != all[1].steady || w.steady != all[2].steady {
				t.Fatalf("rates %v %v %v, references %v %v %v", w.rate, all[1].rate, all[2].rate, w.steady, all[1].steady, all[2].steady)
			}
		}
	})
}

// mustDefaults are the options of an entry in a property test.
func mustDefaults[O any](t *rapid.T, name string) O {
	for _, e := range Entries() {
		if e.Name == name {
			o, err := e.Defaults()
			if err != nil {
				t.Fatal(err)
			}
			return *o.(*O)
		}
	}
	t.Fatalf("no entry %q", name)
	panic("unreachable")
}

func TestDirectRefuses(t *testing.T) {
	d := defaults[Direct](t, "direct")
	for want, change := range map[string]func(*Direct){
		"period is 0s":       func(o *Direct) { o.Period = 0 },
		"gap is -1":          func(o *Direct) { o.Gap = -us },
		"gap is 0s; it must": func(o *Direct) { o.Gap = 0 },
		"threshold is -1":    func(o *Direct) { o.Threshold = -1 },
		"notice_bytes is 0":  func(o *Direct) { o.Notice = 0 },
		"fncc: eta is 1.5":   func(o *Direct) { o.Eta = 1.5 },
		`count is "unknown"`: func(o *Direct) { o.LastHop.Count = "unknown" },
	} {
		o := d
		change(&o)
		if _, err := o.Build(); err == nil || !strings.HasPrefix(err.Error(), "direct: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Neither the queue nor the sender allocates.
func TestDirectAllocatesNothing(t *testing.T) {
	c := newDirect(t, nil)
	p := &directPoint{rate: line, threshold: 1}
	if n := testing.AllocsPerRun(1, func() {
		for i := range 1000 {
			if n, ok := p.Tick(unit.Time(i)*us, 5000); ok {
				c.Notify(unit.Time(i)*us, 1, n)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations per 1000 ticks", n)
	}
}

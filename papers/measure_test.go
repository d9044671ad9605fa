package papers

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/config"
	"weft/record"
	"weft/unit"
)

// recorded is a run of 100 µs in buckets of 10 µs over two ports of 400 Gb/s: one is
// full until 50 µs, the other at half its rate until 80 µs.
func recorded() *record.Result {
	r := &record.Result{}
	r.Manifest.Interval = 10 * unit.Microsecond
	r.Manifest.Derived = []record.Derived{record.DerivedBytes("ecn_kmin", 1000, ""), record.DerivedBytes("bdp", 5000, "")}
	r.Summary.Runtime = 100 * unit.Microsecond
	r.Flows = []record.Flow{{Measured: true, Start: 0, End: 100 * unit.Microsecond}, {Measured: false, Start: 0, End: 900 * unit.Microsecond}}
	const full = 500_000 // bytes in a bucket
	for i, name := range []string{"tor0->spine0", "tor0->spine1"} {
		total := int64(0)
		for b := range 10 {
			v, q := int64(0), int64(500)
			switch {
			case i == 0 && b < 5:
				v, q = full, 2000
			case i == 1 && b < 8:
				v = full / 2
			}
			total += v
			at := unit.Time(b) * 10 * unit.Microsecond
			r.Series = append(r.Series, record.Series{Kind: record.Accepted, Entity: name, Time: at, Value: v},
				record.Series{Kind: record.Queue, Entity: name, Time: at, Value: q})
		}
		r.Ports = append(r.Ports, record.Port{Name: name, Rate: 400 * unit.Gbps, Bytes: total, Trims: 10, Marks: int64(3 * i)})
	}
	r.Ports = append(r.Ports, record.Port{Name: "host0->tor0", Rate: 400 * unit.Gbps, Trims: 1000})
	return r
}

// TestMeasureByRate: a port whose queue differs for its rate is compared with what it holds.
func TestMeasureByRate(t *testing.T) {
	r := recorded()
	m := Measure{Name: "x", Series: record.Queue, Ports: []string{"tor0->spine0"}, Take: "max", In: "kmin", Per: 1, To: Instant{Share: 1, Relative: true}}
	for _, want := range []float64{2, 0.5} {
		if got, err := m.Of(r); err != nil || got != want {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
		r.Manifest.Derived = append(r.Manifest.Derived, record.DerivedBytes("ecn_kmin.400Gbps", 4000, ""))
	}
}

// TestGrowth has two switches of which one fills at a steady pace, and noise.
func TestGrowth(t *testing.T) {
	r := &record.Result{}
	for i := range 64 {
		at := unit.Time(i) * 10 * unit.Microsecond
		r.Series = append(r.Series,
			record.Series{Kind: record.Buffer, Entity: "tor0", Time: at, Value: 100_000 + 1000*int64(i)},
			record.Series{Kind: record.Buffer, Entity: "tor1", Time: at, Value: 100_000 + 50_000*int64(i%2)})
	}
	of := func(ports, take string) float64 {
		m := Measure{Name: "x", Series: record.Buffer, Ports: []string{ports}, Take: take, Per: 1, To: Instant{Share: 1, Relative: true}}
		v, err := m.Of(r)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if got, want := of("tor0", "growth"), 64_000/131_500.0; math.Abs(got-want) > 1e-4 {
		t.Errorf("a switch that fills grows by %v of its mean, want %v", got, want)
	}
	if got := of("tor1", "growth"); got != 0 {
		t.Errorf("noise grows by %v", got)
	}
	if got := of("tor*", "max"); got != 163_000 {
		t.Errorf("the largest of both is %v", got)
	}
}

// TestGrowthByAge has queues in the windows of SIRD's evaluation, quick and as long as the
// authors', by the rule of its ledger: more than 0.5 is unstable.
func TestGrowthByAge(t *testing.T) {
	const ms = unit.Millisecond
	windows := [][2]unit.Time{{0, 3 * ms}, {6 * ms, 9 * ms}, {16 * ms, 19 * ms}, {24 * ms, 32 * ms}, {35 * ms, 55 * ms}, {162 * ms, 180 * ms}}
	age := func(t unit.Time) float64 { return float64(t) / float64(ms) }
	for _, test := range []struct {
		name     string
		queue    func(t unit.Time) float64 // bytes
		from     unit.Time                 // windows that begin earlier are left out
		unstable bool
		least    float64
		most     float64
	}{
		{name: "line from 0", queue: func(t unit.Time) float64 { return 4e6 * age(t) }, unstable: true, least: 1, most: 2.01},
		{name: "slow line from 0", queue: func(t unit.Time) float64 { return 2e4 * age(t) }, unstable: true, least: 1, most: 2.01},
		{name: "convex", queue: func(t unit.Time) float64 { return 1e5 * age(t) * age(t) }, unstable: true, least: 2, most: 3.01},
		{name: "line that began at 5 ms", queue: func(t unit.Time) float64 { return 1e6 * (age(t) - 5) }, from: 5 * ms, unstable: true, least: 1, most: 4},
		{name: "plateau", queue: func(unit.Time) float64 { return 3e6 }},
		{name: "plateau with noise", queue: func(t unit.Time) float64 { return 3e6 + 1e6*noise(t) }},
		{name: "line from 0 with noise", queue: func(t unit.Time) float64 { return 4e6 * age(t) * (1 + 0.02*noise(t)) }, from: 1, unstable: true, least: 0.9, most: 2.01},
		{name: "towards a plateau, slowly", queue: func(t unit.Time) float64 { return 3e6 * math.Pow(age(t)+1e-3, 0.2) }, from: 1, least: 0.15, most: 0.45},
	} {
		for _, w := range windows {
			if w[0] < test.from {
				continue
			}
			values := map[unit.Time]float64{}
			for at := w[0]; at < w[1]; at += 10 * unit.Microsecond {
				values[at] = test.queue(at)
			}
			got := growth(values)
			if got > 0.5 != test.unstable || got < test.least || got > test.most {
				t.Errorf("%s from %v to %v: %v, want %v to %v", test.name, w[0], w[1], got, test.least, test.most)
			}
		}
	}
}

// noise is between -1 and 1, other in each interval.
func noise(t unit.Time) float64 {
	return 2*rand.New(rand.NewPCG(uint64(t), 1)).Float64() - 1
}

func TestMeasures(t *testing.T) {
	const ports = `ports: ["tor0->spine*"], `
	for text, want := range map[string]float64{
		`series: accepted, ` + ports + `take: mean`:                                                        (5 + 8*0.5) / 20,
		`series: accepted, ` + ports + `take: max`:                                                         1,
		`series: accepted, ` + ports + `take: min`:                                                         0,
		`series: accepted, ` + ports + `from: 0s, to: 50us, take: min`:                                     0.5,
		`series: accepted, ` + ports + `from: 50%, to: 80%, take: mean`:                                    0.25,
		`series: accepted, ports: ["tor0->spine0"], in: gbps, to: 50us, take: mean`:                        400,
		`series: accepted, ports: ["tor0->spine0"], in: gbps, per: 200, to: 50us, take: mean`:              2,
		`series: accepted, ` + ports + `in: bytes, take: sum`:                                              5*500_000 + 8*250_000,
		`series: accepted, ` + ports + `take: share_above, limit: 0.4`:                                     13.0 / 20,
		`series: accepted, ` + ports + `take: share_below, limit: 0.4`:                                     7.0 / 20,
		`series: accepted, ` + ports + `to: 50us, take: share_outside, limit: 1, within: 0.15`:             0.5,
		`series: accepted, ` + ports + `take: spread`:                                                      1 / 4.5,
		`series: accepted, ` + ports + `take: imbalance`:                                                   5/4.5 - 1,
		`series: accepted, ` + ports + `part: ["*spine1"], take: part`:                                     4.0 / 9,
		`series: accepted, ` + ports + `take: last`:                                                        80,
		`series: accepted, ports: ["tor0->spine0"], take: last`:                                            50,
		`series: accepted, ports: ["tor0->spine0"], from: 60us, take: last`:                                0,
		`series: accepted, ` + ports + `from: 10us, take: last`:                                            70,
		`series: queue, ` + ports + `in: kmin, take: share_above, limit: 1`:                                5.0 / 20,
		`series: queue, ` + ports + `in: kmin, take: settled_below, limit: 1`:                              50,
		`series: queue, ` + ports + `in: bdp, take: max`:                                                   0.4,
		`series: queue, ` + ports + `take: p50`:                                                            500,
		`series: accepted, ports: ["tor0->spine0"], to: 50us, take: settled_within, limit: 1, within: 0.1`: 0,
		`series: accepted, ports: ["tor0->spine1"], to: 50us, take: settled_within, limit: 1, within: 0.1`: 50,
		`series: accepted, ports: ["tor0->spine0"], take: settled_above, limit: 0.9`:                       100,
		`counter: accepted_bytes, ` + ports + `take: spread`:                                               1 / 4.5,
		`counter: trims, ` + ports + `take: sum`:                                                           20,
		`counter: ecn_marks, take: sum`:                                                                    3,
		`counter: accepted_bytes, ports: ["tor0->spine0"], in: rate, take: sum`:                            0.5,
		`counter: trims, part: ["host*"], take: part`:                                                      1000.0 / 1020,
	} {
		m := measureOf(t, text)
		if got, err := m.Of(recorded()); err != nil || math.Abs(got-want) > 1e-9*max(1, want) {
			t.Errorf("{%s}: %v, %v; want %v", text, got, err, want)
		}
	}
}

// TestRatesOfCounters has counters of a part of the run, whose rate is over that part.
func TestRatesOfCounters(t *testing.T) {
	r := recorded()
	r.Manifest.Scenario = []byte(`{"measure": {"from": "50us", "to": "75us"}}`)
	m := measureOf(t, `counter: accepted_bytes, ports: ["tor0->spine0"], in: gbps, take: sum`)
	if got, err := m.Of(r); err != nil || got != 800 {
		t.Errorf("2.5 MB in 25 µs: %v, %v; want 800", got, err)
	}
}

func measureOf(t *testing.T, text string) *Measure {
	t.Helper()
	n, err := config.Parse("measure", []byte("{name: m, "+text+"}"))
	if err != nil {
		t.Fatal(err)
	}
	m := new(Measure)
	if _, err := (config.Decoder{}).Decode(n, m); err != nil {
		t.Fatal(err)
	}
	errs := new(config.Error)
	if m.check(errs, n.Place); errs.Err() != nil {
		t.Fatal(errs)
	}
	return m
}

func TestMeasuresOfWhatIsNotThere(t *testing.T) {
	for text, says := range map[string]string{
		`series: transmitted, take: mean`:                 "recorded no series transmitted",
		`series: accepted, ports: ["tor7*"], take: mean`:  "ports tor7*",
		`counter: ecn_marks, ports: ["tor7*"], take: sum`: "no ports tor7*",
		`series: queue, in: queue_limit, take: max`:       "no queue_limit",
	} {
		if _, err := measureOf(t, text).Of(recorded()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("{%s}: %v; want %q", text, err, says)
		}
	}
	r := recorded()
	r.Manifest.Interval = 0
	if _, err := measureOf(t, `series: accepted, take: mean`).Of(r); err == nil || !strings.Contains(err.Error(), "record:") {
		t.Errorf("without series: %v", err)
	}
	if v, err := measureOf(t, `series: accepted, from: 95us, take: mean`).Of(recorded()); err != nil || !math.IsNaN(v) {
		t.Errorf("of a window without a bucket: %v, %v", v, err)
	}
}

package papers

import (
	"math"
	"strings"
	"testing"

	"weft/config"
	"weft/record"
	"weft/unit"
)

// TestFirstDrop has a connection that slows from 100 to 98.9 Gb/s at 40 µs, one that does at 20 µs
// and ends, and one that never does.
func TestFirstDrop(t *testing.T) {
	r := &record.Result{}
	r.Manifest.Interval = 10 * unit.Microsecond
	r.Summary.Simulated = 100 * unit.Microsecond
	pace := func(name string, gbps ...float64) {
		for i, v := range gbps {
			r.Series = append(r.Series, record.Series{Kind: record.Pace, Entity: name, Time: unit.Time(i) * 10 * unit.Microsecond, Value: int64(v * 1e9)})
		}
	}
	pace("host0->host2", 100, 100, 100, 99.5, 98.9, 50, 50, 50, 50, 50)
	pace("host1->host2", 100, 100, 40)
	pace("host3->host2", 100, 100, 100, 100)
	for text, want := range map[string]float64{
		`ports: ["host0->*"], take: first_drop, limit: 0.99`:                         40,
		`ports: ["host0->*"], from: 10us, to: 100us, take: first_drop, limit: 0.99`:  30,
		`ports: ["host0->*"], take: first_drop, limit: 0.6`:                          50,
		`ports: ["host*"], take: first_drop, limit: 0.99`:                            20,
		`ports: ["host3->*"], take: first_drop, limit: 0.99`:                         math.NaN(),
		`ports: ["host0->*"], from: 50us, to: 100us, take: mean`:                     50,
		`ports: ["host0->*"], take: settled_within, limit: 50, within: 5, to: 100us`: 50,
	} {
		m := measureOf(t, "series: pace, "+text)
		got, err := m.Of(r)
		if err != nil || got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("{%s}: %v, %v; want %v", text, got, err, want)
		}
	}
	if u := measureOf(t, "series: pace, take: max").unit(); u != "Gb/s" {
		t.Errorf("a pace is in %q", u)
	}
	if u := measureOf(t, "series: pace, take: first_drop, limit: 0.99").unit(); u != "µs" {
		t.Errorf("a first drop is in %q", u)
	}
	if _, err := measureOf(t, `series: pace, ports: ["host9*"], take: max`).Of(r); err == nil || !strings.Contains(err.Error(), "connections host9*") {
		t.Errorf("of a connection that is not recorded: %v", err)
	}
}

// TestMessages has messages of 1 to 20 kB with the slowdowns 1 to 20, one of each, that are twice that
// without headers, and two that do not count.
func TestMessages(t *testing.T) {
	r := &record.Result{}
	for i := range 20 {
		n := unit.Time(i + 1)
		r.Flows = append(r.Flows, record.Flow{Measured: true, Group: "hadoop", Bytes: 1000 * unit.Bytes(n), End: n * unit.Microsecond, Ideal: unit.Microsecond, IdealBare: unit.Microsecond / 2})
	}
	r.Flows = append(r.Flows, record.Flow{Group: "hadoop", Bytes: 1000, End: 900 * unit.Microsecond, Ideal: unit.Microsecond},
		record.Flow{Measured: true, Group: "hadoop", Bytes: 1000, End: record.Unfinished, Ideal: unit.Microsecond})
	for text, want := range map[string]float64{
		`messages: slowdown, take: mean`:                                      10.5,
		`messages: slowdown, take: p95`:                                       19,
		`messages: slowdown, take: p50`:                                       10,
		`messages: slowdown_bare, take: max`:                                  40,
		`messages: fct, take: max`:                                            20,
		`messages: fct, take: max, per: 2, plus: 40`:                          50,
		`messages: slowdown, below: 3kB, take: mean`:                          1.5,
		`messages: slowdown, least: 3kB, take: min`:                           3,
		`messages: slowdown, least: 3kB, below: 5kB, take: mean`:              3.5,
		`messages: slowdown, group: hadoop, take: share_above, limit: 15`:     0.25,
		`messages: slowdown, group: websearch, take: mean`:                    math.NaN(),
		`messages: slowdown, take: p99, least: 20kB, per: 2, group: hadoop  `: 10,
	} {
		got, err := measureOf(t, text).Of(r)
		if err != nil || math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("{%s}: %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestMeasuresThatDoNotGoTogether(t *testing.T) {
	for text, says := range map[string]string{
		`messages: slowdown, series: queue, take: mean`:    "more than one",
		`messages: slowdown, take: growth`:                 "of messages take can be",
		`messages: slowdown, from: 1us, take: mean`:        "whole measurement window",
		`series: queue, least: 1kB, take: mean`:            "for messages",
		`series: queue, plus: 1, take: mean`:               "for messages",
		`series: pace, in: bytes, take: mean`:              "in gbps",
		`series: pace, take: first_drop`:                   "needs limit",
		`counter: queue_max, take: first_drop, limit: 0.5`: "is a time",
		`take: mean`: "needs a series, a counter or messages",
		`counter: queue_max, series: queue, take: mean`: "more than one",
	} {
		n, err := config.Parse("measure", []byte("{name: m, "+text+"}"))
		if err != nil {
			t.Fatal(err)
		}
		m, errs := new(Measure), new(config.Error)
		if _, err := (config.Decoder{}).Decode(n, m); err != nil {
			t.Fatal(err)
		}
		if m.check(errs, n.Place); errs.Err() == nil || !strings.Contains(errs.Err().Error(), says) {
			t.Errorf("{%s}: %v; want %q", text, errs.Err(), says)
		}
	}
}

// TestOldDigests: measures of before keep the heads of their published columns.
func TestOldDigests(t *testing.T) {
	m := measureOf(t, `series: queue, take: max`)
	if got, want := m.column(), "m@06b63f35"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestMinus pairs by seed.
func TestMinus(t *testing.T) {
	a := number{seeds: []uint64{1, 2, 3}, values: []float64{12, 13, 14}, unit: "µs"}
	b := number{seeds: []uint64{2, 1}, values: []float64{3, 4}, unit: "µs"}
	d := a.minus(b)
	if d.estimate.N != 2 || d.estimate.Mean != 9 || d.estimate.Low != 8 || d.estimate.High != 10 || d.unit != "µs" {
		t.Errorf("%v", d)
	}
	about, by := 9.4, 0.25
	if ok, why := (&Bound{About: &about, By: &by}).met(d); ok || !strings.Contains(why, "9 µs is 0.4 µs below 9.4 µs") {
		t.Errorf("%v, %s", ok, why)
	}
}

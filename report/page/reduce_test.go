package page

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/record"
	"weft/unit"
)

// The quantiles of 1, 2, …, n are known, and so are those of an exponential distribution.
func TestQuantilesOfKnownDistributions(t *testing.T) {
	var few, many, exponential sketch
	for i := range 100 {
		few.add(float64(100 - i))
	}
	if got, want := few.quantiles(50, 95, 99, 100), []float64{50, 95, 99, 100}; !slices.Equal(got, want) {
		t.Errorf("quantiles of 1 to 100 are %v, want %v exactly", got, want)
	}
	const n = 200000
	for i := range n {
		many.add(float64(i + 1))
		exponential.add(-math.Log(1 - (float64(i)+0.5)/n))
	}
	for i, p := range []int64{1, 50, 95, 99} {
		share := float64(p) / 100
		got := many.quantiles(1, 50, 95, 99)[i]
		if want := share * n; math.Abs(got/want-1) > 0.0051 {
			t.Errorf("the %d %% quantile of 1 to %d is %v, want %v ±0.5 %%", p, n, got, want)
		}
		got = exponential.quantiles(1, 50, 95, 99)[i]
		if want := -math.Log(1 - share); math.Abs(got/want-1) > 0.0055 {
			t.Errorf("the %d %% quantile of an exponential distribution is %v, want %v ±0.5 %%", p, got, want)
		}
	}
	if !math.IsNaN((&sketch{}).quantiles(50)[0]) {
		t.Error("no values have a quantile")
	}
}

// Quantiles of pooled runs are those of all their values at once, as record counts them.
func TestMergedSketches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(1e-3, 1e6), 0, 1500), 1, 4).Draw(t, "runs")
		var pooled sketch
		var all []float64
		for _, values := range runs {
			var s sketch
			for _, v := range values {
				s.add(v)
			}
			pooled.merge(&s)
			all = append(all, values...)
		}
		if len(all) == 0 {
			return
		}
		slices.Sort(all)
		for _, p := range []int{1, 50, 95, 99, 100} {
			want, got := record.Percentile(all, p), pooled.quantiles(int64(p))[0]
			if !pooled.approximate() && got != want || math.Abs(got/want-1) > 0.0051 {
				t.Fatalf("the %d %% quantile of %d values is %v, want %v (approximate: %t)", p, len(all), got, want, pooled.approximate())
			}
		}
		if pooled.n != int64(len(all)) || pooled.least != all[0] || pooled.most != all[len(all)-1] {
			t.Fatalf("it has %d values from %v to %v", pooled.n, pooled.least, pooled.most)
		}
	})
}

// A thinned curve has only steps of the whole one, both ends, and no wide gaps in the bulk
// or in the tail.
func TestCurve(t *testing.T) {
	var s sketch
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		s.add(random.ExpFloat64())
	}
	whole, thin := s.steps(), s.curve(100)
	if len(thin) > 100 || len(thin) < 60 {
		t.Fatalf("%d points are kept of 1000, want up to 100", len(thin))
	}
	if thin[0] != whole[0] || thin[len(thin)-1] != whole[len(whole)-1] {
		t.Error("the ends are not kept")
	}
	tail := 0
	for i, p := range thin {
		if !slices.Contains(whole, p) {
			t.Errorf("%v is not a step of the whole curve", p)
		}
		if i > 0 && p.upTo-thin[i-1].upTo > 30 {
			t.Errorf("a gap of %d in 1000 after %v", p.upTo-thin[i-1].upTo, thin[i-1])
		}
		if p.upTo > 990 {
			tail++
		}
	}
	if tail < 8 {
		t.Errorf("%d points are in the last hundredth, want most of its 10", tail)
	}
}

// Thinning keeps the extremes of every span, in their order, and nothing else.
func TestThinKeepsExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float64Range(-1e6, 1e6)).Draw(t, "values")
		factor := rapid.IntRange(2, 9).Draw(t, "factor")
		thinned := thin(values, factor)
		at := 0
		for span := range slices.Chunk(values, 2*factor) {
			pair := thinned[at : at+2]
			at += 2
			if min(pair[0], pair[1]) != slices.Min(span) || max(pair[0], pair[1]) != slices.Max(span) {
				t.Fatalf("%v became %v", span, pair)
			}
			if slices.Index(span, pair[0]) > len(span)-1-slices.Index(reversed(span), pair[1]) {
				t.Fatalf("%v became %v, which is not in its order", span, pair)
			}
		}
		if at != len(thinned) {
			t.Fatalf("%d values became %d", len(values), len(thinned))
		}
		most := rapid.IntRange(2, 100).Draw(t, "most")
		if n := len(thin(values, factorFor(len(values), most))); n > max(most, 2) {
			t.Fatalf("%d values are kept, want up to %d", n, most)
		}
	})
}

func reversed(values []float64) []float64 {
	r := slices.Clone(values)
	slices.Reverse(r)
	return r
}

func TestThinGaps(t *testing.T) {
	nan := math.NaN()
	got := thin([]float64{nan, nan, nan, nan, nan, 3, nan, 1}, 2)
	if len(got) != 4 || !math.IsNaN(got[0]) || !math.IsNaN(got[1]) || got[2] != 3 || got[3] != 1 {
		t.Errorf("thinned to %v, want a gap and then 3, 1", got)
	}
}

func TestSizes(t *testing.T) {
	for size, want := range map[unit.Bytes]unit.Bytes{1: 1, 2: 2, 4: 2, 5: 5, 9: 5, 10: 10, 4096: 2000, 5000: 5000, 99999: 50000, 1 << 40: 1e12} {
		if got := binOf(size); got != want {
			t.Errorf("a message of %d is in the bin of %d, want %d", size, got, want)
		}
	}
	flows := func(sizes int) []record.Flow {
		var list []record.Flow
		for i := range 1000 {
			f := record.Flow{Group: "g", Measured: i%10 != 0, Bytes: unit.Bytes(1000 * (i%sizes + 1)), End: unit.Microsecond, Ideal: unit.Microsecond}
			if i%100 == 1 {
				f.End = record.Unfinished
			}
			list = append(list, f)
		}
		return list
	}
	few := reduceFlows(flows(3))[0]
	if few.binned || len(few.sizes) != 3 {
		t.Errorf("3 sizes became %d, binned: %t", len(few.sizes), few.binned)
	}
	if few.all.messages != 900 || few.all.unfinished() != 10 {
		t.Errorf("%d messages, %d unfinished, want 900 measured, 10 unfinished", few.all.messages, few.all.unfinished())
	}
	many := reduceFlows(flows(50))[0]
	if !many.binned || len(many.sizes) != 5 {
		t.Errorf("50 sizes up to 50 kB became %d, binned: %t, want the bins of 2, 5, 10, 20, 50 kB", len(many.sizes), many.binned)
	}
	total := int64(0)
	for bin, s := range many.sizes {
		total += s.messages
		if s.from < bin || binOf(s.to) != bin {
			t.Errorf("the bin of %d has messages from %d to %d", bin, s.from, s.to)
		}
	}
	few.merge(many)
	if total != 900 || few.all.messages != 1800 || !few.binned {
		t.Errorf("bins have %d messages, want 900; merged %d, want 1800", total, few.all.messages)
	}
}

func TestParameters(t *testing.T) {
	scenarios := []json.RawMessage{
		[]byte(`{"weft":1,"name":"a","seed":1,"transport":{"rto":null,"balancer":{"kind":"ops"}},"topology":{"rate":"400Gbps"},"fabric":{"credits":null},
			"traffic":[{"name":"web","size":"1MiB","transport":{"balancer":{"kind":"ops"}}}],"faults":[],"record":{"ports":["a","b"]}}`),
		[]byte(`{"weft":1,"name":"b","seed":2,"transport":{"rto":null,"balancer":{"kind":"arcane","buffer":8}},"topology":{"rate":"400Gbps"},"fabric":{"credits":{"queue":"672B"}},
			"traffic":[{"name":"web","size":"2MiB","transport":{"balancer":{"kind":"arcane","buffer":8}}}],"faults":[{"kind":"link-down"}],"record":{"ports":["a","b"]}}`),
	}
	differ, same, err := parameters(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	want := []param{
		{"fabric.credits.queue", []string{"", "672B"}},
		{"faults", []string{"none", ""}},
		{"faults[0].kind", []string{"", "link-down"}},
		{"traffic.web.size", []string{"1MiB", "2MiB"}},
		{"transport.balancer.kind", []string{"ops", "arcane"}},
		{"transport.balancer.buffer", []string{"", "8"}},
	}
	if d := cmp.Diff(want, differ); d != "" {
		t.Errorf("what differs (-want +got):\n%s", d)
	}
	want = []param{
		{"record.ports", []string{"a, b", "a, b"}},
		{"topology.rate", []string{"400Gbps", "400Gbps"}},
		{"transport.rto", []string{"unset", "unset"}},
	}
	if d := cmp.Diff(want, same); d != "" {
		t.Errorf("what is the same (-want +got):\n%s", d)
	}
	if _, _, err := parameters([]json.RawMessage{[]byte("{")}); err == nil || !strings.Contains(err.Error(), "run it again") {
		t.Errorf("error %v of a damaged scenario", err)
	}
}

// Credit is a kind of its own, by place, and is where it is until there is another row;
// it takes no place among ports.
func TestCreditSeries(t *testing.T) {
	const bucket = 10 * unit.Microsecond
	r := &record.Result{Manifest: record.Manifest{Interval: bucket}}
	row := func(kind, entity string, at unit.Time, value int64) {
		r.Series = append(r.Series, record.Series{Kind: kind, Entity: entity, Time: at * bucket, Value: value})
	}
	for i := range mostLines {
		row(record.Queue, fmt.Sprintf("port%d", i), 4, 1000)
	}
	row(record.CreditAtSenders, record.CreditEntity, 0, 5000)
	row(record.CreditAtSenders, record.CreditEntity, 3, 7000)
	row(record.CreditInFlight, record.CreditEntity, 1, 1000)
	lines, left := reduceSeries(r)
	if len(lines) != mostLines+2 || len(left) != 0 {
		t.Fatalf("%d lines, %v left out", len(lines), left)
	}
	for entity, want := range map[string][]float64{"at senders": {5, 5, 5, 7, 7}, "in flight": {0, 1, 1, 1, 1}} {
		i := slices.IndexFunc(lines, func(l line) bool { return l.kind == credit && l.entity == entity })
		if i < 0 || !slices.Equal(lines[i].values, want) {
			t.Errorf("%s: line %d of %+v, want %v", entity, i, lines, want)
		}
	}
}

package report

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"pgregory.net/rapid"

	"weft/record"
	"weft/unit"
)

func labels(t []plot.Tick) string {
	var all []string
	for _, tick := range t {
		if !tick.IsMinor() {
			all = append(all, tick.Label)
		}
	}
	return strings.Join(all, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		most     int
		want     string
	}{
		{0, 1, 5, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{0, 1400, 6, "0 250 500 750 1000 1250"},
		{0, 470, 5, "0 100 200 300 400"},
		{0, 10, 4, "0.0 2.5 5.0 7.5 10.0"},
		{-1, 1, 4, "-1.0 -0.5 0.0 0.5 1.0"},
		{0, 0.0007, 4, "0.0000 0.0002 0.0004 0.0006"},
		{0, 9.5, 1, "0"},
		{1312.9, 1315.6, 5, "1313 1314 1315"},
	} {
		if got := labels(ticks(c.most).Ticks(c.from, c.to)); got != c.want {
			t.Errorf("%d ticks of %v to %v: %s, want %s", c.most, c.from, c.to, got, c.want)
		}
	}
}

// TestTicksInUnits: an axis of microseconds that says milliseconds has its ticks at whole ones.
func TestTicksInUnits(t *testing.T) {
	got := inUnits{ticks(6), 1000}.Ticks(0, 52_300)
	if want := "0 10 20 30 40 50"; labels(got) != want || got[1].Value != 10_000 {
		t.Errorf("%s at %v, want %s at 0, 10000, …", labels(got), got, want)
	}
}

func TestWholeNumbersHaveWholeTicks(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{0, 1, 2}, "0 1 2"},
		{[]float64{3, 5}, "3 4 5"},
		{[]float64{0, 1.5, 2}, "0.0 0.5 1.0 1.5 2.0"},
		{[]float64{0, 15}, "0 5 10 15"},
	} {
		p, s := newPlot("", ""), newSpan()
		for _, v := range c.values {
			s.add(plotter.XYs{{X: v}}, func(q plotter.XY) float64 { return q.X })
		}
		s.apply(&p.X, false, false)
		if got := labels(p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max)); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

func TestTicksAreFewAndRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Float64Range(-1e6, 1e6).Draw(t, "from")
		to := from + math.Pow(10, rapid.Float64Range(-3, 9).Draw(t, "log width"))
		most := rapid.IntRange(2, 8).Draw(t, "most")
		got := ticks(most).Ticks(from, to)
		if len(got) == 0 || len(got) > most+1 {
			t.Errorf("%d ticks, want at least one and at most %d", len(got), most+1)
		}
		seen := map[string]bool{}
		for _, tick := range got {
			if seen[tick.Label] {
				t.Errorf("two ticks are labelled %s", tick.Label)
			}
			seen[tick.Label] = true
		}
	})
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		want     string
	}{
		{0.09, 1500, "0.1 1 10 100 1000"},
		{10, 300, "10 20 50 100 200"},
		{2700, 5100, "3000 4000 5000"},
		{41, 44, "41 42 43 44"},
	} {
		if got := labels(logTicks{}.Ticks(math.Log10(c.from)-1e-9, math.Log10(c.to)+1e-9)); got != c.want {
			t.Errorf("ticks of %v to %v: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

func TestStylesDiffer(t *testing.T) {
	seen := map[[2]any]int{}
	for i := range styleCount * styleCount {
		s := styleOf(i)
		key := [2]any{s.color, s.glyph}
		if j, ok := seen[key]; ok {
			t.Fatalf("styles %d and %d are the same", i, j)
		}
		seen[key] = i
	}
}

func TestSteps(t *testing.T) {
	got := steps([]float64{1, 2, 2, 5}, 8)
	want := plotter.XYs{{X: 1, Y: 0}, {X: 1, Y: 1.0 / 8}, {X: 2, Y: 2.0 / 8}, {X: 2, Y: 3.0 / 8}, {X: 5, Y: 4.0 / 8}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStepsOfManyKeepTheTail(t *testing.T) {
	values := make([]float64, 100000)
	for i := range values {
		values[i] = float64(i)
	}
	got := steps(values, float64(len(values)))
	if len(got) > 2*mostSteps+1000 {
		t.Errorf("%d points", len(got))
	}
	for i := 1; i <= 1000; i++ {
		p := got[len(got)-i]
		if want := values[len(values)-i]; p.X != want || p.Y != (want+1)/100000 {
			t.Fatalf("point %d from the end is %v, want %v", i, p, want)
		}
	}
}

func TestEnvelope(t *testing.T) {
	got := envelope(map[string]*port{
		"a": {accepted: []int64{1, 9}, queue: []int64{5}, dropped: []int64{0, 6}, rate: 10},
		"b": {accepted: []int64{2, 8, 7}, rate: 20},
		"c": {accepted: []int64{3}, transmitted: []int64{4}},
	})
	want := map[string]*port{
		"largest":  {accepted: []int64{3, 9, 7}, transmitted: []int64{4}, queue: []int64{5}, dropped: []int64{0, 6}, rate: 20},
		"median":   {accepted: []int64{2, 8, 0}, transmitted: []int64{0}, queue: []int64{0}, dropped: []int64{0, 0}},
		"smallest": {accepted: []int64{1, 0, 0}, transmitted: []int64{0}, queue: []int64{0}, dropped: []int64{0, 0}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(port{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Connections come and go: those that are not there do not count.
func TestWindowEnvelope(t *testing.T) {
	got := windowEnvelope(map[string]*connection{
		"a": {window: []int64{absent, absent, 9, 1}},
		"b": {window: []int64{2, absent, 8}},
		"c": {window: []int64{0}},
	})
	want := map[string]*connection{
		"largest":  {window: []int64{2, absent, 9, 1}},
		"median":   {window: []int64{0, absent, 8, 1}},
		"smallest": {window: []int64{0, absent, 8, 1}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(connection{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStretches(t *testing.T) {
	got := stretches([]int64{absent, 1000, 2000, absent, absent, 3500}, 5, 1000)
	want := []plotter.XYs{{{X: 5, Y: 1}, {X: 10, Y: 2}}, {{X: 25, Y: 3.5}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// 2500 bytes in 20 ns are 1000 Gbps, and a queue of 1500 bytes is 1.5 KB.
func TestSeriesUnits(t *testing.T) {
	if got, want := throughput([]int64{2500}, 2, 0.02), (plotter.XYs{{X: 0.01, Y: 1000}, {X: 0.03, Y: 0}}); cmp.Diff(want, got) != "" {
		t.Errorf("rates %v, want %v", got, want)
	}
	if got, want := queues([]int64{1500}, 2, 0.02), (plotter.XYs{{X: 0, Y: 1.5}, {X: 0.02, Y: 0}}); cmp.Diff(want, got) != "" {
		t.Errorf("queues %v, want %v", got, want)
	}
}

func TestMarksShareLabelsWhenCrowded(t *testing.T) {
	var marks []record.Mark
	for i := range 40 {
		marks = append(marks, record.Mark{At: unit.Time(100+7*i) * unit.Microsecond, What: "flap"})
	}
	marks = append(marks, record.Mark{At: 900 * unit.Microsecond, What: "end"}, record.Mark{At: 2000 * unit.Microsecond, What: "outside"})
	got := placeMarks(marks, 1000, 200)
	var texts []string
	for _, l := range got.labels {
		texts = append(texts, l.text)
	}
	if diff := cmp.Diff([]string{"end", "flap and 39 more"}, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A curve ends at the share of all messages that finished: those that the run did not
// come to start count, in proportion if rows are a sample.
func TestCurvesEndAtTheShareOfAll(t *testing.T) {
	const us = unit.Microsecond
	result := &record.Result{Summary: record.Summary{Stats: record.Stats{Messages: 6, Unfinished: 2, Planned: 60}}}
	for id, end := range []unit.Time{us, 2 * us, record.Unfinished} { // every other row
		result.Flows = append(result.Flows, record.Flow{ID: uint64(id), Measured: true, Bytes: 1, End: end})
	}
	r, err := reduce("ring", result)
	if err != nil {
		t.Fatal(err)
	}
	curve := steps(r.groups[0].fcts, r.groups[0].messages)
	if got, want := curve[len(curve)-1].Y, 2.0/30; math.Abs(got-want) > 1e-12 {
		t.Errorf("the curve ends at %v, want %v", got, want)
	}
	if got, want := r.label(columnWidth), "ring (56 of 60 unfinished)"; got != want {
		t.Errorf("the legend says %q, want %q", got, want)
	}
	r.Stats = record.Stats{Messages: 1000, Unfinished: 10}
	if got := r.label(columnWidth); got != "ring" {
		t.Errorf("of a few unfinished messages the legend says %q", got)
	}
}

// A control that only paces has no window to draw.
func TestUnlimitedWindows(t *testing.T) {
	r := &record.Result{Manifest: record.Manifest{Interval: unit.Microsecond}}
	for b, window := range []int64{record.Unlimited, 3000} {
		at := unit.Time(b) * unit.Microsecond
		r.Series = append(r.Series,
			record.Series{Kind: record.Window, Entity: "a->b", Time: at, Value: window},
			record.Series{Kind: record.Pace, Entity: "a->b", Time: at, Value: 5e9})
	}
	var out run
	if err := out.series(r); err != nil {
		t.Fatal(err)
	}
	want := map[string]*connection{"a->b": {window: []int64{absent, 3000}, pace: []int64{5e9, 5e9}}}
	if diff := cmp.Diff(want, out.windows, cmp.AllowUnexported(connection{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBucketsOfPorts: lines end when nothing comes any more, unless the run has a stated end, which they reach.
func TestBucketsOfPorts(t *testing.T) {
	r := run{interval: 10, ports: map[string]*port{"a": {accepted: []int64{5, 0, 0, 0, 0, 0}}, "b": {queue: []int64{0, 3, 0, 0, 0, 0, 1}}}}
	r.Simulated = 60
	for ended, want := range map[record.Ending]int{record.Drained: 7, record.Stuck: 7, record.Until: 6, record.Interrupted: 6} {
		if r.Ended = ended; r.buckets() != want {
			t.Errorf("%s, with a queue at its end: %d buckets, want %d", ended, r.buckets(), want)
		}
	}
	r.ports["b"].queue = []int64{0, 3}
	r.Simulated = 59
	for ended, want := range map[record.Ending]int{record.Drained: 3, record.Stuck: 3, record.Until: 6, record.Interrupted: 6} {
		if r.Ended = ended; r.buckets() != want {
			t.Errorf("%s: %d buckets, want %d", ended, r.buckets(), want)
		}
	}
}

// TestScaleOfGoodput: axes of studies have a unit in which the largest goodput has few digits.
func TestScaleOfGoodput(t *testing.T) {
	for largest, want := range map[float64]valueScale{0: {"Gb/s", 1}, 0.09: {"Mb/s", 1e-3}, 1: {"Gb/s", 1}, 9999: {"Gb/s", 1}, 1e4: {"Tb/s", 1e3}} {
		if got := valueScaleOf("Gb/s", largest); got != want {
			t.Errorf("at most %v Gb/s: %v, want %v", largest, got, want)
		}
	}
}

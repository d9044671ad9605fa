package study

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/record"
	"weft/record/section"
	"weft/record/section/detours"
	"weft/unit"
)

// overLoads is a study of two variants and two loads; at the higher load the runs of the
// first are as told by change.
func overLoads(change func(seed uint64, s *record.Summary) *Entry) *Table {
	return made(twoAxes(), 3, func(levels []int, seed uint64) *Entry {
		s := summaryOf(unit.Time(100+int64(seed)+20*int64(levels[0]))*unit.Microsecond, 0, "main", "background")
		if levels[0] == 0 && levels[1] == 1 {
			if e := change(seed, &s); e != nil {
				return e
			}
		}
		return done(s)
	}).Table()
}

// TestWhatDidNotFinishHasNoValue holds tables to never showing what the few took that
// finished.
func TestWhatDidNotFinishHasNoValue(t *testing.T) {
	for name, tt := range map[string]struct {
		change             func(seed uint64, s *record.Summary) *Entry
		p99, runtime, main string
		note               string
	}{
		"whole": {func(uint64, *record.Summary) *Entry { return nil }, "", "", "", ""},
		"in flight at the end": {func(_ uint64, s *record.Summary) *Entry {
			s.Unfinished = 1
			return nil
		}, "", Unfinished, "", ""},
		"one seed unfinished": {func(seed uint64, s *record.Summary) *Entry {
			if seed == 2 {
				s.Unfinished = 60
			}
			return nil
		}, Unfinished, Unfinished, "", "more than 1 %"},
		"not started": {func(_ uint64, s *record.Summary) *Entry {
			s.Planned = 200
			return nil
		}, Unfinished, Unfinished, "", "more than 1 %"},
		"one group": {func(_ uint64, s *record.Summary) *Entry {
			s.Groups[0].Unfinished = 100
			return nil
		}, "", "", Unfinished, ""},
		"stuck": {func(seed uint64, s *record.Summary) *Entry {
			s.Partial = seed == 1
			return nil
		}, Unfinished, Unfinished, Unfinished, "got stuck"},
		"failed": {func(seed uint64, _ *record.Summary) *Entry {
			if seed == 1 {
				return &Entry{Status: Failed, Message: "out of range"}
			}
			return nil
		}, RunsFailed, RunsFailed, RunsFailed, "has no result"},
	} {
		t.Run(name, func(t *testing.T) {
			table := overLoads(tt.change)
			metrics := []string{"fct_p99_us", "runtime_us", "main.fct_p99_us", "unfinished", "drops"}
			rows, err := table.Text(metrics)
			if err != nil {
				t.Fatal(err)
			}
			bad := rows[2][len(table.Axes)+1:] // below the heading and the lower load
			for k, want := range []string{tt.p99, tt.runtime, tt.main, "", ""} {
				if got := bad[k]; want != "" && got != want || want == "" && (got == Unfinished || got == RunsFailed) {
					t.Errorf("%s reads %q, want %q", metrics[k], got, want)
				}
			}
			if note := table.InsteadNote(metrics[:1]); tt.note == "" && note != "" || !strings.Contains(note, tt.note) {
				t.Errorf("the note is %q, want one with %q", note, tt.note)
			}
			for _, c := range table.Contests(table.VariantAxis()) {
				r := table.Rank(&c, table.Column("fct_p99_us"))
				best := 0 // which is faster
				if c.Name == "load 60%" && tt.p99 != "" {
					best = 1
				}
				if r.Order[0] != best {
					t.Errorf("at %s variant %d is the best, want %d", c.Name, r.Order[0], best)
				}
			}
		})
	}
}

// TestWindowsKeepTheirGoodput holds saturated cells of open loops to what arrived within the window, and a burst
// that another variant finishes to nothing.
func TestWindowsKeepTheirGoodput(t *testing.T) {
	for _, tt := range []struct{ partial, burst bool }{{}, {partial: true}, {burst: true}} {
		table := made(twoAxes(), 2, func(levels []int, seed uint64) *Entry {
			completed := 200 * unit.Gbps
			s := summaryOf(100*unit.Microsecond, 60, "main", "background")
			s.Hosts, s.Completed, s.Sections = 10, &completed, section.Set{&detours.Counts{Packets: 4, Detours: 1}}
			s.Stability = &record.Stability{Growth: 0.5}
			if tt.burst && levels[0] == 1 {
				s.Stability = nil
			}
			s.Partial = tt.partial && levels[1] == 1 && seed == 1
			return done(s)
		}).Table()
		for metric, kept := range map[string]bool{
			"goodput_gbps": true, "host_goodput_gbps": true, "host_completed_gbps": true, "detours_percent": true, "main.goodput_gbps": true,
			"fct_p99_us": false, "slowdown_bare_p99": false, "runtime_us": false, "main.fct_mean_us": false,
		} {
			want := Unfinished
			if kept && !tt.partial && !tt.burst {
				want = ""
			}
			if e, got := table.Value(&table.Cells[1], table.Column(metric)); got != want || e.N == 0 {
				t.Errorf("%+v: %s reads %q in place of %v, want %q", tt, metric, got, e, want)
			}
		}
	}
}

func TestRank(t *testing.T) {
	axes := []Axis{{Name: "variant", Levels: []string{"a", "b", "c"}}}
	for name, tt := range map[string]struct {
		seeds  int
		values [3]float64 // the seeds are at 0, 1, 2, … above
		column string
		want   Ranking
		sure   bool
	}{
		"separated":      {5, [3]float64{10, 20, 30}, "fct_p99_us", Ranking{Order: []int{0, 1, 2}}, true},
		"not separated":  {5, [3]float64{12, 10, 30}, "fct_p99_us", Ranking{Order: []int{1, 0, 2}, Near: []int{0}}, false},
		"more is better": {5, [3]float64{10, 20, 30}, "goodput_gbps", Ranking{Order: []int{2, 1, 0}}, true},
		"one seed":       {1, [3]float64{10, 20, 30}, "fct_p99_us", Ranking{Order: []int{0, 1, 2}, OneSeed: true}, false},
		"neutral":        {5, [3]float64{10, 20, 30}, "ecn_marks", Ranking{}, false},
		"equal":          {5, [3]float64{10, 10, 30}, "fct_p99_us", Ranking{Order: []int{0, 1, 2}, Near: []int{1}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			table := made(axes, tt.seeds, func(levels []int, seed uint64) *Entry {
				v := tt.values[levels[0]] + float64(seed) - 1
				s := summaryOf(unit.Time(v)*unit.Microsecond, 0)
				s.Goodput, s.ECNMarks = unit.Rate(v)*unit.Gbps, int64(v)
				return done(s)
			}).Table()
			contests := table.Contests(table.VariantAxis())
			if len(contests) != 1 || contests[0].Name != "" {
				t.Fatalf("the contests are %+v, want one without a name", contests)
			}
			got := table.Rank(&contests[0], table.Column(tt.column))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if got.Separated() != tt.sure {
				t.Errorf("separated: %t, want %t", got.Separated(), tt.sure)
			}
		})
	}
}

// TestContestsAreOfOneLoad holds rankings to one combination of the other axes.
func TestContestsAreOfOneLoad(t *testing.T) {
	table := mixed().Table()
	axis := table.VariantAxis()
	want := []Contest{
		{Name: "load 20%", Levels: []int{NoAxis, 0}, Cells: []int{0, 2}},
		{Name: "load 60%", Levels: []int{NoAxis, 1}, Cells: []int{1, 3}},
	}
	if diff := cmp.Diff(want, table.Contests(axis)); diff != "" {
		t.Error(diff)
	}
	table.Cells = table.Cells[:3] // one cell is excluded
	if diff := cmp.Diff([]int{1, NoAxis}, table.Contests(axis)[1].Cells); diff != "" {
		t.Error(diff)
	}
	if alone := table.Contests(NoAxis); len(alone) != 3 || alone[1].Name != "variant ECMP, load 60%" {
		t.Errorf("without variants the contests are %+v, want one a cell", alone)
	}
}

func TestVariantAxis(t *testing.T) {
	load := Axis{Name: "load", Path: "traffic.a.arrival.load", Levels: []string{"1", "2"}, Numbers: []float64{1, 2}}
	axis := func(name, path string) Axis { return Axis{Name: name, Path: path, Levels: []string{"a", "b"}} }
	for name, tt := range map[string]struct {
		axes []Axis
		want int
	}{
		"compare":          {[]Axis{load, axis("variant", ""), axis("balancer", "transport.balancer")}, 1},
		"balancer":         {[]Axis{load, axis("fault", ""), axis("balancer", "transport.balancer")}, 2},
		"levels of a name": {[]Axis{load, axis("scheme", "")}, 1},
		"queues":           {[]Axis{load, axis("topology", "topology.kind"), axis("trim", "queues.trim")}, 2},
		"topologies":       {[]Axis{load, axis("topology", "topology.kind")}, 1},
		"workloads only":   {[]Axis{load, axis("pattern", "traffic.a.pattern")}, NoAxis},
		"one level":        {[]Axis{load, {Name: "variant", Levels: []string{"a"}}}, NoAxis},
	} {
		if got := (&Table{Axes: tt.axes}).VariantAxis(); got != tt.want {
			t.Errorf("%s: axis %d holds the variants, want %d", name, got, tt.want)
		}
	}
}

package study

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"weft/internal/csvfile"
	"weft/record"
	"weft/unit"
)

var update = flag.Bool("update", false, "write the golden files anew")

// summaryOf makes a summary with a few numbers, as a run of two groups of traffic
// would leave it.
func summaryOf(runtime unit.Time, unfinished int64, groups ...string) record.Summary {
	stats := record.Stats{Messages: 100, Unfinished: unfinished, Runtime: runtime, Goodput: 300 * unit.Gbps}
	stats.FCT.Mean, stats.FCT.P50, stats.FCT.P99, stats.FCT.Max = runtime/2, runtime/3, runtime, runtime
	stats.Slowdown.P50, stats.Slowdown.P99 = 1.25, 3.5
	stats.SlowdownBare = stats.Slowdown
	s := record.Summary{Stats: stats}
	for i, name := range groups {
		g := record.Group{Name: name, Stats: stats}
		g.Runtime += unit.Time(i) * unit.Microsecond
		s.Groups = append(s.Groups, g)
	}
	return s
}

// made returns a study of two axes and three seeds whose runs ended as told by end,
// which returns nil for a run that has not ended.
func made(axes []Axis, seeds int, end func(levels []int, seed uint64) *Entry) *Study {
	p := &Plan{Name: "made", Program: "test", Axes: axes}
	for seed := range seeds {
		p.Seeds = append(p.Seeds, uint64(seed+1))
	}
	levels := make([]int, len(axes))
	var walk func(i int)
	walk = func(i int) {
		if i < len(axes) {
			for levels[i] = range axes[i].Levels {
				walk(i + 1)
			}
			return
		}
		p.Cells = append(p.Cells, PlannedCell{Name: fmt.Sprint(levels), Levels: slices.Clone(levels), Hash: fmt.Sprint(levels)})
	}
	walk(0)
	s := &Study{Plan: p, index: &index{entries: map[string]Entry{}}}
	for _, r := range p.Runs() {
		if e := end(p.Cells[r.Cell].Levels, r.Seed); e != nil {
			e.Key, e.Seed, e.Name = r.Key, r.Seed, p.Cells[r.Cell].Name
			s.index.entries[r.Key] = *e
		}
	}
	return s
}

func done(s record.Summary) *Entry {
	e := new(Entry)
	e.summarized(&s)
	return e
}

func twoAxes() []Axis {
	return []Axis{
		{Name: "variant", Levels: []string{"ECMP", "ARCANE"}},
		{Name: "load", Path: "traffic[0].arrival.load", Levels: []string{"20%", "60%"}, Numbers: []float64{20, 60}, Unit: "%"},
	}
}

// mixed is a study in which everything occurs: cells that are whole, that lack a run,
// that have failed or been cut short, and that have not begun.
func mixed() *Study {
	return made(twoAxes(), 3, func(levels []int, seed uint64) *Entry {
		s := summaryOf(unit.Time(100+10*int64(seed)*int64(1+levels[0]))*unit.Microsecond, 0, "main", "background")
		switch {
		case levels[0] == 0 && levels[1] == 0:
			return done(s)
		case levels[0] == 0 && seed == 3:
			return &Entry{Status: Failed, Message: "out of range"}
		case levels[0] == 0 && seed == 2:
			s.Partial, s.Cause = true, "tor0->spine0: no route"
			return done(s)
		case levels[0] == 0:
			return done(s)
		case levels[1] == 0 && seed > 1:
			return nil
		case levels[1] == 0:
			s.Drops.QueueFull = 12
			return done(s)
		case seed == 1:
			return &Entry{Status: Dead, Message: "killed"}
		}
		return nil
	})
}

func TestTable(t *testing.T) {
	table := mixed().Table()
	type counts struct{ Runs, Done, Partial, Failed, Values int }
	want := []counts{{3, 3, 0, 0, 3}, {3, 1, 1, 1, 1}, {3, 1, 0, 0, 1}, {3, 0, 0, 1, 0}}
	runtime := table.Column("runtime_us")
	var got []counts
	for _, c := range table.Cells {
		got = append(got, counts{c.Runs, c.Done, c.Partial, c.Failed, c.Estimates[runtime].N})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e := table.Cells[0].Estimates[runtime]; e.Mean != 120 || e.Low != 110 || e.High != 130 {
		t.Errorf("the runtime is %+v", e)
	}
	// A run that was cut short does not count, however short it is.
	if e := table.Cells[1].Estimates[runtime]; e.Mean != 110 || !math.IsNaN(e.Low) {
		t.Errorf("beside runs that don't count, the runtime is %+v", e)
	}
	if table.Column("none") != -1 || table.Column("main.runtime_us") < 0 {
		t.Error("columns are not found by name")
	}
}

func TestColumnsKeepTheOrderOfSummaries(t *testing.T) {
	table := mixed().Table()
	s := summaryOf(1, 0, "background", "main")
	var want, got []string
	for _, m := range s.Metrics() {
		if table.Column(m.Name) >= 0 { // some run has it
			want = append(want, m.Name)
		}
	}
	for _, m := range table.Metrics {
		got = append(got, m.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	c := table.Metrics[table.Column("background.fct_p99_us")]
	if c.Title != "background: p99 FCT" || c.Unit != "µs" || !c.LowerIsBetter {
		t.Errorf("%+v", c)
	}
}

// TestMetricsThatDoNotExist: a number that a run does not have counts neither as 0
// nor in N.
func TestMetricsThatDoNotExist(t *testing.T) {
	table := made(twoAxes()[:1], 2, func(levels []int, seed uint64) *Entry {
		s := summaryOf(100*unit.Microsecond, 0)
		if seed == 2 {
			s.Runtime = 0
		}
		return done(s)
	}).Table()
	c := table.Cells[0]
	if e := c.Estimates[table.Column("runtime_us")]; c.Done != 2 || e.N != 1 || e.Mean != 100 {
		t.Errorf("%+v", e)
	}
}

func TestFailures(t *testing.T) {
	var got []string
	for _, e := range mixed().Failures(Part{}) {
		got = append(got, fmt.Sprint(e.Name, " ", e.Status))
	}
	want := []string{"[0 1] partial", "[0 1] failed", "[1 1] dead"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
	}
}

func TestWriteCSV(t *testing.T) {
	var b bytes.Buffer
	table := mixed().Table()
	if err := table.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "mixed.csv", b.Bytes())
}

// TestNoCellOfCSVIsAFormula looks at names that a spreadsheet would run.
func TestNoCellOfCSVIsAFormula(t *testing.T) {
	levels := []string{`=HYPERLINK("http://x";"y")`, "@x", "-1", "+y"}
	axes := []Axis{{Name: "=1+1", Levels: levels}}
	s := made(axes, 1, func([]int, uint64) *Entry { return done(summaryOf(unit.Microsecond, 0)) })
	var b bytes.Buffer
	if err := s.Table().WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, row := range rows {
		got = append(got, row[0])
		if want := append([]string{"=1+1"}, levels...)[i]; csvfile.Text(row[0]) != want {
			t.Errorf("%q stands for %q", row[0], want)
		}
	}
	if diff := cmp.Diff([]string{"'=1+1", `'=HYPERLINK("http://x";"y")`, "'@x", "-1", "'+y"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWriteMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := mixed().Table().WriteMarkdown(&b, MainMetrics()); err != nil {
		t.Fatal(err)
	}
	golden(t, "mixed.md", b.Bytes())
}

func TestMarkdownKeepsItsCells(t *testing.T) {
	axes := []Axis{{Name: "a|b", Levels: []string{`x|y`, "two\nlines", `back\slash`}}}
	var b bytes.Buffer
	s := made(axes, 1, func([]int, uint64) *Entry { return done(summaryOf(unit.Microsecond, 0, "p|q")) })
	if err := s.Table().WriteMarkdown(&b, []string{"runtime_us", "p|q.runtime_us"}); err != nil {
		t.Fatal(err)
	}
	want := `| a\|b | runs | runtime µs | p\|q: runtime µs |
| --- | --- | ---: | ---: |
| x\|y | 1 | 1 | 1 |
| two lines | 1 | 1 | 1 |
| back\\slash | 1 | 1 | 1 |
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownMetrics(t *testing.T) {
	_, err := mixed().Table().Text([]string{"fct_p9_us"})
	if err == nil || !strings.Contains(err.Error(), `there is no metric "fct_p9_us"; did you mean fct_p99_us? The first line of weft study table DIR --csv has all `) {
		t.Errorf("got %v", err)
	}
	_, err = made(twoAxes(), 1, func([]int, uint64) *Entry { return nil }).Table().Text([]string{"drops"})
	if err == nil || err.Error() != "no run of made has ended, so there are no metrics yet" {
		t.Errorf("got %v", err)
	}
}

func TestStudyWithoutResults(t *testing.T) {
	table := made(twoAxes(), 2, func([]int, uint64) *Entry { return nil }).Table()
	var b bytes.Buffer
	if err := table.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	want := "variant,load,runs,done,partial,failed,notices\nECMP,20%,2,0,0,0,\nECMP,60%,2,0,0,0,\nARCANE,20%,2,0,0,0,\nARCANE,60%,2,0,0,0,\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if err := table.WriteParquet(&b); err != nil {
		t.Error(err)
	}
	b.Reset()
	if err := table.WriteMarkdown(&b, nil); err != nil || !strings.Contains(b.String(), "| ECMP | 20% | 0/2 |") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

// TestStudyWithoutAxes: seeds alone make a study of one cell.
func TestStudyWithoutAxes(t *testing.T) {
	table := made(nil, 2, func([]int, uint64) *Entry { return done(summaryOf(unit.Microsecond, 0)) }).Table()
	var b bytes.Buffer
	if err := table.WriteMarkdown(&b, []string{"runtime_us"}); err != nil {
		t.Fatal(err)
	}
	if want := "| runs | runtime µs |\n| --- | ---: |\n| 2 | 1 |\n"; b.String() != want {
		t.Errorf("got %s", b.String())
	}
}

// parquetRows reads a Parquet file as rows of text, with the columns of a CSV file.
func parquetRows(t *testing.T, text []byte, header []string) [][]string {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	for i, path := range f.Schema().Columns() {
		if len(path) != 1 {
			t.Fatalf("column %v is nested", path)
		}
		place[path[0]] = i
	}
	if len(place) != len(header) {
		t.Fatalf("there are %d columns, want %d", len(place), len(header))
	}
	r := parquet.NewReader(f)
	defer r.Close()
	rows := make([]parquet.Row, f.NumRows())
	n, _ := r.ReadRows(rows)
	out := [][]string{header}
	for _, row := range rows[:n] {
		line := make([]string, len(header))
		for i, name := range header {
			v := row[place[name]]
			switch {
			case v.IsNull():
			case v.Kind() == parquet.Double:
				line[i] = number(v.Double())
			default:
				line[i] = v.String()
			}
		}
		out = append(out, line)
	}
	return out
}

// TestParquetIsTheCSV reads a table back, and compares it with the text.
func TestParquetIsTheCSV(t *testing.T) {
	odd := []Axis{
		{Name: "runs", Levels: []string{"a, b", `"quoted"`}},
		{Name: "runtime_us", Levels: []string{"é|", "x\ny"}},
		{Name: "axis_runs", Levels: []string{"plain"}},
		{Name: "drops_low", Levels: []string{"1"}},
	}
	for name, s := range map[string]*Study{
		"mixed": mixed(),
		"odd":   made(odd, 2, func([]int, uint64) *Entry { return done(summaryOf(unit.Microsecond, 3, "main")) }),
		"empty": made(odd, 2, func([]int, uint64) *Entry { return nil }),
	} {
		t.Run(name, func(t *testing.T) {
			table := s.Table()
			var text, columns bytes.Buffer
			if err := table.WriteCSV(&text); err != nil {
				t.Fatal(err)
			}
			if err := table.WriteParquet(&columns); err != nil {
				t.Fatal(err)
			}
			want, err := csv.NewReader(&text).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, parquetRows(t, columns.Bytes(), want[0])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestColumnsHaveNamesOfTheirOwn(t *testing.T) {
	tests := []struct{ axes, want []string }{
		{[]string{"variant", "load"}, []string{"variant", "load"}},
		{[]string{"runs"}, []string{"axis_runs"}},
		{[]string{"runs", "axis_runs"}, []string{"axis_axis_runs", "axis_runs"}},
		{[]string{"runtime_us", "drops_n", "drops_high"}, []string{"axis_runtime_us", "axis_drops_n", "axis_drops_high"}},
	}
	for _, tt := range tests {
		table := &Table{Metrics: []Column{{Name: "runtime_us"}, {Name: "drops"}}}
		for _, name := range tt.axes {
			table.Axes = append(table.Axes, Axis{Name: name})
		}
		header := table.header()
		if got := header[:len(tt.axes)]; !reflect.DeepEqual(got, tt.want) {
			t.Errorf("axes %v have the columns %v, want %v", tt.axes, got, tt.want)
		}
		slices.Sort(header)
		if len(slices.Compact(header)) != len(tt.axes)+5+2*4 {
			t.Errorf("two columns have one name: %v", header)
		}
	}
}

func TestEstimatesAsText(t *testing.T) {
	nan := math.NaN()
	for want, e := range map[string]Estimate{
		"–":           {0, nan, nan, nan, nan, nan},
		"763.8":       {1, 763.8, nan, nan, 763.8, 763.8},
		"763.8 ± 2.5": {5, 763.8, 761.3, 766.3, 761, 767},
		"0":           {5, 0, 0, 0, 0, 0},
		// What rounds to the same is symmetric.
		"1460 ± 120":                 {5, 1462.7, 1344, 1582.7, 0, 2000},
		"1463 [1400, 1583]":          {5, 1462.7, 1400, 1582.7, 0, 2000},
		"0.20 [0.00, 0.60]":          {5, 0.2, 0, 0.6, 0, 1},
		"763.8 [762.0, 766.3]":       {5, 763.8, 762, 766.3, 761, 767},
		"1.2944532 ± 0.0000012":      {5, 1.29445321, 1.29445201, 1.29445441, 1, 2},
		"3.07011 [3.07001, 3.07041]": {5, 3.07011, 3.07001, 3.07041, 3, 4},
		"7.0 ± 1.0":                  {5, 7.02, 6.024, 8.016, 6, 9},
		"1057498 ± 12":               {5, 1057498, 1057486, 1057510, 1, 2e6},
		"0.001235":                   {1, 0.00123456, nan, nan, 0, 0},
		"12345678":                   {1, 12345678.4, nan, nan, 0, 0},
	} {
		if got := e.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestUnitsOfText demands one unit for all of a column of bytes, by its largest mean.
func TestUnitsOfText(t *testing.T) {
	e := func(mean float64) Estimate { return Estimate{N: 1, Mean: mean, Low: math.NaN(), High: math.NaN()} }
	for _, tt := range []struct {
		unit          string
		means         []float64
		title, second string
	}{
		{"B", []float64{1057498, 11702}, "m MB", "0.0117"},
		{"B", []float64{11702, 900}, "m kB", "0.9"},
		{"B", []float64{900, 0}, "m B", "0"},
		{"B", []float64{math.NaN(), math.NaN()}, "m B", "–"},
		{"µs", []float64{1057498, 11702}, "m µs", "11702"},
		{"", []float64{1057498, 11702}, "m", "11702"},
	} {
		table := &Table{Metrics: []Column{{Name: "m", Title: "m", Unit: tt.unit}}}
		for _, mean := range tt.means {
			c := Cell{Estimates: []Estimate{e(mean)}}
			if math.IsNaN(mean) {
				c.Estimates[0].N = 0
			}
			table.Cells = append(table.Cells, c)
		}
		rows, err := table.Text([]string{"m"})
		if err != nil {
			t.Fatal(err)
		}
		if rows[0][1] != tt.title || rows[2][1] != tt.second {
			t.Errorf("%v %s: %q, want %q over %q", tt.means, tt.unit, rows, tt.title, tt.second)
		}
	}
}

func TestQuantities(t *testing.T) {
	for _, tt := range []struct {
		labels  []string
		numbers []float64
		unit    string
	}{
		{[]string{"20%", "40%"}, []float64{20, 40}, "%"},
		{[]string{"10us", "1ms"}, []float64{10, 1000}, "µs"},
		{[]string{"100Gbps", "1Tbps"}, []float64{100, 1000}, "Gb/s"},
		{[]string{"64KiB", "1MiB"}, []float64{65536, 1048576}, "B"},
		{[]string{"1", "2.5"}, []float64{1, 2.5}, ""},
		{[]string{"0.5BDP", "2BDP"}, []float64{0.5, 2}, "BDP"},
		{[]string{"1BDP", "64KiB"}, nil, ""},
		{[]string{"ecmp", "ops"}, nil, ""},
		{[]string{"20%", "high"}, nil, ""},
		{[]string{"#1", "#2"}, nil, ""},
		{[]string{"3 spines", "4 spines"}, []float64{3, 4}, "spines"},
		{[]string{"64B+10us", "1B+20us"}, nil, ""},
		{[]string{"1e3", "NaN"}, nil, ""},
		{[]string{"inf", "1"}, nil, ""},
	} {
		numbers, unitName := quantities(tt.labels)
		if !slices.Equal(numbers, tt.numbers) || unitName != tt.unit {
			t.Errorf("%v: %v %q, want %v %q", tt.labels, numbers, unitName, tt.numbers, tt.unit)
		}
	}
}

// TestGroupsNote demands that several groups of traffic are named, and size groups are not.
func TestGroupsNote(t *testing.T) {
	var table Table
	for _, name := range []string{"fct_p50_us", "ring.fct_p50_us", "size:A.fct_p50_us"} {
		table.Metrics = append(table.Metrics, Column{Name: name})
	}
	if got := table.GroupsNote(); got != "" {
		t.Errorf("one group: %q", got)
	}
	table.Metrics = append(table.Metrics, Column{Name: "bg.fct_p50_us"})
	if got := table.GroupsNote(); !strings.Contains(got, "(ring, bg), as in --metric ring.fct_p50_us") {
		t.Errorf("two groups: %q", got)
	}
}

// TestFootnoteOfFewSeeds holds what is said of intervals to docs/results.md.
func TestFootnoteOfFewSeeds(t *testing.T) {
	for _, test := range []struct {
		seeds []int
		want  string
	}{
		{[]int{1, 1}, ""},
		{[]int{5, 8}, ""},
		{[]int{2, 2}, "These intervals are the extremes of 2 seeds, which cover the mean in at most 50 %"},
		{[]int{3, 3}, "75 %"},
		{[]int{4, 4}, "88 %"},
		{[]int{5, 4}, "The intervals of 1 of 2 cells"},
	} {
		var table Table
		for _, n := range test.seeds {
			table.Cells = append(table.Cells, Cell{Done: n})
		}
		if got := table.Footnote(); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%v: %q, want %q", test.seeds, got, test.want)
		}
	}
}

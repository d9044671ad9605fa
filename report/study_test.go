package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"

	"weft/study"
)

// TestStudyFigures draws everything; run it with -keep DIR to look at the figures.
func TestStudyFigures(t *testing.T) {
	for name, d := range studyDemos() {
		t.Run(name, func(t *testing.T) {
			dir, o := t.TempDir(), StudyOptions{Formats: []string{"svg"}}
			if *keep != "" {
				dir, o = filepath.Join(*keep, "study-"+name), StudyOptions{}
			}
			drawn, err := StudyFigures(d.table(), dir, o)
			if err != nil {
				t.Fatal(err)
			}
			if len(drawn.Files) < 5 {
				t.Errorf("drew only %v", drawn.Files)
			}
			for _, path := range drawn.Files {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if filepath.Ext(path) == ".svg" {
					checkXML(t, path, text)
				}
			}
		})
	}
}

func everyStudyFigure(t interface{ Fatal(...any) }, table *study.Table, o StudyOptions) []*figure {
	v, err := newStudyView(table, o)
	if err != nil {
		t.Fatal(err)
	}
	var list []*figure
	for i := range table.Metrics {
		list = append(list, v.figures(i, paper{})...)
	}
	return list
}

func TestTextsOfStudiesAreWholeAndApart(t *testing.T) {
	for name, d := range studyDemos() {
		t.Run(name, func(t *testing.T) {
			for _, f := range everyStudyFigure(t, d.table(), StudyOptions{}) {
				checkTexts(t, f)
			}
		})
	}
}

func TestTextsOfAnyStudyAreWholeAndApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.StringOfN(rapid.SampledFrom([]rune("aWil 0-ARCANEé")), 1, 40, -1)
		var d studyDemo
		for i := range rapid.IntRange(1, 3).Draw(t, "axes") {
			name := fmt.Sprint(label.Draw(t, "name"), i)
			if rapid.Bool().Draw(t, "numeric") {
				n := rapid.IntRange(2, 9).Draw(t, "n")
				unit := rapid.SampledFrom([]string{"%", "KiB", "us", ""}).Draw(t, "unit")
				var labels []string
				for j := range n {
					labels = append(labels, fmt.Sprintf("%d%s", 1+j*rapid.IntRange(1, 3).Draw(t, "step"), unit))
				}
				slices.Sort(labels)
				d.axes = append(d.axes, numeric(name, unit, slices.Compact(labels)...))
				continue
			}
			d.axes = append(d.axes, words(name, rapid.SliceOfNDistinct(label, 2, 8, func(s string) string { return s }).Draw(t, "labels")...))
		}
		if len(d.axes) == 1 && len(d.axes[0].Levels) == 1 {
			t.Skip("nothing to draw")
		}
		d.runs = rapid.IntRange(1, 3).Draw(t, "runs")
		d.drops = rapid.Bool().Draw(t, "drops")
		d.unfinished = rapid.Bool().Draw(t, "unfinished")
		d.spread = rapid.SampledFrom([]float64{0, 0.1, 10}).Draw(t, "spread")
		v, err := newStudyView(d.table(), StudyOptions{})
		if err != nil {
			t.Skip("nothing to draw")
		}
		for i := range v.table.Metrics {
			for _, f := range v.figures(i, paper{}) {
				checkTexts(t, f)
			}
		}
	})
}

func TestAxesFindTheirPlaces(t *testing.T) {
	variants, load, faults := words("variant", "a", "b"), numeric("load", "%", "20%", "40%", "60%"), words("fault", "up", "down", "slow", "gone")
	size, single := numeric("size", "B", "1KiB", "2KiB"), numeric("tors", "", "2")
	tests := []struct {
		name string
		axes []study.Axis
		o    StudyOptions
		want string
	}{
		{"the numeric axis with most levels", []study.Axis{variants, faults, size, load}, StudyOptions{}, "x load, color variant, panels fault size"},
		{"no numeric axis", []study.Axis{variants, faults}, StudyOptions{}, "x fault, color variant, panels"},
		{"variants after something else", []study.Axis{faults, variants}, StudyOptions{}, "x fault, color variant, panels"},
		{"only variants", []study.Axis{variants}, StudyOptions{}, "x variant, panels"},
		{"only numbers", []study.Axis{load}, StudyOptions{}, "x load, panels"},
		{"a single level is no axis", []study.Axis{single, variants, load}, StudyOptions{}, "x load, color variant, panels"},
		{"all chosen", []study.Axis{variants, load, faults, size}, StudyOptions{X: "fault", Color: "size", Panels: []string{"load", "variant"}}, "x fault, color size, panels load variant"},
		{"one held", []study.Axis{variants, load, faults}, StudyOptions{Fix: map[string]string{"load": "40%"}}, "x fault, color variant, panels"},
		{"variants in panels", []study.Axis{variants, load, faults}, StudyOptions{Panels: []string{"variant"}}, "x load, color fault, panels variant"},
		{"the only axis given to colours", []study.Axis{variants}, StudyOptions{Color: "variant"}, "x variant, panels"},
		{"the only axis given to panels", []study.Axis{variants}, StudyOptions{Panels: []string{"variant"}}, "x variant, panels"},
		{"nothing", []study.Axis{single}, StudyOptions{}, errNoAxes.Error()},
		{"all held", []study.Axis{variants}, StudyOptions{Fix: map[string]string{"variant": "b"}}, errNoAxes.Error()},
		{"unknown axis", []study.Axis{variants, load}, StudyOptions{X: "laod"}, `there is no axis "laod"; did you mean "load"? There are variant, load`},
		{"unknown panels", []study.Axis{variants, load}, StudyOptions{Panels: []string{"zzz"}}, `there is no axis "zzz"; there are variant, load`},
		{"unknown level", []study.Axis{variants, load}, StudyOptions{Fix: map[string]string{"load": "41%"}}, `axis "load" has no level "41%"; did you mean "40%"? There are 20%, 40%, 60%`},
		{"held and shown", []study.Axis{variants, load}, StudyOptions{X: "load", Fix: map[string]string{"load": "40%"}}, `axis "load" cannot be both held at a level and the horizontal axis; leave one out`},
		{"twice in panels", []study.Axis{variants, load}, StudyOptions{Panels: []string{"load", "load"}}, `axis "load" cannot be both what panels differ in and what panels differ in; leave one out`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := newStudyView(studyDemo{axes: tt.axes}.table(), tt.o)
			if err != nil {
				if err.Error() != tt.want {
					t.Errorf("got the error %q, want %q", err, tt.want)
				}
				return
			}
			got := "x " + tt.axes[v.x].Name
			if v.color != none {
				got += ", color " + tt.axes[v.color].Name
			}
			got += ", panels"
			for _, i := range v.panels {
				got += " " + tt.axes[i].Name
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestStudyFiguresOfChosenMetrics(t *testing.T) {
	table := studyDemos()["load"].table()
	svg := []string{"svg"}
	base := func(d Drawn) (names []string) {
		for _, f := range d.Files {
			names = append(names, filepath.Base(f))
		}
		return names
	}
	drawn, err := StudyFigures(table, t.TempDir(), StudyOptions{Formats: svg})
	if want := []string{"runtime_us.svg", "goodput_gbps.svg", "fct_p50_us.svg", "fct_p99_us.svg", "slowdown_bare_p99.svg"}; err != nil || !slices.Equal(base(drawn), want) {
		t.Errorf("without drops, drew %v (%v), want %v", base(drawn), err, want)
	}
	drawn, err = StudyFigures(table, t.TempDir(), StudyOptions{Formats: svg, Metrics: []string{"drops", "background.fct_p99_us", "drops"}})
	if want := []string{"drops.svg", "background.fct_p99_us.svg"}; err != nil || !slices.Equal(base(drawn), want) {
		t.Errorf("drew %v (%v), want %v", base(drawn), err, want)
	}
	_, err = StudyFigures(table, t.TempDir(), StudyOptions{Metrics: []string{"fct_p9_us"}})
	if err == nil || !strings.Contains(err.Error(), `there is no metric "fct_p9_us"; did you mean fct_p99_us? The first line of weft study table DIR --csv has all `) {
		t.Errorf("an unknown metric gave %v", err)
	}
	if _, err = StudyFigures(table, t.TempDir(), StudyOptions{Formats: []string{"jpg"}}); err == nil {
		t.Error("drew a jpg")
	}
}

func TestStudyFiguresSayWhatIsMissing(t *testing.T) {
	load := studyDemos()["load"]
	notices := func(table *study.Table) string {
		t.Helper()
		d, err := StudyFigures(table, t.TempDir(), StudyOptions{Formats: []string{"svg"}})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(d.Notices, "\n")
	}
	table := load.table()
	table.Cells[0].Done = 2
	if got := notices(table); got != "3 of 60 runs have not ended; the figures show the others" {
		t.Errorf("of an unfinished study: %q", got)
	}
	table = studyDemos()["too-many"].table()
	if got := notices(table); got != "" {
		t.Errorf("of 12 panels: %q", got)
	}
	big := studyDemos()["too-many"]
	big.axes = append(big.axes, words("routing", "ecmp", "wcmp"))
	if got := notices(big.table()); got != "" {
		t.Errorf("of 24 panels: %q", got)
	}
	if got := notices(&study.Table{Axes: load.axes}); got != "no figures of the study: none of its runs has ended" {
		t.Errorf("of an empty table: %q", got)
	}
	none := load
	none.hopeless = func([]int) bool { return true }
	if got := notices(none.table()); !strings.Contains(got, "runtime_us: not drawn, because no run in the figure has it") {
		t.Errorf("of a study without results: %q", got)
	}
	never := load
	never.never = func([]int) bool { return true }
	if got := notices(never.table()); !strings.Contains(got, "runtime_us: not drawn, because it is unfinished in every cell") {
		t.Errorf("of a study in which nothing finished: %q", got)
	}
	single := studyDemo{axes: []study.Axis{words("variant", "a")}}
	if got := notices(single.table()); got != "no figures of the study: it has no axis with several levels; its table has all numbers" {
		t.Errorf("without axes: %q", got)
	}
}

// TestFlawedCellsAreMarked looks at the words of the legend: what is not there must
// not be explained either.
func TestFlawedCellsAreMarked(t *testing.T) {
	const never, crosses, unfinished, intervals = "unfinished (over 1 % of messages, or stuck)", "failed", "messages per run did not finish", "95 % interval"
	const extremes = "mean and extremes of 3 runs"
	one := func(l []int) bool { return l[0] == 0 && l[1] == 0 }
	axes := []study.Axis{words("variant", "a", "b"), numeric("load", "%", "20%", "40%")}
	for name, tt := range map[string]struct {
		d    studyDemo
		want []string
	}{
		"whole":      {studyDemo{axes: axes}, []string{intervals}},
		"failing":    {studyDemo{axes: axes, failing: one}, []string{intervals, never}},
		"never":      {studyDemo{axes: axes, never: one}, []string{intervals, never}},
		"hopeless":   {studyDemo{axes: axes, hopeless: one}, []string{intervals, crosses}},
		"unfinished": {studyDemo{axes: axes, unfinished: true}, []string{intervals, unfinished}},
		"few seeds":  {studyDemo{axes: axes, runs: 3}, []string{extremes}},
		"one seed":   {studyDemo{axes: axes, runs: 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := everyStudyFigure(t, tt.d.table(), StudyOptions{})[0]
			var all strings.Builder
			for _, text := range drawn(f) {
				all.WriteString(text.text + "\n")
			}
			for _, what := range []string{never, crosses, unfinished, intervals, extremes} {
				if got, want := strings.Contains(all.String(), what), slices.Contains(tt.want, what); got != want {
					t.Errorf("%q is there: %v, want %v:\n%s", what, got, want, all.String())
				}
			}
		})
	}
}

func TestAxisOfLevels(t *testing.T) {
	tests := []struct {
		axis   study.Axis
		label  string
		names  string
		joined bool
		// even tells whether the levels stand at equal distances.
		even bool
	}{
		{numeric("load", "%", "20%", "40%", "60%"), "Load (%)", "20 40 60", true, true},
		{numeric("size", "B", "64KiB", "1MiB", "16MiB"), "Size", "64KiB 1MiB 16MiB", true, true},
		{numeric("size", "B", "1KiB", "2KiB", "3KiB"), "Size (KiB)", "1 2 3", true, true},
		{numeric("rto", "µs", "10us", "20us", "50us"), "Rto (µs)", "10 20 50", true, false},
		{numeric("kMin", "", "1", "10"), "kMin", "1 10", true, true},
		{numeric("hosts_per_tor", "", "0", "1", "2"), "hosts_per_tor", "0 1 2", true, true},
		{words("fault", "up", "down"), "Fault", "up down", false, true},
		{numeric("same", "", "1", "1.0"), "Same", "1 1.0", false, true},
	}
	for _, tt := range tests {
		l := newLevelAxis(tt.axis)
		even := true
		for i := 2; i < len(l.at); i++ {
			even = even && math.Abs(l.at[i]-2*l.at[i-1]+l.at[i-2]) < 1e-9
		}
		if l.label != tt.label || strings.Join(l.names, " ") != tt.names || l.joined != tt.joined || even != tt.even {
			t.Errorf("%v: got %q, %q, joined %v, even %v", tt.axis.Levels, l.label, l.names, l.joined, even)
		}
	}
}

func TestEvenInLog(t *testing.T) {
	for _, tt := range []struct {
		numbers []float64
		want    bool
	}{
		{[]float64{1, 2, 4, 8}, true},
		{[]float64{8, 1, 4, 2}, true},
		{[]float64{20, 40, 60, 80}, false},
		{[]float64{0, 1, 10, 100}, false},
		{[]float64{1, 3, 10, 30, 100}, true},
		{[]float64{1, 2}, false},
		{[]float64{1, 1000}, true},
		{[]float64{7}, false},
	} {
		if got := evenInLog(tt.numbers); got != tt.want {
			t.Errorf("%v: %v", tt.numbers, got)
		}
	}
}

// TestValuesKeepTheirPlaces checks where points and intervals are drawn, in the
// units of the axes.
func TestValuesKeepTheirPlaces(t *testing.T) {
	table := studyDemo{axes: []study.Axis{words("variant", "a", "b"), numeric("size", "B", "16KiB", "1KiB", "4KiB")}, spread: 40}.table()
	v, err := newStudyView(table, StudyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x := newLevelAxis(table.Axes[v.x])
	m := v.meansOf(v.points[0], 0, x, math.Log10)
	for color := range 2 {
		for i, level := range []int{1, 2, 0} { // from left to right
			got := m.colors[color][i]
			c := v.cell(nil, color, level)
			e := c.Estimates[0]
			if want := math.Log10(table.Axes[1].Numbers[level]); got.x != want || got.mean != math.Log10(e.Mean) || got.low != math.Log10(e.Low) || got.high != math.Log10(e.High) {
				t.Errorf("point %d of colour %d: %+v of %+v", i, color, got, e)
			}
		}
	}
	if from, to, logarithmic := v.valueRange(0); !logarithmic || from <= 0 || to < from {
		t.Errorf("range %v to %v, logarithmic %v", from, to, logarithmic)
	}
}

// TestPointsMoveAsideForIntervals: what lines join stands at its place where there are none.
func TestPointsMoveAsideForIntervals(t *testing.T) {
	of := func(joined bool, high float64) meansPlotter {
		return meansPlotter{joined: joined, colors: [][]meanPoint{{{exists: true, mean: 1, low: 1, high: 1}}, {{exists: true, mean: 1, low: 1, high: high}}}}
	}
	for _, c := range []struct {
		m    meansPlotter
		want bool
	}{{of(true, 1), false}, {of(true, 2), true}, {of(false, 1), true}} {
		if got := c.m.dodges(); got != c.want {
			t.Errorf("joined %t, with intervals up to %v: moved aside %t", c.m.joined, c.m.colors[1][0].high, got)
		}
	}
}

// TestNamesOfLevels: names that don't fit side by side are folded, and turned only if that
// does not help.
func TestNamesOfLevels(t *testing.T) {
	for _, c := range []struct {
		names []string
		width vg.Length
		want  []string
	}{
		{[]string{"one", "two"}, 100, []string{"one", "two"}},
		{[]string{"8 B, saturated", "500 kB, saturated"}, 100, []string{"8 B, saturated", "500 kB,\nsaturated"}},
		{[]string{"control+unscheduled", "none"}, 110, []string{"control+\nunscheduled", "none"}},
		{[]string{"incomprehensibilities", "none"}, 60, nil},
	} {
		got, ok := levelAxis{names: c.names, at: []float64{0, 1}}.flat(c.width)
		if ok != (c.want != nil) || ok && !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %t", c.names, got, ok)
		}
	}
}

package report

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func exampleChart() Chart {
	x := []float64{1, 10, 100, 1000}
	return Chart{Panels: []ChartPanel{
		{
			Title: "First panel", X: "Entropy values", Y: "Imbalance (%)", LogX: true, LogY: true,
			Lines: []ChartLine{
				{Name: "mean", X: x, Y: []float64{80, 40, 0, 10}, Low: []float64{60, 30, 1, 8}, High: []float64{90, 50, 30, 12}},
				{Name: "measured", X: x[:2], Y: []float64{70, 45}, Points: true},
			},
		},
		{
			Title: "Second panel", X: "Round", Y: "Load (packets)",
			Lines:  []ChartLine{{Name: "mean", X: x, Y: []float64{1, 2, 3, 4}, Labels: []string{"a", "b", "c", "d"}}},
			Levels: []ChartLevel{{Name: "threshold", Y: 14}},
		},
	}}
}

func TestChartFormats(t *testing.T) {
	dir := t.TempDir()
	for format, begins := range map[string]string{"png": "\x89PNG", "svg": "<?xml", "pdf": "%PDF"} {
		path := filepath.Join(dir, "chart."+strings.ToUpper(format))
		if err := exampleChart().Save(path); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(b, []byte(begins)) {
			t.Errorf("%s begins with %q, %v", path, b[:min(len(b), 8)], err)
		}
	}
}

func TestChartShowsItsTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chart.svg")
	if err := exampleChart().Save(path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The second panel's lines begin those of the first, so that one legend serves
	// both.
	for text, times := range map[string]int{
		">mean<": 1, ">measured<": 1, ">threshold<": 1, ">First panel<": 1, ">Second panel<": 1,
		">Entropy values<": 1, ">Load (packets)<": 1,
	} {
		if got := bytes.Count(b, []byte(text)); got != times {
			t.Errorf("%s is there %d times, want %d", text, got, times)
		}
	}
}

func TestChartLeavesOutWhatALogarithmicAxisCannotShow(t *testing.T) {
	p, err := exampleChart().Panels[0].layout([]string{"threshold"})
	if err != nil {
		t.Fatal(err)
	}
	if y := p.plot.Y; y.Min < -1 || y.Max > 2.2 {
		t.Errorf("the axis is from 10^%.2f to 10^%.2f", y.Min, y.Max)
	}
}

func TestChartLegendsOfDifferentLines(t *testing.T) {
	c := exampleChart()
	c.Panels[1].Lines[0].Name = "other"
	f, err := c.figure()
	if err != nil {
		t.Fatal(err)
	}
	shared, err := exampleChart().figure()
	if err != nil {
		t.Fatal(err)
	}
	if f.height <= shared.height {
		t.Errorf("two legends take %v, one %v", f.height, shared.height)
	}
}

func TestChartRefusals(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		chart Chart
		path  string
		want  string
	}{
		{exampleChart(), filepath.Join(dir, "chart.jpg"), "png, svg, pdf"},
		{exampleChart(), filepath.Join(dir, "chart"), "png, svg, pdf"},
		{exampleChart(), filepath.Join(dir, "none", "chart.png"), "none"},
		{Chart{}, filepath.Join(dir, "chart.png"), "no panels"},
		{Chart{Panels: []ChartPanel{{LogY: true, Lines: []ChartLine{{Name: "a", X: []float64{1}, Y: []float64{0}}}}}}, filepath.Join(dir, "chart.png"), "axes can show"},
		{Chart{Panels: []ChartPanel{{Lines: []ChartLine{{Name: "a", X: []float64{1}}}}}}, filepath.Join(dir, "chart.png"), "1, 0, 0 and 0 values"},
		{Chart{Panels: []ChartPanel{{Lines: []ChartLine{{Name: "a", X: []float64{1}, Y: []float64{1}, Labels: []string{"b", "c"}}}}}}, filepath.Join(dir, "chart.png"), "2 labels for 1 points"},
		{Chart{Panels: []ChartPanel{{Lines: []ChartLine{{Name: "a", X: []float64{1}, Y: []float64{1}, Hollow: []bool{true, false}}}}}}, filepath.Join(dir, "chart.png"), "2 points whether they are hollow, and has 1"},
	} {
		if err := tt.chart.Save(tt.path); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %q", tt.path, err, tt.want)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("refused charts left %v, %v", left, err)
	}
}

// TestChartOfHollowPoints has points of which some are hollow, and one that its axis cannot
// show: all glyphs are such that being hollow means nothing else then, and the legend says
// what it means where there are some.
func TestChartOfHollowPoints(t *testing.T) {
	p := ChartPanel{LogY: true, Hollow: "quick", Lines: []ChartLine{
		{Name: "a", X: []float64{1, 2, 3}, Y: []float64{1, 0, 3}, Hollow: []bool{false, true, true}},
		{Name: "b", X: []float64{1, 2}, Y: []float64{1, 2}},
	}}
	if got := p.hollow(p.Lines[0]); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("of the points that are shown %v are hollow", got)
	}
	out, err := p.layout(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(out.lines); n != 3 || out.lines[2].name != "quick" {
		t.Errorf("the legend has %d keys: %+v", n, out.lines)
	}
	if err := (Chart{Panels: []ChartPanel{p}}).Save(filepath.Join(t.TempDir(), "hollow.png")); err != nil {
		t.Error(err)
	}
	for _, none := range [][]bool{nil, {false, true, false}} { // the second is not shown
		p.Lines[0].Hollow = none
		if out, err = p.layout(nil); err != nil || len(out.lines) != 2 {
			t.Errorf("without hollow points the legend has %d keys, %v", len(out.lines), err)
		}
	}
}

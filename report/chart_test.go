package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
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

// TestAxesOfCharts: only what begins near 0, and a single value, is shown from there.
func TestAxesOfCharts(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		zero      bool
	}{{1, 1.5, false}, {0.4, 1, true}, {0, 3, true}, {1, 1, true}} {
		p := newPlot("", "")
		span{low: c.low, high: c.high}.apply(&p.Y, false, true)
		if zero := p.Y.Min == 0; zero != c.zero || p.Y.Min > c.low {
			t.Errorf("%v to %v: the axis begins at %v", c.low, c.high, p.Y.Min)
		}
	}
}

// TestGlyphsOfCharts: a long line has glyphs if one beside it has.
func TestGlyphsOfCharts(t *testing.T) {
	long := ChartLine{Name: "long"}
	for i := range 2 * fewPoints {
		long.X, long.Y = append(long.X, float64(i)), append(long.Y, float64(i))
	}
	short := ChartLine{Name: "short", X: []float64{1, 2}, Y: []float64{1, 2}, RingEnd: true}
	for _, c := range []struct {
		lines []ChartLine
		want  bool
	}{{[]ChartLine{long}, false}, {[]ChartLine{long, short}, true}} {
		out, err := ChartPanel{Lines: c.lines}.layout(nil)
		if err != nil {
			t.Fatal(err)
		}
		glyphs := 0
		r := new(recorder.Canvas)
		out.plot.Draw(draw.NewCanvas(r, columnWidth, chartHeight))
		for _, a := range r.Actions {
			if _, ok := a.(*recorder.Fill); ok {
				glyphs++
			}
		}
		if (glyphs > 0) != c.want || glyphs > fewPoints {
			t.Errorf("%d lines have %d glyphs", len(c.lines), glyphs)
		}
	}
}

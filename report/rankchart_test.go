package report

import (
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/trace/timeline"
	"weft/unit"
)

// rankChart is n of total ranks that compute for half of the time, communicate for a quarter of it and wait for an
// eighth.
func rankChart(n, total int) RankChart {
	c := RankChart{Total: total, Begin: 2 * unit.Millisecond, End: 10 * unit.Millisecond, Title: "A job"}
	at := func(part int) unit.Time { return c.Begin + unit.Time(part)*unit.Millisecond }
	for i := range n {
		c.Ranks = append(c.Ranks, int32(i*(total/n)))
		c.Rows = append(c.Rows, []timeline.Interval{
			{Begin: at(0), End: at(4), State: timeline.Computing}, {Begin: at(4), End: at(6), State: timeline.Exposed},
			{Begin: at(6), End: at(7), State: timeline.Waiting}, {Begin: at(7), End: at(8), State: timeline.Done},
		})
	}
	return c
}

// TestRankChartAreas: colours cover the image as states cover the time.
func TestRankChartAreas(t *testing.T) {
	for _, n := range []int{1, 5, 64} {
		path := filepath.Join(t.TempDir(), "ranks.png")
		if err := rankChart(n, n).Save(path); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		pixels := map[color.RGBA]float64{}
		b := img.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				pixels[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
			}
		}
		var area []float64
		for _, s := range rankStates() {
			area = append(area, pixels[color.RGBAModel.Convert(s.color).(color.RGBA)])
		}
		// The keys of the legend cover as much of each colour.
		if blue, orange, grey := area[0], area[1], area[2]; n > 1 && (orange/blue < 0.48 || orange/blue > 0.53) || n > 1 && (grey/blue < 0.22 || grey/blue > 0.28) || blue == 0 || orange == 0 || grey == 0 {
			t.Errorf("%d rows: the areas are %v", n, area)
		}
	}
}

// TestRankChartTexts: the axes have their units, rows their numbers, and what is left out is said.
func TestRankChartTexts(t *testing.T) {
	for _, c := range []struct {
		chart RankChart
		want  []string
		not   string
	}{
		{rankChart(5, 5), []string{">Time (µs)<", ">Rank<", ">A job<", ">computing<", ">exposed communication<", ">4<"}, " of "},
		{rankChart(64, 256), []string{">64 of 256 ranks: each 4th from rank 0 on<", ">240<"}, ">4<"},
	} {
		path := filepath.Join(t.TempDir(), "ranks.svg")
		if err := c.chart.Save(path); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range c.want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%d rows lack %s", len(c.chart.Rows), w)
			}
		}
		if strings.Contains(string(text), c.not) {
			t.Errorf("%d rows have %q", len(c.chart.Rows), c.not)
		}
	}
	odd := rankChart(3, 9)
	odd.Ranks = []int32{0, 1, 5}
	if note := odd.note(); note != "3 of 9 ranks" {
		t.Error(note)
	}
}

// TestRankRows: all ranks have rows if there is room, or else as many as fit, from the first on.
func TestRankRows(t *testing.T) {
	for total, want := range map[int]string{0: "0 by 0", 1: "1 by 0", 64: "64 by 1", 65: "33 by 2", 128: "64 by 2", 1000: "63 by 16"} {
		rows := RankRows(total)
		by := int32(0)
		if len(rows) > 1 {
			by = rows[1]
		}
		if got := fmt.Sprintf("%d by %d", len(rows), by); got != want {
			t.Errorf("%d ranks: %s, want %s", total, got, want)
		}
	}
}

func TestRankChartRefusals(t *testing.T) {
	still := rankChart(2, 2)
	still.End = still.Begin
	short := rankChart(2, 2)
	short.Ranks = short.Ranks[:1]
	for _, c := range []struct {
		chart RankChart
		want  string
	}{{RankChart{}, "0 rows for 0 ranks"}, {short, "2 rows for 1 ranks"}, {still, "the job takes no time"}} {
		path := filepath.Join(t.TempDir(), "ranks.png")
		if err := c.chart.Save(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

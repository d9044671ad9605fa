package report

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestFiguresFitAPage draws everything in every width. No figure is taller than a sheet at its
// width, or than the text of a page where it was to be narrow, and all texts are whole.
func TestFiguresFitAPage(t *testing.T) {
	for name, d := range demos() {
		runs := d.runs(t)
		for _, width := range []Width{0, WidthSingle, WidthDouble} {
			for _, f := range everyFigure(runs, paper{width: vg.Length(width)}) {
				if width > 0 && f.width != vg.Length(width) {
					t.Errorf("%s: %s is %v wide, want %v", name, f.name, f.width, width)
				}
				most := 11.0 / 8.5 * f.width
				if width > 0 {
					most = max(most, 9*vg.Inch)
				}
				if f.height > most {
					t.Errorf("%s: %s of width %.0f is %.0f tall, want at most %.0f", name, f.name, f.width, f.height, most)
				}
				checkTexts(t, f)
			}
		}
	}
}

// TestPanelsWithoutRoomStandOnOtherFigures: none is lost.
func TestPanelsWithoutRoomStandOnOtherFigures(t *testing.T) {
	d := demos()["variants-10"]
	titles := func(on paper) (all []string, figures int) {
		list, _ := portFigures(d.runs(t), on)
		for _, f := range list {
			for _, x := range drawn(f) {
				if strings.HasPrefix(x.text, "variant ") {
					all = append(all, x.text)
				}
			}
		}
		return all, len(list)
	}
	for _, width := range []Width{0, WidthSingle} {
		if got, n := titles(paper{width: vg.Length(width)}); len(got) != len(d.variants) || n < 2 {
			t.Errorf("%v wide: %d figures with the panels %q, want several with all %d", width, n, got, len(d.variants))
		}
	}
}

func TestChosenFigures(t *testing.T) {
	d := slowUplink()
	d.sizes = true
	dir, out := d.write(t, t.TempDir()), filepath.Join(t.TempDir(), "paper")
	drawn, err := Figures(dir, Options{Formats: []string{"svg"}, Only: []string{"ports", "slowdown-by-size", "windows"}, Out: out, Width: WidthSingle})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(out, "ports.svg"), filepath.Join(out, "slowdown-by-size.svg")}
	if !slices.Equal(drawn.Files, want) {
		t.Errorf("drawn %q, want %q", drawn.Files, want)
	}
	if len(drawn.Notices) != 1 || !strings.HasPrefix(drawn.Notices[0], "windows: not drawn") {
		t.Errorf("notices %q, want one about windows", drawn.Notices)
	}
	if _, err := os.Stat(filepath.Join(dir, "figures")); !os.IsNotExist(err) {
		t.Errorf("the folder of results has figures, too: %v", err)
	}
	files, err := os.ReadDir(out)
	if err != nil || len(files) != 2 {
		t.Errorf("%d files in %s, want the figures only: %v", len(files), out, err)
	}
	_, err = Figures(dir, Options{Only: []string{"port"}})
	if err == nil || !strings.Contains(err.Error(), `"port"`) || !strings.Contains(err.Error(), "ports") {
		t.Errorf("error %v, want the names there are", err)
	}
}

func TestParseWidth(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "single": 252, "double": 515.5, "85mm": 240.9, "8.5cm": 240.9, "3.3 in": 237.6, "241pt": 240.1} {
		if got, err := ParseWidth(text); err != nil || math.Abs(float64(got)-want) > 0.06 {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"85", "wide", "mm", "10mm", "2m", "NaNmm", "-85mm", "1e9mm"} {
		if got, err := ParseWidth(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

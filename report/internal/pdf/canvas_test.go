package pdf_test

import (
	"bytes"
	"image"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/report/internal/pdf"
	"weft/report/internal/pdf/pdftest"
)

// TestText holds a PDF to saying what was written on it, also turned and pushed: it is read
// by a program that has nothing in common with the one that wrote it.
func TestText(t *testing.T) {
	lines := []string{
		"Runtime (µs)", "1.25× faster", "10 – 20", "≥ 3 ≤ 4 ≠ 5", "±0.5 · 2", "→ ∞ √ ∑ Δ α", "Zoë’s “load”", `brackets ( ) and \`,
	}
	c := pdf.New(300, 400)
	on := draw.New(c)
	for i, line := range lines {
		s := style()
		if i%2 == 1 {
			s.Rotation, s.Font.Size = math.Pi/2, 7
		}
		on.FillText(s, vg.Point{X: 20 * vg.Length(i+1), Y: 100 + 30*vg.Length(i)}, line)
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	got, err := pdftest.Texts(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, lines) {
		t.Errorf("the PDF says\n%q, and\n%q was written", got, lines)
	}
}

// TestPdftotext has a program of another project read it, where that is installed
// (Debian: poppler-utils).
func TestPdftotext(t *testing.T) {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed")
	}
	c := pdf.New(300, 50)
	const line = "p99 ≥ 3 µs, 1.25× – “load”"
	on := draw.New(c)
	on.FillText(style(), vg.Point{X: 20, Y: 20}, line)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "line.pdf")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := exec.Command(program, path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.TrimSpace(string(got)); text != line {
		t.Errorf("pdftotext reads %q, and %q was written", text, line)
	}
}

func style() text.Style {
	return text.Style{Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: 8}, Handler: plot.DefaultTextHandler}
}

// TestImage holds the canvas to failing where it would leave something out in silence.
func TestImage(t *testing.T) {
	c := pdf.New(10, 10)
	c.DrawImage(vg.Rectangle{}, image.NewGray(image.Rect(0, 0, 1, 1)))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err == nil || b.Len() > 0 {
		t.Errorf("a canvas with an image wrote %d bytes and failed with %v", b.Len(), err)
	}
}

package report

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"pgregory.net/rapid"

	"weft/record"
	"weft/unit"
)

// canvas notes where texts are drawn.
type canvas struct {
	size   vg.Point
	texts  []placedText
	angle  float64
	angles []float64
}

type placedText struct {
	text string
	vg.Rectangle
}

func (c *canvas) Size() (x, y vg.Length)              { return c.size.X, c.size.Y }
func (c *canvas) SetLineWidth(vg.Length)              {}
func (c *canvas) SetLineDash([]vg.Length, vg.Length)  {}
func (c *canvas) SetColor(color.Color)                {}
func (c *canvas) Translate(vg.Point)                  {}
func (c *canvas) Scale(x, y float64)                  {}
func (c *canvas) Stroke(vg.Path)                      {}
func (c *canvas) Fill(vg.Path)                        {}
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}
func (c *canvas) Rotate(radians float64)              { c.angle += radians }
func (c *canvas) Push()                               { c.angles = append(c.angles, c.angle) }
func (c *canvas) Pop() {
	c.angle = c.angles[len(c.angles)-1]
	c.angles = c.angles[:len(c.angles)-1]
}

func (c *canvas) FillString(f font.Face, at vg.Point, text string) {
	// Letters rise about 0.72 of the size above the line; some reach 0.2 below.
	size := f.Font.Size
	depth := vg.Length(0)
	if strings.ContainsAny(text, "gjpqyQµ,()") {
		depth = 0.2 * size
	}
	box := []vg.Point{{X: at.X, Y: at.Y - depth}, {X: at.X + f.Width(text), Y: at.Y + 0.72*size}}
	sin, cos := math.Sincos(c.angle)
	for i, p := range box {
		box[i] = vg.Point{
			X: p.X*vg.Length(cos) - p.Y*vg.Length(sin),
			Y: p.X*vg.Length(sin) + p.Y*vg.Length(cos),
		}
	}
	c.texts = append(c.texts, placedText{text, vg.Rectangle{
		Min: vg.Point{X: min(box[0].X, box[1].X), Y: min(box[0].Y, box[1].Y)},
		Max: vg.Point{X: max(box[0].X, box[1].X), Y: max(box[0].Y, box[1].Y)},
	}})
}

// drawn returns the texts of a figure.
func drawn(f *figure) []placedText {
	c := &canvas{size: vg.Point{X: f.width, Y: f.height}}
	f.draw(draw.NewCanvas(c, f.width, f.height))
	return c.texts
}

func everyFigure(runs []run, on paper) []*figure {
	var figures []*figure
	for _, k := range kinds() {
		list, _ := k.make(runs, on)
		figures = append(figures, list...)
	}
	return figures
}

// checkTexts fails if a text leaves its figure or touches another: what a
// paper's reader would stumble over.
func checkTexts(t interface{ Errorf(string, ...any) }, f *figure) {
	texts := drawn(f)
	if len(texts) < 5 {
		t.Errorf("%s: only %d texts", f.name, len(texts))
	}
	for i, a := range texts {
		if a.Min.X < 0 || a.Min.Y < 0 || a.Max.X > f.width || a.Max.Y > f.height {
			t.Errorf("%s of %.0f×%.0f: %q is cut off: %.1f", f.name, f.width, f.height, a.text, a.Rectangle)
		}
		for _, b := range texts[:i] {
			if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
				t.Errorf("%s: %q %.1f is drawn over %q %.1f", f.name, a.text, a.Rectangle, b.text, b.Rectangle)
			}
		}
	}
}

func TestTextsAreWholeAndApart(t *testing.T) {
	for name, d := range demos() {
		t.Run(name, func(t *testing.T) {
			for _, f := range everyFigure(d.runs(t), paper{}) {
				checkTexts(t, f)
			}
		})
	}
}

func TestTextsOfAnyComparisonAreWholeAndApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("aWil 0-ARCANEé")), 1, 60, -1)
		d := demo{
			variants:   rapid.SliceOfN(word, 1, 6).Draw(t, "variants"),
			uplinks:    rapid.SampledFrom([]int{1, 2, 8, 9}).Draw(t, "uplinks"),
			flows:      rapid.IntRange(1, 20).Draw(t, "flows"),
			groups:     rapid.SliceOfN(word, 0, 4).Draw(t, "groups"),
			interval:   rapid.SampledFrom([]unit.Time{unit.Nanosecond, unit.Microsecond, unit.Millisecond, unit.Second}).Draw(t, "interval"),
			sizes:      rapid.Bool().Draw(t, "sizes"),
			unfinished: rapid.Bool().Draw(t, "unfinished"),
			drops:      rapid.Bool().Draw(t, "drops"),
			windows:    rapid.SampledFrom([]int{0, 1, 8, 9}).Draw(t, "windows"),
			credit:     rapid.IntRange(0, 6).Draw(t, "credit"),
			partial:    rapid.Bool().Draw(t, "partial"),
		}
		for range rapid.IntRange(0, 12).Draw(t, "marks") {
			bucket := rapid.IntRange(0, 72).Draw(t, "at")
			d.marks = append(d.marks, record.Mark{At: unit.Time(bucket) * d.interval, What: word.Draw(t, "what")})
		}
		runs := make([]run, len(d.variants))
		for i, name := range d.variants {
			var err error
			if runs[i], err = reduce(name, d.result(i, name)); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range everyFigure(runs, paper{}) {
			checkTexts(t, f)
		}
	})
}

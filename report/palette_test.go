package report

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// TestPaletteKeepsColours writes an image with a frequent, a rare and an in-between colour:
// the first two stay as they are, and the third becomes the nearest.
func TestPaletteKeepsColours(t *testing.T) {
	frequent, rare, edge := color.RGBA{255, 255, 255, 255}, color.RGBA{0, 158, 115, 255}, color.RGBA{250, 250, 250, 255}
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		img.Set(i%8, i/8, frequent)
	}
	img.Set(1, 1, rare)
	img.Set(2, 2, edge)
	var b bytes.Buffer
	if err := writePNG(&b, img); err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x    int
		want color.RGBA
	}{{0, frequent}, {1, rare}, {2, frequent}} {
		if at := color.RGBAModel.Convert(got.At(c.x, c.x)); at != c.want {
			t.Errorf("at %d is %v, want %v", c.x, at, c.want)
		}
	}
}

// Package pdf is a canvas of gonum's plots that writes PDF with Unicode text.
//
// Gonum's own canvas (vgpdf) has fonts of 256 characters and writes the bytes of UTF-8 as if
// each were one: µ comes out as Âµ, and ≥ cannot be written at all. This one embeds fonts by
// Unicode, with the map by which readers search and copy text.
package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strings"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Canvas is one page of a PDF document. It implements vg.CanvasSizer and io.WriterTo.
//
// Paths are written as operators of PDF, which has its origin where vg has it; the library
// makes the document, its fonts and its transparency.
type Canvas struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	// lines holds the line width, and those that Push saved.
	lines []vg.Length
}

var (
	_ vg.CanvasSizer = (*Canvas)(nil)
	_ io.WriterTo    = (*Canvas)(nil)
)

// New returns an empty page of a size.
func New(width, height vg.Length) *Canvas {
	doc := fpdf.NewCustom(&fpdf.InitType{
		UnitStr: "pt",
		Size:    fpdf.SizeType{Wd: width.Points(), Ht: height.Points()},
	})
	doc.SetCatalogSort(true)
	doc.SetMargins(0, 0, 0)
	doc.AddPage()
	c := &Canvas{doc: doc, width: width, height: height, lines: make([]vg.Length, 1)}
	vg.Initialize(c)
	return c
}

// Size implements vg.CanvasSizer.
func (c *Canvas) Size() (width, height vg.Length) { return c.width, c.height }

// SetLineWidth implements vg.Canvas.
func (c *Canvas) SetLineWidth(w vg.Length) {
	c.lines[len(c.lines)-1] = w
	c.write("%s w", number(w.Points()))
}

// SetLineDash implements vg.Canvas.
func (c *Canvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	dashes := make([]string, len(pattern))
	for i, d := range pattern {
		dashes[i] = number(d.Points())
	}
	c.write("[%s] %s d", strings.Join(dashes, " "), number(offset.Points()))
}

// SetColor implements vg.Canvas.
func (c *Canvas) SetColor(of color.Color) {
	if of == nil {
		of = color.Black
	}
	rgb := color.NRGBAModel.Convert(of).(color.NRGBA)
	r, g, b := int(rgb.R), int(rgb.G), int(rgb.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(rgb.A)/math.MaxUint8, "Normal")
}

// Rotate implements vg.Canvas.
func (c *Canvas) Rotate(radians float64) {
	sin, cos := math.Sincos(radians)
	c.transform(cos, sin, -sin, cos, 0, 0)
}

// Translate implements vg.Canvas.
func (c *Canvas) Translate(to vg.Point) { c.transform(1, 0, 0, 1, to.X.Points(), to.Y.Points()) }

// Scale implements vg.Canvas.
func (c *Canvas) Scale(x, y float64) { c.transform(x, 0, 0, y, 0, 0) }

func (c *Canvas) transform(matrix ...float64) { c.write("%s cm", numbers(matrix...)) }

// Push implements vg.Canvas.
func (c *Canvas) Push() {
	c.lines = append(c.lines, c.lines[len(c.lines)-1])
	c.write("q")
}

// Pop implements vg.Canvas.
func (c *Canvas) Pop() {
	c.lines = c.lines[:len(c.lines)-1]
	c.write("Q")
}

// Stroke implements vg.Canvas.
func (c *Canvas) Stroke(p vg.Path) {
	// PDF draws lines without width as thin as the device can.
	if c.lines[len(c.lines)-1] > 0 {
		c.path(p, "S")
	}
}

// Fill implements vg.Canvas.
func (c *Canvas) Fill(p vg.Path) { c.path(p, "f") }

// FillString implements vg.Canvas.
func (c *Canvas) FillString(face font.Face, at vg.Point, text string) {
	size := face.Font.Size.Points()
	if size == 0 || text == "" {
		return
	}
	// The name says also whether a font is bold or italic.
	name := face.Name()
	if c.doc.GetFontDesc(name, "") == (fpdf.FontDescType{}) {
		var source bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &source); err != nil {
			c.doc.SetError(fmt.Errorf("reading font %s: %w", name, err))
			return
		}
		c.doc.AddUTF8FontFromBytes(name, "", source.Bytes())
	}
	c.doc.SetFont(name, "", size)
	// The library counts heights from the top.
	c.doc.Text(at.X.Points(), (c.height - at.Y).Points(), text)
}

// DrawImage implements vg.Canvas. No figure has images: it makes WriteTo fail.
func (c *Canvas) DrawImage(vg.Rectangle, image.Image) {
	c.doc.SetError(errors.New("images cannot be drawn in PDF"))
}

// WriteTo writes the document. The canvas cannot be drawn on afterwards.
func (c *Canvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := c.doc.Output(&b); err != nil {
		return 0, fmt.Errorf("making the PDF: %w", err)
	}
	return b.WriteTo(w)
}

// write adds operators to the page.
func (c *Canvas) write(format string, args ...any) {
	c.doc.RawWriteStr(fmt.Sprintf(format, args...) + "\n")
}

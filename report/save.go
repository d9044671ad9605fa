package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"weft/internal/printable"
	"weft/internal/userfile"
	"weft/report/internal/pdf"
)

// dpi is the resolution of PNG files: what printers ask for.
const dpi = 300

// Figure is a figure that is ready to be drawn.
type Figure struct{ of *figure }

// Save draws the figure into a file, as PNG, SVG or PDF by its extension. The file
// appears when it is complete.
func (f Figure) Save(path string) error {
	format, err := ChartFormat(path)
	if err != nil {
		return err
	}
	if err := f.of.save(path, format); err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	return nil
}

// save draws f into a file that appears when it is complete.
func (f *figure) save(path, format string) error {
	err := userfile.Write(path, func(w io.Writer) error { return f.write(w, format) })
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err // the path is told around it
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s; create it, or choose another", filepath.Dir(path))
	}
	return err
}

// legible is a canvas that writes control characters as escapes: in an SVG they are no XML.
type legible struct{ vg.CanvasSizer }

// FillString implements vg.Canvas.
func (l legible) FillString(f font.Face, at vg.Point, text string) {
	l.CanvasSizer.FillString(f, at, printable.Line(text))
}

func (f *figure) write(w io.Writer, format string) error {
	var (
		canvas vg.CanvasSizer
		file   io.WriterTo
	)
	switch format {
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))
		f.draw(draw.New(legible{c}))
		return writePNG(w, c.Image())
	case "svg":
		// Without its font a drawing would be set in another one of other widths.
		c := vgsvg.NewWith(vgsvg.UseWH(f.width, f.height), vgsvg.EmbedFonts(true))
		canvas, file = c, c
	case "pdf":
		c := pdf.New(f.width, f.height)
		canvas, file = c, c
	default:
		return fmt.Errorf("unknown format %q", format)
	}
	f.draw(draw.New(legible{canvas}))
	_, err := file.WriteTo(w)
	return err
}

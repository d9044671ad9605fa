// Package grid draws claims in rows and readings in columns, as SVG and PDF. Each cell has a colour and a
// symbol, so that it reads without colours, and in SVG a text that shows on hover.
package grid

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"
)

// Look is how a cell looks.
type Look struct {
	// Name is what it stands for, in the legend; Symbol one character of ASCII.
	Name, Symbol string
	// Fill and Ink are colours as in #0072b2.
	Fill, Ink string
}

// Cell is a cell of the figure. Title is shown on hover.
type Cell struct {
	Look  int
	Title string
}

// Row is a row of the figure: a claim, with a word on its verdict at the end.
type Row struct {
	Name, Verdict string
	Cells         []Cell
}

// Grid is the figure.
type Grid struct {
	Title   string
	Columns []string
	Looks   []Look
	Rows    []Row
}

// Sizes in points.
const (
	side   = 15.0 // of a cell
	size   = 9.0  // of text
	letter = 5.0  // about the width of a character
	margin = 10.0
)

// page is what a figure is drawn on; y grows downwards.
type page interface {
	box(x, y, w, h float64, fill, title string)
	text(x, y float64, ink, s string, middle, up bool)
}

func longest(list []string) float64 {
	most := 0
	for _, s := range list {
		most = max(most, utf8.RuneCountInString(s))
	}
	return letter * float64(most)
}

// layout returns the room for names, heads and the whole.
func (g *Grid) layout() (left, top, width, height float64) {
	var names, verdicts []string
	for _, r := range g.Rows {
		names, verdicts = append(names, r.Name), append(verdicts, r.Verdict)
	}
	left = margin + longest(names) + 6
	top = margin + 20 + longest(g.Columns)
	legend := margin
	for _, l := range g.Looks {
		legend += side + 8 + letter*float64(utf8.RuneCountInString(l.Name)) + 10
	}
	width = max(left+side*float64(len(g.Columns))+8+longest(verdicts)+margin, legend+margin)
	height = top + side*float64(len(g.Rows)) + 14 + side + margin
	return left, top, width, height
}

func (g *Grid) draw(p page) {
	left, top, _, _ := g.layout()
	const ink = "#222222"
	p.text(margin, margin+size, ink, g.Title, false, false)
	for i, c := range g.Columns {
		p.text(left+side*(float64(i)+0.5)+size/3, top-4, ink, c, false, true)
	}
	for j, r := range g.Rows {
		y := top + side*float64(j)
		p.text(margin, y+side-4, ink, r.Name, false, false)
		for i, c := range r.Cells {
			look := g.Looks[c.Look]
			x := left + side*float64(i)
			p.box(x, y, side, side, look.Fill, c.Title)
			p.text(x+side/2, y+side-4, look.Ink, look.Symbol, true, false)
		}
		p.text(left+side*float64(len(g.Columns))+8, y+side-4, ink, r.Verdict, false, false)
	}
	x, y := margin, top+side*float64(len(g.Rows))+14
	for _, l := range g.Looks {
		p.box(x, y, side, side, l.Fill, "")
		p.text(x+side/2, y+side-4, l.Ink, l.Symbol, true, false)
		p.text(x+side+5, y+side-4, ink, l.Name, false, false)
		x += side + 8 + letter*float64(utf8.RuneCountInString(l.Name)) + 10
	}
}

// svg writes elements of SVG.
type svg struct{ strings.Builder }

func (s *svg) box(x, y, w, h float64, fill, title string) {
	fmt.Fprintf(s, `<rect x="%g" y="%g" width="%g" height="%g" fill="%s" stroke="#ffffff">`, x, y, w, h, fill)
	if title != "" {
		fmt.Fprintf(s, "<title>%s</title>", html.EscapeString(title))
	}
	s.WriteString("</rect>\n")
}

func (s *svg) text(x, y float64, ink, t string, middle, up bool) {
	more := ""
	if middle {
		more += ` text-anchor="middle" pointer-events="none"`
	}
	if up {
		more += fmt.Sprintf(` transform="rotate(-90 %g %g)"`, x, y)
	}
	fmt.Fprintf(s, `<text x="%g" y="%g" fill="%s"%s>%s</text>`+"\n", x, y, ink, more, html.EscapeString(t))
}

// SVG writes the figure as SVG.
func (g *Grid) SVG(w io.Writer) error {
	_, _, width, height := g.layout()
	s := new(svg)
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %[1]g %[2]g" font-family="Helvetica, Arial, sans-serif" font-size="%[3]g">`+"\n", width, height, size)
	fmt.Fprintf(s, `<rect width="%g" height="%g" fill="#ffffff"/>`+"\n", width, height)
	g.draw(s)
	s.WriteString("</svg>\n")
	_, err := io.WriteString(w, s.String())
	return err
}

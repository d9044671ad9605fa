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
	// cell draws a look, by its number.
	cell(x, y float64, look int, l Look, title string)
	text(x, y float64, ink, s string, up bool)
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
	p.text(margin, margin+size, ink, g.Title, false)
	for i, c := range g.Columns {
		p.text(left+side*(float64(i)+0.5)+size/3, top-4, ink, c, true)
	}
	for j, r := range g.Rows {
		y := top + side*float64(j)
		p.text(margin, y+side-4, ink, r.Name, false)
		for i, c := range r.Cells {
			p.cell(left+side*float64(i), y, c.Look, g.Looks[c.Look], c.Title)
		}
		p.text(left+side*float64(len(g.Columns))+8, y+side-4, ink, r.Verdict, false)
	}
	x, y := margin, top+side*float64(len(g.Rows))+14
	for i, l := range g.Looks {
		p.cell(x, y, i, l, "")
		p.text(x+side+5, y+side-4, ink, l.Name, false)
		x += side + 8 + letter*float64(utf8.RuneCountInString(l.Name)) + 10
	}
}

// svg writes elements of SVG.
type svg struct{ strings.Builder }

// looks defines each look once, so that cells are short.
func (s *svg) looks(list []Look) {
	s.WriteString("<defs>\n")
	for i, l := range list {
		fmt.Fprintf(s, `<g id="l%d"><rect width="%g" height="%[2]g" fill="%s" stroke="#ffffff"/><text x="%g" y="%g" fill="%s" text-anchor="middle">%s</text></g>`+"\n",
			i, side, l.Fill, side/2, side-4, l.Ink, html.EscapeString(l.Symbol))
	}
	s.WriteString("</defs>\n")
}

func (s *svg) cell(x, y float64, look int, _ Look, title string) {
	if title == "" {
		fmt.Fprintf(s, `<use href="#l%d" x="%g" y="%g"/>`+"\n", look, x, y)
		return
	}
	fmt.Fprintf(s, `<use href="#l%d" x="%g" y="%g"><title>%s</title></use>`+"\n", look, x, y, html.EscapeString(title))
}

func (s *svg) text(x, y float64, ink, t string, up bool) {
	more := ""
	if up {
		more = fmt.Sprintf(` transform="rotate(-90 %g %g)"`, x, y)
	}
	fmt.Fprintf(s, `<text x="%g" y="%g" fill="%s"%s>%s</text>`+"\n", x, y, ink, more, html.EscapeString(t))
}

// SVG writes the figure as SVG.
func (g *Grid) SVG(w io.Writer) error {
	_, _, width, height := g.layout()
	s := new(svg)
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %[1]g %[2]g" font-family="Helvetica, Arial, sans-serif" font-size="%[3]g">`+"\n", width, height, size)
	fmt.Fprintf(s, `<rect width="%g" height="%g" fill="#ffffff"/>`+"\n", width, height)
	s.looks(g.Looks)
	g.draw(s)
	s.WriteString("</svg>\n")
	_, err := io.WriteString(w, s.String())
	return err
}

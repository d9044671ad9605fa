package grid

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// pdf writes operators of a content stream. Its y grows upwards.
type pdf struct {
	strings.Builder
	height float64
}

// shade sets the colour of what is filled next.
func (p *pdf) shade(colour string) {
	n, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	if err != nil {
		n = 0
	}
	fmt.Fprintf(p, "%.3f %.3f %.3f rg\n", float64(n>>16&255)/255, float64(n>>8&255)/255, float64(n&255)/255)
}

func (p *pdf) cell(x, y float64, _ int, l Look, _ string) {
	p.shade(l.Fill)
	fmt.Fprintf(p, "1 1 1 RG %g %g %g %g re B\n", x, p.height-y-side, side, side)
	p.text(x+(side-letter)/2, y+side-4, l.Ink, l.Symbol, false)
}

func (p *pdf) text(x, y float64, ink, s string, up bool) {
	p.shade(ink)
	matrix := "1 0 0 1"
	if up {
		matrix = "0 1 -1 0"
	}
	fmt.Fprintf(p, "BT /F %g Tf %s %g %g Tm (%s) Tj ET\n", size, matrix, x, p.height-y, latin(s))
}

// latin writes a text in the encoding of the font, Latin 1, with the signs of PDF's strings escaped.
func latin(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '(' || r == ')' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r > 255:
			b.WriteByte('?')
		case r > 126:
			fmt.Fprintf(&b, `\%03o`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// PDF writes the figure as a page of PDF.
func (g *Grid) PDF(w io.Writer) error {
	_, _, width, height := g.layout()
	p := &pdf{height: height}
	g.draw(p)
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var at []int
	object := func(body string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %g %g] /Contents 5 0 R /Resources << /Font << /F 4 0 R >> >> >>", width, height))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", p.Len(), p.String()))
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	_, err := io.WriteString(w, b.String())
	return err
}

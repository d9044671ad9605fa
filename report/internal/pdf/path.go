package pdf

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// path writes a path and the operator that paints it.
func (c *Canvas) path(p vg.Path, paint string) {
	var b strings.Builder
	var at vg.Point
	for i, part := range p {
		switch part.Type {
		case vg.MoveComp:
			at = part.Pos
			line(&b, "m", at)
		case vg.LineComp:
			at = part.Pos
			line(&b, "l", at)
		case vg.ArcComp:
			at = arc(&b, part, i == 0)
		case vg.CurveComp:
			first, second := controls(at, part)
			at = part.Pos
			line(&b, "c", first, second, at)
		case vg.CloseComp:
			b.WriteString("h\n")
		}
	}
	if b.Len() > 0 {
		c.write("%s%s", b.String(), paint)
	}
}

// controls returns the two control points of a curve, also of one that is given by one.
func controls(from vg.Point, curve vg.PathComp) (first, second vg.Point) {
	if len(curve.Control) > 1 {
		return curve.Control[0], curve.Control[1]
	}
	toward := func(end vg.Point) vg.Point { return end.Add(curve.Control[0].Sub(end).Scale(2.0 / 3)) }
	return toward(from), toward(curve.Pos)
}

// arc writes an arc as Bézier curves of at most a quarter turn each, with the line that
// leads to it, and returns where it ends.
func arc(b *strings.Builder, a vg.PathComp, first bool) (end vg.Point) {
	on := func(angle float64) (at, along vg.Point) {
		sin, cos := math.Sincos(angle)
		radius := vg.Point{X: a.Radius * vg.Length(cos), Y: a.Radius * vg.Length(sin)}
		return a.Pos.Add(radius), vg.Point{X: -radius.Y, Y: radius.X}
	}
	at, along := on(a.Start)
	if first {
		line(b, "m", at)
	} else {
		line(b, "l", at)
	}
	pieces := max(1, int(math.Ceil(math.Abs(a.Angle)/(math.Pi/2)-1e-9)))
	turn := a.Angle / float64(pieces)
	reach := vg.Length(4.0 / 3 * math.Tan(turn/4))
	for i := range pieces {
		next, alongNext := on(a.Start + float64(i+1)*turn)
		line(b, "c", at.Add(along.Scale(reach)), next.Sub(alongNext.Scale(reach)), next)
		at, along = next, alongNext
	}
	return at
}

// line writes an operator with the points that it takes.
func line(b *strings.Builder, operator string, points ...vg.Point) {
	for _, p := range points {
		b.WriteString(numbers(p.X.Points(), p.Y.Points()))
		b.WriteByte(' ')
	}
	b.WriteString(operator)
	b.WriteByte('\n')
}

func numbers(values ...float64) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = number(v)
	}
	return strings.Join(texts, " ")
}

// number writes a number to a ten-thousandth, without exponent, which PDF does not have.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', 4, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

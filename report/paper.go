package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

const (
	// sheetRatio is the height of a sheet of letter paper over its width, which is less than
	// that of A4. No figure is taller than that.
	sheetRatio = 11.0 / 8.5
	// textHeight is what a page of a paper has room for, and so has one of its columns.
	textHeight = 9 * vg.Inch
)

// Width is the width of figures in points; 0 lets each figure be as wide as a column or as a
// page.
type Width float64

// WidthSingle and WidthDouble are the widths of a column and of the text of IEEE's papers,
// those that figures have by themselves. ACM's and USENIX's columns are 84 mm wide.
const (
	WidthSingle = Width(columnWidth)
	WidthDouble = Width(pageWidth)

	millimeter = 72 / 25.4
	// leastWidth and mostWidth bound what figures can be drawn in.
	leastWidth, mostWidth = 60 * millimeter, 420 * millimeter
)

// ParseWidth reads a width: single, double or a length, as in 85mm, 8.5cm or 3.3in.
func ParseWidth(text string) (Width, error) {
	switch text {
	case "":
		return 0, nil
	case "single":
		return WidthSingle, nil
	case "double":
		return WidthDouble, nil
	}
	for unit, points := range map[string]float64{"mm": millimeter, "cm": 10 * millimeter, "in": 72, "pt": 72 / 72.27} {
		number, found := strings.CutSuffix(text, unit)
		if !found {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil {
			break
		}
		if v *= points; !(v >= leastWidth && v <= mostWidth) {
			return 0, fmt.Errorf("a figure cannot be %s wide; allowed: 60mm to 420mm", text)
		}
		return Width(v), nil
	}
	return 0, fmt.Errorf("%q is no width; write single (89mm), double (182mm) or a length, as in 85mm, 8.5cm, 3.3in or 241pt", text)
}

// paper is how wide figures are, and how tall they may be.
type paper struct {
	// width is that of all figures. If it is 0, a figure is as wide as a column, or as a page
	// if it needs that.
	width vg.Length
	// single has all panels on one figure, however tall.
	single bool
}

// column is the width of a figure that needs no more than a column.
func (p paper) column() vg.Length { return cmp.Or(p.width, columnWidth) }

// page is the width of a figure that takes a page's.
func (p paper) page() vg.Length { return cmp.Or(p.width, pageWidth) }

// tallest is how tall a figure of a width may be.
func (p paper) tallest(width vg.Length) vg.Length {
	if p.width > 0 { // a narrow one stands in a column of a page
		return max(sheetRatio*width, textHeight)
	}
	return sheetRatio * width
}

// layout is how panels stand on figures.
type layout struct {
	width   vg.Length
	columns int
	// each is how many panels a figure has; the last one may have fewer.
	each int
}

// fit finds the layout of n panels, each at least so wide: in one column if that is not too
// tall, or else across a page, and on several figures if no layout has room for all. The function height returns the height of a figure with the panels from one to
// before another.
func (p paper) fit(n int, least vg.Length, most int, height func(l layout, from, to int) vg.Length) layout {
	var last layout
	list := p.candidates(n, least, most)
	// Across a page, a full last row comes before few columns.
	slices.SortStableFunc(list, func(a, b layout) int {
		if a.width < b.width || a.width > b.width {
			return cmp.Compare(a.width, b.width)
		}
		empty := func(l layout) int { return (l.columns - n%l.columns) % l.columns }
		return cmp.Compare(empty(a), empty(b))
	})
	for _, l := range list {
		last = l
		if height(l, 0, n) <= p.tallest(l.width) {
			return l
		}
	}
	return p.split(last, n, height)
}

// split has figures of a layout have fewer panels until none is too tall.
func (p paper) split(l layout, n int, height func(l layout, from, to int) vg.Length) layout {
	fits := func() bool {
		for from := 0; from < n; from += l.each {
			if height(l, from, min(from+l.each, n)) > p.tallest(l.width) {
				return false
			}
		}
		return true
	}
	l.each = min(l.each, n)
	if p.single {
		l.each = n
		return l
	}
	for l.each > l.columns && !fits() {
		l.each = (l.each - 1) / l.columns * l.columns
	}
	return l
}

// candidates are the layouts of all panels on one figure, those first that are to be chosen
// if they are not too tall.
func (p paper) candidates(n int, least vg.Length, most int) []layout {
	var list []layout
	first := 1
	if p.width == 0 {
		list = append(list, layout{columnWidth, 1, n})
		first = 2
	} else { // panels are about as wide as a column
		first = int(math.Round(float64(p.width / columnWidth)))
	}
	room := int(p.page() / least)
	for columns := max(min(first, n, most), 1); columns <= min(most, n, room); columns++ {
		list = append(list, layout{p.page(), columns, n})
	}
	if len(list) == 0 {
		list = append(list, layout{p.page(), 1, n})
	}
	return list
}

// numbered gives figures after the first a number in their names.
func numbered(figures []*figure) []*figure {
	for i, f := range figures {
		if i > 0 {
			f.name += fmt.Sprintf("-%d", i+1)
		}
	}
	return figures
}

package cli

import (
	"fmt"
	"strings"

	"weft/explain"
	"weft/internal/tabular"
	"weft/scenario"
)

// The least widths of columns of names and of times, so that tables below each other look alike.
const (
	nameWidth   = 28
	numberWidth = 11
)

// numberLines lays out rows of a name and numbers, the first of them the heading, in columns of
// some widths at least. Behind each row stands a text.
func numberLines(rows [][]string, behind []string, least []int) []string {
	for i, width := range least {
		if i == 0 {
			width = -width
		}
		rows[0][i] = fmt.Sprintf("%*s", width, rows[0][i])
	}
	lines := (tabular.Table{Rows: rows, Heading: 1, Left: 1}).Lines()
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i]+"  "+behind[i], " ")
	}
	return lines
}

// pauser is the node at the far end of a port's link, which pauses it.
func pauser(x *scenario.Explanation, port int32) string {
	_, to, _ := strings.Cut(x.Port(port), "->")
	to, _, _ = strings.Cut(to, "#")
	return to
}

// nodes lists the nodes on a frame's way.
func nodes(x *scenario.Explanation, f *explain.Frame) string {
	var list []string
	for i, h := range f.Hops {
		from, to, _ := strings.Cut(x.Port(h.Port), "->")
		if i == 0 {
			list = append(list, from)
		}
		if h.Begin != explain.Never { // or else it waits there
			list = append(list, to)
		}
	}
	return strings.Join(list, " ")
}

// times says how often.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// fate says what became of a packet.
func fate(x *scenario.Explanation, f *explain.Frame) string {
	var list []string
	if f.TrimmedAt != explain.Never {
		list = append(list, "trimmed at "+x.Port(f.TrimPort))
	}
	if f.Deflected > 0 {
		list = append(list, "deflected "+times(f.Deflected))
	}
	switch {
	case f.LostAt != explain.Never:
		list = append(list, fmt.Sprintf("lost at %s (%s)", x.Port(f.LostPort), f.Why))
	case f.Delivered == explain.Never:
		list = append(list, "under way")
	case f.TrimmedAt == explain.Never:
		list = append(list, "delivered")
	}
	if f.Marked {
		list = append(list, "marked")
	}
	return strings.Join(list, ", ")
}

package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"weft/explain"
	"weft/internal/tabular"
	"weft/scenario"
)

// barWidth is how wide the bar of a whole is.
const barWidth = 30

func (t *explanationText) parts() {
	rows, bars := [][]string{{"where the time went", "µs", "%"}}, []string{""}
	for k, part := range t.Parts {
		if part == 0 {
			continue
		}
		rows = append(rows, []string{explain.Kind(k).Title(), micros(part), fmt.Sprintf("%.1f", share(part, t.Total))})
		bars = append(bars, strings.Repeat("█", int((int64(part)*barWidth+int64(t.Total)/2)/int64(t.Total))))
	}
	what := "FCT"
	if !t.Finished {
		what = "until the end of the run"
	}
	rows, bars = append(rows, []string{what, micros(t.Total), "100.0"}), append(bars, "")
	t.numbers(rows, bars, nameWidth, numberWidth, 5)
	t.linef("")
	for k, part := range t.Parts {
		if text := explain.Kind(k).About(); part > 0 && text != "" {
			t.sayf("%s: %s", explain.Kind(k).Title(), text)
		}
	}
}

// The least widths of columns of names and of times, so that tables below each other look alike.
const (
	nameWidth   = 28
	numberWidth = 11
)

// numbers writes rows of a name and numbers, the first of them the heading, in columns of some
// widths at least. Behind each row stands a text.
func (t *explanationText) numbers(rows [][]string, behind []string, least ...int) {
	for i, width := range least {
		if i == 0 {
			width = -width
		}
		rows[0][i] = fmt.Sprintf("%*s", width, rows[0][i])
	}
	for i, line := range (tabular.Table{Rows: rows, Heading: 1, Left: 1}).Lines() {
		line = strings.TrimRight(line+"  "+behind[i], " ")
		if i == 0 {
			t.heading(line)
		} else {
			t.linef("%s", line)
		}
	}
}

func (t *explanationText) portTable() {
	ports := slices.DeleteFunc(slices.Clone(t.Ports), func(p explain.PortShare) bool { return p.Queueing() == 0 })
	if len(ports) == 0 {
		return
	}
	rows := [][]string{{"queueing by port", "µs", "behind own", "others", "frames"}}
	for _, p := range ports[:min(t.flags.top, len(ports))] {
		rows = append(rows, []string{t.Port(p.Port), micros(p.Queueing()), micros(p.Own), micros(p.Others), strconv.Itoa(p.Frames)})
	}
	t.numbers(rows, make([]string, len(rows)), nameWidth, numberWidth, numberWidth, numberWidth, 6)
	t.more(len(ports))
}

func (t *explanationText) more(rows int) {
	if more := rows - t.flags.top; more > 0 {
		t.linef("and %d more; --top shows more", more)
	}
}

// pauseTable says at which ports the path was paused, and by whom.
func (t *explanationText) pauseTable() {
	ports := slices.DeleteFunc(slices.Clone(t.Ports), func(p explain.PortShare) bool { return p.Paused == 0 })
	if len(ports) == 0 {
		return
	}
	slices.SortStableFunc(ports, func(a, b explain.PortShare) int { return cmp.Compare(b.Paused, a.Paused) })
	rows, pausers := [][]string{{"pauses by port", "µs"}}, []string{"paused by"}
	for _, p := range ports[:min(t.flags.top, len(ports))] {
		rows = append(rows, []string{t.Port(p.Port), micros(p.Paused)})
		pausers = append(pausers, pauser(t.Explanation, p.Port))
	}
	t.numbers(rows, pausers, nameWidth, numberWidth)
	t.more(len(ports))
}

// pauser is the node at the far end of a port's link, which pauses it.
func pauser(x *scenario.Explanation, port int32) string {
	_, to, _ := strings.Cut(x.Port(port), "->")
	to, _, _ = strings.Cut(to, "#")
	return to
}

// steps writes rows as a table; if that is wider than the terminal, the last column stands
// below the others.
func (t *explanationText) steps(rows [][]string) {
	var widths [4]int
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	before := widths[0] + 2 + widths[1] + 2
	narrow := t.width > 0 && before+widths[2]+2+widths[3] > t.width
	for _, row := range rows {
		first := fmt.Sprintf("%-*s  %-*s  ", widths[0], row[0], widths[1], row[1])
		if !narrow {
			t.linef("%s%-*s  %s", first, widths[2], row[2], row[3])
			continue
		}
		below := strings.Repeat(" ", before)
		indented(&t.Builder, row[2], first, below, t.width)
		indented(&t.Builder, row[3], below+"  ", below+"  ", t.width)
	}
}

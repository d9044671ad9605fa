package report

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"weft/internal/readable"
	"weft/study"
	"weft/unit"
)

// levelAxis is how the levels of an axis of a study stand along a plot.
type levelAxis struct {
	label string
	// at are the levels' places and names what is written there.
	at    []float64
	names []string
	// joined tells whether levels are quantities, so that a line may lead from
	// one to the next.
	joined bool
}

func (l levelAxis) name() string { return l.label }

func newLevelAxis(a study.Axis) levelAxis {
	l := levelAxis{label: titleCase(a.Name)}
	for i, name := range a.Levels {
		l.at = append(l.at, float64(i))
		l.names = append(l.names, inPrint(name))
	}
	if a.Numbers == nil || len(a.Numbers) != len(a.Levels) || !distinct(a.Numbers) {
		return l
	}
	l.joined = true
	copy(l.at, a.Numbers)
	if evenInLog(a.Numbers) {
		for i := range l.at {
			l.at[i] = math.Log10(l.at[i])
		}
	}
	if numbers, unit, ok := splitUnits(l.names); ok {
		l.names = numbers
		if unit != "" {
			l.label += " (" + unit + ")"
		}
	}
	return l
}

// distinct tells whether there are several numbers, all finite and none twice.
func distinct(numbers []float64) bool {
	sorted := slices.Sorted(slices.Values(numbers))
	for i, v := range sorted {
		if math.IsNaN(v) || math.IsInf(v, 0) || i > 0 && v == sorted[i-1] {
			return false
		}
	}
	return len(sorted) > 0
}

// evenInLog tells whether the distances of the logarithms of numbers differ less
// than those of the numbers; of two numbers, whether they are far apart.
func evenInLog(numbers []float64) bool {
	sorted := slices.Sorted(slices.Values(numbers))
	if sorted[0] <= 0 || len(sorted) < 2 {
		return false
	}
	if len(sorted) == 2 {
		return sorted[1]/sorted[0] > logFrom
	}
	unevenness := func(of func(float64) float64) float64 {
		least, largest := math.Inf(1), 0.0
		for i := 1; i < len(sorted); i++ {
			d := of(sorted[i]) - of(sorted[i-1])
			least, largest = min(least, d), max(largest, d)
		}
		return largest / least
	}
	return unevenness(math.Log) < unevenness(func(v float64) float64 { return v })
}

// splitUnits returns the numbers of labels that are all in one unit.
func splitUnits(labels []string) (numbers []string, unit string, ok bool) {
	quantity := regexp.MustCompile(`^([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)\s*(\D*)$`)
	for i, label := range labels {
		m := quantity.FindStringSubmatch(label)
		if m == nil || i > 0 && m[2] != unit {
			return nil, "", false
		}
		numbers, unit = append(numbers, m[1]), m[2]
	}
	return numbers, unit, true
}

// inPrint writes microseconds as one does in print, and parts of the BDP, which scenarios
// have without a space.
func inPrint(label string) string {
	for unit, printed := range map[string]string{"us": "µs", "BDP": " BDP"} {
		number, ok := strings.CutSuffix(label, unit)
		if ok && number != "" && strings.Trim(number, "0123456789. ") == "" {
			return strings.TrimRight(number, " ") + printed
		}
	}
	return label
}

// titleCase begins a plain word with a capital, as the labels of axes do; other
// names, such as kMin or hosts_per_tor, and letters that stand for numbers, as ρ and n
// do, are left as they are.
func titleCase(name string) string {
	plain := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLower(r) && r != ' ' }) < 0
	if r, n := utf8.DecodeRuneInString(name); plain && n > 0 && n < len(name) {
		return string(unicode.ToUpper(r)) + name[n:]
	}
	return name
}

// Names of levels are turned upright if they don't fit side by side, and then are
// at most so long.
const uprightHeight = vg.Length(80)

// set fits the horizontal axis of a plot whose data are so wide.
func (l levelAxis) set(a *plot.Axis, width vg.Length) {
	style := write(textSize, nil, 0, 0)
	from, to := slices.Min(l.at), slices.Max(l.at)
	if !l.joined {
		a.Min, a.Max = from-0.5, to+0.5
	} else {
		// The outermost names must end within the plot.
		widest := vg.Length(0)
		for _, name := range l.names {
			widest = max(widest, style.Width(name))
		}
		share := min(max(0.06, float64(widest/2/width)), 0.3)
		room := max((to-from)*share/(1-2*share), 1e-9*math.Abs(to), 1e-12)
		a.Min, a.Max = from-room, to+room
	}
	ticks := make(plot.ConstantTicks, len(l.at))
	for i := range l.at {
		ticks[i] = plot.Tick{Value: l.at[i], Label: l.names[i]}
	}
	place := func(i int) vg.Length { return width * vg.Length((l.at[i]-a.Min)/(a.Max-a.Min)) }
	if l.joined {
		thinOut(ticks, place, style)
	} else if names, ok := l.flat(width); ok {
		for i := range ticks {
			ticks[i].Label = names[i]
		}
	} else {
		a.Tick.Label.Rotation = math.Pi / 2
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = text.XRight, middle
		for i := range ticks {
			// The spaces keep the name off its tick.
			ticks[i].Label = shorten(ticks[i].Label, style, uprightHeight) + "  "
		}
	}
	a.Tick.Marker = ticks
}

// flat folds names so that they fit side by side on a plot whose data are so wide, and tells
// whether they do.
func (l levelAxis) flat(width vg.Length) (names []string, ok bool) {
	style := write(textSize, nil, 0, 0)
	room := width/vg.Length(len(l.at)) - 3
	for _, name := range l.names {
		folded := fold(name, style, room)
		if style.Width(folded) > room || strings.Count(folded, "\n") >= mostNameLines {
			return nil, false
		}
		names = append(names, folded)
	}
	return names, true
}

// mostNameLines is in how many lines a name is folded at most.
const mostNameLines = 3

// parts are words with what joins them to the next, and the spaces between.
var parts = regexp.MustCompile(`[^ +]+\+?| +`)

// fold breaks a text into lines that are not wider than width, as far as it has places to
// break at: spaces, and behind what joins words.
func fold(s string, style text.Style, width vg.Length) string {
	var lines []string
	line := ""
	for _, word := range parts.FindAllString(s, -1) {
		if line != "" && style.Width(strings.TrimRight(line+word, " ")) > width {
			lines, line = append(lines, strings.TrimRight(line, " ")), ""
		}
		if line != "" || word[0] != ' ' {
			line += word
		}
	}
	return strings.Join(append(lines, strings.TrimRight(line, " ")), "\n")
}

// thinOut removes the labels that would touch those before them.
func thinOut(ticks plot.ConstantTicks, place func(i int) vg.Length, style text.Style) {
	order := make([]int, len(ticks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(place(i), place(j)) })
	end := vg.Length(math.Inf(-1))
	for _, i := range order {
		half := style.Width(ticks[i].Label) / 2
		if place(i)-half < end+3 {
			// A tick without a label would have no line in the grid.
			ticks[i].Label = ""
			continue
		}
		end = place(i) + half
	}
}

// valueScale is the unit in which the vertical axis of a metric is labelled.
type valueScale struct {
	unit    string
	divisor float64
}

// valueScaleOf chooses a scale in which the largest value has few digits.
func valueScaleOf(in string, largest float64) valueScale {
	switch {
	case in == "µs":
		s := timeScaleOf(largest)
		return valueScale{s.name, s.divisor}
	case in == "Gb/s" && largest >= 1e4:
		return valueScale{"Tb/s", 1e3}
	case in == "Gb/s":
		rates := unit.ScaleOfRates(largest * float64(unit.Gbps))
		return valueScale{rates.Name, rates.Divisor / float64(unit.Gbps)}
	case in == "B":
		name, divisor := unit.ScaleOfBytes(largest)
		return valueScale{name, divisor}
	case in == "" && largest >= 1e8:
		return valueScale{"millions", 1e6}
	case in == "" && largest >= 1e5:
		return valueScale{"thousands", 1e3}
	}
	return valueScale{in, 1}
}

// ScaleOf returns the unit for an axis on which the largest value has few digits, and what
// values in the given unit are divided by for it.
func ScaleOf(unit string, largest float64) (name string, divisor float64) {
	s := valueScaleOf(unit, largest)
	return s.unit, s.divisor
}

// wrap breaks a text into two lines if it is wider than width, and shortens lines
// that still are.
func wrap(s string, style text.Style, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	at := strings.LastIndexByte(s, ' ')
	for at > 0 && style.Width(s[:at]) > width {
		at = strings.LastIndexByte(s[:at], ' ')
	}
	if at <= 0 {
		return shorten(s, style, width)
	}
	return s[:at] + "\n" + shorten(s[at+1:], style, width)
}

func (s valueScale) label(title string) string {
	title = readable.Capital(title)
	if s.unit == "" {
		return title
	}
	return title + " (" + s.unit + ")"
}

package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// demoBars is a figure of so many groups and colours.
func demoBars(groups, colors int) Bars {
	b := Bars{Y: "Runtime over ARCANE's", X: "workload", Level: ChartLevel{Name: "equal", Y: 1}}
	names := []string{"ECMP", "MPTCP", "PLB", "Flowlet", "MPRDMA", "BitMap", "OPS", "Adaptive RoCE", "Round robin"}
	b.Colors = names[:colors]
	for g := range groups {
		b.Groups = append(b.Groups, fmt.Sprintf("P. %d MiB", 4<<g))
		var row []Bar
		for i := range colors {
			v := 1 + float64(colors-i)*0.4 + float64(g)*0.05
			row = append(row, Bar{Exists: true, Mean: v, Low: v * 0.95, High: v * 1.06, N: 5})
		}
		b.Values = append(b.Values, row)
	}
	b.Values[0][0] = Bar{Flawed: true}
	return b
}

func TestBarsSayWhatTheyShow(t *testing.T) {
	b := demoBars(5, 9)
	f, err := b.figure()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, x := range drawn(f) {
		all = append(all, x.text)
		if x.Min.X < 0 || x.Max.X > f.width || x.Min.Y < -1 || x.Max.Y > f.height+1 {
			t.Errorf("%q leaves the figure", x.text)
		}
	}
	text := strings.Join(all, "\n")
	for _, want := range append(append([]string{"Runtime over ARCANE's", "Workload", "equal", "no whole run", "mean and 95 % interval, 5 runs"}, b.Colors...), b.Groups...) {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %q:\n%s", want, text)
		}
	}
	if f.width != pageWidth {
		t.Errorf("%d bars are in a figure %v wide", 45, f.width)
	}
	b.Interval = "a certified interval"
	f, err = b.figure()
	if err != nil {
		t.Fatal(err)
	}
	named := false
	for _, x := range drawn(f) {
		named = named || x.text == b.Interval
		if strings.Contains(x.text, "5 runs") {
			t.Errorf("an interval that has a name of its own is said to be %q", x.text)
		}
	}
	if !named {
		t.Errorf("nothing says %q", b.Interval)
	}
	few, err := demoBars(2, 3).figure()
	if err != nil || few.width != columnWidth {
		t.Errorf("6 bars are in a figure %v wide, %v", few.width, err)
	}
}

func TestBarsBeginAtZero(t *testing.T) {
	b := demoBars(2, 3)
	p := newPlot("", "")
	from, to := b.extent()
	b.setValues(&p.Y, from, to)
	if p.Y.Min != 0 || p.Y.Max < 2.3 {
		t.Errorf("the axis shows %v to %v", p.Y.Min, p.Y.Max)
	}
	b.Log = true
	b.setValues(&p.Y, 1, 100)
	if p.Y.Max < 2 || p.Y.Max > 2.2 || p.Y.Min > 0 {
		t.Errorf("the logarithmic axis shows %v to %v", p.Y.Min, p.Y.Max)
	}
}

// TestBarsSayWhatIsMissing has a value that is not there for each reason.
func TestBarsSayWhatIsMissing(t *testing.T) {
	b := Bars{Groups: []string{"a"}, Colors: []string{"1", "2", "3", "4"}, Values: [][]Bar{{{Flawed: true}, {Unstable: true, Flawed: true}, {Empty: true}, {Exists: true, Mean: 1, Low: 1, High: 1, N: 3}}}, Log: true}
	var names []string
	for _, k := range b.markKeys() {
		names = append(names, k.name)
	}
	// Of three runs that came to the same there is no interval to explain.
	if want := []string{"no message ended", "no whole run", "unstable"}; !slices.Equal(names, want) {
		t.Errorf("the legend explains %q, want %q", names, want)
	}
	if err := b.Save(filepath.Join(t.TempDir(), "missing.png")); err != nil {
		t.Error(err)
	}
}

// TestIntervalsOnLogarithmicAxes: they are within the axis, as far as it goes.
func TestIntervalsOnLogarithmicAxes(t *testing.T) {
	b := Bars{Log: true, Values: [][]Bar{{{Exists: true, Mean: 10, Low: 8, High: 20, N: 5}, {Exists: true, Mean: 12, Low: -1, High: 30, N: 5}}}}
	if from, to := b.extent(); from != 6 || to != 30 {
		t.Errorf("the axis shows %v to %v", from, to)
	}
}

// TestBarsAreWideForTheirNames: names are turned only where a whole page has no room for them.
func TestBarsAreWideForTheirNames(t *testing.T) {
	b := demoBars(5, 2)
	for i := range b.Groups {
		b.Groups[i] = "incomprehensibility"
	}
	f, err := b.figure()
	if err != nil || f.width != pageWidth {
		t.Errorf("long names are in a figure %v wide, %v", f.width, err)
	}
}

func TestBarsWithoutValuesAreNotDrawn(t *testing.T) {
	b := Bars{Groups: []string{"a"}, Colors: []string{"b"}, Values: [][]Bar{{{}}}}
	if err := b.Save(filepath.Join(t.TempDir(), "none.png")); err == nil {
		t.Error("bars without a value are drawn")
	}
	if err := demoBars(2, 2).Save(filepath.Join(t.TempDir(), "some.gif")); err == nil {
		t.Error("bars are drawn as GIF")
	}
}

func TestPortsAreCut(t *testing.T) {
	p := &port{accepted: []int64{1, 2, 3}, queue: []int64{1}}
	p.cut(2)
	if len(p.accepted) != 2 || len(p.queue) != 1 {
		t.Errorf("%d and %d buckets are left", len(p.accepted), len(p.queue))
	}
}

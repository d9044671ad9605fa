package csvfile

import (
	"encoding/csv"
	"errors"
	"strings"
	"testing"
)

func TestNoCellIsAFormula(t *testing.T) {
	for _, c := range []struct{ text, cell string }{
		{"ecmp", "ecmp"}, {"", ""}, {"'quoted'", "'quoted'"}, {"a=b", "a=b"},
		{"=1+1", "'=1+1"}, {"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"}, {"@SUM(A1)", "'@SUM(A1)"},
		{"+5%", "'+5%"}, {"-", "'-"}, {"-5us", "'-5us"}, {"\t=1", "'\t=1"}, {"\r=1", "'\r=1"},
		{"-1.5", "-1.5"}, {"+3", "+3"}, {"-2e-05", "-2e-05"}, {"-Inf", "-Inf"},
		{"'=1", "''=1"}, {"''-5", "'''-5"}, {"'", "'"},
	} {
		if got := Cell(c.text); got != c.cell {
			t.Errorf("Cell(%q) = %q, want %q", c.text, got, c.cell)
		}
		if got := Text(c.cell); got != c.text {
			t.Errorf("Text(%q) = %q, want %q", c.cell, got, c.text)
		}
	}
}

func TestRowsAreReadAgain(t *testing.T) {
	var b strings.Builder
	w := NewWriter(&b)
	want := []string{`=HYPERLINK("http://x","y")`, "-1", "a,b", "@x"}
	w.Write(want)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	row, err := csv.NewReader(strings.NewReader(b.String())).Read()
	if err != nil || len(row) != len(want) {
		t.Fatal(row, err)
	}
	for i, cell := range row {
		if strings.HasPrefix(cell, "=") || Text(cell) != want[i] {
			t.Errorf("cell %q of %q", cell, want[i])
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestErrorsAreTold(t *testing.T) {
	w := NewWriter(full{})
	w.Write([]string{"a"})
	if w.Flush() == nil {
		t.Error("nothing is told of an error")
	}
}

func FuzzCell(f *testing.F) {
	f.Add("=1")
	f.Add("''@x")
	f.Fuzz(func(t *testing.T, text string) {
		if got := Text(Cell(text)); got != text {
			t.Errorf("%q is written %q and read as %q", text, Cell(text), got)
		}
	})
}

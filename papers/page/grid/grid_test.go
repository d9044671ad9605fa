package grid

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
)

func small() *Grid {
	return &Grid{
		Title: "Tiny: claims by readings", Columns: []string{"first", "window=pace"},
		Looks: []Look{{"holds", "+", "#0072b2", "#ffffff"}, {"fails", "x", "#d55e00", "#ffffff"}},
		Rows:  []Row{{"gain", "depends", []Cell{{1, "gain, first: 0.8× < 1 & more"}, {0, "gain, window=pace: 0.6×"}}}},
	}
}

// TestSVG: each cell has its symbol, and its text on hover.
func TestSVG(t *testing.T) {
	var b bytes.Buffer
	if err := small().SVG(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"<title>gain, first: 0.8× &lt; 1 &amp; more</title>", ">x</text>", ">+</text>", ">depends</text>", "rotate(-90"} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no %q", want)
		}
	}
	d := xml.NewDecoder(&b)
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPDF: the table of objects names where each begins.
func TestPDF(t *testing.T) {
	var b bytes.Buffer
	if err := small().PDF(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	_, table, _ := strings.Cut(text, "xref\n0 6\n")
	lines := strings.Split(table, "\n")
	for i := 1; i <= 5; i++ {
		at, err := strconv.Atoi(lines[i][:10])
		if err != nil || !strings.HasPrefix(text[at:], fmt.Sprintf("%d 0 obj", i)) {
			t.Errorf("object %d is not at %d (%v)", i, at, err)
		}
	}
	if !strings.Contains(text, "(window=pace) Tj") || latin("§(a) × →") != `\247\(a\) \327 ?` {
		t.Errorf("texts: %q", latin("§(a) × →"))
	}
}

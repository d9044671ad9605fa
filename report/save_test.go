package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"weft/report/internal/pdf/pdftest"
)

// TestPDFSaysWhatIsDrawn reads PDFs of every kind of figure: each text must be there as it
// was drawn, whatever its characters.
func TestPDFSaysWhatIsDrawn(t *testing.T) {
	var figures []*figure
	for _, d := range demos() {
		figures = append(figures, everyFigure(d.runs(t), paper{})...)
	}
	for _, d := range studyDemos() {
		figures = append(figures, everyStudyFigure(t, d.table(), StudyOptions{})...)
	}
	chart := Chart{Panels: []ChartPanel{{Title: "≤ 3 paths – α = ½", X: "Load (%)", Y: "Delay (µs)", Lines: []ChartLine{
		{Name: "2 × ECMP", X: []float64{1, 2}, Y: []float64{3, 4}, Labels: []string{"≥ 1", "±2"}},
		{Name: "OPS", X: []float64{1, 2}, Y: []float64{5, 4}},
	}}}}
	f, err := chart.figure()
	if err != nil {
		t.Fatal(err)
	}
	figures = append(figures, f)

	beyondASCII := map[rune]bool{}
	for _, f := range figures {
		var b bytes.Buffer
		if err := f.write(&b, "pdf"); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		got, err := pdftest.Texts(b.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		var want []string
		for _, text := range drawn(f) {
			want = append(want, text.text)
			for _, r := range text.text {
				beyondASCII[r] = beyondASCII[r] || r > 127
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the PDF says\n%q, and\n%q is drawn", f.name, got, want)
		}
	}
	for _, r := range "µ×–≤≥±α½" {
		if !beyondASCII[r] {
			t.Errorf("no figure has the character %c, so that it is not tested", r)
		}
	}
}

// TestSVGIsXML parses the drawings of figures whose names hold what is no character of XML or
// markup.
func TestSVGIsXML(t *testing.T) {
	const name = "</text>\x1b[2J\x00\u202e<&\"'\ufffe\r\n]]>"
	var figures []*figure
	for _, d := range demos() {
		runs := d.runs(t)
		for i := range runs {
			runs[i].Name += name
		}
		figures = append(figures, everyFigure(runs, paper{})...)
	}
	f, err := Chart{Panels: []ChartPanel{{Title: name, X: name, Y: name, Lines: []ChartLine{{Name: name, X: []float64{1, 2}, Y: []float64{3, 4}, Labels: []string{name, name}}}}}}.figure()
	if err != nil {
		t.Fatal(err)
	}
	hostile := 0
	for _, f := range append(figures, f) {
		var b bytes.Buffer
		if err := f.write(&b, "svg"); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		for d := xml.NewDecoder(&b); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", f.name, err)
			}
			if text, ok := token.(xml.CharData); ok && strings.Contains(string(text), `\x1b`) {
				hostile++
			}
		}
	}
	if hostile == 0 {
		t.Error("no drawing shows the name")
	}
}

package report

import (
	"slices"
	"strings"
	"testing"

	"weft/study"
)

// sizedStudy is a study of two variants under two loads, with the messages of one run per
// cell.
func sizedStudy(sizes bool) (*study.Table, *StudySizes) {
	d := studyDemo{axes: []study.Axis{words("variant", "OPS", "ARCANE"), numeric("load", "%", "20%", "40%")}}
	table, of := d.table(), &StudySizes{}
	for i, c := range table.Cells {
		run := slowUplink()
		run.sizes = sizes
		of.Add(c.Name, run.result(i%2, c.Name))
	}
	return table, of
}

func TestStudyOverMessageSize(t *testing.T) {
	table, sizes := sizedStudy(true)
	figures, notices, err := sizes.figures(table, StudyOptions{}, paper{})
	if err != nil || len(figures) != 1 || len(notices) > 0 {
		t.Fatalf("%d figures, notices %q: %v", len(figures), notices, err)
	}
	var texts []string
	for _, x := range drawn(figures[0]) {
		texts = append(texts, x.text)
	}
	for _, want := range []string{"OPS", "ARCANE", "load 20%: median", "load 40%: 99th percentile", "Message size"} {
		if !slices.Contains(texts, want) {
			t.Errorf("nothing says %q: %q", want, texts)
		}
	}
	checkTexts(t, figures[0])

	held, _, err := sizes.figures(table, StudyOptions{Fix: map[string]string{"load": "40%"}}, paper{})
	if err != nil || len(held) != 1 || held[0].height >= figures[0].height && held[0].width >= figures[0].width {
		t.Errorf("held at a load, %d figures: %v", len(held), err)
	}
	if _, _, err := sizes.figures(table, StudyOptions{Fix: map[string]string{"load": "50%"}}, paper{}); err == nil || !strings.Contains(err.Error(), `no level "50%"`) {
		t.Errorf("error %v of a level that there is not", err)
	}
}

// TestChosenStudyFigures: the figure is drawn by itself, or with metrics, or not at all.
func TestChosenStudyFigures(t *testing.T) {
	table, sizes := sizedStudy(true)
	for names, want := range map[string]string{
		SizesFigure:                 SizesFigure,
		"fct_p99_us":                "fct_p99_us",
		"fct_p99_us," + SizesFigure: "fct_p99_us " + SizesFigure,
	} {
		drawn, err := StudyFigures(table, t.TempDir(), StudyOptions{Formats: []string{"svg"}, Metrics: strings.Split(names, ","), Sizes: sizes})
		var got []string
		for _, file := range drawn.Files {
			got = append(got, strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".svg"))
		}
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("%s: drawn %q (%v), want %s", names, got, err, want)
		}
	}
	table, same := sizedStudy(false)
	if figures, notices, err := same.figures(table, StudyOptions{}, paper{}); len(figures) > 0 || len(notices) != 1 || err != nil {
		t.Errorf("of one size: %d figures, notices %q, %v", len(figures), notices, err)
	}
}

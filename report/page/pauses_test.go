package page

import (
	"strings"
	"testing"

	"weft/record"
	"weft/record/section"
	"weft/unit"
)

// The section on pauses names the links that were paused longest, most first, with their share of the window, and is
// there for runs with lossless classes only.
func TestPausesSection(t *testing.T) {
	us := unit.Microsecond
	r := &record.Result{Pauses: []record.Pause{
		{Port: "host1->tor0", Pauses: 2, Time: 40 * us, HeldMax: 60_000},
		{Port: "tor0->host1", Sent: 2, Resumes: 2},
		{Port: "spine0->tor0", Class: 1, Pauses: 7, Time: 80 * us, HeldMax: 74_880},
	}}
	r.Manifest.Name, r.Summary.Name = "lossless", "lossless"
	r.Summary.Sections = section.Set{record.SumPauses(r.Pauses, 200*us)}
	r.Summary.Drops.HeadroomFull = 3
	bare := &record.Result{}
	var text strings.Builder
	report := &Report{Title: "pauses", Variants: []Variant{{"bare", []*Reduced{Reduce(bare, Options{})}}, {"lossless", []*Reduced{Reduce(r, Options{})}}}}
	if err := Write(&text, report); err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(text.String(), `<section id="pauses"`)
	section, _, _ = strings.Cut(section, "</section>")
	last := 0
	for _, want := range []string{"Switches sent 2 pause frames", "paused for 120 µs", "74.88 kB", "(spine0->tor0)", "3 frames of lossless classes were dropped",
		"spine0-&gt;tor0</th>", ">7<", ">80<", ">40<", "host1-&gt;tor0</th>", ">2<", ">40<", ">20<"} {
		want = strings.ReplaceAll(want, "(spine0->tor0)", "(spine0-&gt;tor0)")
		at := strings.Index(section[last:], want)
		if !found || at < 0 {
			t.Fatalf("there is no %q after %d characters: %s", want, last, section)
		}
		last += at
	}
	if strings.Contains(section, "bare") || strings.Contains(section, "tor0-&gt;host1") {
		t.Errorf("it names what was not paused: %s", section)
	}
	text.Reset()
	if err := Write(&text, &Report{Title: "none", Variants: report.Variants[:1]}); err != nil || strings.Contains(text.String(), `id="pauses"`) {
		t.Errorf("without lossless classes: %v", err)
	}
}

package page

import (
	"strings"
	"testing"

	"weft/record"
)

// Options that never acted are listed once, with the variants that they are of, and mark no number.
func TestOptionsThatNeverActed(t *testing.T) {
	variant := func(name string, runs ...[]record.Idle) Variant {
		v := Variant{Name: name}
		for _, idle := range runs {
			r := &record.Result{}
			r.Manifest.Name, r.Summary.Name, r.Summary.NeverActed = name, name, idle
			v.Runs = append(v.Runs, Reduce(r, Options{}))
		}
		return v
	}
	marks := record.Idle{Option: "fabric.ecn", Entry: "red", Text: "no frame was marked"}
	fault := func(text string) record.Idle { return record.Idle{Option: "faults[0]", Entry: "loss", Text: text} }
	r := &Report{Title: "idle", Variants: []Variant{
		variant("a", []record.Idle{marks, fault("<early>")}, []record.Idle{fault("late")}),
		variant("b", []record.Idle{marks, fault("another")}),
		variant("c", nil),
	}}
	var text strings.Builder
	if err := Write(&text, r); err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(text.String(), `id="idle"`)
	section, _, _ = strings.Cut(section, "</ul>")
	for _, want := range []string{
		"<li>faults[0] (loss) never acted in a, b: &lt;early&gt; (a)</li>",
		"<li>fabric.ecn (red) never acted in b: no frame was marked</li>", // one of a's runs marked
	} {
		if !found || !strings.Contains(section, want) {
			t.Errorf("no %q in %s", want, section)
		}
	}
	if strings.Contains(text.String(), `class="mark"`) || strings.Contains(text.String(), `id="notes"`) {
		t.Error("it qualifies numbers")
	}
	text.Reset()
	if err := Write(&text, &Report{Title: "none", Variants: r.Variants[2:]}); err != nil || strings.Contains(text.String(), `id="idle"`) {
		t.Errorf("without any: %v", err)
	}
}

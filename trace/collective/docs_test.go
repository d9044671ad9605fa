package collective

import (
	"os"
	"strings"
	"testing"

	"weft/unit"
)

// TestDocs: docs/traces.md lists the algorithms of each collective, and its defaults.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/traces.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range allKinds() {
		var has, preferred []string
		for _, a := range algorithmsOf(k) {
			has = append(has, a.String())
		}
		for _, r := range defaults() {
			if r.Kind != k {
				continue
			}
			text := r.Algorithm.String()
			if r.UpTo > 0 {
				text += " to " + unit.Bytes(r.UpTo).String()
			}
			preferred = append(preferred, text)
		}
		row := "| " + k.String() + " | " + strings.Join(has, ", ") + " | " + strings.Join(preferred, ", ") + " |\n"
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/traces.md lacks %s", row)
		}
	}
}

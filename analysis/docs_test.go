package analysis_test

import (
	"os"
	"strings"
	"testing"

	"weft/analysis"
)

// TestDocsNameModelsAndParameters holds the commands of the documentation against
// the models, without running them.
func TestDocsNameModelsAndParameters(t *testing.T) {
	text, err := os.ReadFile("../docs/theory.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "weft theory ")
		words := strings.Fields(command)
		if !ok || len(words) == 0 || !strings.HasPrefix(line, "    ") {
			continue
		}
		commands++
		if words[0] == "figure" {
			if _, err := analysis.FindFigure(words[1]); err != nil {
				t.Error(err)
			}
			continue
		}
		m, err := analysis.Find(words[0])
		if err != nil {
			t.Error(err)
			continue
		}
		given := params{}
		for i := 1; i < len(words); i++ {
			name := strings.ReplaceAll(strings.TrimPrefix(words[i], "--"), "-", "_")
			value := "true"
			if i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
				value = words[i+1]
				i++
			}
			if name != "help" && name != "out" {
				given[name] = value
			}
		}
		if err := m.Check(given); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	if commands < 10 {
		t.Errorf("found %d commands", commands)
	}
	for _, m := range analysis.Models() {
		if !strings.Contains(string(text), "| `"+m.Name+"` |") {
			t.Errorf("the table lacks %s", m.Name)
		}
	}
}

package record

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// A folder of results may be a stranger's: names that hold control characters are shown as
// escapes, wherever they stand.
func TestTextsOfAStrangerArePrintable(t *testing.T) {
	const name, shown = "\x1b[2Ja\u202eb\r", `\x1b[2Ja\u202eb\r`
	r := sample()
	r.Manifest.Name, r.Summary.Name = name, name
	r.Manifest.Notices = []string{"a\n" + name}
	r.Manifest.Scenario = []byte(`{"name":"\u001b[2J"}`)
	for i := range r.Flows {
		r.Flows[i].Group, r.Flows[i].Src = name, name
	}
	for i := range r.Ports {
		r.Ports[i].Name = name
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := WriteFolder(dir, r); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if f := got.Flows[0]; f.Group != shown || f.Src != shown || got.Ports[0].Name != shown {
		t.Errorf("rows: %q, %q, %q", f.Group, f.Src, got.Ports[0].Name)
	}
	texts := []string{got.Manifest.Name, got.Summary.Name, got.Manifest.Notices[0]}
	inScenario, err := got.Manifest.ScenarioText("name")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(texts, inScenario) {
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || r == '\u202e') }) {
			t.Errorf("%q", text)
		}
	}
}

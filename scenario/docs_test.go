package scenario_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"weft"
	"weft/scenario"
)

// TestScenariosOfDocuments builds every scenario of README and of the pages, with the
// connection matrices and flows that a page shows beside them.
func TestScenariosOfDocuments(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	// Files that a scenario names are relative to its page, or shown on it.
	dir := filepath.Join(t.TempDir(), "docs")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "scenarios"), filepath.Join(dir, "../scenarios")); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(yaml|cm|flows)\n(.*?)```")
	found := map[string]int{}
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(page)
		for _, b := range blocks.FindAllSubmatch(text, -1) {
			if file := map[string]string{"cm": "chain.cm", "flows": "flow.txt"}[string(b[1])]; file != "" {
				if err := os.WriteFile(filepath.Join(dir, file), b[2], 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, b := range blocks.FindAllSubmatch(text, -1) {
			if !bytes.HasPrefix(b[2], []byte("weft: 1")) {
				continue
			}
			found[name]++
			f, err := scenario.Parse(filepath.Join(dir, name+".yaml"), b[2], weft.Builtin(), nil)
			if err != nil {
				t.Errorf("%v\n%s", err, b[2])
				continue
			}
			for _, s := range f.Variants {
				if _, err := s.Verify(); err != nil {
					t.Errorf("%v\n%s", err, b[2])
				}
			}
		}
	}
	for name, least := range map[string]int{"README.md": 1, "scenarios.md": 1, "workloads.md": 7} {
		if found[name] < least {
			t.Errorf("%s has %d scenarios, and had %d; begin each with weft: 1", name, found[name], least)
		}
	}
}

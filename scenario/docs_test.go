package scenario_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"weft"
	"weft/scenario"
)

// TestWorkloadsPage reads every scenario of docs/workloads.md and builds it, with
// the files that the page shows beside it.
func TestWorkloadsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/workloads.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "docs")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Abs("../scenarios")
	if err == nil {
		err = os.Symlink(data, filepath.Join(dir, "../scenarios"))
	}
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(yaml|cm)\n(.*?)```").FindAllSubmatch(page, -1)
	scenarios := 0
	for _, b := range blocks {
		if string(b[1]) == "cm" {
			if err := os.WriteFile(filepath.Join(dir, "chain.cm"), b[2], 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, b := range blocks {
		if string(b[1]) != "yaml" {
			continue
		}
		scenarios++
		f, err := scenario.Parse(filepath.Join(dir, "page.yaml"), b[2], weft.Builtin(), nil)
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
	if scenarios < 5 {
		t.Errorf("the page has %d scenarios", scenarios)
	}
}

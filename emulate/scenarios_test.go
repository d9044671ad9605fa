package emulate_test

import (
	"path/filepath"
	"testing"

	"weft"
	"weft/emulate"
)

// TestScenarios: all scenario files for runs on wire can go so, in all their variants.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../scenarios/wire/*.yaml")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		f, err := weft.Load(path, weft.Builtin())
		if err != nil {
			t.Error(err)
			continue
		}
		for _, s := range f.Variants {
			m, err := emulate.CheckMessages(s)
			if err != nil {
				t.Errorf("%s: %v", s.Variant, err)
				continue
			}
			for _, text := range m.Notices {
				t.Logf("%s: %s", s.Variant, text)
			}
		}
	}
}

package study_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/study"
)

// TestTheFolderOfAnotherStudyIsLeftAlone, however a plan comes to it; an edited study and
// a renamed one are none.
func TestTheFolderOfAnotherStudyIsLeftAlone(t *testing.T) {
	more := strings.Replace(small, "seeds: 4", "seeds: 5", 1)
	large := func(text string) string { return strings.Replace(text, "name: small", "name: large", 1) }
	first := study.Shard{Index: 0, Of: 2}
	for name, open := range map[string]func(dir string, p *study.Plan) error{
		"Create": func(dir string, p *study.Plan) error { _, err := study.Create(dir, p); return err },
		"OpenAs": func(dir string, p *study.Plan) error { _, err := study.OpenAs(dir, p); return err },
		"Join":   func(dir string, p *study.Plan) error { _, err := study.Join(dir, p, first); return err },
	} {
		t.Run(name, func(t *testing.T) {
			// begun is a folder that holds the study small.
			begun := func() string {
				t.Helper()
				dir := filepath.Join(t.TempDir(), "study")
				if _, err := study.Create(dir, plan(t, small, "program")); err != nil {
					t.Fatal(err)
				}
				return dir
			}
			dir := begun()
			before := manifest(t, dir)
			err := open(dir, plan(t, large(more), "program"))
			if want := dir + ": holds study small, of /small.yaml, but /small.yaml is study large: choose another folder with --out"; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("another study: %v", err)
			}
			if manifest(t, dir) != before {
				t.Error("the folder of another study was changed")
			}
			if err := open(begun(), plan(t, large(small), "program")); err != nil {
				t.Errorf("the study by another name: %v", err)
			}
			if name == "Join" { // which demands the plan that is there
				return
			}
			if err := open(begun(), plan(t, more, "program")); err != nil {
				t.Errorf("the study with more seeds: %v", err)
			}
		})
	}
}

func TestReplaceTakesThePlaceOfAnotherStudy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "study")
	s, err := study.Create(dir, plan(t, small, "program"))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, s, here{}, study.Shard{})
	other := strings.NewReplacer("name: small", "name: large", "seeds: 4", "seeds: 5").Replace(small)
	if s, err = study.Replace(dir, plan(t, other, "program")); err != nil {
		t.Fatal(err)
	}
	if n := s.Missing(study.Part{}); n != 3 {
		t.Errorf("%d runs are missing, and not those of the fifth seed alone", n)
	}
	if s, err = study.Open(dir); err != nil || s.Plan.Name != "large" {
		t.Errorf("the folder has study %s: %v", s.Plan.Name, err)
	}
}

func manifest(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "study.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

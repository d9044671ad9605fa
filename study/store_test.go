package study

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/record"
)

// TestStoreLeavesWhatIsNotItsOwn: files that a user put into the folder of a large run, or
// beside it, are not removed with it.
func TestStoreLeavesWhatIsNotItsOwn(t *testing.T) {
	key := strings.Repeat("a1", 16)
	s := Store{Dir: filepath.Join(t.TempDir(), "runs")}
	group := filepath.Join(s.Dir, key[:2])
	run := filepath.Join(group, key)
	put := func() {
		t.Helper()
		if err := record.WriteFolder(run, &record.Result{}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(run, "notes.txt"), []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		put()
		if err := s.Remove(key); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Path(key); err == nil {
			t.Error("a removed run is there")
		}
	}
	put()
	// A damaged one can be removed, too.
	if err := os.WriteFile(filepath.Join(run, "manifest.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(key); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{key, key + "-2", key + "-3"} {
		if text, err := os.ReadFile(filepath.Join(s.Dir, keptFolder, name, "notes.txt")); err != nil || string(text) != "mine" {
			t.Errorf("%q, %v", text, err)
		}
	}
	leave := []string{".DS_Store", ".git", "." + key, "." + key + ".old-1-0"} // the last with something of the user's
	remove := []string{"." + key + ".zip.0123abcd", "." + key + ".failed.json.12", "." + key + ".tmp-12-0"}
	for _, name := range append(leave, remove...) {
		if err := os.MkdirAll(filepath.Join(group, name, "inner"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.sweep(); err != nil {
		t.Fatal(err)
	}
	for i, name := range append(leave, remove...) {
		if _, err := os.Lstat(filepath.Join(group, name)); (err == nil) != (i < len(leave)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, err := s.contents(); err != nil || len(c.runs)+len(c.foreign) != 0 {
		t.Errorf("contents %v, %v", c, err)
	}
}

package inputs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/userfile"
)

const graph = `{"workload_graph": [{"Id": 1, "NodeType": 4, "runtime": 3}]}`

// TestSHA256: a prefix and each file of a trace stand for all of its files, as the folder does.
func TestSHA256(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hash := func(name string) string {
		t.Helper()
		sum, err := SHA256(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	put("app.0.json", graph)
	put("app.1.json", graph)
	put("groups.json", `{"1": [0, 1]}`)
	whole := hash("")
	if folder, err := userfile.SHA256(dir); err != nil || folder != whole {
		t.Errorf("the folder has %s, error %v", folder, err)
	}
	names := []string{"app", "app.0.json", "app.1.json"}
	for _, name := range names {
		if got := hash(name); got != whole {
			t.Errorf("%s has %s, and the folder %s", name, got, whole)
		}
	}
	put("notes.txt", "none")
	put("other.json", `{"a": "b"}`)
	for _, name := range names {
		if hash(name) != whole {
			t.Errorf("%s has changed with files that are not read", name)
		}
	}
	for _, change := range []string{"app.1.json", "groups.json"} {
		before, err := os.ReadFile(filepath.Join(dir, change))
		if err != nil {
			t.Fatal(err)
		}
		put(change, strings.Replace(strings.Replace(string(before), "3", "4", 1), "0, 1", "1, 0", 1))
		for _, name := range names {
			if hash(name) == whole {
				t.Errorf("%s has not changed with %s", name, change)
			}
		}
		put(change, string(before))
	}
}

// TestPlain: other files are hashed as they are, also those that look like one of a trace.
func TestPlain(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"app.goal": "num_ranks 0", "net.5.json": "[]", "app.3.et": "x"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := SHA256(path)
		if want, wrong := userfile.SHA256(path); err != nil || wrong != nil || got != want {
			t.Errorf("%s has %s, error %v", name, got, err)
		}
	}
	if _, err := SHA256(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := SHA256(filepath.Join(dir, "app")); err == nil || !strings.Contains(err.Error(), "3 files of those before it are missing") {
		t.Error(err)
	}
}

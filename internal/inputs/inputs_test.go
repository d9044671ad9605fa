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

// TestWithNamed: properties of netbench stand for the topology file that they name, too.
func TestWithNamed(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	of := func(sums Sums, path string) string {
		t.Helper()
		sum, err := sums.WithNamed(path)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	run := put("runs/ring.properties", "scenario_topology_file=maps/ring.topology\n")
	plain, err := SHA256(run)
	if err != nil {
		t.Fatal(err)
	}
	if of(nil, run) != plain {
		t.Error("without a topology file the hash is not that of the properties")
	}
	topology := put("maps/ring.topology", "|V|=2")
	sums := Sums{}
	before := of(sums, run)
	if before == plain || of(sums, run) != before || sums[run] != plain || len(sums) != 2 {
		t.Error("with the topology file:", before, sums)
	}
	put("maps/ring.topology", "|V|=3")
	if of(sums, run) != before {
		t.Error("files are read again")
	}
	if of(nil, run) == before {
		t.Error("the hash has not changed with the topology file")
	}
	put("runs/maps/ring.topology", "|V|=2")
	if of(nil, run) != before {
		t.Error("the nearer topology file is not the one that counts")
	}
	if own, err := SHA256(topology); err != nil || of(nil, topology) != own {
		t.Error("a topology file:", own, err)
	}
	other := put("sizes.properties", "size=3\n")
	if own, err := SHA256(other); err != nil || of(nil, other) != own {
		t.Error("a file of another kind:", own, err)
	}
	if _, err := Sums(nil).WithNamed(filepath.Join(dir, "none.properties")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

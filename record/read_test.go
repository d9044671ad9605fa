package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
)

func TestReadFolderExplains(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		want  []string
	}{
		{"no folder", func(t *testing.T, dir string) { os.RemoveAll(dir) }, []string{"no such file", "name a folder that weft run wrote"}},
		{"no manifest", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, manifestFile)) }, []string{"not a result of weft", "manifest.json"}},
		{"no flows", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, flowsFile)) }, []string{"incomplete", "flows.parquet"}},
		{"manifest cut off", func(t *testing.T, dir string) { write(t, filepath.Join(dir, manifestFile), "{\n  \"format\":") }, []string{"manifest.json:2:", "run the scenario again"}},
		{"a seed that is a word", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, manifestFile), "{\"format\": \"weft-run\",\n\"version\": 1,\n\"seed\": \"one\"}")
		}, []string{"manifest.json:3:13: seed cannot be a string"}},
		{"another format", func(t *testing.T, dir string) { write(t, filepath.Join(dir, manifestFile), `{"format": "ns-3"}`) }, []string{`"ns-3"`, `"weft-run"`}},
		{"a newer version", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, manifestFile), `{"format": "weft-run", "version": 9}`)
		}, []string{"version 9", "update weft"}},
		{"no version", func(t *testing.T, dir string) { write(t, filepath.Join(dir, manifestFile), `{"format": "weft-run"}`) }, []string{"version 0"}},
		{"not Parquet", func(t *testing.T, dir string) { write(t, filepath.Join(dir, portsFile), "name,from\n") }, []string{"ports.parquet", "not a Parquet file"}},
		{"empty Parquet", func(t *testing.T, dir string) { write(t, filepath.Join(dir, portsFile), "") }, []string{"ports.parquet", "not a Parquet file"}},
		{"other columns", func(t *testing.T, dir string) {
			rows := []struct {
				Kind string `parquet:"kind"`
			}{{"queue"}}
			if err := parquet.WriteFile(filepath.Join(dir, seriesFile), rows); err != nil {
				t.Fatal(err)
			}
		}, []string{"series.parquet", "no column entity, time_ps, value"}},
		{"a variant outside", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, manifestFile))
			write(t, filepath.Join(dir, comparisonFile), `{"format": "weft-comparison", "version": 1, "variants": [{"name": "a", "folder": "../.."}]}`)
		}, []string{"not a result of weft"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := WriteFolder(dir, sample()); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, dir)
			_, err := ReadFolder(dir)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %q", err, want)
				}
			}
		})
	}
}

func TestDamagedTablesAreErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := WriteFolder(dir, sample()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, flowsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The footer ends the file and says where everything else is.
	for i := 0; i < len(whole); i++ {
		if i < len(whole)-64 {
			i += 30
		}
		spoiled := bytes.Clone(whole)
		spoiled[i] ^= 0xff
		write(t, path, string(spoiled))
		// Some bytes are values, so that not every change can be noticed.
		if _, err := readTable(folder(dir), flowsFile, flowRow.flow); err != nil && !strings.Contains(err.Error(), "flows.parquet") {
			t.Errorf("byte %d: %v does not name the file", i, err)
		}
	}
}

func FuzzManifest(f *testing.F) {
	r := sample()
	whole, err := json.Marshal(manifestJSON{format{runFormat, formatVersion}, r.Manifest, r.Marks})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"format": "weft-run", "version": 1}`))
	f.Add([]byte(`{"format": "weft-run", "version": 1, "interval": "20 parsecs"}`))
	f.Add([]byte(`{"format": "weft-run", "version": 1, "marks": [{"at": "1us"}], "timings": {"build_seconds": 1e300}}`))
	f.Add([]byte(`{"format": "weft-run", "version": 1, "scenario": {"": ["<&>"]}}`))
	f.Add([]byte("{\n\n"))
	f.Add([]byte{0xff, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest("manifest.json", text)
		if err != nil {
			if !strings.Contains(err.Error(), "manifest.json") {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		again, err := compact(m)
		if err != nil {
			t.Fatalf("cannot write what was read: %v", err)
		}
		back, err := parseManifest("manifest.json", again)
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, again)
		}
		if diff := cmp.Diff(m, back, cmp.AllowUnexported(manifestJSON{}, format{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-first +second):\n%s", diff)
		}
	})
}

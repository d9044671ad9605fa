package record

import (
	"archive/zip"
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzPack reads any bytes as a packed run. An empty name takes them as the whole archive,
// another name as that file of a good one: sums protect an archive from random changes, and not
// from a stranger who makes one.
func FuzzPack(f *testing.F) {
	good, err := Pack(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add("", good)
	f.Add("", good[:len(good)/2])
	f.Add("", []byte("PK\x05\x06"))
	for name, content := range unzipped(f, good) {
		f.Add(name, content)
		f.Add(name, content[:len(content)/2])
	}
	f.Add(manifestFile, []byte(`{"format": "weft-run", "version": 1}`))
	f.Add(manifestFile, []byte(`{"format": "weft-run", "version": 1, "interval": "20 parsecs"}`))
	f.Add(manifestFile, []byte(`{"format": "weft-run", "version": 1, "marks": [{"at": 1}], "notices": "none"}`))
	f.Add(manifestFile, []byte(`{"format": "weft-run", "version": 1, "scenario": null, "study": {"cell": 3}}`))
	f.Add(summaryFile, []byte(`{"format": "weft-summary", "version": 1, "ended": "drained"}`))
	f.Add(fewName(flowsFile), []byte(`[{"src": "host0"}]`))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		packed := content
		if name != "" {
			packed = rebuiltFrom(t, good, map[string]func(io.Writer) error{name: func(w io.Writer) error {
				_, err := w.Write(content)
				return err
			}})
		}
		got, err := Unpack("x.run", packed)
		if err != nil && !strings.Contains(err.Error(), "x.run") {
			t.Errorf("%v does not name the file", err)
		}
		checked, wrong := CheckPack("x.run", packed)
		if (wrong == nil) != (err == nil) {
			t.Fatalf("CheckPack returns %v, and Unpack %v", wrong, err)
		}
		if err != nil {
			return
		}
		if checked.Manifest.Seed != got.Manifest.Seed {
			t.Errorf("seed %d is checked, and the run has %d", checked.Manifest.Seed, got.Manifest.Seed)
		}
		if _, _, err := UnpackSummary("x.run", packed); err != nil {
			t.Errorf("the summary alone: %v", err)
		}
		dir := filepath.Join(t.TempDir(), "run")
		if err := UnpackTo(dir, "x.run", packed); err != nil {
			t.Fatalf("cannot be written as a folder: %v", err)
		}
		back, err := ReadFolder(dir)
		if err != nil {
			t.Fatalf("the folder cannot be read: %v", err)
		}
		if diff := cmp.Diff(got, back, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("(-packed +folder):\n%s", diff)
		}
	})
}

func unzipped(f *testing.F, packed []byte) map[string][]byte {
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		f.Fatal(err)
	}
	files := map[string][]byte{}
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			f.Fatal(err)
		}
		if files[file.Name], err = io.ReadAll(r); err != nil {
			f.Fatal(err)
		}
	}
	return files
}

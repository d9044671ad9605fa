package record

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestPackedResultsUnpackToThemselves(t *testing.T) {
	want := sample()
	packed, err := Pack(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unpack("x.run", packed)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "folder")
	if err := UnpackTo(dir, "x.run", packed); err != nil {
		t.Fatal(err)
	}
	viaFolder, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Result{"unpacked": got, "written as a folder": viaFolder} {
		if diff := cmp.Diff(want, r, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	m, s, err := UnpackSummary("x.run", packed)
	if err != nil || m.Hashes != want.Manifest.Hashes || s.ResultHash != want.Summary.ResultHash {
		t.Errorf("summary alone: %v, %v, %v", m.Hashes, s.ResultHash, err)
	}
}

func TestDamagedPacksAreRefused(t *testing.T) {
	packed, err := Pack(sample())
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(packed); n += 17 {
		if _, err := Unpack("x.run", packed[:n]); err == nil || !strings.Contains(err.Error(), "x.run") {
			t.Errorf("the first %d of %d bytes: %v", n, len(packed), err)
		}
	}
	for i := 0; i < len(packed); i += 101 {
		spoiled := bytes.Clone(packed)
		spoiled[i] ^= 0x55
		if _, err := Unpack("x.run", spoiled); err != nil && !strings.Contains(err.Error(), "x.run") {
			t.Errorf("byte %d: %v does not name the file", i, err)
		}
	}
}

// BenchmarkPack is what a run of a study costs beside the run itself.
func BenchmarkPack(b *testing.B) {
	r := sample()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Pack(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnpackSummary(b *testing.B) {
	packed, err := Pack(sample())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := UnpackSummary("x.run", packed); err != nil {
			b.Fatal(err)
		}
	}
}

// Of a study's thousands of runs, each tells apart empty tables by their absence.
func TestPacksLeaveOutEmptyTables(t *testing.T) {
	full := sample()
	bare := sample()
	bare.Series, bare.Faults, bare.Nodes, bare.Snapshots, bare.Pauses = nil, nil, nil, nil, nil
	for _, c := range []struct {
		name   string
		result *Result
		files  int
	}{{"full", full, 9}, {"bare", bare, 4}, {"nothing", new(Result), 4}} {
		packed, err := Pack(c.result)
		if err != nil {
			t.Fatal(err)
		}
		p, err := openPack("x.run", packed)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.File) != c.files {
			t.Errorf("%s: %d files, want %d", c.name, len(p.File), c.files)
		}
		got, err := Unpack("x.run", packed)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.result, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestPackerIsAsNewForEachResult(t *testing.T) {
	full, bare := sample(), &Result{Summary: Summary{Name: "bare"}}
	var p Packer
	for i, r := range []*Result{full, bare, full, full, bare} {
		want, err := Pack(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Pack(r)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("result %d is packed otherwise than by a new packer", i)
		}
	}
}

// TestPacksOfManyRows packs tables of few rows and of many, which are kept in two
// ways.
func TestPacksOfManyRows(t *testing.T) {
	for _, n := range []int{1, fewRows, fewRows + 1, 5000} {
		want := sample()
		first := want.Flows[0]
		want.Flows = nil
		for i := range n {
			f := first
			f.ID = uint64(i)
			want.Flows = append(want.Flows, f)
		}
		packed, err := Pack(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Unpack("x.run", packed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%d rows: %s", n, diff)
		}
	}
}

// BenchmarkCheckPack is what it costs to keep a run of a study, beside writing it.
func BenchmarkCheckPack(b *testing.B) {
	packed, err := Pack(sample())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := CheckPack("x.run", packed); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPackingStopsAtTheMost: a result that would be larger than any that is read is not packed.
func TestPackingStopsAtTheMost(t *testing.T) {
	p := packing{new(bytes.Buffer), 10}
	for range 2 {
		if _, err := p.Write([]byte("12345")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Write([]byte("6")); err == nil || !strings.Contains(err.Error(), "record less") || p.Len() != 10 {
		t.Errorf("%d bytes are there, and %v", p.Len(), err)
	}
}

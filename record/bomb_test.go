package record

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
)

// rebuilt returns a packed result with other or further files in it, and without those
// that are nil.
func rebuilt(t *testing.T, files map[string]func(io.Writer) error) []byte {
	t.Helper()
	packed, err := Pack(sample())
	if err != nil {
		t.Fatal(err)
	}
	return rebuiltFrom(t, packed, files)
}

func rebuiltFrom(t *testing.T, packed []byte, files map[string]func(io.Writer) error) []byte {
	t.Helper()
	was, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range was.File {
		if _, replaced := files[f.Name]; !replaced {
			if err := z.Copy(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, content := range files {
		if content == nil {
			continue
		}
		w, err := z.Create(name)
		if err == nil {
			err = content(w)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zeros(n int64) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.CopyN(w, zeroes{}, n)
		return err
	}
}

type zeroes struct{}

func (zeroes) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestBombsAreRefused hands over archives of some kilobytes that would fill a machine.
func TestBombsAreRefused(t *testing.T) {
	many := map[string]func(io.Writer) error{}
	for i := range maxPackedFiles {
		many[fmt.Sprint(i)] = zeros(0)
	}
	liar := rebuilt(t, map[string]func(io.Writer) error{summaryFile: zeros(64 << 20)})
	// The directory at the end says how much a file unpacks to.
	binary.LittleEndian.PutUint32(liar[bytes.LastIndex(liar, []byte(summaryFile))-22:], 1<<10)
	for name, c := range map[string]struct {
		packed []byte
		says   string
	}{
		"a large file": {rebuilt(t, map[string]func(io.Writer) error{summaryFile: zeros(maxUnpackedOne + 1)}), "may unpack to 1024 MiB"},
		"many files":   {rebuilt(t, many), "at most 64"},
		"a liar":       {liar, "damaged"},
		"many rows":    {rebuilt(t, map[string]func(io.Writer) error{flowsFile: equalRows, fewName(flowsFile): nil}), "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			if len(c.packed) > 4<<20 {
				t.Fatalf("the bomb has %d bytes", len(c.packed))
			}
			if _, err := Unpack("x.run", c.packed); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Unpack: %v", err)
			}
			if _, err := CheckPack("x.run", c.packed); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("CheckPack: %v", err)
			}
		})
	}
}

// equalRows writes a table of more rows than fit.
func equalRows(out io.Writer) error {
	type row struct {
		Measured bool `parquet:"measured"`
	}
	w := parquet.NewGenericWriter[row](out, parquet.Compression(&parquet.Zstd))
	part := make([]row, 1<<20)
	for range 16 {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Close()
}

// tight is an archive whose tables may be of a few bytes.
type tight struct{ archive }

func (p tight) open(name string) (*opened, error) {
	o, err := p.archive.open(name)
	if err == nil {
		o.limit = 1 << 20
	}
	return o, err
}

// TestTablesThatUnpackAreRefused has few rows, and much in one of them.
func TestTablesThatUnpackAreRefused(t *testing.T) {
	packed := rebuilt(t, map[string]func(io.Writer) error{fewName(flowsFile): nil, flowsFile: func(out io.Writer) error {
		w := parquet.NewGenericWriter[flowRow](out, parquet.Compression(&parquet.Zstd))
		_, err := w.Write([]flowRow{{Group: strings.Repeat("x", 1<<20)}})
		return errors.Join(err, w.Close())
	}})
	p, err := openPack("x.run", packed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readTable(p, flowsFile, flowRow.flow); err != nil {
		t.Error(err)
	}
	if _, err := readTable(tight{p}, flowsFile, flowRow.flow); err == nil || !strings.Contains(err.Error(), "it unpacks to") {
		t.Errorf("got %v", err)
	}
}

func TestCheckedPacksSayWhichRunTheyAre(t *testing.T) {
	r := sample()
	r.Manifest.Study = &StudyRun{Cell: "c", Program: "p", Worker: "host/1"}
	packed, err := Pack(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := CheckPack("x.run", packed)
	if err != nil {
		t.Fatal(err)
	}
	want := Packed{Manifest: r.Manifest, Summary: r.Summary}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	for n := range len(packed) {
		if _, err := CheckPack("x.run", packed[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for all", n, len(packed))
		}
	}
}

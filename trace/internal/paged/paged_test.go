package paged_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"weft/trace/internal/paged"
)

type row struct {
	at    int64
	ranks [3]int32
}

// TestTables: tables keep what is written, whether they are in memory or in the file, and do not overlap.
func TestTables(t *testing.T) {
	for _, small := range []int{0, 1, 1000} {
		m := &paged.Memory{Small: small}
		var rows [][]row
		var bytes [][]uint8
		for n := range 200 {
			rows = append(rows, paged.Make[row](m, n*37))
			bytes = append(bytes, paged.Make[uint8](m, n))
		}
		for n := range rows {
			for i := range rows[n] {
				if rows[n][i] != (row{}) {
					t.Fatalf("small %d: row %d of table %d is not zero", small, i, n)
				}
				rows[n][i] = row{at: int64(n), ranks: [3]int32{int32(i)}}
			}
			for i := range bytes[n] {
				bytes[n][i] = uint8(n)
			}
		}
		for n := range rows {
			for i, r := range paged.Keep(m, rows[n]) {
				if r.at != int64(n) || r.ranks[0] != int32(i) {
					t.Fatalf("small %d: row %d of table %d is %v", small, i, n, r)
				}
			}
			for _, b := range bytes[n] {
				if b != uint8(n) {
					t.Fatalf("small %d: table %d of bytes has %d", small, n, b)
				}
			}
		}
		runtime.KeepAlive(m)
	}
}

// TestNoFolder: without a folder for temporary files, tables are in memory.
func TestNoFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	m := &paged.Memory{Small: 1}
	for n := range 100 {
		if b := paged.Make[uint64](m, n); len(b) != n {
			t.Fatal(len(b), n)
		}
	}
	runtime.KeepAlive(m)
}

// TestGivenBack: the file goes with its Memory.
func TestGivenBack(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are mapped on Linux only")
	}
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	mapped := func() bool {
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(maps), folder)
	}
	m := &paged.Memory{Small: 1}
	table := paged.Make[uint64](m, 1<<20)
	table[1<<19] = 1
	if !mapped() {
		t.Skip("this folder has no files without a name")
	}
	if list, err := os.ReadDir(folder); err != nil || len(list) > 0 {
		t.Error("the file has a name:", list, err)
	}
	runtime.KeepAlive(m)
	for range 100 {
		runtime.GC()
		if !mapped() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the file is still mapped")
}

package papers

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTablesOfSizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sizes.csv")
	if err := os.WriteFile(path, []byte("size_bytes,cdf\n0,0\n1000, 0.5\n2000,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	x, y, err := ReadSizes(path)
	if err != nil || len(x) != 3 || x[1] != 1000 || y[1] != 0.5 {
		t.Errorf("%v, %v, %v", x, y, err)
	}
	if err := os.WriteFile(path, []byte("nothing\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadSizes(path); err == nil {
		t.Error("a file without lines is a table")
	}
}

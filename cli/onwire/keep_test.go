package onwire

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestKept has what was written in the file a second later, and only whole writes in it before.
func TestKept(t *testing.T) {
	name := filepath.Join(t.TempDir(), "kept")
	size := func() int {
		t.Helper()
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return int(info.Size())
	}
	synctest.Test(t, func(t *testing.T) {
		k, err := keep("--record", name)
		if err != nil {
			t.Fatal(err)
		}
		line := append(bytes.Repeat([]byte("x"), 999), '\n')
		write := func(lines int) {
			for range lines {
				if _, err := k.Write(line); err != nil {
					t.Fatal(err)
				}
			}
		}
		write(3)
		if n := size(); n != 0 {
			t.Errorf("%d bytes are in the file at once", n)
		}
		time.Sleep(flushing)
		synctest.Wait()
		if n := size(); n != 3000 {
			t.Errorf("%d bytes are in the file after %v, not 3000", n, flushing)
		}
		write(buffered / 1000 * 3)
		if n := size(); n <= 3000 || n%1000 != 0 {
			t.Errorf("%d bytes are in the file, which are no whole lines", n)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if n, want := size(), 3000+buffered/1000*3000; n != want {
			t.Errorf("%d bytes are in the file at the end, not %d", n, want)
		}
	})
	if _, err := keep("--record", name); err == nil {
		t.Error("a file that is there is written to")
	}
}

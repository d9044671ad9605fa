//go:build unix

package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// deadProcess returns the number of a process that has ended.
func deadProcess(t *testing.T) int {
	t.Helper()
	c := exec.Command("true")
	if err := c.Run(); err != nil {
		t.Skip(err)
	}
	return c.Process.Pid
}

// TestLeftoversAreRemoved: the next run removes what killed ones left half written beside its folder, and nothing else.
func TestLeftoversAreRemoved(t *testing.T) {
	dir, dead := t.TempDir(), deadProcess(t)
	out := filepath.Join(dir, "o.x")
	put := func(folder string, files ...string) string {
		t.Helper()
		folder = filepath.Join(dir, folder)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			path := filepath.Join(folder, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("half"), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		return folder
	}
	of := func(pid, n int) string { return fmt.Sprintf(".o.x.tmp-%d-%d", pid, n) }
	run := []string{"a/manifest.json", "a/flows.parquet", ".b.tmp-77-0/flows.parquet", "a/figures/ports.png", "a/figures/.weft-figures.json", "a/report.html"}
	gone := []string{
		put(of(dead, 0)),
		put(of(dead, 1), run...),
		put(of(dead, 2), "flows.parquet", "summary.json"), // of a run alone, whose manifest comes last
	}
	stay := []string{
		put(of(os.Getpid(), 7), run...),
		put(of(dead, 3), append(run, "run.json")...),
		put(of(dead, 4), "flows.parquet", "manifest.json"),
		put(of(dead, 5), append(run, "notes.txt")...),
		put(of(dead, 6), append(run, "a/.hidden/flows.parquet")...),
		put(of(dead, 7), append(run, "a/figures/mine.txt")...),
		put(fmt.Sprintf(".oxx.tmp-%d-0", dead), run...),
		put(fmt.Sprintf(".o.x.y.tmp-%d-0", dead), run...),
		put(fmt.Sprintf("o.x.tmp-%d-0", dead), run...),
		put(fmt.Sprintf(".o.x.tmp-%d", dead), run...),
		put(fmt.Sprintf(".o.x.tmp-%d-0-1", dead), run...),
		put(fmt.Sprintf(".o.x.tmp-%d-0~", dead), run...),
		put(".o.x.tmp-0-0", run...),
		put(".o.x.tmp-99999999999999999999-0", run...),
	}
	file := filepath.Join(dir, of(dead, 8))
	link, linked := filepath.Join(dir, of(dead, 9)), put("elsewhere", run...)
	inner := put(of(dead, 10), run...)
	if err := errors.Join(os.WriteFile(file, nil, 0o666), os.Symlink(linked, link), os.Symlink(linked, filepath.Join(inner, "a", "ports.parquet"))); err != nil {
		t.Fatal(err)
	}
	stay = append(stay, file, link, filepath.Join(linked, "a", "flows.parquet"), inner)
	// A process of another container has a number that says nothing here. It holds its folder.
	other := put(of(dead, 11), run...)
	release, held := hold(other)
	if !held {
		t.Log("this file system locks no folders")
		gone = nil
	}
	stay = append(stay, other)
	look := func() {
		t.Helper()
		for _, path := range gone {
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is left over: %v", path, err)
			}
		}
		for _, path := range stay {
			if _, err := os.Lstat(path); err != nil {
				t.Errorf("%s was removed: %v", path, err)
			}
		}
	}
	if err := CheckTarget(out); err != nil {
		t.Fatal(err)
	}
	look()
	if !held {
		return
	}
	release()
	gone, stay = append(gone, other), stay[:len(stay)-1]
	again := put(of(dead, 1), run...)
	gone = append(gone, again)
	c, err := NewComparison(out, "o")
	if err != nil {
		t.Fatal(err)
	}
	look()
	// What this process writes is its own, also to somebody who takes its number for that of a dead one.
	if release, held := hold(c.staging.dir); held {
		t.Errorf("%s can be taken while it is written", c.staging.dir)
	} else {
		release()
	}
	c.Discard()
}

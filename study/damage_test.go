package study_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/record"
	"weft/study"
)

// sound executes the small study, and returns its folder and the file of one of its runs.
func sound(t *testing.T) (dir string, run study.Run, path string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "s")
	s := executeMissing(t, dir, planOf(t, smallStudy, "p"), newInline(), study.ExecuteOptions{})
	run = s.Plan.Runs()[3]
	path, err := s.Store().Path(run.Key)
	if err != nil {
		t.Fatal(err)
	}
	return dir, run, path
}

// notices is a Watcher that keeps what it is told.
type notices struct{ texts []string }

func (*notices) Began(string, string)        {}
func (*notices) Progressed(string, float64)  {}
func (*notices) Lost(string, string, string) {}
func (*notices) Ended(study.Outcome) error   { return nil }
func (n *notices) Notice(text string)        { n.texts = append(n.texts, text) }

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	do(t, err)
	return b
}

// TestDamageOfAnyKindIsRepaired damages a run that has a line in the index.
func TestDamageOfAnyKindIsRepaired(t *testing.T) {
	type damage = func(t *testing.T, path string)
	truncated := func(keep func(size int) int) damage {
		return func(t *testing.T, path string) { do(t, os.Truncate(path, int64(keep(len(content(t, path)))))) }
	}
	flipped := func(share float64) damage {
		return func(t *testing.T, path string) {
			b := content(t, path)
			b[int(share*float64(len(b)-1))] ^= 1
			do(t, os.WriteFile(path, b, 0o666))
		}
	}
	kinds := map[string]damage{
		"emptied":         truncated(func(int) int { return 0 }),
		"cut in two":      truncated(func(size int) int { return size / 2 }),
		"a byte short":    truncated(func(size int) int { return size - 1 }),
		"a byte long":     func(t *testing.T, path string) { do(t, os.WriteFile(path, append(content(t, path), 0), 0o666)) },
		"another's":       func(t *testing.T, path string) { do(t, os.WriteFile(path, content(t, another(t, path)), 0o666)) },
		"a folder":        func(t *testing.T, path string) { do(t, os.Remove(path)); do(t, os.Mkdir(path, 0o777)) },
		"a broken link":   func(t *testing.T, path string) { do(t, os.Remove(path)); do(t, os.Symlink("nowhere", path)) },
		"a link to a dir": func(t *testing.T, path string) { do(t, os.Remove(path)); do(t, os.Symlink(".", path)) },
		"a device":        func(t *testing.T, path string) { do(t, os.Remove(path)); do(t, os.Symlink("/dev/zero", path)) },
	}
	for _, share := range []float64{0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1} {
		kinds["flipped at "+time.Duration(share*100).String()] = flipped(share)
	}
	dir, run, path := sound(t)
	first := hashes(t, dir)
	for name, spoil := range kinds {
		t.Run(name, func(t *testing.T) {
			spoil(t, path)
			s, err := study.Open(dir)
			do(t, err)
			if d := s.Damaged(); len(d) != 1 || d[0].Key != run.Key || !errors.Is(d[0], study.ErrDamaged) {
				t.Errorf("damaged: %v", d)
			}
			if _, known := s.Entry(run); known {
				t.Error("it counts in tables")
			}
			// Some bytes of an archive, such as who made it, say nothing of what it holds.
			r, err := s.Result(run)
			if !errors.Is(err, study.ErrDamaged) && (err != nil || r.Summary.ResultHash != first[s.Plan.RunName(run)]) {
				t.Errorf("reading it: %v", err)
			}
			e, said := newInline(), new(notices)
			executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{Watch: said})
			if len(e.executed) != 1 {
				t.Errorf("executed %v", e.executed)
			}
			if text := strings.Join(said.texts, "\n"); !strings.Contains(text, run.Key+" is damaged") || !strings.Contains(text, filepath.Join(dir, "damaged")) {
				t.Errorf("it says %q", text)
			}
			if _, err := os.Lstat(filepath.Join(dir, "damaged", filepath.Base(path))); err != nil {
				t.Errorf("set aside: %v", err)
			}
			executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
			if len(e.executed) != 0 {
				t.Errorf("repeated once more: %v", e.executed)
			}
			same(t, first, hashes(t, dir))
		})
	}
}

// another returns the file of another run than the one at a path.
func another(t *testing.T, path string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(path)), "*", "*.zip"))
	do(t, err)
	for _, file := range files {
		if file != path {
			return file
		}
	}
	t.Fatal("there is no other run")
	return ""
}

// TestDamageIsFoundWithoutAnIndex: whoever made the index anew looks at each run.
func TestDamageIsFoundWithoutAnIndex(t *testing.T) {
	dir, run, path := sound(t)
	whole := content(t, path)
	other := content(t, another(t, path))
	index := filepath.Join(dir, "index.jsonl")
	check := func(what string, b []byte) {
		t.Helper()
		do(t, os.WriteFile(path, b, 0o666))
		if err := os.Remove(index); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		s, err := study.Open(dir)
		do(t, err)
		if d := s.Damaged(); len(d) != 1 || d[0].Key != run.Key {
			t.Errorf("%s: damaged: %v", what, d)
		}
	}
	check("another run's", other)
	for n := 0; n < len(whole); n += 97 {
		check("cut", whole[:n])
	}
	// The sums of the archive are of its content. Its own words, as the time of a file, may
	// differ and say the same.
	found := 0
	for i := 0; i < len(whole); i += 97 {
		b := bytes.Clone(whole)
		b[i] ^= 1
		do(t, os.WriteFile(path, b, 0o666))
		s, err := study.Open(dir)
		do(t, err)
		if len(s.Damaged()) > 0 {
			found++
		} else if r, err := s.Result(run); err != nil || r.Summary.ResultHash == "" {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	if most := (len(whole) + 96) / 97; found < most/2 {
		t.Errorf("of %d flipped bytes %d were found", most, found)
	}
}

// TestTouchedRunsAreWhole: a copy of a folder has other times.
func TestTouchedRunsAreWhole(t *testing.T) {
	dir, run, path := sound(t)
	do(t, os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)))
	e := newInline()
	s := executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if len(e.executed) != 0 || len(s.Damaged()) != 0 {
		t.Errorf("executed %v, damaged %v", e.executed, s.Damaged())
	}

	// One that changed and hides it is found by who reads it.
	info, err := os.Stat(path)
	do(t, err)
	b := content(t, path)
	b[len(b)-40] ^= 1
	do(t, os.WriteFile(path, b, 0o666))
	do(t, os.Chtimes(path, time.Time{}, info.ModTime()))
	s, err = study.Open(dir)
	do(t, err)
	if _, err := s.Result(run); !errors.Is(err, study.ErrDamaged) {
		t.Errorf("read: %v", err)
	}
}

// TestRunsInFoldersAreChecked: large results are folders of files.
func TestRunsInFoldersAreChecked(t *testing.T) {
	dir, run, path := sound(t)
	folder := strings.TrimSuffix(path, ".zip")
	do(t, record.UnpackTo(folder, run.Key, content(t, path)))
	do(t, os.Remove(path))
	open := func() *study.Study {
		t.Helper()
		s, err := study.Open(dir)
		do(t, err)
		return s
	}
	if d := open().Damaged(); len(d) != 1 {
		t.Errorf("a folder in place of a file: %v", d)
	}
	do(t, os.Remove(filepath.Join(dir, "index.jsonl")))
	if n, err := open().Gather(); n != 12 || err != nil {
		t.Errorf("gathered %d, %v", n, err)
	}
	do(t, os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("mine"), 0o666))
	if d := open().Damaged(); len(d) != 0 {
		t.Errorf("with a note beside its files: %v", d)
	}
	flows := filepath.Join(folder, "flows.parquet")
	b := content(t, flows)
	b[len(b)/2] ^= 1
	do(t, os.WriteFile(flows, b, 0o666))
	if d := open().Damaged(); len(d) != 1 {
		t.Errorf("a flipped byte: %v", d)
	}
	e := newInline()
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if note := filepath.Join(dir, "damaged", run.Key, "notes.txt"); len(e.executed) != 1 || string(content(t, note)) != "mine" {
		t.Errorf("executed %v", e.executed)
	}
}

// TestOddFoldersAreNoPanic: what no study wrote is named, and passed over or refused.
func TestOddFoldersAreNoPanic(t *testing.T) {
	key := strings.Repeat("05", 16)
	for name, c := range map[string]struct {
		make  func(dir string) error
		fails string // what the error says, empty for a warning
	}{
		"short name":       {func(dir string) error { return put(dir, "runs/05/x.zip") }, ""},
		"empty name":       {func(dir string) error { return put(dir, "runs/05/.zip", "runs/05/.failed.json", "runs/05/x") }, ""},
		"failure":          {func(dir string) error { return put(dir, "runs/05/x.failed.json") }, ""},
		"misplaced":        {func(dir string) error { return put(dir, "runs/06/"+key+".zip") }, ""},
		"upper case":       {func(dir string) error { return put(dir, "runs/AB/"+strings.Repeat("AB", 16)+".zip") }, ""},
		"no folder of hex": {func(dir string) error { return put(dir, "runs/zz/x.zip") }, ""},
		"long folder":      {func(dir string) error { return put(dir, "runs/0505/x.zip") }, ""},
		"file in runs":     {func(dir string) error { return put(dir, "runs/notes.txt", "runs/09") }, ""},
		"link in circles":  {func(dir string) error { return os.Symlink("zy", filepath.Join(dir, "runs", "zy")) }, ""},
		"runs is a file": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "runs")), put(dir, "runs"))
		}, "move it away"},
		"index is a folder": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "index.jsonl")), put(dir, "index.jsonl/x"))
		}, "move it away"},
		"plan is a folder": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "study.json")), put(dir, "study.json/x"))
		}, "move the folder away"},
		"plan is a device": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "study.json")), os.Symlink("/dev/zero", filepath.Join(dir, "study.json")))
		}, "move the folder away"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _, _ := sound(t)
			do(t, c.make(dir))
			s, err := study.Open(dir)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) || !strings.Contains(err.Error(), dir) {
					t.Errorf("got %v", err)
				}
				return
			}
			do(t, err)
			if text := strings.Join(s.Warnings(), "\n"); !strings.Contains(text, "is not a run") {
				t.Errorf("warnings: %q", text)
			}
			e := newInline()
			executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
			if len(e.executed) != 0 {
				t.Errorf("executed %v", e.executed)
			}
		})
	}
}

// put makes files with their folders.
func put(dir string, names ...string) error {
	var errs []error
	for _, name := range names {
		path := filepath.Join(dir, name)
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("odd"), 0o666))
	}
	return errors.Join(errs...)
}

// TestRunsOnAnotherDisk: folders of the store may be links.
func TestRunsOnAnotherDisk(t *testing.T) {
	dir, _, path := sound(t)
	group, elsewhere := filepath.Dir(path), filepath.Join(t.TempDir(), "group")
	do(t, os.Rename(group, elsewhere))
	do(t, os.Symlink(elsewhere, group))
	e := newInline()
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if len(e.executed) != 0 {
		t.Errorf("executed %v", e.executed)
	}
}

func TestImpossiblePlansAreRefused(t *testing.T) {
	dir, _, _ := sound(t)
	path := filepath.Join(dir, "study.json")
	whole := content(t, path)
	for name, change := range map[string]func(m map[string]any){
		"level too high": func(m map[string]any) { cellOf(m)["levels"] = []int{0, 2} },
		"level below 0":  func(m map[string]any) { cellOf(m)["levels"] = []int{-1, 0} },
		"too few levels": func(m map[string]any) { cellOf(m)["levels"] = []int{0} },
		"no levels":      func(m map[string]any) { delete(cellOf(m), "levels") },
		"no axes":        func(m map[string]any) { m["axes"] = nil },
		"an empty axis":  func(m map[string]any) { m["axes"].([]any)[0].(map[string]any)["levels"] = []string{} },
		"few numbers":    func(m map[string]any) { m["axes"].([]any)[0].(map[string]any)["numbers"] = []float64{1} },
		"no cells":       func(m map[string]any) { m["cells"] = nil },
		"no seeds":       func(m map[string]any) { m["seeds"] = []int{} },
		"many seeds":     func(m map[string]any) { m["seeds"] = make([]int, 2_000_000) },
		"version 0":      func(m map[string]any) { m["version"] = 0 },
		"program":        func(m map[string]any) { m["program"] = "p\x1b[2J" },
	} {
		t.Run(name, func(t *testing.T) {
			var m map[string]any
			do(t, json.Unmarshal(whole, &m))
			change(m)
			b, err := json.Marshal(m)
			do(t, err)
			do(t, os.WriteFile(path, b, 0o666))
			if _, err := study.Open(dir); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--out") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func cellOf(m map[string]any) map[string]any { return m["cells"].([]any)[0].(map[string]any) }

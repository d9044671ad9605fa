package study

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// journal writes down what a group does.
type journal struct {
	mu    sync.Mutex
	steps []string
	fail  string // the step that fails
}

func (j *journal) step(what string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.steps = append(j.steps, what)
	if j.fail != "" && strings.HasPrefix(what, j.fail) {
		return errors.New("input/output error")
	}
	return nil
}

func (j *journal) syncer() syncer {
	return syncer{
		path:   func(path string) error { return j.step("file " + path) },
		folder: func(path string) error { return j.step("folder " + path) },
	}
}

func (j *journal) write(lines []line) error {
	for _, l := range lines {
		if err := j.step("line " + l.Key); err != nil {
			return err
		}
	}
	return nil
}

// TestLinesComeAfterTheirFiles: whenever the power goes, the index names whole runs only.
func TestLinesComeAfterTheirFiles(t *testing.T) {
	j := new(journal)
	g := newGroup("runs", j.write, j.syncer())
	const runs = 500
	for i := range runs {
		path := filepath.Join("runs", fmt.Sprintf("%02x", i%7), fmt.Sprint(i))
		if err := g.add(path, line{Entry: Entry{Key: path}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.close(); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for at, step := range j.steps {
		key, ok := strings.CutPrefix(step, "line ")
		if !ok {
			continue
		}
		lines++
		file := slices.Index(j.steps, "file "+key)
		folder := slices.Index(j.steps[max(file, 0):at], "folder "+filepath.Dir(key))
		if file < 0 || file > at || folder < 0 || !slices.Contains(j.steps[:at], "folder runs") {
			t.Fatalf("the line of %s comes at %d, its file at %d, its folder %d after that", key, at, file, folder)
		}
	}
	if lines != runs {
		t.Errorf("%d lines of %d runs", lines, runs)
	}
	if len(j.steps) > 2*runs+100 {
		t.Errorf("%d steps: folders are synced again and again", len(j.steps))
	}
}

func TestWhatCannotBeSyncedHasNoLine(t *testing.T) {
	for _, fail := range []string{"file", "folder", "line"} {
		j := &journal{fail: fail}
		g := newGroup("runs", j.write, j.syncer())
		err := g.add("runs/05/x", line{Entry: Entry{Key: "x"}})
		for range 2 * mostWaiting { // and nobody waits for ever
			if err != nil {
				break
			}
			err = g.add("runs/05/y", line{Entry: Entry{Key: "y"}})
		}
		if err := errors.Join(err, g.close()); err == nil || !strings.Contains(err.Error(), "input/output error") {
			t.Errorf("%s: %v", fail, err)
		}
		if fail != "line" && slices.ContainsFunc(j.steps, func(s string) bool { return strings.HasPrefix(s, "line") }) {
			t.Errorf("%s: %v", fail, j.steps)
		}
	}
}

// BenchmarkKeep is what it costs to keep a small run, with and without waiting until it
// would survive the loss of power.
func BenchmarkKeep(b *testing.B) {
	never := syncer{func(string) error { return nil }, func(string) error { return nil }}
	for name, s := range map[string]syncer{"synced": {syncPath, syncFolder}, "not synced": never} {
		b.Run(name, func(b *testing.B) {
			store := Store{Dir: b.TempDir()}
			g := newGroup(store.Dir, newIndex(filepath.Join(b.TempDir(), "index")).append, s)
			content := make([]byte, 4<<10)
			n := uint64(0)
			for b.Loop() {
				n++
				key := Key("p", "c", n)
				path := store.place(key) + packedEnding
				sum, err := store.write(path, content)
				if err == nil {
					err = g.add(path, line{Entry{Key: key}, sum})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			if err := g.close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

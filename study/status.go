package study

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/internal/flock"
	"weft/internal/printable"
	"weft/internal/userfile"
)

// Counts holds the number of runs of each status.
type Counts struct {
	Runs    int `json:"runs"`
	Done    int `json:"done"`
	Partial int `json:"partial"`
	Failed  int `json:"failed"`
	// Continuing the study repeats Dead runs and executes Missing ones.
	Dead    int `json:"dead"`
	Missing int `json:"missing"`
}

func (c *Counts) add(e Entry, known bool) {
	c.Runs++
	switch {
	case !known:
		c.Missing++
	case e.Status == Done:
		c.Done++
	case e.Status == Partial:
		c.Partial++
	case e.Status == Failed:
		c.Failed++
	default:
		c.Dead++
	}
}

// Count counts the runs of the plan, in total and by cell.
func (s *Study) Count() (all Counts, cells []Counts) {
	cells = make([]Counts, len(s.Plan.Cells))
	for _, r := range s.Plan.Runs() {
		e, known := s.index.entries[r.Key]
		all.add(e, known)
		cells[r.Cell].add(e, known)
	}
	return all, cells
}

// Refresh reads what other processes have added to the store. It changes only memory.
func (s *Study) Refresh() error {
	var err error
	s.seen, err = s.index.refresh(s.store, s.only)
	return err
}

// Remaining lists the indices in Plan.Runs of the runs that Execute would execute.
func (s *Study) Remaining(retry bool) []int {
	var list []int
	seen := map[string]bool{}
	for i, r := range s.Plan.Runs() {
		e, known := s.index.entries[r.Key]
		if !seen[r.Key] && (!known || repeated(e, retry)) {
			list = append(list, i)
		}
		seen[r.Key] = true
	}
	return list
}

// MeanTook returns the mean time of the plan's runs, or 0 if none is known.
func (s *Study) MeanTook() time.Duration {
	var sum time.Duration
	n := 0
	for _, r := range s.Plan.Runs() {
		if e := s.index.entries[r.Key]; e.Took > 0 {
			sum += e.Took
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / time.Duration(n)
}

// Holder is a process that executes a study.
type Holder struct {
	// Shard is the zero Shard if the process executes the whole study.
	Shard Shard
	// Process is its host and process number, as in node3/4711.
	Process string
}

// Holders lists the processes that execute the study. It is empty on a file system without
// locks.
func (s *Study) Holders() ([]Holder, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return nil, err
	}
	var list []Holder
	for _, e := range entries {
		shard, ok := shardOfLock(e.Name())
		if !ok {
			continue
		}
		process, err := holderOf(filepath.Join(s.Dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if process != "" {
			list = append(list, Holder{shard, process})
		}
	}
	slices.SortFunc(list, func(a, b Holder) int {
		return cmp.Or(cmp.Compare(a.Shard.Of, b.Shard.Of), cmp.Compare(a.Shard.Index, b.Shard.Index))
	})
	return list, nil
}

func shardOfLock(name string) (Shard, bool) {
	if name == wholeLock {
		return Shard{}, true
	}
	var s Shard
	if n, err := fmt.Sscanf(name, wholeLock+".%d-of-%d", &s.Index, &s.Of); n != 2 || err != nil || s.Of < 1 {
		return Shard{}, false
	}
	return s, lockName(s) == name
}

// holderOf returns the holder of a lock according to its file. Only the lock itself shows
// whether that still holds, so holderOf takes it for a moment.
func holderOf(path string) (string, error) {
	f, err := userfile.Open(path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 200))
	name := printable.Line(strings.TrimSpace(string(text)))
	if err != nil || name == "" {
		return "", err
	}
	if errors.Is(flock.Try(f.File, true), flock.ErrHeld) {
		return name, nil
	}
	return "", nil
}

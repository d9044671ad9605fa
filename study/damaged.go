package study

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"weft/internal/printable"
)

// ErrDamaged marks errors about runs whose files differ from what the study stored.
var ErrDamaged = errors.New("damaged")

// DamagedError names a run that cannot be used. It is an ErrDamaged.
type DamagedError struct {
	// Key identifies the run. Path is its file or folder.
	Key, Path string
	// Err is the reason. Even if part of the run is missing, the whole error is no
	// fs.ErrNotExist.
	Err error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("run %s is damaged: %v", e.Key, e.Err)
}

// Is reports that the error is ErrDamaged.
func (e *DamagedError) Is(target error) bool { return target == ErrDamaged }

// Damaged lists the keys of stored runs that cannot be used. Tables treat them as missing.
// Execute sets them aside and repeats them.
func (s *Study) Damaged() []*DamagedError {
	return slices.SortedFunc(slices.Values(s.seen.damaged), func(a, b *DamagedError) int { return cmp.Compare(a.Key, b.Key) })
}

// Warnings describes what is wrong in the study's folder and what to do, one sentence each.
func (s *Study) Warnings() []string {
	const shown = 3
	var list []string
	for i, d := range s.Damaged() {
		if i == shown {
			list = append(list, fmt.Sprintf("%d more runs are damaged", len(s.seen.damaged)-shown))
			break
		}
		list = append(list, d.Error())
	}
	if len(list) > 0 {
		list[len(list)-1] += fmt.Sprintf("; damaged runs count as missing, and weft study resume %s repeats them", s.Dir)
	}
	for i, path := range s.seen.foreign {
		if i == shown {
			list = append(list, fmt.Sprintf("%d more files in %s are not runs", len(s.seen.foreign)-shown, s.store.Dir))
			break
		}
		list = append(list, fmt.Sprintf("%s is not a run, and is ignored; move it away", printable.Line(path)))
	}
	return list
}

// setAside moves damaged runs out of the store, so that they are repeated. It removes
// nothing, since a changed file may be somebody's work.
func (s *Study) setAside(notice func(string)) error {
	for _, d := range s.Damaged() {
		aside := filepath.Join(s.Dir, damagedFolder, filepath.Base(d.Path))
		if err := moveAside(d.Path, aside); err != nil {
			return fmt.Errorf("%w; it cannot be moved to %s: %w", d, aside, err)
		}
		notice(fmt.Sprintf("%v; it is moved to %s and counts as missing", d, aside))
	}
	s.seen.damaged = nil
	return nil
}

func moveAside(path, aside string) error {
	if err := os.MkdirAll(filepath.Dir(aside), 0o777); err != nil {
		return err
	}
	if err := os.RemoveAll(aside); err != nil {
		return err
	}
	return os.Rename(path, aside)
}

package study

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// ErrDamaged marks errors about runs whose files are not what the study kept.
var ErrDamaged = errors.New("damaged")

// DamagedError names a run that cannot be used. It is an ErrDamaged.
type DamagedError struct {
	// Key names the run, Path its file or folder.
	Key, Path string
	// Err says what is wrong with it.
	Err error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("run %s is damaged: %v", e.Key, e.Err)
}

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

// Is reports that the error is ErrDamaged.
func (e *DamagedError) Is(target error) bool { return target == ErrDamaged }

// Remedy says how to repair the runs of the study in a folder.
func (e *DamagedError) Remedy() string {
	return fmt.Sprintf("weft study resume %s repeats it", filepath.Dir(filepath.Dir(filepath.Dir(e.Path))))
}

// Damaged lists the runs that are in the store and cannot be used, by their keys. To
// tables they are missing. Execute sets them aside and repeats them.
func (s *Study) Damaged() []*DamagedError {
	return slices.SortedFunc(slices.Values(s.damaged), func(a, b *DamagedError) int { return cmp.Compare(a.Key, b.Key) })
}

package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// staging is a folder being written: a hidden sibling of the one that it will become.
type staging struct {
	// target is the folder as the user named it, place where it really is.
	target, place string
	dir           string
}

// CheckTarget tells whether a result could be written as the folder dir, with
// an error that says what to do if not. It leaves nothing behind.
func CheckTarget(dir string) error {
	s, err := stage(dir)
	if err != nil {
		return err
	}
	s.discard()
	return nil
}

func stage(target string) (*staging, error) {
	place, err := filepath.Abs(target)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", target, err)
	}
	if real, err := filepath.EvalSymlinks(place); err == nil {
		place = real
	}
	if err := replaceable(target, place); err != nil {
		return nil, err
	}
	parent := filepath.Dir(place)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, unwritable(target, err)
	}
	dir, err := newSibling(place, "tmp")
	if err != nil {
		return nil, unwritable(target, err)
	}
	return &staging{target: target, place: place, dir: dir}, nil
}

func unwritable(target string, err error) error {
	return fmt.Errorf("%s: cannot write results there (%w); choose another folder with --out", target, err)
}

// newSibling makes a hidden folder next to place.
func newSibling(place, purpose string) (string, error) {
	parent, base := filepath.Split(place)
	for n := 0; ; n++ {
		dir := filepath.Join(parent, fmt.Sprintf(".%s.%s-%d-%d", base, purpose, os.Getpid(), n))
		if err := os.Mkdir(dir, 0o777); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

// commit puts the staged folder in its place. If that fails, the folder stays
// where it is and the error names it: what took long to compute is not thrown away.
func (s *staging) commit() error {
	dir := s.dir
	s.dir = ""
	if err := s.replace(dir); err != nil {
		return fmt.Errorf("%w; the results are complete in %s", err, dir)
	}
	return nil
}

func (s *staging) replace(dir string) error {
	// Looked at again: a run can take days.
	if err := replaceable(s.target, s.place); err != nil {
		return err
	}
	if _, err := os.Lstat(s.place); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(dir, s.place)
	}
	old, err := newSibling(s.place, "old")
	if err != nil {
		return err
	}
	defer os.RemoveAll(old)
	before := filepath.Join(old, filepath.Base(s.place))
	if err := os.Rename(s.place, before); err != nil {
		return err
	}
	if err := os.Rename(dir, s.place); err != nil {
		return errors.Join(err, os.Rename(before, s.place))
	}
	return nil
}

// discard removes the staged folder, unless it was committed.
func (s *staging) discard() {
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

// replaceable tells whether nothing would be lost by replacing place but what
// weft wrote and can make again.
func replaceable(target, place string) error {
	info, err := os.Stat(place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unwritable(target, err)
	case !info.IsDir():
		return fmt.Errorf("%s: is a file, not a folder; choose another folder with --out", target)
	}
	entries, err := os.ReadDir(place)
	if err != nil {
		return unwritable(target, err)
	}
	if len(entries) == 0 {
		return nil
	}
	folders := map[string]bool{}
	if _, err := os.Stat(filepath.Join(place, studyFile)); err == nil {
		return fmt.Errorf("%s: holds a study, whose runs are kept; choose another folder with --out, or go on with it by weft study run", target)
	}
	if variants, err := Variants(place); err != nil {
		return fmt.Errorf("%s: is not empty and not a result of weft; move it away or choose another folder with --out", target)
	} else {
		for _, v := range variants {
			folders[filepath.Base(v.Folder)] = true
		}
	}
	for _, e := range entries {
		if !ours(e.Name()) && !folders[e.Name()] {
			return fmt.Errorf("%s: holds %s beside a result of weft, and replacing the result would lose it; move it away or choose another folder with --out",
				target, e.Name())
		}
	}
	return nil
}

// ours tells whether weft itself puts an entry of that name into its folders.
func ours(name string) bool {
	switch name {
	case manifestFile, summaryFile, flowsFile, portsFile, seriesFile, faultsFile, nodesFile, snapshotsFile, comparisonFile, FiguresFolder, ReportFile:
		return true
	}
	return false
}

// studyFile marks the folder of a study, which package study writes.
const studyFile = "study.json"

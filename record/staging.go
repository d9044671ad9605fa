package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// staging is a folder being written: a hidden sibling of the folder that it will become.
type staging struct {
	// target is the folder as the user named it, and place its real path.
	target, place string
	dir           string
	// release drops the lock that shows others that the folder is being written.
	release func()
	// own lists what weft wrote into the existing folder.
	own []string
}

// CheckTarget checks whether a run can be written as the folder dir. The error says what to do if
// not. It leaves nothing behind.
func CheckTarget(dir string) error {
	s, err := stage(dir)
	if err != nil {
		return err
	}
	defer s.discard()
	return s.clear(runFiles)
}

func stage(target string) (*staging, error) {
	place, err := filepath.Abs(target)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", target, err)
	}
	if real, err := filepath.EvalSymlinks(place); err == nil {
		place = real
	}
	if err := recoverOld(place); err != nil {
		return nil, unwritable(target, err)
	}
	if err := replaceable(target, place); err != nil {
		return nil, err
	}
	removeLeftovers(place)
	own := written(place)
	parent := filepath.Dir(place)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, unwritable(target, err)
	}
	dir, err := newSibling(place, stagingFolder)
	if err != nil {
		return nil, unwritable(target, err)
	}
	release, _ := hold(dir)
	return &staging{target: target, place: place, dir: dir, release: release, own: own}, nil
}

// free reports whether a result's file can have a name in the folder: nothing has the name, or
// only something that weft wrote.
func (s *staging) free(name string) bool {
	_, err := os.Lstat(filepath.Join(s.place, name))
	return errors.Is(err, fs.ErrNotExist) || slices.Contains(s.own, name)
}

// room reports whether a run can have a subfolder of that name: none of its files would collide
// with a user's file.
func (s *staging) room(folder string) bool {
	at := filepath.Join(s.place, folder)
	if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return isFolder(at) && !slices.ContainsFunc(runFiles, func(name string) bool { return !s.free(filepath.Join(folder, name)) })
}

// clear returns an error if a user's file has the name of one of the result's files.
func (s *staging) clear(names []string) error {
	for _, name := range names {
		if !s.free(name) {
			return fmt.Errorf("%s: weft did not write %s there, and the result has a file of that name; move it away or choose another folder with --out", s.target, name)
		}
	}
	return nil
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

// commit moves the staged folder to its place. If that fails, the folder stays where it is and
// the error names it, so that results that took long to compute are not lost.
func (s *staging) commit() error {
	dir := s.dir
	s.dir = ""
	defer s.release()
	if err := s.replace(dir); err != nil {
		return fmt.Errorf("%w; the results are complete in %s", err, dir)
	}
	return nil
}

// replace puts dir in the place of the previous result and moves the user's files from there into
// it.
func (s *staging) replace(dir string) error {
	// Check again, since a run can take days.
	if err := replaceable(s.target, s.place); err != nil {
		return err
	}
	info, err := os.Lstat(s.place)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(dir, s.place)
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, info.Mode().Perm()); err != nil {
		return err
	}
	if s.own = written(s.place); s.taken(dir) != "" {
		return fmt.Errorf("%s: weft did not write %s there, and the result has a file of that name; move it away", s.target, s.taken(dir))
	}
	old, err := newSibling(s.place, oldFolder)
	if err != nil {
		return err
	}
	before := filepath.Join(old, filepath.Base(s.place))
	if err := os.Rename(s.place, before); err != nil {
		return errors.Join(err, os.Remove(old))
	}
	if err := os.Rename(dir, s.place); err != nil {
		return errors.Join(err, os.Rename(before, s.place), os.Remove(old))
	}
	return finishOld(old, s.place)
}

// taken returns the name of a file in dir that collides with a user's file in the place of the
// result, or "".
func (s *staging) taken(dir string) (name string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inner, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if e.IsDir() && isFolder(filepath.Join(s.place, inner)) || s.free(inner) {
			return nil
		}
		name = inner
		return fs.SkipAll
	})
	return name
}

// discard removes the staged folder unless it was committed. Only weft writes to it.
func (s *staging) discard() {
	if s.dir != "" {
		os.RemoveAll(s.dir)
		s.release()
	}
}

// replaceable checks that a result can be written to place: there must be nothing, or a result of
// weft.
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
	if _, err := os.Stat(filepath.Join(place, studyFile)); err == nil {
		return fmt.Errorf("%s: holds a study, whose runs are kept; choose another folder with --out, or continue it with weft study run", target)
	}
	if _, err := Variants(place); err != nil {
		return fmt.Errorf("%s: is not empty and not a result of weft; move it away or choose another folder with --out", target)
	}
	return nil
}

// ours reports whether weft itself gives entries in its folders that name.
func ours(name string) bool {
	return slices.Contains(runFiles, name) || slices.Contains([]string{comparisonFile, FiguresFolder, ReportFile}, name)
}

// studyFile marks the folder of a study. Package study writes it.
const studyFile = "study.json"

package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// oldFolder is in the name of the hidden folder that a result is moved to when another
// takes its place.
const oldFolder = "old"

// finishOld ends the replacing of a result, whose folder has been moved into the hidden
// folder old: what was its user's moves to the new result in place, and the rest is removed.
func finishOld(old, place string) error {
	before := filepath.Join(old, filepath.Base(place))
	own := written(before)
	others, err := foreign(before, own)
	if err != nil {
		return err
	}
	for _, name := range others {
		if err := carry(before, place, name); err != nil {
			return fmt.Errorf("%w; other files that %s held are in %s", err, place, before)
		}
	}
	if err := removeOwn(before, own); err != nil {
		return err
	}
	return os.Remove(old)
}

// carry moves a file or a folder from a folder to another, with the folders around it.
func carry(from, to, name string) error {
	if parent := filepath.Dir(name); parent != "." {
		if err := sameFolders(from, to, parent); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(filepath.Join(to, name)); err == nil {
		return &fs.PathError{Op: "keep", Path: filepath.Join(to, name), Err: fs.ErrExist}
	}
	return os.Rename(filepath.Join(from, name), filepath.Join(to, name))
}

// sameFolders makes a folder in another, and those around it, with the modes that they have
// in from.
func sameFolders(from, to, name string) error {
	if parent := filepath.Dir(name); parent != "." {
		if err := sameFolders(from, to, parent); err != nil {
			return err
		}
	}
	info, err := os.Stat(filepath.Join(from, name))
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(to, name), info.Mode().Perm()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// recoverOld finishes the replacing of a result at place whose process was killed in
// the middle of it.
func recoverOld(place string) error {
	parent, base := filepath.Split(place)
	name := siblingName(regexp.QuoteMeta(base), oldFolder)
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !name.MatchString(e.Name()) {
			continue
		}
		old := filepath.Join(parent, e.Name())
		before := filepath.Join(old, base)
		if !isFolder(before) {
			continue
		}
		if _, err := os.Lstat(place); errors.Is(err, fs.ErrNotExist) {
			err = os.Rename(before, place)
			if err := errors.Join(err, os.Remove(old)); err != nil {
				return err
			}
			continue
		}
		if err := finishOld(old, place); err != nil {
			return err
		}
	}
	return nil
}
